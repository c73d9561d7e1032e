//! How warm each drive of a group is, and what it says of it: at the end of each step, over the step, and in the idle
//! steps before.
//!
//! Everything that is watched is read at each border of a step (docs/telemetry.md), so a figure of "the end of a step"
//! is the reading at its border: the first one from its end on, where that is near, else the last one in it.

use drivelab_core::group::letter;
use drivelab_core::ids::StepId;
use drivelab_core::plan::{Action, Step, StepRole};
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{About, Quantity, RecordedSource, SourceKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::share::{Member, Pair};
use crate::topics::telemetry::values::of_drive;

/// How long after the end of a step a reading is still of that border, ns.
const NEAR_NS: u64 = 2_000_000_000;

/// A drive's temperatures.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DriveHealth {
    /// A, B, C.
    pub letter: String,
    /// Temperature in each reading of the idle steps before the tests, °C.
    pub idle_celsius: Vec<f64>,
    /// Each measured step.
    pub steps: Vec<StepHealth>,
}

/// What a drive said at the end of a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct StepHealth {
    /// The step.
    pub step: Option<StepId>,
    /// Its label.
    pub label: String,
    /// Seconds from its begin to the reading.
    pub after_s: f64,
    /// Temperature of the drive, °C.
    pub celsius: Option<f64>,
    /// Temperature of the hottest of its sensors, °C.
    pub hottest_celsius: Option<f64>,
    /// Bits of the critical warning; 0 where all is well.
    pub warning_bits: Option<f64>,
    /// Minutes of its life above its warning limit.
    pub warning_minutes: Option<f64>,
    /// Minutes of its life above its critical limit.
    pub critical_minutes: Option<f64>,
    /// Times at which it began to throttle during the step.
    pub throttled: Option<f64>,
    /// Interrupts of the drive for each second of the step, where they were watched.
    pub interrupts_per_second: Option<f64>,
}

