//! Every figure of a run can be followed back, and a wrong address is answered with near ones.

use drivelab_samples::{sample_run, sample_steady_run};

use super::*;
use crate::analyse;

#[test]
fn every_figure_can_be_explained() {
    for run in [sample_run(), sample_steady_run()] {
        let analysis = analyse(&run);
        for metric in &analysis.metrics {
            let explanation = explain(&run, &analysis, &metric.address).expect("an explanation");
            let values: Vec<f64> = explanation.rounds.iter().filter_map(|round| round.value).collect();
            assert_eq!(values, metric.rounds, "{}", metric.address);
            assert!(text(&explanation).contains(&explanation.function));
        }
    }
}

#[test]
fn the_chain_ends_at_the_records() {
    let mut run = sample_run();
    let address = "corners/seq-1m-q8t1-read:read.throughput";
    let key = StepKey { step: drivelab_core::ids::StepId::new("corners", "seq-1m-q8t1-read"), round: 2 };
    let mut ramp = run.intervals.iter().find(|interval| interval.key == key).expect("an interval").clone();
    (ramp.ramp, ramp.index) = (true, 0);
    for interval in run.intervals.iter_mut().filter(|interval| interval.key == key) {
        interval.index += 1;
    }
    let place = run.intervals.iter().position(|interval| interval.key == key).expect("an interval");
    run.intervals.insert(place, ramp);
    let analysis = analyse(&run);
    let explanation = explain(&run, &analysis, address).expect("an explanation");
    let record = run.step(&key).expect("a record");
    let round = &explanation.rounds[1];
    assert_eq!((&round.key, round.start_ns, round.end_ns), (&key, record.start_ns, record.end_ns));
    assert_eq!((round.reads, round.read_bytes), (record.read.count, record.read.bytes));
    assert_eq!(round.intervals, Some(IntervalRange { first: 1, last: 4, count: 4 }));
    assert_eq!(round.ramp_intervals, 1);
    assert_eq!(explanation.combined, "The value is the best of 3 rounds.");
    assert_eq!(explanation.function, "drivelab_analysis::values::read_throughput");
    let text = text(&explanation);
    assert!(text.starts_with(&format!("{address} = {} MB/s\n", explanation.metric.value.expect("a value"))));
    assert!(text.contains("intervals 1 to 4 (4 records, 1 of the ramp left out)"), "{text}");
}

#[test]
fn a_void_figure_shows_why_and_its_rounds_all_the_same() {
    let mut run = sample_run();
    run.steps.iter_mut().for_each(|record| record.engine.direct_verified = false);
    let analysis = analyse(&run);
    let explanation = explain(&run, &analysis, "depths/q8:read.iops").expect("an explanation");
    assert_eq!((explanation.metric.value, explanation.findings.len()), (None, 1));
    assert!(explanation.rounds[0].value.is_some());
    assert!(text(&explanation).contains("Void [not_direct]"));
}

#[test]
fn a_wrong_address_is_answered_with_near_ones() {
    let run = sample_run();
    let analysis = analyse(&run);
    let near = |address: &str| explain(&run, &analysis, address).expect_err("no such figure").near;
    assert_eq!(near("depths/q8:read.iop")[0], "depths/q8:read.iops");
    assert_eq!(near("run:run.durations")[0], "run:run.duration");
    assert!(near("depths/q8").iter().all(|address| address.starts_with("depths/q8:")), "a step lists its figures");
    assert!(near("x").len() <= MOST_NEAR);
    let error = explain(&run, &analysis, "~~~~~~~~~~~~").expect_err("no such figure");
    assert!(error.near.is_empty() && error.to_string().contains("STEP:METRIC"));
}

#[test]
fn sets_are_said_where_a_choice_is_made_in_each() {
    let run = sample_run();
    let of = |name: &str| run.plan.tests.iter().find(|test| test.name == name);
    let said = how_combined(of("corners"), "read.throughput", 36, 4);
    assert_eq!(said, "The value is the mean of 4 sets, each of which gives the best of its rounds (36 in all).");
    assert_eq!(how_combined(of("corners"), "read.throughput", 36, 0), "The value is the best of 36 rounds.");
}
