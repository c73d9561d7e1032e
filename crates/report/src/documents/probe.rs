//! The JSON documents of `drivelab targets` and `drivelab show`, and their schemas.

use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::finding::Finding;
use drivelab_core::probe::TargetProbe;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::documents::schema;

/// Version of the documents.
const SCHEMA_VERSION: u32 = 1;

/// The list of targets as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TargetsDocument<'a> {
    /// `drivelab.targets`.
    schema: &'static str,
    /// 1.
    schema_version: u32,
    /// The disks of this host.
    targets: &'a [TargetProbe],
}

/// Everything about one target as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShowDocument<'a> {
    /// `drivelab.show`.
    schema: &'static str,
    /// 1.
    schema_version: u32,
    /// Everything that is known about it.
    target: &'a TargetProbe,
    /// Findings about it.
    findings: &'a [Finding],
    /// What the device itself does not report: the drive facts file that matches its model; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    data_sheet: Option<&'a DriveFacts>,
}

/// A target, and what is known about its model.
#[derive(Debug, Clone, Copy)]
pub struct ShowInput<'a> {
    /// Everything that is known about it.
    pub target: &'a TargetProbe,
    /// Findings about it.
    pub findings: &'a [Finding],
    /// The drive facts file that matches its model.
    pub data_sheet: Option<&'a DriveFacts>,
}

/// The list of targets, as docs/formats/targets.schema.json describes it.
#[must_use]
pub fn targets_document(targets: &[TargetProbe]) -> TargetsDocument<'_> {
    TargetsDocument { schema: "drivelab.targets", schema_version: SCHEMA_VERSION, targets }
}

/// Everything about one target, as docs/formats/show.schema.json describes it.
#[must_use]
pub fn show_document<'a>(input: &ShowInput<'a>) -> ShowDocument<'a> {
    let ShowInput { target, findings, data_sheet } = *input;
    ShowDocument { schema: "drivelab.show", schema_version: SCHEMA_VERSION, target, findings, data_sheet }
}

/// JSON Schemas of both documents: file name without its extension, schema.
pub(crate) fn probe_schemas() -> [(&'static str, Value); 2] {
    [
        ("targets", schema::of::<TargetsDocument<'_>>("drivelab targets", "drivelab.targets.v1")),
        ("show", schema::of::<ShowDocument<'_>>("drivelab show", "drivelab.show.v1")),
    ]
}
