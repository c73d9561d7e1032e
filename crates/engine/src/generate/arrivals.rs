//! When operations arrive in an open loop: fixed in advance, whatever the target does.
//!
//! A schedule runs in active time, which stops between bursts. A position is a point of it in units of 1/1024 ns. The
//! next position is a pure function of the position and a key: absolute, accumulated without loss and never reset, so
//! a stalled target does not change what follows (fio uses whole microseconds: research notes, engine, 4.2 "Rate").
//!
//! The threads of a group share its rate. Their constant arrivals are staggered by equal parts of the gap, and their
//! Poisson processes add up to one, so with both kinds all threads together issue what one thread alone would. With
//! uniform gaps each thread draws its own; over all threads the gaps look more exponential.

use drivelab_core::load::{Arrivals, Bursts, Rate};

use super::exponential::Exponential;
use super::{bounded, derive, number};

/// Positions per nanosecond, as a power of two. 2^54 ns, which a position can reach, are 208 days.
const FRACTION_BITS: u32 = 10;
/// Positions in 1,000 seconds.
const PER_1000_S: u128 = 1_000_000_000_000 << FRACTION_BITS;

/// Gaps in positions.
#[derive(Debug, Clone)]
enum Gaps {
    Constant(u64),
    Exponential(Box<Exponential>),
    /// Uniform below this.
    Uniform(u64),
}

/// Schedule of one thread of an open loop: arrival times in nanoseconds since the step's start.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    gaps: Gaps,
    key: u64,
    first: u64,
    cycle: Option<Cycle>,
}

impl Schedule {
    /// Thread `thread` of `threads`, which share the rate. Gaps are drawn with `key` and the thread's number, so
    /// threads differ even if their keys do not.
    pub(crate) fn new(rate: Rate, bursts: Option<Bursts>, thread: u64, threads: u64, key: u64) -> Self {
        let (threads, per_1000_s) = (threads.max(1), u128::from(rate.per_1000_s.max(1)));
        let positions = |gaps: u64| {
            let rounded = (PER_1000_S * u128::from(gaps) + per_1000_s / 2) / per_1000_s;
            u64::try_from(rounded).unwrap_or(u64::MAX)
        };
        let mean = PER_1000_S as f64 * threads as f64 / per_1000_s as f64;
        let gap = positions(threads).max(1);
        let gaps = match rate.arrivals {
            Arrivals::Constant => Gaps::Constant(gap),
            Arrivals::Exponential => Gaps::Exponential(Box::new(Exponential::new(mean))),
            Arrivals::Uniform => Gaps::Uniform(gap.saturating_mul(2).saturating_add(1)),
        };
        let (key, cycle) = (derive(key, thread), bursts.map(Cycle::new));
        let mut schedule = Schedule { gaps, key, first: positions(thread), cycle };
        if rate.arrivals != Arrivals::Constant {
            // As if an arrival had been at a position that none reaches.
            schedule.first = schedule.gap(u64::MAX);
        }
        schedule
    }

    /// Position of the first arrival.
    pub(crate) const fn first(&self) -> u64 {
        self.first
    }

    /// Position of the arrival after the one at `position`.
    #[inline]
    pub(crate) fn next(&self, position: u64) -> u64 {
        position.saturating_add(self.gap(position))
    }

    /// Time of the arrival at `position`, in nanoseconds since the step's start.
    #[inline]
    pub(crate) const fn at_ns(&self, position: u64) -> u64 {
        let active_ns = position >> FRACTION_BITS;
        match &self.cycle {
            None => active_ns,
            Some(cycle) => cycle.at_ns(active_ns),
        }
    }

    /// The gap after `position`; never 0, or the sequence would not advance.
    #[inline]
    fn gap(&self, position: u64) -> u64 {
        let drawn = match &self.gaps {
            Gaps::Constant(gap) => return *gap,
            // Through i64: the processor has no conversion to u64.
            Gaps::Exponential(exponential) => (exponential.draw(number(self.key, position)) + 0.5) as i64 as u64,
            Gaps::Uniform(below) => bounded(number(self.key, position), *below),
        };
        drawn.max(1)
    }
}

/// Counts the arrivals of a schedule up to increasing times.
#[derive(Debug)]
pub(crate) struct Counter<'a> {
    schedule: &'a Schedule,
    /// Position of the next arrival that was not counted.
    position: u64,
    count: u64,
}

impl<'a> Counter<'a> {
    /// Before the first arrival.
    pub(crate) const fn new(schedule: &'a Schedule) -> Self {
        Counter { schedule, position: schedule.first, count: 0 }
    }

    /// Arrivals from the first one to those at `until_ns` since the step's start. It takes at most as many steps as
    /// there were arrivals since the last call; few if they are evenly spaced.
    pub(crate) fn up_to(&mut self, until_ns: u64) -> u64 {
        let Schedule { gaps, first, .. } = self.schedule;
        if let Gaps::Constant(gap) = gaps {
            // A pause only makes an arrival later, so pauses never increase the number.
            let most = (u64::MAX - first) / gap;
            let without_pauses = (until_ns.saturating_add(1).saturating_mul(1 << FRACTION_BITS) / gap).min(most) + 1;
            let has_come = |number: u64| self.schedule.at_ns(first + number * gap) <= until_ns;
            let (mut come, mut not) = (0, without_pauses);
            while come < not {
                let middle = come + (not - come) / 2;
                if middle <= most && has_come(middle) { come = middle + 1 } else { not = middle }
            }
            return come;
        }
        while self.schedule.at_ns(self.position) <= until_ns && self.position < u64::MAX {
            self.count += 1;
            self.position = self.schedule.next(self.position);
        }
        self.count
    }
}

/// Bursts and pauses alternate from the step's start on. All times in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cycle {
    on: u64,
    off: u64,
}

impl Cycle {
    /// A burst without length would never let anything through; it counts as one nanosecond.
    pub(crate) fn new(bursts: Bursts) -> Self {
        Cycle { on: bursts.on.get().max(1), off: bursts.off.get() }
    }

    /// Time at which this much active time has passed. The end of a burst is the start of the next.
    #[inline]
    pub(crate) const fn at_ns(&self, active_ns: u64) -> u64 {
        active_ns.saturating_add((active_ns / self.on).saturating_mul(self.off))
    }
}

#[cfg(test)]
mod tests;
