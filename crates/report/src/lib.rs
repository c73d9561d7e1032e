//! How results look: HTML pages, Markdown, CSV, JSON and the table for a terminal.
//!
//! Owns layout, wording and number formats. Must not know how anything was measured or found, and computes no figures:
//! all come from `analysis` or directly from the records. Charts and tables are made from the same structs. Names from
//! outside (models, paths, labels) are untrusted and escaped in every format.

#![forbid(unsafe_code)]

mod documents;
mod error;
mod figure;
mod formats;
mod marker;
mod views;
mod words;

pub use documents::arms::{ArmsDoc, arms_json};
pub use documents::check::{CheckDocument, CheckInput, check_document};
pub use documents::compare::CompareDoc;
pub use documents::dry_run::{DryRun, DryRunDestroy, DryRunDevice, DryRunTarget};
pub use documents::io::{IoInput, io_schema};
pub use documents::probe::{ShowDocument, ShowInput, TargetsDocument, show_document, targets_document};
pub use documents::schemas::published_schemas;
pub use documents::together::together_json;
pub use documents::watch::{WatchCost, WatchLine, WatchRow};
pub use documents::wipe::{WipeCheck, WipeDocument};
use drivelab_analysis::digest::Digest;
pub use error::ReportError;
pub use figure::format;
pub use figure::input::ReportInput;
pub use formats::arms::arms_table;
pub use formats::article::{
    Article, Built, Front, LARGEST_PICTURE, Material, Picture, Remark, ShownChart, ShownTable, article_items, draft,
};
pub use formats::asset::OUTSIDE as DRAWING_SCRIPT;
pub use formats::check::{check_details, check_text};
pub use formats::compare::{Compared, ComparedRun};
pub use formats::dry_run::{ENDURANCE, dry_run_text, guess_of_bytes, guess_of_time};
pub use formats::io::io_table;
pub use formats::probe::{show_text, targets_text};
pub use formats::summary::terminal_summary;
pub use formats::terminal::terminal_table;
pub use formats::together::{together_csv, together_html, together_markdown, together_terminal};
pub use marker::{is_drivelab_output, is_drivelab_page};
pub use views::across::group::GroupInput;
pub use views::across::published::PublishedSide;
pub use views::across::rank::RankInput;
pub use views::across::sides::{DriveVerdict, DriveWords, Sides};
pub use words::facts::title as drive_title;
pub use words::load::{load_text, load_words};
pub use words::load_parts::LoadWords;
pub use words::run_facts::{severity_word, stop_text};

/// The review of one run, or of several runs side by side, as one HTML file that opens offline.
///
/// # Errors
/// [`ReportError`] if there is no run or a part cannot be written.
pub fn html(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    let digests = if inputs.len() > 1 { views::across::compare::digests(inputs) } else { Vec::new() };
    html_of_sides(inputs, &digests.iter().collect::<Vec<_>>(), &views::across::compare::each_alone(inputs))
}

/// The page of runs with these digests, set side by side in this way. The digests of redacted runs are those from
/// before the redaction, which still show what differs; `sides.redact` keeps names out of the page. Without runs the
/// page is of the published figures of `sides`.
///
/// # Errors
/// [`ReportError`] if there is no run or a part cannot be written.
pub fn html_of_sides(inputs: &[ReportInput<'_>], digests: &[&Digest], sides: &Sides) -> Result<String, ReportError> {
    let inputs = if sides.published.is_empty() { some(inputs)? } else { inputs };
    formats::page::html(inputs, digests, sides)
}

/// The review as Markdown, with GitHub's tables.
///
/// # Errors
/// [`ReportError`] if there is no run.
pub fn markdown(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    some(inputs).map(formats::markdown::markdown)
}

/// The short form of the review of one run, as Markdown.
#[must_use]
pub fn brief(input: &ReportInput<'_>) -> String {
    formats::brief::brief(input)
}

/// Every metric as CSV, one per line, with run, method and form.
///
/// # Errors
/// [`ReportError`] if there is no run or a line cannot be written.
pub fn csv(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    formats::csv::csv(some(inputs)?)
}

/// Runs of the methodology `crystaldiskmark` in the text layout of that program, one after the other.
///
/// # Errors
/// [`ReportError`] if there is no run, or one of another methodology.
pub fn cdm(inputs: &[ReportInput<'_>]) -> Result<String, ReportError> {
    let texts: Vec<String> = some(inputs)?.iter().map(formats::cdm::text).collect::<Result<_, _>>()?;
    Ok(texts.join("\n"))
}

/// The results document, as docs/formats/results.schema.json describes it.
///
/// # Errors
/// [`ReportError`] if there is no run or a part cannot be written.
pub fn json(inputs: &[ReportInput<'_>]) -> Result<serde_json::Value, ReportError> {
    documents::results::json(some(inputs)?)
}

/// The document of one load, as docs/formats/io.schema.json describes it.
///
/// # Errors
/// [`ReportError`] if the run measured no load.
pub fn io_json(input: &IoInput<'_>) -> Result<serde_json::Value, ReportError> {
    Ok(serde_json::to_value(documents::io::results(input)?)?)
}

/// The document of [`json`], to be written piece by piece: for a long run it is too large to hold in memory.
///
/// # Errors
/// [`ReportError`] if there is no run.
pub fn document<'a>(inputs: &[ReportInput<'a>]) -> Result<impl serde::Serialize + use<'a>, ReportError> {
    Ok(documents::results::document(some(inputs)?))
}

fn some<'i, 'a>(inputs: &'i [ReportInput<'a>]) -> Result<&'i [ReportInput<'a>], ReportError> {
    if inputs.is_empty() { Err(ReportError::NoRun) } else { Ok(inputs) }
}

#[cfg(test)]
mod tests;
