//! The sample run has no finding; each fault has its own.

mod account;
mod replayed;
mod target;

use drivelab_core::finding::Severity;
use drivelab_core::ids::StepId;
use drivelab_core::plan::Step;
use drivelab_core::plan::{Combine, Order, StopRule};
use drivelab_core::record::{OpRecord, StepRecord};
use drivelab_core::run::FailedStep;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_samples::{sample_resumed_run, sample_run, sample_steady_run, sample_unfinished_run};

use super::*;
use crate::analyse;

/// The sample's fill is drawn with the end of a write cache, which every run that holds it notes.
const OF_THE_SAMPLE: &str = "write_cache_ended";

/// Codes of the findings, but for what the sample has anyway.
pub(super) fn codes(run: &RunRecords) -> Vec<String> {
    analyse(run).findings.into_iter().map(|finding| finding.code).filter(|code| code != OF_THE_SAMPLE).collect()
}

pub(super) fn finding(run: &RunRecords, code: &str) -> Finding {
    let found = analyse(run).findings.into_iter().find(|finding| finding.code == code);
    found.unwrap_or_else(|| panic!("no {code} in {:?}", codes(run)))
}

pub(super) fn with_step(id: &str, change: impl FnOnce(&mut StepRecord)) -> RunRecords {
    let mut run = sample_run();
    change(run.steps.iter_mut().find(|record| record.key.step.as_str() == id).expect("a step"));
    run
}

#[test]
fn good_runs_give_no_finding() {
    let all = analyse(&sample_run()).findings;
    assert_eq!(
        all.iter().map(|one| (one.code.as_str(), one.severity)).collect::<Vec<_>>(),
        [(OF_THE_SAMPLE, Severity::Note)]
    );
    assert_eq!(codes(&sample_run()), [""; 0]);
    assert_eq!(analyse(&sample_steady_run()).findings, []);
}

#[test]
fn each_thing_that_goes_wrong_in_a_step_has_its_own_finding() {
    let id = "mixes/w30";
    let only = |change: fn(&mut StepRecord)| codes(&with_step(id, change));
    assert_eq!(only(|r| r.stop_reason = StopReason::Cap), ["cap_reached"]);
    assert_eq!(only(|r| r.stop_reason = StopReason::Errors), ["short_step"]);
}

#[test]
fn a_step_of_one_interval_is_marked_unless_the_whole_run_is_of_moments() {
    let mut run = sample_run();
    let id = "mixes/w30";
    let mut seen = 0;
    run.intervals.retain(|interval| {
        let own = interval.key.step.as_str() == id && !interval.ramp;
        seen += usize::from(own);
        !own || seen == 1
    });
    let finding = finding(&run, "one_interval");
    assert_eq!(finding.steps.iter().map(|key| key.step.as_str()).collect::<Vec<_>>(), [id]);
    assert_eq!(finding.severity, Severity::Warning);
    run.plan.form = Form::Smoke;
    assert!(!codes(&run).contains(&"one_interval".to_owned()), "smoke_form says it of all steps");
}

