//! The document of several drives at once, and its schema.

use drivelab_analysis::together::Together;
use serde::Serialize;

use crate::documents::compare::CompareDoc;
use crate::documents::schema;
use crate::error::ReportError;
use crate::figure::input::ReportInput;
use crate::formats::compare::{Compared, ComparedRun};
use crate::marker;
use crate::views::across::compare;
use crate::views::across::group::GroupInput;

/// The document, as docs/formats/together.schema.json describes it.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn together_json(input: &GroupInput<'_>) -> Result<serde_json::Value, ReportError> {
    let compared = input.alone().map(|(runs, sides)| {
        let digests = compare::digests(&runs);
        let run = |(digest, input)| -> ComparedRun<'_> {
            let input: &ReportInput<'_> = input;
            ComparedRun { digest, live: false, title: &input.records.label.title }
        };
        let all: Vec<ComparedRun<'_>> = digests.iter().zip(&runs).map(run).collect();
        Compared { runs: &all, sides: &sides }.document()
    });
    let document = Document { schema: marker::TOGETHER, schema_version: 1, group: &input.group, compared };
    Ok(serde_json::to_value(document)?)
}

#[derive(Serialize, schemars::JsonSchema)]
struct Document<'a> {
    /// `drivelab.together`.
    schema: &'static str,
    /// Version of this document, 1.
    schema_version: u32,
    #[serde(flatten)]
    group: &'a Together,
    /// The drives side by side, each alone; absent for fewer than two such runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<CompareDoc>,
}

/// JSON Schema of the document.
pub(crate) fn together_schema() -> serde_json::Value {
    schema::of::<Document<'_>>("drivelab, several drives at once", "drivelab.together.v1")
}
