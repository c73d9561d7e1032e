//! Power states of an NVMe controller: Set Features 02h (Power Management; NVM Express Base Specification 2.0,
//! section 5.27.1.2), reading the state back, and restoring the previous one.
//!
//! Several states and restoring them were tried on recorded pages only, not yet on hardware. Autonomous transitions
//! (Get Features 0Ch) are left as they are: an idle drive may leave the state on its own and returns to it.

use std::path::Path;

use drivelab_core::condition::PowerStateFacts;
use drivelab_device::BlockNode;
use drivelab_nvme::{Controller, IdentifyController, PowerManagement, Transport};

use crate::controller::Controllers;
use crate::error::ConditionsError;
use crate::ledger::{Deed, Ledger};
use crate::tear_down::Undoing;

/// Microwatts per watt.
const UW: f64 = 1e6;

/// Known state after a failed query.
const ONLY_ASKED: &str = "nothing was set: the drive is unchanged";
/// Known state after the controller refused a state.
const REFUSED: &str = "the controller refused the power state: the drive is unchanged";
/// Known state if the command may have arrived.
const UNKNOWN: &str =
    "it is unknown whether the power state was set; the previous one is restored if it is not in force";
/// Known state if the new state cannot be read back.
const SET: &str =
    "the power state was set and cannot be read back, so nothing was measured; the previous one is restored";
/// Known state if the previous state could not be restored.
const NOT_RESTORED: &str = "the power state that was set for the run may still be in force";

/// The operational power states of a drive's controller, in the order of their numbers.
///
/// # Errors
/// The drive is not an NVMe drive, its controller cannot be asked, or it has only one state.
pub fn power_states(node: &BlockNode) -> Result<Vec<u8>, ConditionsError> {
    let controllers = Controllers::Kernel;
    controllers.is_nvme(node)?;
    states_of(&controllers.open(&node.path).map_err(ConditionsError::controller(ONLY_ASKED))?)
}

fn states_of<T: Transport>(controller: &Controller<T>) -> Result<Vec<u8>, ConditionsError> {
    let asked = controller.identify_controller();
    let identity = asked.map_err(ConditionsError::controller(ONLY_ASKED))?.decoded;
    several(&identity)?;
    Ok((0_u8..).zip(&identity.power_states).filter(|(_, state)| !state.non_operational).map(|(at, _)| at).collect())
}

fn several(identity: &IdentifyController) -> Result<(), ConditionsError> {
    if identity.power_states.len() > 1 {
        return Ok(());
    }
    Err(ConditionsError::Target(format!(
        "the controller of {} has only one power state, so there is none to set; the drive is unchanged",
        identity.model.trim()
    )))
}

/// Logs the change of the power state. The state belongs to the controller, which other namespaces share: if another
/// run has changed it, that run's previous state must not be restored over this one, nor the other way round.
///
/// # Errors
/// As for [`plan`]; or another run has changed the state.
pub(crate) fn claim(
    controllers: &Controllers,
    node: &BlockNode,
    state: u8,
    ledger: &mut Ledger,
) -> Result<PowerStateFacts, ConditionsError> {
    let (facts, deed) = plan(controllers, node, state)?;
    let Deed::PowerState { serial, .. } = &deed else { return Ok(facts) };
    // Logged first: if two runs check at the same time, both see the other.
    ledger.about_to(deed.clone())?;
    let other = ledger.other_with_power_state(serial);
    if other.is_none() && plan(controllers, node, state)?.1 == deed {
        return Ok(facts);
    }
    // Nothing was set, so nothing must be restored.
    ledger.forget(|own| matches!(own, Deed::PowerState { .. }))?;
    let by = other.map_or_else(|| "another run".to_owned(), |run| format!("run {run}"));
    Err(ConditionsError::Target(format!(
        "{by} has changed the power state of the controller of {} (serial number {serial}), perhaps through another namespace: \
         wait for its end, or run `drivelab resume` for it if it was killed; nothing was set",
        node.path.display()
    )))
}

/// What setting a state would do, and the entry for the undo log; nothing is set yet.
pub(crate) fn plan(
    controllers: &Controllers,
    node: &BlockNode,
    state: u8,
) -> Result<(PowerStateFacts, Deed), ConditionsError> {
    controllers.is_nvme(node)?;
    let controller = controllers.open(&node.path).map_err(ConditionsError::controller(ONLY_ASKED))?;
    plan_on(&controller, &node.path, state)
}

