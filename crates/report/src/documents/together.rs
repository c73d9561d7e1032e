//! The document of several drives at once, and its schema.

use drivelab_analysis::together::Together;
use serde::Serialize;

use crate::documents::schema;
use crate::error::ReportError;
use crate::marker;
use crate::views::across::group::GroupInput;

/// The document, as docs/formats/together.schema.json describes it.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn together_json(input: &GroupInput<'_>) -> Result<serde_json::Value, ReportError> {
    let document = Document { schema: marker::TOGETHER, schema_version: 1, group: &input.group };
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
}

/// JSON Schema of the document.
pub(crate) fn together_schema() -> serde_json::Value {
    schema::of::<Document<'_>>("drivelab, several drives at once", "drivelab.together.v1")
}
