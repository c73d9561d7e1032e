//! The target of I/O: the writable handle that only the write guard creates, a handle that can only read, or nothing
//! at all; and the requirements of direct I/O.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// What the kernel reports about O_DIRECT on a file (statx(2), STATX_DIOALIGN).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectIo {
    /// Whether direct I/O really bypasses the page cache here.
    pub supported: bool,
    /// Alignment of buffers.
    pub memory_align: Bytes,
    /// Alignment of offsets and lengths.
    pub offset_align: Bytes,
    /// How this is known, or why direct I/O is not supported.
    pub reason: String,
}

/// Why the guard allowed a target to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardDecision {
    /// The rule that allowed it, in one sentence.
    pub allowed_because: String,
    /// What the user named with `--destroy`, if that was needed.
    pub destroy_named: Option<PathBuf>,
    /// For a block device: its identity, and what was found on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Box<GuardedDevice>>,
}

/// What the guard knew about a block device when it allowed writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardedDevice {
    /// Identity of the device.
    pub identity: DeviceIdentity,
    /// What was checked for content, in one sentence.
    pub looked_at: String,
    /// Content that was found and that the user's `--destroy` overrides: signatures, partition tables, data. Empty if
    /// nothing was found.
    pub overridden: Vec<String>,
    /// What kept other programs out while it was written, in one sentence.
    pub held: String,
}

/// Identity of a block device: independent of the path that led to it, and different if a drive was swapped for one
/// of the same model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceIdentity {
    /// The kernel's name: `nvme0n1`, `nvme0n1p2`.
    pub name: String,
    /// The kernel's name of the whole device.
    pub whole: String,
    /// Major and minor number, `259:0`.
    pub number: String,
    /// Model that the whole device reports.
    pub model: Option<String>,
    /// Serial number of the whole device.
    pub serial: Option<String>,
    /// World-wide unique name: EUI-64, NGUID, NAA or UUID, as sysfs (`wwid`) prints it.
    pub wwid: Option<String>,
    /// udev names in `/dev/disk/by-id` that lead to it, without the folder.
    pub by_id: Vec<String>,
    /// Length of the device itself (of the partition, if it is one).
    pub capacity: Bytes,
    /// The kernel's disk sequence number (`diskseq`, Linux 5.15): a new one each time a disk appears or a loop device
    /// gets another file.
    pub diskseq: Option<u64>,
    /// The file under a loop device.
    pub backing_file: Option<PathBuf>,
}

impl DeviceIdentity {
    /// Differences from an identity that was seen before, one phrase each; empty if it is the same device. udev names
    /// may change and do not count; neither does the device number of a device that is known by its serial number.
    #[must_use]
    pub fn changes_since(&self, before: &DeviceIdentity) -> Vec<String> {
        let mut changes = Vec::new();
        let mut differs = |what: &str, before: Option<String>, now: Option<String>| {
            if before != now {
                let text = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
                changes.push(format!("{what} was {} and is {}", text(before), text(now)));
            }
        };
        differs("the serial number", before.serial.clone(), self.serial.clone());
        differs("the model", before.model.clone(), self.model.clone());
        differs("the wwid", before.wwid.clone(), self.wwid.clone());
        let bytes = |identity: &DeviceIdentity| Some(format!("{} bytes", identity.capacity.get()));
        differs("its size", bytes(before), bytes(self));
        let file = |identity: &DeviceIdentity| identity.backing_file.as_ref().map(|file| file.display().to_string());
        differs("the file under it", file(before), file(self));
        let count = |identity: &DeviceIdentity| identity.diskseq.map(|count| count.to_string());
        differs("the kernel's sequence number (diskseq)", count(before), count(self));
        changes
    }
}

/// What the guard passes on to make a [`WritableTarget`].
#[derive(Debug)]
pub struct GuardedParts {
    /// The file, for messages.
    pub path: PathBuf,
    /// Open for reading and writing with O_DIRECT; `None` if there is no direct I/O.
    pub direct: Option<OwnedFd>,
    /// Open for reading and writing through the page cache.
    pub buffered: OwnedFd,
    /// Bytes that may be written, from offset 0.
    pub length: Bytes,
    /// Requirements of direct I/O.
    pub direct_io: DirectIo,
    /// The guard's decision.
    pub decision: GuardDecision,
    /// Locks that keep other programs out while the target is open, on other files such as the whole disk of a
    /// partition.
    pub held: Vec<OwnedFd>,
}

/// A target that may be written. Only `device::guard` creates it (checked by the tidy test), and the engine accepts
/// nothing else.
#[derive(Debug)]
pub struct WritableTarget(GuardedParts);

impl WritableTarget {
    /// Only for `device::guard`.
    #[must_use]
    pub const fn from_guard(parts: GuardedParts) -> Self {
        WritableTarget(parts)
    }

    /// The file, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The handle for direct or buffered I/O; `None` if direct I/O is requested but not available.
    #[must_use]
    pub fn handle(&self, direct: bool) -> Option<BorrowedFd<'_>> {
        if direct { self.0.direct.as_ref().map(AsFd::as_fd) } else { Some(self.0.buffered.as_fd()) }
    }

    /// Bytes that may be written, from offset 0.
    #[must_use]
    pub const fn length(&self) -> Bytes {
        self.0.length
    }

    /// The same target, with at most this length to be written.
    #[must_use]
    pub fn shortened(mut self, length: Bytes) -> Self {
        self.0.length = self.0.length.min(length);
        self
    }

    /// Requirements of direct I/O.
    #[must_use]
    pub const fn direct_io(&self) -> &DirectIo {
        &self.0.direct_io
    }

    /// Why it may be written.
    #[must_use]
    pub const fn decision(&self) -> &GuardDecision {
        &self.0.decision
    }
}

