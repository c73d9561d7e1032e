//! What has to be undone, on disk: each action is written down and durable before the deed it undoes, so that a process
//! that is killed at any moment leaves behind what a later one needs to clean up.
//!
//! A ledger is two files in a folder: `RUN.lock`, held with flock(2) while the process lives, and `RUN.json`, replaced
//! atomically. It lies beside the bundles and not in one, because a bundle begins with the plan, and the plan depends
//! on the size of what is set up.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::error::ConditionsError;

/// The drive that conditions are made on, so that nothing is undone on another one that has its name by then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveMark {
    /// Its node, or that of the partition that was named: `/dev/nvme0n1`.
    pub node: PathBuf,
    /// Kernel name: `nvme0n1`.
    pub name: String,
    /// Number of the device's attachment since boot (`/sys/block/*/diskseq`, Linux 5.15 and later).
    pub diskseq: Option<u64>,
    /// Serial number, where it has one.
    pub serial: Option<String>,
    /// Bytes.
    pub bytes: u64,
    /// The boot in which it was marked (`/proc/sys/kernel/random/boot_id`): mounts and mappings do not outlive it.
    pub boot: String,
}

/// One deed and so what undoes it. The deed may have happened or not: the process may have been killed before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// A partition table of our own was written.
    Table {
        /// The drive's GUID in it.
        guid: String,
    },
    /// The kernel was told of a partition.
    Partition {
        /// Its number.
        number: u32,
        /// First byte.
        start: u64,
        /// Bytes.
        length: u64,
    },
    /// A LUKS2 header was written.
    Luks {
        /// Where: the partition, or the drive itself.
        node: PathBuf,
        /// Its UUID.
        uuid: String,
    },
    /// A mapping was opened.
    Mapping {
        /// Its name in /dev/mapper.
        name: String,
    },
    /// A file system was made.
    FileSystem {
        /// Where.
        node: PathBuf,
        /// Its UUID.
        uuid: String,
    },
    /// A folder for a mount point was made.
    Folder {
        /// Where.
        path: PathBuf,
    },
    /// A file system was mounted.
    Mount {
        /// Where.
        at: PathBuf,
    },
    /// A controller's power state was changed.
    PowerState {
        /// Its character device.
        controller: PathBuf,
        /// Its serial number.
        serial: String,
        /// The state before.
        before: u8,
    },
}

impl Deed {
    /// Whether undoing it takes something off the drive.
    #[must_use]
    pub const fn is_on_the_drive(&self) -> bool {
        matches!(self, Deed::Table { .. } | Deed::Partition { .. } | Deed::Luks { .. } | Deed::FileSystem { .. })
    }
}

/// Everything that is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The run that the conditions are for.
    pub run: RunId,
    /// The drive.
    pub drive: DriveMark,
    /// What the user named to release it.
    pub destroy: Option<String>,
    /// What was done, in order.
    pub deeds: Vec<Deed>,
}

/// A ledger that this process owns.
#[derive(Debug)]
pub struct Ledger {
    folder: PathBuf,
    content: Content,
    lock: File,
}

impl Ledger {
    /// A new one, with nothing done yet, durable.
    ///
    /// # Errors
    /// Where the folder cannot be made or written.
    pub fn create(
        folder: &Path,
        run: RunId,
        drive: DriveMark,
        destroy: Option<String>,
    ) -> Result<Ledger, ConditionsError> {
        fs::create_dir_all(folder).map_err(ConditionsError::system("cannot make the folder", folder))?;
        // The table of mounts names places without links.
        let folder = &fs::canonicalize(folder).map_err(ConditionsError::system("cannot look at", folder))?;
        let path = lock_path(folder, run);
        let made = OpenOptions::new().write(true).create_new(true).open(&path);
        let lock = made.map_err(ConditionsError::system("cannot make", &path))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(ConditionsError::system("cannot lock", &path))?;
        let content = Content { run, drive, destroy, deeds: Vec::new() };
        let ledger = Ledger { folder: folder.to_owned(), content, lock };
        ledger.write()?;
        Ok(ledger)
    }

