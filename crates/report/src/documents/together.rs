//! The document of several drives at once, and its schema.

use drivelab_analysis::together::Together;
use serde::Serialize;

use crate::error::ReportError;
use crate::marker;
use crate::views::across::group::GroupInput;

/// The document, as docs/formats/together.schema.json describes it.
///
/// # Errors
/// Where it cannot be written as JSON.
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
#[must_use]
pub fn together_schema() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::default().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Document<'_>>();
    schema.insert("title".to_owned(), "drivelab, several drives at once".into());
    schema.insert("$id".to_owned(), "drivelab.together.v1".into());
    schema.to_value()
}
