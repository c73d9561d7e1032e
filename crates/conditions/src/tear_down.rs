//! Undoing, the last deed first: after a run, after a failure on the way, and by a later process after a kill.
//!
//! Every undoing is safe to repeat and does nothing where the deed did not happen. What is wiped is first looked at: a
//! table, header or file system whose UUID is another one is somebody's own by now and is left alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::ids::RunId;
use drivelab_core::units::Nanos;
use drivelab_device::guard::{self, Destroy, Released};
use drivelab_device::{BlockNode, Named, classify};
use uuid::Uuid;

use crate::controller::Controllers;
use crate::error::{ConditionsError, LedgerTrouble};
use crate::ledger::{Abandoned, Content, Deed, DriveMark, Ledger};
use crate::programs::DELPART;
use crate::{drive, file_system, gpt, kernel, luks, opal, power};

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
}

impl Access<'_> {
    fn get(&mut self, content: &Content) -> Result<&Released, ConditionsError> {
        match self {
            Access::Held(released) => Ok(released),
            Access::Asked(Some(released)) => Ok(released),
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
fn still_the_drive(mark: &DriveMark) -> Result<BlockNode, ConditionsError> {
    let Named::BlockDevice(node) = classify(&mark.node)? else {
        return Err(ConditionsError::Target(format!("{} is no block device any more", mark.node.display())));
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
        let own = Left { run, node: ledger.content().drive.node.clone() };
        if !meant(&own) {
            left.push(own);
            continue;
        }
        let mut done = Vec::new();
        let undone = spare_others(&mut ledger, &mut done)
            .and_then(|()| undo_all(&mut ledger, &mut Access::Asked(None), controllers, &mut done));
        let trouble = undone.and_then(|()| ledger.close()).err();
        cleaned.push(Cleaned { run, done, trouble });
    }
    Ok(CleanUp { cleaned, left, unusable })
}

/// Strikes out everything that would take something off the drive, where somebody has put something there since.
fn spare_others(ledger: &mut Ledger, done: &mut Vec<String>) -> Result<(), ConditionsError> {
    let Some(found) = somebody_elses(ledger.content()) else { return Ok(()) };
    ledger.forget(Deed::is_on_the_drive)?;
    done.push(format!("{found}: what is on the drive was left as it is; wipe it by name where nobody needs it"));
    Ok(())
}

/// Something on one of the drive's partitions that this run did not put there.
fn somebody_elses(content: &Content) -> Option<String> {
    let made = |deed: &&Deed| matches!(deed, Deed::Table { .. });
    content.deeds.iter().find(made)?;
    let numbers: Vec<u32> = content
        .deeds
        .iter()
        .filter_map(|deed| if let Deed::Partition { number, .. } = deed { Some(*number) } else { None })
        .collect();
    kernel::partitions(&content.drive.name).into_iter().find_map(|(number, node)| {
        let shown = node.display();
        if !numbers.is_empty() && !numbers.contains(&number) {
            return Some(format!("{shown} is a partition that drivelab did not make"));
        }
        let Ok(Named::BlockDevice(block)) = classify(&node) else { return None };
        match guard::known_content(&block) {
            Err(error) => Some(format!("{shown} cannot be looked at ({error})")),
            Ok(found) if found.is_empty() || is_own(content, &node) => None,
            Ok(found) => Some(format!("{shown} holds {}, which drivelab did not make", found.join(" and "))),
        }
    })
}

/// Whether what a partition begins with is a file system or header of this run, by its UUID.
fn is_own(content: &Content, partition: &Path) -> bool {
    content.deeds.iter().any(|deed| match deed {
        Deed::FileSystem { node, uuid } => {
            let own = |start: &[u8]| file_system::uuid_in(start).map(|found| found.to_string());
            node == partition && holds(node, uuid, own).unwrap_or(false)
        }
        Deed::Luks { node, uuid } | Deed::Opal { node, uuid, .. } => {
            let found = node.to_str().and_then(|below| luks::uuid_of(below).ok().flatten());
            node == partition && found.as_ref() == Some(uuid)
        }
        _ => false,
    })
}

/// Undoes everything on the ledger; what could not be undone stays on it.
pub(crate) fn undo_all(
    ledger: &mut Ledger,
    access: &mut Access<'_>,
    controllers: &Controllers,
    said: &mut Vec<String>,
) -> Result<(), ConditionsError> {
    while let Some(deed) = ledger.content().deeds.last().cloned() {
        let done = match &deed {
            Deed::PowerState { controller, serial, before } => power::restore(controllers, controller, serial, *before),
            deed => undo(deed, ledger, access),
        };
        said.extend(done?);
        ledger.undone()?;
    }
    Ok(())
}

/// Undoes one; says what was done, nothing where there was nothing to do.
fn undo(deed: &Deed, ledger: &Ledger, access: &mut Access<'_>) -> Result<Option<String>, ConditionsError> {
    let content = ledger.content();
    match deed {
        Deed::Mount { at } if kernel::is_mounted(at) => {
            patiently(|| file_system::unmount_from(at))?;
            Ok(Some(format!("unmounted {}", at.display())))
        }
        Deed::Mount { .. } | Deed::PowerState { .. } => Ok(None),
        Deed::Folder { path } => match fs::remove_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ConditionsError::system("cannot remove", path)(error))
            }
            _ => Ok(None),
        },
        Deed::FileSystem { node, uuid } => {
            let own = |start: &[u8]| file_system::uuid_in(start).map(|found| found.to_string());
            if !holds(node, uuid, own)? {
                return Ok(None);
            }
            drive::wipe_ends(access.get(content)?, node, drive::ENDS)?;
            Ok(Some(format!("wiped the file system on {}", node.display())))
        }
        Deed::Mapping { name } if kernel::mapping(name).is_some() => {
            patiently(|| luks::close(name))?;
            Ok(Some(format!("closed the mapping {name}")))
        }
        Deed::Mapping { .. } => Ok(None),
        Deed::Luks { node, uuid } => {
            let Some(below) = node.to_str().filter(|_| node.exists()) else { return Ok(None) };
            if luks::uuid_of(below)?.as_ref() != Some(uuid) {
                return Ok(None);
            }
            let released = access.get(content)?;
            luks::erase(below)?;
            drive::wipe_ends(released, node, luks::HEADER)?;
            Ok(Some(format!("destroyed the keys and the LUKS header on {below}")))
        }
        Deed::Opal { node, uuid, admin_key } => opal::undo::give_back(node, uuid, admin_key, || access.get(content)),
        Deed::Partition { number, start, length } => {
            let found = kernel::partition(&content.drive.name, *number);
            if found.is_none_or(|found| (found.start, found.length) != (*start, *length)) {
                return Ok(None);
            }
            if let Access::Asked(_) = access {
                still_the_drive(&content.drive)?;
            }
            let drive = content.drive.node.display().to_string();
            patiently(|| DELPART.run(&[&drive, &number.to_string()], &[]).map(drop))?;
            Ok(Some(format!("removed partition {number} of {drive}")))
        }
        Deed::Table { guid } => undo_table(content, guid, access),
    }
}

/// Removes the partition table, where it is still the one that was made.
fn undo_table(content: &Content, guid: &str, access: &mut Access<'_>) -> Result<Option<String>, ConditionsError> {
    let mark = &content.drive;
    let block = usize::try_from(kernel::logical_block(&mark.name)).unwrap_or(512);
    let own = |start: &[u8]| start.get(block..).and_then(gpt::drive_guid).map(|found: Uuid| found.to_string());
    if !holds(&mark.node, guid, own)? {
        return Ok(None);
    }
    drive::wipe_ends(access.get(content)?, &mark.node, drive::ENDS)?;
    Ok(Some(format!("removed the partition table of {}", mark.node.display())))
}

/// Whether the first bytes of a device hold something of this name; a device that is gone holds nothing, one that
/// cannot be read is an error.
fn holds(node: &Path, wanted: &str, name_in: impl Fn(&[u8]) -> Option<String>) -> Result<bool, ConditionsError> {
    if !node.exists() {
        return Ok(false);
    }
    Ok(name_in(&drive::read(node, 0, 16 << 10)?).as_deref() == Some(wanted))
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
