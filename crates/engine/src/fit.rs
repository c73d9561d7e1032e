//! Whether a workload fits the target, and what it comes to: stretches, arenas, budgets.

use std::os::fd::BorrowedFd;
use std::sync::Arc;

use drivelab_core::backend::{BackendError, StepRequest};
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Bytes;
use drivelab_core::workload::{DataPattern, Pattern, Workload};

use crate::buffer::PAGE;
use crate::generate::data::{DataSource, SECTOR};
use crate::generate::stream::{Stream, streams};
use crate::generate::{derive, mix};
use crate::schedule::Budget;
use crate::slots::Shape;

/// Largest block: the kernel moves at most 2 GiB - 4 KiB in one operation (read(2)).
const BLOCK_MAX: u64 = 1 << 30;
/// Most memory for buffers of one step.
const BUFFERS_MAX: u64 = 8 << 30;
/// Random bytes per thread; larger than the 32 MiB within which a drive might look for repeats.
const POOL_BYTES: u64 = 64 << 20;
/// Random bytes of all threads together, where more is not needed to have one block per slot.
const POOLS_MAX: u64 = 256 << 20;

/// Largest file whose bytes are written.
const DATA_FILE_MAX: u64 = 4 << 30;

/// A workload, checked and resolved.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) handle: BorrowedFd<'a>,
    pub(crate) block: u32,
    pub(crate) depth: u32,
    pub(crate) sequential: bool,
    pub(crate) streams: Box<[Stream]>,
    pub(crate) data: DataSource,
    /// Arena of one thread with all its slots.
    pub(crate) shape: Shape,
    pub(crate) budget: Budget,
}

impl<'a> Job<'a> {
    /// Checks a request against the target.
    pub(crate) fn fit(target: &'a WritableTarget, request: &StepRequest<'_>) -> Result<Self, BackendError> {
        let workload = request.workload;
        let Workload { block_size, pattern, span, queue_depth, seed, .. } = *workload;
        check_span(workload, target.length())?;
        let handle = handle(target, workload)?;
        let span_blocks = span.length.get() / block_size.get();
        let sequential = pattern.is_sequential();
        if !workload.other.is_none() || !workload.block_size_mix.is_empty() {
            return unfit("mixed sizes and operations other than reads and writes cannot be issued yet".to_owned());
        }
        let streams = streams(workload, seed).map_err(BackendError::Unfit)?;
        let slices: Vec<u64> = streams.iter().map(|stream| stream.pass().unwrap_or_else(|| stream.blocks())).collect();
        let budget = Budget::new(request.stop_rule, block_size.get(), &slices, span_blocks, pattern == Pattern::Random);
        Ok(Job {
            handle,
            block: u32::try_from(block_size.get()).unwrap_or(u32::MAX),
            depth: queue_depth.get(),
            sequential,
            streams: streams.into(),
            data: DataSource::new(workload, data_key(seed, request), data_file(workload)?)
                .map_err(BackendError::Unfit)?,
            shape: shape(workload, target, most_operations(&budget, request))?,
            budget,
        })
    }

    /// Operations in flight over all threads.
    pub(crate) fn total_depth(&self) -> u64 {
        self.streams.len() as u64 * u64::from(self.depth)
    }
}

/// Different for each execution, so that what a round writes was never written before.
fn data_key(seed: u64, request: &StepRequest<'_>) -> u64 {
    let step = request.key.step.as_str().bytes().fold(seed, |key, byte| mix(key.wrapping_add(u64::from(byte) + 1)));
    derive(step, u64::from(request.key.round))
}

