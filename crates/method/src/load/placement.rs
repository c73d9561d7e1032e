//! Where a load runs and where its writes are placed: CPUs, completions per batch, the placement handle of an NVMe
//! namespace.
//!
//! Must not know: which CPUs and handles exist.

use drivelab_core::load::Placement;
use drivelab_core::units::{Percent, QueueDepth};

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::Value;
use crate::values::Values;

/// CPUs, and completions per batch.
pub(crate) fn placement(values: &Values<'_, '_>, queue_depth: QueueDepth, errors: &mut Errors) -> Placement {
    let cpus = values.list("cpus").iter().filter_map(|cpu| match cpu.value {
        Value::Whole(cpu) => u32::try_from(cpu).ok(),
        _ => None,
    });
    let cpus = cpus.collect();
    let batch = values.whole("batch").and_then(|batch| u32::try_from(batch).ok()).unwrap_or(1);
    if batch > queue_depth.get() && !values.is_general("batch") {
        let title = format!("a batch of {batch} completions is impossible with {queue_depth} in flight");
        let label = format!("expected at most {queue_depth}");
        errors.push(Diagnostic::new(values.at("batch"), title, label));
    }
    let batch = batch.min(queue_depth.get());
    Placement { cpus, batch: if batch > 1 { batch } else { 0 } }
}

/// The handle by which writes are placed. A Write command carries it, so no other kind of operation has one.
pub(crate) fn placement_handle(values: &Values<'_, '_>, writes: Percent, errors: &mut Errors) -> Option<u16> {
    let handle = values.whole("placement_handle").and_then(|handle| u16::try_from(handle).ok())?;
    let misfit = match () {
        () if writes.is_zero() => Some("only writes are placed, but this load has none"),
        () if matches!(values.get("direct"), Some(Value::Flag(false))) => {
            Some("only direct I/O can be placed, since the page cache writes its data later; expected direct = true")
        }
        () => None,
    };
    values.holds("placement_handle", misfit, errors).then_some(handle)
}
