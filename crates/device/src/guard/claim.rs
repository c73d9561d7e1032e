//! The claim: a small file next to a scratch file that proves, even after a crash, which file drivelab created.
//!
//! `.drivelab-scratch-<run>.claim` holds JSON lines, each with the complete state; the last complete line counts, so
//! a torn line loses nothing. The file appears in one step, with its first line in it and its lock held (O_TMPFILE
//! and linkat), so a visible claim without a lock has no living owner. Must not know how scratch files are created or
//! removed.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use drivelab_core::ids::RunId;
use drivelab_core::units::Bytes;
use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use serde::{Deserialize, Serialize};

use crate::block::counters::this_boot;
use crate::place::target::custom;

/// Version of the claim's format; claims with a higher version are left alone.
const FORMAT: u32 = 1;
/// Prefix of scratch files that the user did not name; the run's id follows.
const PREFIX: &str = ".drivelab-scratch-";
const SUFFIX: &str = ".claim";
/// A claim is a few lines; nothing larger is read.
const LARGEST: u64 = 1 << 20;

/// The identity of a file, whatever its name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIdentity {
    /// Device number of the file system.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Time of birth, seconds and nanoseconds since 1970, if the file system stores it. It distinguishes a file from
    /// a later one with the same inode number.
    pub born: Option<(u64, u32)>,
}

impl FileIdentity {
    /// The identity of the file at a path, with links resolved; for a named file, which has no claim of its own.
    ///
    /// # Errors
    /// The kernel's error if there is no such file.
    pub fn of_path(path: &std::path::Path) -> std::io::Result<Self> {
        std::fs::metadata(path).map(|status| FileIdentity::of(&status))
    }

    pub(super) fn of(status: &Metadata) -> Self {
        let born = status.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        FileIdentity {
            device: status.dev(),
            inode: status.ino(),
            born: born.map(|time| (time.as_secs(), time.subsec_nanos())),
        }
    }

    /// Whether `found` is this file. Device numbers of loop, dm and btrfs change with every boot: after a reboot
    /// (`same_boot` is false), inode and time of birth together are the proof.
    fn is(&self, found: &FileIdentity, same_boot: bool) -> bool {
        let device = self.device == found.device || (!same_boot && self.born.is_some());
        self.inode == found.inode && self.born == found.born && device
    }
}

/// The content of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchClaim {
    /// Version of this format.
    pub format: u32,
    /// The run that the file was created for.
    pub run: RunId,
    /// The scratch file.
    pub path: PathBuf,
    /// Its identity; `None` if only the intent to create it was recorded.
    pub file: Option<FileIdentity>,
    /// Its length.
    pub length: Bytes,
    /// Whether every byte was written and made durable.
    pub filled: bool,
    /// The process that owns or owned it, for messages.
    pub pid: u32,
    /// The kernel's id of the boot in which the device number was read.
    pub boot: Option<String>,
}

impl ScratchClaim {
    pub(super) fn intent(run: RunId, path: PathBuf, length: Bytes) -> Self {
        let (pid, boot) = (std::process::id(), this_boot());
        ScratchClaim { format: FORMAT, run, path, file: None, length, filled: false, pid, boot }
    }

    /// The same claim, now with this process and this file.
    pub(super) fn of_file(mut self, path: PathBuf, status: &Metadata) -> Self {
        self.path = path;
        self.file = Some(FileIdentity::of(status));
        self.pid = std::process::id();
        self.boot = this_boot();
        self
    }

    /// Whether that file is the claimed one.
    pub(super) fn is_of(&self, status: &Metadata) -> bool {
        let same_boot = self.boot.is_none() || self.boot == this_boot();
        self.file.is_some_and(|file| file.is(&FileIdentity::of(status), same_boot))
    }

    pub(super) fn line(&self) -> io::Result<Vec<u8>> {
        // The line break in front ends a line that a crash may have torn.
        let mut line = b"\n".to_vec();
        serde_json::to_writer(&mut line, self)?;
        line.push(b'\n');
        Ok(line)
    }
}

