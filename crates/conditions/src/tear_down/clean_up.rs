//! Undoes what an earlier process left behind.

use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;

use super::access::{Access, still_the_drive};
use super::others;
use super::undo_all::undo_all;
use crate::controller::Controllers;
use crate::error::{ConditionsError, LedgerTrouble};
use crate::ledger::{Abandoned, Deed, Ledger};

/// Result of undoing the conditions that a killed process left behind.
#[derive(Debug)]
pub struct Cleaned {
    /// The run.
    pub run: RunId,
    /// What was undone, one sentence each.
    pub done: Vec<String>,
    /// What could not be undone.
    pub trouble: Option<ConditionsError>,
}

/// What a dead process left behind and the caller did not ask to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The run.
    pub run: RunId,
    /// The drive's node.
    pub node: PathBuf,
    /// Whether the drive is provably the one at that node now: nothing can be undone on a drive that is gone.
    pub there: bool,
}

/// Result for everything that dead processes left behind.
#[derive(Debug, Default)]
pub struct CleanUp {
    /// What the caller asked to undo, undone as far as possible.
    pub cleaned: Vec<Cleaned>,
    /// What the caller did not ask to undo.
    pub left: Vec<Left>,
    /// Undo logs that cannot be used. They do not prevent anything else from being undone.
    pub unusable: Vec<LedgerTrouble>,
}

/// Undoes what dead processes left behind if `meant` selects it, and lists the rest.
///
/// # Errors
/// The folder cannot be read.
pub fn clean_up(folder: &Path, meant: &dyn Fn(&Left) -> bool) -> Result<CleanUp, ConditionsError> {
    clean_up_with(folder, meant, &Controllers::Kernel)
}

pub(crate) fn clean_up_with(
    folder: &Path,
    meant: &dyn Fn(&Left) -> bool,
    controllers: &Controllers,
) -> Result<CleanUp, ConditionsError> {
    let Abandoned { ledgers, unusable } = Ledger::abandoned(folder)?;
    let (mut cleaned, mut left) = (Vec::new(), Vec::new());
    for mut ledger in ledgers {
        let run = ledger.content().run;
        let mark = &ledger.content().drive;
        let own = Left { run, node: mark.node.clone(), there: still_the_drive(mark).is_ok() };
        if !meant(&own) {
            left.push(own);
            continue;
        }
        let mut done = Vec::new();
        let mut access = spare_others(&mut ledger, &mut done);
        let undone = undo_all(&mut ledger, &mut access, controllers, &mut done);
        let trouble = undone.and_then(|()| ledger.close()).err();
        cleaned.push(Cleaned { run, done, trouble });
    }
    Ok(CleanUp { cleaned, left, unusable })
}

/// If another program has put something on the drive since, removes all entries whose undoing would change the drive.
fn spare_others(ledger: &mut Ledger, done: &mut Vec<String>) -> Access<'static> {
    match others::somebody_elses(ledger.content()) {
        Ok(None) => Access::Asked(None),
        Ok(Some(found)) => {
            // If that cannot be written, the next process checks again and finds it again.
            let _ = ledger.forget(Deed::is_on_the_drive);
            done.push(format!("{found}: the content of the drive was left alone; wipe it by name if it is not needed"));
            Access::Asked(None)
        }
        Err(error) => Access::Denied(error.to_string()),
    }
}
