//! Power states of an NVMe controller: Set Features 02h (Power Management; NVM Express Base Specification 2.0, section
//! 5.27.1.2), read back, and the state before restored.
//!
//! Several states and their restoring were tried on recorded pages only, not yet on hardware. Autonomous transitions
//! (Get Features 0Ch) are left as they are: an idle drive may leave the state by itself and comes back to it.

use std::path::Path;

use drivelab_core::condition::PowerStateFacts;
use drivelab_device::BlockNode;
use drivelab_nvme::{Controller, IdentifyController, IoctlTransport, PowerManagement, SecurityClass, Transport};

use crate::error::ConditionsError;
use crate::ledger::Deed;
use crate::opal::Answer;

/// Microwatts of a watt.
const UW: f64 = 1e6;

/// The controller behind a drive's node: the kernel passes commands on from there.
fn open(node: &Path) -> Result<Controller<IoctlTransport>, ConditionsError> {
    Ok(Controller::new(IoctlTransport::open(node)?))
}

fn is_nvme(node: &BlockNode) -> Result<(), ConditionsError> {
    if node.whole.starts_with("nvme") {
        return Ok(());
    }
    Err(ConditionsError::Target(format!(
        "{} is no NVMe drive, and only those have power states that can be set; leave --power-state out. Nothing was touched",
        node.whole
    )))
}

/// The operational power states of a drive's controller, in the order of their numbers.
///
/// # Errors
/// No NVMe drive, a controller that cannot be asked, or one with a single state.
pub fn power_states(node: &BlockNode) -> Result<Vec<u8>, ConditionsError> {
    is_nvme(node)?;
    states_of(&open(&node.path)?)
}

fn states_of<T: Transport>(controller: &Controller<T>) -> Result<Vec<u8>, ConditionsError> {
    let identity = controller.identify_controller()?.decoded;
    several(&identity)?;
    Ok((0_u8..).zip(&identity.power_states).filter(|(_, state)| !state.non_operational).map(|(at, _)| at).collect())
}

fn several(identity: &IdentifyController) -> Result<(), ConditionsError> {
    if identity.power_states.len() > 1 {
        return Ok(());
    }
    Err(ConditionsError::Target(format!(
        "the controller of {} has one power state only, so there is none to set; the drive is as it was",
        identity.model.trim()
    )))
}

/// What setting a state would do, and the deed for the ledger; nothing is set yet.
pub(crate) fn plan(node: &BlockNode, state: u8) -> Result<(PowerStateFacts, Deed), ConditionsError> {
    is_nvme(node)?;
    plan_on(&open(&node.path)?, &node.path, state)
}

fn plan_on<T: Transport>(
    controller: &Controller<T>,
    path: &Path,
    state: u8,
) -> Result<(PowerStateFacts, Deed), ConditionsError> {
    let identity = controller.identify_controller()?.decoded;
    several(&identity)?;
    let refuse = |why: String| Err(ConditionsError::Target(format!("{why}; the drive is as it was")));
    let Some(described) = identity.power_states.get(usize::from(state)) else {
        return refuse(format!(
            "the controller has the power states 0 to {}, and no {state}",
            identity.power_states.len().saturating_sub(1)
        ));
    };
    if described.non_operational {
        return refuse(format!("power state {state} is one in which the drive takes no reads and writes"));
    }
    let before = controller.power_state()?;
    #[expect(clippy::cast_precision_loss, reason = "microwatts of a drive stay below 2^53")]
    let max_watts = described.max_power_uw.map(|power| power as f64 / UW);
    let controller = path.display().to_string();
    let facts = PowerStateFacts { controller, state, before: before.state, max_watts };
    let serial = identity.serial.trim().to_owned();
    Ok((facts, Deed::PowerState { controller: path.to_owned(), serial, before: packed(before) }))
}

/// State and workload hint in one byte, as Get Features answers them.
fn packed(before: PowerManagement) -> u8 {
    let [byte, ..] = before.bits().to_le_bytes();
    byte
}

/// Sets it and reads it back.
pub(crate) fn set(facts: PowerStateFacts) -> Result<PowerStateFacts, ConditionsError> {
    let controller = open(Path::new(&facts.controller))?;
    set_on(&controller, facts)
}

fn set_on<T: Transport>(
    controller: &Controller<T>,
    facts: PowerStateFacts,
) -> Result<PowerStateFacts, ConditionsError> {
    let hint = controller.power_state()?.workload_hint;
    controller.set_power_state(PowerManagement { state: facts.state, workload_hint: hint })?;
    let now = controller.power_state()?.state;
    if now == facts.state {
        return Ok(facts);
    }
    Err(ConditionsError::Target(format!(
        "the controller took power state {}, but says that it is in {now}: it does not obey, so nothing was measured",
        facts.state
    )))
}

/// Restores the state before, where the controller there is still the one that was changed.
pub(crate) fn restore(node: &Path, serial: &str, before: u8) -> Result<Option<String>, ConditionsError> {
    // A drive that is gone lost the state with its power.
    if !node.exists() { Ok(None) } else { restore_on(&open(node)?, serial, before) }
}

fn restore_on<T: Transport>(
    controller: &Controller<T>,
    serial: &str,
    before: u8,
) -> Result<Option<String>, ConditionsError> {
    let identity = controller.identify_controller()?.decoded;
    let before = PowerManagement::of(u32::from(before));
    if identity.serial.trim() != serial || controller.power_state()? == before {
        return Ok(None);
    }
    controller.set_power_state(before)?;
    Ok(Some(format!("restored power state {}", before.state)))
}

/// What a drive says of TCG Opal: its optional commands (OACS bit 0), then its level 0 discovery.
pub(crate) fn says_of_opal(node: &BlockNode) -> Answer {
    let no = |why: String| Answer::No(format!("the drive ({why})"));
    if is_nvme(node).is_err() {
        return no(format!("{} is no NVMe drive, and others cannot be asked yet", node.whole));
    }
    match open(&node.path) {
        Ok(controller) => opal_of(&controller),
        Err(error) => no(format!("it cannot be asked: {error}")),
    }
}

fn opal_of<T: Transport>(controller: &Controller<T>) -> Answer {
    let no = |why: &str| Answer::No(format!("the drive ({why})"));
    let identity = match controller.identify_controller() {
        Ok(page) => page.decoded,
        Err(error) => return no(&format!("it cannot be asked: {error}")),
    };
    if !identity.admin_commands.security {
        return no("its OACS says that it has no security commands");
    }
    match controller.tcg_level_0() {
        Ok(page) if page.decoded.classes.iter().any(is_opal) => Answer::Yes,
        Ok(_) => no("its level 0 discovery names no Opal"),
        Err(error) => no(&format!("its level 0 discovery cannot be read: {error}")),
    }
}

const fn is_opal(class: &SecurityClass) -> bool {
    matches!(class, SecurityClass::Opal1 | SecurityClass::Opal2)
}

#[cfg(test)]
mod tests;
