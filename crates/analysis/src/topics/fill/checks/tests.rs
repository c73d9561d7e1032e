//! Findings about fills whose course was made by hand.

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::plan::{Action, Form};
use drivelab_core::record::IntervalRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{About, Quantity, SeriesDescription, SourceKind};
use drivelab_core::units::Bytes;
use drivelab_samples::{recorded, sample_run, source};

use crate::analyse;
use crate::check::testing::{figures, noted};
use crate::topics::fill::FILLED;

const STEP: &str = "sustained/whole-file-write";

/// The fill of the sample run as hundredths of its span, with the seconds that each took.
fn drawn(seconds: impl Fn(u64) -> f64) -> RunRecords {
    drawn_over(32 << 30, seconds)
}

/// The same with a span of this many bytes.
fn drawn_over(span: u64, seconds: impl Fn(u64) -> f64) -> RunRecords {
    let mut run = sample_run();
    let mut steps = run.plan.tests.iter_mut().flat_map(|test| &mut test.steps);
    let fill = steps.find(|step| step.id.as_str() == STEP).expect("the fill");
    let Action::Io { workload, .. } = &mut fill.action else { panic!("no fill: {fill:?}") };
    workload.span.length = Bytes::new(span);
    let sample = run.intervals.iter().find(|one| one.key.step.as_str() == STEP).expect("its intervals").clone();
    run.intervals.retain(|one| one.key != sample.key);
    let mut at_ns = sample.start_ns;
    for index in 0..100 {
        let mut interval = IntervalRecord { index, ramp: false, ..sample.clone() };
        let index = u64::from(index);
        interval.write.bytes = Bytes::new(span * (index + 1) / 100 - span * index / 100);
        interval.start_ns = at_ns;
        at_ns += (seconds(index) * 1e9) as u64;
        interval.end_ns = at_ns;
        run.intervals.push(interval);
    }
    run
}

/// The first `fast` hundredths take a second each, the others four.
fn run(fast: u64) -> RunRecords {
    drawn(|index| if index < fast { 1.0 } else { 4.0 })
}

fn told(run: &RunRecords, code: &str) -> Option<Finding> {
    analyse(run).findings.into_iter().find(|finding| finding.code == code)
}

fn ended(run: &RunRecords) -> Option<Finding> {
    told(run, "write_cache_ended")
}

/// Codes of all findings about the fill.
fn codes(run: &RunRecords) -> Vec<String> {
    let of_fill = |finding: &Finding| finding.code.starts_with("write_");
    analyse(run).findings.into_iter().filter(of_fill).map(|finding| finding.code).collect()
}

/// Evidence of a rate beside the rate that it is compared with, and of a value alone.
const fn rates(value: f64, limit: f64) -> (f64, Option<f64>, &'static str) {
    (value, Some(limit), "MB/s")
}
const fn alone(value: f64, unit: &str) -> (f64, Option<f64>, &str) {
    (value, None, unit)
}

#[test]
fn a_fill_whose_rate_fell_for_good_says_where_and_from_what_to_what() {
    let told = ended(&run(20)).expect("the cache ended");
    assert_eq!((told.severity, told.steps.len()), (Severity::Note, 1));
    // 32 GiB in hundredths of 343.6 MB: 20 of them are 6.87 GB.
    assert_eq!(figures(&told), [rates(85.9, 343.6), alone(6.872, "GB"), alone(20.0, "%")]);
}

