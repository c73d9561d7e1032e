//! The report of a group of runs.

use drivelab_analysis::Analysis;
use drivelab_core::drive_facts::{Price, Value};
use drivelab_core::environment::Environment;
use drivelab_core::run::RunRecords;
use drivelab_report::{DriveWords, GroupInput, ReportInput};
use drivelab_store::KeptDrive;

use super::pages::PageFormat;
use crate::failure::{Failure, Result};

/// The report of a group.
///
/// # Errors
/// Nothing was measured together, or the document cannot be made.
pub fn render(format: PageFormat, runs: &[(RunRecords, Analysis)], kept: &[KeptDrive]) -> Result<String> {
    with(runs, kept, |input| {
        Ok(match format {
            PageFormat::Html => drivelab_report::together_html(input)?,
            // The text of a group already has one table per test.
            PageFormat::Md | PageFormat::Brief => drivelab_report::together_markdown(input),
            PageFormat::Csv => drivelab_report::together_csv(input)?,
            PageFormat::Cdm => {
                return Err(Failure::usage(
                    "several drives together have no CrystalDiskMark layout; report one of their runs",
                ));
            }
            PageFormat::Json => {
                let document = drivelab_report::together_json(input)?;
                serde_json::to_string_pretty(&document)
                    .map_err(|error| Failure::unexpected(format!("cannot make the JSON document: {error}")))?
            }
        })
    })
}

/// Passes the runs of a group to `make`, with the names and prices that the user gave to their drives.
///
/// # Errors
/// Nothing was measured together.
pub fn with<T>(
    runs: &[(RunRecords, Analysis)],
    kept: &[KeptDrive],
    make: impl FnOnce(&GroupInput<'_>) -> Result<T>,
) -> Result<T> {
    let members: Vec<ReportInput<'_>> =
        runs.iter().map(|(records, analysis)| ReportInput { records, analysis }).collect();
    let input = GroupInput::new(&members).map_err(|error| Failure::nothing(error.to_string()))?;
    make(&input.with_drives(|environment| words(environment, kept)))
}

/// Name and price that the user gave to the drive of a target; none for a target on several drives.
fn words(environment: &Environment, kept: &[KeptDrive]) -> DriveWords {
    let Some((model, serial)) = environment.model_and_serial() else { return DriveWords::default() };
    let KeptDrive { name, price, .. } = KeptDrive::of(kept, &model, serial.as_deref());
    DriveWords { name, price: Price::read(&price) }
}
