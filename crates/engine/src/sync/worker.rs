//! The sync backend: pread(2), pwrite(2) and related calls, one OS thread for each operation in flight. Writes with a
//! placement handle go through [`crate::load::placed`].
//!
//! The `queue_depth` OS threads of one logical thread share its stream: each takes the next operation from the shared
//! position, so there is one stream whatever the depth. Operations are taken in order; the scheduler decides which of
//! two threads reaches the kernel first. In an open loop they share the schedule in the same way: an arrival belongs
//! to the thread that took it, which waits until it is due.

use std::io;
use std::os::fd::BorrowedFd;

use drivelab_core::load::OpKind;
use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use crate::clock::wait;
use crate::generate::stream::Op;
use crate::host::own_files;
use crate::load::placed::Placed;
use crate::load::sealing::Sealing;
use crate::memory::buffer::Arena;
use crate::memory::slots::Slots;
use crate::sync::discard;
use crate::thread::account::{self, Account, Begun};
use crate::thread::faults::{Attempt, Broken};
use crate::thread::feed::{Feed, Next};
use crate::thread::flight::{Flight, Issue, Origin};
use crate::thread::outcome::Outcome;
use crate::thread::shared::{Shared, Start};
use crate::uring::ring::Whereto;

/// Most OS threads of a step: beyond this the scheduler is measured instead of the drive.
pub(crate) const OS_THREADS_MAX: u64 = 1024;

struct Worker<'a, const PLAIN: bool> {
    arena: Arena,
    slots: Slots,
    account: Account<'a, PLAIN>,
    feed: Feed<'a, PLAIN>,
    whereto: Whereto<'a>,
    placed: Option<Placed<'a>>,
}

/// Runs OS thread `slot` of logical thread `thread`.
pub(crate) fn run<'a>(shared: &'a Shared<'a>, thread: usize, slot: u32, start: Start<'a>) -> Result<Outcome, Broken> {
    if shared.is_plain(thread, shared.job.threads[thread].depth) {
        run_as::<true>(shared, thread, slot, start)
    } else {
        run_as::<false>(shared, thread, slot, start)
    }
}

fn run_as<'a, const PLAIN: bool>(
    shared: &'a Shared<'a>,
    thread: usize,
    slot: u32,
    start: Start<'a>,
) -> Result<Outcome, Broken> {
    let job = &shared.job.threads[thread];
    let pinned = account::pin(job);
    own_files::take();
    let mut refused = Vec::new();
    let slots = Slots::new(job.shape.for_one_slot(), job.data.clone(), job.first_slot + u64::from(slot));
    let setup = if matches!(job.whereto, Whereto::Nop) {
        Err(Broken { what: Attempt::Buffers, source: io::Error::from(io::ErrorKind::Unsupported) })
    } else {
        slots.arena(&mut refused)
    };
    if job.schedule.is_some() || job.timed {
        wait::sharpen_timers();
    }
    let Begun { setup: arena, account } = Account::<PLAIN>::begin(shared, thread, start, pinned, setup)?;
    let Some(account) = account else { return Ok(Outcome::not_started(thread)) };
    let feed = Feed::new(shared, thread, account.timing, job.depth);
    let mut outcome = Worker { arena, slots, account, feed, whereto: job.whereto, placed: job.placed }.run();
    outcome.refused = refused;
    Ok(outcome)
}

impl<'a, const PLAIN: bool> Worker<'a, PLAIN> {
    fn run(mut self) -> Outcome {
        let mut now = self.account.shared.clock.now();
        let reason = loop {
            if let Some(reason) = self.account.shared.ended(&self.account.timing, now) {
                break reason;
            }
            let counted = now >= self.account.timing.ramp_end;
            if counted {
                self.feed.count_from_here();
            }
            let issue = match self.next(now) {
                Ok(Some(issue)) => issue,
                Ok(None) => break self.account.shared.own_share_done(self.account.job),
                Err(later) => {
                    now = later;
                    self.account.tally.advance(now);
                    continue;
                }
            };
            let (ended, after) = self.issue(issue);
            now = after;
            self.feed.completed(now);
            if !counted && ended >= self.account.timing.ramp_end {
                // Submitted in the ramp and completed after it: it counts in the measured part, whenever it was read
                // back.
                self.feed.count_late(issue.op.length);
            }
            let think = self.account.job.pace.think_time.get();
            if !PLAIN && think > 0 {
                now = self.pause(now + think);
            }
        };
        self.account.close(reason, now, &self.feed)
    }

