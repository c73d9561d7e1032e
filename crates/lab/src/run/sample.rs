//! What is known about a drive and sampled from it before a buyer's check reads it.

use drivelab_core::content::ContentSample;
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::plan::{Action, Plan, Step, StepRole};
use drivelab_core::probe::TargetProbe;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Pattern;

use crate::failure::Result;
use crate::lab::Lab;
use crate::plan::drives::library;
use crate::target::storage::Storage;
use crate::voice::Voice;

/// The facts of the drive's model, if they are known.
///
/// # Errors
/// The user's own drive facts are wrong.
pub fn facts(lab: &Lab<'_>, probe: Option<&TargetProbe>) -> Result<Option<DriveFacts>> {
    let Some(device) = probe.and_then(TargetProbe::device) else { return Ok(None) };
    let Some(model) = device.model.as_deref() else { return Ok(None) };
    let library = library(lab.drives, lab.voice)?;
    Ok(library.facts_for(model, Some(device.capacity)).map(|known| known.facts.clone()))
}

/// Samples the content of the places that a plan reads sequentially, before anything is measured.
#[must_use]
pub fn sample(plan: &Plan, target: &dyn Storage, voice: &Voice) -> Option<ContentSample> {
    let places: Vec<(Bytes, Bytes)> = plan.steps().filter_map(place).collect();
    match target.sample(&places) {
        Ok(content) => Some(content),
        Err(error) => {
            voice.warn(format!(
                "{} cannot be sampled, so it is unknown which parts hold data: {error}",
                target.path().display()
            ));
            None
        }
    }
}

/// The place that a step reads sequentially: its span, or the part of it that the step moves at most.
fn place(step: &Step) -> Option<(Bytes, Bytes)> {
    let Action::Io { workload, stop, .. } = &step.action else { return None };
    let reads = step.role == StepRole::Measure && workload.read_percent() == 100;
    let span = workload.span;
    let length = stop.volume.map_or(span.length, |volume| volume.min(span.length));
    (reads && workload.pattern == Pattern::Sequential).then_some((span.offset, length))
}
