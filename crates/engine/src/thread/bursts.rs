//! Bursts by volume: who may issue, when a burst is over, when the next one begins, and how long bursts were active.
//!
//! All threads of the step share one set of atomics and see the same bursts without a lock. An operation is admitted
//! before it is drawn and leaves when it has ended. The thread whose operation leaves last closes the burst: it adds
//! the burst's activity to the total and sets the time when the next burst may begin, after the pause.

use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_core::load::VolumeBursts;
use drivelab_core::record::BurstsDone;
use drivelab_core::units::Nanos;
use drivelab_core::workload::Workload;

use crate::load::schedule::Timing;
use crate::thread::place::Padded;

/// In [`Book::from`]: a thread is closing the burst.
const TURNING: u64 = u64::MAX;
/// In [`Book::begun`]: no operation of the burst has been drawn.
const NOT_BEGUN: u64 = u64::MAX;
/// How long a thread waits for one that is closing the burst.
const TURNING_NS: u64 = 5_000;

/// Whether an operation may be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It belongs to this burst and must leave it.
    Go,
    /// A pause lasts until this time.
    NotBefore(u64),
    /// All operations of the burst have been drawn, and some are still in flight.
    WhenOver,
}

/// The bursts of a step. All times in nanoseconds of the step's clock.
#[derive(Debug)]
pub(crate) struct Book {
    bursts: VolumeBursts,
    /// Operations of a burst.
    operations: u64,
    /// Longest time in which a burst draws.
    at_most: u64,
    /// The burst may begin at this time, or [`TURNING`].
    from: Padded,
    /// When its first operation was drawn, or [`NOT_BEGUN`].
    begun: Padded,
    /// Operations drawn of it.
    drawn: Padded,
    /// Admitted and not yet left.
    inside: Padded,
    /// Latest completion.
    last_end: Padded,
    /// Active time of the closed bursts of the measured part.
    active_ns: AtomicU64,
    count: AtomicU64,
}

impl Book {
    /// `None` if the workload has no such bursts.
    pub(crate) fn of(workload: &Workload) -> Option<Self> {
        let bursts = workload.pace.volume_bursts?;
        Some(Book {
            bursts,
            operations: bursts.operations(workload.mean_block_size()),
            at_most: bursts.on_at_most.map_or(u64::MAX, Nanos::get),
            from: Padded::default(),
            begun: Padded(AtomicU64::new(NOT_BEGUN)),
            drawn: Padded::default(),
            inside: Padded::default(),
            last_end: Padded::default(),
            active_ns: AtomicU64::new(0),
            count: AtomicU64::new(0),
        })
    }

