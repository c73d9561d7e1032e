//! Findings about fills whose course was made by hand.

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::plan::{Action, Form};
use drivelab_core::record::IntervalRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{About, Quantity, SeriesDescription, SourceKind};
use drivelab_core::units::Bytes;
use drivelab_samples::{recorded, sample_run, source};

use crate::analyse;

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

/// Codes of all findings about the fill, and the statement of the first.
fn said(run: &RunRecords) -> (Vec<String>, String) {
    let of_fill = |finding: &Finding| finding.code.starts_with("write_");
    let all: Vec<Finding> = analyse(run).findings.into_iter().filter(of_fill).collect();
    let statement = all.first().map(|first| first.statement.clone()).unwrap_or_default();
    (all.into_iter().map(|finding| finding.code).collect(), statement)
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

/// A cliff at 40 MiB of 400 MiB was once one "after 0.0 GB".
#[test]
fn what_a_small_fill_wrote_is_said_in_mb() {
    const SPAN: u64 = 400 << 20;
    let of = |code: &str, seconds: &dyn Fn(u64) -> f64| {
        let run = drawn_over(SPAN, seconds);
        told(&run, code).unwrap_or_else(|| panic!("no {code}: {:?}", said(&run))).statement
    };
    let ended = of("write_cache_ended", &|index| if index < 10 { 1.0 } else { 4.0 });
    assert!(ended.contains("after 41.9 MB (10 % of the span)"), "{ended}");
    let dip = |index| if (30..50).contains(&index) { 4.0 } else { 1.0 };
    let recovered = of("write_cache_not_seen", &dip);
    assert!(recovered.contains(": 419 MB were") && recovered.contains("from 126 to 210 MB the rate"), "{recovered}");
    let burst = of("write_burst", &|index| if index < 2 { 1.0 } else { 4.0 });
    assert!(burst.contains("8.39 MB (2.0 % of the span)"), "{burst}");
    let stalled = of("write_stalled", &|index| if index == 40 { 9.0 } else { 1.0 });
    assert!(stalled.contains("after 168 MB, and"), "{stalled}");
    let across = drawn_over(4 << 30, |index| if (10..40).contains(&index) { 4.0 } else { 1.0 });
    assert!(said(&across).1.contains("from 429 MB to 1.7 GB the rate was"), "{:?}", said(&across));
}

#[test]
fn a_fill_of_a_moment_says_nothing() {
    let mut moment = run(20);
    moment.plan.form = Form::Smoke;
    assert_eq!(said(&moment).0, [""; 0]);
}

#[test]
fn a_fill_at_one_rate_says_that_no_end_was_seen() {
    let (codes, statement) = said(&run(100));
    assert_eq!(codes, ["write_cache_not_seen"]);
    assert!(
        statement.contains("No end of a write cache was seen: 34.4 GB were written at a mean of 344 MB/s"),
        "{statement}"
    );
}

#[test]
fn a_fall_that_recovered_is_told_with_no_end() {
    let (codes, statement) = said(&drawn(|index| if (30..50).contains(&index) { 4.0 } else { 1.0 }));
    assert_eq!(codes, ["write_cache_not_seen"]);
    assert!(
        statement.contains("from 10.3 to 17.2 GB the rate was 86 instead of 344 MB/s, then it recovered"),
        "{statement}"
    );
}

#[test]
fn bursts_gaps_and_slow_declines_have_codes_of_their_own() {
    let (codes, statement) = said(&drawn(|index| if index < 2 { 1.0 } else { 4.0 }));
    assert_eq!(codes, ["write_cache_not_seen", "write_burst"], "{statement}");
    let burst = told(&drawn(|index| if index < 2 { 1.0 } else { 4.0 }), "write_burst").expect("a burst");
    assert!(burst.statement.contains("687 MB (2.0 % of the span) at 344 MB/s, then 86 MB/s"), "{}", burst.statement);
    let stalled = drawn(|index| if index == 40 { 9.0 } else { 1.0 });
    assert_eq!(said(&stalled).0, ["write_cache_not_seen", "write_stalled"]);
    let stalled = told(&stalled, "write_stalled").expect("a gap").statement;
    assert!(stalled.contains("1 time, the longest for 8.0 s after 13.7 GB"), "{stalled}");
    let (codes, statement) = said(&drawn(|index| 1.0 + index as f64 / 100.0));
    assert_eq!(codes, ["write_ramp"]);
    assert!(statement.contains("slowed down gradually, from 326 to 175 MB/s"), "{statement}");
}

#[test]
fn a_fill_of_few_intervals_says_that_it_cannot_tell() {
    let mut short = run(20);
    let fill = |one: &IntervalRecord| one.key.step.as_str() == STEP;
    short.intervals.retain(|one| !fill(one) || one.index < 15);
    let (codes, statement) = said(&short);
    assert_eq!(codes, ["write_cache_too_little"]);
    assert!(statement.contains("in 15 recorded intervals"), "{statement}");
    let fill = short.steps.iter_mut().find(|record| record.key.step.as_str() == STEP).expect("its record");
    fill.write.bytes = Bytes::new(4_190_000);
    let statement = said(&short).1;
    assert!(statement.contains("ends: 4.19 MB (0 % of the span) in"), "{statement}");
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
        told(&short, "write_cache_too_little").expect("too little to tell").statement
    };
    // The span is 32 GiB.
    assert!(share(25).contains("34.4 GB (100 % of the span)"), "{}", share(25));
    assert!(share(5).contains("17.2 GB (50 % of the span)"), "{}", share(5));
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
fn rates_of_a_fill_beside_others_are_lower_bounds_in_the_sentence_too() {
    for (fast, code) in [(20, "write_cache_ended"), (100, "write_cache_not_seen")] {
        let mut run = run(fast);
        let alone = told(&run, code).expect("an answer").statement;
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
        let disturbed = told(&run, code).expect("an answer").statement;
        assert_eq!(disturbed, format!("{alone} Other programs used the disk, so these rates are lower bounds."));
    }
}

#[test]
fn a_gap_behind_which_the_rate_is_another_says_so() {
    let stalled = told(&drawn(|index| if index == 40 { 9.0 } else { 1.0 }), "write_stalled").expect("a gap");
    assert!(stalled.statement.ends_with("and continued as fast as before (1 execution)."), "{}", stalled.statement);
    let at_the_end = drawn(|index| match index {
        at if at < 60 => 1.0,
        60 => 13.0,
        _ => 4.0,
    });
    let stalled = told(&at_the_end, "write_stalled").expect("a gap").statement;
    assert!(
        stalled.contains("the longest for 9.0 s after 20.6 GB, and continued at 86 instead of 344 MB/s ("),
        "{stalled}"
    );
    assert!(ended(&at_the_end).expect("the cache ended").statement.contains("from 344 to"));
}

#[test]
fn a_fall_that_the_scatter_may_be_is_too_little_to_tell_and_says_which() {
    // Twice as fast and half as fast in turn, a third slower after the 60th: about five standard errors.
    let uneven = |index: u64| if index.is_multiple_of(2) { 0.75 } else { 1.33 };
    let (codes, statement) = said(&drawn(|index| uneven(index) * if index < 60 { 1.0 } else { 1.35 }));
    assert_eq!(codes, ["write_cache_too_little"], "{statement}");
    assert!(statement.contains("vary so much that the fall from 331 to 243 MB/s after 21.0 GB may"), "{statement}");
}
