//! Whether a workload fits the target, and what it comes to: stretches, arenas, budgets.

use std::path::Path;
use std::sync::Arc;

use drivelab_core::backend::{BackendError, StepRequest};
use drivelab_core::load::{DATA_WINDOW, OpKind, Pace};
use drivelab_core::record::StopReason;
use drivelab_core::target::{IoTarget, PlacementHandles};
use drivelab_core::units::{Bytes, common_divisor};
use drivelab_core::workload::{DataPattern, Pattern, Streams, Workload};
use rustix::fs::FileType;

use crate::buffer::PAGE;
use crate::generate::arrivals::Schedule;
use crate::generate::data::{DataSource, SECTOR};
use crate::generate::stream::{Stream, streams};
use crate::generate::{derive, mix};
use crate::ground::Ground;
use crate::look_back;
use crate::meter::{Layout, issues};
use crate::placed::Placed;
use crate::pool::{Demand, PoolShape};
use crate::replay;
use crate::schedule::{Budget, Extent, Limit, fair_shares};
use crate::sealing::{Identity, Sealing};
use crate::selfcheck;
use crate::slots::Shape;
use crate::step::Kind;
use crate::uring::ring::Whereto;

/// Largest block: the kernel moves at most 2 GiB - 4 KiB in one operation (read(2)).
const BLOCK_MAX: u64 = 1 << 30;
/// Most memory for buffers of one step.
const BUFFERS_MAX: u64 = 8 << 30;
/// Most memory for the pools of all threads, where nobody asked for larger ones than [`LOOK_BACK_LEAST`] takes.
const POOLS_MAX: u64 = 1 << 30;
/// Random data comes again no nearer than this, however many threads there are.
const LOOK_BACK_LEAST: u64 = DATA_WINDOW.get();
/// Largest file whose bytes are written.
pub const DATA_FILE_MAX: u64 = 1 << 30;
/// Sets the draws of a schedule apart from those of offsets.
const SCHEDULE_KEY: u64 = 0x5C4E_D01E;

/// A step's load, checked and resolved.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) groups: Box<[Group]>,
    pub(crate) threads: Box<[ThreadJob<'a>]>,
    /// Operations end in the ring.
    pub(crate) is_nop: bool,
    /// Direct I/O was asked for by every group.
    pub(crate) direct: bool,
    /// What the end of the budget is called.
    pub(crate) reason: StopReason,
}

/// A group of threads with the same load.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) layout: Layout,
    /// Whether its streams are told in the record.
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
    /// How its writes are placed, where they are.
    pub(crate) placed: Option<Placed<'a>>,
    pub(crate) depth: u32,
    pub(crate) stream: Stream,
    /// Number of the thread whose position the stream has: its own, or the group's first where they share one.
    pub(crate) cursor_at: usize,
    pub(crate) shares_cursor: bool,
    pub(crate) schedule: Option<Schedule>,
    /// It replays a trace whose operations have times.
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
    /// Operations are issued one after the other as fast as they end, without schedule, pauses, flushes in between,
    /// placement, headers or a trace.
    pub(crate) fn is_plain(&self) -> bool {
        let ThreadJob { schedule, timed, pace, sync_every, sealing, placed, .. } = self;
        let is_steady = schedule.is_none() && !timed && pace.is_closed_loop();
        is_steady && *sync_every == 0 && matches!(sealing, Sealing::None) && placed.is_none()
    }
}

