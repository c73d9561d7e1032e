//! How steps and the run went: what a reader must know besides the figures.

use drivelab_core::event::RunState;
use drivelab_core::finding::Finding;
use drivelab_core::group::GroupRole;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Action, Form, Rounds, StepRole};
use drivelab_core::record::StopReason;
use drivelab_core::run::{Break, RunRecords};
use drivelab_core::workload::Workload;
use jiff::Timestamp;

use super::words as text;
use crate::check::{Check, Seen, Subject, Voids, told};
use crate::evidence::evidence;
use crate::values;

/// Share of its own stop condition that a step must reach: intervals and the last completions may cost a little.
const SHORT_STEP: f64 = 0.95;

/// Checks of single executions: how they ended.
pub(crate) static CONDUCT: &[Check] = &[
    Check { finding: &text::CAP_REACHED, rule: "", check: cap_reached },
    Check { finding: &text::SHORT_STEP, rule: "", check: short_step },
    Check { finding: &text::ONE_INTERVAL, rule: "", check: one_interval },
];

/// Findings about how the run as a whole went.
pub(crate) fn of_run(records: &RunRecords) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend((records.plan.form == Form::Smoke).then(text::smoke_form));
    findings.extend(in_company(records));
    findings.extend(state(records));
    let mut clock = WallClock::new(records);
    findings.extend(records.breaks.iter().filter_map(|pause| resumed(records, pause, &mut clock)));
    findings.extend(failed_steps(records));
    findings
        .extend(records.steadiness.iter().filter(|v| !v.reached && !prepares(records, &v.test)).map(text::not_steady));
    findings
}

/// Whether a test prepares; the session reports its steadiness, with the amount that it wrote.
fn prepares(records: &RunRecords, test: &str) -> bool {
    let of = records.plan.tests.iter().find(|plan| plan.name == test);
    of.is_some_and(|plan| plan.steps.iter().all(|step| step.role == StepRole::Prepare))
}

/// A run beside others of its group does not measure a drive alone.
fn in_company(records: &RunRecords) -> Option<Finding> {
    let group = records.group.as_ref().filter(|group| group.role == GroupRole::Together)?;
    Some(text::in_company(group.drives().saturating_sub(1)))
}

fn state(records: &RunRecords) -> Option<Finding> {
    let all = records.plan.schedule();
    let done = all.iter().filter(|(key, _)| records.is_finished(key)).count();
    match records.state {
        RunState::Complete => None,
        RunState::Failed => Some(text::run_failed(&records.message, done)),
        RunState::Interrupted => {
            let cause = records.breaks.last().filter(|pause| pause.resumed.is_none()).map(|pause| &pause.cause);
            let open_end = records.plan.tests.iter().any(|test| !matches!(test.rounds, Rounds::Fixed { .. }));
            Some(text::run_unfinished(done, all.len(), open_end, cause.map(String::as_str)))
        }
    }
}

/// Wall-clock times along the run: known at its start and at each resumption, in between by the run clock.
struct WallClock {
    known: Option<Timestamp>,
    at_ns: u64,
}

impl WallClock {
    fn new(records: &RunRecords) -> Self {
        WallClock { known: records.started.parse().ok(), at_ns: 0 }
    }

    /// Seconds of wall time between an interruption and its resumption; `None` if a time cannot be read or goes
    /// backwards.
    fn pause_s(&mut self, at_ns: u64, resumed: &str) -> Option<f64> {
        let resumed: Option<Timestamp> = resumed.parse().ok();
        let ran_s = at_ns.saturating_sub(self.at_ns) as f64 / 1e9;
        let seconds = |from: Timestamp, to: Timestamp| (to.as_millisecond() - from.as_millisecond()) as f64 / 1e3;
        let pause = self.known.zip(resumed).map(|(before, after)| seconds(before, after) - ran_s);
        (self.known, self.at_ns) = (resumed, at_ns);
        pause.filter(|pause| *pause >= 0.0)
    }
}

fn resumed(records: &RunRecords, pause: &Break, clock: &mut WallClock) -> Option<Finding> {
    let resumed = pause.resumed.as_ref()?;
    let kept = records.steps.iter().filter(|record| record.end_ns <= pause.at_ns);
    let measured = kept.filter(|record| values::is_measured(records, &record.key.step));
    let keys: Vec<StepKey> = measured.map(|record| record.key.clone()).collect();
    Some(text::run_resumed(pause, resumed, clock.pause_s(pause.at_ns, &resumed.resumed), keys))
}

