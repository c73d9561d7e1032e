//! When a step submits, counts and ends: ends of intervals, the ramp, the stop rule, the share of each thread.
//!
//! All times are CLOCK_MONOTONIC_RAW in nanoseconds. Pure arithmetic: every thread of a step has the same numbers and
//! so computes the same interval ends without talking to the others.

use drivelab_core::plan::StopRule;
use drivelab_core::record::StopReason;
use drivelab_core::units::Nanos;

use crate::generate::shares::fair_shares;

/// This rule sets no end.
const NEVER: u64 = u64::MAX;

/// The times of one step, fixed when it starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    /// Start of the step and of its first interval.
    pub(crate) start: u64,
    /// End of the ramp; the start if there is none. Always the end of an interval.
    pub(crate) ramp_end: u64,
    interval: u64,
    /// The operation budget does not end the step before this.
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

    /// Which rule the elapsed time has fulfilled.
    #[inline]
    pub(crate) const fn ended(&self, now: u64) -> Option<StopReason> {
        if now < self.deadline() {
            return None;
        }
        Some(if self.time_end <= self.cap_end { StopReason::Time } else { StopReason::Cap })
    }

    /// Arrivals up to this belong to the step: until right before its deadline, or until `now` if it ended sooner.
    pub(crate) fn end_of_arrivals(&self, now: u64) -> u64 {
        self.deadline().saturating_sub(1).min(now)
    }

    /// The interval end after `border`. There are none from the deadline on: operations that drain belong to the last
    /// interval.
    #[inline]
    pub(crate) const fn border_after(&self, border: u64) -> Option<u64> {
        let mut next = border.saturating_add(self.interval);
        if border < self.ramp_end && next > self.ramp_end {
            next = self.ramp_end;
        }
        if next < self.deadline() { Some(next) } else { None }
    }

    /// Whether the budget may end the step at this time.
    #[inline]
    pub(crate) const fn budget_binds(&self, now: u64) -> bool {
        now >= self.at_least
    }
}

/// The unit of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Operations,
    /// If operations have several sizes.
    Bytes,
}

/// What one thread may issue in the measured part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) unit: Unit,
    /// `u64::MAX` without a limit.
    pub(crate) units: u64,
    /// Operations count as the blocks they touch (volume, passes, coverage), so one without a block counts nothing.
    pub(crate) of_blocks: bool,
}

impl Limit {
    /// No limit.
    pub(crate) const NONE: Limit = Limit { unit: Unit::Operations, units: u64::MAX, of_blocks: false };
}

/// What the threads of the step's own group may issue in the measured part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Budget {
    unit: Unit,
    /// For each thread; `None` without a limit.
    shares: Option<Box<[u64]>>,
    /// Which stop reason its end is.
    pub(crate) reason: StopReason,
}

/// How a group moves over its span, as far as budgets need it.
#[derive(Debug, Clone)]
pub(crate) struct Extent<'a> {
    /// Bytes of an operation; `None` if sizes are mixed.
    pub(crate) block: Option<u64>,
    /// Mean bytes of an operation.
    pub(crate) mean_block: f64,
    /// Bytes that a pass of each thread covers: its own stretch, or its part of what the threads cover together.
    pub(crate) passes: &'a [u64],
}

