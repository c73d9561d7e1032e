//! The undo log on disk: each change is logged, durably, before it is made, so that a process that is killed at any
//! moment leaves behind what a later process needs to clean up.
//!
//! An undo log is two files in a folder: `RUN.lock`, held with flock(2) while the process lives, and `RUN.json`,
//! replaced atomically by way of `RUN.tmp`. A lock without a log is from a process that was killed before its first
//! change or after its last; whoever looks next removes it. It is next to the bundles and not in one, because a bundle
//! begins with the plan, and the plan depends on the size of what is set up. docs/formats/conditions-ledger.md
//! describes its format.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;
use drivelab_core::input;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::error::{ConditionsError, LedgerTrouble};

/// Version of the format that this version of drivelab writes. A reader refuses a newer one: it may list changes that
/// the reader cannot undo.
pub const FORMAT: u32 = 1;
/// Most bytes of an undo log that are read; an entry has some hundred.
const LONGEST: u64 = 1 << 24;

/// The drive that conditions are set up on, so that nothing is undone on another drive that has its name later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveMark {
    /// Its node, or the node of the named partition: `/dev/nvme0n1`.
    pub node: PathBuf,
    /// Kernel name: `nvme0n1`.
    pub name: String,
    /// Number of the device's attachment since boot (`/sys/block/*/diskseq`, Linux 5.15 and later).
    pub diskseq: Option<u64>,
    /// Serial number, if it has one.
    pub serial: Option<String>,
    /// Size in bytes.
    pub bytes: u64,
    /// The boot in which it was marked (`/proc/sys/kernel/random/boot_id`): mounts and mappings do not outlive it.
    pub boot: String,
}

/// One change, and so what undoes it. The change may have been made or not: the process may have been killed before
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// A partition table was written.
    Table {
        /// The drive's GUID in it.
        guid: String,
    },
    /// The kernel was told about a partition.
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
        /// Its node: the partition, or the drive itself.
        node: PathBuf,
        /// Its UUID.
        uuid: String,
    },
    /// A TCG Opal locking range was set up, with a LUKS2 header before it.
    Opal {
        /// Its node: the partition, or the drive itself.
        node: PathBuf,
        /// The header's UUID.
        uuid: String,
        /// The user's file with the key of the drive's administrator. No undo log contains the key itself.
        admin_key: PathBuf,
    },
    /// A mapping was opened.
    Mapping {
        /// Its name in /dev/mapper.
        name: String,
    },
    /// A file system was created.
    FileSystem {
        /// Its node.
        node: PathBuf,
        /// Its UUID.
        uuid: String,
    },
    /// A folder for a mount point was created.
    Folder {
        /// Its path.
        path: PathBuf,
    },
    /// A file system was mounted.
    Mount {
        /// The mount point.
        at: PathBuf,
    },
    /// A file was created, and a loop device on it. Only in undo logs of their own, which list nothing else.
    LoopFile {
        /// The file's path, without symbolic links.
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
    /// Whether undoing it removes something from the drive.
    #[must_use]
    pub const fn is_on_the_drive(&self) -> bool {
        match self {
            Deed::Table { .. } | Deed::Partition { .. } | Deed::Luks { .. } | Deed::FileSystem { .. } => true,
            // Undoing it checks the header's owner itself, and a range must not be forgotten while it is locked.
            Deed::Opal { .. }
            | Deed::Mapping { .. }
            | Deed::Folder { .. }
            | Deed::LoopFile { .. }
            | Deed::Mount { .. }
            | Deed::PowerState { .. } => false,
        }
    }
}

/// The content on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Version of the format, [`FORMAT`].
    #[serde(default = "first")]
    pub format: u32,
    /// The run that the conditions are for.
    pub run: RunId,
    /// The drive.
    pub drive: DriveMark,
    /// The value of `--destroy` that released it.
    pub destroy: Option<String>,
    /// The logged changes, in order.
    pub deeds: Vec<Deed>,
}

/// The part that is read first: the version decides whether the rest can be read.
#[derive(Debug, Deserialize)]
struct Head {
    /// Absent in undo logs from before the format had a number; they have the first format.
    #[serde(default = "first")]
    format: u32,
}

const fn first() -> u32 {
    1
}

/// The undo logs that dead processes left in a folder.
#[derive(Debug, Default)]
pub struct Abandoned {
    /// The undo logs, now owned by this process, oldest first.
    pub ledgers: Vec<Ledger>,
    /// Undo logs that cannot be used, by name.
    pub unusable: Vec<LedgerTrouble>,
}

/// An undo log that this process owns.
#[derive(Debug)]
pub struct Ledger {
    folder: PathBuf,
    content: Content,
    lock: File,
}

