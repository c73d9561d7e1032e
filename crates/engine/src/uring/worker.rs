//! The loop of one thread on io_uring: issue what may be issued, enter once, reap all that is ready.
//!
//! There is one time stamp per submitted batch, just before the enter that hands it to the kernel, and one per
//! reaping pass (research notes, engine, section 6). The latency of an operation is the time between the two. In a
//! closed loop every pass waits for one completion; in an open loop it waits no longer than until the next arrival.

use std::collections::VecDeque;

use drivelab_core::load::OpKind;
use drivelab_core::record::StopReason;

use crate::clock::wait::{self, LOOK_NS, SPIN_NS};
use crate::generate::stream::Op;
use crate::host::selfcheck;
use crate::load::job::ThreadJob;
use crate::load::sealing::Sealing;
use crate::memory::slots::Slots;
use crate::step::crew::Finished;
use crate::thread::account::{self, Account, Begun};
use crate::thread::faults::{Attempt, Broken};
use crate::thread::feed::{Feed, Next};
use crate::thread::flight::{Flight, Issue, Origin};
use crate::thread::outcome::Outcome;
use crate::thread::shared::{Shared, Start};
use crate::uring::keeper::Keeper;
use crate::uring::ring::{Driver, Ring};
use crate::uring::setup::Mode;

/// Error number of operations that were given up because the kernel never answered.
const GIVEN_UP: i32 = -libc::ETIMEDOUT;

/// Everything a thread needs, made before the start.
struct Worker<'a, 'r, const PLAIN: bool> {
    driver: Driver<'r>,
    slots: Slots,
    flights: Box<[Flight]>,
    /// For each slot, the operation, counted from 1, that was submitted again and may now block.
    waited: Box<[u64]>,
    free: Vec<u32>,
    /// Slots filled in this pass and not stamped yet.
    batch: Vec<u32>,
    /// Slots in their think time, and until when; in the order of their completions.
    resting: VecDeque<(u64, u32)>,
    account: Account<'a, PLAIN>,
    feed: Feed<'a, PLAIN>,
    counting: bool,
    /// When a slot became free after none had been: operations due before then did not wait for this thread.
    free_since: u64,
    seal: Option<Keeper>,
    /// Headers are written or checked.
    checks: bool,
    /// Operations come from a trace that has times.
    replays_timed: bool,
    ending: Option<StopReason>,
    /// When a check first found that the step as a whole had ended.
    ended_since: Option<u64>,
    /// The operations in flight have been given up: the kernel may keep them for ever.
    gave_up: bool,
    next_look: u64,
}

/// Runs thread `thread` of a step from its ring to its outcome.
pub(crate) fn run<'a>(
    shared: &'a Shared<'a>,
    thread: usize,
    mode: Mode,
    start: Start<'a>,
) -> Finished<Result<Outcome, Broken>> {
    let mut kept = None;
    let value = if shared.is_plain(thread, 1) {
        with_ring::<true>(shared, thread, mode, start, &mut kept)
    } else {
        with_ring::<false>(shared, thread, mode, start, &mut kept)
    };
    // Dropping a ring asks the kernel to take back its operations in flight, which it cannot; their memory is never
    // reused.
    let is_held = kept.as_ref().is_some_and(Ring::is_in_use);
    if is_held {
        kept.into_iter().for_each(std::mem::forget);
    }
    Finished { value, is_held }
}

