//! The sync backend: pread(2) and pwrite(2), one OS thread for each operation in flight.
//!
//! The `queue_depth` OS threads of one logical thread share its stream: each takes the next operation from one cursor,
//! so the stream stays one stream whatever the depth. The operations are taken in order; which of two threads
//! reaches the kernel first is the scheduler's choice.

use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_core::load::OpKind;
use drivelab_core::record::IoError;
use drivelab_core::units::Bytes;

use crate::buffer::Arena;
use crate::faults::{Broken, Faults, kind};
use crate::generate::stream::Op;
use crate::rusage::CpuTime;
use crate::schedule::Timing;
use crate::slots::{Shape, Slots};
use crate::step::{Outcome, Shared, Start, Touched};
use crate::tally::Tally;
use crate::time;

/// Most OS threads of a step: beyond this the scheduler, not the drive, is measured.
pub(crate) const OS_THREADS_MAX: u64 = 1024;

/// What the OS threads of one logical thread share; on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Position {
    /// Cursor of the next operation.
    next: AtomicU64,
    /// Operations counted against the thread's share.
    issued: AtomicU64,
}

struct Worker<'a> {
    shared: &'a Shared<'a>,
    thread: usize,
    timing: Timing,
    arena: Arena,
    slots: Slots,
    tally: Tally,
    faults: Faults,
    touched: Touched,
    share: u64,
}

/// Runs OS thread `slot` of logical thread `thread`.
pub(crate) fn run(shared: &Shared<'_>, thread: u32, slot: u32, start: Start<'_>) -> Result<Outcome, Broken> {
    let job = shared.job;
    let mut refused = Vec::new();
    let shape = Shape { slots: 1, ..job.shape };
    let slots = Slots::new(shape, job.data.clone(), u64::from(thread) * u64::from(job.depth) + u64::from(slot));
    let (arena, started) = start.ready(slots.arena(&mut refused))?;
    let Some((timing, tally)) = started else { return Ok(Outcome::not_started(thread)) };
    let share = job.budget.share(thread as usize);
    let faults = Faults::new(shared.policy);
    let touched = Touched::default();
    let worker = Worker { shared, thread: thread as usize, timing, arena, slots, tally, faults, touched, share };
    let mut outcome = worker.run();
    outcome.refused = refused;
    Ok(outcome)
}

impl Worker<'_> {
    fn run(mut self) -> Outcome {
        let cpu = CpuTime::of_this_thread();
        let mut now = time::now_ns();
        let reason = loop {
            if let Some(reason) = self.shared.ended(&self.timing, now) {
                break reason;
            }
            let counted = now >= self.timing.ramp_end;
            if counted && !self.may_issue(now) {
                break self.shared.job.budget.reason;
            }
            now = self.issue();
            if !counted && now >= self.timing.ramp_end {
                // Submitted in the ramp and completed after it: counts in the measured part.
                self.position().issued.fetch_add(1, Ordering::Relaxed);
            }
        };
        let cpu = CpuTime::of_this_thread().since(cpu);
        let (first_submission, last_completion) = self.tally.finish(now);
        Outcome {
            thread: u32::try_from(self.thread).unwrap_or(u32::MAX),
            reason,
            first_submission,
            last_completion,
            errors: self.faults.into_kept(),
            touched: self.touched,
            cpu,
            refused: Vec::new(),
            punted: false,
        }
    }

    #[inline]
    fn position(&self) -> &Position {
        &self.shared.positions[self.thread]
    }

    /// Takes one operation of the thread's share.
    #[inline]
    fn may_issue(&self, now: u64) -> bool {
        if self.share == u64::MAX {
            return true;
        }
        self.position().issued.fetch_add(1, Ordering::Relaxed) < self.share || !self.timing.budget_binds(now)
    }

    /// The next operation of the logical thread.
    #[inline]
    fn take(&self) -> Op {
        let (stream, next) = (&self.shared.job.streams[self.thread], &self.position().next);
        let mut cursor = next.load(Ordering::Relaxed);
        loop {
            let (op, following) = stream.op(cursor);
            match next.compare_exchange_weak(cursor, following, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return op,
                Err(moved) => cursor = moved,
            }
        }
    }

    /// Issues one operation and returns the time of its completion.
    #[inline]
    fn issue(&mut self) -> u64 {
        let job = self.shared.job;
        let op = self.take();
        let write = op.kind == OpKind::Write;
        self.touched.note(op.offset);
        let at = self.slots.place(0, write);
        let buffer = self.arena.slice_mut(at, job.block as usize);
        if write {
            self.slots.stamp(0, buffer);
        }
        let submitted = time::now_ns();
        self.tally.advance(submitted);
        self.tally.submitted(1, submitted);
        let result = if write {
            rustix::io::pwrite(job.handle, buffer, op.offset)
        } else {
            rustix::io::pread(job.handle, buffer, op.offset)
        };
        let now = time::now_ns();
        self.tally.advance(now);
        if result == Ok(job.block as usize) {
            self.tally.completed(write, now - submitted, now);
            self.faults.succeeded();
        } else {
            self.failed(op, result.err().map_or(0, rustix::io::Errno::raw_os_error), now);
        }
        now
    }

    #[cold]
    fn failed(&mut self, op: Op, errno: i32, now: u64) {
        self.tally.failed(op.kind == OpKind::Write, now);
        let length = Bytes::new(u64::from(self.shared.job.block));
        if self.faults.failed(IoError {
            at_ns: now,
            op: kind(op.kind == OpKind::Write),
            offset: op.offset,
            length,
            errno,
        }) {
            self.shared.abort();
        }
    }
}
