//! Knees by hand-worked curves.

use super::*;

/// Points at these shares with operations per second and mean latency in microseconds.
fn points(places: &[(u32, f64, f64)]) -> Vec<CurvePoint> {
    let point = |(percent, iops, latency): &(u32, f64, f64)| CurvePoint {
        step: StepId::new("curve", &format!("at-{percent}")),
        percent: (*percent > 0).then_some(*percent),
        asked_iops: Some(*iops),
        done_iops: Some(*iops),
        mb_s: None,
        latency_mean_us: Some(*latency),
        latency_p99_us: None,
        response_mean_us: None,
        response_p99_us: None,
        backlog_growth: None,
    };
    places.iter().map(point).collect()
}

#[test]
fn the_knee_lies_furthest_below_the_line_between_the_ends() {
    // Scaled: (0, 0), (1/3, 0), (2/3, 0.1), (8/9, 0.3), (1, 1): 0, 0.333, 0.567, 0.589 and 0 below the line.
    let curve = [(10, 10.0, 1.0), (40, 40.0, 1.0), (70, 70.0, 2.0), (90, 90.0, 4.0), (100, 100.0, 11.0)];
    let knee = knee(&points(&curve)).expect("it has one");
    assert_eq!((knee.percent, knee.iops, knee.latency_us), (90, 90.0, 4.0));
    assert!((knee.depth - (8.0 / 9.0 - 0.3)).abs() < 1e-12, "{knee:?}");
}

#[test]
fn the_order_of_execution_and_full_speed_itself_do_not_matter() {
    let curve =
        [(0, 100.0, 50.0), (100, 100.0, 11.0), (40, 40.0, 1.0), (90, 90.0, 4.0), (10, 10.0, 1.0), (70, 70.0, 2.0)];
    assert_eq!(knee(&points(&curve)).map(|knee| knee.percent), Some(90));
}

#[test]
fn points_above_full_speed_stand_at_the_same_rate_and_are_the_end_of_the_line() {
    // The last three do what full speed does; scaled, the third is 0.778 - 0.022 below the line.
    let curve =
        [(10, 10.0, 1.0), (50, 50.0, 1.0), (80, 80.0, 1.2), (100, 99.0, 9.0), (110, 100.0, 10.0), (120, 100.0, 10.0)];
    assert_eq!(knee(&points(&curve)).map(|knee| knee.percent), Some(80));
}

#[test]
fn a_curve_without_growth_without_depth_or_with_few_points_has_no_knee() {
    let flat = [(10, 10.0, 5.0), (40, 40.0, 5.0), (70, 70.0, 6.0), (100, 100.0, 9.0)];
    assert_eq!(knee(&points(&flat)), None, "the latency does not double");
    let straight = [(10, 10.0, 1.0), (40, 40.0, 4.0), (70, 70.0, 7.0), (100, 100.0, 10.0)];
    assert_eq!(knee(&points(&straight)), None, "every point is on the line");
    let few = [(10, 10.0, 1.0), (90, 90.0, 1.0), (100, 100.0, 10.0)];
    assert_eq!(knee(&points(&few)), None);
    let mut void = points(&[(10, 10.0, 1.0), (40, 40.0, 1.0), (90, 90.0, 1.0), (100, 100.0, 10.0)]);
    assert!(knee(&void).is_some());
    void[1].latency_mean_us = None;
    assert_eq!(knee(&void), None, "a void point is none");
}