fn with_ring<'a, const PLAIN: bool>(
    shared: &'a Shared<'a>,
    thread: usize,
    mode: Mode,
    start: Start<'a>,
    kept: &mut Option<Ring>,
) -> Result<Outcome, Broken> {
    let job = &shared.job.threads[thread];
    let pinned = account::pin(job);
    let mut refused = Vec::new();
    let slots = Slots::new(job.shape, job.data.clone(), job.first_slot);
    let ring = slots.arena(&mut refused).and_then(|arena| {
        Ring::open(job.depth, job.whereto, arena, mode, &mut refused)
            .map_err(|source| Broken { what: Attempt::Ring, source })
    });
    let setup = ring.map(|ring| (kept.insert(ring).drive(&mut refused), Hands::new(job)));
    if job.schedule.is_some() || job.timed {
        wait::sharpen_timers();
    }
    let Begun { setup, account } = Account::<PLAIN>::begin(shared, thread, start, pinned, setup)?;
    let Some(account) = account else { return Ok(Outcome::not_started(thread)) };
    let (driver, Hands { flights, waited, free, batch, resting, seal }) = setup;
    let worker = Worker {
        driver,
        slots,
        flights,
        waited,
        free,
        batch,
        resting,
        feed: Feed::new(shared, thread, account.timing, 1),
        account,
        counting: false,
        free_since: 0,
        seal,
        checks: !matches!(job.sealing, Sealing::None),
        replays_timed: job.timed,
        ending: None,
        ended_since: None,
        gave_up: false,
        next_look: 0,
    };
    let mut outcome = worker.run()?;
    outcome.refused = refused;
    outcome.punted = selfcheck::was_punted();
    Ok(outcome)
}

/// What a thread keeps its operations in.
struct Hands {
    flights: Box<[Flight]>,
    waited: Box<[u64]>,
    free: Vec<u32>,
    batch: Vec<u32>,
    resting: VecDeque<(u64, u32)>,
    seal: Option<Keeper>,
}

impl Hands {
    fn new(job: &ThreadJob<'_>) -> Hands {
        let depth = job.depth as usize;
        Hands {
            flights: vec![Flight::default(); depth].into_boxed_slice(),
            waited: vec![0; depth].into_boxed_slice(),
            free: (0..job.depth).rev().collect(),
            batch: Vec::with_capacity(depth),
            resting: VecDeque::with_capacity(depth),
            seal: Keeper::of(job),
        }
    }
}

impl<const PLAIN: bool> Worker<'_, '_, PLAIN> {
    fn run(mut self) -> Result<Outcome, Broken> {
        let mut now = self.account.shared.clock.now();
        let broken = loop {
            self.look_at_the_time(now);
            if self.gave_up {
                break None;
            }
            let resume = self.refill(now);
            let submitted = self.submit_stamp(now);
            if self.account.tally.depth() == 0 {
                if self.ending.is_some() {
                    break None;
                }
                now = wait::until(&self.account.shared.clock, resume.unwrap_or(submitted));
                self.account.tally.advance(now);
                continue;
            }
            let (completions, limit) = self.patience(resume, submitted);
            self.account.work.syscalls += 1;
            let entered = match limit {
                None => self.driver.enter_until_look(completions),
                Some(wait_ns) => self.driver.enter(completions, wait_ns),
            };
            if let Err(source) = entered {
                self.account.shared.abort();
                break Some(Broken { what: Attempt::Enter, source });
            }
            now = self.account.shared.clock.now();
            self.look_at_the_ramp(now);
            self.reap(now);
        };
        if let Some(broken) = broken {
            return Err(broken);
        }
        // An operation that was drawn and never issued is still the next one.
        let held = self.seal.as_ref().and_then(|seal| seal.held);
        let outcome = self.account.close(self.ending.unwrap_or(StopReason::Stopped), now, &self.feed);
        Ok(Outcome { cursor: held.map_or(outcome.cursor, |issue| issue.cursor), ..outcome })
    }

    /// How many completions to wait for, and how long; without a limit until the next periodic check.
    #[inline]
    fn patience(&self, resume: Option<u64>, now: u64) -> (u32, Option<u64>) {
        let batch = self.account.job.batch;
        let in_flight = u32::try_from(self.account.tally.depth()).unwrap_or(u32::MAX);
        let completions = batch.min(in_flight);
        match resume.filter(|_| self.ending.is_none()) {
            None => (completions, None),
            Some(resume) => match resume.saturating_sub(now) {
                near if near <= SPIN_NS => (0, Some(0)),
                far => (completions, Some((far - SPIN_NS).min(LOOK_NS))),
            },
        }
    }

