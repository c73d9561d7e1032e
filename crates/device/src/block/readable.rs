//! Targets that are only read: opened with O_RDONLY, so that the kernel itself refuses writes through them.
//!
//! Nothing can be lost, so a file or device in use is not refused but marked: [`TargetFacts::used_by`] and the
//! target's own reason report it. Must not know how a target becomes writable ([`crate::guard`]).

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use drivelab_core::environment::{BlockDeviceFacts, TargetFacts, TargetKind};
use drivelab_core::target::{DirectIo, ReadOnlyParts, ReadOnlyTarget};
use drivelab_core::units::Bytes;
use rustix::fs::OFlags;

use crate::block::block_use::users;
use crate::block::chain::chain;
use crate::block::named::Named;
use crate::block::node::BlockNode;
use crate::error::DeviceError;
use crate::place::direct::{self, Trial};
use crate::place::target::custom;
use crate::place::{mounts, target as place};
use crate::roots::Roots;

/// Offsets and lengths of every workload on files are multiples of this.
const BLOCK: Bytes = Bytes::new(4096);

/// A target that is open for reading, and its facts.
#[derive(Debug)]
pub struct OpenedToRead {
    /// For the engine.
    pub target: ReadOnlyTarget,
    /// For the record.
    pub facts: TargetFacts,
}

/// Opens a block device or a partition for reading; its users are reported, not refused.
///
/// # Errors
/// [`DeviceError`] if it cannot be opened (it needs root or the group `disk`) or is empty (a loop device without a
/// file, a card reader without a card).
pub fn open_device_to_read(node: &BlockNode) -> Result<OpenedToRead, DeviceError> {
    let roots = Roots::default();
    let (buffered, direct) = open_both(&node.path)?;
    let length = device_length(&buffered, node)?;
    if length.get() == 0 {
        return Err(DeviceError::Empty { path: node.path.clone() });
    }
    let used_by = users(&roots, node);
    let devices = device_chain(&roots, node);
    let logical_block = devices.first().map(|device| device.logical_block_size);
    let direct_io = direct::examine(&buffered, &direct, logical_block, Trial::Read);
    let mut reason = "it is a block device".to_owned();
    if !used_by.is_empty() {
        reason = format!("{reason}, and it is in use ({})", used_by.join("; "));
    }
    let facts = TargetFacts {
        path: node.path.clone(),
        kind: TargetKind::BlockDevice,
        length,
        file_system: None,
        devices,
        direct_io,
        used_by,
        holes: None,
    };
    Ok(finish(buffered, direct, reason, facts))
}

/// Opens a regular file for reading. The facts state how much of it is holes: the file system answers reads of holes
/// without the drive.
///
/// # Errors
/// [`DeviceError`] if it cannot be opened, is smaller than a block, or is a kernel interface (/proc, /sys).
pub fn open_file_to_read(path: &Path) -> Result<OpenedToRead, DeviceError> {
    if let Some(kind) = mounts::kernel_window(&Roots::default(), path) {
        return Err(DeviceError::Window { path: path.to_owned(), kind });
    }
    let (buffered, direct) = open_both(path)?;
    let status = buffered.metadata().map_err(DeviceError::system("cannot inspect", path))?;
    let length = Bytes::new(status.len()).align_down(BLOCK);
    if length.get() == 0 {
        return Err(DeviceError::Empty { path: path.to_owned() });
    }
    let facts = place::target_facts(path, TargetKind::NamedFile, length)?;
    let reason = "it is a file that drivelab did not make".to_owned();
    Ok(finish(buffered, direct, reason, facts))
}

/// Opens the zero device; addresses run to `length`, though none of them has a meaning there.
///
/// # Errors
/// [`DeviceError`] if it cannot be opened.
pub fn open_zero_to_read(path: &Path, length: Bytes) -> Result<OpenedToRead, DeviceError> {
    let (buffered, _) = open_both(path)?;
    let direct = Err(io::Error::other("not wanted"));
    let facts = facts_of_nothing(TargetKind::ZeroDevice, path, length);
    Ok(finish(buffered, direct, "it returns zeros and is read to measure drivelab itself".to_owned(), facts))
}