impl<'a> Job<'a> {
    /// Checks a request against what its groups go to, for a backend of this kind; [`Job::check_buffers`] comes after
    /// it. `trace_entries` is the room for a trace per thread and interval.
    pub(crate) fn fit(
        ground: Ground<'a>,
        request: &StepRequest<'_>,
        identity: Identity<'_>,
        (kind, trace_entries): (Kind, usize),
        placement: Option<&PlacementHandles>,
    ) -> Result<Self, BackendError> {
        let main = request.workload;
        let mut budget = None;
        let (mut groups, mut threads) = (Vec::new(), Vec::new());
        for (index, workload) in main.groups().enumerate() {
            let target = ground.of(workload, index > 0).map_err(BackendError::Unfit)?;
            let checked = Checked::new(target, workload, (placement, index > 0))?;
            let of_group = budget.get_or_insert_with(|| Budget::new(request.stop_rule, &checked.extent()));
            let own = Own {
                group: index,
                layout: Layout::of(workload, trace_entries),
                shape: shape(target, workload, checked.whereto, kind)?,
                data: data(workload, data_key(workload.seed, request))?,
                sealing: Sealing::of(target, workload, &identity)?,
            };
            let before = threads.len();
            for number in 0..checked.streams.len() {
                let limit = if index > 0 { Limit::NONE } else { of_group.limit(number) };
                let first_slot = threads.iter().map(|thread: &ThreadJob<'_>| u64::from(thread.depth)).sum();
                threads.push(checked.thread(&own, number, ThreadJobStart { before, first_slot, limit }));
            }
            groups.push(Group::of(workload, own.layout));
        }
        check_volume_bursts(main)?;
        let reason = budget.map_or(StopReason::Time, |budget| budget.reason);
        let is_nop = matches!(ground.target, IoTarget::Nop { .. });
        let direct = main.groups().all(|group| group.direct);
        Ok(Job { groups: groups.into(), threads: threads.into(), is_nop, direct, reason })
    }

    /// Whether the memory for all buffers is within reason; asked before any of it is made.
    pub(crate) fn check_buffers(&self, workload: &Workload, kind: Kind) -> Result<(), BackendError> {
        let total: u128 = self.threads.iter().map(|thread| bytes_by(kind, &thread.shape)).sum();
        if total <= u128::from(BUFFERS_MAX) {
            return Ok(());
        }
        unfit(format!(
            "{} operations in flight and blocks of {} need more than {} of buffers: lower the queue depth, the threads or \
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

    /// Whether every file handle that is used is really open with O_DIRECT, read back from the kernel.
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
    fn of(workload: &Workload, layout: Layout) -> Self {
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

/// A group's load that fits the target.
struct Checked<'a, 'w> {
    workload: &'w Workload,
    whereto: Whereto<'a>,
    placed: Option<Placed<'a>>,
    streams: Vec<Stream>,
    passes: Vec<u64>,
}

impl<'a, 'w> Checked<'a, 'w> {
    /// Takes the workload apart without `..`, so that a new field cannot be ignored.
    fn new(
        target: &'a IoTarget,
        workload: &'w Workload,
        (placement, beside): (Option<&PlacementHandles>, bool),
    ) -> Result<Self, BackendError> {
        let Workload {
            // Kinds, sizes, order and locality are the streams' business.
            write_percent: _,
            other: _,
            block_size_mix: _,
            locality: _,
            stride: _,
            places: _,
            seek_percent: _,
            // `check_span`, `whereto`, `shape`, `data` look at these.
            block_size: _,
            span: _,
            direct: _,
            data: _,
            content: _,
            // `Ground::of` has looked at it.
            on: _,
            // `thread` hands these over.
            queue_depth: _,
            pace,
            placement: _,
            // `Placed::of` looks at it.
            placement_handle: _,
            // `Sealing::of` looks at it.
            verify: _,
            pattern,
            streams: sharing,
            threads,
            seed,
            name: _,
            // `replay::check` and `replay::with_trace` look at it.
            replay: _,
            beside: groups,
            files,
        } = workload;
        if files.is_some() {
            return unfit("work on files stands by itself, without groups of threads beside it".into());
        }
        if beside && !groups.is_empty() {
            return unfit(
                "a group of threads beside others has groups beside itself: state them all in one list".into(),
            );
        }
        check_kinds(target, workload)?;
        if workload.replay.is_some() {
            replay::check(target, workload, beside)?;
        } else {
            check_span(workload, target.length())?;
        }
        check_pace(*pace)?;
        check_cpus(&workload.placement.cpus).map_err(BackendError::Unfit)?;
        let whereto = whereto(target, workload)?;
        let placed = Placed::of(target, placement, workload)?;
        let made = match &workload.replay {
            // Nothing is drawn from it.
            Some(_) => streams(&Workload { block_size: Bytes::new(SECTOR as u64), ..workload.clone() }, *seed),
            None => streams(workload, *seed),
        };
        let made = made.map_err(BackendError::Unfit)?;
        let count = u64::from(threads.get());
        let block = workload.block_size.get();
        let is_together = *sharing == Streams::Shared || *pattern == Pattern::Random;
        let passes = if is_together {
            fair_shares(workload.pass_bytes().get() / block, count).iter().map(|blocks| blocks * block).collect()
        } else {
            made.iter().map(|stream| stream.pass().map_or(stream.stretch().1, |blocks| blocks * block)).collect()
        };
        Ok(Checked { workload, whereto, placed, streams: made, passes })
    }

    fn extent(&self) -> Extent<'_> {
        let one_size = self.workload.block_size_mix.is_empty() && self.workload.replay.is_none();
        let block = one_size.then(|| self.workload.block_size.get());
        Extent { block, mean_block: self.workload.mean_block_size(), passes: &self.passes }
    }

    /// Thread `number` of the group.
    fn thread(&self, own: &Own, number: usize, start: ThreadJobStart) -> ThreadJob<'a> {
        let workload = self.workload;
        let shares_cursor = workload.streams == Streams::Shared && self.streams.len() > 1;
        let key = derive(workload.seed, SCHEDULE_KEY);
        let (place, count) = (number as u64, self.streams.len() as u64);
        let schedule =
            workload.pace.rate.map(|rate| Schedule::new(rate, workload.pace.bursts, place, count, derive(key, place)));
        let cpus = &workload.placement.cpus;
        ThreadJob {
            group: own.group,
            whereto: self.whereto,
            placed: self.placed,
            depth: workload.queue_depth.get(),
            stream: self.streams[number].clone(),
            cursor_at: if shares_cursor { start.before } else { start.before + number },
            shares_cursor,
            schedule,
            timed: replay::is_timed(workload),
            pace: workload.pace,
            sync_every: workload.other.sync_every,
            limit: start.limit,
            layout: own.layout.clone(),
            data: own.data.of_thread(start.first_slot),
            sealing: own.sealing.clone(),
            shape: own.shape,
            first_slot: start.first_slot,
            cpu: (!cpus.is_empty()).then(|| cpus[number % cpus.len()]),
            batch: workload.placement.batch.max(1).min(workload.queue_depth.get()),
        }
    }
}

/// What the threads of a group have in common.
struct Own {
    group: usize,
    layout: Layout,
    shape: Shape,
    data: DataSource,
    sealing: Sealing,
}

/// Where a thread begins.
struct ThreadJobStart {
    /// Threads of the groups before its own.
    before: usize,
    /// Slots of the threads before it.
    first_slot: u64,
    limit: Limit,
}

/// What the data source writes; a data file is read here, before the start.
fn data(workload: &Workload, key: u64) -> Result<DataSource, BackendError> {
    let bytes = match (&workload.content.file, workload.data) {
        (Some(file), DataPattern::File) => Some(read_data_file(file)?),
        _ => None,
    };
    DataSource::new(workload, key, bytes).map_err(BackendError::Unfit)
}

fn read_data_file(file: &Path) -> Result<Arc<[u8]>, BackendError> {
    let what = || format!("reading the data file '{}'", file.display());
    let system = |source| BackendError::System { what: what(), source };
    let length = std::fs::metadata(file).map_err(system)?.len();
    if length == 0 || length > DATA_FILE_MAX {
        return unfit(format!(
            "the data file '{}' has {length} bytes: it must have at least one and at most {}, since it is held in memory",
            file.display(),
            Bytes::new(DATA_FILE_MAX)
        ));
    }
    drivelab_core::input::read(file, DATA_FILE_MAX).map(Arc::from).map_err(system)
}

/// Different for each execution, so that what a round writes was never written before.
fn data_key(seed: u64, request: &StepRequest<'_>) -> u64 {
    let step = request.key.step.as_str().bytes().fold(seed, |key, byte| mix(key.wrapping_add(u64::from(byte) + 1)));
    derive(step, u64::from(request.key.round))
}

fn unfit<T>(message: String) -> Result<T, BackendError> {
    Err(BackendError::Unfit(message))
}

/// Whether the target takes the kinds of operation that are asked for.
fn check_kinds(target: &IoTarget, workload: &Workload) -> Result<(), BackendError> {
    let path = target.path().display();
    let changes = [OpKind::Write, OpKind::Trim, OpKind::WriteZeroes].into_iter().find(|kind| issues(workload, *kind));
    if let (Some(kind), Some(reason)) = (changes, target.read_only_because()) {
        return unfit(format!(
            "'{path}' is open for reading only, and {} operations were asked for: {reason}",
            kind.name()
        ));
    }
    Ok(())
}

/// Whether this process may run where it is told to, for whoever wants to know before a target is made.
///
/// # Errors
/// The CPU that it may not run on, in words.
pub fn check_cpus(cpus: &[u32]) -> Result<(), String> {
    let Ok(allowed) = rustix::thread::sched_getaffinity(None) else { return Ok(()) };
    let is_there = |cpu: u32| (cpu as usize) < rustix::thread::CpuSet::MAX_CPU && allowed.is_set(cpu as usize);
    match cpus.iter().find(|cpu| !is_there(**cpu)) {
        Some(cpu) => Err(format!(
            "CPU {cpu} is none that this process may run on ({} are): `lscpu` lists those of the host, `taskset -p $$` those \
             of a shell",
            allowed.count()
        )),
        None => Ok(()),
    }
}

fn check_pace(pace: Pace) -> Result<(), BackendError> {
    if pace.rate.is_some_and(|rate| rate.per_1000_s == 0) {
        return unfit("a rate of no operations would wait for ever: state one above zero".into());
    }
    if pace.bursts.is_some_and(|bursts| bursts.on.get() == 0) {
        return unfit("bursts that are never on would wait for ever: state a time for `on`".into());
    }
    Ok(())
}

/// Bursts by volume end with the target's own work: nothing else may set the pace.
fn check_volume_bursts(main: &Workload) -> Result<(), BackendError> {
    let bursting = |group: &Workload| group.pace.volume_bursts.is_some();
    if main.groups().any(bursting) && !main.beside.is_empty() {
        return unfit("bursts by volume are of one group of threads: remove the others, or take bursts by time".into());
    }
    let Some(bursts) = main.pace.volume_bursts else { return Ok(()) };
    if main.pace.rate.is_some() || main.pace.bursts.is_some() || !main.pace.think_time.is_zero() {
        return unfit("bursts by volume exclude a rate, bursts by time and think time: keep one of them".into());
    }
    if bursts.volume.get() == 0 || !(1..=99).contains(&bursts.duty_percent.get()) {
        return unfit("a burst by volume moves at least a byte, with a duty cycle of 1 to 99 %".into());
    }
    if bursts.on_at_most.is_some_and(|time| time.get() == 0) {
        return unfit("bursts that are never on would wait for ever: state a time above zero for `on_at_most`".into());
    }
    Ok(())
}

fn check_span(workload: &Workload, length: Bytes) -> Result<(), BackendError> {
    let span = workload.span;
    let sizes = workload.block_sizes();
    let bad = sizes.iter().find(|size| size.get() == 0 || size.get() > BLOCK_MAX || **size > workload.block_size);
    if let Some(bad) = bad {
        return unfit(format!(
            "a block size of {bad} cannot be issued: it must be 1 byte to {}",
            Bytes::new(BLOCK_MAX).min(workload.block_size.max(Bytes::new(1)))
        ));
    }
    let block = workload.block_size;
    let is_whole = |bytes: Bytes| bytes.get().is_multiple_of(block.get());
    if span.length.get() == 0 || !is_whole(span.length) || !is_whole(span.offset) {
        return unfit(format!(
            "the span of {} bytes from byte {} is not made of whole blocks of {block}: both ends must be multiples of it",
            span.length.get(),
            span.offset.get()
        ));
    }
    if span.offset.get().checked_add(span.length.get()).is_none_or(|end| end > length.get()) {
        return unfit(format!(
            "the span of {} bytes from byte {} leaves the target, which has {} bytes",
            span.length.get(),
            span.offset.get(),
            length.get()
        ));
    }
    Ok(())
}

/// The handle to use, where the kernel's wishes for direct I/O are met.
fn whereto<'a>(target: &'a IoTarget, workload: &Workload) -> Result<Whereto<'a>, BackendError> {
    let Some(needs) = target.direct_io() else { return Ok(Whereto::Nop) };
    let path = target.path().display();
    let handle = target.handle(workload.direct).filter(|_| !workload.direct || needs.supported);
    let Some(handle) = handle else {
        return unfit(format!(
            "direct I/O was asked for and '{path}' has none: {}; use a folder on a disk's file system, or a load that \
             goes through the page cache",
            needs.reason
        ));
    };
    let align = needs.offset_align.get().max(1);
    let odd = workload.block_sizes().into_iter().find(|size| !size.get().is_multiple_of(align));
    if let (true, Some(odd)) = (workload.direct, odd) {
        return unfit(format!(
            "blocks of {odd} cannot be moved past the page cache of '{path}': direct I/O needs multiples of {} there",
            needs.offset_align
        ));
    }
    if workload.direct && !workload.span.offset.get().is_multiple_of(align) {
        return unfit(format!(
            "a span from byte {} cannot be reached past the page cache of '{path}': direct I/O needs multiples of {}",
            workload.span.offset.get(),
            needs.offset_align
        ));
    }
    let stat = rustix::fs::fstat(handle)
        .map_err(|error| BackendError::System { what: format!("looking at '{path}' (fstat)"), source: error.into() })?;
    let is_device = FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice;
    Ok(if is_device { Whereto::BlockDevice(handle) } else { Whereto::File(handle) })
}

/// Arena of one thread.
fn shape(target: &IoTarget, workload: &Workload, whereto: Whereto<'_>, kind: Kind) -> Result<Shape, BackendError> {
    let needs = target.direct_io().filter(|_| workload.direct);
    let align = needs.map_or(1, |needs| needs.memory_align.get());
    if align > PAGE as u64 {
        return unfit(format!("buffers aligned to {align} bytes were asked for; drivelab has pages of {PAGE}"));
    }
    let align = align.max(SECTOR as u64);
    let stride = workload.block_size.get().next_multiple_of(align);
    let reads = issues(workload, OpKind::Read);
    let pool = issues(workload, OpKind::Write).then(|| pool(workload, reach(whereto), kind, (stride, align)));
    Ok(Shape { stride: size(stride), slots: workload.queue_depth.get() as usize, reads, pool })
}

/// How far back whoever stores the data may look.
fn reach(whereto: Whereto<'_>) -> u64 {
    match whereto {
        Whereto::File(handle) => look_back::window(handle, true).get(),
        Whereto::BlockDevice(handle) => look_back::window(handle, false).get(),
        Whereto::Nop => LOOK_BACK_LEAST,
    }
}

/// Bytes of all arenas of a thread: it has one, but with the sync backend one for each of its OS threads.
fn bytes_by(kind: Kind, shape: &Shape) -> u128 {
    match kind {
        Kind::Uring(_) => shape.bytes(),
        Kind::Sync => shape.bytes_slot_by_slot(),
    }
}

/// More than memory has where the number does not fit.
fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// What one thread writes from, on what may look back so far as `reach`.
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
    // Many threads must not take a host's memory for what hardly a target has; the record says how far the pools reach.
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
    use drivelab_core::units::{Percent, QueueDepth, Threads};

    use super::*;
    use crate::uring::setup::Mode;

    const MIB: u64 = 1 << 20;
    const RING: Kind = Kind::Uring(Mode::Plain);

    /// Writes of 4 KiB to what may look back 16 MiB (FUSE, NFS, ZFS): the shape of a thread, and the bytes of all.
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
        // Where there is room, nothing comes again within what the target may look back.
        let (few, bytes) = of_16_mib(Kind::Sync, 32, 1);
        assert_eq!((apart(&few), bytes), (16 * MIB + 4096, 32 * each));
    }
}