    /// Asks to draw one operation at `now`. After [`Admission::Go`] the caller must call [`Self::leave`].
    pub(crate) fn admit(&self, now: u64, timing: &Timing) -> Admission {
        // While this thread is inside, no other thread closes the burst, unless one was about to: `from` then shows
        // that below.
        self.inside.0.fetch_add(1, Ordering::SeqCst);
        let from = self.from.0.load(Ordering::SeqCst);
        if from > now {
            self.leave(now, timing);
            return Admission::NotBefore(if from == TURNING { now + TURNING_NS } else { from });
        }
        let more = |drawn: u64| (drawn < self.operations && !self.is_out_of_time(now)).then(|| drawn + 1);
        let Ok(before) = self.drawn.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more) else {
            self.leave(now, timing);
            return match self.from.0.load(Ordering::SeqCst) {
                from if from > now && from != TURNING => Admission::NotBefore(from),
                _ => Admission::WhenOver,
            };
        };
        if self.from.0.load(Ordering::SeqCst) != from {
            self.drawn.0.fetch_sub(1, Ordering::SeqCst);
            self.leave(now, timing);
            return Admission::NotBefore(now + TURNING_NS);
        }
        if before == 0 {
            self.begun.0.store(now, Ordering::SeqCst);
        }
        Admission::Go
    }

    /// The admitted operation moves no bytes, or there was none, so it does not count.
    pub(crate) fn moves_nothing(&self) {
        self.drawn.0.fetch_sub(1, Ordering::SeqCst);
    }

    /// An admitted operation has ended at `now`.
    pub(crate) fn ended(&self, now: u64, timing: &Timing) {
        self.last_end.0.fetch_max(now, Ordering::SeqCst);
        self.leave(now, timing);
    }

    /// The admitted operation has ended, or there was none.
    pub(crate) fn leave(&self, now: u64, timing: &Timing) {
        let last = self.inside.0.fetch_sub(1, Ordering::SeqCst) == 1;
        let drawn = self.drawn.0.load(Ordering::SeqCst);
        if last && drawn > 0 && (drawn >= self.operations || self.is_out_of_time(now)) {
            self.turn(now, timing);
        }
    }

    fn is_out_of_time(&self, now: u64) -> bool {
        now.saturating_sub(self.begun.0.load(Ordering::SeqCst)) >= self.at_most
    }

    /// The burst is over: the next one begins after the pause that follows its last completion.
    #[cold]
    fn turn(&self, now: u64, timing: &Timing) {
        let from = self.from.0.load(Ordering::SeqCst);
        let taken = || self.from.0.compare_exchange(from, TURNING, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if from > now || !taken() {
            return;
        }
        let begun = self.begun.0.load(Ordering::SeqCst);
        if self.inside.0.load(Ordering::SeqCst) > 0 || begun == NOT_BEGUN {
            // Another thread came in before the burst was closed; whichever leaves last, or comes next, closes it.
            self.from.0.store(from, Ordering::SeqCst);
            return;
        }
        let end = self.last_end.0.load(Ordering::SeqCst).max(begun);
        self.add(begun, end, timing.ramp_end);
        let pause = self.bursts.pause_after(Nanos::new(end - begun));
        self.begun.0.store(NOT_BEGUN, Ordering::SeqCst);
        self.drawn.0.store(0, Ordering::SeqCst);
        self.from.0.store(end.saturating_add(pause.get().max(1)).min(TURNING - 1), Ordering::SeqCst);
    }

    fn add(&self, begun: u64, end: u64, measured_from: u64) {
        let begun = begun.max(measured_from);
        if end > begun {
            self.active_ns.fetch_add(end - begun, Ordering::Relaxed);
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Bursts of the measured part of a step whose threads have ended; the step lasted until `end`.
    pub(crate) fn done(&self, end: u64, measured_from: u64) -> BurstsDone {
        let begun = self.begun.0.swap(NOT_BEGUN, Ordering::Relaxed);
        if begun != NOT_BEGUN && self.drawn.0.load(Ordering::Relaxed) > 0 {
            self.add(begun, end, measured_from);
        }
        let active = Nanos::new(self.active_ns.load(Ordering::Relaxed));
        BurstsDone { count: self.count.load(Ordering::Relaxed), active }
    }
}

#[cfg(test)]
mod tests {
    //! Bursts with times worked out by hand, and with racing threads.

    use drivelab_core::plan::StopRule;
    use drivelab_core::units::{Bytes, Percent};

    use super::*;

    fn book(volume: u64, at_most: Option<u64>) -> Book {
        let mut workload = Workload { block_size: Bytes::new(100), ..Workload::default() };
        let duty_percent = Percent::new(20).expect("a per cent");
        let on_at_most = at_most.map(Nanos::new);
        workload.pace.volume_bursts = Some(VolumeBursts { volume: Bytes::new(volume), duty_percent, on_at_most });
        Book::of(&workload).expect("there are bursts")
    }

    fn timing(ramp: u64) -> Timing {
        Timing::starting(0, Nanos::new(ramp), Nanos::new(1 << 40), &StopRule::capped(Nanos::new(1 << 50)))
    }

    #[test]
    fn a_pause_follows_the_last_completion_and_is_four_times_as_long_at_a_fifth() {
        let (book, timing) = (book(300, None), timing(0));
        assert_eq!([1000, 1001, 1002].map(|now| book.admit(now, &timing)), [Admission::Go; 3]);
        assert_eq!(book.admit(1003, &timing), Admission::WhenOver);
        book.ended(1005, &timing);
        book.ended(1010, &timing);
        assert_eq!(book.admit(1015, &timing), Admission::WhenOver);
        book.ended(1020, &timing);
        // Active from 1000 to 1020.
        assert_eq!(book.admit(1021, &timing), Admission::NotBefore(1100));
        assert_eq!(book.admit(1099, &timing), Admission::NotBefore(1100));
        // A thread wakes late: the burst begins with its first operation.
        assert_eq!(book.admit(1105, &timing), Admission::Go);
        assert_eq!(book.done(1135, 0), BurstsDone { count: 2, active: Nanos::new(20 + 30) });
    }

    #[test]
    fn time_ends_a_burst_that_has_not_moved_its_volume() {
        let (book, timing) = (book(1_000_000, Some(50)), timing(0));
        assert_eq!(book.admit(0, &timing), Admission::Go);
        assert_eq!(book.admit(49, &timing), Admission::Go);
        assert_eq!(book.admit(50, &timing), Admission::WhenOver);
        book.ended(60, &timing);
        book.ended(70, &timing);
        assert_eq!(book.admit(71, &timing), Admission::NotBefore(350));
    }

    #[test]
    fn activity_of_the_ramp_and_operations_without_bytes_do_not_count() {
        let (book, timing) = (book(200, None), timing(150));
        for now in [100, 110] {
            assert_eq!(book.admit(now, &timing), Admission::Go);
        }
        book.moves_nothing();
        assert_eq!(book.admit(120, &timing), Admission::Go);
        assert_eq!(book.admit(130, &timing), Admission::WhenOver);
        for now in [140, 170, 190] {
            book.ended(now, &timing);
        }
        assert_eq!(book.done(1000, 150), BurstsDone { count: 1, active: Nanos::new(40) });
    }

    /// However threads race, a burst has exactly its number of operations, and none is admitted in a pause.
    #[test]
    fn threads_that_race_admit_exactly_the_volume_of_each_burst() {
        let (book, timing) = (book(700, None), timing(0));
        let (clock, admitted) = (AtomicU64::new(1), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while admitted.load(Ordering::SeqCst) < 7 * 300 {
                        let now = clock.fetch_add(1, Ordering::SeqCst);
                        match book.admit(now, &timing) {
                            Admission::Go => {
                                admitted.fetch_add(1, Ordering::SeqCst);
                                book.ended(clock.fetch_add(1, Ordering::SeqCst), &timing);
                            }
                            Admission::NotBefore(until) => drop(clock.fetch_max(until, Ordering::SeqCst)),
                            Admission::WhenOver => std::thread::yield_now(),
                        }
                    }
                });
            }
        });
        let admitted = admitted.load(Ordering::SeqCst);
        let done = book.done(clock.load(Ordering::SeqCst), 0);
        assert_eq!(done.count, admitted.div_ceil(7), "{admitted} admitted");
    }
}
