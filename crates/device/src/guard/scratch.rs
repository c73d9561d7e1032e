//! Scratch files: created for one run, removed at its end, found again after a crash, never confused with another
//! file.
//!
//! The order makes a kill safe at any moment: the claim with the intent, durable, before the file; the file, empty,
//! under the run's own name; the claim with the file's inode, durable, before the file gets the user's name or any
//! length. So a file with content can always be proven, and a file without one can only have the run's own name.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;
use drivelab_core::target::{GuardDecision, WritableTarget};
use drivelab_core::units::Bytes;
use rustix::fs::{CWD, FallocateFlags, OFlags, RenameFlags, fallocate, renameat_with, statvfs};
use rustix::io::Errno;

use super::claim::{ClaimFile, ScratchClaim, lock, scratch_name};
use super::error::{GuardError, system};
use super::leftover::{self, Examined};
use super::open::{open_existing, same_inode, writable};
use crate::error::{DeviceError, ErrorKind};
use crate::place::direct::Trial;
use crate::place::target::custom;

/// The owner of a scratch file. Dropping it removes file and claim, unless [`Scratch::keep`] was called.
#[derive(Debug)]
pub struct Scratch {
    /// Holds the file's lock.
    file: File,
    path: PathBuf,
    claim: ClaimFile,
    /// Set if nothing is left to do on drop.
    released: bool,
}

/// Whether a scratch file that was opened again can be used as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whole {
    /// It was filled and has its full length.
    Whole,
    /// It has to be filled again, for this reason.
    NotWhole(String),
}

/// Creates a scratch file of `length` bytes in `folder` for `run`, called `file_name` if the user gave one.
///
/// # Errors
/// [`GuardError`] if the folder cannot take it or if the name exists. Nothing is then left behind.
pub fn make_scratch(
    folder: &Path,
    file_name: Option<&OsStr>,
    run: RunId,
    length: Bytes,
) -> Result<(WritableTarget, Scratch), GuardError> {
    let folder = fs::canonicalize(folder).map_err(system("cannot find", folder))?;
    let first_name = folder.join(scratch_name(run));
    let path = match file_name {
        None => first_name.clone(),
        Some(name) if Path::new(name).file_name() == Some(name) => folder.join(name),
        Some(name) => return Err(refuse(folder.join(name), "it is not a plain file name; name the file by its path")),
    };
    if path.to_str().is_none() {
        return Err(DeviceError::NotUtf8 { path }.into());
    }
    clear_own_leftover(&folder, run)?;
    if fs::symlink_metadata(&path).is_ok() {
        return Err(refuse(path, "something has that name already; name a folder, or a file that does not exist yet"));
    }
    check_space(&folder, length)?;
    let claim = ScratchClaim::intent(run, path.clone(), length);
    let claim = ClaimFile::create(&folder, claim).map_err(system("cannot make a scratch file in", &folder))?;
    let mut scratch = create_file(first_name, claim)?;
    let status = scratch.file.metadata().map_err(system("cannot inspect", &scratch.path))?;
    let claimed = scratch.claim.claim.clone().of_file(path.clone(), &status);
    scratch.claim.record(claimed).map_err(system("cannot record the claim of", &scratch.path))?;
    scratch.rename(path)?;
    allocate(&scratch.file, length).map_err(|error| scratch.full(&folder, length, error))?;
    let decision = GuardDecision {
        allowed_because: "drivelab created this file for the run, as a new file that nothing else had open".into(),
        destroy_named: None,
        device: None,
    };
    let target = writable(&scratch.path, &scratch.file, length, Trial::WriteAndRead, decision)?;
    Ok((target, scratch))
}

