//! A step's load, checked and resolved: what each of its threads does.

use drivelab_core::backend::BackendError;
use drivelab_core::load::Pace;
use drivelab_core::record::StopReason;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

use super::arenas::bytes_by;
use super::checks::unfit;
use super::placed::Placed;
use super::schedule::Limit;
use super::sealing::Sealing;
use crate::generate::arrivals::Schedule;
use crate::generate::data::DataSource;
use crate::generate::stream::Stream;
use crate::host::selfcheck;
use crate::memory::slots::Shape;
use crate::step::manner::Kind;
use crate::thread::meter::Layout;
use crate::uring::ring::Whereto;

/// Most memory for buffers of one step.
const BUFFERS_MAX: u64 = 8 << 30;

/// A step's load, checked and resolved.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) groups: Box<[Group]>,
    pub(crate) threads: Box<[ThreadJob<'a>]>,
    /// Operations end in the ring.
    pub(crate) is_nop: bool,
    /// Direct I/O was asked for by every group.
    pub(crate) direct: bool,
    /// Which stop reason the end of the budget is.
    pub(crate) reason: StopReason,
}

/// A group of threads with the same load.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) layout: Layout,
    /// Whether the record lists its streams.
    pub(crate) sequential: bool,
    pub(crate) weight: u32,
    /// Operations in flight over its threads.
    pub(crate) total_depth: u64,
    /// Arrivals per second, pauses of bursts included; 0 in a closed loop.
    pub(crate) asked_iops: f64,
}

/// What one thread does.
#[derive(Debug)]
pub(crate) struct ThreadJob<'a> {
    pub(crate) group: usize,
    pub(crate) whereto: Whereto<'a>,
    /// How its writes are placed, if they are.
    pub(crate) placed: Option<Placed<'a>>,
    pub(crate) depth: u32,
    pub(crate) stream: Stream,
    /// Number of the thread that holds the stream's position: its own, or the group's first if the group shares one
    /// stream.
    pub(crate) cursor_at: usize,
    pub(crate) shares_cursor: bool,
    pub(crate) schedule: Option<Schedule>,
    /// It replays a trace that has times.
    pub(crate) timed: bool,
    pub(crate) pace: Pace,
    pub(crate) sync_every: u32,
    pub(crate) limit: Limit,
    pub(crate) layout: Layout,
    pub(crate) data: DataSource,
    pub(crate) sealing: Sealing,
    /// Arena of the thread with all its slots.
    pub(crate) shape: Shape,
    /// Number of its first slot among those of all threads.
    pub(crate) first_slot: u64,
    pub(crate) cpu: Option<u32>,
    /// Completions to wait for at a time; at least 1.
    pub(crate) batch: u32,
}

impl ThreadJob<'_> {
    /// Whether operations are issued one after the other as fast as they end, without schedule, pauses, flushes in
    /// between, placement, headers or a trace.
    pub(crate) fn is_plain(&self) -> bool {
        let ThreadJob { schedule, timed, pace, sync_every, sealing, placed, .. } = self;
        let is_steady = schedule.is_none() && !timed && pace.is_closed_loop();
        is_steady && *sync_every == 0 && matches!(sealing, Sealing::None) && placed.is_none()
    }
}

impl Job<'_> {
    /// Checks whether the memory for all buffers is within reason; called before any of it is made.
    pub(crate) fn check_buffers(&self, workload: &Workload, kind: Kind) -> Result<(), BackendError> {
        let total: u128 = self.threads.iter().map(|thread| bytes_by(kind, &thread.shape)).sum();
        if total <= u128::from(BUFFERS_MAX) {
            return Ok(());
        }
        unfit(format!(
            "{} operations in flight with blocks of {} need more than {} of buffers: lower the queue depth, the threads or \
             the block size",
            self.total_depth(),
            workload.block_size,
            Bytes::new(BUFFERS_MAX)
        ))
    }

    /// Operations in flight over all threads.
    pub(crate) fn total_depth(&self) -> u64 {
        self.threads.iter().map(|thread| u64::from(thread.depth)).sum()
    }

    /// Whether a thread has several writes with headers in flight.
    pub(crate) fn seals_in_depth(&self) -> bool {
        self.threads.iter().any(|thread| thread.depth > 1 && matches!(thread.sealing, Sealing::Seal { .. }))
    }

    /// Whether every file handle in use is open with O_DIRECT, read back from the kernel.
    pub(crate) fn is_direct(&self) -> bool {
        self.direct
            && self.threads.iter().all(|thread| match thread.whereto {
                Whereto::File(handle) | Whereto::BlockDevice(handle) => selfcheck::is_direct(handle),
                Whereto::Nop => false,
            })
    }

    /// Threads of the step's own group: it ends when they have done their shares.
    pub(crate) fn own_threads(&self) -> usize {
        self.threads.iter().filter(|thread| thread.group == 0).count()
    }
}

impl Group {
    pub(super) fn of(workload: &Workload, layout: Layout) -> Self {
        let bursts = workload.pace.bursts;
        let active = bursts.map_or(1.0, |bursts| {
            let on = bursts.on.as_secs_f64();
            on / (on + bursts.off.as_secs_f64())
        });
        Group {
            name: workload.name.clone(),
            layout,
            sequential: workload.pattern.is_sequential(),
            weight: if workload.pace.rate.is_some() { 0 } else { workload.pace.weight },
            total_depth: u64::from(workload.queue_depth.get()) * u64::from(workload.threads.get()),
            asked_iops: workload.pace.rate.map_or(0.0, |rate| rate.iops() * active),
        }
    }
}