    /// The next operation; `Ok(None)` if the share is done, `Err` with the time after a wait in which nothing could
    /// be issued.
    #[inline(always)]
    fn next(&mut self, now: u64) -> Result<Option<Issue>, u64> {
        if !self.feed.is_open() {
            return match self.feed.next(now) {
                Next::Issue(issue) => Ok(Some(issue)),
                Next::Done => Ok(None),
                Next::NotBefore(resume) => Err(self.pause(resume)),
            };
        }
        let intended = self.feed.take_arrival();
        let was_late = now > intended;
        let end = self.account.timing.deadline();
        let now = if was_late { now } else { self.pause(intended.min(end)) };
        // A schedule has no end; arrivals at or after the deadline do not belong to this step.
        if now < intended || intended >= end {
            return Err(now);
        }
        if !was_late {
            self.account.work.lateness.add(now - intended);
        }
        Ok(self.feed.draw(now, intended))
    }

    /// Waits until `until` or until the step ends; returns the time then.
    fn pause(&mut self, until: u64) -> u64 {
        let shared = self.account.shared;
        let mut now = shared.clock.now();
        while now < until && shared.ended(&self.account.timing, now).is_none() {
            now = wait::until(&shared.clock, until);
            self.account.tally.advance(now);
        }
        now
    }

    /// Issues one operation and returns the time of its completion, and the time after its read-back if there is one.
    // Inlined with its parts: passed from function to function an operation goes through memory each time, which
    // costs a tenth of a call that does nothing.
    #[inline(always)]
    fn issue(&mut self, issue: Issue) -> (u64, u64) {
        let op = issue.op;
        let is_write = op.kind == OpKind::Write;
        let at = if is_write { self.slots.write(0, op.offset, op.length) } else { self.slots.read(0) };
        if is_write {
            let block = self.arena.slice_mut(at, op.length as usize);
            match &self.account.job.sealing {
                Sealing::Seal { sealer, .. } if !PLAIN => sealer.seal(block, op.offset, issue.cursor + 1),
                _ => self.slots.stamp(0, block),
            }
        }
        let mut flight = self.account.flight(&issue, at);
        flight.origin = self.feed.origin();
        let submitted = self.account.shared.clock.now();
        flight.submitted = submitted;
        self.account.submitting(1, submitted);
        self.account.was_late(issue.intended, submitted);
        self.account.tally.arrivals(u64::from(issue.intended > 0));
        self.account.work.syscalls += self.placed_by(op).map_or(1, |placed| placed.commands(op.length));
        self.account.note_under_way(1, Some(&flight));
        let (now, result) = self.call(op, at);
        self.account.note_under_way(0, None);
        let good = self.ended(&flight, result, now);
        if !PLAIN && good && op.kind == OpKind::Read {
            self.account.check(&flight, self.arena.slice_mut(at, op.length as usize));
        }
        let reads_back = !PLAIN && matches!(self.account.job.sealing, Sealing::Seal { at_once: true, .. });
        let after = if good && is_write && reads_back { self.read_back(issue) } else { now };
        (now, after)
    }