/// The placement handles for writes to one NVMe namespace (Flexible Data Placement; Base Specification 2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementHandles {
    /// Major and minor number of the namespace's own block device. Placed commands write to nothing else, because
    /// they address blocks of the whole namespace.
    pub device: (u32, u32),
    /// The namespace's identifier (NSID).
    pub namespace: u32,
    /// Bytes of its logical block.
    pub logical_block: Bytes,
    /// Most bytes of one command, in whole logical blocks.
    pub largest_command: Bytes,
    /// Its handles in the first reclaim group, ascending: in that group a placement identifier is the handle's number.
    pub handles: Vec<u16>,
}

impl PlacementHandles {
    /// Its handles, for messages: `0 to 2`, or a list if they are not consecutive.
    #[must_use]
    pub fn handles_text(&self) -> String {
        match self.handles.as_slice() {
            [] => "none".to_owned(),
            [only] => only.to_string(),
            [first, .., last] if usize::from(last - first) + 1 == self.handles.len() => format!("{first} to {last}"),
            several => several.iter().map(u16::to_string).collect::<Vec<_>>().join(", "),
        }
    }
}

/// A folder of one run, in which files may be made, written and removed. Only `device::guard` creates it, like
/// [`WritableTarget`]: everything in it belongs to drivelab.
#[derive(Debug)]
pub struct WritableFolder {
    path: PathBuf,
    folder: OwnedFd,
}

impl WritableFolder {
    /// Only for `device::guard`; `folder` is open with O_DIRECTORY.
    #[must_use]
    pub const fn from_guard(path: PathBuf, folder: OwnedFd) -> Self {
        WritableFolder { path, folder }
    }

    /// Its path, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The handle for resolving names in it.
    #[must_use]
    pub fn handle(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// The parts of a [`ReadOnlyTarget`].
#[derive(Debug)]
pub struct ReadOnlyParts {
    /// The file or device, for messages.
    pub path: PathBuf,
    /// Open for reading only with O_DIRECT; `None` if there is no direct I/O.
    pub direct: Option<OwnedFd>,
    /// Open for reading only through the page cache.
    pub buffered: OwnedFd,
    /// Bytes that may be read, from offset 0.
    pub length: Bytes,
    /// Requirements of direct I/O.
    pub direct_io: DirectIo,
    /// Why it is not written.
    pub reason: String,
}

/// A target that is open for reading only: the kernel refuses writes through its handles.
#[derive(Debug)]
pub struct ReadOnlyTarget(ReadOnlyParts);

impl ReadOnlyTarget {
    /// From handles that were opened with O_RDONLY.
    #[must_use]
    pub const fn new(parts: ReadOnlyParts) -> Self {
        ReadOnlyTarget(parts)
    }

    /// Why it is not written.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.reason
    }
}

/// The target that an engine issues I/O to.
#[derive(Debug)]
pub enum IoTarget {
    /// A target that may be written.
    Writable(Box<WritableTarget>),
    /// A target that can only be read.
    ReadOnly(ReadOnlyTarget),
    /// Nothing: operations end in the ring itself (`nop:`), so that only the engine is measured. Addresses go up to
    /// the length.
    Nop {
        /// Length of the address range.
        length: Bytes,
    },
}

impl From<WritableTarget> for IoTarget {
    fn from(target: WritableTarget) -> Self {
        IoTarget::Writable(Box::new(target))
    }
}

impl From<ReadOnlyTarget> for IoTarget {
    fn from(target: ReadOnlyTarget) -> Self {
        IoTarget::ReadOnly(target)
    }
}

impl IoTarget {
    /// The file or device, for messages; `nop:` if there is none.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            IoTarget::Writable(target) => target.path(),
            IoTarget::ReadOnly(target) => &target.0.path,
            IoTarget::Nop { .. } => Path::new("nop:"),
        }
    }

    /// The handle for direct or buffered I/O; `None` if direct I/O is requested but not available, and for `nop:`.
    #[must_use]
    pub fn handle(&self, direct: bool) -> Option<BorrowedFd<'_>> {
        match self {
            IoTarget::Writable(target) => target.handle(direct),
            IoTarget::ReadOnly(ReadOnlyTarget(parts)) if direct => parts.direct.as_ref().map(AsFd::as_fd),
            IoTarget::ReadOnly(ReadOnlyTarget(parts)) => Some(parts.buffered.as_fd()),
            IoTarget::Nop { .. } => None,
        }
    }

    /// Bytes that I/O may use, from offset 0.
    #[must_use]
    pub const fn length(&self) -> Bytes {
        match self {
            IoTarget::Writable(target) => target.length(),
            IoTarget::ReadOnly(ReadOnlyTarget(parts)) => parts.length,
            IoTarget::Nop { length } => *length,
        }
    }

    /// Requirements of direct I/O; `None` for `nop:`.
    #[must_use]
    pub const fn direct_io(&self) -> Option<&DirectIo> {
        match self {
            IoTarget::Writable(target) => Some(target.direct_io()),
            IoTarget::ReadOnly(ReadOnlyTarget(parts)) => Some(&parts.direct_io),
            IoTarget::Nop { .. } => None,
        }
    }

    /// Why it must not be written; `None` if it may be.
    #[must_use]
    pub fn read_only_because(&self) -> Option<&str> {
        match self {
            IoTarget::ReadOnly(target) => Some(target.reason()),
            IoTarget::Writable(_) | IoTarget::Nop { .. } => None,
        }
    }
}
