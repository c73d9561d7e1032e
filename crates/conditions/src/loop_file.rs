//! A loop device on a file, for users without a spare drive: created in a folder, with direct I/O past the page
//! cache, and removed again, even by a later process after a kill.
//!
//! Its undo log is in a folder of its own, because the runs on the device have separate ones, which are undone first.
//! The file has a name that nothing else uses; the device is found by the file below it, whatever its number is by
//! then. Must not know what is measured on it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;
use drivelab_core::units::Bytes;
use rustix::fs::{FallocateFlags, fallocate};

use crate::error::ConditionsError;
use crate::kernel;
use crate::ledger::{Abandoned, Deed, DriveMark, Ledger};
use crate::programs::{LOSETUP, text};
use crate::tear_down::{Undoing, patiently};

/// Prefix of the file names; a run's id follows.
const PREFIX: &str = ".drivelab-loop-";
const SUFFIX: &str = ".img";

/// A loop device on a file of its own. It must be removed: dropping it leaves both for a later process to clean up.
#[derive(Debug)]
#[must_use = "the device and the file have to be removed"]
pub struct LoopFile {
    ledger: Ledger,
    path: PathBuf,
    node: PathBuf,
}

impl LoopFile {
    /// Creates a file of this size in a folder, completely allocated, and a loop device on it.
    ///
    /// # Errors
    /// No room, a file system whose files cannot be allocated, or no loop device available; whatever was created is
    /// removed.
    pub fn make(folder: &Path, size: Bytes, ledgers: &Path) -> Result<LoopFile, ConditionsError> {
        LOSETUP.check()?;
        let folder = fs::canonicalize(folder).map_err(ConditionsError::system("cannot inspect", folder))?;
        let run = RunId::now();
        let path = folder.join(format!("{PREFIX}{run}{SUFFIX}"));
        let mark = DriveMark {
            node: path.clone(),
            name: String::new(),
            diskseq: None,
            serial: None,
            bytes: size.get(),
            boot: kernel::boot(),
        };
        let mut ledger = Ledger::create(ledgers, run, mark, None)?;
        let made = ledger.about_to(Deed::LoopFile { path: path.clone() }).and_then(|()| make_on(&path, size));
        match made {
            Ok(node) => Ok(LoopFile { ledger, path, node }),
            Err(error) => Err(match undo(&path).and_then(|_| ledger.close()) {
                Ok(()) => error,
                Err(left) => ConditionsError::NotUndone { source: Box::new(error), left: Box::new(left) },
            }),
        }
    }

    /// The device: `/dev/loop3`.
    #[must_use]
    pub fn node(&self) -> &Path {
        &self.node
    }

    /// The file below it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Detaches the device and removes the file.
    ///
    /// # Errors
    /// Something still uses the device, or the file cannot be removed; both stay in the undo log.
    pub fn remove(self) -> Result<(), ConditionsError> {
        undo(&self.path)?;
        self.ledger.close()
    }
}

/// The loop devices that dead processes left: what runs set up on them has to be undone before they can be removed.
///
/// # Errors
/// The folder of their undo logs, or sysfs, cannot be read.
pub fn left_loops(ledgers: &Path) -> Result<Vec<PathBuf>, ConditionsError> {
    let Abandoned { ledgers, .. } = Ledger::abandoned(ledgers)?;
    let paths: Vec<PathBuf> = ledgers.iter().flat_map(|ledger| &ledger.content().deeds).filter_map(of_loop).collect();
    let mut nodes = Vec::new();
    for path in paths {
        nodes.extend(devices_on(&path)?.into_iter().map(|name| Path::new("/dev").join(name)));
    }
    Ok(nodes)
}

/// Removes the loop devices and files that dead processes left, if nothing is on them any more. Returns what was
/// done, one sentence each, and what failed.
///
/// # Errors
/// The folder of their undo logs cannot be read.
pub fn clean_loops(ledgers: &Path) -> Result<(Vec<String>, Vec<ConditionsError>), ConditionsError> {
    let Abandoned { ledgers, unusable } = Ledger::abandoned(ledgers)?;
    let (mut done, mut trouble) = (Vec::new(), unusable.into_iter().map(ConditionsError::from).collect::<Vec<_>>());
    for ledger in ledgers {
        let paths: Vec<PathBuf> = ledger.content().deeds.iter().filter_map(of_loop).collect();
        let undone = paths.iter().try_fold(Vec::new(), |mut said, path| {
            said.extend(match undo(path)? {
                Undoing::Undone(text) => Some(text),
                _ => None,
            });
            Ok(said)
        });
        match undone.and_then(|said| ledger.close().map(|()| said)) {
            Ok(said) => done.extend(said),
            Err(error) => trouble.push(error),
        }
    }
    Ok((done, trouble))
}

fn of_loop(deed: &Deed) -> Option<PathBuf> {
    if let Deed::LoopFile { path } = deed { Some(path.clone()) } else { None }
}