    #[inline]
    fn look_at_the_time(&mut self, now: u64) {
        if self.ending.is_none() {
            self.ending = self.account.shared.ended(&self.account.timing, now);
        }
        self.look_at_the_ramp(now);
        if now >= self.next_look {
            self.look_for_stuck_ones(now);
        }
    }

    /// Begins to count against the share. Operations in flight when the ramp ends complete in the measured part and
    /// count there, so this comes before the reaping of a pass.
    #[inline]
    fn look_at_the_ramp(&mut self, now: u64) {
        if !self.counting && now >= self.account.timing.ramp_end {
            self.begin_counting();
        }
    }

    /// Charges the share with operations drawn in the ramp that end after it: those in flight, and one that waits for a
    /// block. Flushes of `sync_every` and read-backs are not part of the share.
    #[cold]
    fn begin_counting(&mut self) {
        self.counting = true;
        let in_flight = (0..self.flights.len()).filter(|slot| self.driver.is_in_flight(*slot));
        let drawn = in_flight.map(|slot| &self.flights[slot]).filter(|flight| flight.origin == Origin::Drawn);
        let in_flight: u64 = drawn.map(|flight| self.feed.units_of(flight.length)).sum();
        let held = self.seal.as_ref().and_then(|seal| seal.held).filter(|_| self.feed.origin() == Origin::Drawn);
        let held = held.map_or(0, |issue| self.feed.units_of(issue.op.length));
        self.feed.begin_counting(in_flight + held);
    }

    /// Fills free slots with what may be issued now. If something other than a lack of slots stops it, returns the
    /// time before which nothing more may be issued.
    #[inline]
    fn refill(&mut self, now: u64) -> Option<u64> {
        self.driver.begin();
        if !PLAIN {
            self.wake_resting(now);
            self.read_back();
        }
        if self.ending.is_some() {
            return None;
        }
        if PLAIN {
            return self.refill_plainly(now);
        }
        while let Some(slot) = self.free.pop() {
            let held = self.seal.as_mut().and_then(|seal| seal.held.take());
            match held.map_or_else(|| self.feed.next(now), Next::Issue) {
                Next::Issue(issue) => {
                    if !self.issue(slot, issue) {
                        self.free.push(slot);
                        return None;
                    }
                }
                Next::NotBefore(resume) => {
                    self.free.push(slot);
                    return Some(self.resting.front().map_or(resume, |(ready, _)| resume.min(*ready)));
                }
                Next::Done => {
                    self.free.push(slot);
                    self.ending = Some(self.account.shared.own_share_done(self.account.job));
                    return None;
                }
            }
        }
        self.resting.front().map(|(ready, _)| *ready)
    }

    /// [`Self::refill`] for threads that can be stopped only by the end of their share. An operation stays in
    /// registers: as a [`Next`] it would be written to memory in pieces and read back immediately, which took a tenth
    /// of a NOP's time.
    #[inline(always)]
    fn refill_plainly(&mut self, now: u64) -> Option<u64> {
        while let Some(slot) = self.free.pop() {
            let Some(issue) = self.feed.draw(now, 0) else {
                self.free.push(slot);
                self.ending = Some(self.account.shared.own_share_done(self.account.job));
                break;
            };
            self.issue(slot, issue);
        }
        None
    }

    /// Queues an operation. Returns `false` if it must wait for others to end; it is then still the next one.
    #[inline(always)]
    fn issue(&mut self, slot: u32, issue: Issue) -> bool {
        let index = slot as usize;
        let mut number = 0;
        if let Some(seal) = self.seal.as_mut().filter(|_| !PLAIN) {
            let flights = &self.flights;
            let in_flight =
                (0..flights.len()).filter(|slot| self.driver.is_in_flight(*slot)).map(|slot| flights[slot].number);
            match seal.admit(issue, in_flight) {
                Some(admitted) => number = admitted,
                None => return false,
            }
        }
        let mut at = self.slots.read(index);
        if issue.op.kind == OpKind::Write {
            at = self.slots.write(index, issue.op.offset, issue.op.length);
            let block = self.driver.buffer_mut(index, at, issue.op.length as usize);
            match &self.account.job.sealing {
                Sealing::Seal { sealer, .. } if !PLAIN => sealer.seal(block, issue.op.offset, issue.cursor + 1),
                _ => self.slots.stamp(index, block),
            }
        }
        self.driver.queue(index, &issue.op, at);
        // An operation that had to wait is still the one drawn last.
        self.flights[index] = Flight { number, origin: self.feed.origin(), ..self.account.flight(&issue, at) };
        self.batch.push(slot);
        true
    }

