//! The folders of a run: created for its sets of files, removed at its end, found again after a crash.
//!
//! `.drivelab-files-<run>` holds a claim and the engine's files. It is always created new (mkdir(2) refuses an
//! existing name), is locked while its run lives, and is removed only on proof that it is drivelab's: folder of this
//! user, claim with its device, inode and birth, names as the engine gives them. Anything else in it stays, and so
//! does the folder.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;
use drivelab_core::target::WritableFolder;
use drivelab_core::units::Bytes;
use rustix::fs::OFlags;

use super::claim::{ScratchClaim, lock, parse};
use super::error::{GuardError, system};
use super::open::same_inode;
use crate::error::DeviceError;
use crate::place::target::custom;
use crate::roots::names;

const PREFIX: &str = ".drivelab-files-";
const CLAIM: &str = "claim";
/// A claim is one line; nothing larger is read.
const LARGEST: u64 = 1 << 16;

/// The owner of a run's folder. Dropping it removes the folder and the run's files in it.
#[derive(Debug)]
pub struct RunFolder {
    /// The folder, open and locked.
    folder: File,
    path: PathBuf,
    /// Set if nothing is left to do on drop.
    released: bool,
}

/// Creates a run's own folder inside `parent`, after removing what a killed process of the same run left of it.
///
/// # Errors
/// [`GuardError`] if it cannot be created, or if its name belongs to something that is not provably drivelab's.
pub fn make_folder(parent: &Path, run: RunId) -> Result<(WritableFolder, RunFolder), GuardError> {
    let parent = fs::canonicalize(parent).map_err(system("cannot find", parent))?;
    let path = parent.join(format!("{PREFIX}{run}"));
    if path.to_str().is_none() {
        return Err(DeviceError::NotUtf8 { path }.into());
    }
    if fs::symlink_metadata(&path).is_ok() {
        remove_left(&path, run)?;
    }
    DirBuilder::new().mode(0o700).create(&path).map_err(system("cannot make", &path))?;
    let opened = open(&path).and_then(|folder| lock(&folder).map(|()| folder));
    let folder = opened.map_err(|error| {
        let _ = fs::remove_dir(&path);
        system("cannot open", &path)(error)
    })?;
    let owner = RunFolder { folder, path, released: false };
    owner.claim(run).map_err(system("cannot record the claim of", &owner.path))?;
    let handle = owner.folder.try_clone().map_err(system("cannot open", &owner.path))?;
    Ok((WritableFolder::from_guard(owner.path.clone(), handle.into()), owner))
}

/// Removes the folders that killed runs left in `parent`; returns their paths and runs.
///
/// # Errors
/// [`GuardError`] if one is provably drivelab's and cannot be removed.
pub fn clear_folders(parent: &Path) -> Result<Vec<(PathBuf, RunId)>, GuardError> {
    let parent = fs::canonicalize(parent).map_err(system("cannot find", parent))?;
    let mut removed = Vec::new();
    for name in names(&parent) {
        let run = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<RunId>().ok());
        let Some(run) = run else { continue };
        let path = parent.join(&name);
        match remove_left(&path, run) {
            Ok(()) => removed.push((path, run)),
            // A living process uses it, or its owner is unknown: left alone.
            Err(GuardError::Busy { .. } | GuardError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(removed)
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(custom(OFlags::DIRECTORY | OFlags::NOFOLLOW)).open(path)
}

/// Removes the folder of a run whose process has ended.
fn remove_left(path: &Path, run: RunId) -> Result<(), GuardError> {
    let refuse = |why: &str| Err(GuardError::Refused { path: path.to_owned(), why: why.to_owned() });
    let Ok(folder) = open(path) else { return refuse("something with the name of a run's folder is not a folder") };
    if lock(&folder).is_err() {
        return Err(GuardError::Busy { path: path.to_owned(), by: "another drivelab run owns it".into() });
    }
    let status = folder.metadata().map_err(system("cannot inspect", path))?;
    let is_mine = status.uid() == rustix::process::geteuid().as_raw();
    if !is_mine || !(claimed(path, run, &status) || names(path).is_empty()) {
        return refuse(
            "it has the name of a run's folder and is not provably drivelab's; check it and remove it by hand",
        );
    }
    RunFolder { folder, path: path.to_owned(), released: false }.remove()
}

/// Whether the claim in the folder is for this run and this folder.
fn claimed(path: &Path, run: RunId, status: &Metadata) -> bool {
    let options = OpenOptions::new().read(true).custom_flags(custom(OFlags::NOFOLLOW)).open(path.join(CLAIM));
    let mut bytes = Vec::new();
    let read = options.and_then(|file| file.take(LARGEST).read_to_end(&mut bytes));
    read.is_ok() && parse(&bytes).is_some_and(|claim| claim.run == run && claim.is_of(status))
}

impl RunFolder {
    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder and the run's files in it.
    ///
    /// # Errors
    /// [`GuardError`] if it contains something that drivelab did not create, or if its name leads elsewhere now; it
    /// is then left alone.
    pub fn remove(mut self) -> Result<(), GuardError> {
        self.released = true;
        self.remove_now()
    }

    fn claim(&self, run: RunId) -> io::Result<()> {
        let claim = ScratchClaim::intent(run, self.path.clone(), Bytes::new(0));
        let claim = claim.of_file(self.path.clone(), &self.folder.metadata()?);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.path.join(CLAIM))?;
        file.write_all(&claim.line()?)?;
        file.sync_all()?;
        self.folder.sync_all()
    }

    fn remove_now(&self) -> Result<(), GuardError> {
        let look = system("cannot inspect", &self.path);
        let mine = self.folder.metadata().map_err(look)?;
        match fs::symlink_metadata(&self.path) {
            Ok(found) if same_inode(&mine, &found) => {}
            // Another program removed or replaced it; what has its name now is not drivelab's.
            _ => return Ok(()),
        }
        empty(&self.path, mine.dev(), 0).map_err(system("cannot remove what is in", &self.path))?;
        match fs::remove_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                let why =
                    "it contains something that drivelab did not create; move that out and remove the folder by hand";
                Err(GuardError::Refused { path: self.path.clone(), why: why.to_owned() })
            }
            done => done.map_err(system("cannot remove", &self.path)),
        }
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.released {
            let _ = self.remove_now();
        }
        let _ = self.folder.unlock();
    }
}

