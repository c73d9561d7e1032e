//! What I/O goes to: the writable handle that only the write guard makes, a handle that can only read, or nothing at
//! all; and what direct I/O needs there.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// What the kernel says about O_DIRECT on a file (statx(2), STATX_DIOALIGN).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectIo {
    /// Whether direct I/O really bypasses the page cache here.
    pub supported: bool,
    /// Alignment of buffers.
    pub memory_align: Bytes,
    /// Alignment of offsets and lengths.
    pub offset_align: Bytes,
    /// How this is known, or why there is none.
    pub reason: String,
}

/// Why the guard let a target be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardDecision {
    /// The rule that allowed it, one sentence.
    pub allowed_because: String,
    /// What the user named with `--destroy`, where that was needed.
    pub destroy_named: Option<PathBuf>,
    /// Of a block device: which one it was, and what was found on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Box<GuardedDevice>>,
}

/// What the guard knew of a block device when it let it be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardedDevice {
    /// Which device.
    pub identity: DeviceIdentity,
    /// What was looked at to find content, one sentence.
    pub looked_at: String,
    /// What was found on it and overridden by the user's word: signatures, partition tables, data. Empty where nothing
    /// was found.
    pub overridden: Vec<String>,
    /// What kept others out while it was written, one sentence.
    pub held: String,
}

/// Which block device something is, whatever path led to it: the same however it was named, and another one when a
/// drive was swapped for its twin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceIdentity {
    /// The kernel's name, `nvme0n1`, `nvme0n1p2`.
    pub name: String,
    /// The kernel's name of the whole device.
    pub whole: String,
    /// Major and minor number, `259:0`.
    pub number: String,
    /// What the whole device calls itself.
    pub model: Option<String>,
    /// Serial number of the whole device.
    pub serial: Option<String>,
    /// The name that is the only one in the world: EUI-64, NGUID, NAA or UUID, as sysfs (`wwid`) prints it.
    pub wwid: Option<String>,
    /// Names of udev in `/dev/disk/by-id` that lead to it, without the folder.
    pub by_id: Vec<String>,
    /// Length of the device itself (of the partition, where it is one).
    pub capacity: Bytes,
    /// The kernel's count of disks (`diskseq`, Linux 5.15): a new one each time a disk appears or a loop device gets
    /// another file.
    pub diskseq: Option<u64>,
    /// The file under a loop device.
    pub backing_file: Option<PathBuf>,
}

impl DeviceIdentity {
    /// What differs from an identity that was seen before, one phrase each; empty where it is the same device. Names
    /// of udev may come and go and do not count, and neither does the number of a device that is known by its serial.
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
        differs("the kernel's count of it (diskseq)", count(before), count(self));
        changes
    }
}

/// What the guard hands over to make a [`WritableTarget`].
#[derive(Debug)]
pub struct GuardedParts {
    /// The file, for messages.
    pub path: PathBuf,
    /// Open for reading and writing with O_DIRECT; `None` where there is no direct I/O.
    pub direct: Option<OwnedFd>,
    /// Open for reading and writing through the page cache.
    pub buffered: OwnedFd,
    /// Bytes that may be written, from offset 0.
    pub length: Bytes,
    /// What direct I/O needs.
    pub direct_io: DirectIo,
    /// The decision.
    pub decision: GuardDecision,
    /// What keeps others out as long as the target is open: locks on other files, such as a partition's whole disk.
    pub held: Vec<OwnedFd>,
}

/// A target that may be written. Made only by `device::guard` (the tidy test holds it); the engine accepts nothing
/// else.
#[derive(Debug)]
pub struct WritableTarget(GuardedParts);

impl WritableTarget {
    /// For `device::guard` alone.
    #[must_use]
    pub const fn from_guard(parts: GuardedParts) -> Self {
        WritableTarget(parts)
    }

    /// The file, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The handle for direct or for buffered I/O; `None` where direct I/O is asked for and not there.
    #[must_use]
    pub fn handle(&self, direct: bool) -> Option<BorrowedFd<'_>> {
        if direct { self.0.direct.as_ref().map(AsFd::as_fd) } else { Some(self.0.buffered.as_fd()) }
    }

    /// Bytes that may be written, from offset 0.
    #[must_use]
    pub const fn length(&self) -> Bytes {
        self.0.length
    }

    /// The same with less of it to be written; never more.
    #[must_use]
    pub fn shortened(mut self, length: Bytes) -> Self {
        self.0.length = self.0.length.min(length);
        self
    }

    /// What direct I/O needs.
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

