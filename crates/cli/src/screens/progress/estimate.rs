//! The estimate of the remaining time: stop rules, measured rates, and how earlier steps compared with the plan's
//! estimates.

use drivelab_core::units::Nanos;

use super::running::Running;
use super::slot::{Kind, Slot};
use super::time_left::TimeLeft;

/// Until a run has ended, at least this much is left, even if every estimate says otherwise.
const LEAST_NS: f64 = 100e6;
/// Limits of the correction, so that one unusual step cannot spoil the whole estimate.
const CORRECTION: (f64, f64) = (0.05, 20.0);
/// Longest gap that is also expected between other steps. Anything beyond it was a single wait, for another drive of a
/// group or for a drive to cool.
const LONGEST_GAP_NS: u64 = 10_000_000_000;

/// How finished steps compared with their estimates.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Sums by kind, in nanoseconds: estimated and actual.
    sums: [(f64, f64); Kind::COUNT],
    /// Time between steps that is not a rest: number and sum in nanoseconds.
    gaps: (f64, f64),
}

impl Pace {
    pub(super) fn finished(&mut self, slot: &Slot, actual_ns: u64) {
        if let Some((estimated, actual)) = self.sums.get_mut(slot.kind as usize) {
            *estimated += float(slot.own_ns);
            *actual += float(actual_ns);
        }
    }

    pub(super) fn gap(&mut self, gap_ns: u64) {
        self.gaps.0 += 1.0;
        self.gaps.1 += float(gap_ns.min(LONGEST_GAP_NS));
    }

    fn gap_mean(&self) -> f64 {
        if self.gaps.0 > 0.0 { self.gaps.1 / self.gaps.0 } else { 0.0 }
    }

    /// Actual / estimated so far; 1 if no execution of this kind is finished.
    fn correction(&self, kind: Kind) -> f64 {
        match self.sums.get(kind as usize) {
            Some((estimated, actual)) if *estimated > 0.0 => (actual / estimated).clamp(CORRECTION.0, CORRECTION.1),
            _ => 1.0,
        }
    }

    fn own(&self, slot: &Slot) -> f64 {
        float(slot.own_ns) * self.correction(slot.kind)
    }

    /// The whole length of a future execution: the step and its rest.
    fn whole(&self, slot: &Slot) -> f64 {
        let own = self.own(slot);
        own + rest(slot, own)
    }

    /// Remaining time of the running step without its rest, in nanoseconds.
    pub(super) fn left_of(&self, running: &Running, slot: &Slot, now_ns: u64) -> f64 {
        if running.heard_only_the_last {
            return LEAST_NS;
        }
        let elapsed = float(now_ns.saturating_sub(running.started_ns));
        let until = |end_ns: u64| float(end_ns) - elapsed;
        let by_plan = self.own(slot) - elapsed;
        let by_bytes = slot.goal.bytes.map(|bytes| match running.rate {
            Some(rate) if rate >= 1.0 => {
                let ended_s = (float(now_ns) - float(running.seen_until_ns)) / 1e9;
                ((float(bytes) - running.moved) / rate - ended_s) * 1e9
            }
            _ => by_plan,
        });
        let by_time = slot.goal.time_ns.map(until);
        let own_rule = match (by_time, by_bytes) {
            (Some(time), Some(bytes)) => time.min(bytes),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => by_plan,
        };
        let left = own_rule.max(until(slot.goal.at_least_ns));
        slot.goal.cap_ns.map_or(left, |cap| left.min(until(cap))).max(LEAST_NS)
    }

    /// The remaining time of a run with these executions, one of which may be running, or a rest may last until this
    /// time.
    pub(super) fn estimate(
        &self,
        slots: &[Slot],
        (running, resting_until_ns): (Option<&Running>, Option<u64>),
        now_ns: u64,
    ) -> TimeLeft {
        let mut both = resting_until_ns.map_or(0.0, |until_ns| float(until_ns.saturating_sub(now_ns)));
        if let Some(running) = running
            && let Some(slot) = running.slot.and_then(|index| slots.get(index))
        {
            let left = self.left_of(running, slot, now_ns);
            both += left + rest(slot, float(now_ns.saturating_sub(running.started_ns)) + left);
        }
        let (mut low, mut high) = (both, both);
        let gap = self.gap_mean();
        let running = running.and_then(|running| running.slot);
        let ahead = slots.iter().enumerate().filter(|(index, slot)| !slot.passed && Some(*index) != running);
        for (_, slot) in ahead {
            let time = self.whole(slot) + gap;
            high += time;
            low += if slot.certain() { time } else { 0.0 };
        }
        TimeLeft { at_least: nanos(low), at_most: nanos(high) }
    }
}

/// The rest of a step that was active for this long.
fn rest(slot: &Slot, active_ns: f64) -> f64 {
    float(slot.rest.after(nanos(active_ns)).get())
}

/// A remaining time, never zero.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float cast saturates")]
pub(super) fn nanos(left: f64) -> Nanos {
    Nanos::new(left.max(LEAST_NS) as u64)
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs no better than microseconds")]
const fn float(nanoseconds: u64) -> f64 {
    nanoseconds as f64
}
