//! Scratch files that a killed run left behind: found by their claims, and removed only on proof.
//!
//! The proof is the claim together with device, inode and time of birth of a regular file with one name that belongs
//! to this user. A name alone proves nothing. Unproven files are neither listed nor touched.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use drivelab_core::units::Bytes;
use rustix::fs::OFlags;

use super::claim::{ClaimFile, ScratchClaim, is_ours, lock, run_of_name, scratch_name};
use super::error::{GuardError, system};
use super::open::open_existing;
use crate::error::{DeviceError, ErrorKind};
use crate::roots::names;

/// Whether a process still uses a scratch file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftoverState {
    /// Its process has ended.
    Orphan,
    /// A living process owns it.
    InUse,
}

/// A scratch file (or only its claim) that a run created and that is provably drivelab's.
#[derive(Debug)]
pub struct Leftover {
    folder: PathBuf,
    claim: ScratchClaim,
    state: LeftoverState,
}

impl Leftover {
    /// Its claim. The path is the file's present one, even if the folder was moved.
    #[must_use]
    pub fn claim(&self) -> &ScratchClaim {
        &self.claim
    }

    /// Whether it may be removed.
    #[must_use]
    pub fn state(&self) -> LeftoverState {
        self.state
    }
}

/// The result of examining a claim and the files next to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Examined {
    /// A living process owns it.
    InUse,
    /// Provably drivelab's: the file, or `None` if only the claim is left.
    Ours(Option<PathBuf>),
    /// Something has its name but is not provably the claimed file; the reason.
    Unproven(String),
}

/// Whether the file with this metadata is the claimed one.
fn proven(claim: &ScratchClaim, status: &Metadata) -> Result<(), &'static str> {
    match claim.file {
        _ if !status.is_file() => Err("something with its name is not a regular file"),
        _ if status.nlink() != 1 => Err("the file has a second name (a hard link)"),
        _ if !is_ours(status) => Err("the file belongs to another user"),
        None if status.len() == 0 && status.blocks() == 0 => Ok(()),
        None => Err("the claim was made before the file, and the file has content"),
        Some(_) if claim.is_of(status) => Ok(()),
        Some(_) => Err("another file has its name now"),
    }
}

/// Possible places of the claimed file: under the name in the claim, and under the run's own name, which every
/// scratch file has at first. Before the claim knows the file, only the latter can be drivelab's.
fn places(folder: &Path, claim: &ScratchClaim) -> Vec<PathBuf> {
    let own = folder.join(scratch_name(claim.run));
    let named = claim.path.file_name().filter(|_| claim.file.is_some()).map(|name| folder.join(name));
    let mut places = vec![own];
    if let Some(named) = named.filter(|named| *named != places[0]) {
        places.insert(0, named);
    }
    places
}

/// Looks for the claimed file. Does not check who owns the claim: its caller does.
pub(super) fn examine(folder: &Path, claim: &ClaimFile) -> Examined {
    let mut doubt = None;
    for place in places(folder, &claim.claim) {
        let Ok(status) = fs::symlink_metadata(&place) else { continue };
        if let Err(why) = proven(&claim.claim, &status) {
            doubt = doubt.or(Some(why.to_owned()));
            continue;
        }
        return match open_existing(&place, OFlags::empty()).map(|file| lock(&file).and_then(|()| file.unlock())) {
            Ok(Ok(())) => Examined::Ours(Some(place)),
            Ok(Err(_)) => Examined::InUse,
            Err(error) => Examined::Unproven(format!("it cannot be opened: {error}")),
        };
    }
    doubt.map_or(Examined::Ours(None), Examined::Unproven)
}

/// The scratch files that runs left in a folder.
///
/// # Errors
/// [`DeviceError`] if the folder cannot be read.
pub fn leftover_scratches(folder: &Path) -> Result<Vec<Leftover>, DeviceError> {
    let folder = fs::canonicalize(folder).map_err(DeviceError::system("cannot find", folder))?;
    fs::read_dir(&folder).map_err(DeviceError::system("cannot read the folder", &folder))?;
    let runs = names(&folder).into_iter().filter_map(|name| run_of_name(name.to_str()?));
    let found = runs.filter_map(|run| {
        let file = ClaimFile::open(&folder, run)?;
        let mut claim = file.claim.clone();
        let place = claim.path.file_name().map(|name| folder.join(name));
        claim.path = place.unwrap_or_else(|| folder.join(scratch_name(run)));
        let state = if file.has_owner() {
            LeftoverState::InUse
        } else {
            match examine(&folder, &file) {
                Examined::InUse => LeftoverState::InUse,
                Examined::Unproven(_) => return None,
                Examined::Ours(place) => {
                    claim.path = place.unwrap_or(claim.path);
                    LeftoverState::Orphan
                }
            }
        };
        Some(Leftover { folder: folder.clone(), claim, state })
    });
    Ok(found.collect())
}

/// Whether a file is a killed run's leftover or a living run's scratch file. A folder that this user may pass through
/// but not list holds none of this user's scratch files: creating one needs more rights.
///
/// # Errors
/// [`DeviceError`] if the folder cannot be inspected for another reason.
pub fn is_scratch(file: &Path) -> Result<bool, DeviceError> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    match leftover_scratches(folder) {
        Ok(leftovers) => Ok(leftovers.iter().any(|leftover| leftover.claim().path == file)),
        Err(error) if error.kind() == ErrorKind::NotPermitted => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes a leftover after proving again, under its lock, that it is drivelab's and has no owner. Returns the number
/// of freed bytes.
///
/// # Errors
/// [`GuardError::Busy`] if a process owns it, [`GuardError::Refused`] if the proof fails; it is then left alone.
#[expect(clippy::needless_pass_by_value, reason = "what is removed cannot be used any more")]
pub fn remove_leftover(leftover: Leftover) -> Result<Bytes, GuardError> {
    match ClaimFile::open(&leftover.folder, leftover.claim.run) {
        Some(claim) => remove(&leftover.folder, &claim),
        None => Ok(Bytes::default()),
    }
}

/// Removes the claimed file, then the claim: a kill in between leaves a claim without a file.
pub(super) fn remove(folder: &Path, claim: &ClaimFile) -> Result<Bytes, GuardError> {
    let path = || claim.claim.path.clone();
    let busy = || GuardError::Busy { path: path(), by: "another drivelab run owns it".into() };
    if !claim.own() {
        return Err(busy());
    }
    let freed = match examine(folder, claim) {
        Examined::InUse => return Err(busy()),
        Examined::Unproven(why) => return Err(GuardError::Refused { path: path(), why }),
        Examined::Ours(None) => Bytes::default(),
        Examined::Ours(Some(place)) => {
            let blocks = fs::symlink_metadata(&place).map_or(0, |status| status.blocks());
            match fs::remove_file(&place) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(system("cannot remove", &place)(error));
                }
                _ => Bytes::new(blocks.saturating_mul(512)),
            }
        }
    };
    claim.remove().map_err(system("cannot remove the claim of", &path()))?;
    Ok(freed)
}
