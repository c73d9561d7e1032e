//! What has to be undone, on disk: each action is written down and durable before the deed it undoes, so that a process
//! that is killed at any moment leaves behind what a later one needs to clean up.
//!
//! A ledger is two files in a folder: `RUN.lock`, held with flock(2) while the process lives, and `RUN.json`, replaced
//! atomically. It lies beside the bundles and not in one, because a bundle begins with the plan, and the plan depends
//! on the size of what is set up. Its format is described in docs/formats/conditions-ledger.md.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;
use drivelab_core::input;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::error::{ConditionsError, LedgerTrouble};

/// Version of the format that this version of drivelab writes. A reader refuses a newer one: it may list deeds that it
/// cannot undo.
pub const FORMAT: u32 = 1;
/// Most bytes of a ledger that are read; one has some hundred a deed.
const LONGEST: u64 = 1 << 24;

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
    /// A locking range of TCG Opal was set up, with a LUKS2 header before it.
    Opal {
        /// Where: the partition, or the drive itself.
        node: PathBuf,
        /// The header's UUID.
        uuid: String,
        /// The user's file with the key of the drive's administrator. The key itself is in no ledger.
        admin_key: PathBuf,
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
    /// A file was made, and a loop device on it. Only in ledgers of their own, which list nothing else.
    LoopFile {
        /// The file, without links.
        path: PathBuf,
    },
    /// A controller's power state was changed.
    PowerState {
        /// Node of the drive through which the controller is asked.
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
        match self {
            Deed::Table { .. } | Deed::Partition { .. } | Deed::Luks { .. } | Deed::FileSystem { .. } => true,
            // Its undoing looks for itself whose header it is, and a range must not be forgotten while it is locked.
            Deed::Opal { .. }
            | Deed::Mapping { .. }
            | Deed::Folder { .. }
            | Deed::LoopFile { .. }
            | Deed::Mount { .. }
            | Deed::PowerState { .. } => false,
        }
    }
}

/// Everything that is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Version of the format, [`FORMAT`].
    #[serde(default = "first")]
    pub format: u32,
    /// The run that the conditions are for.
    pub run: RunId,
    /// The drive.
    pub drive: DriveMark,
    /// What the user named to release it.
    pub destroy: Option<String>,
    /// What was done, in order.
    pub deeds: Vec<Deed>,
}

/// What is read first: the version decides whether the rest can be.
#[derive(Debug, Deserialize)]
struct Head {
    /// Absent in ledgers that were written before the format had a number; they are of the first.
    #[serde(default = "first")]
    format: u32,
}

const fn first() -> u32 {
    1
}

/// What dead processes left in a folder.
#[derive(Debug, Default)]
pub struct Abandoned {
    /// The ledgers, now owned by this process, oldest first.
    pub ledgers: Vec<Ledger>,
    /// Those that cannot be used, by name.
    pub unusable: Vec<LedgerTrouble>,
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
        let locked = flock(&lock, FlockOperation::NonBlockingLockExclusive);
        let written = locked.map_err(ConditionsError::system("cannot lock", &path)).and_then(|()| {
            let content = Content { format: FORMAT, run, drive, destroy, deeds: Vec::new() };
            let ledger = Ledger { folder: folder.to_owned(), content, lock };
            ledger.write().map(|()| ledger)
        });
        if written.is_err() {
            // Nobody would ever look at a lock without a ledger.
            let _ = fs::remove_file(&path);
        }
        written
    }

    /// Those that dead processes left in the folder, now owned by this one. A folder that is not there holds none. One
    /// that cannot be used is named, and the others are found all the same.
    ///
    /// # Errors
    /// Where the folder cannot be read.
    pub fn abandoned(folder: &Path) -> Result<Abandoned, ConditionsError> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Abandoned::default()),
            read => read.map_err(ConditionsError::system("cannot look into", folder))?,
        };
        let mut found = Abandoned::default();
        for entry in entries.flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            match take_over(folder, &path) {
                Ok(ledger) => found.ledgers.extend(ledger),
                Err(trouble) => found.unusable.push(trouble),
            }
        }
        found.ledgers.sort_by_key(|ledger| ledger.content.run);
        found.unusable.sort_by(|a, b| a.path.cmp(&b.path));
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
        self.strike(self.content.deeds.len().saturating_sub(1))
    }

    /// Strikes out one deed by its place, which is undone.
    ///
    /// # Errors
    /// Where it cannot be written; this process has it struck out all the same.
    pub(crate) fn strike(&mut self, at: usize) -> Result<(), ConditionsError> {
        if at < self.content.deeds.len() {
            self.content.deeds.remove(at);
        }
        self.write()
    }

    /// Its file.
    pub(crate) fn path(&self) -> PathBuf {
        json_path(&self.folder, self.content.run)
    }

    /// The run of another ledger beside this one that has changed the power state of the controller with this serial
    /// number, whether its owner lives or not.
    pub(crate) fn other_with_power_state(&self, of: &str) -> Option<RunId> {
        let entries = fs::read_dir(&self.folder).ok()?;
        let others = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "json") && *path != self.path());
        let contents =
            others.filter_map(|path| serde_json::from_slice::<Content>(&input::read(&path, LONGEST).ok()?).ok());
        let is_it = |deed: &Deed| matches!(deed, Deed::PowerState { serial, .. } if serial == of);
        contents.into_iter().find(|content| content.deeds.iter().any(is_it)).map(|content| content.run)
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
        written.and_then(|()| fs::rename(&new, &path)).map_err(|error| {
            let _ = fs::remove_file(&new);
            failed(error)
        })?;
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
fn take_over(folder: &Path, path: &Path) -> Result<Option<Ledger>, LedgerTrouble> {
    let run = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
    let unusable = |why: String, source| LedgerTrouble { path: path.to_owned(), run, why, source };
    let failed = |error: std::io::Error| {
        let advice = if error.kind() == std::io::ErrorKind::PermissionDenied { AS_ROOT } else { BY_HAND };
        unusable(format!("this ledger of conditions cannot be read: {error}. {advice}"), None)
    };
    let locked = path.with_extension("lock");
    let lock = input::open_with(OpenOptions::new().write(true).create(true).truncate(false), &locked);
    let lock = lock.map_err(failed)?;
    if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None);
    }
    let text = match input::read(path, LONGEST) {
        // Its owner ended it between the two looks.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let _ = fs::remove_file(&locked);
            return Ok(None);
        }
        read => read.map_err(failed)?,
    };
    let broken = |error| unusable(format!("this is no ledger of conditions ({error}). {BY_HAND}"), Some(error));
    let Head { format } = serde_json::from_slice(&text).map_err(broken)?;
    if format > FORMAT {
        return Err(unusable(
            format!(
                "this ledger of conditions has format {format}, and this version of drivelab knows formats up to {FORMAT}: \
                 `drivelab resume` of the newer version that wrote it undoes what it lists"
            ),
            None,
        ));
    }
    let content = serde_json::from_slice(&text).map_err(broken)?;
    Ok(Some(Ledger { folder: folder.to_owned(), content, lock }))
}

