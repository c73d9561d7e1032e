//! Undoing, the last deed first: after a run, after a failure on the way, and by a later process after a kill.
//!
//! Every undoing is safe to repeat and does nothing where the deed did not happen. What is wiped is first looked at: a
//! table, header or file system whose UUID is another one is somebody's own by now and is left alone. That something is
//! not there has to be seen on the very drive; where it cannot be told, the deed stays on the ledger.

mod deeds;
mod others;
mod undoing;

use std::path::{Path, PathBuf};

use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::ids::RunId;
use drivelab_core::units::Nanos;
use drivelab_device::guard::{self, Destroy, Released};
use drivelab_device::{BlockNode, Named, classify};

use crate::controller::Controllers;
use crate::error::{ConditionsError, LedgerTrouble};
use crate::kernel;
use crate::ledger::{Abandoned, Content, Deed, DriveMark, Ledger};

pub(crate) use undoing::{Undoing, undo_all};

/// How often something that is still busy is tried again, and after which pause: udev and others look at devices for a
/// moment after each change.
const TRIES: u32 = 20;
const PAUSE: Nanos = Nanos::from_millis(100);

/// The right to write to the drive: held since it was set up, or asked of the guard when the first write needs it.
#[derive(Debug)]
pub(crate) enum Access<'a> {
    /// Held.
    Held(&'a Released),
    /// To be asked for.
    Asked(Option<Box<Released>>),
    /// Not to be had: why. Whether somebody has put something on the drive could not be looked at.
    Denied(String),
}

impl Access<'_> {
    fn get(&mut self, content: &Content) -> Result<&Released, ConditionsError> {
        match self {
            Access::Held(released) => Ok(released),
            Access::Asked(Some(released)) => Ok(released),
            Access::Denied(why) => Err(ConditionsError::Target(why.clone())),
            Access::Asked(none) => {
                let released = release_again(&content.drive, content.destroy.as_deref())?;
                Ok(none.insert(Box::new(released)))
            }
        }
    }
}

/// The guard looks at everything again; it is the user's word of then that counts, and only for the same drive.
fn release_again(mark: &DriveMark, destroy: Option<&str>) -> Result<Released, ConditionsError> {
    let node = still_the_drive(mark)?;
    Ok(guard::release_device(&node, &Destroy::named(destroy.map(Path::new)))?)
}

/// The drive, where it is provably the one that was marked.
///
/// # Errors
/// It is gone, or another one has its node by now.
fn still_the_drive(mark: &DriveMark) -> Result<BlockNode, ConditionsError> {
    let shown = mark.node.display();
    if !mark.node.exists() {
        return Err(ConditionsError::Target(format!(
            "{shown} is not there, so what was set up on that drive is still on it: attach the drive again, and undo it then"
        )));
    }
    let Named::BlockDevice(node) = classify(&mark.node)? else {
        return Err(ConditionsError::Target(format!("{shown} is no block device any more")));
    };
    let now = kernel::mark(&node, kernel::bytes(&node.name).unwrap_or_default());
    kernel::same_drive(mark, &now)?;
    Ok(node)
}

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

/// Tries again for a while what fails, since others look at devices after each change.
pub(crate) fn patiently(deed: impl Fn() -> Result<(), ConditionsError>) -> Result<(), ConditionsError> {
    let (clock, never) = (MonotonicClock::starting_at(0), StopToken::default());
    let mut tries = 1;
    loop {
        match deed() {
            Err(_) if tries < TRIES => {
                tries += 1;
                let _ = clock.sleep_until(clock.now_ns().saturating_add(PAUSE.get()), &never);
            }
            done => return done,
        }
    }
}
