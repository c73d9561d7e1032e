//! What one issuing thread counts, and how it hands over a finished interval without a lock.
//!
//! A thread owns the [`Meter`] that it counts in. At the end of an interval it sends the meter through a channel that
//! has room for every meter (so sending never waits) and continues with a spare; the collector sends empty meters
//! back. If no spare is available because the collector was delayed, the interval continues to the next interval end.
//! Only the end of the ramp has a meter of its own and is never missed.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Thread;

use crate::load::schedule::Timing;
use crate::thread::meter::{Layout, Meter};
use crate::thread::trace::TraceEntry;

/// Meters in circulation per thread, without the one for the end of the ramp.
const METERS: usize = 3;

/// A finished interval of one thread.
#[derive(Debug)]
pub(crate) struct HandOver {
    pub(crate) meter: Box<Meter>,
    /// Number of interval ends of the step that have passed, including its own.
    pub(crate) borders: u32,
    /// Its end: the regular interval end, or the last completion if `last`.
    pub(crate) end: u64,
    /// This thread sends nothing more.
    pub(crate) last: bool,
}

/// The collector's ends of the two channels.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) finished: Receiver<HandOver>,
    pub(crate) empty: SyncSender<Box<Meter>>,
    /// The logical thread that it belongs to.
    pub(crate) thread: usize,
    /// The group of that thread.
    pub(crate) group: usize,
}

/// The thread's ends of the two channels.
#[derive(Debug)]
pub(crate) struct LaneEnd {
    first: Box<Meter>,
    rest: Exchange,
}

/// Makes the channels and meters of one thread of a group, collected by the calling thread.
pub(crate) fn lane(thread: usize, group: usize, layout: &Layout) -> (Lane, LaneEnd) {
    let (finished_in, finished) = sync_channel(METERS + 1);
    let (empty, empty_out) = sync_channel(METERS + 1);
    for _ in 1..METERS {
        // The channel was made with room for all of them.
        let _ = empty.try_send(layout.meter());
    }
    let rest = Exchange {
        finished: finished_in,
        empty: empty_out,
        ramp_spare: Some(layout.meter()),
        collector: std::thread::current(),
    };
    (Lane { finished, empty, thread, group }, LaneEnd { first: layout.meter(), rest })
}

/// What one thread counts while it runs.
#[derive(Debug)]
pub(crate) struct Tally {
    meter: Box<Meter>,
    lane: Exchange,
    timing: Timing,
    /// End of the interval; `u64::MAX` for the last one.
    next_border: u64,
    borders: u32,
    depth: u64,
    counted_to: u64,
    first_submission: Option<u64>,
    last_completion: u64,
    alike: Alike,
}

/// Completions of one class with the same latency that came one after the other and are not in the histogram yet.
/// Operations submitted and reaped together have the same two time stamps, so whole batches are counted at once.
#[derive(Debug, Clone, Copy, Default)]
struct Alike {
    class: usize,
    latency_ns: u64,
    count: u64,
}

#[derive(Debug)]
struct Exchange {
    finished: SyncSender<HandOver>,
    empty: Receiver<Box<Meter>>,
    ramp_spare: Option<Box<Meter>>,
    collector: Thread,
}

impl Tally {
    pub(crate) fn new(end: LaneEnd, timing: Timing) -> Self {
        Tally {
            meter: end.first,
            lane: end.rest,
            timing,
            next_border: timing.border_after(timing.start).unwrap_or(u64::MAX),
            borders: 0,
            depth: 0,
            counted_to: timing.start,
            first_submission: None,
            last_completion: 0,
            alike: Alike::default(),
        }
    }

    /// Operations in flight.
    #[inline]
    pub(crate) const fn depth(&self) -> u64 {
        self.depth
    }

    /// Brings the counts up to `now`: closes the intervals that are over and integrates the depth. Called before each
    /// change of the depth with the time of that change.
    #[inline]
    pub(crate) fn advance(&mut self, now: u64) {
        if now >= self.next_border {
            self.close_all(now);
        }
        self.integrate(now);
    }

    #[cold]
    fn close_all(&mut self, now: u64) {
        while self.next_border <= now {
            let border = self.next_border;
            self.integrate(border);
            self.close(border);
        }
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

    /// An operation of `class` completed.
    #[inline]
    pub(crate) fn completed(&mut self, class: usize, latency_ns: u64, now: u64) {
        self.over(now);
        if (self.alike.class, self.alike.latency_ns) == (class, latency_ns) {
            self.alike.count += 1;
        } else {
            self.settle();
            self.alike = Alike { class, latency_ns, count: 1 };
        }
    }

    /// It moved this many bytes; called if lengths vary.
    #[inline]
    pub(crate) fn moved(&mut self, class: usize, bytes: u64) {
        if let Some(meter) = self.meter.classes.get_mut(class) {
            meter.bytes += bytes;
        }
    }

    /// Adds the deferred completions to the histogram. Called before a meter is handed over.
    #[inline]
    fn settle(&mut self) {
        let Alike { class, latency_ns, count } = std::mem::take(&mut self.alike);
        if let Some(meter) = self.meter.classes.get_mut(class) {
            meter.latency.record_many(latency_ns, count);
        }
    }

    /// The same operation took this long from its intended start.
    #[inline]
    pub(crate) fn responded(&mut self, class: usize, response_ns: u64) {
        if let Some(response) = self.meter.classes.get_mut(class).and_then(|meter| meter.response.as_mut()) {
            response.record(response_ns);
        }
    }

    /// An operation of `class` failed.
    #[inline]
    pub(crate) fn failed(&mut self, class: usize, now: u64) {
        self.over(now);
        if let Some(meter) = self.meter.classes.get_mut(class) {
            meter.errors += 1;
        }
    }

    /// Of the operations submitted last, this many had arrived by a schedule.
    #[inline]
    pub(crate) fn arrivals(&mut self, operations: u64) {
        self.meter.arrivals += operations;
    }

    /// Keeps an entry for the trace, if one is kept.
    #[inline]
    pub(crate) fn trace(&mut self, entry: TraceEntry) {
        self.meter.trace.keep(entry);
    }

    #[inline]
    const fn over(&mut self, now: u64) {
        self.depth -= 1;
        self.last_completion = now;
    }

    /// Hands over the interval that ends at `border`, or lets it continue if no meter is available for the next one.
    fn close(&mut self, border: u64) {
        self.borders += 1;
        self.next_border = self.timing.border_after(border).unwrap_or(u64::MAX);
        let spare = self.lane.empty.try_recv().ok();
        let at_ramp_end = border == self.timing.ramp_end;
        let Some(spare) = spare.or_else(|| if at_ramp_end { self.lane.ramp_spare.take() } else { None }) else {
            return;
        };
        self.settle();
        let meter = std::mem::replace(&mut self.meter, spare);
        self.lane.hand_over(HandOver { meter, borders: self.borders, end: border, last: false });
    }

    /// Hands over the last interval. Returns the first submission, if there was one.
    pub(crate) fn finish(mut self, now: u64) -> Option<u64> {
        self.advance(now);
        self.settle();
        // A step that ends by its time lasts that long, even if nothing was due at its end.
        let end = self.last_completion.max(now.min(self.timing.deadline()));
        let borders = self.borders + 1;
        self.lane.hand_over(HandOver { meter: self.meter, borders, end, last: true });
        self.first_submission
    }
}

impl Exchange {
    /// Never waits: the channel has room for every meter in circulation. Waking the collector is one futex call.
    fn hand_over(&self, interval: HandOver) {
        let _ = self.finished.try_send(interval);
        self.collector.unpark();
    }
}
