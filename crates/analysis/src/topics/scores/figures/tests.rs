//! Scores by hand-worked numbers.

use drivelab_core::finding::Severity;
use drivelab_core::score::ScorePart;
use drivelab_samples::sample_plan;

use super::*;

fn metric(step: &StepId, id: &str, unit: &str, value: Option<f64>) -> Metric {
    Metric {
        address: format!("{step}:{id}"),
        id: id.to_owned(),
        step: Some(step.clone()),
        unit: unit.to_owned(),
        value,
        rounds: value.into_iter().collect(),
        sets: Vec::new(),
        spread: None,
        voided_by: Vec::new(),
        spoiled_by: Vec::new(),
        wrong: None,
        lower_bound: false,
    }
}

fn score(name: &str, rule: ScoreRule, parts: &[(&[&str], &str, u64)]) -> Score {
    let part = |(steps, metric, weight): &(&[&str], &str, u64)| ScorePart {
        steps: steps.iter().map(|slug| StepId::new("t", slug)).collect(),
        metric: (*metric).to_owned(),
        weight_thousandths: *weight,
    };
    Score {
        name: name.to_owned(),
        title: name.to_owned(),
        unit: "points".to_owned(),
        rule,
        better: Better::Higher,
        rates: ScoreRates::Decimal,
        parts: parts.iter().map(part).collect(),
        over: None,
        sources: Vec::new(),
        approximation: String::new(),
    }
}

fn plan_with(scores: Vec<Score>) -> Plan {
    Plan { scores, ..sample_plan() }
}

/// The figures of AS SSD's three tests, MB/s: sequential, 4K, 4K-64Thrd, read and then write.
fn as_ssd() -> Vec<Metric> {
    let rate =
        |slug: &str, op: &str, value| metric(&StepId::new("t", slug), &format!("{op}.throughput"), "MB/s", Some(value));
    vec![
        rate("seq-read", "read", 500.0),
        rate("seq-write", "write", 400.0),
        rate("4k-read", "read", 30.0),
        rate("4k-write", "write", 100.0),
        rate("4k-64-read", "read", 350.0),
        rate("4k-64-write", "write", 250.0),
    ]
}

/// AS SSD's total: 0.1 SeqR + 0.15 SeqW + 2 x 4KR + 4KW + 1.5 x 4K64R + 4K64W.
fn total() -> Score {
    let (read, write) = ("read.throughput", "write.throughput");
    score(
        "total",
        ScoreRule::Sum,
        &[
            (&["seq-read"], read, 100),
            (&["seq-write"], write, 150),
            (&["4k-read"], read, 2_000),
            (&["4k-write"], write, 1_000),
            (&["4k-64-read"], read, 1_500),
            (&["4k-64-write"], write, 1_000),
        ],
    )
}

fn close(value: Option<f64>, known: f64) -> bool {
    value.is_some_and(|value| (value - known).abs() < 1e-9 * known)
}

#[test]
fn the_formula_of_as_ssd_gives_what_it_gives_on_paper() {
    let (read, write) = ("read.throughput", "write.throughput");
    let parts = |op, id| -> [(&'static [&'static str], &'static str, u64); 3] {
        if op == "read" {
            [(&["seq-read"], id, 100), (&["4k-read"], id, 1_000), (&["4k-64-read"], id, 1_000)]
        } else {
            [(&["seq-write"], id, 100), (&["4k-write"], id, 1_000), (&["4k-64-write"], id, 1_000)]
        }
    };
    let plan = plan_with(vec![
        score("read", ScoreRule::Sum, &parts("read", read)),
        score("write", ScoreRule::Sum, &parts("write", write)),
        total(),
    ]);
    let found = scores(&plan, &as_ssd());
    // 50 + 30 + 350; 40 + 100 + 250; 50 + 60 + 60 + 100 + 525 + 250.
    for (score, known) in found.iter().zip([430.0, 390.0, 1_045.0]) {
        assert!(close(score.value, known), "{}: {:?}, not {known}", score.name, score.value);
    }
    assert_eq!(found[2].address, "score/total:score.sum");
    assert_eq!(found[2].terms.len(), 6);
}

#[test]
fn rates_in_binary_megabytes_make_the_score_smaller_by_their_ratio() {
    let binary = Score { rates: ScoreRates::Binary, ..total() };
    let found = scores(&plan_with(vec![binary]), &as_ssd());
    // 1,045 of 10^6 bytes each.
    assert!(close(found[0].value, 1045e6 / 1_048_576.0), "{:?}", found[0].value);
    assert_eq!(found[0].terms[0].unit, "MiB/s");
}

#[test]
fn a_mean_divides_by_the_weights_and_a_ratio_by_the_score_before_it() {
    let steps: &[&str] = &["seq-read", "4k-read", "4k-64-read"];
    let mean = score("mean", ScoreRule::Mean, &[(steps, "read.throughput", 1_000)]);
    let watts = score("watts", ScoreRule::Mean, &[(steps, "power.mean", 1_000)]);
    let ratio = Score { over: Some("watts".to_owned()), name: "ratio".to_owned(), ..mean.clone() };
    let plan = plan_with(vec![watts, mean, ratio]);
    let mut figures = as_ssd();
    // Without a meter there is neither power nor a figure divided by it.
    let names: Vec<String> = scores(&plan, &figures).into_iter().map(|score| score.name).collect();
    assert_eq!(names, ["mean"]);
    for (slug, value) in [("seq-read", 5.0), ("4k-read", 2.0), ("4k-64-read", 4.0)] {
        figures.push(metric(&StepId::new("t", slug), "power.mean", "W", Some(value)));
    }
    let found = scores(&plan, &figures);
    // 880 / 3, and 880 / 11: means are divided, not each step's own ratio.
    assert!(close(found[1].value, 880.0 / 3.0), "{:?}", found[1].value);
    assert!(close(found[2].value, 80.0), "{:?}", found[2].value);
    assert_eq!(found[2].over.as_deref(), Some("score/watts:score.mean"));
}