/// How writes to one NVMe namespace are placed by its own handles (Flexible Data Placement; Base Specification 2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementHandles {
    /// Major and minor number of the namespace's own block device: nothing else is written by placed commands, since
    /// those name blocks of the whole namespace.
    pub device: (u32, u32),
    /// The namespace's identifier (NSID).
    pub namespace: u32,
    /// Bytes of its logical block.
    pub logical_block: Bytes,
    /// Most bytes of one command, whole logical blocks.
    pub largest_command: Bytes,
    /// The handles that it has, in order, of the first reclaim group: there a placement identifier is the handle's
    /// number.
    pub handles: Vec<u16>,
}

impl PlacementHandles {
    /// Its handles, for messages: `0 to 2`, or each one where they do not follow each other.
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

/// A folder of a run's own, in which files may be made, written and removed. Made only by `device::guard`, as
/// [`WritableTarget`] is: everything in it is drivelab's.
#[derive(Debug)]
pub struct WritableFolder {
    path: PathBuf,
    folder: OwnedFd,
}

impl WritableFolder {
    /// For `device::guard` alone; `folder` is open with O_DIRECTORY.
    #[must_use]
    pub const fn from_guard(path: PathBuf, folder: OwnedFd) -> Self {
        WritableFolder { path, folder }
    }

    /// Where it is, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The handle from which names in it are resolved.
    #[must_use]
    pub fn handle(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// What [`ReadOnlyTarget`] is made of.
#[derive(Debug)]
pub struct ReadOnlyParts {
    /// The file or device, for messages.
    pub path: PathBuf,
    /// Open for reading only with O_DIRECT; `None` where there is no direct I/O.
    pub direct: Option<OwnedFd>,
    /// Open for reading only through the page cache.
    pub buffered: OwnedFd,
    /// Bytes that may be read, from offset 0.
    pub length: Bytes,
    /// What direct I/O needs.
    pub direct_io: DirectIo,
    /// Why it is not written to.
    pub reason: String,
}

/// A target that is open for reading only: the kernel itself refuses writes through its handles.
#[derive(Debug)]
pub struct ReadOnlyTarget(ReadOnlyParts);

impl ReadOnlyTarget {
    /// From handles that were opened with O_RDONLY.
    #[must_use]
    pub const fn new(parts: ReadOnlyParts) -> Self {
        ReadOnlyTarget(parts)
    }

    /// Why it is not written to.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.0.reason
    }
}

/// What an engine issues I/O to.
#[derive(Debug)]
pub enum IoTarget {
    /// May be written.
    Writable(Box<WritableTarget>),
    /// Can only be read.
    ReadOnly(ReadOnlyTarget),
    /// Nothing: operations end in the ring itself (`nop:`), which measures the engine alone. Addresses run to the
    /// length.
    Nop {
        /// Addresses that operations are spread over.
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
    /// The file or device, for messages; `nop:` where there is none.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            IoTarget::Writable(target) => target.path(),
            IoTarget::ReadOnly(target) => &target.0.path,
            IoTarget::Nop { .. } => Path::new("nop:"),
        }
    }

    /// The handle for direct or for buffered I/O; `None` where direct I/O is asked for and not there, and for `nop:`.
    #[must_use]
    pub fn handle(&self, direct: bool) -> Option<BorrowedFd<'_>> {
        match self {
            IoTarget::Writable(target) => target.handle(direct),
            IoTarget::ReadOnly(ReadOnlyTarget(parts)) if direct => parts.direct.as_ref().map(AsFd::as_fd),
            IoTarget::ReadOnly(ReadOnlyTarget(parts)) => Some(parts.buffered.as_fd()),
            IoTarget::Nop { .. } => None,
        }
    }

    /// Bytes that I/O may go to, from offset 0.
    #[must_use]
    pub const fn length(&self) -> Bytes {
        match self {
            IoTarget::Writable(target) => target.length(),
            IoTarget::ReadOnly(ReadOnlyTarget(parts)) => parts.length,
            IoTarget::Nop { length } => *length,
        }
    }

    /// What direct I/O needs; `None` for `nop:`.
    #[must_use]
    pub const fn direct_io(&self) -> Option<&DirectIo> {
        match self {
            IoTarget::Writable(target) => Some(target.direct_io()),
            IoTarget::ReadOnly(ReadOnlyTarget(parts)) => Some(&parts.direct_io),
            IoTarget::Nop { .. } => None,
        }
    }

    /// Why it must not be written, where that is so.
    #[must_use]
    pub fn read_only_because(&self) -> Option<&str> {
        match self {
            IoTarget::ReadOnly(target) => Some(target.reason()),
            IoTarget::Writable(_) | IoTarget::Nop { .. } => None,
        }
    }
}
