//! The JSON document of `drivelab check`, and its schema. The words of the answers come from `analysis::buyer`.

use std::path::{Path, PathBuf};

use drivelab_analysis::buyer::{Answer, Checked, Known, Verdict};
use drivelab_core::ids::RunId;
use drivelab_core::probe::{NotKnown, TargetProbe};
use drivelab_core::units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::documents::schema;

/// Version of the document.
const SCHEMA_VERSION: u32 = 1;

/// What was checked, and the answers, as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckDocument<'a> {
    /// `drivelab.check`.
    schema: &'static str,
    /// 1.
    schema_version: u32,
    /// The device or file that was checked.
    target: PathBuf,
    /// Whether any of it was read. If not, the answers rest on what the drive reports.
    read: bool,
    /// The run that recorded the reads; null if none was kept.
    run: Option<RunId>,
    /// Model as the drive reports it; null if unknown.
    model: Option<&'a str>,
    /// Serial number as the drive reports it; null if unknown.
    serial: Option<&'a str>,
    /// Capacity of the drive in bytes; null if there is no drive.
    capacity: Option<Bytes>,
    /// The verdict, one line above the answers.
    verdict: &'a Verdict,
    /// One answer for each question, in a fixed order.
    answers: &'a [Answer],
    /// What could not be determined, why, and how to get it.
    not_known: &'a [NotKnown],
}

/// The check to show.
#[derive(Debug, Clone, Copy)]
pub struct CheckInput<'a> {
    /// The device or file that was checked.
    pub target: &'a Path,
    /// What the answers rest on.
    pub known: Known<'a>,
    /// Verdict and answers.
    pub checked: &'a Checked,
    /// The run, if it was kept.
    pub run: Option<RunId>,
}

/// The document, as docs/formats/check.schema.json describes it.
#[must_use]
pub fn check_document<'a>(input: &CheckInput<'a>) -> CheckDocument<'a> {
    let CheckInput { target, known, checked, run } = *input;
    let device = known.probe.and_then(TargetProbe::device);
    CheckDocument {
        schema: "drivelab.check",
        schema_version: SCHEMA_VERSION,
        target: target.to_owned(),
        read: known.read.is_some(),
        run,
        model: device.and_then(|device| device.model.as_deref()).map(str::trim),
        serial: device.and_then(|device| device.serial.as_deref()).map(str::trim),
        capacity: device.map(|device| device.capacity),
        verdict: &checked.verdict,
        answers: &checked.answers,
        not_known: not_known(input),
    }
}

/// JSON Schema of the document.
pub(crate) fn check_schema() -> Value {
    schema::of::<CheckDocument<'_>>("drivelab check", "drivelab.check.v1")
}

pub(crate) fn not_known<'a>(input: &CheckInput<'a>) -> &'a [NotKnown] {
    input.known.probe.map(|probe| probe.not_known.as_slice()).unwrap_or_default()
}