/// The block devices below the named target, uppermost first; none for a target that stores nothing.
///
/// # Errors
/// [`DeviceError`] if the file system that it lies on cannot be inspected.
pub fn devices_below(named: &Named) -> Result<Vec<BlockDeviceFacts>, DeviceError> {
    let folder = match named {
        Named::BlockDevice(node) => return Ok(device_chain(&Roots::default(), node)),
        Named::NullDevice(_) | Named::ZeroDevice(_) => return Ok(Vec::new()),
        Named::Folder(folder) => folder.as_path(),
        Named::ExistingFile(file) | Named::NewFile(file) => file.parent().unwrap_or(Path::new("/")),
    };
    Ok(place::folder_facts(folder)?.devices)
}

/// Facts about a block device that the write guard has opened.
#[must_use]
pub fn device_facts(node: &BlockNode, length: Bytes, direct_io: DirectIo) -> TargetFacts {
    TargetFacts {
        path: node.path.clone(),
        kind: TargetKind::BlockDevice,
        length,
        file_system: None,
        devices: device_chain(&Roots::default(), node),
        direct_io,
        used_by: Vec::new(),
        holes: None,
    }
}

/// Facts about a target that stores nothing.
#[must_use]
pub fn facts_of_nothing(kind: TargetKind, path: &Path, length: Bytes) -> TargetFacts {
    TargetFacts {
        path: path.to_owned(),
        kind,
        length,
        file_system: None,
        devices: Vec::new(),
        direct_io: no_direct_io(kind),
        used_by: Vec::new(),
        holes: None,
    }
}

/// The memory devices support no direct I/O: their driver does not offer it, so opening with O_DIRECT is refused
/// (EINVAL).
pub(crate) fn no_direct_io(kind: TargetKind) -> DirectIo {
    let reason = match kind {
        TargetKind::Nop => "no data is moved, so there is no page cache to bypass",
        _ => "a character device without storage: the kernel refuses O_DIRECT there, and no page cache is involved",
    };
    DirectIo { supported: false, memory_align: Bytes::new(1), offset_align: Bytes::new(1), reason: reason.to_owned() }
}

/// The device and everything below it.
pub(crate) fn device_chain(roots: &Roots, node: &BlockNode) -> Vec<BlockDeviceFacts> {
    chain(vec![node.folder.clone()], &|file| place::devices_of(roots, file, 0))
}

/// Length of an open block device: the offset of its end (lseek(2)).
pub(crate) fn device_length(file: &File, node: &BlockNode) -> Result<Bytes, DeviceError> {
    let mut file = file;
    let end = file.seek(SeekFrom::End(0)).map_err(DeviceError::system("cannot find the end of", &node.path))?;
    Ok(Bytes::new(end))
}

/// Without O_NONBLOCK: io_uring would take it to mean that the driver never needs to wait, which is not true of zram.
fn open_both(path: &Path) -> Result<(File, io::Result<File>), DeviceError> {
    let open = |flags: OFlags| {
        let flags = flags | OFlags::NOFOLLOW;
        OpenOptions::new().read(true).custom_flags(custom(flags)).open(path)
    };
    let unreadable = |source| DeviceError::Unreadable { path: path.to_owned(), source };
    let buffered = open(OFlags::empty()).map_err(unreadable)?;
    Ok((buffered, open(OFlags::DIRECT)))
}

fn finish(buffered: File, direct: io::Result<File>, reason: String, facts: TargetFacts) -> OpenedToRead {
    let direct = direct.ok().filter(|_| facts.direct_io.supported);
    let target = ReadOnlyTarget::new(ReadOnlyParts {
        path: facts.path.clone(),
        direct: direct.map(Into::into),
        buffered: buffered.into(),
        length: facts.length,
        direct_io: facts.direct_io.clone(),
        reason,
    });
    OpenedToRead { target, facts }
}
