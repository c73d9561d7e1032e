//! When a step submits, counts and ends: borders of intervals, the ramp, the stop rule, the share of each thread.
//!
//! All times are CLOCK_MONOTONIC_RAW in nanoseconds. Pure arithmetic; every thread of a step has the same numbers and
//! so comes to the same borders without talking to the others.

use drivelab_core::plan::StopRule;
use drivelab_core::record::StopReason;
use drivelab_core::units::Nanos;

/// No end by this rule.
const NEVER: u64 = u64::MAX;

/// The times of one step, fixed when it starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    /// Start of the step and of its first interval.
    pub(crate) start: u64,
    /// End of the ramp; the start where there is none. Always an interval's border.
    pub(crate) ramp_end: u64,
    interval: u64,
    /// Before this the operation budget does not end the step.
    at_least: u64,
    time_end: u64,
    cap_end: u64,
}

impl Timing {
    /// Times of a step that starts now. The measured time ends after `time`, but not before `at_least`.
    pub(crate) fn starting(start: u64, ramp: Nanos, interval: Nanos, rule: &StopRule) -> Self {
        let ramp_end = start.saturating_add(ramp.get());
        let at_least = rule.at_least.map_or(ramp_end, |time| ramp_end.saturating_add(time.get()));
        let time_end = rule.time.map_or(NEVER, |time| ramp_end.saturating_add(time.get()).max(at_least));
        let cap_end = start.saturating_add(rule.cap.get());
        Timing { start, ramp_end, interval: interval.get().max(1), at_least, time_end, cap_end }
    }

    /// No operation is submitted from here on.
    #[inline]
    pub(crate) const fn deadline(&self) -> u64 {
        if self.time_end <= self.cap_end { self.time_end } else { self.cap_end }
    }

    /// Which rule the time has fulfilled.
    #[inline]
    pub(crate) const fn ended(&self, now: u64) -> Option<StopReason> {
        if now < self.deadline() {
            return None;
        }
        Some(if self.time_end <= self.cap_end { StopReason::Time } else { StopReason::Cap })
    }

    /// The border after `border`. Borders from the deadline on do not exist: what drains belongs to the last interval.
    #[inline]
    pub(crate) const fn border_after(&self, border: u64) -> Option<u64> {
        let mut next = border.saturating_add(self.interval);
        if border < self.ramp_end && next > self.ramp_end {
            next = self.ramp_end;
        }
        if next < self.deadline() { Some(next) } else { None }
    }

    /// Whether the budget may end the step by now.
    #[inline]
    pub(crate) const fn budget_binds(&self, now: u64) -> bool {
        now >= self.at_least
    }
}

/// Operations of the measured part that each thread may issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Budget {
    /// For each thread; `None` without a limit.
    pub(crate) shares: Option<Box<[u64]>>,
    /// What its end is called.
    pub(crate) reason: StopReason,
}

impl Budget {
    /// Whichever of volume and passes is less. `slices` are the blocks of each thread's stretch; a pass over the span
    /// is a pass of each thread over its own stretch (the whole span where streams overlap), for random patterns as
    /// many operations as the span has blocks, shared fairly.
    ///
    /// A volume below one block still is one operation; otherwise never more bytes than the volume are moved.
    pub(crate) fn new(rule: &StopRule, block: u64, slices: &[u64], span_blocks: u64, random: bool) -> Self {
        let threads = slices.len() as u64;
        let fair = |total: u64| fair_shares(total, threads);
        let volume = rule.volume.map(|bytes| fair((bytes.get() / block).max(1)));
        let passes = rule.passes.map(|passes| {
            let passes = u64::from(passes);
            if random {
                return fair(span_blocks.saturating_mul(passes));
            }
            slices.iter().map(|blocks| blocks.saturating_mul(passes)).collect()
        });
        let total = |shares: &[u64]| shares.iter().fold(0_u64, |sum, share| sum.saturating_add(*share));
        match (volume, passes) {
            (Some(volume), Some(passes)) if total(&volume) < total(&passes) => Budget::of(volume, StopReason::Volume),
            (_, Some(passes)) => Budget::of(passes, StopReason::Passes),
            (Some(volume), None) => Budget::of(volume, StopReason::Volume),
            (None, None) => Budget { shares: None, reason: StopReason::Time },
        }
    }

    const fn of(shares: Box<[u64]>, reason: StopReason) -> Self {
        Budget { shares: Some(shares), reason }
    }

    /// Share of a thread; `u64::MAX` without a limit.
    pub(crate) fn share(&self, thread: usize) -> u64 {
        self.shares.as_ref().and_then(|shares| shares.get(thread).copied()).unwrap_or(u64::MAX)
    }
}

/// `total` in `parts` shares that differ by one at most.
pub(crate) fn fair_shares(total: u64, parts: u64) -> Box<[u64]> {
    (0..parts).map(|part| total / parts + u64::from(part < total % parts)).collect()
}

#[cfg(test)]
mod tests {
    use drivelab_core::units::Bytes;
    use proptest::prelude::*;

    use super::*;

    fn rule(time: Option<u64>, at_least: Option<u64>, cap: u64) -> StopRule {
        let (time, at_least) = (time.map(Nanos::new), at_least.map(Nanos::new));
        StopRule { time, at_least, ..StopRule::capped(Nanos::new(cap)) }
    }

    fn borders(timing: &Timing) -> Vec<u64> {
        std::iter::successors(timing.border_after(timing.start), |border| timing.border_after(*border)).collect()
    }

    #[test]
    fn the_ramp_ends_at_a_border_and_the_last_interval_has_none() {
        let timing = Timing::starting(100, Nanos::new(15), Nanos::new(10), &rule(Some(25), None, 1000));
        assert_eq!(borders(&timing), [110, 115, 125, 135]);
        assert_eq!((timing.deadline(), timing.ended(139), timing.ended(140)), (140, None, Some(StopReason::Time)));
    }

    #[test]
    fn the_cap_is_stronger_than_time_and_the_least_time_is_stronger_than_time() {
        let timing = Timing::starting(0, Nanos::new(5), Nanos::new(10), &rule(Some(100), None, 30));
        assert_eq!(timing.ended(30), Some(StopReason::Cap));
        let timing = Timing::starting(0, Nanos::new(5), Nanos::new(10), &rule(Some(10), Some(50), 300));
        assert_eq!((timing.deadline(), timing.budget_binds(54), timing.budget_binds(55)), (55, false, true));
    }

    #[test]
    fn the_smaller_of_volume_and_passes_is_the_budget() {
        let mut both = rule(None, None, 1);
        (both.volume, both.passes) = (Some(Bytes::new(4095 + 4096 * 7)), Some(2));
        let shares = |slices: &[u64], blocks| Budget::new(&both, 4096, slices, blocks, false);
        let volume = shares(&[2, 2, 1], 5);
        assert_eq!((volume.shares.as_deref(), volume.reason), (Some(&[3, 2, 2][..]), StopReason::Volume));
        let passes = shares(&[2, 1], 3);
        assert_eq!((passes.shares.as_deref(), passes.reason), (Some(&[4, 2][..]), StopReason::Passes));
    }

    proptest! {
        #[test]
        fn shares_are_fair_and_complete(total in any::<u32>(), parts in 1_u64..1025) {
            let shares = fair_shares(u64::from(total), parts);
            prop_assert_eq!(shares.iter().sum::<u64>(), u64::from(total));
            prop_assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
        }
    }
}
