//! The write guard: the only place where a [`WritableTarget`] is made, and so the only way to write for a run.
//!
//! Four ways lead to one: drivelab makes a scratch file of its own ([`make_scratch`], [`reopen_scratch`]), and where
//! sets of files are worked on, a folder of its own ([`make_folder`]); the user
//! released a regular file by naming it twice ([`authorise_file`]), or a block device by its serial number
//! ([`authorise_device`], or [`release_device`] for a disk that is partitioned or encrypted first); or it is the null
//! device, which keeps nothing ([`authorise_null`]). Refusing is the default. docs/safety.md lists what is promised and
//! which test holds it. Must not know workloads, plans or how figures are made.

mod block_device;
mod claim;
mod content;
mod destroy;
mod drive;
mod existing;
mod folder;
mod hold;
mod in_use;
mod leftover;
mod loop_file;
mod null;
pub(crate) mod read_at;
mod released;
pub(crate) mod sampling;
mod scratch;
mod signature;
mod system_disk;

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use drivelab_core::target::{GuardDecision, GuardedParts, WritableTarget};
use drivelab_core::units::Bytes;
use rustix::fs::OFlags;

pub use block_device::{
    Preview, authorise_device, known_content, look_again, nobody_has_it_open, outlook, preview_device, release_device,
    still_planned,
};
pub use claim::{FileIdentity, ScratchClaim};
pub use destroy::{Destroy, flag_of, id_of};
pub use drive::{Reach, may_destroy, permit_to_destroy};
pub use existing::authorise_file;
pub use folder::{RunFolder, clear_folders, make_folder};
pub use leftover::{Leftover, LeftoverState, is_scratch, leftover_scratches, remove_leftover};
pub use null::authorise_null;
pub use released::Released;
pub use scratch::{Scratch, Whole, make_scratch, reopen_scratch};

use crate::direct::{self, Trial};
use crate::error::{DeviceError, ErrorKind};
use crate::place::{custom, surroundings};
use crate::roots::Roots;

/// Why the guard did not hand over a target. Nothing was changed where it says so.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// It could destroy what drivelab did not make.
    #[error("refusing to write to {path}: {why}")]
    Refused {
        /// What was to be written.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// Somebody works with the file now.
    #[error("{path} is in use: {by}; stop that first, or name another target")]
    Busy {
        /// What was to be written.
        path: PathBuf,
        /// Who uses it and how.
        by: String,
    },
    /// The device is set read-only.
    #[error(
        "{path} is set read-only in the kernel; make it writable (a loop device: attach it again without --read-only), or \
         only read it"
    )]
    ReadOnly {
        /// The device.
        path: PathBuf,
    },
    /// The scratch file of an interrupted run is not there any more, or cannot be proven to be the same.
    #[error("the scratch file {path} is gone: {why}; it has to be made and filled again")]
    Gone {
        /// Where it was.
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// A named file is smaller than one block.
    #[error(
        "{path} holds {length} bytes, less than one block of 4 KiB, so nothing can be measured on it; name a larger file, \
         or a folder"
    )]
    TooSmall {
        /// The file.
        path: PathBuf,
        /// Its length.
        length: u64,
    },
    /// The scratch file does not fit.
    #[error(
        "{folder} has no room for a scratch file of {}: {} are free; free some space, ask for a smaller file, or name a \
         folder on another file system (nothing was left behind)", needed.about(), free.about()
    )]
    NoSpace {
        /// Where it was to be made.
        folder: PathBuf,
        /// Its size.
        needed: Bytes,
        /// Free for this user.
        free: Bytes,
    },
    /// The path is wrong or the system said no.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl GuardError {
    /// The sort of trouble.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            GuardError::Refused { .. } | GuardError::ReadOnly { .. } => ErrorKind::Refused,
            GuardError::Busy { .. } => ErrorKind::Busy,

            GuardError::Gone { .. } => ErrorKind::Missing,
            GuardError::TooSmall { .. } | GuardError::NoSpace { .. } => ErrorKind::NoSpace,
            GuardError::Device(error) => error.kind(),
        }
    }

    /// Whether the scratch file is gone and should be made again.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        matches!(self, GuardError::Gone { .. })
    }
}

/// For `map_err`: what was tried and where.
fn system<E: Into<io::Error>>(what: &'static str, path: &Path) -> impl FnOnce(E) -> GuardError {
    let device = DeviceError::system(what, path);
    move |source| GuardError::Device(device(source))
}

/// Whether two looks saw the same file.
fn same_inode(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Opens an existing regular file for reading and writing; never creates, truncates or follows a link.
fn open_existing(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new().read(true).write(true).custom_flags(custom(flags)).open(path)
}

/// The end of every way through the guard: opens the second handle past the page cache, makes sure that it is the
/// same file, and hands both over.
fn writable(
    path: &Path,
    buffered: &File,
    length: Bytes,
    trial: Trial,
    decision: GuardDecision,
) -> Result<WritableTarget, GuardError> {
    let (_, devices) = surroundings(&Roots::default(), path)?;
    let logical_block = devices.first().map(|device| device.logical_block_size);
    let opened = buffered.metadata().map_err(system("cannot look at", path))?;
    let mut direct = open_existing(path, OFlags::DIRECT);
    if let Ok(file) = &direct
        && !same_inode(&opened, &file.metadata().map_err(system("cannot look at", path))?)
    {
        return Err(GuardError::Busy { path: path.to_owned(), by: "it was replaced by another file just now".into() });
    }
    let direct_io = direct::examine(buffered, &direct, logical_block, trial);
    if !direct_io.supported {
        direct = Err(io::Error::other("not wanted"));
    }
    let buffered = buffered.try_clone().map_err(system("cannot open", path))?;
    Ok(WritableTarget::from_guard(GuardedParts {
        path: path.to_owned(),
        direct: direct.ok().map(Into::into),
        buffered: buffered.into(),
        length,
        direct_io,
        decision,
        held: Vec::new(),
    }))
}