#[test]
fn a_term_that_is_missing_or_void_leaves_no_value_and_a_bound_stays_one() {
    let plan = plan_with(vec![total()]);
    let mut figures = as_ssd();
    figures[4].lower_bound = true;
    assert!(scores(&plan, &figures)[0].lower_bound);
    let own = Score { name: "own".to_owned(), ..total() };
    let share = Score { over: Some("own".to_owned()), name: "share".to_owned(), ..total() };
    assert!(!scores(&plan_with(vec![own, share]), &figures)[1].lower_bound, "divided by what may be more");
    figures[3] = Metric { value: None, voided_by: vec!["little_law".to_owned()], ..figures[3].clone() };
    let found = &scores(&plan, &figures)[0];
    assert_eq!((found.value, found.voided_by.clone(), found.lower_bound), (None, vec!["little_law".to_owned()], false));
    figures.remove(0);
    let found = &scores(&plan, &figures)[0];
    assert_eq!((found.value, found.terms[0].value), (None, None));
    let metrics = metrics(&plan, &figures);
    assert_eq!((metrics[0].address.as_str(), metrics[0].unit.as_str()), ("score/total:score.sum", "points"));
}

#[test]
fn a_bandwidth_over_all_traces_is_their_bytes_by_their_busy_times() {
    let bytes = score("bytes", ScoreRule::Sum, &[(&["a", "b"], "replay.bytes", 1_000)]);
    let busy = score("busy", ScoreRule::Sum, &[(&["a", "b"], "replay.busy_time", 1_000)]);
    let all = Score { name: "all".to_owned(), over: Some("busy".to_owned()), ..bytes.clone() };
    let plan = plan_with(vec![bytes, busy, all]);
    let of = |slug: &str, bytes, seconds| {
        let step = StepId::new("t", slug);
        [
            metric(&step, "replay.busy_throughput", "MB/s", Some(bytes / seconds)),
            metric(&step, "replay.bytes", "MB", Some(bytes)),
            metric(&step, "replay.busy_time", "s", Some(seconds)),
        ]
    };
    let mut figures = [of("a", 100.0, 1.0), of("b", 300.0, 9.0)].concat();
    let found = scores(&plan, &figures);
    // 400 MB in 10 s; the mean of 100 and 33.3 MB/s would be 66.7.
    assert!(close(found[2].value, 40.0), "{:?}", found[2].value);
    assert!(!found[2].lower_bound);
    let mut disturbed = figures.clone();
    let spoil = |metric: &mut Metric, wrong| {
        metric.spoiled_by = vec!["others_used_disk".to_owned()];
        metric.wrong = Some(wrong);
    };
    spoil(&mut disturbed[2], Wrong::TooHigh);
    let wrong = |figures: &[Metric]| scores(&plan, figures)[2].wrong;
    assert_eq!((wrong(&figures), wrong(&disturbed)), (None, Some(Wrong::TooLow)), "a time too long, a rate too low");
    spoil(&mut disturbed[1], Wrong::TooLow);
    assert_eq!(wrong(&disturbed), Some(Wrong::TooLow), "bytes that are missing make it lower too");
    spoil(&mut disturbed[1], Wrong::TooHigh);
    assert_eq!(wrong(&disturbed), Some(Wrong::EitherWay));
    figures[3].lower_bound = true;
    assert!(scores(&plan, &figures)[2].lower_bound, "with this side as the limit the time is too long");
}

#[test]
fn scores_that_cannot_be_computed_are_named_once_their_steps_are_done() {
    let mut run = drivelab_samples::sample_run();
    let done = run.steps[0].key.step.clone();
    let later = StepId::new("t", "not-run");
    let of = |name: &str, step: &StepId, metric: &str| {
        let mut score = score(name, ScoreRule::Mean, &[(&["s"], metric, 1_000)]);
        score.parts[0].steps = vec![step.clone()];
        score
    };
    let watts = |name: &str| of(name, &done, "power.mean");
    run.plan.scores = vec![of("rate", &done, "total.throughput"), of("later", &later, "power.mean")];
    let rate = vec![metric(&done, "total.throughput", "MB/s", Some(500.0))];
    assert_eq!(findings(&run, &rate), None, "one has a value, the other's step was not run");
    run.plan.scores.extend(["a", "b", "c", "d"].map(watts));
    run.plan.scores.push(Score { over: Some("a".to_owned()), ..of("e", &done, "total.throughput") });
    let said = findings(&run, &rate).expect("five are missing");
    assert_eq!((said.code.as_str(), said.severity), ("scores_not_measured", Severity::Note));
    // How many they are, and which figures they lack, shows nowhere else.
    assert!(
        said.statement.starts_with("5 scores ") && said.statement.contains("Not measured: power.mean."),
        "{said:?}"
    );
    assert!(said.next_action.contains("--power-file"), "{said:?}");
    let all = [rate, vec![metric(&done, "power.mean", "W", Some(5.0))]].concat();
    assert_eq!(findings(&run, &all), None);
}
