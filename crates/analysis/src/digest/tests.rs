//! What is written down is read back.

use drivelab_core::ids::StepId;
use drivelab_core::metric::Metric;
use drivelab_core::run::RunRecords;
use drivelab_samples::{beside_others, sample_arms, sample_loads_run, sample_run, sample_watched_run};

use super::*;
use crate::{Analysis, analyse};

fn made(records: &RunRecords) -> (Analysis, Digest) {
    let analysis = analyse(records);
    let digest = Digest::of(records, &analysis);
    (analysis, digest)
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-8 * other.abs()
}

fn alike(one: &Metric, other: &Metric) -> bool {
    let plain =
        |metric: &Metric| Metric { value: None, rounds: Vec::new(), sets: Vec::new(), spread: None, ..metric.clone() };
    let values = |metric: &Metric| {
        let spread = metric.spread.map(|spread| {
            let ends = spread.confidence.map(|ends| [ends.low, ends.high]);
            [spread.min, spread.max, spread.mean, spread.median, spread.standard_deviation]
                .into_iter()
                .chain(ends.into_iter().flatten())
                .collect::<Vec<_>>()
        });
        [&metric.rounds, &metric.sets]
            .into_iter()
            .flatten()
            .copied()
            .chain(metric.value)
            .chain(spread.into_iter().flatten())
            .collect::<Vec<f64>>()
    };
    let (own, others) = (values(one), values(other));
    // A deviation of rounds that hardly differ has fewer digits in common than they have.
    let close = |(one, other): (&f64, &f64)| near(*one, *other) || (one - other).abs() <= 1e-7 * others[0].abs();
    plain(one) == plain(other) && own.len() == others.len() && own.iter().zip(&others).all(close)
}

#[test]
fn every_metric_stands_in_the_digest_as_analysis_has_it() {
    for records in [sample_run(), sample_loads_run(), sample_watched_run(), sample_arms().remove(1)] {
        let (analysis, digest) = made(&records);
        let kept: Vec<&Metric> = digest.steps().flat_map(|step| &step.metrics).chain(&digest.metrics).collect();
        assert_eq!(kept.len(), analysis.metrics.len());
        for metric in &analysis.metrics {
            let found = kept.iter().find(|one| one.address == metric.address).expect("the metric");
            assert!(alike(found, metric), "{found:?}\n{metric:?}");
        }
        assert_eq!((&digest.findings, &digest.limits), (&analysis.findings, &analysis.limits));
    }
}

#[test]
fn what_is_written_is_read_back_with_marks_and_void_figures() {
    let spoiled = beside_others(sample_run(), |_| true);
    for records in [spoiled, sample_loads_run(), sample_watched_run()] {
        let (analysis, digest) = made(&records);
        let text = serde_json::to_string(&digest).expect("JSON");
        let read: Digest = serde_json::from_str(&text).expect("a digest");
        assert_eq!(read, digest);
        let marked = |metric: &Metric| !metric.voided_by.is_empty() || metric.wrong.is_some();
        let count = |all: &mut dyn Iterator<Item = &Metric>| all.filter(|metric| marked(metric)).count();
        let kept = count(&mut read.steps().flat_map(|step| &step.metrics).chain(&read.metrics));
        assert_eq!(kept, count(&mut analysis.metrics.iter()));
    }
}

#[test]
fn a_thousand_intervals_of_a_fill_become_a_course_that_keeps_its_slowest_and_fastest() {
    let mut records = sample_run();
    let fill = records.plan.steps().find(|step| crate::fill::is_fill(step)).map(|step| step.id.clone());
    let step = fill.expect("the sample fills its target");
    let record = records.steps.iter().rfind(|record| record.key.step == step).expect("it was done").clone();
    let template = records.intervals.iter().find(|one| one.key == record.key).expect("an interval").clone();
    records.intervals.retain(|one| one.key != record.key);
    for second in 0..1000_u64 {
        let mut one = template.clone();
        (one.start_ns, one.end_ns) = (second * 1_000_000_000, (second + 1) * 1_000_000_000);
        one.write.bytes = drivelab_core::units::Bytes::new(if second == 700 { 5_000_000 } else { 100_000_000 });
        one.write.bytes = if second == 31 { drivelab_core::units::Bytes::new(400_000_000) } else { one.write.bytes };
        records.intervals.push(one);
    }
    let (_, digest) = made(&records);
    let course = digest.courses.iter().find(|course| course.key == record.key).expect("its course");
    assert!((64..=128).contains(&course.rates.len()), "{}", course.rates.len());
    let last = course.rates.last().expect("points");
    assert_eq!((last.to_s, last.moved), (1000.0, 998 * 100_000_000 + 5_000_000 + 400_000_000));
    let low = course.rates.iter().filter_map(|point| point.low).fold(f64::INFINITY, f64::min);
    let high = course.rates.iter().filter_map(|point| point.high).fold(0.0, f64::max);
    assert!(near(low, 5.0) && near(high, 400.0), "{low} {high}");
}

#[test]
fn a_course_begins_with_its_first_interval_and_a_short_last_one_is_no_extreme() {
    let mut records = sample_run();
    let fill = records.plan.steps().find(|step| crate::fill::is_fill(step)).map(|step| step.id.clone());
    let step = fill.expect("the sample fills its target");
    let record = records.steps.iter().rfind(|record| record.key.step == step).expect("it was done").clone();
    let template = records.intervals.iter().find(|one| one.key == record.key).expect("an interval").clone();
    records.intervals.retain(|one| one.key != record.key);
    for (start_ms, end_ms) in [(5_000, 6_000), (6_000, 7_000), (7_000, 7_010)] {
        let mut one = template.clone();
        (one.start_ns, one.end_ns) = (start_ms * 1_000_000, end_ms * 1_000_000);
        one.write.bytes = drivelab_core::units::Bytes::new(100_000_000);
        records.intervals.push(one);
    }
    let (_, digest) = made(&records);
    let course = digest.courses.iter().find(|course| course.key == record.key).expect("its course");
    let points: Vec<_> = course.rates.iter().map(|point| (point.to_s, point.low, point.high)).collect();
    let whole = Some(100.0);
    assert_eq!(points, [(1.0, whole, whole), (2.0, whole, whole), (2.01, None, None)]);
}

#[test]
fn a_step_is_found_by_its_id_and_its_metric_by_name() {
    let (analysis, digest) = made(&sample_run());
    let id = StepId::new("corners", "seq-1m-q8t1-read");
    let step = digest.step(&id).expect("the step");
    let rate = step.facts.rate.as_deref().expect("it moves data");
    let value = analysis.step_metric(&id, rate).and_then(|metric| metric.value).expect("a rate");
    assert!(near(step.metric(rate).and_then(|metric| metric.value).expect("a rate"), value));
    assert!(step.facts.measured && step.metric("no.such").is_none());
}