/// Opens the scratch file of an interrupted run again: the same file, or none.
///
/// # Errors
/// [`GuardError::Gone`] if it does not exist or is not provably the same; [`GuardError::Busy`] if a living process
/// owns it.
pub fn reopen_scratch(claim: &ScratchClaim) -> Result<(WritableTarget, Scratch, Whole), GuardError> {
    let gone = |why: &str| GuardError::Gone { path: claim.path.clone(), why: why.to_owned() };
    let busy = || GuardError::Busy { path: claim.path.clone(), by: "another drivelab run owns it".into() };
    let folder = claim.path.parent().ok_or_else(|| gone("its path has no folder"))?;
    let on_disk = ClaimFile::open(folder, claim.run).ok_or_else(|| gone("its claim does not exist"))?;
    if !on_disk.own() {
        return Err(busy());
    }
    if claim.file.is_some() && on_disk.claim.file != claim.file {
        return Err(gone("the claim there is for another file"));
    }
    let path = match leftover::examine(folder, &on_disk) {
        Examined::InUse => return Err(busy()),
        Examined::Unproven(why) => return Err(gone(&why)),
        Examined::Ours(None) => return Err(gone("only its claim is left")),
        Examined::Ours(Some(_)) if on_disk.claim.file.is_none() => return Err(gone("it was never given its length")),
        Examined::Ours(Some(path)) => path,
    };
    let file = open_existing(&path, OFlags::empty()).map_err(system("cannot open", &path))?;
    lock(&file).map_err(|_| busy())?;
    let status = file.metadata().map_err(system("cannot inspect", &path))?;
    if !on_disk.claim.is_of(&status) {
        return Err(gone("it was just replaced by another file"));
    }
    let whole = wholeness(&on_disk.claim, status.len(), status.blocks());
    let mut renewed = on_disk.claim.clone().of_file(path.clone(), &status);
    renewed.filled = whole == Whole::Whole;
    let length = renewed.length;
    let mut scratch = Scratch { file, path, claim: on_disk, released: false };
    let prepared = scratch.take_over(renewed, &whole).and_then(|()| {
        let decision = GuardDecision {
            allowed_because: "drivelab created this file for the same run; its claim, device, inode and birth agree"
                .into(),
            destroy_named: None,
            device: None,
        };
        writable(&scratch.path, &scratch.file, length, Trial::Read, decision)
    });
    match prepared {
        Ok(target) => Ok((target, scratch, whole)),
        Err(error) => {
            // A second attempt may succeed; the file is worth keeping.
            scratch.keep();
            Err(error)
        }
    }
}

fn refuse(path: PathBuf, why: &str) -> GuardError {
    GuardError::Refused { path, why: why.to_owned() }
}

/// Removes what the same run left behind here (it is being resumed, and its file has to be created again).
fn clear_own_leftover(folder: &Path, run: RunId) -> Result<(), GuardError> {
    let path = ClaimFile::path_of(folder, run);
    if fs::symlink_metadata(&path).is_err() {
        return Ok(());
    }
    let stays = "a claim of this run exists, but the file next to it is not provably drivelab's; check both and remove by \
                 hand what is not needed";
    let Some(claim) = ClaimFile::open(folder, run) else { return Err(refuse(path, stays)) };
    match leftover::remove(folder, &claim) {
        Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::Unfit) => Err(refuse(path, stays)),
        done => done.map(drop),
    }
}

fn free_space(folder: &Path) -> Result<Bytes, GuardError> {
    let space = statvfs(folder).map_err(system("cannot determine the free space of", folder))?;
    Ok(Bytes::new(space.f_bavail.saturating_mul(space.f_frsize)))
}

/// Checked before anything is created: some file systems would use up all free space before they report an error.
fn check_space(folder: &Path, needed: Bytes) -> Result<(), GuardError> {
    let free = free_space(folder)?;
    if free < needed { Err(GuardError::NoSpace { folder: folder.to_owned(), needed, free }) } else { Ok(()) }
}

/// Creates the file, new, empty and locked; removes the claim if that fails.
fn create_file(path: PathBuf, claim: ClaimFile) -> Result<Scratch, GuardError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600).custom_flags(custom(OFlags::NOFOLLOW));
    let file = match options.open(&path) {
        Ok(file) => file,
        Err(error) => {
            let _ = claim.remove();
            return Err(match error.kind() {
                io::ErrorKind::AlreadyExists => refuse(path, "a file that drivelab did not make has that name"),
                _ => system("cannot make", &path)(error),
            });
        }
    };
    let scratch = Scratch { file, path, claim, released: false };
    lock(&scratch.file).map_err(system("cannot lock", &scratch.path))?;
    Ok(scratch)
}

/// Gives the file its length, with reserved blocks if the file system supports that.
fn allocate(file: &File, length: Bytes) -> io::Result<()> {
    loop {
        match fallocate(file, FallocateFlags::empty(), 0, length.get()) {
            Err(Errno::INTR) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => return file.set_len(length.get()),
            done => return Ok(done?),
        }
    }
}

