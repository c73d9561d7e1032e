//! Known answers, worked out on paper, and runs whose CPU time and power are known.

use drivelab_core::condition::{Arm, Luks2};
use drivelab_core::plan::Combine;
use drivelab_core::run::RunRecords;
use drivelab_samples::{sample_arms, sample_run, sample_watched_run, under_arm, with_host_cpu};

use super::*;
use crate::{Analysis, analyse};

/// The arms of these runs.
fn arms_of(runs: &[RunRecords]) -> Arms {
    let digests: Vec<Digest> = runs.iter().map(|records| Digest::of(records, &analyse(records))).collect();
    arms(&digests.iter().collect::<Vec<_>>())
}

fn near(value: Option<f64>, wanted: f64) -> bool {
    value.is_some_and(|value| (value - wanted).abs() < 1e-8 * wanted.abs().max(1.0))
}

#[test]
fn the_cost_is_the_loss_against_the_mean_of_the_runs_without() {
    // 900 and 1,100 MB/s without: 1,000 on average; 750 cost a quarter, 1,050 less than nothing.
    let base = [900.0, 1100.0];
    assert!(near(cost_percent(750.0, &base), 25.0));
    assert!(near(cost_percent(1050.0, &base), -5.0));
    assert!(near(cost_percent(900.0, &base), 10.0));
    assert_eq!(cost_percent(900.0, &[]), None);
    assert_eq!(cost_percent(900.0, &[0.0]), None);
}

#[test]
fn a_cost_is_as_uncertain_as_the_rounds_and_the_runs_without_say() {
    let rate = |value: f64, half_interval: Option<f64>| Rate { value, half_interval };
    // Runs without at 900 and 1,100, so 100 to each side of 1,000: a tenth of 50 % is 5; nothing is known of the rate.
    assert!(near(cost_off_percent(rate(500.0, None), &[rate(900.0, None), rate(1100.0, None)]), 5.0));
    // One run without, 40 to each side: 0.04 · 0.75 = 0.03; the rate 40 of 1,000: 0.04; squares add up to 0.05.
    assert!(near(cost_off_percent(rate(750.0, Some(40.0)), &[rate(1000.0, Some(40.0))]), 5.0));
    // The mean of two is surer than each: sqrt(30² + 40²) / 2 = 25 of 1,000, but they are 60 apart: 30.
    let two = [rate(970.0, Some(30.0)), rate(1030.0, Some(40.0))];
    assert!(near(cost_off_percent(rate(1000.0, None), &two), 3.0));
    assert_eq!(cost_off_percent(rate(750.0, Some(40.0)), &[rate(1000.0, None)]), None, "one run of one round");
    assert_eq!(cost_off_percent(rate(750.0, None), &[]), None);
    assert_eq!(cost_off_percent(rate(750.0, None), &[rate(0.0, None), rate(0.0, None)]), None);
}

#[test]
fn arms_have_their_power_and_their_cpu_time_beside_their_rates() {
    let luks = with_host_cpu(under_arm(sample_watched_run(), Arm::Luks2(Luks2::default())), [300, 200]);
    let (mut luks, mut without) = (luks, sample_run());
    // The intervals of rounds are of their mean, so the corners have to be means.
    for plan in [&mut luks.plan, &mut without.plan] {
        plan.tests.iter_mut().for_each(|test| test.combine = Combine::Mean);
    }
    let found = arms_of(&[without, luks]);
    let names: Vec<&str> = found.arms.iter().map(|arm| arm.arm.as_str()).collect();
    assert_eq!(names, ["none", "luks2"]);
    assert_eq!(found.arms[0].cpu_s_per_gb, None);
    assert!(found.arms[1].cpu_s_per_gb.is_some());
    for row in &found.rows {
        let [without, luks] = row.cells.as_slice() else { panic!("two arms") };
        assert_eq!((without.watts, without.mb_s_per_watt, without.cpu_s_per_gb), (None, None, None), "{row:?}");
        assert_eq!((without.cost_percent, luks.cost_percent), (Some(0.0), Some(0.0)), "the same figures");
        assert_eq!(without.cost_off_percent, None);
        assert!(near(luks.watts, 5.0), "{row:?}");
        assert!(luks.cpu_s_per_gb.is_some());
    }
    let corner = found.rows.iter().find(|row| row.step.as_str() == "corners/seq-1m-q8t1-read").unwrap();
    let luks = &corner.cells[1];
    assert!(near(luks.mb_s_per_watt, luks.throughput.unwrap() / 5.0));
    assert!(luks.cost_off_percent.is_some_and(|off| off > 0.0), "three rounds have an interval: {luks:?}");
}