#[test]
fn a_step_below_its_own_time_or_volume_is_short() {
    let mut run = sample_run();
    let rule = |run: &mut RunRecords, new: &dyn Fn(&mut StopRule)| {
        let steps = run.plan.tests.iter_mut().flat_map(|test| &mut test.steps);
        for step in steps.filter(|step| step.id.as_str() == "mixes/w30") {
            if let Action::Io { stop, .. } = &mut step.action {
                new(stop);
            }
        }
    };
    rule(&mut run, &|stop| stop.time = Some(Nanos::from_millis(4_200)));
    assert!(codes(&run).is_empty(), "4 s of 4.2 s are 95 %");
    rule(&mut run, &|stop| stop.time = Some(Nanos::from_millis(4_300)));
    assert_eq!(codes(&run), ["short_step"]);
    let mut paused = run.clone();
    for step in paused.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let Action::Io { workload, .. } = &mut step.action {
            let (on, off) = (Nanos::from_secs(1), Nanos::from_millis(300));
            workload.pace.bursts = Some(drivelab_core::load::Bursts { on, off });
        }
    }
    assert!(codes(&paused).is_empty(), "its last 300 ms may be a pause that was asked for");
    rule(&mut run, &|stop| (stop.time, stop.volume) = (None, Some(Bytes::new(1 << 50))));
    run.steps
        .iter_mut()
        .filter(|r| r.key.step.as_str() == "mixes/w30")
        .for_each(|r| r.stop_reason = StopReason::Volume);
    assert_eq!(codes(&run), ["short_step"]);
    // The last block that did not fit may have been as large as any.
    let (mut moved, mut block) = (0, 0);
    for record in run.steps.iter().filter(|record| record.key.step.as_str() == "mixes/w30") {
        moved = record.kinds().map(|(_, op)| op.bytes.get()).sum();
        block = run.plan.step(&record.key.step).and_then(Step::workload).expect("a load").block_size.get();
    }
    let volume = |missing: u64| Bytes::new((moved + missing) * 100 / 95);
    rule(&mut run, &|stop| stop.volume = Some(volume(block / 2)));
    assert!(codes(&run).is_empty());
    rule(&mut run, &|stop| stop.volume = Some(volume(block * 2)));
    assert_eq!(codes(&run), ["short_step"]);
}

#[test]
fn the_form_smoke_buffered_io_and_failed_steps_are_told() {
    let mut run = sample_run();
    run.plan.form = Form::Smoke;
    assert_eq!(codes(&run), ["smoke_form"]);
    let mut run = sample_run();
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let Action::Io { workload, .. } = &mut step.action {
            workload.direct = false;
        }
    }
    run.steps.iter_mut().for_each(|record| record.engine.direct_verified = false);
    assert_eq!(codes(&run), ["buffered_io"], "asked for and done: nothing is void");
    let mut run = sample_run();
    let key = |round| StepKey { step: StepId::new("corners", "rnd-4k-q1t1-read"), round };
    let error = "the kernel refused it".to_owned();
    run.steps.retain(|record| record.key.step != key(1).step);
    run.failed_steps = [1, 2].map(|round| FailedStep { key: key(round), error: error.clone() }).into();
    assert_eq!(codes(&run), ["step_failed"]);
    assert_eq!(finding(&run, "step_failed").steps, [key(1), key(2)]);
    assert!(analyse(&run).step_metric(&key(1).step, "read.iops").is_none(), "failed is not 0");
}

#[test]
fn a_resumed_run_names_the_break_its_length_and_what_was_kept() {
    let run = sample_resumed_run();
    let told = finding(&run, "run_resumed");
    assert_eq!(codes(&run), ["run_resumed"]);
    // It began at 10:00:00 and continued at 10:07:30.
    let at_s = run.breaks[0].at_ns as f64 / 1e9;
    let pause = told.evidence.iter().find(|piece| piece.what == "pause").expect("a pause").value;
    assert!((pause - (450.0 - at_s)).abs() < 0.01, "{pause}");
    // Why it was interrupted and what became of the target show nowhere else.
    let resumed = run.breaks[0].resumed.as_ref().expect("resumed");
    for words in [run.breaks[0].cause.trim_end_matches('.'), &resumed.target_state, "and preparation was repeated"] {
        assert!(told.statement.contains(words), "{}", told.statement);
    }
    // Corners in three rounds and the first two mixes; the fill was repeated and is not a kept figure.
    assert_eq!(told.steps.len(), 8 * 3 + 2);
}