/// Name of a run's scratch file if the user gave none, and of every scratch file at first.
pub(super) fn scratch_name(run: RunId) -> String {
    format!("{PREFIX}{run}")
}

fn claim_name(run: RunId) -> String {
    format!("{PREFIX}{run}{SUFFIX}")
}

/// The run in a claim's file name.
pub(super) fn run_of_name(name: &str) -> Option<RunId> {
    let text = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let run: RunId = text.parse().ok()?;
    (run.to_string() == text).then_some(run)
}

/// The state in the last complete line; `None` if there is none, or if a newer drivelab wrote it.
pub(super) fn parse(bytes: &[u8]) -> Option<ScratchClaim> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let complete = &bytes[..bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)];
    let mut last = None;
    for line in complete.split(|byte| *byte == b'\n') {
        if serde_json::from_slice::<Version>(line).is_ok_and(|version| version.format > FORMAT) {
            return None;
        }
        last = serde_json::from_slice(line).ok().or(last);
    }
    last
}

/// An open claim file. The holder of its exclusive lock owns the scratch file.
#[derive(Debug)]
pub(super) struct ClaimFile {
    file: File,
    path: PathBuf,
    pub(super) claim: ScratchClaim,
}

impl ClaimFile {
    /// Path of a run's claim in that folder.
    pub(super) fn path_of(folder: &Path, run: RunId) -> PathBuf {
        folder.join(claim_name(run))
    }

    /// Creates the claim, locked and durable. Fails if one exists already.
    pub(super) fn create(folder: &Path, claim: ScratchClaim) -> io::Result<Self> {
        let path = Self::path_of(folder, claim.run);
        let line = claim.line()?;
        let options = |flags| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).mode(0o600).custom_flags(custom(flags));
            options
        };
        let file = match options(OFlags::TMPFILE).open(folder) {
            Ok(mut file) => {
                lock(&file)?;
                file.write_all(&line)?;
                file.sync_all()?;
                let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
                linkat(CWD, nameless, CWD, &path, AtFlags::SYMLINK_FOLLOW)?;
                file
            }
            // File systems without O_TMPFILE: a claim that a crash leaves empty proves nothing, and no scratch file
            // exists yet.
            Err(error) if !matches!(error.raw_os_error(), Some(code) if is_unsupported(code)) => return Err(error),
            Err(_) => {
                let mut file = options(OFlags::empty()).create_new(true).open(&path)?;
                let written = lock(&file).and_then(|()| file.write_all(&line)).and_then(|()| file.sync_all());
                if let Err(error) = written {
                    let _ = fs::remove_file(&path);
                    return Err(error);
                }
                file
            }
        };
        File::open(folder)?.sync_all()?;
        Ok(ClaimFile { file, path, claim })
    }

    /// Opens a claim for reading; `None` if it does not exist or is not drivelab's: not a regular file with one name
    /// that belongs to this user and contains the run in its name.
    pub(super) fn open(folder: &Path, run: RunId) -> Option<Self> {
        let path = Self::path_of(folder, run);
        let flags = custom(OFlags::NOFOLLOW | OFlags::NONBLOCK);
        let mut file = OpenOptions::new().read(true).append(true).custom_flags(flags).open(&path).ok()?;
        if !is_ours(&file.metadata().ok()?) {
            return None;
        }
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(LARGEST).read_to_end(&mut bytes).ok()?;
        let claim = parse(&bytes).filter(|claim| claim.run == run)?;
        Some(ClaimFile { file, path, claim })
    }

    /// Takes the lock permanently, as the owner.
    pub(super) fn own(&self) -> bool {
        lock(&self.file).is_ok()
    }

    /// Whether a living process owns it. Uses a shared lock, so that two processes that check do not take each other
    /// for an owner.
    pub(super) fn has_owner(&self) -> bool {
        match self.file.try_lock_shared() {
            Ok(()) => {
                let _ = self.file.unlock();
                false
            }
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => false,
        }
    }

    /// Records a new state, durable when this returns.
    pub(super) fn record(&mut self, claim: ScratchClaim) -> io::Result<()> {
        self.file.write_all(&claim.line()?)?;
        self.file.sync_data()?;
        self.claim = claim;
        Ok(())
    }

    /// Removes the claim if its name still leads to this file.
    pub(super) fn remove(&self) -> io::Result<()> {
        let (mine, found) = (self.file.metadata()?, fs::symlink_metadata(&self.path));
        match found {
            Ok(found) if super::open::same_inode(&mine, &found) => fs::remove_file(&self.path),
            _ => Ok(()),
        }
    }
}

