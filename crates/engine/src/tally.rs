//! What one issuing thread counts, and how a finished interval leaves it without a lock.
//!
//! A thread owns the [`Meter`] it counts in. At a border it puts it into a channel that was made with room for every
//! meter there is (so sending never waits) and goes on with a spare; the collector sends empty meters back. Where no
//! spare is there, because the collector was kept waiting, the interval goes on to the next border; only the end of
//! the ramp has a meter of its own and is never missed.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Thread;

use drivelab_core::histogram::Histogram;

use crate::schedule::Timing;

/// Meters in circulation per thread, without the one for the end of the ramp.
const METERS: usize = 3;

/// Counts of one kind of operation in one interval.
#[derive(Debug, Default)]
pub(crate) struct KindMeter {
    /// Latencies of completed operations, and so their number.
    pub(crate) histogram: Histogram,
    /// Operations that failed.
    pub(crate) errors: u64,
}

impl KindMeter {
    /// Adds the counts of another.
    pub(crate) fn merge(&mut self, other: &KindMeter) {
        self.errors += other.errors;
        if other.histogram.count() > 0 {
            self.histogram.merge(&other.histogram);
        }
    }

    /// Forgets everything, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.errors = 0;
        if self.histogram.count() > 0 {
            self.histogram.clear();
        }
    }
}

/// Everything counted in one interval.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pub(crate) read: KindMeter,
    pub(crate) write: KindMeter,
    /// Operations in flight, integrated over time: operations x nanoseconds.
    pub(crate) depth_ns: u64,
}

impl Meter {
    /// Forgets everything, keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.read.clear();
        self.write.clear();
        self.depth_ns = 0;
    }
}

/// A finished interval of one thread.
#[derive(Debug)]
pub(crate) struct HandOver {
    pub(crate) meter: Box<Meter>,
    /// How many borders of the step lie behind it, its own end included.
    pub(crate) borders: u32,
    /// Its end: the border, or the last completion where `last`.
    pub(crate) end: u64,
    /// Nothing follows from this thread.
    pub(crate) last: bool,
}

/// The collector's ends of the two channels.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) finished: Receiver<HandOver>,
    pub(crate) empty: SyncSender<Box<Meter>>,
}

/// The thread's ends of the two channels.
#[derive(Debug)]
pub(crate) struct LaneEnd {
    finished: SyncSender<HandOver>,
    empty: Receiver<Box<Meter>>,
    ramp_spare: Option<Box<Meter>>,
    first: Box<Meter>,
    collector: Thread,
}

/// Makes the channels and meters of one thread, collected by the calling thread.
pub(crate) fn lane() -> (Lane, LaneEnd) {
    let (finished_in, finished) = sync_channel(METERS + 1);
    let (empty, empty_out) = sync_channel(METERS + 1);
    for _ in 1..METERS {
        // The channel was made with room for all of them.
        let _ = empty.try_send(Box::default());
    }
    let end = LaneEnd {
        finished: finished_in,
        empty: empty_out,
        ramp_spare: Some(Box::default()),
        first: Box::default(),
        collector: std::thread::current(),
    };
    (Lane { finished, empty }, end)
}

/// What one thread counts while it runs.
#[derive(Debug)]
pub(crate) struct Tally {
    meter: Box<Meter>,
    lane: LaneEndRest,
    timing: Timing,
    next_border: Option<u64>,
    borders: u32,
    depth: u64,
    counted_to: u64,
    first_submission: Option<u64>,
    last_completion: Option<u64>,
}

#[derive(Debug)]
struct LaneEndRest {
    finished: SyncSender<HandOver>,
    empty: Receiver<Box<Meter>>,
    ramp_spare: Option<Box<Meter>>,
    collector: Thread,
}

impl Tally {
    pub(crate) fn new(end: LaneEnd, timing: Timing) -> Self {
        let LaneEnd { finished, empty, ramp_spare, first, collector } = end;
        Tally {
            meter: first,
            lane: LaneEndRest { finished, empty, ramp_spare, collector },
            timing,
            next_border: timing.border_after(timing.start),
            borders: 0,
            depth: 0,
            counted_to: timing.start,
            first_submission: None,
            last_completion: None,
        }
    }

    /// Operations in flight.
    #[inline]
    pub(crate) const fn depth(&self) -> u64 {
        self.depth
    }

    /// Brings the count up to `now`: closes the intervals that are over and integrates the depth. Called before each
    /// change of the depth with the time of that change.
    #[inline]
    pub(crate) fn advance(&mut self, now: u64) {
        while let Some(border) = self.next_border.filter(|border| *border <= now) {
            self.integrate(border);
            self.close(border);
        }
        self.integrate(now);
    }

    #[inline]
    const fn integrate(&mut self, to: u64) {
        if to > self.counted_to {
            self.meter.depth_ns += self.depth * (to - self.counted_to);
            self.counted_to = to;
        }
    }

    /// `operations` were submitted at `now`.
    #[inline]
    pub(crate) fn submitted(&mut self, operations: u64, now: u64) {
        self.depth += operations;
        self.first_submission.get_or_insert(now);
    }

    /// An operation completed.
    #[inline]
    pub(crate) fn completed(&mut self, write: bool, latency_ns: u64, now: u64) {
        self.over(now);
        self.kind(write).histogram.record(latency_ns);
    }

    /// An operation failed.
    #[inline]
    pub(crate) fn failed(&mut self, write: bool, now: u64) {
        self.over(now);
        self.kind(write).errors += 1;
    }

    #[inline]
    const fn over(&mut self, now: u64) {
        self.depth -= 1;
        self.last_completion = Some(now);
    }

    #[inline]
    const fn kind(&mut self, write: bool) -> &mut KindMeter {
        if write { &mut self.meter.write } else { &mut self.meter.read }
    }

    /// Hands the interval over that ends at `border`, or lets it go on where there is no meter for the next one.
    fn close(&mut self, border: u64) {
        self.borders += 1;
        self.next_border = self.timing.border_after(border);
        let spare = self.lane.empty.try_recv().ok();
        let at_ramp_end = border == self.timing.ramp_end;
        let Some(spare) = spare.or_else(|| if at_ramp_end { self.lane.ramp_spare.take() } else { None }) else {
            return;
        };
        let meter = std::mem::replace(&mut self.meter, spare);
        self.lane.hand_over(HandOver { meter, borders: self.borders, end: border, last: false });
    }

    /// Hands the last interval over. First submission and last completion, where there were any.
    pub(crate) fn finish(mut self, now: u64) -> (Option<u64>, Option<u64>) {
        self.advance(now);
        let end = self.last_completion.unwrap_or(now);
        let borders = self.borders + 1;
        self.lane.hand_over(HandOver { meter: self.meter, borders, end, last: true });
        (self.first_submission, self.last_completion)
    }
}

impl LaneEndRest {
    /// Never waits: the channel has room for every meter in circulation. Waking the collector is one futex call.
    fn hand_over(&self, interval: HandOver) {
        let _ = self.finished.try_send(interval);
        self.collector.unpark();
    }
}
