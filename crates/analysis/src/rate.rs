//! Which figure is a step's rate in bytes, for tables, bars, arms, drives and lines on a terminal.
//!
//! A replayed trace has pauses of its own, which show nothing about the drive, so its rate is the one over the time in
//! which operations were outstanding.

use drivelab_core::files::FileWork;
use drivelab_core::load::OpKind;
use drivelab_core::plan::Step;
use drivelab_core::record::StepRecord;
use drivelab_core::replay::ReplayMode;
use drivelab_core::units::Nanos;
use drivelab_core::workload::Workload;

/// The rate of a replayed trace, MB/s: bytes over the time with at least one operation outstanding.
pub const BUSY_RATE: &str = "replay.busy_throughput";

/// Whether a step replays a trace.
#[must_use]
pub fn replays(step: &Step) -> bool {
    step.workload().is_some_and(|load| load.replay.is_some())
}

/// Whether a load replays a trace with pauses, so that rates over elapsed time include them.
#[must_use]
pub fn has_pauses_of_a_trace(load: &Workload) -> bool {
    load.replay.as_ref().is_some_and(|replay| !matches!(replay.mode, ReplayMode::ClosedLoop {}))
}

/// Id of the metric that is a step's rate in bytes: for its reads, its writes, both, or a trace over busy time; `None`
/// if it moves no data.
#[must_use]
pub fn rate_metric(step: &Step) -> Option<&'static str> {
    let load = step.workload()?;
    // Removing files counts as writing them.
    if load.files.as_ref().is_some_and(|files| files.work == FileWork::Delete) {
        return None;
    }
    if load.replay.is_some() {
        return Some(BUSY_RATE);
    }
    match (load.issues(OpKind::Read), load.issues(OpKind::Write)) {
        (true, true) => Some("total.throughput"),
        (true, false) => Some("read.throughput"),
        (false, true) => Some("write.throughput"),
        (false, false) => None,
    }
}

/// The time by which the displayed rates of an execution are divided: for a replayed trace its busy time, else the
/// active time of the measured part. `None` if there was none.
#[must_use]
pub fn rated_time(record: &StepRecord) -> Option<Nanos> {
    let time = record.replay.as_ref().map_or_else(|| record.active(), |replay| replay.busy);
    (time.get() > 0).then_some(time)
}

#[cfg(test)]
mod tests {
    use drivelab_samples as testing;

    use crate::analyse;

    use super::*;

    #[test]
    fn every_step_that_moves_data_has_a_rate_of_that_name_and_a_trace_the_one_without_its_pauses() {
        let run = testing::replayed(testing::sample_loads_run(), "paced");
        let analysis = analyse(&run);
        let steps = run.plan.steps().filter(|step| step.workload().is_some());
        for (step, metric) in steps.filter_map(|step| Some((step, rate_metric(step)?))) {
            assert!(analysis.step_metric(&step.id, metric).is_some(), "{}: {metric}", step.id);
            assert_eq!(metric == BUSY_RATE, step.id.as_str().starts_with("paced/"), "{}", step.id);
        }
    }

    #[test]
    fn the_rate_over_rated_time_is_the_metric() {
        let run = testing::replayed(testing::sample_run(), "sustained");
        let analysis = analyse(&run);
        for record in run.steps.iter().filter(|record| record.key.round == 1) {
            let step = run.plan.step(&record.key.step).expect("a step");
            let rounds = run.steps.iter().filter(|other| other.key.step == step.id).count();
            let metric = rate_metric(step).and_then(|id| analysis.step_metric(&step.id, id)?.value);
            let (Some(value), 1, Some(time)) = (metric, rounds, rated_time(record)) else { continue };
            let moved = record.read.bytes.as_f64() + record.write.bytes.as_f64();
            assert!((moved / 1e6 / time.as_secs_f64() / value - 1.0).abs() < 1e-9, "{}", step.id);
        }
    }
}
