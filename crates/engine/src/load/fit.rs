//! Whether a workload fits the target, and its resolved form: stretches, arenas, budgets.

use std::path::Path;
use std::sync::Arc;

use drivelab_core::backend::{BackendError, StepRequest};
use drivelab_core::record::StopReason;
use drivelab_core::target::{IoTarget, PlacementHandles};
use drivelab_core::units::Bytes;
use drivelab_core::workload::{DataPattern, Pattern, Streams, Workload};
use rustix::fs::FileType;

use super::arenas::shape;
use super::checks::{check_cpus, check_kinds, check_pace, check_span, check_volume_bursts, unfit};
use super::job::{Group, Job, ThreadJob};
use super::placed::Placed;
use super::schedule::{Budget, Extent, Limit};
use super::sealing::{Identity, Sealing};
use super::targets::Targets;
use crate::generate::arrivals::Schedule;
use crate::generate::build::streams;
use crate::generate::data::{DataSource, SECTOR};
use crate::generate::shares::fair_shares;
use crate::generate::stream::Stream;
use crate::generate::{derive, mix};
use crate::memory::slots::Shape;
use crate::replay;
use crate::step::manner::Kind;
use crate::thread::meter::Layout;
use crate::uring::ring::Whereto;

/// Largest file whose bytes are written.
pub const DATA_FILE_MAX: u64 = 1 << 30;
/// Separates the draws of a schedule from those of offsets.
const SCHEDULE_KEY: u64 = 0x5C4E_D01E;

impl<'a> Job<'a> {
    /// Checks a request against the targets of its groups, for a backend of this kind; [`Job::check_buffers`] comes
    /// after it. `trace_entries` is the room for a trace per thread and interval.
    pub(crate) fn fit(
        targets: Targets<'a>,
        request: &StepRequest<'_>,
        identity: Identity<'_>,
        (kind, trace_entries): (Kind, usize),
        placement: Option<&PlacementHandles>,
    ) -> Result<Self, BackendError> {
        let main = request.workload;
        let mut budget = None;
        let (mut groups, mut threads) = (Vec::new(), Vec::new());
        for (index, workload) in main.groups().enumerate() {
            let target = targets.of(workload, index > 0).map_err(BackendError::Unfit)?;
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
        let is_nop = matches!(targets.target, IoTarget::Nop { .. });
        let direct = main.groups().all(|group| group.direct);
        Ok(Job { groups: groups.into(), threads: threads.into(), is_nop, direct, reason })
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
    /// Destructures the workload without `..`, so that a new field cannot be overlooked.
    fn new(
        target: &'a IoTarget,
        workload: &'w Workload,
        (placement, beside): (Option<&PlacementHandles>, bool),
    ) -> Result<Self, BackendError> {
        let Workload {
            // The streams handle kinds, sizes, order and locality.
            write_percent: _,
            other: _,
            block_size_mix: _,
            locality: _,
            stride: _,
            places: _,
            seek_percent: _,
            // `check_span`, `whereto`, `shape`, `data` check these.
            block_size: _,
            span: _,
            direct: _,
            data: _,
            content: _,
            // `Targets::of` has checked it.
            on: _,
            // `thread` hands these over.
            queue_depth: _,
            pace,
            placement: _,
            // `Placed::of` checks it.
            placement_handle: _,
            // `Sealing::of` checks it.
            verify: _,
            pattern,
            streams: sharing,
            threads,
            seed,
            name: _,
            // `replay::check` and `replay::with_trace` check it.
            replay: _,
            beside: groups,
            files,
        } = workload;
        if files.is_some() {
            return unfit("work on files cannot have other groups of threads".into());
        }
        if beside && !groups.is_empty() {
            return unfit("an additional group of threads has groups of its own: put all groups in one list".into());
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
            timed: workload.replays_at_times(),
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

/// Where a thread's numbering begins.
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

/// Differs for each execution, so that a round never writes what an earlier one wrote.
fn data_key(seed: u64, request: &StepRequest<'_>) -> u64 {
    let step = request.key.step.as_str().bytes().fold(seed, |key, byte| mix(key.wrapping_add(u64::from(byte) + 1)));
    derive(step, u64::from(request.key.round))
}

/// The handle to use, if the kernel's conditions for direct I/O are met.
fn whereto<'a>(target: &'a IoTarget, workload: &Workload) -> Result<Whereto<'a>, BackendError> {
    let Some(needs) = target.direct_io() else { return Ok(Whereto::Nop) };
    let path = target.path().display();
    let handle = target.handle(workload.direct).filter(|_| !workload.direct || needs.supported);
    let Some(handle) = handle else {
        return unfit(format!(
            "direct I/O was requested, but '{path}' does not support it: {}; use a folder on a disk's file system, or a load that \
             goes through the page cache",
            needs.reason
        ));
    };
    let align = needs.offset_align.get().max(1);
    let odd = workload.block_sizes().into_iter().find(|size| !size.get().is_multiple_of(align));
    if let (true, Some(odd)) = (workload.direct, odd) {
        return unfit(format!(
            "blocks of {odd} cannot bypass the page cache of '{path}': direct I/O needs multiples of {} there",
            needs.offset_align
        ));
    }
    if workload.direct && !workload.span.offset.get().is_multiple_of(align) {
        return unfit(format!(
            "a span from byte {} cannot bypass the page cache of '{path}': direct I/O needs multiples of {}",
            workload.span.offset.get(),
            needs.offset_align
        ));
    }
    let stat = rustix::fs::fstat(handle)
        .map_err(|error| BackendError::System { what: format!("looking at '{path}' (fstat)"), source: error.into() })?;
    let is_device = FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice;
    Ok(if is_device { Whereto::BlockDevice(handle) } else { Whereto::File(handle) })
}
