//! Findings about a replay, and what is known about its limit.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::replay::{
    Lateness, Replay, ReplayMode, ReplayRecord, SyntheticTrace, TraceFit, TraceSource, TraceTrims,
};
use drivelab_core::units::{Bytes, Nanos};

use super::*;
use crate::analyse;
use crate::topics::limits::LimitKind;

fn replayed() -> ReplayRecord {
    drivelab_samples::replay_record(Nanos::from_secs(1))
}

/// The sample run with a step that replayed a trace in time: `writes` of its operations were to write.
fn run_with(record: ReplayRecord, writes: u64) -> RunRecords {
    let mut run = with_step("mixes/w30", |_| ());
    let step = run.steps.iter_mut().find(|step| step.key.step.as_str() == "mixes/w30").expect("the step");
    let counts = (step.read.count, step.write.count);
    step.replay = Some(record);
    for planned in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let Action::Io { workload, .. } = &mut planned.action
            && planned.id.as_str() == "mixes/w30"
        {
            workload.replay = Some(replay(counts.0, counts.1 + writes));
        }
    }
    run
}

fn replay(reads: u64, writes: u64) -> Replay {
    let synthetic = SyntheticTrace {
        sequential_reads: 0,
        random_reads: reads,
        sequential_writes: 0,
        random_writes: writes,
        read: None,
        written: None,
        smallest: Bytes::new(4096),
        largest: Bytes::new(4096),
        footprint: Bytes::GIB,
        burst: 1,
        gap: Nanos::new(1),
        seed: 1,
    };
    Replay {
        trace: "t".to_owned(),
        facts: synthetic.facts(),
        source: TraceSource::Synthetic(synthetic),
        mode: ReplayMode::Timed {},
        fit: TraceFit::Wrap,
        trims: TraceTrims::Skip,
    }
}

fn late(mean: Nanos) -> Option<Lateness> {
    let mut histogram = drivelab_core::histogram::Histogram::default();
    histogram.record_many(mean.get(), 10);
    let sparse: SparseHistogram = histogram.sparse();
    Some(Lateness::new(sparse))
}

#[test]
fn a_trace_that_was_read_in_time_and_fits_is_no_finding() {
    assert!(codes(&run_with(replayed(), 0)).is_empty());
}

#[test]
fn one_operation_that_waited_for_the_trace_is_enough() {
    let starved = ReplayRecord { starved_operations: 1, starved: Nanos::from_millis(20), ..replayed() };
    let run = run_with(starved, 0);
    assert_eq!(codes(&run), ["trace_reading_limited"]);
    let found = finding(&run, "trace_reading_limited");
    assert_eq!(found.evidence.iter().map(|one| one.value).collect::<Vec<_>>(), [1.0, 0.02]);
}

#[test]
fn what_was_fitted_is_told_as_a_share_of_what_was_issued() {
    let run = run_with(ReplayRecord { taken: 110, skipped_trims: 10, moved: 25, ..replayed() }, 0);
    assert_eq!(codes(&run), ["trace_fitted"]);
    let found = finding(&run, "trace_fitted");
    // 25 of the 100 that were issued, and ten trims.
    assert_eq!(found.evidence.iter().map(|one| one.value).collect::<Vec<_>>(), [25.0, 10.0]);
}

#[test]
fn a_whole_replay_has_the_counts_of_its_trace_and_a_part_of_one_need_not() {
    let whole = ReplayRecord { complete: true, ..replayed() };
    assert!(codes(&run_with(whole.clone(), 0)).is_empty());
    assert_eq!(codes(&run_with(whole, 1)), ["mix_not_as_asked"]);
    assert!(codes(&run_with(replayed(), 1)).is_empty());
}

#[test]
fn a_replay_in_time_is_limited_by_its_trace_and_one_that_is_late_by_the_target() {
    let limit = |lateness| {
        let run = run_with(ReplayRecord { lateness, ..replayed() }, 0);
        let limits = analyse(&run).limits;
        limits.iter().find(|limit| limit.step.as_str() == "mixes/w30").expect("a limit").limit.limited_by
    };
    assert_eq!(limit(late(Nanos::new(50))), LimitKind::Schedule);
    assert_eq!(limit(late(Nanos::from_secs(1))), LimitKind::Target);
}

#[test]
fn times_that_go_back_are_told_where_the_replay_keeps_to_times() {
    let told = |mode: ReplayMode, out_of_order: u64| {
        let mut run = run_with(replayed(), 0);
        for planned in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
            if let Action::Io { workload, .. } = &mut planned.action
                && let Some(replay) = &mut workload.replay
            {
                (replay.mode, replay.facts.out_of_order) = (mode, out_of_order);
            }
        }
        let found = analyse(&run).findings.into_iter().find(|finding| finding.code == "trace_times_go_back");
        found.map(|finding| finding.evidence[0].value)
    };
    let timed = replay(1, 1).mode;
    assert!(!matches!(timed, ReplayMode::ClosedLoop {}));
    assert_eq!((told(timed, 3), told(timed, 0), told(ReplayMode::ClosedLoop {}, 3)), (Some(3.0), None, None));
}
