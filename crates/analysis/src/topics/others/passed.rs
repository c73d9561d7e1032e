//! How many bytes the devices below a layer read and write for the bytes that went into it: the usual worst case for
//! the load (`due`) and the most that is possible (`allowed`).
//!
//! More than `allowed` is other I/O; between the two the cause is unknown. An undisturbed device stays below `due` and
//! gets no mark.

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

/// The most that a page cache moves for random blocks shorter than its read-ahead, as a multiple of the load's bytes.
/// It usually moves each byte once, but reads ahead if blocks are close together.
const CACHE_TIMES: f64 = 2.0;
/// Bytes that the kernel reads ahead by default (`read_ahead_kb`).
const READ_AHEAD: f64 = 131_072.0;
/// Bytes that a page cache may have read ahead of a load when its execution ends: several windows for each stream.
const AHEAD_AT_THE_END: f64 = 4_194_304.0;
/// Bytes of a page: for smaller blocks written to a page cache or an md array, whole pages are read and written.
const PAGE: f64 = 4096.0;

/// File systems that write overwritten data to another place.
const WRITE_ELSEWHERE: [&str; 5] = ["btrfs", "bcachefs", "f2fs", "nilfs2", "zfs"];
/// Bytes of its trees that such a file system writes for a random block: a path of nodes of 16 KiB, which other blocks
/// changed too. That is seven times a block of 4 KiB, and 3 % of a block of 1 MiB.
const TREES_WRITE: f64 = 28_672.0;
/// Bytes of its trees that it reads for that.
const TREES_READ: f64 = 8192.0;
/// Bytes of its trees that it writes for sequential blocks, as a share of their bytes: neighbours share a node. An
/// extent of 4 KiB has about 300 bytes in three trees, each of which may have two copies.
const TREES_IN_ORDER: f64 = 0.25;
/// Multiple of the load's bytes that it may write, whatever the load: with little free space it moves live data.
const ELSEWHERE_TIMES: f64 = 8.0;
/// Most copies of a block that it keeps, on as many devices (`raid1c4` of btrfs).
const ELSEWHERE_COPIES: usize = 4;

/// The most that a write to an array with parity writes to all devices together (RAID 6), as a multiple of its bytes.
const PARITY_TIMES: f64 = 3.0;
/// Bytes of an array for each bit of its write-intent bitmap: 2 MiB in LVM, 64 MiB and more in md.
const REGION: f64 = 2_097_152.0;
/// The least seconds after which a bit is cleared and must be set again.
const BIT_STAYS_S: f64 = 5.0;

/// Reads and writes, in bytes or by their number.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Moved {
    pub read: f64,
    pub write: f64,
}

impl Moved {
    pub(super) fn sum(self) -> f64 {
        self.read + self.write
    }

    pub(super) fn plus(self, other: Moved) -> Moved {
        Moved { read: self.read + other.read, write: self.write + other.write }
    }

    /// The same with this many more writes.
    pub(super) fn and_writes(self, more: f64) -> Moved {
        Moved { write: self.write + more, ..self }
    }

    pub(super) fn times(self, factor: f64) -> Moved {
        Moved { read: factor * self.read, write: factor * self.write }
    }

    pub(super) fn or_more(self, other: Moved) -> Moved {
        Moved { read: self.read.max(other.read), write: self.write.max(other.write) }
    }

    /// The part beyond `allowed`, of reads and of writes.
    pub(super) fn beyond(self, allowed: Moved) -> f64 {
        (self.read - allowed.read).max(0.0) + (self.write - allowed.write).max(0.0)
    }
}

/// What is due and what is allowed, if these are the same.
pub(super) const fn alike(moved: Moved) -> (Moved, Moved) {
    (moved, moved)
}

/// Whether a file system of this kind writes overwritten data to another place.
pub(super) fn writes_elsewhere(kind: &str) -> bool {
    WRITE_ELSEWHERE.contains(&kind)
}

/// Whether a group flushes its writes, for which a file system adds writes of its own.
fn flushes(group: &Workload) -> bool {
    group.other.sync_every > 0 || !group.other.flush_percent.is_zero()
}

/// The shortest block of a load, at most the read-ahead of a page cache.
fn shortest(workload: &Workload) -> f64 {
    let of_group = |group: &Workload| match &group.replay {
        // The sizes of a trace differ from operation to operation.
        Some(_) => PAGE,
        None => group.block_sizes().into_iter().map(Bytes::as_f64).fold(READ_AHEAD, f64::min),
    };
    workload.groups().map(of_group).fold(READ_AHEAD, f64::min)
}