/// A cliff at 40 MiB of 400 MiB was once one "after 0.0 GB".
#[test]
fn what_a_small_fill_wrote_is_known_to_the_megabyte() {
    let of = |code: &str, span: u64, seconds: &dyn Fn(u64) -> f64| {
        let run = drawn_over(span, seconds);
        told(&run, code).unwrap_or_else(|| panic!("no {code}: {:?}", codes(&run)))
    };
    const SPAN: u64 = 400 << 20;
    let ended = of("write_cache_ended", SPAN, &|index| if index < 10 { 1.0 } else { 4.0 });
    assert_eq!(figures(&ended), [rates(1.049, 4.194), alone(0.041_94, "GB"), alone(10.0, "%")]);
    let dip = |index| if (30..50).contains(&index) { 4.0 } else { 1.0 };
    let recovered = of("write_cache_not_seen", SPAN, &dip);
    assert_eq!(figures(&recovered)[0], alone(0.4194, "GB"));
    assert_eq!(figures(&recovered)[2..4], [alone(0.1258, "GB"), alone(0.2097, "GB")]);
    let burst = of("write_burst", SPAN, &|index| if index < 2 { 1.0 } else { 4.0 });
    assert_eq!(figures(&burst)[1..], [alone(0.008_389, "GB"), alone(2.0, "%")]);
    let stalled = of("write_stalled", SPAN, &|index| if index == 40 { 9.0 } else { 1.0 });
    assert_eq!(figures(&stalled)[2], alone(0.1678, "GB"));
    let across = of("write_cache_not_seen", 4 << 30, &|index| if (10..40).contains(&index) { 4.0 } else { 1.0 });
    assert_eq!(figures(&across)[2..4], [alone(0.4295, "GB"), alone(1.718, "GB")]);
}

#[test]
fn a_fill_of_a_moment_says_nothing() {
    let mut moment = run(20);
    moment.plan.form = Form::Smoke;
    assert_eq!(codes(&moment), [""; 0]);
}

#[test]
fn a_fill_at_one_rate_says_that_no_end_was_seen() {
    let even = run(100);
    assert_eq!(codes(&even), ["write_cache_not_seen"]);
    let told = told(&even, "write_cache_not_seen").expect("an answer");
    assert_eq!(figures(&told), [alone(34.36, "GB"), alone(343.6, "MB/s")]);
}

#[test]
fn a_fall_that_recovered_is_told_with_no_end() {
    let dipped = drawn(|index| if (30..50).contains(&index) { 4.0 } else { 1.0 });
    assert_eq!(codes(&dipped), ["write_cache_not_seen"]);
    let told = told(&dipped, "write_cache_not_seen").expect("an answer");
    assert_eq!(figures(&told)[2..], [alone(10.31, "GB"), alone(17.18, "GB"), rates(85.9, 343.6)]);
}

#[test]
fn bursts_gaps_and_slow_declines_have_codes_of_their_own() {
    let burst = drawn(|index| if index < 2 { 1.0 } else { 4.0 });
    assert_eq!(codes(&burst), ["write_cache_not_seen", "write_burst"]);
    let burst = told(&burst, "write_burst").expect("a burst");
    assert_eq!(figures(&burst), [rates(343.6, 85.9), alone(0.6872, "GB"), alone(2.0, "%")]);
    let stalled = drawn(|index| if index == 40 { 9.0 } else { 1.0 });
    assert_eq!(codes(&stalled), ["write_cache_not_seen", "write_stalled"]);
    let stalled = told(&stalled, "write_stalled").expect("a gap");
    assert_eq!(figures(&stalled)[..3], [alone(8.0, "s"), alone(1.0, "gaps"), alone(13.74, "GB")]);
    let declined = drawn(|index| 1.0 + index as f64 / 100.0);
    assert_eq!(codes(&declined), ["write_ramp"]);
    assert_eq!(figures(&told(&declined, "write_ramp").expect("a decline")), [rates(174.9, 325.7)]);
}

#[test]
fn a_fill_of_few_intervals_says_that_it_cannot_tell() {
    let mut short = run(20);
    let fill = |one: &IntervalRecord| one.key.step.as_str() == STEP;
    short.intervals.retain(|one| !fill(one) || one.index < 15);
    assert_eq!(codes(&short), ["write_cache_too_little"]);
    let little = |run: &RunRecords| told(run, "write_cache_too_little").expect("too little to tell");
    assert_eq!(figures(&little(&short))[2], (15.0, Some(20.0), "intervals"));
    let fill = short.steps.iter_mut().find(|record| record.key.step.as_str() == STEP).expect("its record");
    fill.write.bytes = Bytes::new(4_190_000);
    assert_eq!(figures(&little(&short))[..2], [alone(0.004_19, "GB"), alone(0.012_19, "%")]);
}

