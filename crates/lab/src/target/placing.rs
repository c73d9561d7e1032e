//! Placed writes: checks whether target and engine support what the loads of a plan request, before anything is
//! written.

use drivelab_core::exit::ExitCode;
use drivelab_core::plan::{Plan, Step};
use drivelab_core::target::PlacementHandles;
use drivelab_core::workload::Workload;
use drivelab_engine::BackendChoice;

use crate::failure::{Failure, Result};
use crate::target::place::Place;

/// The target's handles, for a plan that names handles; `None` for a plan that names none. Only inspects.
///
/// # Errors
/// The target's writes cannot be placed, it lacks a handle, or the backend cannot place writes.
pub fn of(plan: &Plan, place: &dyn Place, backend: BackendChoice) -> Result<Option<PlacementHandles>> {
    let mut named: Vec<u16> = plan.steps().filter_map(Step::workload).flat_map(Workload::placement_handles).collect();
    named.sort_unstable();
    named.dedup();
    let [first, ..] = named.as_slice() else { return Ok(None) };
    let refuse = |handle: u16, why: String| {
        let path = place.path().display();
        let message = format!("writes to {path} cannot be placed by handle {handle}: {why}. Nothing was touched");
        Failure::new(ExitCode::TargetUnusable, message)
    };
    let known = look(place).map_err(|why| refuse(*first, why))?;
    if let Some(lacking) = named.iter().find(|handle| !known.handles.contains(handle)) {
        return Err(refuse(*lacking, format!("it has no such handle (it has {})", known.handles_text())));
    }
    drivelab_engine::check_placement(backend).map_err(Failure::usage)?;
    Ok(Some(known))
}

/// Number of handles by which writes can be placed, numbered from 0 without a gap.
///
/// # Errors
/// Why there are none, as a sentence fragment.
pub fn handles(place: &dyn Place) -> std::result::Result<u16, String> {
    let known = look(place)?;
    let follow = (0..).zip(&known.handles).take_while(|(number, handle)| number == *handle).count();
    Ok(u16::try_from(follow).unwrap_or(u16::MAX))
}

fn look(place: &dyn Place) -> std::result::Result<PlacementHandles, String> {
    place.device().map_or_else(
        || Err("only an NVMe drive with Flexible Data Placement has such handles: name its block device".to_owned()),
        drivelab_device::placement_handles,
    )
}