fn make_on(path: &Path, size: Bytes) -> Result<PathBuf, ConditionsError> {
    let failed = |error: io::Error| ConditionsError::system("cannot make", path)(error);
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    fallocate(&file, FallocateFlags::empty(), 0, size.get()).map_err(|error| failed(error.into()))?;
    file.sync_all().map_err(failed)?;
    drop(file);
    let arguments = ["--direct-io=on", "--find", "--show", text(path)?];
    let node = PathBuf::from(LOSETUP.run(&arguments, &[])?.trim());
    let direct = devices_on(path)?.into_iter().all(|name| {
        let flag = Path::new("/sys/block").join(name).join("loop/dio");
        fs::read_to_string(flag).is_ok_and(|flag| flag.trim() == "1")
    });
    if direct {
        return Ok(node);
    }
    Err(ConditionsError::Target(format!(
        "the loop device on {} cannot bypass the page cache there, so memory would be measured and not a drive; name a \
         folder on a file system with direct I/O, such as ext4 or XFS",
        path.display()
    )))
}

/// Kernel names of the loop devices on this file.
fn devices_on(path: &Path) -> Result<Vec<String>, ConditionsError> {
    let all = Path::new("/sys/block");
    let entries = fs::read_dir(all).map_err(ConditionsError::system("cannot read the folder", all))?;
    let is_on = |name: &String| {
        let backing = all.join(name).join("loop/backing_file");
        fs::read_to_string(backing).is_ok_and(|found| Path::new(found.trim_end_matches('\n')) == path)
    };
    Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).filter(is_on).collect())
}

/// Detaches the device from the file and removes the file, if it has a name of drivelab's.
pub(crate) fn undo(path: &Path) -> Result<Undoing, ConditionsError> {
    let devices = devices_on(path)?;
    for name in &devices {
        detach(path, name)?;
    }
    let own = path.file_name().and_then(|name| name.to_str()).is_some_and(is_own_name);
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && parent_is_there(path) => return Ok(Undoing::NotThere),
        Err(error) => return Err(ConditionsError::system("cannot inspect", path)(error)),
        Ok(status) if !own || !status.is_file() || status.uid() != rustix::process::geteuid().as_raw() => {
            return Ok(Undoing::Somebodys(format!(
                "{} is not the file that drivelab created: it was left alone",
                path.display()
            )));
        }
        Ok(_) => {}
    }
    fs::remove_file(path).map_err(ConditionsError::system("cannot remove", path))?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    let what =
        if devices.is_empty() { String::new() } else { format!("detached /dev/{} and ", devices.join(", /dev/")) };
    Ok(Undoing::Undone(format!("{what}removed {}", path.display())))
}

fn is_own_name(name: &str) -> bool {
    name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX)).is_some_and(|id| id.parse::<RunId>().is_ok())
}

/// If the folder does not exist, its file system may not be mounted, with the file still on it.
fn parent_is_there(path: &Path) -> bool {
    path.parent().is_some_and(Path::is_dir)
}

/// Detaches the device from the file. The kernel would delay this while the device is in use, so its use is checked
/// before and afterwards.
fn detach(path: &Path, name: &str) -> Result<(), ConditionsError> {
    let node = format!("/dev/{name}");
    let used = |by: &str| {
        Err(ConditionsError::Target(format!(
            "{node} on {} is still in use ({by}): undo that first (`drivelab resume` of the run that set it up, or umount \
             and `losetup --detach {node}`), then remove the file",
            path.display()
        )))
    };
    if let Some((_, partition)) = kernel::partitions(name).first() {
        return used(&format!("it has the partition {}", partition.display()));
    }
    let holders = Path::new("/sys/block").join(name).join("holders");
    if let Some(holder) = fs::read_dir(holders).ok().and_then(|mut all| all.next()).and_then(Result::ok) {
        return used(&holder.file_name().to_string_lossy());
    }
    LOSETUP.run(&["--detach", &node], &[])?;
    patiently(|| match devices_on(path)?.is_empty() {
        true => Ok(()),
        false => used("a process has it open"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_drivelab_gives_are_its_own() {
        assert!(is_own_name(&format!("{PREFIX}{}{SUFFIX}", RunId::now())));
        for name in ["disk.img", ".drivelab-loop-.img", ".drivelab-loop-7.img", ".drivelab-loop-x.img.bak"] {
            assert!(!is_own_name(name), "{name}");
        }
    }

    #[test]
    fn a_file_that_drivelab_did_not_make_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("disk.img");
        fs::write(&file, "somebody's").expect("written");
        assert!(matches!(undo(&file), Ok(Undoing::Somebodys(_))));
        assert_eq!(fs::read_to_string(&file).expect("still there"), "somebody's");
        let gone = folder.path().join(format!("{PREFIX}{}{SUFFIX}", RunId::now()));
        assert!(matches!(undo(&gone), Ok(Undoing::NotThere)));
        undo(&folder.path().join("unmounted").join(gone.file_name().expect("a name"))).expect_err("nothing was seen");
    }
}