/// One finding for each different error.
fn failed_steps(records: &RunRecords) -> Vec<Finding> {
    let mut errors: Vec<(&str, Vec<StepKey>)> = Vec::new();
    for failed in &records.failed_steps {
        match errors.iter_mut().find(|(error, _)| *error == failed.error) {
            Some((_, keys)) => keys.push(failed.key.clone()),
            None => errors.push((&failed.error, vec![failed.key.clone()])),
        }
    }
    errors.into_iter().map(|(error, keys)| text::step_failed(error, keys)).collect()
}

/// Executions that began although the drive was not as cool as requested.
pub(crate) fn cool_downs(records: &RunRecords) -> Option<Finding> {
    let warm = records.cool_downs.iter().filter(|wait| wait.to_ns.is_some() && !wait.reached);
    let seen = |wait: &drivelab_core::run::CooledDown| Seen {
        key: wait.key.clone(),
        prepares: records.plan.step(&wait.key.step).is_some_and(|step| step.role == StepRole::Prepare),
        // A thermometer may have fallen silent meanwhile.
        evidence: wait
            .celsius
            .map(|celsius| evidence("temperature", celsius, Some(f64::from(wait.below_c)), "°C"))
            .into_iter()
            .collect(),
        voids: Voids::Nothing,
        spoils: None,
        notes: Vec::new(),
    };
    let seen: Vec<Seen> = warm.map(seen).collect();
    (!seen.is_empty()).then(|| text::NOT_COOLED_DOWN.about(&seen))
}

fn cap_reached(subject: &Subject<'_>) -> Vec<Seen> {
    let reached = subject.execution.record.stop_reason == StopReason::Cap;
    let seconds = values::duration(subject.execution).unwrap_or(0.0);
    told(subject, reached.then(|| vec![evidence("measured time", seconds, None, "s")]))
}

/// Seconds at the end of a step in which the workload may have requested nothing: the measured part ends with
/// the last completion. A gap between random arrivals is longer than five mean gaps once in 150.
fn idle_at_end(workload: &Workload) -> f64 {
    let of_group = |group: &Workload| {
        let pause = group.pace.bursts.map_or(0.0, |bursts| bursts.off.as_secs_f64());
        let gap = group.pace.rate.filter(|rate| rate.per_1000_s > 0).map_or(0.0, |rate| 5.0 / rate.iops());
        pause + gap + group.pace.think_time.as_secs_f64()
    };
    workload.groups().map(of_group).fold(0.0, f64::max)
}

/// A step that was stopped from outside or by errors, or that ended by time or volume with less than 95 % of it.
fn short_step(subject: &Subject<'_>) -> Vec<Seen> {
    let Action::Io { stop, .. } = &subject.step.action else { return Vec::new() };
    let record = subject.execution.record;
    let seconds = record.elapsed().as_secs_f64();
    let moved: f64 = record.kinds().map(|(_, op)| op.bytes.as_f64()).sum();
    let cut = matches!(record.stop_reason, StopReason::Stopped | StopReason::Errors);
    let time = stop.time.map(|time| time.as_secs_f64());
    let volume = stop.volume.map(drivelab_core::units::Bytes::as_f64);
    let idle = idle_at_end(subject.execution.workload);
    let too_short = time.filter(|time| record.stop_reason == StopReason::Time && seconds < SHORT_STEP * time - idle);
    // A block that no longer fits ends the step.
    let block = subject.execution.workload.block_sizes().into_iter().max().map_or(0.0, |largest| largest.as_f64());
    let too_small = volume.filter(|v| record.stop_reason == StopReason::Volume && moved < SHORT_STEP * v - block);
    let found = if too_small.is_some() {
        Some(vec![evidence("bytes moved", moved, volume, "B")])
    } else if cut || too_short.is_some() {
        Some(vec![evidence("measured time", seconds, time, "s")])
    } else {
        None
    };
    told(subject, found)
}

/// A measured part of one interval: nothing shows whether the rate was constant over its length.
fn one_interval(subject: &Subject<'_>) -> Vec<Seen> {
    let measured = subject.intervals.iter().filter(|interval| !interval.ramp);
    let [only] = measured.collect::<Vec<_>>()[..] else { return Vec::new() };
    if subject.moment || subject.step.role != StepRole::Measure {
        return Vec::new();
    }
    let seconds = only.end_ns.saturating_sub(only.start_ns) as f64 / 1e9;
    told(subject, Some(vec![evidence("measured time", seconds, None, "s")]))
}

#[cfg(test)]
mod tests;