impl Drop for ClaimFile {
    fn drop(&mut self) {
        // Closing alone would leave the lock with a child process that was just forked and has not called exec yet.
        let _ = self.file.unlock();
    }
}

fn is_unsupported(code: i32) -> bool {
    use rustix::io::Errno;
    [Errno::OPNOTSUPP, Errno::ISDIR, Errno::INVAL, Errno::NOSYS].iter().any(|e| e.raw_os_error() == code)
}

/// A regular file with one name that belongs to this user: what drivelab creates, and what no other user can plant.
pub(super) fn is_ours(status: &Metadata) -> bool {
    status.is_file() && status.nlink() == 1 && status.uid() == rustix::process::geteuid().as_raw()
}

/// An exclusive lock, or an error of the kind "busy".
pub(super) fn lock(file: &File) -> io::Result<()> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => io::ErrorKind::ResourceBusy.into(),
        TryLockError::Error(error) => error,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn claim(filled: bool) -> ScratchClaim {
        ScratchClaim { filled, ..ScratchClaim::intent(RunId::now(), "/d/x".into(), Bytes::MIB) }
    }

    #[test]
    fn the_last_complete_line_counts_and_a_torn_one_does_not() {
        let (first, second) = (claim(false), claim(true));
        let mut bytes = first.line().expect("a line");
        let torn = second.line().expect("a line");
        bytes.extend(&torn[..torn.len() - 2]);
        assert_eq!(parse(&bytes), Some(first.clone()));
        bytes.extend(second.line().expect("a line"));
        assert_eq!(parse(&bytes), Some(second), "a line after a torn one is read");
        assert_eq!(parse(&[]), None);
    }

    #[test]
    fn a_newer_format_is_left_alone() {
        let mut bytes = claim(false).line().expect("a line");
        bytes.extend(b"{\"format\":2,\"more\":1}\n");
        assert_eq!(parse(&bytes), None);
    }

    #[test]
    fn after_a_reboot_the_time_of_birth_is_the_proof_and_before_it_the_device_too() {
        let mine = FileIdentity { device: 1, inode: 7, born: Some((5, 6)) };
        let moved = FileIdentity { device: 2, ..mine };
        assert!(mine.is(&mine, true));
        assert!(!mine.is(&moved, true));
        assert!(mine.is(&moved, false));
        assert!(!mine.is(&FileIdentity { born: Some((5, 7)), ..mine }, true), "another file has the inode now");
        let unknown = FileIdentity { born: None, ..mine };
        assert!(!unknown.is(&FileIdentity { device: 2, ..unknown }, false));
    }

    #[test]
    fn names_lead_to_runs_only_in_the_one_spelling() {
        let run = RunId::now();
        assert_eq!(run_of_name(&claim_name(run)), Some(run));
        assert_eq!(run_of_name(&claim_name(run).to_uppercase()), None);
        assert_eq!(run_of_name(".drivelab-scratch-x.claim"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic_and_any_prefix_gives_an_old_or_the_new_state(
            noise in proptest::collection::vec(any::<u8>(), 0..200), cut in 0usize..1000
        ) {
            parse(&noise);
            let (old, new) = (claim(false), claim(true));
            let mut bytes = old.line().expect("a line");
            let least = bytes.len();
            bytes.extend(new.line().expect("a line"));
            let cut = least + cut % (bytes.len() - least + 1);
            let found = parse(&bytes[..cut]);
            prop_assert!(found == Some(old) || found == Some(new));
        }
    }
}
