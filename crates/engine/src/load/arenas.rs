//! The memory of a thread: the size of its arena, and the pool inside it from which random data is written.

use drivelab_core::backend::BackendError;
use drivelab_core::load::{DATA_WINDOW, OpKind};
use drivelab_core::target::IoTarget;
use drivelab_core::units::common_divisor;
use drivelab_core::workload::{DataPattern, Workload};

use super::checks::unfit;
use crate::generate::data::SECTOR;
use crate::memory::buffer::PAGE;
use crate::memory::look_back;
use crate::memory::pool::{Demand, PoolShape};
use crate::memory::slots::Shape;
use crate::step::manner::Kind;
use crate::uring::ring::Whereto;

/// Most memory for the pools of all threads, unless [`LOOK_BACK_LEAST`] needs more.
const POOLS_MAX: u64 = 1 << 30;

/// Random data repeats no closer than this, however many threads there are.
const LOOK_BACK_LEAST: u64 = DATA_WINDOW.get();

/// Arena of one thread.
pub(super) fn shape(
    target: &IoTarget,
    workload: &Workload,
    whereto: Whereto<'_>,
    kind: Kind,
) -> Result<Shape, BackendError> {
    let needs = target.direct_io().filter(|_| workload.direct);
    let align = needs.map_or(1, |needs| needs.memory_align.get());
    if align > PAGE as u64 {
        return unfit(format!(
            "buffers aligned to {align} bytes were requested; drivelab's are aligned to pages of {PAGE}"
        ));
    }
    let align = align.max(SECTOR as u64);
    let stride = workload.block_size.get().next_multiple_of(align);
    let reads = workload.issues_or_reads_back(OpKind::Read);
    let pool =
        workload.issues_or_reads_back(OpKind::Write).then(|| pool(workload, reach(whereto), kind, (stride, align)));
    Ok(Shape { stride: size(stride), slots: workload.queue_depth.get() as usize, reads, pool })
}

/// How far back whatever stores the data may look for repeats.
fn reach(whereto: Whereto<'_>) -> u64 {
    match whereto {
        Whereto::File(handle) => look_back::window(handle, true).get(),
        Whereto::BlockDevice(handle) => look_back::window(handle, false).get(),
        Whereto::Nop => LOOK_BACK_LEAST,
    }
}

/// Bytes of all arenas of a thread: one arena, or with the sync backend one for each of its OS threads.
pub(super) fn bytes_by(kind: Kind, shape: &Shape) -> u128 {
    match kind {
        Kind::Uring(_) => shape.bytes(),
        Kind::Sync => shape.bytes_slot_by_slot(),
    }
}

/// Larger than any memory if the number does not fit.
fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// What one thread writes from, for a target that may look back as far as `reach`.
fn pool(workload: &Workload, reach: u64, kind: Kind, (stride, align): (u64, u64)) -> PoolShape {
    match workload.data {
        DataPattern::Incompressible => {}
        DataPattern::Zero | DataPattern::OneBlock | DataPattern::Pattern | DataPattern::File => {
            return PoolShape::BLOCKS;
        }
    }
    let sizes = workload.block_sizes();
    let one_size = sizes.len() == 1 && workload.replay.is_none();
    let sector = SECTOR as u64;
    let unit = match &workload.replay {
        None if one_size => 1 << workload.block_size.get().max(1).ilog2(),
        None => {
            let common = sizes.iter().fold(0, |common, size| common_divisor(common, size.get()));
            (1 << common.trailing_zeros().min(63)).clamp(sector, stride)
        }
        Some(_) => sector,
    };
    let slots = u64::from(workload.queue_depth.get());
    let shape = |window| PoolShape::new(Demand { window, unit, one_size, stride, align, slots });
    if let Some(asked) = workload.content.window {
        return shape(asked.get());
    }
    // Many threads must not fill a host's memory for the sake of a few targets; the record says how far the pools
    // reach.
    let threads = u128::from(workload.threads.get());
    let all_pools = |window: u64| {
        let pool = Some(shape(window));
        bytes_by(kind, &Shape { stride: size(stride), slots: size(slots), reads: false, pool }) * threads
    };
    let mut window = reach;
    while window > LOOK_BACK_LEAST && all_pools(window) > u128::from(POOLS_MAX) {
        window = (window / 2).max(LOOK_BACK_LEAST);
    }
    shape(window)
}

#[cfg(test)]
mod tests {
    use drivelab_core::units::{Bytes, Percent, QueueDepth, Threads};

    use super::*;
    use crate::uring::setup::Mode;

    const MIB: u64 = 1 << 20;
    const RING: Kind = Kind::Uring(Mode::Plain);

    /// Writes of 4 KiB to a target that may look back 16 MiB (FUSE, NFS, ZFS): the shape of a thread, and the bytes
    /// of all threads.
    fn of_16_mib(kind: Kind, queue_depth: u64, threads: u64) -> (Shape, u128) {
        let workload = Workload {
            write_percent: Percent::new(100).unwrap(),
            block_size: Bytes::new(4096),
            queue_depth: QueueDepth::new(queue_depth).unwrap(),
            threads: Threads::new(threads).unwrap(),
            ..Workload::default()
        };
        let pool = Some(pool(&workload, 16 * MIB, kind, (4096, 512)));
        let shape = Shape { stride: 4096, slots: size(queue_depth), reads: false, pool };
        (shape, bytes_by(kind, &shape) * u128::from(threads))
    }

    fn apart(shape: &Shape) -> u64 {
        shape.pool.and_then(|pool| pool.apart()).unwrap()
    }

    /// The sync backend makes an arena for each operation in flight, each with a ring of its own.
    #[test]
    fn the_pools_of_the_sync_backend_are_counted_once_for_each_of_its_threads() {
        let (ring, bytes) = of_16_mib(RING, 256, 4);
        assert!(apart(&ring) > 16 * MIB && bytes < 256 * u128::from(MIB), "{bytes}");
        let each = u128::from(16 * MIB + 4096);
        assert_eq!(bytes_by(Kind::Sync, &ring), 256 * each, "the same ring would be held 256 times");
        let (shrunk, bytes) = of_16_mib(Kind::Sync, 256, 4);
        assert_eq!((apart(&shrunk), bytes), (MIB + 4096, 1024 * u128::from(MIB + 4096)));
        // If there is room, nothing repeats within what the target may look back over.
        let (few, bytes) = of_16_mib(Kind::Sync, 32, 1);
        assert_eq!((apart(&few), bytes), (16 * MIB + 4096, 32 * each));
    }
}