/// Whether the engine uses such names at that depth: sets and the claim, folders of a set, files.
fn is_ours(name: &str, depth: u32, is_folder: bool) -> bool {
    let digits = |letter: char| {
        name.strip_prefix(letter).is_some_and(|rest| rest.len() >= 3 && rest.chars().all(|c| c.is_ascii_digit()))
    };
    let is_set = || {
        let stem = name.strip_suffix(".copy").unwrap_or(name);
        stem.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    match (depth, is_folder) {
        (0, false) => name == CLAIM,
        (0, true) => is_set(),
        (1, true) => digits('d'),
        (2, false) => digits('f'),
        _ => false,
    }
}

/// Removes the engine's files in a folder, on the same file system; other names stay. The claim is removed last, so
/// that a kill in between leaves a folder that can still be proven.
fn empty(path: &Path, device: u64, depth: u32) -> io::Result<()> {
    let mut last = None;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let status = fs::symlink_metadata(entry.path())?;
        let name = entry.file_name();
        if status.dev() != device || !name.to_str().is_some_and(|name| is_ours(name, depth, status.is_dir())) {
            continue;
        }
        if status.is_dir() {
            empty(&entry.path(), device, depth + 1)?;
            // What is left in it is not drivelab's.
            let _ = fs::remove_dir(entry.path());
        } else if depth == 0 {
            last = Some(entry.path());
        } else if status.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    let others = fs::read_dir(path)?.count() > usize::from(last.is_some());
    last.filter(|_| !others).map_or(Ok(()), fs::remove_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_folder(parent: &Path, run: RunId) -> PathBuf {
        parent.join(format!("{PREFIX}{run}"))
    }

    /// A folder as a killed process leaves it.
    fn killed(parent: &Path, run: RunId) -> PathBuf {
        let (_, mut owner) = make_folder(parent, run).expect("a folder");
        fs::create_dir_all(owner.path.join("large/d000")).expect("a set");
        fs::write(owner.path.join("large/d000/f00000000"), b"data").expect("a file");
        owner.released = true;
        run_folder(parent, run)
    }

    #[test]
    fn a_folder_goes_with_what_the_run_made_and_with_nothing_else() {
        let parent = tempfile::tempdir().expect("a folder");
        let (handle, owner) = make_folder(parent.path(), RunId::now()).expect("a folder");
        let path = owner.path().to_owned();
        assert_eq!(handle.path(), path);
        fs::create_dir_all(path.join("small.copy/d001")).expect("a set");
        fs::write(path.join("small.copy/d001/f00001000"), b"data").expect("a file");
        owner.remove().expect("removed");
        assert!(!path.exists());
        let (_, owner) = make_folder(parent.path(), RunId::now()).expect("a folder");
        fs::write(owner.path().join("photo.jpg"), b"mine").expect("a file");
        let path = owner.path().to_owned();
        let error = owner.remove().expect_err("something else is in it");
        assert!(error.to_string().contains("did not create"), "{error}");
        assert_eq!(fs::read(path.join("photo.jpg")).expect("still there"), b"mine");
    }

    #[test]
    fn what_a_killed_run_left_is_removed_only_on_proof() {
        let parent = tempfile::tempdir().expect("a folder");
        let (living, run) = (make_folder(parent.path(), RunId::now()).expect("a folder"), RunId::now());
        let left = killed(parent.path(), run);
        let foreign = run_folder(parent.path(), RunId::now());
        fs::create_dir(&foreign).expect("a folder");
        fs::write(foreign.join("claim"), b"{}").expect("a file");
        let removed = clear_folders(parent.path()).expect("cleared");
        assert_eq!(removed, [(left.canonicalize().unwrap_or_else(|_| left.clone()), run)]);
        assert!(!left.exists() && foreign.join("claim").exists() && living.1.path().exists());
        killed(parent.path(), run);
        let (_, again) = make_folder(parent.path(), run).expect("the same run makes it again");
        assert!(!again.path().join("large").exists());
    }
}