/// What is left to do where only this user cannot.
const AS_ROOT: &str =
    "It belongs to another user, mostly root: `sudo drivelab resume` of that run undoes what it lists";

/// What is left to do where nobody can read what was set up.
const BY_HAND: &str = "What it lists may still be set up: `lsblk` shows partitions, mappings and mounts of that drive. \
                       Undo them by hand, or wipe the drive by name, then remove this file and the .lock beside it";

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

    fn found(folder: &Path) -> Vec<Ledger> {
        let Abandoned { ledgers, unusable } = Ledger::abandoned(folder).expect("a look");
        assert!(unusable.is_empty(), "{unusable:?}");
        ledgers
    }

    #[test]
    fn deeds_are_on_disk_before_they_are_done_and_found_again_when_their_owner_is_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = RunId::now();
        let mut ledger = Ledger::create(folder.path(), run, mark(), Some("none".into())).expect("a ledger");
        ledger.about_to(Deed::Table { guid: "g".into() }).expect("written");
        ledger.about_to(Deed::Mount { at: "/somewhere".into() }).expect("written");
        assert!(found(folder.path()).is_empty(), "its owner lives");
        let content = ledger.content().clone();
        drop(ledger);
        let mut left = found(folder.path());
        assert_eq!(left.len(), 1);
        let mut again = left.remove(0);
        assert_eq!(*again.content(), content);
        again.undone().expect("written");
        assert_eq!(again.content().deeds, [Deed::Table { guid: "g".into() }]);
        again.close().expect("closed");
        assert!(found(folder.path()).is_empty());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_folder_that_is_not_there_holds_none() {
        assert!(found(Path::new("/no/such/folder")).is_empty());
    }

    /// A ledger of a dead process with its text changed.
    fn left_behind(folder: &Path, change: impl Fn(&mut serde_json::Value)) -> (RunId, PathBuf) {
        let run = RunId::now();
        let mut ledger = Ledger::create(folder, run, mark(), None).expect("a ledger");
        ledger.about_to(Deed::Mount { at: "/somewhere".into() }).expect("written");
        drop(ledger);
        let path = json_path(folder, run);
        let mut text = serde_json::from_slice(&fs::read(&path).expect("a ledger")).expect("JSON");
        change(&mut text);
        fs::write(&path, text.to_string()).expect("written");
        (run, path)
    }

    #[test]
    fn a_ledger_says_its_format_and_one_from_before_the_number_is_read_as_the_first() {
        let folder = tempfile::tempdir().expect("a folder");
        left_behind(folder.path(), |text| assert_eq!(text["format"], FORMAT));
        left_behind(folder.path(), |text| {
            text.as_object_mut().expect("an object").remove("format");
        });
        let left = found(folder.path());
        assert_eq!(left.len(), 2);
        assert!(left.iter().all(|ledger| ledger.content().format == 1), "{left:?}");
    }

    #[test]
    fn a_newer_format_and_a_broken_file_are_named_and_the_others_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let (newer, newer_path) = left_behind(folder.path(), |text| {
            text["format"] = (FORMAT + 1).into();
            text["deeds"] = serde_json::json!([{ "teleport": {} }]);
        });
        let (_, broken_path) = left_behind(folder.path(), |_| {});
        fs::write(&broken_path, "{ \"format\": 1, \"run").expect("written");
        fs::write(folder.path().join("notes.json"), "[]").expect("written");
        let (good, _) = left_behind(folder.path(), |_| {});
        let Abandoned { ledgers, unusable } = Ledger::abandoned(folder.path()).expect("a look");
        assert_eq!(ledgers.iter().map(|ledger| ledger.content().run).collect::<Vec<_>>(), [good]);
        assert_eq!(unusable.len(), 3, "{unusable:?}");
        let of = |path: &Path| unusable.iter().find(|trouble| trouble.path == path).expect("named");
        let text = of(&newer_path).to_string();
        assert!(text.contains("format 2") && text.contains("up to 1") && text.contains("newer version"), "{text}");
        assert_eq!(of(&newer_path).run, Some(newer));
        let text = of(&broken_path).to_string();
        assert!(text.contains("no ledger of conditions") && text.contains("lsblk"), "{text}");
        assert!(std::error::Error::source(of(&broken_path)).is_some(), "the reader's own words are kept");
        assert!(newer_path.exists() && broken_path.exists(), "nothing of them is removed");
    }
}
