//! The document that compares several arms, which `drivelab run --arm` prints as JSON, and its schema.

use drivelab_analysis::arms::Arms;
use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::schema;
use crate::marker;

/// The document of several arms, as docs/formats/arms.schema.json describes it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmsDoc {
    /// Always `drivelab.arms`.
    pub schema: &'static str,
    /// Version of this document, 1. Raised when readers of the previous version would misread the new one.
    pub schema_version: u32,
    /// The comparison.
    #[serde(flatten)]
    pub arms: Arms,
}

/// The comparison as a document.
#[must_use]
pub fn arms_json(arms: Arms) -> ArmsDoc {
    ArmsDoc { schema: marker::ARMS, schema_version: 1, arms }
}

/// JSON Schema of the document.
pub(crate) fn arms_schema() -> serde_json::Value {
    schema::of::<ArmsDoc>("drivelab, comparison of arms", "drivelab.arms.v1")
}