fn plan_on<T: Transport>(
    controller: &Controller<T>,
    path: &Path,
    state: u8,
) -> Result<(PowerStateFacts, Deed), ConditionsError> {
    let asked = controller.identify_controller();
    let identity = asked.map_err(ConditionsError::controller(ONLY_ASKED))?.decoded;
    several(&identity)?;
    let refuse = |why: String| Err(ConditionsError::Target(format!("{why}; the drive is unchanged")));
    let Some(described) = identity.power_states.get(usize::from(state)) else {
        return refuse(format!(
            "the controller has the power states 0 to {}, but not {state}",
            identity.power_states.len().saturating_sub(1)
        ));
    };
    if described.non_operational {
        return refuse(format!("power state {state} is non-operational: the drive accepts no reads and writes in it"));
    }
    let before = controller.power_state().map_err(ConditionsError::controller(ONLY_ASKED))?;
    #[expect(clippy::cast_precision_loss, reason = "microwatts of a drive stay below 2^53")]
    let max_watts = described.max_power_uw.map(|power| power as f64 / UW);
    let controller = path.display().to_string();
    let facts = PowerStateFacts { controller, state, before: before.state, max_watts };
    let serial = identity.serial.trim().to_owned();
    Ok((facts, Deed::PowerState { controller: path.to_owned(), serial, before: packed(before) }))
}

/// State and workload hint in one byte, as Get Features returns them.
fn packed(before: PowerManagement) -> u8 {
    let [byte, ..] = before.bits().to_le_bytes();
    byte
}

/// Sets the state and reads it back.
pub(crate) fn set(controllers: &Controllers, facts: PowerStateFacts) -> Result<PowerStateFacts, ConditionsError> {
    let opened = controllers.open(Path::new(&facts.controller));
    let controller = opened.map_err(ConditionsError::controller(ONLY_ASKED))?;
    set_on(&controller, facts)
}

fn set_on<T: Transport>(
    controller: &Controller<T>,
    facts: PowerStateFacts,
) -> Result<PowerStateFacts, ConditionsError> {
    let hint = controller.power_state().map_err(ConditionsError::controller(ONLY_ASKED))?.workload_hint;
    let set = controller.set_power_state(PowerManagement { state: facts.state, workload_hint: hint });
    set.map_err(|error| {
        let known = if error.status().is_some() { REFUSED } else { UNKNOWN };
        ConditionsError::controller(known)(error)
    })?;
    let now = controller.power_state().map_err(ConditionsError::controller(SET))?.state;
    if now == facts.state {
        return Ok(facts);
    }
    Err(ConditionsError::Target(format!(
        "the controller accepted power state {}, but reports {now}: it does not use the state, so nothing was measured",
        facts.state
    )))
}

/// Restores the previous state, if the controller is still the one that was changed.
///
/// # Errors
/// It cannot be asked or set, or its node is gone.
pub(crate) fn restore(
    controllers: &Controllers,
    node: &Path,
    serial: &str,
    before: u8,
) -> Result<Undoing, ConditionsError> {
    if !controllers.is_there(node) {
        return Err(ConditionsError::Target(format!(
            "{} does not exist, and {NOT_RESTORED}: attach the drive again, or cut its power, which ends that state",
            node.display()
        )));
    }
    let opened = controllers.open(node);
    restore_on(&opened.map_err(ConditionsError::controller(NOT_RESTORED))?, serial, before)
}

fn restore_on<T: Transport>(controller: &Controller<T>, serial: &str, before: u8) -> Result<Undoing, ConditionsError> {
    let failed = || ConditionsError::controller(NOT_RESTORED);
    let identity = controller.identify_controller().map_err(failed())?.decoded;
    let before = PowerManagement::of(u32::from(before));
    // A controller whose node belongs to another one now was reset in between, which ends a state that is not saved.
    if identity.serial.trim() != serial || controller.power_state().map_err(failed())? == before {
        return Ok(Undoing::NotThere);
    }
    controller.set_power_state(before).map_err(failed())?;
    Ok(Undoing::Undone(format!("restored power state {}", before.state)))
}

#[cfg(test)]
pub(crate) mod tests;
