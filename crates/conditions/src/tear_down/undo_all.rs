//! Undoing what an undo log lists, the last change first. If one fails, the entries below it stay in the undo log.

use super::access::Access;
use super::deeds;
use super::undoing::Undoing;
use crate::controller::Controllers;
use crate::error::ConditionsError;
use crate::ledger::{Deed, Ledger};
use crate::{kernel, power};

/// Undoes everything in the undo log; what could not be undone stays in it.
///
/// # Errors
/// Everything that is left, and why.
pub(crate) fn undo_all(
    ledger: &mut Ledger,
    access: &mut Access<'_>,
    controllers: &Controllers,
    said: &mut Vec<String>,
) -> Result<(), ConditionsError> {
    let (mut left, mut waiting, mut unwritten) = (Vec::new(), 0_usize, None);
    let mut stuck = false;
    for at in (0..ledger.content().deeds.len()).rev() {
        let Some(deed) = ledger.content().deeds.get(at).cloned() else { continue };
        // A layer cannot be removed below one that stays; a controller is not a layer.
        if stuck && !matches!(deed, Deed::PowerState { .. }) {
            waiting += 1;
            continue;
        }
        match undo(&deed, ledger, access, controllers) {
            Undoing::Undone(text) | Undoing::Somebodys(text) => said.push(text),
            Undoing::NotThere => {}
            Undoing::Unknown(why) => {
                stuck |= !matches!(deed, Deed::PowerState { .. } | Deed::Folder { .. });
                left.push(why);
                continue;
            }
        }
        // Each write contains the whole undo log. A failed write loses nothing: an undone change that stays listed is
        // checked again and not found.
        unwritten = ledger.strike(at).err();
    }
    let mut left = left.into_iter();
    let Some(first) = left.next() else { return Ok(()) };
    let mut rest: String = left.map(|why| format!("; {why}")).collect();
    if waiting > 0 {
        rest += &format!("; {waiting} more below it wait for that");
    }
    if let Some(error) = unwritten {
        rest += &format!(
            "; what was undone could not be removed from the undo log ({error}): free some space there. `resume` checks it \
             again and may find nothing, which is correct"
        );
    }
    rest += &format!(
        ". What is left is listed in {}: if its drive is gone permanently, remove that file and the .lock next to it",
        ledger.path().display()
    );
    Err(ConditionsError::StillThere { source: Box::new(first), rest })
}

fn undo(deed: &Deed, ledger: &Ledger, access: &mut Access<'_>, controllers: &Controllers) -> Undoing {
    let content = ledger.content();
    match deed {
        // The drive forgets a state that is not saved when its controller is reset, which every boot does (NVM
        // Express Base Specification 2.0, section 5.27.1).
        Deed::PowerState { .. } if content.drive.boot != kernel::boot() => Undoing::NotThere,
        Deed::PowerState { controller, serial, before } => {
            power::restore(controllers, controller, serial, *before).into()
        }
        deed => deeds::undo(deed, content, access, controllers).into(),
    }
}