/// The bytes of the file that is to be written, where one is: read now, so that the loop reads nothing but the target.
fn data_file(workload: &Workload) -> Result<Option<Arc<[u8]>>, BackendError> {
    let Some(path) = workload.content.file.as_ref().filter(|_| workload.data == DataPattern::File) else {
        return Ok(None);
    };
    let length = std::fs::metadata(path).map(|data| data.len());
    match length.and_then(|length| if length > DATA_FILE_MAX { Ok(None) } else { std::fs::read(path).map(Some) }) {
        Ok(Some(bytes)) => Ok(Some(bytes.into())),
        Ok(None) => unfit(format!(
            "data_file '{}' has more than {}, and it is held in memory: use a part of it",
            path.display(),
            Bytes::new(DATA_FILE_MAX)
        )),
        Err(error) => unfit(format!("data_file '{}' cannot be read: {error}", path.display())),
    }
}

fn unfit<T>(message: String) -> Result<T, BackendError> {
    Err(BackendError::Unfit(message))
}

fn check_span(workload: &Workload, length: Bytes) -> Result<(), BackendError> {
    let (block, span) = (workload.block_size, workload.span);
    if block.get() == 0 || block.get() > BLOCK_MAX {
        return unfit(format!(
            "a block size of {block} cannot be issued: it must be 1 byte to {}",
            Bytes::new(BLOCK_MAX)
        ));
    }
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
fn handle<'a>(target: &'a WritableTarget, workload: &Workload) -> Result<BorrowedFd<'a>, BackendError> {
    let (needs, path) = (target.direct_io(), target.path().display());
    let handle = target.handle(workload.direct).filter(|_| !workload.direct || needs.supported);
    let Some(handle) = handle else {
        return unfit(format!(
            "direct I/O was asked for and '{path}' has none: {}; use a folder on a disk's file system, or a method \
             that goes through the page cache",
            needs.reason
        ));
    };
    let align = needs.offset_align.get().max(1);
    if workload.direct && !workload.block_size.get().is_multiple_of(align) {
        return unfit(format!(
            "blocks of {} cannot be moved past the page cache of '{path}': direct I/O needs multiples of {} there",
            workload.block_size, needs.offset_align
        ));
    }
    if workload.direct && !workload.span.offset.get().is_multiple_of(align) {
        return unfit(format!(
            "a span from byte {} cannot be reached past the page cache of '{path}': direct I/O needs multiples of {}",
            workload.span.offset.get(),
            needs.offset_align
        ));
    }
    Ok(handle)
}

/// Most operations that one thread can issue.
fn most_operations(budget: &Budget, request: &StepRequest<'_>) -> u64 {
    let only_budget = request.ramp.get() == 0 && request.stop_rule.at_least.is_none();
    let most = budget.shares.iter().flatten().copied().max().filter(|_| only_budget);
    most.unwrap_or(u64::MAX)
}

/// Arena of one thread that issues at most so many operations.
fn shape(workload: &Workload, target: &WritableTarget, most_operations: u64) -> Result<Shape, BackendError> {
    let align = if workload.direct { target.direct_io().memory_align.get() } else { 1 };
    if align > PAGE as u64 {
        return unfit(format!("buffers aligned to {align} bytes were asked for; drivelab has pages of {PAGE}"));
    }
    let stride = workload.block_size.get().next_multiple_of(align.max(SECTOR as u64));
    let (slots, threads) = (u64::from(workload.queue_depth.get()), u64::from(workload.threads.get()));
    let per_thread = POOL_BYTES.min(POOLS_MAX / threads);
    let pool_blocks =
        if workload.writes() { (per_thread / (slots * stride)).min(most_operations.div_ceil(slots)).max(1) } else { 0 };
    let blocks = slots * (pool_blocks + u64::from(workload.reads()));
    let total = u128::from(threads) * u128::from(blocks) * u128::from(stride);
    if total > u128::from(BUFFERS_MAX) {
        return unfit(format!(
            "queue depth {slots}, {threads} threads and blocks of {} need more than {} of buffers",
            workload.block_size,
            Bytes::new(BUFFERS_MAX)
        ));
    }
    let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    Ok(Shape { stride: size(stride), slots: size(slots), reads: workload.reads(), pool_blocks: size(pool_blocks) })
}