    /// Queues the reads that check what has just been written; their blocks stay claimed until they end.
    fn read_back(&mut self) {
        let Some(seal) = &mut self.seal else { return };
        for slot in seal.to_read_back.drain(..) {
            let index = slot as usize;
            let written = self.flights[index];
            let op = Op { offset: written.offset, length: written.length, kind: OpKind::Read };
            let at = self.slots.read(index);
            self.driver.queue_again(index, &op, at);
            let issue = Issue { op, cursor: written.cursor, intended: 0 };
            self.flights[index] =
                Flight { number: written.number, origin: Origin::ReadsBack, ..self.account.flight(&issue, at) };
            // The read has its write's position; that write's EAGAIN must not count as its own.
            self.waited[index] = 0;
            self.batch.push(slot);
        }
    }

    #[inline]
    fn wake_resting(&mut self, now: u64) {
        while let Some((_, slot)) = self.resting.front().copied().filter(|(ready, _)| *ready <= now) {
            self.resting.pop_front();
            self.free.push(slot);
        }
    }

    /// Stamps what this pass queued and returns the time stamp; the time of the pass if nothing was queued.
    #[inline]
    fn submit_stamp(&mut self, reaped: u64) -> u64 {
        if self.batch.is_empty() {
            return reaped;
        }
        let now = self.account.shared.clock.now();
        self.account.work.gaps.add(now.saturating_sub(reaped));
        self.account.submitting(self.batch.len() as u64, now);
        if PLAIN {
            self.batch.iter().for_each(|slot| self.flights[*slot as usize].submitted = now);
            self.batch.clear();
            return now;
        }
        let (is_open, mut arrivals) = (self.feed.is_open(), 0);
        for slot in self.batch.drain(..) {
            let flight = &mut self.flights[slot as usize];
            flight.submitted = now;
            if self.replays_timed {
                self.account.was_late(flight.intended, now);
            }
            if is_open {
                // A read-back was never on the schedule.
                arrivals += u64::from(flight.intended > 0);
                if flight.intended > self.free_since {
                    self.account.work.lateness.add(now.saturating_sub(flight.intended));
                }
            }
        }
        self.account.tally.arrivals(arrivals);
        now
    }

    #[inline]
    fn reap(&mut self, now: u64) {
        self.account.tally.advance(now);
        self.driver.look();
        let think_ns = self.account.job.pace.think_time.get();
        if self.free.is_empty() {
            self.free_since = now;
        }
        while let Some((slot, result)) = self.driver.completed() {
            if result != self.flights[slot].expected.cast_signed() && self.go_on(slot, result) {
                continue;
            }
            let good = self.account.ended(&self.flights[slot], result, now);
            #[expect(clippy::cast_possible_truncation, reason = "slots were numbered with 32 bits")]
            let number = slot as u32;
            if !PLAIN && self.checks && self.check(number, good) {
                continue;
            }
            self.feed.completed(now);
            if PLAIN || think_ns == 0 {
                self.free.push(number);
            } else {
                self.resting.push_back((now + think_ns, number));
            }
        }
    }

    /// Submits the rest of an operation of which the kernel did only a part; it is still the same operation. `false`
    /// if the kernel did nothing of it or refused it.
    #[cold]
    fn go_on(&mut self, slot: usize, result: i32) -> bool {
        if result == -libc::EAGAIN {
            return self.let_it_wait(slot);
        }
        let flight = &mut self.flights[slot];
        let done = u32::try_from(result).unwrap_or(0);
        if done == 0 || done >= flight.expected {
            return false;
        }
        self.account.work.short_transfers += 1;
        flight.expected -= done;
        let before = flight.length - flight.expected;
        let rest = Op { offset: flight.offset + u64::from(before), length: flight.expected, kind: flight.kind };
        let at = flight.at + before as usize;
        self.driver.begin();
        self.driver.queue_again(slot, &rest, at);
        true
    }

