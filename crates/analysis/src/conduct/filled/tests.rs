//! The end of a write cache on fills whose course was drawn by hand.

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::plan::Form;
use drivelab_core::record::IntervalRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;

use crate::analyse;
use crate::testing::sample_run;

const STEP: &str = "sustained/whole-file-write";

/// The fill of the sample run as hundredths of its span; the first `fast` of them take a second each, the others four.
fn run(fast: u64) -> RunRecords {
    let mut run = sample_run();
    let span = run.plan.steps().find(|step| step.id.as_str() == STEP).and_then(|step| step.workload());
    let span = span.expect("the fill").span.length.get();
    let sample = run.intervals.iter().find(|one| one.key.step.as_str() == STEP).expect("its intervals").clone();
    run.intervals.retain(|one| one.key != sample.key);
    let mut at_ns = sample.start_ns;
    for index in 0..100 {
        let mut interval = IntervalRecord { index, ramp: false, ..sample.clone() };
        let index = u64::from(index);
        interval.write.bytes = Bytes::new(span * (index + 1) / 100 - span * index / 100);
        interval.start_ns = at_ns;
        at_ns += if index < fast { 1 } else { 4 } * 1_000_000_000;
        interval.end_ns = at_ns;
        run.intervals.push(interval);
    }
    run
}

fn ended(run: &RunRecords) -> Option<Finding> {
    analyse(run).findings.into_iter().find(|finding| finding.code == "write_cache_ended")
}

#[test]
fn a_fill_whose_rate_fell_for_good_says_where_and_from_what_to_what() {
    let told = ended(&run(20)).expect("the cache ended");
    assert_eq!((told.severity, told.steps.len()), (Severity::Note, 1));
    // 32 GiB in hundredths of 343.6 MB: 20 of them are 6.87 GB.
    assert!(told.statement.contains("6.9 GB") && told.statement.contains("20 %"), "{}", told.statement);
    assert!(told.statement.contains("from 344 to 86 MB/s"), "{}", told.statement);
    assert_eq!(told.evidence[0].limit.map(f64::round), Some(344.0));
}

#[test]
fn a_fill_at_one_rate_and_one_of_a_moment_say_nothing() {
    assert_eq!(ended(&run(100)), None);
    let mut moment = run(20);
    moment.plan.form = Form::Smoke;
    assert_eq!(ended(&moment), None);
}