    /// Reads what was just written and checks it.
    #[cold]
    fn read_back(&mut self, written: Issue) -> u64 {
        let op = Op { kind: OpKind::Read, ..written.op };
        let at = self.slots.read(0);
        let mut flight = self.account.flight(&Issue { op, intended: 0, ..written }, at);
        flight.origin = Origin::ReadsBack;
        flight.submitted = self.account.shared.clock.now();
        self.account.submitting(1, flight.submitted);
        self.account.work.syscalls += 1;
        self.account.note_under_way(1, Some(&flight));
        let (now, result) = self.call(op, at);
        self.account.note_under_way(0, None);
        if self.ended(&flight, result, now) {
            self.account.check(&flight, self.arena.slice_mut(at, op.length as usize));
        }
        now
    }

    /// How an operation is placed, if it is.
    #[inline(always)]
    fn placed_by(&self, op: Op) -> Option<Placed<'a>> {
        self.placed.filter(|_| !PLAIN && op.kind == OpKind::Write)
    }

    #[inline(always)]
    fn call(&mut self, op: Op, at: usize) -> (u64, i32) {
        let moves = matches!(op.kind, OpKind::Read | OpKind::Write);
        let placed = self.placed_by(op);
        let buffer = if moves { self.arena.slice_mut(at, op.length as usize) } else { &mut [] };
        let mut result = match placed {
            Some(placed) => placed.write(buffer, op.offset),
            None => perform(self.whereto, op, buffer),
        };
        if moves && result > 0 && result.cast_unsigned() < op.length {
            result = self.go_on(op, at, result);
        }
        (self.account.shared.clock.now(), result)
    }

    /// Requests the rest of an operation of which the kernel did only a part, until it does nothing more.
    #[cold]
    fn go_on(&mut self, op: Op, at: usize, first: i32) -> i32 {
        let mut done = first.cast_unsigned();
        while done < op.length {
            self.account.work.short_transfers += 1;
            self.account.work.syscalls += 1;
            let rest = Op { offset: op.offset + u64::from(done), length: op.length - done, kind: op.kind };
            let buffer = self.arena.slice_mut(at + done as usize, rest.length as usize);
            match perform(self.whereto, rest, buffer) {
                more @ 1.. => done += more.cast_unsigned(),
                nothing_or_error => return nothing_or_error,
            }
        }
        done.cast_signed()
    }

    #[inline(always)]
    fn ended(&mut self, flight: &Flight, result: i32, now: u64) -> bool {
        self.account.tally.advance(now);
        self.account.ended(flight, result, now)
    }
}

/// Runs one operation; returns what io_uring would: bytes, or minus the error number.
#[inline]
fn perform(whereto: Whereto<'_>, op: Op, buffer: &mut [u8]) -> i32 {
    let (handle, on_device) = match whereto {
        Whereto::File(handle) => (handle, false),
        Whereto::BlockDevice(handle) => (handle, true),
        Whereto::Nop => return 0,
    };
    match op.kind {
        OpKind::Read => answer(rustix::io::pread(handle, buffer, op.offset)),
        OpKind::Write => answer(rustix::io::pwrite(handle, buffer, op.offset)),
        OpKind::Trim | OpKind::WriteZeroes | OpKind::Flush => rare(handle, on_device, op),
    }
}

#[cold]
fn rare(handle: BorrowedFd<'_>, on_device: bool, op: Op) -> i32 {
    let (offset, length) = (op.offset, u64::from(op.length));
    let keep = FallocateFlags::KEEP_SIZE;
    let done = match op.kind {
        OpKind::Trim if on_device => discard::discard(handle, offset, length),
        OpKind::Trim => rustix::fs::fallocate(handle, keep | FallocateFlags::PUNCH_HOLE, offset, length),
        OpKind::WriteZeroes => rustix::fs::fallocate(handle, keep | FallocateFlags::ZERO_RANGE, offset, length),
        _ => rustix::fs::fdatasync(handle),
    };
    answer(done.map(|()| 0))
}

#[inline]
fn answer(result: Result<usize, Errno>) -> i32 {
    match result {
        Ok(bytes) => i32::try_from(bytes).unwrap_or(i32::MAX),
        Err(errno) => -errno.raw_os_error(),
    }
}
