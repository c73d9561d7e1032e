//! How results look: HTML pages, Markdown, CSV, JSON and the table for a terminal.
//!
//! Owns layout, wording and number formats. Must not know how anything was measured or found, and computes no figure:
//! every one comes from `analysis` or straight from the records. Charts and tables are made from the same structs.
//! Names from outside (models, paths, labels) are untrusted and escaped in every format.

#![forbid(unsafe_code)]

mod account;
mod arms;
mod asset;
mod brief;
mod cdm;
mod chart;
mod check;
mod check_view;
mod commands;
mod compare;
mod csv;
mod curve_view;
mod detail;
mod doc;
mod facts;
mod figures;
mod files;
mod fill_view;
pub mod format;
mod heat_view;
mod io_doc;
mod io_engine;
mod io_table;
mod load;
mod loads_view;
mod look;
mod map_view;
mod markdown;
mod marker;
mod page;
mod percentiles;
mod probe;
mod probe_nvme;
mod probe_text;
mod prose;
mod run_facts;
mod scores_view;
mod sheet_view;
mod steady_view;
mod sweep_view;
mod table;
mod telemetry_view;
mod terminal;
mod tests_view;
mod time_line;
mod together;
mod told;
mod watching_cost;

use drivelab_analysis::Analysis;
use drivelab_core::run::RunRecords;

pub use arms::{ArmsDoc, arms_json, arms_schema, arms_table};
pub use check::{CheckDocument, CheckInput, check_details, check_document, check_schema, check_text};
pub use commands::{
    DryRun, DryRunDestroy, DryRunDevice, DryRunTarget, ENDURANCE, WatchCost, WatchLine, WatchRow, WipeCheck,
    WipeDocument, command_schemas, dry_run_text, guess_of_bytes, guess_of_time,
};
pub use doc::results_schema;
pub use io_doc::{IoInput, io_schema};
pub use io_table::io_table;
pub use load::{LoadWords, load_text, load_words};
pub use marker::{is_drivelab_output, is_drivelab_page};
pub use probe_text::{
    ShowDocument, ShowInput, TargetsDocument, probe_schemas, show_document, show_text, targets_document, targets_text,
};
pub use run_facts::{severity_word, stop_text};
pub use terminal::terminal_table;
pub use together::{
    GroupInput, together_csv, together_html, together_json, together_markdown, together_schema, together_terminal,
};

/// A run and what it means.
#[derive(Debug, Clone, Copy)]
pub struct ReportInput<'a> {
    /// The records.
    pub records: &'a RunRecords,
    /// Their analysis.
    pub analysis: &'a Analysis,
}

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Nothing to report on.
    #[error("there is no run to report on; name at least one")]
    NoRun,
    /// Nothing was measured that could be shown.
    #[error("the run has no measured load; it cannot be shown as one")]
    NoLoad,
    /// The layout belongs to another methodology.
    #[error(
        "the layout of CrystalDiskMark is for runs of the methodology 'crystaldiskmark', and this one is of '{0}', whose \
         figures mean something else; take another format"
    )]
    NotCrystalDiskMark(String),
    /// The runs were not measured together.
    #[error("none of these runs was measured together with others; `drivelab report RUN` shows each by itself")]
    NoGroup,
    /// The page template failed.
    #[error("the page could not be put together: {0}")]
    Page(#[from] askama::Error),
    /// The results could not be written as JSON.
    #[error("the results could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The results could not be written as CSV.
    #[error("the results could not be written as CSV: {0}")]
    Csv(#[from] ::csv::Error),
}

/// The review of one run, or several runs beside each other, as one HTML file that opens offline.
///
/// # Errors
/// [`ReportError`] where there is no run or a part cannot be written.
pub fn html(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    page::html(some(inputs)?)
}

/// The same as Markdown (GitHub's tables).
///
/// # Errors
/// [`ReportError`] where there is no run.
pub fn markdown(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    some(inputs).map(markdown::markdown)
}

/// The review in short, as Markdown.
///
/// # Errors
/// [`ReportError`] where there is no run.
pub fn brief(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    some(inputs).map(brief::brief)
}

/// Every metric as CSV, one a line, with the run, method and form beside it.
///
/// # Errors
/// [`ReportError`] where there is no run or a line cannot be written.
pub fn csv(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    csv::csv(some(inputs)?)
}

/// Runs of the methodology `crystaldiskmark` in the layout of the program's own text, one after the other.
///
/// # Errors
/// [`ReportError`] where there is no run, or one of another methodology.
pub fn cdm(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    let texts: Vec<String> = some(inputs)?.iter().map(cdm::text).collect::<Result<_, _>>()?;
    Ok(texts.join("\n"))
}

/// The results document, as docs/formats/results.schema.json describes it.
///
/// # Errors
/// [`ReportError`] where there is no run or a part cannot be written.
pub fn json(inputs: &[ReportInput<'_>]) -> Result<serde_json::Value, ReportError> {
    doc::json(some(inputs)?)
}

/// The document of one load, as docs/formats/io.schema.json describes it.
///
/// # Errors
/// [`ReportError`] where the run measured no load.
pub fn io_json(input: &IoInput<'_>) -> Result<serde_json::Value, ReportError> {
    Ok(serde_json::to_value(io_doc::results(input)?)?)
}

/// The document of [`json`] for whoever writes it piece by piece: that of a long run is larger than what a program
/// should hold.
///
/// # Errors
/// [`ReportError`] where there is no run.
pub fn document<'a>(inputs: &[ReportInput<'a>]) -> Result<impl serde::Serialize + use<'a>, ReportError> {
    Ok(doc::document(some(inputs)?))
}

fn some<'i, 'a>(inputs: &'i [ReportInput<'a>]) -> Result<&'i [ReportInput<'a>], ReportError> {
    if inputs.is_empty() { Err(ReportError::NoRun) } else { Ok(inputs) }
}

#[cfg(test)]
mod tests;
