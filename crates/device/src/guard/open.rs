//! Opening a file for writing: comparing files, and the last step of every way through the guard.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use drivelab_core::target::{GuardDecision, GuardedParts, WritableTarget};
use drivelab_core::units::Bytes;
use rustix::fs::OFlags;

use super::error::{GuardError, system};
use crate::place::direct::{self, Trial};
use crate::place::target::{custom, surroundings};
use crate::roots::Roots;

/// Whether two metadata belong to the same file.
pub(super) fn same_inode(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Opens an existing regular file for reading and writing; never creates, truncates or follows a link.
pub(super) fn open_existing(path: &Path, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new().read(true).write(true).custom_flags(custom(flags)).open(path)
}

/// The last step of every way through the guard: opens the second handle for direct I/O, checks that it is the same
/// file, and returns both.
pub(super) fn writable(
    path: &Path,
    buffered: &File,
    length: Bytes,
    trial: Trial,
    decision: GuardDecision,
) -> Result<WritableTarget, GuardError> {
    let (_, devices) = surroundings(&Roots::default(), path)?;
    let logical_block = devices.first().map(|device| device.logical_block_size);
    let opened = buffered.metadata().map_err(system("cannot inspect", path))?;
    let mut direct = open_existing(path, OFlags::DIRECT);
    if let Ok(file) = &direct
        && !same_inode(&opened, &file.metadata().map_err(system("cannot inspect", path))?)
    {
        return Err(GuardError::Busy { path: path.to_owned(), by: "it was just replaced by another file".into() });
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