#[test]
fn pauses_are_counted_from_the_segment_before() {
    let mut run = sample_resumed_run();
    let mut second = run.breaks[0].clone();
    second.at_ns += 60_000_000_000;
    let resumed = second.resumed.as_mut().expect("resumed");
    resumed.resumed = "2026-03-01T10:10:00Z".to_owned();
    run.breaks.push(second);
    let all = analyse(&run).findings;
    let pause = |index: usize| all[index].evidence.iter().find(|piece| piece.what == "pause").expect("a pause").value;
    // From 10:07:30 the second segment ran 60 s of the 150 s until 10:10:00.
    assert!((pause(1) - 90.0).abs() < 0.01, "{}", pause(1));
    run.started = "some day".to_owned();
    let unknown = finding(&run, "run_resumed");
    let whats: Vec<&str> = unknown.evidence.iter().map(|piece| piece.what.as_str()).collect();
    assert_eq!(whats, ["run time of the break"], "the length of the pause is unknown");
}

#[test]
fn unfinished_and_failed_runs_say_so() {
    let told = finding(&sample_unfinished_run(), "run_unfinished");
    assert_eq!((told.evidence[0].value, told.evidence[0].limit), (27.0, Some(38.0)));
    let mut run = sample_run();
    (run.state, run.message) = (RunState::Failed, "the device vanished".to_owned());
    let failed = finding(&run, "run_failed");
    assert!(failed.statement.contains(&run.message), "why shows nowhere else: {}", failed.statement);
    assert_eq!(failed.severity, Severity::Warning);
}

#[test]
fn a_test_that_never_became_steady_says_so() {
    let mut run = sample_steady_run();
    run.steadiness[0].reached = false;
    run.steadiness[0].range_percent = 31.0;
    assert_eq!(codes(&run), ["not_steady"]);
    assert_eq!(finding(&run, "not_steady").evidence[0].value, 31.0);
}

/// Makes the rounds of one step last so long that their IOPS have these ratios.
fn with_rounds(ratios: &[f64]) -> RunRecords {
    let mut run = sample_run();
    let id = StepId::new("corners", "rnd-4k-q1t1-read");
    let first = run.steps.iter().find(|record| record.key.step == id).expect("a record").clone();
    let intervals: Vec<_> = run.intervals.iter().filter(|i| i.key == first.key).cloned().collect();
    run.steps.retain(|record| record.key.step != id);
    run.intervals.retain(|interval| interval.key.step != id);
    for test in &mut run.plan.tests {
        if test.name == "corners" {
            test.rounds = Rounds::Fixed { count: u32::try_from(ratios.len()).expect("few") };
            (test.order, test.combine) = (Order::StepByStep, Combine::Mean);
        }
    }
    for (index, ratio) in ratios.iter().enumerate() {
        let mut record = first.clone();
        record.key.round = u32::try_from(index + 1).expect("few");
        record.end_ns = record.start_ns + (4e9 / ratio) as u64;
        record.in_flight_mean *= ratio;
        let elapsed = record.elapsed();
        let read = record.read.clone();
        record.read = OpRecord::new(read.count, read.bytes, 0, read.histogram, elapsed);
        run.intervals.extend(intervals.iter().cloned().map(|mut interval| {
            interval.key = record.key.clone();
            interval
        }));
        run.steps.push(record);
    }
    run
}

#[test]
fn rounds_that_differ_are_told_once_and_two_modes_as_such() {
    // Longer rounds keep less in flight in this made-up arithmetic; only the findings about rounds matter here.
    let about_rounds = |ratios: &[f64]| {
        let all = codes(&with_rounds(ratios));
        all.into_iter().filter(|code| code == "rounds_differ" || code == "two_modes").collect::<Vec<String>>()
    };
    assert!(about_rounds(&[1.0, 0.96, 0.98]).is_empty());
    assert_eq!(about_rounds(&[1.0, 0.9, 0.85]), ["rounds_differ"]);
    assert_eq!(about_rounds(&[0.99, 0.66, 1.0, 0.65, 0.66]), ["two_modes"]);
    let told = finding(&with_rounds(&[1.0, 0.9, 0.85]), "rounds_differ");
    assert_eq!((told.steps.len(), told.evidence.len(), told.severity), (3, 1, Severity::Warning));
}
