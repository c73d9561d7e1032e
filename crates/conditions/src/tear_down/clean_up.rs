//! What an earlier process left behind, undone.

use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;

use super::access::{Access, still_the_drive};
use super::others;
use super::undo_all::undo_all;
use crate::controller::Controllers;
use crate::error::{ConditionsError, LedgerTrouble};
use crate::ledger::{Abandoned, Deed, Ledger};

/// What became of conditions that a killed process left behind.
#[derive(Debug)]
pub struct Cleaned {
    /// The run.
    pub run: RunId,
    /// What was undone, a sentence each.
    pub done: Vec<String>,
    /// What could not be.
    pub trouble: Option<ConditionsError>,
}

/// What a dead process left behind and nobody asked to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The run.
    pub run: RunId,
    /// The drive's node.
    pub node: PathBuf,
    /// Whether the drive is provably the one at that node now: nothing can be undone on one that is gone.
    pub there: bool,
}

/// What became of everything that dead processes left behind.
#[derive(Debug, Default)]
pub struct CleanUp {
    /// What was meant, undone as far as it could be.
    pub cleaned: Vec<Cleaned>,
    /// What nobody asked to undo.
    pub left: Vec<Left>,
    /// Ledgers that cannot be used. They keep nothing else from being undone.
    pub unusable: Vec<LedgerTrouble>,
}

/// Undoes what dead processes left behind where `meant` says so, and names the rest.
///
/// # Errors
/// Where the folder cannot be read.
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

/// Strikes out everything that would take something off the drive, where somebody has put something there since.
fn spare_others(ledger: &mut Ledger, done: &mut Vec<String>) -> Access<'static> {
    match others::somebody_elses(ledger.content()) {
        Ok(None) => Access::Asked(None),
        Ok(Some(found)) => {
            // Where that cannot be written down, the next process looks and finds it again.
            let _ = ledger.forget(Deed::is_on_the_drive);
            done.push(format!(
                "{found}: what is on the drive was left as it is; wipe it by name where nobody needs it"
            ));
            Access::Asked(None)
        }
        Err(error) => Access::Denied(error.to_string()),
    }
}