/// Multiple of its bytes that a block takes in whole pages.
fn pages(block: f64) -> f64 {
    (PAGE / block.max(1.0)).max(1.0)
}

/// I/O below a page cache. A write of less than a page reads the page first.
pub(super) fn through_cache(own: Moved, held_back: f64, workload: &Workload) -> (Moved, Moved) {
    let block = shortest(workload);
    let pages = pages(block);
    let read = if pages > 1.0 { pages * own.sum() } else { own.read };
    let ahead = if own.read > 0.0 { AHEAD_AT_THE_END } else { 0.0 };
    let due = Moved { read: read + ahead, write: own.write * pages + held_back };
    if block >= READ_AHEAD || workload.groups().all(Workload::goes_in_order) {
        return alike(due);
    }
    let most =
        Moved { read: CACHE_TIMES * own.sum().max(read) + ahead, write: CACHE_TIMES * own.write * pages + held_back };
    (due, most)
}

/// I/O below a file system that never overwrites, for this many writes; otherwise `due` and `allowed` would apply.
pub(super) fn elsewhere(
    own: Moved,
    (due, allowed): (Moved, Moved),
    writes: f64,
    devices: usize,
    workload: &Workload,
) -> (Moved, Moved) {
    let in_order = workload.groups().all(|group| group.goes_in_order() && !flushes(group));
    let trees = if in_order {
        Moved { read: 0.0, write: TREES_IN_ORDER * due.write }
    } else {
        Moved { read: TREES_READ * writes, write: TREES_WRITE * writes }
    };
    let copies = devices.clamp(1, ELSEWHERE_COPIES) as f64;
    let due = Moved { write: copies * due.write, ..due }.plus(trees);
    let most = Moved { read: allowed.read + CACHE_TIMES * own.write, write: ELSEWHERE_TIMES * own.write };
    (due, due.or_more(allowed).or_more(most))
}

/// An array of several devices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Array {
    /// Devices that hold its data.
    pub members: f64,
    /// Bytes of the write-intent bitmap that each of them writes.
    pub bitmap: f64,
}

impl Array {
    /// A mirror: a copy on each member, or this number of copies.
    pub(super) fn copies(self, own: Moved, copies: Option<f64>) -> (Moved, Moved) {
        let write = copies.unwrap_or(self.members) * own.write + self.members * self.bitmap;
        alike(Moved { write, ..own })
    }

    /// An array with `parity` devices of parity. A write of less than a stripe reads the old data and the parity, or
    /// the rest of its stripe if that is less, and writes the data and the parity. Writes of whole stripes cannot be
    /// recognised, and more is read only if a device is missing.
    pub(super) fn parity(self, own: Moved, parity: f64, workload: &Workload) -> (Moved, Moved) {
        let pages = pages(shortest(workload));
        let written = pages * own.write;
        let replaced = 1.0 + parity;
        let rest_of_stripe = (self.members - 2.0).max(0.0);
        let read = if pages > 1.0 { replaced } else { replaced.min(rest_of_stripe) };
        let bitmap = self.members * self.bitmap;
        let due = Moved { read: own.read + read * written, write: replaced * written + bitmap };
        // The data of a missing device is read from all the others.
        let missing = (self.members - 1.0).max(1.0) * own.read;
        let most = Moved { read: missing + self.members * written, write: PARITY_TIMES * written + bitmap };
        (due, due.or_more(most))
    }
}

/// The number of devices that hold the data of an array. Devices that are far too small for a share of it do not count:
/// LVM keeps its bitmaps on separate ones.
pub(super) fn members(array: &BlockDeviceFacts, devices: &[BlockDeviceFacts]) -> f64 {
    let number = array.lies_on.len() as f64;
    let holds_data = |name: &&String| {
        let facts = devices.iter().find(|device| device.name == **name);
        facts.is_none_or(|facts| facts.capacity.as_f64() * number >= array.capacity.as_f64())
    };
    (array.lies_on.iter().filter(holds_data).count() as f64).max(1.0)
}

/// Bytes of an array's bitmap that each member writes: at most a page before each write, and for each region a page
/// when its bit is set.
pub(super) fn bitmap(writes: f64, array: &BlockDeviceFacts, workload: &Workload, seconds: f64) -> f64 {
    let spans: f64 = workload.groups().map(|group| group.span.length.as_f64()).sum();
    let touched = if workload.files.is_some() { array.capacity.as_f64() } else { spans };
    let bits = (touched / REGION).ceil() * (1.0 + seconds / BIT_STAYS_S);
    PAGE * writes.min(bits)
}
