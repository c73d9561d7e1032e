//! The closed loop of one thread on io_uring: refill all free slots, enter once, reap all that is ready.
//!
//! One time stamp per submitted batch, just before the enter that gives it to the kernel, and one per reaping pass
//! (research/engine.md, section 6). An operation is timed from the one to the other.

use drivelab_core::load::OpKind;
use drivelab_core::record::{IoError, StopReason};
use drivelab_core::units::Bytes;

use crate::faults::{Attempt, Broken, Faults, kind};
use crate::generate::stream::Stream;
use crate::schedule::Timing;
use crate::selfcheck;
use crate::slots::Slots;
use crate::step::{Outcome, Shared, Start, Touched};
use crate::tally::Tally;
use crate::time;
use crate::uring::ring::Ring;

/// An operation in flight.
#[derive(Debug, Clone, Copy, Default)]
struct Flight {
    submitted: u64,
    offset: u64,
    write: bool,
}

/// Everything a thread needs, made before the start.
struct Worker<'a> {
    shared: &'a Shared<'a>,
    stream: &'a Stream,
    timing: Timing,
    ring: Ring,
    slots: Slots,
    flights: Box<[Flight]>,
    free: Vec<usize>,
    /// Slots filled in this pass and not stamped yet.
    batch: Vec<usize>,
    tally: Tally,
    faults: Faults,
    touched: Touched,
    /// Cursor of the next operation of the stream.
    next: u64,
    share: u64,
    /// Operations counted against the share.
    issued: u64,
    measuring: bool,
    ending: Option<StopReason>,
}

/// Runs thread `thread` of a step from its ring to its outcome.
pub(crate) fn run(shared: &Shared<'_>, thread: u32, start: Start<'_>) -> Result<Outcome, Broken> {
    let job = shared.job;
    let mut refused = Vec::new();
    let slots = Slots::new(job.shape, job.data.clone(), u64::from(thread) * u64::from(job.depth));
    let setup = slots.arena(&mut refused).and_then(|arena| {
        Ring::open(job.depth, job.handle, arena, job.block, &mut refused)
            .map_err(|source| Broken { what: Attempt::Ring, source })
    });
    let (ring, started) = start.ready(setup)?;
    let Some((timing, tally)) = started else { return Ok(Outcome::not_started(thread)) };
    let depth = job.depth as usize;
    let worker = Worker {
        shared,
        stream: &job.streams[thread as usize],
        timing,
        ring,
        slots,
        flights: vec![Flight::default(); depth].into_boxed_slice(),
        free: (0..depth).rev().collect(),
        batch: Vec::with_capacity(depth),
        tally,
        faults: Faults::new(shared.policy),
        touched: Touched::default(),
        next: 0,
        share: job.budget.share(thread as usize),
        issued: 0,
        measuring: false,
        ending: None,
    };
    let mut outcome = worker.run(thread)?;
    outcome.refused = refused;
    outcome.punted = selfcheck::was_punted();
    Ok(outcome)
}

impl Worker<'_> {
    fn run(mut self, thread: u32) -> Result<Outcome, Broken> {
        let cpu = crate::rusage::CpuTime::of_this_thread();
        let mut now = time::now_ns();
        self.look_for_the_end_of_the_ramp(now);
        let broken = loop {
            self.look_for_an_end(now);
            self.refill(now);
            if self.tally.depth() == 0 {
                break None;
            }
            if let Err(source) = self.ring.enter() {
                self.shared.abort();
                break Some(Broken { what: Attempt::Enter, source });
            }
            now = time::now_ns();
            self.look_for_the_end_of_the_ramp(now);
            self.reap(now);
        };
        let cpu = crate::rusage::CpuTime::of_this_thread().since(cpu);
        let (first_submission, last_completion) = self.tally.finish(now);
        match broken {
            Some(broken) => Err(broken),
            None => Ok(Outcome {
                thread,
                reason: self.ending.unwrap_or(StopReason::Stopped),
                first_submission,
                last_completion,
                errors: self.faults.into_kept(),
                touched: self.touched,
                cpu,
                refused: Vec::new(),
                punted: false,
            }),
        }
    }

    #[inline]
    fn look_for_an_end(&mut self, now: u64) {
        if self.ending.is_none() {
            self.ending = self.shared.ended(&self.timing, now);
        }
    }

    /// Begins to count against the share. What is in flight when the ramp ends completes in the measured part and
    /// counts there, so this comes before the reaping of a pass.
    #[inline]
    const fn look_for_the_end_of_the_ramp(&mut self, now: u64) {
        if !self.measuring && now >= self.timing.ramp_end {
            self.measuring = true;
            self.issued = self.tally.depth();
        }
    }

    /// Submits one operation for each free slot, unless the step is ending.
    #[inline]
    fn refill(&mut self, now: u64) {
        while self.ending.is_none() {
            if self.measuring && self.issued >= self.share && self.timing.budget_binds(now) {
                self.ending = Some(self.shared.job.budget.reason);
                break;
            }
            let Some(slot) = self.free.pop() else { break };
            let (op, next) = self.stream.op(self.next);
            (self.next, self.issued) = (next, self.issued + 1);
            let write = op.kind == OpKind::Write;
            self.touched.note(op.offset);
            let at = self.slots.place(slot, write);
            if write {
                self.slots.stamp(slot, self.ring.buffer_mut(slot, at));
            }
            self.ring.queue(slot, op, at);
            self.flights[slot] = Flight { submitted: 0, offset: op.offset, write };
            self.batch.push(slot);
        }
        if self.batch.is_empty() {
            return;
        }
        let submitted = time::now_ns();
        self.tally.advance(submitted);
        self.tally.submitted(self.batch.len() as u64, submitted);
        for slot in self.batch.drain(..) {
            self.flights[slot].submitted = submitted;
        }
    }

    #[inline]
    fn reap(&mut self, now: u64) {
        let Worker { ring, tally, faults, flights, free, shared, .. } = self;
        tally.advance(now);
        let block = shared.job.block;
        ring.reap(|slot, result| {
            let flight = flights[slot];
            free.push(slot);
            if u32::try_from(result) == Ok(block) {
                tally.completed(flight.write, now - flight.submitted, now);
                faults.succeeded();
                return;
            }
            tally.failed(flight.write, now);
            let errno = if result < 0 { -result } else { 0 };
            let length = Bytes::new(u64::from(block));
            if faults.failed(IoError { at_ns: now, op: kind(flight.write), offset: flight.offset, length, errno }) {
                shared.abort();
            }
        });
    }
}
