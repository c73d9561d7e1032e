//! Where a comparison or a ranking goes, and in which format: the terminal, a file, a document on stdout.

use std::path::Path;

use drivelab_lab::output::pages::{OutputFile, PageFormat, format_of};
use drivelab_lab::{Failure, Result};
use serde::Serialize;

use crate::context::Context;
use crate::say;

/// The formats of a comparison and of a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// A table for a terminal.
    Terminal,
    /// A page.
    Html,
    /// Markdown.
    Markdown,
    /// One row for each figure.
    Csv,
    /// A JSON document.
    Json,
}

/// Where the text goes, and in which format.
pub(super) struct Destination {
    pub(super) format: Format,
    file: Option<OutputFile>,
}

impl Destination {
    /// By the flags `-o` and `--json`.
    ///
    /// # Errors
    /// The file's extension is of another format, or the file is not drivelab's to replace.
    pub(super) fn of(output: Option<&Path>, json: bool) -> Result<Destination> {
        let format = match output {
            _ if json => Format::Json,
            None => Format::Terminal,
            Some(path) => match format_of(path)? {
                PageFormat::Html => Format::Html,
                PageFormat::Md | PageFormat::Brief => Format::Markdown,
                PageFormat::Csv => Format::Csv,
                PageFormat::Json => Format::Json,
                PageFormat::Cdm => {
                    let what = "the layout of CrystalDiskMark is for one run; use .html, .md, .csv or .json";
                    return Err(Failure::usage(what));
                }
            },
        };
        Ok(Destination { format, file: output.map(OutputFile::check).transpose()? })
    }

    /// Writes the text to the file, or prints it.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(self, context: &Context, text: &str) -> Result<()> {
        let Some(file) = self.file else { return say::data(text) };
        file.write(text)?;
        context.settings.voice.say(format!("Wrote {}", file.path().display()));
        Ok(())
    }
}

/// A document as text.
///
/// # Errors
/// It cannot be written as JSON.
pub(super) fn json_text(document: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(document).map_err(|error| Failure::unexpected(error.to_string()))?;
    Ok(text + "\n")
}