/// Every drive of which something is known.
pub(super) fn all(pairs: &[Pair<'_>]) -> Vec<DriveHealth> {
    let one = |(index, pair): (usize, &Pair<'_>)| {
        let (records, _): Member<'_> = pair.together.or(pair.alone)?;
        let health = of_run(records, letter(index));
        let known = |step: &StepHealth| step.celsius.is_some() || step.interrupts_per_second.is_some();
        (health.steps.iter().any(known) || !health.idle_celsius.is_empty()).then_some(health)
    };
    pairs.iter().enumerate().filter_map(one).collect()
}

/// What one run says of its drive.
fn of_run(records: &RunRecords, letter: String) -> DriveHealth {
    let measured = records.plan.steps().filter(|step| step.role == StepRole::Measure && step.workload().is_some());
    DriveHealth {
        letter,
        idle_celsius: idle(records),
        steps: measured.filter_map(|step| of_step(records, step)).collect(),
    }
}

/// Readings from the begin of the first idle step of the preparation to the end of the last, borders included.
fn idle(records: &RunRecords) -> Vec<f64> {
    let is_idle = |id: &StepId| {
        let step = records.plan.step(id);
        step.is_some_and(|step| step.role == StepRole::Prepare && matches!(step.action, Action::Idle { .. }))
    };
    let stretches = records.idle.iter().filter(|idle| is_idle(&idle.key.step));
    let (from, to) = stretches.fold((u64::MAX, 0), |(from, to), idle| (from.min(idle.from_ns), to.max(idle.to_ns)));
    let Some((source, series)) = of_drive(&records.telemetry, Quantity::Temperature) else { return Vec::new() };
    // The borders are read at the same moments, a little before or after.
    const BORDER_NS: u64 = 50_000_000;
    let (from, to) = (from.saturating_sub(BORDER_NS), to.saturating_add(BORDER_NS));
    source.values(series).filter(|(at, _)| (from..=to).contains(at)).map(|(_, celsius)| celsius).collect()
}

fn of_step(records: &RunRecords, step: &Step) -> Option<StepHealth> {
    let record = records.steps.iter().rfind(|record| record.key.step == step.id)?;
    let (from, to) = (record.start_ns, record.end_ns);
    let mut health = StepHealth { step: Some(step.id.clone()), label: step.label.clone(), ..StepHealth::default() };
    if let Some((source, series)) = of_drive(&records.telemetry, Quantity::Temperature)
        && let Some((at, celsius)) = at_end(source, series, from, to)
    {
        let hottest = source.series_of(Quantity::Temperature).filter_map(|one| Some(at_end(source, one, from, to)?.1));
        health.after_s = at.saturating_sub(from) as f64 / 1e9;
        health.celsius = Some(celsius);
        health.hottest_celsius = hottest.max_by(f64::total_cmp);
    }
    let of_drive = |source: &&RecordedSource| matches!(source.description.about, About::Drive(_));
    let of_kind = |kind: SourceKind| {
        records.telemetry.sources.iter().filter(of_drive).find(|source| source.description.kind == kind)
    };
    if let Some(smart) = of_kind(SourceKind::Smart) {
        let last = |quantity: Quantity, nth: usize| {
            let series = smart.series_of(quantity).nth(nth)?;
            at_end(smart, series, from, to).map(|(_, value)| value)
        };
        health.warning_bits = last(Quantity::WarningBits, 0);
        health.warning_minutes = last(Quantity::LimitMinutes, 0);
        health.critical_minutes = last(Quantity::LimitMinutes, 1);
        health.throttled = rise(smart, Quantity::ThrottleTransitions, from, to);
    }
    let seconds = to.saturating_sub(from) as f64 / 1e9;
    let interrupts = of_kind(SourceKind::Interrupts).and_then(|source| rise(source, Quantity::Interrupts, from, to));
    health.interrupts_per_second = interrupts.filter(|_| seconds > 0.0).map(|count| count / seconds);
    Some(health)
}

/// The reading at the end of a stretch: the first from there on where that is near, else the last in the stretch.
fn at_end(source: &RecordedSource, series: usize, from: u64, to: u64) -> Option<(u64, f64)> {
    let after = source.values(series).find(|(at, _)| *at >= to && at - to <= NEAR_NS);
    after.or_else(|| source.values(series).rfind(|(at, _)| (from..=to).contains(at)))
}

/// How much all counters of a quantity rose over a stretch, from the last reading before it.
fn rise(source: &RecordedSource, quantity: Quantity, from: u64, to: u64) -> Option<f64> {
    let one = |series: usize| {
        let before = source.values(series).rfind(|(at, _)| *at <= from).or_else(|| source.values(series).next())?.1;
        Some((at_end(source, series, from, to)?.1 - before).max(0.0))
    };
    let rises: Vec<f64> = source.series_of(quantity).filter_map(one).collect();
    (!rises.is_empty()).then(|| rises.iter().sum())
}

#[cfg(test)]
mod tests {
    use drivelab_samples::series;

    use super::*;

    #[test]
    fn the_reading_at_a_border_is_the_first_from_there_on_or_the_last_before() {
        const S: u64 = 1_000_000_000;
        let near = series(Quantity::Temperature, &[(S, 30.0), (9 * S, 40.0), (10 * S + 5, 50.0), (20 * S, 60.0)]);
        assert_eq!(at_end(&near, 0, 2 * S, 10 * S), Some((10 * S + 5, 50.0)));
        let far = series(Quantity::Temperature, &[(S, 30.0), (9 * S, 40.0), (20 * S, 60.0)]);
        assert_eq!(at_end(&far, 0, 2 * S, 10 * S), Some((9 * S, 40.0)), "ten seconds later is another moment");
        assert_eq!(at_end(&far, 0, 11 * S, 12 * S), None, "nothing was read then");
    }

    #[test]
    fn counters_rise_from_the_reading_before_the_step_to_the_one_at_its_end() {
        const S: u64 = 1_000_000_000;
        let counter = series(Quantity::Interrupts, &[(S, 100.0), (5 * S, 700.0), (10 * S, 1_100.0), (11 * S, 9_000.0)]);
        assert_eq!(rise(&counter, Quantity::Interrupts, 2 * S, 10 * S), Some(1_000.0));
        assert_eq!(rise(&counter, Quantity::Errors, 2 * S, 10 * S), None, "it has no such series");
    }
}
