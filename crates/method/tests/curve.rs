//! Curves: the steps that a test becomes, what their rates refer to, and what a curve cannot be combined with.

mod common;

use common::{HEAD, TARGET, shape};
use drivelab_core::load::Arrivals;
use drivelab_core::plan::{Form, Plan, Step};
use drivelab_core::relative::Rounding;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_method::{expand, parse};

/// Its forms, and its preparation.
const FORMS: &str = "[forms.faithful]\n[forms.quick]\n[[prepare]]\naction = \"fill\"\n";

const TEST: &str = r#"
[[tests]]
name = "curves"
title = "Curves"
purpose = "How does latency grow with load?"
sources = ["own"]
op = "write"
pattern = "random"
block_size = "4 KiB"
queue_depth = 1
threads = [16, 64]
arrivals = "exponential"
time = "60 s"
[tests.curve]
points = [10, 50, 100, 120]
rounding = "vdbench"
stop_above = "5 ms"
"#;

fn text(more: &str) -> String {
    format!("{HEAD}{TARGET}{FORMS}{TEST}{more}")
}

fn plan(text: &str, form: Form) -> Plan {
    common::plan(&common::method(text), form, Bytes::GIB)
}

fn refused(text: &str) -> String {
    parse("wrong.toml", text)
        .and_then(|method| expand(&method, Form::Quick, &shape(Bytes::GIB)))
        .expect_err("it is wrong")
        .to_string()
}

#[test]
fn each_step_is_followed_by_its_points() {
    let plan = plan(&text(""), Form::Faithful);
    let steps: Vec<&Step> = plan.tests[1].steps.iter().collect();
    let ids: Vec<&str> = steps.iter().map(|step| step.id.slug()).collect();
    assert_eq!(ids[0], "rnd-4k-q1t16-write-full-speed");
    assert_eq!(ids[1], "rnd-4k-q1t16-write-10pct-of-full-speed");
    assert_eq!(ids[5], "rnd-4k-q1t64-write-full-speed");
    assert_eq!((ids.len(), steps[1].label.as_str()), (10, "RND 4 KiB Q1T16 write, 10 % of full speed"));
    for (at, step) in steps.iter().enumerate() {
        let base = steps[at / 5 * 5];
        assert!(step.workload().expect("a load").pace.rate.is_none(), "{}: no rate is known yet", step.id);
        let Some(relative) = &step.relative else {
            assert_eq!(at % 5, 0);
            continue;
        };
        assert_eq!((&relative.of, relative.percent), (&base.id, [10, 50, 100, 120][at % 5 - 1]));
        assert_eq!((relative.rounding, relative.arrivals), (Rounding::Vdbench, Arrivals::Exponential));
        assert_eq!(relative.stop_above, Some(Nanos::from_millis(5)));
    }
    let axes: Vec<(&str, &str)> = steps[6].axes.iter().map(|axis| (axis.axis.as_str(), axis.value.as_str())).collect();
    assert_eq!(axes, [("threads", "64"), ("curve", "10 %")]);
    let seeds: std::collections::BTreeSet<u64> =
        plan.steps().filter_map(Step::workload).map(|load| load.seed).collect();
    assert_eq!(seeds.len(), plan.steps().count(), "two points visit the same offsets");
    let written = |at: usize| steps[at].estimated_written.get();
    assert_eq!((written(1), written(4)), (written(0) / 10, written(0)));
}

#[test]
fn a_form_may_state_another_curve_and_a_smoke_run_takes_its_end() {
    let other = text("[tests.forms.quick.curve]\npoints = [25, 75, 110]\n");
    let shares = |form| -> Vec<u32> {
        let plan = plan(&other, form);
        plan.steps().filter_map(|step| step.relative.as_ref().map(|relative| relative.percent)).take(4).collect()
    };
    assert_eq!(shares(Form::Faithful), [10, 50, 100, 120]);
    assert_eq!(shares(Form::Quick), [25, 75, 110, 25]);
    assert_eq!(shares(Form::Smoke), [110, 110]);
    let quick = plan(&other, Form::Quick);
    let point = quick.tests[1].steps[1].clone();
    assert_eq!(point.relative.map(|relative| relative.rounding), Some(Rounding::None), "nothing of the other is left");
    assert!(point.approximations.iter().any(|mark| mark.parameter == "curve"), "{:?}", point.approximations);
}

#[test]
fn what_cannot_go_with_a_curve_is_refused() {
    let with = |from: &str, to: &str| refused(&text("").replace(from, to));
    let text = with("op = \"write\"", "op = \"write\"\nrate = \"100 IOPS\"");
    assert!(text.contains("`rate` and `curve` exclude each other"), "{text}");
    let text = with("op = \"write\"", "op = \"write\"\nsteady = { tracked = \"iops\", max_rounds = 5 }");
    assert!(text.contains("`curve` and `steady` exclude each other"), "{text}");
    let text = with("[10, 50, 100, 120]", "[10, 50, 10]");
    assert!(text.contains("10 appears twice in `points`"), "{text}");
    let text = with("\"5 ms\"", "\"0 s\"");
    assert!(text.contains("takes longer than 0 s"), "{text}");
}

#[test]
fn a_group_may_keep_a_rate_of_its_own() {
    let group = "[[tests.groups]]\nname = \"log\"\npattern = \"sequential\"\nthreads = 1\n";
    let own = plan(&text(&format!("{group}rate = \"50 IOPS\"\n")), Form::Quick);
    let point = own.tests[1].steps[1].workload().expect("a load").clone();
    assert_eq!(point.pace.rate, None);
    assert_eq!(point.beside[0].pace.rate.map(|rate| rate.per_1000_s), Some(50_000));
    let scaled = plan(&text(group), Form::Quick);
    assert_eq!(scaled.tests[1].steps[1].workload().expect("a load").beside[0].pace.rate, None);
}
