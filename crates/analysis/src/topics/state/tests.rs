//! The words of each finding.

use drivelab_core::drive_state::HostCounters;
use drivelab_core::event::Steadiness;
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::plan::Step;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Span;
use drivelab_samples::sample_plan;

use super::*;
use crate::check::testing::in_words;

fn key() -> StepKey {
    StepKey { step: StepId::new("sweep", "x"), round: 1 }
}

fn of_target() -> Vec<Finding> {
    let foreign = HostCounters { written: Bytes::new(4096), discarded: Bytes::new(0) };
    let discarded = HostCounters { written: Bytes::new(0), discarded: Bytes::new(8192) };
    let both = HostCounters { written: Bytes::new(4096), discarded: Bytes::new(8192) };
    let unmet = [
        "50 % of its area should hold data, but only 10 % is known to",
        "nothing should have been written for 5 min; time since last write: 12 s",
    ];
    let unmet = unmet.map(str::to_owned);
    let verdict = |reached| Steadiness {
        test: "prepare".to_owned(),
        reached,
        first_round: 6,
        last_round: 10,
        range_percent: 12.0,
        slope_percent: 3.0,
    };
    let span = Span { offset: Bytes::new(0), length: Bytes::new(32 << 30) };
    let flat = |reached, span| prepared_flat(key(), &verdict(reached), Bytes::new(64 << 30), span, Some(0.97));
    vec![
        foreign_writes(foreign, None),
        foreign_writes(foreign, Some("01980000-5a4d")),
        foreign_writes(discarded, None),
        foreign_writes(both, None),
        state_unmet("Sweep", key(), &unmet[..1]),
        state_unmet("Sweep", key(), &unmet),
        not_emptied("RND 4 KiB Q8T2 write", vec![key()]),
        flat(true, span),
        flat(false, span),
    ]
}

fn of_loads(steps: &[Step]) -> Vec<Finding> {
    let [first, second, third, ..] = steps else { panic!("three steps") };
    let point = |iops: f64, ms: f64, in_flight| demand::Point { iops, latency_ns: ms * 1e6, in_flight };
    let points = [(first, point(80e3, 4.9, 256)), (second, point(44e3, 0.7, 32)), (third, point(10e3, 0.1, 1))];
    let dips = [(second, 60e6, 90e6), (third, 70e6, 90e6)];
    let states = [("zero", second, 1.5), ("deallocated", third, 12.25)];
    vec![
        demand::demand_points("Threads by queue depth", Some(points)),
        demand::demand_points("Threads by queue depth", None),
        dips::said_of_dips("Block sizes", &dips[..1]),
        dips::said_of_dips("Block sizes", &dips),
        dips::said_of_states("Data states", first, 500e6, &states[..1]),
        dips::said_of_states("Data states", first, 500e6, &states),
        recovery::recovered("After the writes", first, 500e6, Some(0.0)),
        recovery::recovered("After the writes", first, 500e6, Some(240.0)),
        recovery::recovered("After the writes", first, 500e6, None),
    ]
}

#[test]
fn each_finding_in_its_words() {
    let all = [of_target(), of_loads(&sample_plan().tests[3].steps)];
    insta::assert_snapshot!(in_words(&all.concat()));
}