    /// Submits an operation again that the kernel rejected because it would have had to block; this time it may
    /// block. io_uring does so by itself, except if the answer comes from a layer below (device-mapper, as of Linux
    /// 6.1) while an interrupt is served. `false` if that was done already, or if the operation moves no data.
    #[cold]
    fn let_it_wait(&mut self, slot: usize) -> bool {
        let flight = &self.flights[slot];
        let moves = matches!(flight.kind, OpKind::Read | OpKind::Write);
        let number = flight.cursor + 1;
        if !moves || std::mem::replace(&mut self.waited[slot], number) == number {
            return false;
        }
        self.account.work.eagain_retries += 1;
        let before = flight.length - flight.expected;
        let rest = Op { offset: flight.offset + u64::from(before), length: flight.expected, kind: flight.kind };
        let at = flight.at + before as usize;
        self.driver.begin();
        self.driver.queue_to_wait(slot, &rest, at);
        true
    }

    /// Does what headers need after an operation has ended; returns whether its slot continues with the read-back of
    /// what it wrote.
    fn check(&mut self, slot: u32, good: bool) -> bool {
        let index = slot as usize;
        let flight = self.flights[index];
        if good && flight.kind == OpKind::Read {
            let block = self.driver.buffer_mut(index, flight.at, flight.length as usize);
            self.account.check(&flight, block);
        }
        let Some(seal) = &mut self.seal else { return false };
        if good && flight.kind == OpKind::Write && seal.at_once {
            seal.to_read_back.push(slot);
            return true;
        }
        seal.release(&flight);
        false
    }

    /// Reports the oldest operation in flight to the watchdog, and gives up operations that are long overdue.
    #[cold]
    fn look_for_stuck_ones(&mut self, now: u64) {
        self.next_look = now + LOOK_NS * 2;
        let limit = self.account.shared.watchdog_ns;
        let in_flight = (0..self.flights.len()).filter(|slot| self.driver.is_in_flight(*slot));
        let (mut late, mut oldest) = (0, None::<Flight>);
        for flight in in_flight.map(|slot| self.flights[slot]) {
            late += u64::from(now.saturating_sub(flight.submitted) > limit);
            oldest = Some(oldest.filter(|oldest| oldest.submitted <= flight.submitted).unwrap_or(flight));
        }
        self.account.note_under_way(late, oldest.as_ref());
        // If all slots are overdue, no refill notices that the share is done.
        if late > 0 && self.ending.is_none() && self.free.is_empty() && self.feed.is_done(now) {
            self.ending = Some(self.account.shared.own_share_done(self.account.job));
        }
        let is_overdue = self.is_overdue(now, limit);
        if late > 0 && is_overdue && self.ending.is_some() {
            self.give_up(now);
        }
    }

    /// Whether the step ended more than `limit` ago, or a stop was requested. This looks at the step as a whole: a
    /// thread whose share is done waits for the others in any case.
    fn is_overdue(&mut self, now: u64, limit: u64) -> bool {
        let shared = self.account.shared;
        if shared.ended(&self.account.timing, now).is_none() {
            return false;
        }
        let since = *self.ended_since.get_or_insert(now);
        now.saturating_sub(since) > limit || shared.is_told_to_stop()
    }

    /// Counts everything in flight as failed. The ring and its memory stay with the kernel.
    fn give_up(&mut self, now: u64) {
        self.gave_up = true;
        self.account.shared.abort();
        self.account.tally.advance(now);
        for slot in 0..self.flights.len() {
            if self.driver.is_in_flight(slot) {
                self.account.ended(&self.flights[slot], GIVEN_UP, now);
            }
        }
    }
}