impl Budget {
    /// The smallest of the rule's limits, shared fairly. A pass over the span is a pass of each thread over its part.
    ///
    /// A volume below one block is still one operation; otherwise no more bytes than the volume are moved.
    pub(crate) fn new(rule: &StopRule, extent: &Extent<'_>) -> Self {
        let threads = extent.passes.len() as u64;
        let unit = if extent.block.is_some() { Unit::Operations } else { Unit::Bytes };
        let units = |bytes: u64| extent.block.map_or(bytes, |block| (bytes / block).max(1));
        let volume = rule.volume.map(|bytes| fair_shares(units(bytes.get()), threads));
        let of_pass = |part: u128, whole: u128| -> Box<[u64]> {
            let one = |bytes: &u64| {
                let all = u128::from(extent.block.map_or(*bytes, |block| bytes / block)) * part;
                u64::try_from(all.div_ceil(whole)).unwrap_or(u64::MAX - 1)
            };
            extent.passes.iter().map(one).collect()
        };
        let passes = rule.passes.map(|passes| of_pass(u128::from(passes), 1));
        let coverage = rule.coverage.map(|percent| of_pass(u128::from(percent.get()), 100));
        let operations = rule.operations.map(|operations| fair_shares(operations, threads));
        let in_units = [
            (unit, volume, StopReason::Volume),
            (unit, passes, StopReason::Passes),
            (unit, coverage, StopReason::Passes),
            (Unit::Operations, operations, StopReason::Operations),
        ];
        let weight = |unit: Unit, shares: &[u64]| {
            let total: f64 = shares.iter().map(|share| as_f64(*share)).sum();
            if unit == Unit::Bytes { total } else { total * extent.mean_block }
        };
        let stated = in_units.into_iter().filter_map(|(unit, shares, reason)| Some((unit, shares?, reason)));
        let least = stated.min_by(|a, b| weight(a.0, &a.1).total_cmp(&weight(b.0, &b.1)));
        match least {
            Some((unit, shares, reason)) => Budget { unit, shares: Some(shares), reason },
            None => Budget { unit, shares: None, reason: StopReason::Time },
        }
    }

    /// Share of a thread of the step's own group.
    pub(crate) fn limit(&self, thread: usize) -> Limit {
        let units = self.shares.as_ref().and_then(|shares| shares.get(thread).copied()).unwrap_or(u64::MAX);
        Limit { unit: self.unit, units, of_blocks: self.reason != StopReason::Operations }
    }
}

#[expect(clippy::cast_precision_loss, reason = "only which of two is larger matters")]
const fn as_f64(value: u64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use drivelab_core::units::{Bytes, Percent};
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

    fn shares(rule: &StopRule, block: Option<u64>, passes: &[u64]) -> (Unit, Vec<u64>, StopReason) {
        let budget = Budget::new(rule, &Extent { block, mean_block: 4096.0, passes });
        let limits: Vec<Limit> = (0..passes.len()).map(|thread| budget.limit(thread)).collect();
        (limits[0].unit, limits.iter().map(|limit| limit.units).collect(), budget.reason)
    }

    #[test]
    fn the_smallest_of_what_is_said_is_the_budget() {
        let mut rule = rule(None, None, 1);
        (rule.volume, rule.passes) = (Some(Bytes::new(4095 + 4096 * 7)), Some(2));
        let kib = |blocks: u64| blocks * 4096;
        let (_, by_volume, reason) = shares(&rule, Some(4096), &[kib(2), kib(2), kib(1)]);
        assert_eq!((by_volume, reason), (vec![3, 2, 2], StopReason::Volume));
        let (_, by_passes, reason) = shares(&rule, Some(4096), &[kib(2), kib(1)]);
        assert_eq!((by_passes, reason), (vec![4, 2], StopReason::Passes));
        rule.operations = Some(5);
        assert_eq!(
            shares(&rule, Some(4096), &[kib(2), kib(1)]),
            (Unit::Operations, vec![3, 2], StopReason::Operations)
        );
        (rule.operations, rule.coverage) = (None, Percent::new(50).ok());
        let (_, half, reason) = shares(&rule, Some(4096), &[kib(3), kib(1)]);
        assert_eq!((half, reason), (vec![2, 1], StopReason::Passes));
    }

    #[test]
    fn mixed_sizes_are_counted_in_bytes_and_without_a_rule_there_is_no_limit() {
        let mut rule = rule(None, None, 1);
        assert_eq!(shares(&rule, None, &[0]).1, [u64::MAX]);
        rule.volume = Some(Bytes::new(10_001));
        assert_eq!(shares(&rule, None, &[0, 0]), (Unit::Bytes, vec![5001, 5000], StopReason::Volume));
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
