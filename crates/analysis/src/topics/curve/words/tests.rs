//! The words of each finding.

use drivelab_core::ids::StepId;
use drivelab_samples::sample_plan;

use super::*;
use crate::check::testing::in_words;
use crate::topics::curve::{CurvePoint, Knee, LeftOut};

/// A curve of six points, with a knee at this share of full speed, and with these points left out.
fn curve(label: &str, knee: Option<u32>, left_out: &[u32]) -> Curve {
    let step = |percent: u32| StepId::new("curve", &format!("p{percent}"));
    let point = |percent: u32| CurvePoint {
        step: step(percent),
        percent: (percent < 100).then_some(percent),
        asked_iops: None,
        done_iops: Some(f64::from(percent) * 1000.0),
        mb_s: None,
        latency_mean_us: None,
        latency_p99_us: None,
        response_mean_us: None,
        response_p99_us: None,
        backlog_growth: None,
    };
    let at = |percent: u32| {
        let iops = f64::from(percent) * 1000.0;
        Knee { step: step(percent), percent, iops, latency_us: 182.0, depth: 0.4 }
    };
    let why = "the mean latency of 'RND 4 KiB read, 90 %' was 5 ms, above the limit at which the curve ends";
    let left = |percent: &u32| LeftOut { percent: *percent, why: why.to_owned() };
    Curve {
        test: "curve".to_owned(),
        base: step(100),
        label: label.to_owned(),
        points: [100, 10, 30, 50, 70, 90].map(point).into(),
        left_out: left_out.iter().map(left).collect(),
        knee: knee.map(at),
    }
}

#[test]
fn each_finding_in_its_words() {
    let test = &TestPlan { title: "Load curve".to_owned(), ..sample_plan().tests[3].clone() };
    let reads = curve("RND 4 KiB read", Some(70), &[95]);
    let writes = curve("RND 4 KiB write", Some(50), &[95, 100]);
    let flat = curve("SEQ 1 MiB read", None, &[]);
    let found = |curves: &[&Curve]| knees(test, &curves.iter().copied().cloned().collect::<Vec<Curve>>());
    let left = |curves: &[&Curve]| left_out(test, &curves.iter().copied().cloned().collect::<Vec<Curve>>());
    assert_eq!((found(&[&flat]), left(&[&flat])), (None, None));
    let all = [
        found(&[&reads]),
        found(&[&reads, &writes]),
        found(&[&reads, &writes, &reads]),
        found(&[&reads, &writes, &reads, &writes, &flat, &flat]),
        found(&[&flat, &reads]),
        left(&[&reads]),
        left(&[&flat, &writes, &reads]),
    ];
    insta::assert_snapshot!(in_words(&all.map(|finding| finding.expect("a finding"))));
}