#[test]
fn an_arm_that_is_slower_costs_a_share_and_takes_more_cpu_time_for_each_gigabyte() {
    let found = arms_of(&sample_arms());
    let cpu = |at: usize| found.arms[at].cpu_s_per_gb.unwrap();
    // Five times the time for four fifths of the bytes.
    assert!((cpu(1) / cpu(0) - 6.25).abs() < 0.1, "{} {}", cpu(0), cpu(1));
    assert_eq!(found.arms[0].cpu_s_per_gb, found.arms[2].cpu_s_per_gb);
    for row in &found.rows {
        assert!((row.cells[1].cost_percent.unwrap() - 20.0).abs() < 1.0, "{row:?}");
    }
}

#[test]
fn a_cost_of_lower_bounds_is_a_bound_without_an_uncertainty_or_none() {
    let cells = |bounds: [bool; 3]| {
        let mut digests: Vec<Digest> =
            sample_arms().iter().map(|records| Digest::of(records, &analyse(records))).collect();
        for (digest, bound) in digests.iter_mut().zip(bounds) {
            let steps = digest.tests.iter_mut().flat_map(|test| &mut test.steps);
            steps.flat_map(|step| &mut step.metrics).for_each(|metric| metric.lower_bound = bound);
        }
        arms(&digests.iter().collect::<Vec<_>>()).rows.remove(0).cells
    };
    let facts = |cell: &ArmCell| (cell.cost_percent.is_some(), cell.cost_bound, cell.cost_off_percent.is_some());
    let [none, luks, again] = <[ArmCell; 3]>::try_from(cells([false; 3])).expect("three arms");
    assert_eq!([&none, &luks, &again].map(facts), [(true, None, false), (true, None, true), (true, None, false)]);
    // The encrypted run may be faster than that, so it costs at most as much.
    let [none, luks, _] = <[ArmCell; 3]>::try_from(cells([false, true, false])).expect("three arms");
    assert_eq!([&none, &luks].map(facts), [(true, None, false), (true, Some(Bound::AtMost), false)]);
    // One without may be faster, so it costs at least as much; how far those are apart is unknown.
    let [none, luks, again] = <[ArmCell; 3]>::try_from(cells([false, false, true])).expect("three arms");
    let unknown = (false, None, false);
    assert_eq!([&none, &luks, &again].map(facts), [unknown, (true, Some(Bound::AtLeast), false), unknown]);
    let [none, luks, again] = <[ArmCell; 3]>::try_from(cells([true; 3])).expect("three arms");
    assert_eq!([&none, &luks, &again].map(facts), [unknown; 3]);
    // Without a run of `none` there is no cost, and so no bound of it.
    let luks = &sample_arms()[1];
    let mut digest = Digest::of(luks, &analyse(luks));
    let steps = digest.tests.iter_mut().flat_map(|test| &mut test.steps);
    steps.flat_map(|step| &mut step.metrics).for_each(|metric| metric.lower_bound = true);
    let alone = arms(&[&digest, &digest]);
    assert!(alone.rows.iter().flat_map(|row| &row.cells).all(|cell| facts(cell) == unknown), "{:?}", alone.rows);
}

#[test]
fn steps_of_one_label_have_their_test_before_it() {
    let found = arms_of(&sample_arms());
    let labels: Vec<&str> = found.rows.iter().map(|row| row.label.as_str()).collect();
    let shared: Vec<&&str> = labels.iter().filter(|label| label.ends_with(": RND 4 KiB Q1T1 read")).collect();
    assert_eq!(shared.len(), 2, "{labels:?}");
    let mut each_once = labels.clone();
    each_once.sort_unstable();
    each_once.dedup();
    assert_eq!(each_once.len(), labels.len(), "{labels:?}");
    assert!(labels.contains(&"SEQ 1 MiB Q8T1 read"), "a label of its own stays as it is");
}

#[test]
fn a_replayed_trace_is_compared_by_its_rate_without_its_pauses() {
    let runs: Vec<RunRecords> =
        sample_arms().into_iter().map(|run| drivelab_samples::replayed(run, "sustained")).collect();
    let analyses: Vec<Analysis> = runs.iter().map(analyse).collect();
    let arms = arms_of(&runs);
    let row = arms.rows.iter().find(|row| row.step.as_str().starts_with("sustained/")).expect("the sample has it");
    for (cell, analysis) in row.cells.iter().zip(&analyses) {
        let busy = analysis.step_metric(&row.step, crate::rate::BUSY_RATE).and_then(|metric| metric.value);
        assert!(near(cell.throughput, busy.expect("a rate")), "{cell:?}");
        assert_eq!(cell.iops, None, "operations per second contain the pauses");
    }
    let plain = arms.rows.iter().find(|row| !row.step.as_str().starts_with("sustained/")).expect("other steps");
    assert!(plain.cells.iter().all(|cell| cell.iops.is_some()));
}