    /// Those that dead processes left in the folder, now owned by this one. A folder that is not there holds none.
    ///
    /// # Errors
    /// Where one cannot be read.
    pub fn abandoned(folder: &Path) -> Result<Vec<Ledger>, ConditionsError> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|ending| ending == "json") {
                found.extend(take_over(folder, &path)?);
            }
        }
        found.sort_by_key(|ledger| ledger.content.run);
        Ok(found)
    }

    /// What is on disk.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// A folder of the run's own beside the ledger, for its mount point. Not made.
    #[must_use]
    pub fn own_folder(&self) -> PathBuf {
        self.folder.join(self.content.run.to_string())
    }

    /// Writes down a deed that is about to be done.
    ///
    /// # Errors
    /// Where it cannot be written: the deed must not be done then.
    pub fn about_to(&mut self, deed: Deed) -> Result<(), ConditionsError> {
        self.content.deeds.push(deed);
        self.write()
    }

    /// Strikes out the last deed, which is undone.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn undone(&mut self) -> Result<(), ConditionsError> {
        self.content.deeds.pop();
        self.write()
    }

    /// Strikes out the deeds that must not be undone any more.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn forget(&mut self, mut which: impl FnMut(&Deed) -> bool) -> Result<(), ConditionsError> {
        self.content.deeds.retain(|deed| !which(deed));
        self.write()
    }

    /// Ends it: nothing is left to undo.
    ///
    /// # Errors
    /// Where its files cannot be removed.
    pub fn close(self) -> Result<(), ConditionsError> {
        let json = json_path(&self.folder, self.content.run);
        fs::remove_file(&json).map_err(ConditionsError::system("cannot remove", &json))?;
        let lock = lock_path(&self.folder, self.content.run);
        fs::remove_file(&lock).map_err(ConditionsError::system("cannot remove", &lock))
    }

    fn write(&self) -> Result<(), ConditionsError> {
        let path = json_path(&self.folder, self.content.run);
        let failed = |error: std::io::Error| ConditionsError::system("cannot write", &path)(error);
        let text = serde_json::to_vec_pretty(&self.content).map_err(|error| failed(error.into()))?;
        let new = path.with_extension("tmp");
        let written = File::create(&new).and_then(|mut file| {
            file.write_all(&text)?;
            file.sync_all()
        });
        written.and_then(|()| fs::rename(&new, &path)).map_err(failed)?;
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // A child between fork and exec has a copy of the open file: closing ours alone would leave the lock with it.
        let _ = flock(&self.lock, FlockOperation::Unlock);
    }
}

fn json_path(folder: &Path, run: RunId) -> PathBuf {
    folder.join(format!("{run}.json"))
}

fn lock_path(folder: &Path, run: RunId) -> PathBuf {
    folder.join(format!("{run}.lock"))
}

/// The ledger at this path, where no living process owns it.
fn take_over(folder: &Path, path: &Path) -> Result<Option<Ledger>, ConditionsError> {
    let locked = path.with_extension("lock");
    let lock = OpenOptions::new().write(true).create(true).truncate(false).open(&locked);
    let lock = lock.map_err(ConditionsError::system("cannot open", &locked))?;
    if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None);
    }
    let text = match fs::read(path) {
        // Its owner ended it between the two looks.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(ConditionsError::system("cannot read", path))?,
    };
    let content = serde_json::from_slice(&text)
        .map_err(|error| ConditionsError::system("cannot read", path)(std::io::Error::from(error)))?;
    Ok(Some(Ledger { folder: folder.to_owned(), content, lock }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> DriveMark {
        DriveMark {
            node: "/dev/none".into(),
            name: "none".into(),
            diskseq: Some(7),
            serial: None,
            bytes: 1 << 20,
            boot: "a".into(),
        }
    }

    #[test]
    fn deeds_are_on_disk_before_they_are_done_and_found_again_when_their_owner_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = RunId::now();
        let mut ledger = Ledger::create(folder.path(), run, mark(), Some("none".into())).expect("a ledger");
        ledger.about_to(Deed::Table { guid: "g".into() }).expect("written");
        ledger.about_to(Deed::Mount { at: "/somewhere".into() }).expect("written");
        assert!(Ledger::abandoned(folder.path()).expect("a look").is_empty(), "its owner lives");
        let content = ledger.content().clone();
        drop(ledger);
        let mut found = Ledger::abandoned(folder.path()).expect("a look");
        assert_eq!(found.len(), 1);
        let mut again = found.remove(0);
        assert_eq!(*again.content(), content);
        again.undone().expect("written");
        assert_eq!(again.content().deeds, [Deed::Table { guid: "g".into() }]);
        again.close().expect("closed");
        assert!(Ledger::abandoned(folder.path()).expect("a look").is_empty());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_folder_that_is_not_there_holds_none() {
        assert!(Ledger::abandoned(Path::new("/no/such/folder")).expect("a look").is_empty());
    }
}