impl Ledger {
    /// A new undo log without entries, durable.
    ///
    /// # Errors
    /// The folder cannot be created or written.
    pub fn create(
        folder: &Path,
        run: RunId,
        drive: DriveMark,
        destroy: Option<String>,
    ) -> Result<Ledger, ConditionsError> {
        fs::create_dir_all(folder).map_err(ConditionsError::system("cannot make the folder", folder))?;
        // The table of mounts lists paths without symbolic links.
        let folder = &fs::canonicalize(folder).map_err(ConditionsError::system("cannot inspect", folder))?;
        let path = lock_path(folder, run);
        let lock = lock_of_own(&path).map_err(ConditionsError::system("cannot make and lock", &path))?;
        let content = Content { format: FORMAT, run, drive, destroy, deeds: Vec::new() };
        let ledger = Ledger { folder: folder.to_owned(), content, lock };
        if let Err(error) = ledger.write() {
            // Nothing would ever use a lock without an undo log.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        Ok(ledger)
    }

    /// The undo logs that dead processes left in the folder, now owned by this process; none if the folder does not
    /// exist. An unusable one is listed, and the others are still found.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn abandoned(folder: &Path) -> Result<Abandoned, ConditionsError> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Abandoned::default()),
            read => read.map_err(ConditionsError::system("cannot read the folder", folder))?,
        };
        let mut found = Abandoned::default();
        for entry in entries.flatten() {
            let path = entry.path();
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("json") => match take_over(folder, &path) {
                    Ok(ledger) => found.ledgers.extend(ledger),
                    Err(trouble) => found.unusable.push(trouble),
                },
                Some("lock") => sweep(&path),
                _ => {}
            }
        }
        found.ledgers.sort_by_key(|ledger| ledger.content.run);
        found.unusable.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// The content on disk.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// A folder of the run's own next to the undo log, for its mount point. Not created.
    #[must_use]
    pub fn own_folder(&self) -> PathBuf {
        self.folder.join(self.content.run.to_string())
    }

    /// Logs a change that is about to be made.
    ///
    /// # Errors
    /// It cannot be written: the change must not be made then.
    pub fn about_to(&mut self, deed: Deed) -> Result<(), ConditionsError> {
        self.content.deeds.push(deed);
        self.write()
    }

    /// Removes the last entry, which is undone.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn undone(&mut self) -> Result<(), ConditionsError> {
        self.strike(self.content.deeds.len().saturating_sub(1))
    }

    /// Removes one entry by its index, which is undone.
    ///
    /// # Errors
    /// It cannot be written; this process has removed the entry in any case.
    pub(crate) fn strike(&mut self, at: usize) -> Result<(), ConditionsError> {
        if at < self.content.deeds.len() {
            self.content.deeds.remove(at);
        }
        self.write()
    }

    /// Path of its file.
    pub(crate) fn path(&self) -> PathBuf {
        json_path(&self.folder, self.content.run)
    }

    /// The run of another undo log in this folder that has changed the power state of the controller with this serial
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

    /// Removes the entries that must no longer be undone.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn forget(&mut self, mut which: impl FnMut(&Deed) -> bool) -> Result<(), ConditionsError> {
        self.content.deeds.retain(|deed| !which(deed));
        self.write()
    }

    /// Ends it: nothing is left to undo.
    ///
    /// # Errors
    /// Its files cannot be removed.
    pub fn close(self) -> Result<(), ConditionsError> {
        let json = json_path(&self.folder, self.content.run);
        // A process that was killed while it replaced the log left this.
        let _ = fs::remove_file(json.with_extension("tmp"));
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
        // A child between fork and exec has a copy of the open file: closing ours alone would leave the lock with the
        // child.
        let _ = flock(&self.lock, FlockOperation::Unlock);
    }
}

fn json_path(folder: &Path, run: RunId) -> PathBuf {
    folder.join(format!("{run}.json"))
}

fn lock_path(folder: &Path, run: RunId) -> PathBuf {
    folder.join(format!("{run}.lock"))
}

/// Locks a file at once; whether it worked. A lock on a file that another process has removed in the meantime is none:
/// the file that now has this path is another one.
fn locks(lock: &File) -> bool {
    let held = flock(lock, FlockOperation::NonBlockingLockExclusive).is_ok();
    held && lock.metadata().is_ok_and(|found| found.nlink() > 0)
}

/// A new lock file, locked. A process that sweeps may remove the file between the two steps; then it is made again.
fn lock_of_own(path: &Path) -> std::io::Result<File> {
    loop {
        let lock = OpenOptions::new().write(true).create_new(true).open(path)?;
        let locked = flock(&lock, FlockOperation::LockExclusive).map_err(std::io::Error::from);
        match locked.and_then(|()| lock.metadata()) {
            Ok(found) if found.nlink() > 0 => return Ok(lock),
            Ok(_) => {}
            Err(error) => {
                let _ = fs::remove_file(path);
                return Err(error);
            }
        }
    }
}

