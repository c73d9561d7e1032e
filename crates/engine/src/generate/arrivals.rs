//! When operations arrive in an open loop: fixed in advance, whatever the target does.
//!
//! A schedule goes on in active time, which stands still between bursts. A position is a point of it in 1/1024 ns, and
//! the next one is a pure function of the position and a key: absolute, accumulated without loss and never reset, so a
//! stalled target changes nothing that is still to come (fio's whole microseconds: research/engine.md, 4.2 "Rate").
//!
//! The threads of a group share its rate. Constant arrivals of theirs are staggered by equal parts of the gap and
//! Poisson processes add up to one, so both are over all threads what they are on one. With uniform gaps each thread has
//! its own; over all threads they look more like exponential ones.

use drivelab_core::load::{Arrivals, Bursts, Rate};

use super::{bounded, derive, number, unit_interval};

/// Positions per nanosecond, as a power of two. 2^54 ns, which a position can reach, are 208 days.
const FRACTION_BITS: u32 = 10;
/// Positions in 1,000 seconds.
const PER_1000_S: u128 = 1_000_000_000_000 << FRACTION_BITS;

/// Schedule of one thread of an open loop: arrival times in nanoseconds since the step's start.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    arrivals: Arrivals,
    /// Mean gap in positions.
    gap: u64,
    exact_gap: f64,
    key: u64,
    first: u64,
    cycle: Option<Cycle>,
}

impl Schedule {
    /// Thread `thread` of `threads`, which share the rate. The key is the same for all of them.
    pub(crate) fn new(rate: Rate, bursts: Option<Bursts>, thread: u64, threads: u64, key: u64) -> Self {
        let (threads, per_1000_s) = (threads.max(1), u128::from(rate.per_1000_s.max(1)));
        let positions = |gaps: u64| {
            let rounded = (PER_1000_S * u128::from(gaps) + per_1000_s / 2) / per_1000_s;
            u64::try_from(rounded).unwrap_or(u64::MAX)
        };
        let mut schedule = Schedule {
            arrivals: rate.arrivals,
            gap: positions(threads).max(1),
            exact_gap: PER_1000_S as f64 * threads as f64 / per_1000_s as f64,
            key: derive(key, thread),
            first: positions(thread),
            cycle: bursts.map(Cycle::new),
        };
        if rate.arrivals != Arrivals::Constant {
            // A number that no position draws: none is so large.
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

    /// Mean arrivals of this thread per nanosecond while a burst is on.
    pub(crate) fn per_ns_on(&self) -> f64 {
        f64::from(1 << FRACTION_BITS) / self.exact_gap
    }

    /// Mean arrivals of this thread per nanosecond, pauses included.
    pub(crate) fn per_ns(&self) -> f64 {
        self.per_ns_on() * self.cycle.map_or(1.0, |cycle| cycle.on as f64 / (cycle.on + cycle.off) as f64)
    }

    /// The gap after `position`; never 0, or the sequence would stand still.
    #[inline]
    fn gap(&self, position: u64) -> u64 {
        let drawn = match self.arrivals {
            Arrivals::Constant => return self.gap,
            Arrivals::Exponential => {
                (-unit_interval(number(self.key, position)).ln()).mul_add(self.exact_gap, 0.5) as u64
            }
            Arrivals::Uniform => bounded(number(self.key, position), self.gap.saturating_mul(2).saturating_add(1)),
        };
        drawn.max(1)
    }
}

/// Bursts and pauses in turn, from the step's start on. All times in nanoseconds.
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

    /// Time at which so much active time has gone by. The end of a burst is the start of the next.
    #[inline]
    pub(crate) const fn at_ns(&self, active_ns: u64) -> u64 {
        active_ns.saturating_add((active_ns / self.on).saturating_mul(self.off))
    }

    /// The earliest time from `at_ns` on that lies in a burst: that time itself, or the end of the pause.
    #[inline]
    pub(crate) const fn resumes_ns(&self, at_ns: u64) -> u64 {
        let length = self.on.saturating_add(self.off);
        let into = at_ns % length;
        if into < self.on { at_ns } else { (at_ns - into).saturating_add(length) }
    }
}

#[cfg(test)]
mod tests;