/// What several passes wrote is not a share above the whole span.
#[test]
fn of_several_passes_that_are_too_short_the_first_is_the_share_of_the_span() {
    let mut short = run(20);
    short.intervals.retain(|one| one.key.step.as_str() != STEP || one.index < 15);
    let mut steps = short.plan.tests.iter_mut().flat_map(|test| &mut test.steps);
    let fill = steps.find(|step| step.id.as_str() == STEP).expect("the fill");
    let Action::Io { workload, stop, .. } = &mut fill.action else { panic!("no fill: {fill:?}") };
    let span = workload.span.length.get();
    stop.passes = Some(3);
    let mut share = |tenths: u64| {
        let mut records = short.steps.iter_mut().filter(|record| record.key.step.as_str() == STEP);
        let record = records.next().expect("its record");
        record.write.bytes = Bytes::new(span * tenths / 10);
        let told = told(&short, "write_cache_too_little").expect("too little to tell");
        [figures(&told)[0].0, figures(&told)[1].0]
    };
    // The span is 32 GiB.
    assert_eq!((share(25), share(5)), ([34.36, 100.0], [17.18, 50.0]));
}

#[test]
fn where_all_that_is_measured_and_writes_are_fills_the_end_is_the_answer() {
    assert!(!ended(&run(20)).expect("the cache ended").answers, "other tests write too");
    let mut only = run(20);
    only.plan.tests.retain(|test| matches!(test.name.as_str(), "prepare" | "sustained"));
    assert!(ended(&only).expect("the cache ended").answers);
    let mut even = run(100);
    even.plan.tests.retain(|test| matches!(test.name.as_str(), "prepare" | "sustained"));
    let findings = analyse(&even).findings;
    let first = findings.iter().find(|finding| finding.severity == Severity::Note).expect("a note");
    assert!(first.answers && first.code == "write_cache_not_seen", "{first:?}");
}

/// The first finding on the page of a fill once had no mark, although the step's figures had theirs.
#[test]
fn of_a_fill_beside_others_it_is_noted_that_its_rates_are_lower_bounds() {
    for (fast, code) in [(20, "write_cache_ended"), (100, "write_cache_not_seen")] {
        let mut run = run(fast);
        assert_eq!(noted(FILLED, &run, code), [""; 0]);
        let fill = run.steps.iter().find(|record| record.key.step.as_str() == STEP).expect("the fill");
        let times = [fill.start_ns - 1_000_000, fill.end_ns.max(run.intervals[0].end_ns) + 1_000_000];
        let mut disk = source(SourceKind::DiskStats, "nvme0n1", Quantity::Volume, &[(times[0], 0.0), (times[1], 1e12)]);
        disk.description.about = About::Drive("nvme0n1".to_owned());
        for (series, after) in [("write_bytes", 1e12), ("discard_bytes", 0.0)] {
            disk.description.series.push(SeriesDescription::new(series, Quantity::Volume));
            disk.samples[0].values.push(Some(0.0));
            disk.samples[1].values.push(Some(after));
        }
        run.telemetry = recorded(vec![disk]);
        assert_eq!(noted(FILLED, &run, code), ["others"]);
    }
}

#[test]
fn a_gap_behind_which_the_rate_is_another_says_so() {
    let stalled = told(&drawn(|index| if index == 40 { 9.0 } else { 1.0 }), "write_stalled").expect("a gap");
    assert_eq!(figures(&stalled)[3], rates(343.6, 343.6));
    let at_the_end = drawn(|index| match index {
        at if at < 60 => 1.0,
        60 => 13.0,
        _ => 4.0,
    });
    let stalled = told(&at_the_end, "write_stalled").expect("a gap");
    let gap = [alone(9.0, "s"), alone(1.0, "gaps"), alone(20.62, "GB"), rates(85.9, 343.6)];
    assert_eq!(figures(&stalled), gap);
    assert_eq!(figures(&ended(&at_the_end).expect("the cache ended"))[0].1, Some(343.6));
}

#[test]
fn a_fall_that_the_scatter_may_be_is_too_little_to_tell_and_says_which() {
    // Twice as fast and half as fast in turn, a third slower after the 60th: about five standard errors.
    let uneven = |index: u64| if index.is_multiple_of(2) { 0.75 } else { 1.33 };
    let scattered = drawn(|index| uneven(index) * if index < 60 { 1.0 } else { 1.35 });
    assert_eq!(codes(&scattered), ["write_cache_too_little"]);
    let told = told(&scattered, "write_cache_too_little").expect("too little to tell");
    assert_eq!(figures(&told)[3..], [rates(243.0, 330.5), alone(20.96, "GB")]);
}
