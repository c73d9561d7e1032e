//! Holding a block device: the exclusive claim, the lock on its whole disk, and waiting for programs that open it
//! briefly.
//!
//! Mounts, swap, md, dm and bcache claim their devices as O_EXCL does, so the holder of the claim keeps all of them
//! out. systemd keeps udev away from a disk whose node is locked (systemd, "Locking Block Device Access").

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::units::{Bytes, Nanos};
use rustix::fs::{OFlags, major, minor};
use rustix::io::Errno;

use super::claim::lock;
use super::error::{GuardError, system};
use crate::block::identity::node_named;
use crate::block::node::BlockNode;
use crate::block::readable::device_length;
use crate::error::DeviceError;
use crate::place::target::custom;
use crate::roots::Roots;

/// How often, and after which pause, the check of a device that is open elsewhere is repeated. Many programs open
/// devices only briefly: udev after each one was created or written, losetup and lsblk all of them.
const TRIES: u32 = 20;
const PAUSE: Nanos = Nanos::from_millis(100);

fn busy(node: &BlockNode, by: &str) -> GuardError {
    GuardError::Busy { path: node.path.clone(), by: by.to_owned() }
}

/// Waits up to two seconds for programs that have the device open only briefly.
pub(super) fn patiently<T>(look: impl Fn() -> Result<T, GuardError>) -> Result<T, GuardError> {
    let clock = MonotonicClock::starting_at(0);
    for _ in 0..TRIES {
        match look() {
            Err(GuardError::Busy { .. }) => {
                clock.sleep_until(clock.now_ns() + PAUSE.get(), &StopToken::default());
            }
            done => return done,
        }
    }
    look()
}

/// The whole disk, open for reading and locked: no other drivelab and no udev can take it in the meantime.
pub(super) fn lock_whole(node: &BlockNode) -> Result<File, GuardError> {
    let whole = if node.is_partition() {
        node_named(&Roots::default(), &node.whole).ok_or_else(|| DeviceError::Missing {
            path: Path::new("/dev").join(&node.whole),
            why: format!("the whole disk of {} has no node, so it cannot be locked; make one with mknod", node.name),
        })?
    } else {
        node.clone()
    };
    let file = open_to_look(&whole)?;
    lock(&file).map_err(|_| busy(node, "another process has locked its disk (another drivelab, or a disk tool)"))?;
    Ok(file)
}

/// Opens the device for reading, and checks that it is the right device.
pub(super) fn open_to_look(node: &BlockNode) -> Result<File, GuardError> {
    let file = OpenOptions::new().read(true).custom_flags(custom(OFlags::NOFOLLOW)).open(&node.path);
    let file = file.map_err(system("cannot open", &node.path))?;
    same_device(node, &file)?;
    Ok(file)
}

/// Opens the device for writing too, without a claim.
pub(super) fn open_to_write(path: &Path, flags: OFlags) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(custom(flags | OFlags::NOFOLLOW)).open(path)
}

/// Opens the only handle that has the claim.
pub(super) fn claim(node: &BlockNode) -> Result<File, GuardError> {
    let held = open_to_write(&node.path, OFlags::EXCL).map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::BUSY) => busy(node, "the kernel reports that it is claimed (by a mount, a volume or a program)"),
        _ => system("cannot open", &node.path)(error),
    })?;
    same_device(node, &held)?;
    Ok(held)
}

/// The length of the open device.
pub(super) fn length_of(file: &File, node: &BlockNode) -> Result<Bytes, GuardError> {
    match device_length(file, node)? {
        length if length.get() == 0 => Err(DeviceError::Empty { path: node.path.clone() }.into()),
        length => Ok(length),
    }
}

pub(super) fn same_device(node: &BlockNode, file: &File) -> Result<(), GuardError> {
    let status = file.metadata().map_err(system("cannot inspect", &node.path))?;
    let number = (major(status.rdev()), minor(status.rdev()));
    if status.file_type().is_block_device() && number == node.number {
        return Ok(());
    }
    Err(busy(node, "another device took its place just now"))
}