fn wholeness(claim: &ScratchClaim, length: u64, blocks: u64) -> Whole {
    if length != claim.length.get() {
        Whole::NotWhole(format!("it is {length} bytes long instead of {}", claim.length.get()))
    } else if !claim.filled {
        Whole::NotWhole("the run ended before it was filled".into())
    } else if blocks.saturating_mul(512) < length {
        Whole::NotWhole("parts of it are holes".into())
    } else {
        Whole::Whole
    }
}

impl Scratch {
    /// Its present claim; for the record of the run, so that it can be resumed.
    #[must_use]
    pub fn claim(&self) -> &ScratchClaim {
        &self.claim.claim
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records, durably, that every byte was written and made durable.
    ///
    /// # Errors
    /// [`GuardError::Device`] if the claim cannot be written.
    pub fn mark_filled(&mut self) -> Result<(), GuardError> {
        self.mark(true)
    }

    /// Records, durably, that its content is incomplete (a fill begins).
    ///
    /// # Errors
    /// [`GuardError::Device`] if the claim cannot be written.
    pub fn mark_unfilled(&mut self) -> Result<(), GuardError> {
        self.mark(false)
    }

    fn mark(&mut self, filled: bool) -> Result<(), GuardError> {
        let claim = ScratchClaim { filled, ..self.claim.claim.clone() };
        self.claim.record(claim).map_err(system("cannot record the state of", &self.path))
    }

    /// Removes file and claim, after checking that the name still leads to this file.
    ///
    /// # Errors
    /// [`GuardError`] if the file was renamed, replaced or given a second name; it is then left alone.
    pub fn remove(mut self) -> Result<(), GuardError> {
        self.released = true;
        self.remove_now()
    }

    /// Leaves file and claim for a later `resume`.
    pub fn keep(mut self) {
        self.released = true;
    }

    fn remove_now(&self) -> Result<(), GuardError> {
        let mine = self.file.metadata().map_err(system("cannot inspect", &self.path))?;
        match fs::symlink_metadata(&self.path) {
            Ok(found) if same_inode(&mine, &found) && mine.nlink() == 1 => {
                fs::remove_file(&self.path).map_err(system("cannot remove", &self.path))?;
            }
            Ok(found) if same_inode(&mine, &found) => {
                let why = "it was given a second name (a hard link); remove both by hand if they are not needed";
                return Err(refuse(self.path.clone(), why));
            }
            _ if mine.nlink() > 0 => {
                let why = "the scratch file was renamed; it still takes its space under the new name";
                return Err(refuse(self.path.clone(), why));
            }
            // Another program removed it; what has its name now is not drivelab's.
            _ => {}
        }
        self.claim.remove().map_err(system("cannot remove the claim of", &self.path))
    }

    /// Gives the file its final name if the name is free (renameat2, RENAME_NOREPLACE).
    fn rename(&mut self, path: PathBuf) -> Result<(), GuardError> {
        if path == self.path {
            return Ok(());
        }
        match renameat_with(CWD, &self.path, CWD, &path, RenameFlags::NOREPLACE) {
            Ok(()) => {
                self.path = path;
                Ok(())
            }
            Err(Errno::EXIST) => Err(refuse(path, "that name was just taken by something else")),
            Err(Errno::INVAL | Errno::NOSYS) => {
                let why =
                    "this file system cannot rename without the risk of replacing a file; name the folder instead";
                Err(refuse(path, why))
            }
            Err(error) => Err(system("cannot give the scratch file the name", &path)(error)),
        }
    }

    fn full(&self, folder: &Path, needed: Bytes, error: io::Error) -> GuardError {
        match ErrorKind::of(&error) {
            ErrorKind::NoSpace if error.kind() != io::ErrorKind::FileTooLarge => {
                let free = free_space(folder).unwrap_or_default();
                GuardError::NoSpace { folder: folder.to_owned(), needed, free }
            }
            _ => system("cannot give the scratch file its length:", &self.path)(error),
        }
    }

    /// Makes this process the owner; gives an incomplete file its length again.
    fn take_over(&mut self, renewed: ScratchClaim, whole: &Whole) -> Result<(), GuardError> {
        let length = renewed.length;
        self.claim.record(renewed).map_err(system("cannot record the claim of", &self.path))?;
        if *whole != Whole::Whole {
            let folder = self.path.parent().unwrap_or(Path::new("/")).to_owned();
            allocate(&self.file, length)
                .and_then(|()| self.file.set_len(length.get()))
                .map_err(|error| self.full(&folder, length, error))?;
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.released {
            let _ = self.remove_now();
        }
        // Closing alone would leave the lock with a child process that was just forked and has not called exec yet.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests;
