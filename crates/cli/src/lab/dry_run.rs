//! What a run would do, said without touching anything.

use std::path::PathBuf;

use drivelab_core::exit::ExitCode;
use drivelab_core::plan::{Form, Plan};
use drivelab_core::units::Bytes;
use drivelab_report::format;
use serde::Serialize;

use super::target::Site;
use crate::fail::Result;
use crate::say;

/// What a run would do.
#[derive(Serialize)]
struct DryRun {
    schema: &'static str,
    schema_version: u32,
    method: String,
    form: Form,
    target: PathBuf,
    length: Bytes,
    steps: usize,
    estimated_time_s: f64,
    estimated_written: Bytes,
    device_capacity: Option<Bytes>,
    drive_writes: Option<f64>,
    endurance: &'static str,
    remarks: Vec<String>,
}

const ENDURANCE: &str = "the share of the rated endurance is not known: no probe tells it; divide the bytes written by the TBW on the data sheet";

/// Said beside every estimate of bytes.
pub const GUESS: &str =
    "guessed for a drive of 500 MB/s: steps last a fixed time, so a faster one is written that much more";

/// Says what would be done, and touches nothing.
///
/// # Errors
/// Only where stdout cannot be written.
pub fn say_only(plan: &Plan, site: &Site, json: bool) -> Result {
    let capacity = site.devices.first().map(|device| device.capacity);
    let written = plan.estimated_written();
    let plans = DryRun {
        schema: "drivelab.dry-run",
        schema_version: 1,
        method: plan.methodology.name.clone(),
        form: plan.form,
        target: site.place.path().to_owned(),
        length: site.length,
        steps: plan.schedule().len(),
        estimated_time_s: plan.estimated_time().as_secs_f64(),
        estimated_written: written,
        device_capacity: capacity,
        drive_writes: capacity.filter(|c| c.get() > 0).map(|capacity| written.as_f64() / capacity.as_f64()),
        endurance: ENDURANCE,
        remarks: site.remarks(),
    };
    if json {
        say::json(&plans)?;
        return Ok(ExitCode::Ok);
    }
    let drive_writes = plans.drive_writes.map_or_else(
        || "the capacity of the drive is not known".to_owned(),
        |writes| format!("{writes:.4} times the capacity of the device"),
    );
    say::data(&format!(
        "Dry run: nothing was made or written.\n\
         Method   {} {}, {}, {}\n\
         Target   {}, {}\n\
         Time     about {}\n\
         Written  {}\n",
        plan.methodology.name,
        plan.methodology.version,
        plan.form.words(&plan.methodology.name),
        format::counted(plans.steps, "step"),
        site.place.path().display(),
        format::bytes(site.length),
        format::duration(plan.estimated_time()),
        match written.get() {
            0 => "nothing".to_owned(),
            _ => format!("about {} ({drive_writes}); {GUESS}\nWear     {ENDURANCE}", format::bytes(written)),
        },
    ))?;
    plans.remarks.iter().try_for_each(|remark| say::data(&format!("Note     {remark}")))?;
    Ok(ExitCode::Ok)
}