/// Removes a lock that has no undo log and no living owner, and the first version of a log that was never finished:
/// their process was killed before its first change or after its last, so there is nothing to undo.
fn sweep(lock_path: &Path) {
    let run = lock_path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<RunId>().ok());
    if run.is_none() || lock_path.with_extension("json").exists() {
        return;
    }
    let Ok(lock) = input::open_with(OpenOptions::new().write(true), lock_path) else { return };
    // The log may have been finished since the first look; its owner holds the lock then, or `take_over` finds it.
    if !locks(&lock) || lock_path.with_extension("json").exists() {
        return;
    }
    let _ = fs::remove_file(lock_path.with_extension("tmp"));
    let _ = fs::remove_file(lock_path);
}

/// The undo log at this path, if no living process owns it.
fn take_over(folder: &Path, path: &Path) -> Result<Option<Ledger>, LedgerTrouble> {
    let run = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
    let unusable = |why: String, source| LedgerTrouble { path: path.to_owned(), run, why, source };
    let failed = |error: std::io::Error| {
        let advice = if error.kind() == std::io::ErrorKind::PermissionDenied { AS_ROOT } else { BY_HAND };
        unusable(format!("this undo log cannot be read: {error}. {advice}"), None)
    };
    let locked = path.with_extension("lock");
    let lock = input::open_with(OpenOptions::new().write(true).create(true).truncate(false), &locked);
    let lock = lock.map_err(failed)?;
    if !locks(&lock) {
        return Ok(None);
    }
    let text = match input::read(path, LONGEST) {
        // Its owner ended it in the meantime.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let _ = fs::remove_file(&locked);
            return Ok(None);
        }
        read => read.map_err(failed)?,
    };
    let broken = |error| unusable(format!("this is not an undo log ({error}). {BY_HAND}"), Some(error));
    let Head { format } = serde_json::from_slice(&text).map_err(broken)?;
    if format > FORMAT {
        return Err(unusable(
            format!(
                "this undo log has format {format}, and this version of drivelab knows formats up to {FORMAT}: `drivelab \
                 resume` of the newer version that wrote it undoes what it lists"
            ),
            None,
        ));
    }
    let content = serde_json::from_slice(&text).map_err(broken)?;
    Ok(Some(Ledger { folder: folder.to_owned(), content, lock }))
}

/// Advice if only this user may not read it.
const AS_ROOT: &str =
    "It belongs to another user, usually root: `sudo drivelab resume` of that run undoes what it lists";

/// Advice if the undo log cannot be read at all.
const BY_HAND: &str = "What it lists may still be set up: `lsblk` shows partitions, mappings and mounts of that drive. \
                       Undo them by hand, or wipe the drive by name, then remove this file and the .lock next to it";

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
    fn a_lock_that_another_process_has_removed_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.lock");
        let lock = lock_of_own(&path).expect("a lock");
        let other = File::open(&path).expect("the same file");
        assert!(!locks(&other), "it is held");
        drop(lock);
        assert!(locks(&other));
        fs::remove_file(&path).expect("removed");
        let late = lock_of_own(&path).expect("a new file");
        assert!(!locks(&other), "the file at this path is another one");
        drop(late);
        // A file that is not of a run is left alone.
        sweep(&path);
        assert!(path.exists());
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
    fn what_a_kill_before_the_first_change_or_after_the_last_leaves_is_swept_and_what_a_living_owner_has_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = || fs::read_dir(folder.path()).expect("a folder").flatten().map(|entry| entry.path());
        let killed = RunId::now();
        for path in [lock_path(folder.path(), killed), json_path(folder.path(), killed).with_extension("tmp")] {
            fs::write(path, b"").expect("written");
        }
        let living = RunId::now();
        let held = lock_of_own(&lock_path(folder.path(), living)).expect("a lock");
        fs::write(json_path(folder.path(), living).with_extension("tmp"), b"").expect("written");
        assert!(found(folder.path()).is_empty());
        let left: Vec<_> = names().collect();
        assert_eq!(left.len(), 2, "{left:?}");
        assert!(left.iter().all(|path| path.file_stem().is_some_and(|stem| *stem == *living.to_string())), "{left:?}");
        drop(held);
        assert!(found(folder.path()).is_empty());
        assert_eq!(names().count(), 0);
    }

    #[test]
    fn a_kill_while_the_log_was_replaced_leaves_nothing_after_it_is_closed() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = RunId::now();
        drop(Ledger::create(folder.path(), run, mark(), None).expect("a ledger"));
        fs::write(json_path(folder.path(), run).with_extension("tmp"), b"{ \"form").expect("written");
        found(folder.path()).remove(0).close().expect("closed");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_folder_that_is_not_there_holds_none() {
        assert!(found(Path::new("/no/such/folder")).is_empty());
    }

    /// The undo log of a dead process, with its text changed.
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
        assert!(text.contains("not an undo log") && text.contains("lsblk"), "{text}");
        assert!(std::error::Error::source(of(&broken_path)).is_some(), "the parser's own error is kept");
        assert!(newer_path.exists() && broken_path.exists(), "nothing of them is removed");
    }
}
