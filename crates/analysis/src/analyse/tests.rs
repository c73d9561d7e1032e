//! The whole analysis: any run, at any moment, and what was noted while it ran.

use drivelab_core::event::{RunState, Steadiness};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::ids::StepKey;
use drivelab_core::metric::{Metric, Wrong};
use drivelab_core::plan::{Form, Step};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use drivelab_samples::{sample_events, sample_run};

use super::*;
use crate::{METRICS, findings, metric_def};

#[test]
fn a_run_can_be_analysed_after_every_single_event() {
    let mut events = sample_events().into_iter();
    let mut run = RunRecords::begin(events.next().expect("an event")).expect("a run");
    let whole = analyse(&sample_run()).metrics.len();
    let mut most = 0;
    for event in events {
        let matters = matches!(event.event, drivelab_core::event::EventBody::StepEnded(_));
        run.push(event);
        if matters {
            let analysis = analyse(&run);
            assert!(analysis.metrics.iter().all(|metric| metric.value.is_none_or(f64::is_finite)));
            assert!(analysis.findings.iter().all(|finding| finding.severity < Severity::Void));
            assert!(analysis.metrics.len() >= most);
            most = analysis.metrics.len();
        }
    }
    assert_eq!(most, whole);
}

#[test]
fn a_step_stopped_before_its_first_completion_is_no_measurement() {
    let mut run = sample_run();
    let record = run.steps.last_mut().expect("a step");
    record.stop_reason = drivelab_core::record::StopReason::Stopped;
    record.write = drivelab_core::record::OpRecord::default();
    (record.end_ns, record.in_flight_mean) = (record.start_ns, 0.0);
    let key = record.key.clone();
    run.intervals.retain(|interval| interval.key != key);
    let analysis = analyse(&run);
    assert!(analysis.findings.is_empty(), "{:?}", analysis.findings);
    assert!(analysis.step_metric(&key.step, "write.iops").is_none());
}

#[test]
fn addresses_are_unique_and_found_again() {
    let analysis = analyse(&sample_run());
    for metric in &analysis.metrics {
        let same = analysis.metrics.iter().filter(|other| other.address == metric.address).count();
        assert_eq!((same, analysis.metric(&metric.address)), (1, Some(metric)));
    }
}

#[test]
fn what_the_session_noted_stays_and_is_not_told_twice() {
    let mut run = sample_run();
    run.environment.bundle_on_same_device = true;
    // The sample's fill notes the end of a write cache, too.
    let of_session = |run: &RunRecords| {
        let all = analyse(run).findings.into_iter();
        all.filter(|finding| finding.code != "write_cache_ended").collect::<Vec<Finding>>()
    };
    let before = of_session(&run);
    assert_eq!(before.len(), 1);
    let measured = findings::bundle_on_target_device(Bytes::new(123_456));
    assert_eq!(measured.evidence[0].value, 123_456.0, "the exact figure is in the evidence");
    run.findings = vec![before[0].clone(), measured.clone()];
    let mut own = measured.clone();
    own.code = "noticed_by_session".to_owned();
    run.findings.push(own.clone());
    assert_eq!(of_session(&run), [measured, own], "the one with the measured bytes");
}

#[test]
fn of_a_preparation_that_was_repeated_only_the_last_verdict_is_told() {
    let mut run = sample_run();
    let steps: Vec<Step> = run.plan.steps().take(2).cloned().collect();
    let span = steps[0].workload().expect("a load").span;
    let judged = |step: &Step, reached, last_round| {
        let verdict = Steadiness {
            test: "prepare".to_owned(),
            reached,
            first_round: last_round - 4,
            last_round,
            range_percent: 1.0,
            slope_percent: 1.0,
        };
        let key = StepKey { step: step.id.clone(), round: last_round };
        findings::prepared_flat(key, &verdict, span.length, span, None)
    };
    let mut told = |findings: &[Finding]| {
        run.findings = findings.to_vec();
        let mut told = analyse(&run).findings;
        told.retain(|finding| finding.code.ends_with("prepared_flat"));
        told
    };
    let [not_flat, flat] = [judged(&steps[0], false, 8), judged(&steps[0], true, 6)];
    assert_eq!(told(&[not_flat.clone(), flat.clone()]), std::slice::from_ref(&flat));
    assert_eq!(told(&[flat.clone(), not_flat.clone()]), [not_flat]);
    let other = judged(&steps[1], true, 6);
    assert_eq!(told(&[flat.clone(), other.clone()]), [flat, other], "another preparation");
}

#[test]
fn the_gravest_findings_come_first() {
    let mut run = sample_run();
    run.environment.bundle_on_same_device = true;
    run.environment.testbed.cpu_busy = Some(0.9);
    run.steps[3].engine.direct_verified = false;
    let severities: Vec<Severity> = analyse(&run).findings.iter().map(|finding| finding.severity).collect();
    // The second note is about the write cache that the sample's fill ends.
    assert_eq!(severities, [Severity::Void, Severity::Warning, Severity::Note, Severity::Note]);
}

#[test]
fn every_finding_is_a_sentence() {
    let mut run = drivelab_samples::sample_resumed_run();
    run.environment.bundle_on_same_device = true;
    run.environment.testbed.cpu_busy = Some(0.9);
    run.steps.iter_mut().for_each(|record| {
        record.engine.direct_verified = false;
        record.in_flight_mean = 500.0;
        record.engine.punted = true;
    });
    let all = analyse(&run).findings;
    assert!(all.len() >= 6);
    for finding in all {
        assert!(finding.statement.ends_with('.'), "{}", finding.statement);
        assert!(finding.statement.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit()));
        assert!(finding.evidence.len() <= 24, "{} spells out {}", finding.code, finding.evidence.len());
    }
}

#[test]
fn json_holds_no_value_that_is_not_a_number() {
    let mut run = sample_run();
    run.steps.iter_mut().for_each(|record| record.end_ns = record.start_ns);
    let json = serde_json::to_string(&analyse(&run)).expect("JSON");
    assert!(!json.contains("NaN") && !json.contains("inf"));
    assert!(json.contains("\"voided_by\":[\"time_order\"]"));
}

#[test]
fn a_void_rate_voids_what_is_worked_out_of_it_under_other_names() {
    use drivelab_core::load::OpKind;

    use crate::check::Voids;
    let beside = |voids: Voids| -> Vec<&str> {
        let covered = METRICS.iter().filter(|def| voids.covers(&def.meaning)).map(|def| def.id);
        covered.filter(|id| !id.starts_with("write.") && !id.starts_with("total.")).collect()
    };
    let course = [
        "replay.busy_throughput",
        "fill.peak",
        "fill.cache_size",
        "fill.cache_share",
        "fill.sustained",
        "fill.last_16_gb",
        "fill.recoveries",
        "fill.recovery_share",
        "fill.late_decline",
        "heat.first_minute",
        "heat.last_minute",
        "heat.kept",
        "heat.throttle_steps",
        "heat.time_to_throttle",
        "power.throughput_per_watt",
        "power.iops_per_watt",
        "host_cpu.per_gb",
    ];
    for voids in [Voids::Rates(OpKind::Write), Voids::All(OpKind::Write)] {
        assert_eq!(beside(voids), course, "{voids:?}");
    }
    let of_reads: Vec<&str> = course.into_iter().filter(|id| !id.starts_with("fill.")).collect();
    let all = beside(Voids::All(OpKind::Read));
    let all: Vec<&str> = all.into_iter().filter(|id| !id.starts_with("read.")).collect();
    assert_eq!(all, of_reads, "no fill reads");
    let covers = |voids: Voids, id: &str| voids.covers(&metric_def(id).expect("a metric").meaning);
    let missing = |voids: Voids| course.into_iter().filter(|id| !covers(voids, id)).collect::<Vec<_>>();
    assert_eq!((missing(Voids::Timed).len(), missing(Voids::Results).len()), (0, 0));
    assert!(covers(Voids::Timed, "replay.busy_time") && !covers(Voids::Timed, "run.duration"));
    assert!(!covers(Voids::Latency(OpKind::Write), "fill.peak"));
}

#[test]
fn of_what_the_session_noted_twice_the_later_counts_and_nothing_else_is_dropped() {
    let note = |code: &str, bytes: u64, severity| {
        let like = findings::bundle_on_target_device(Bytes::new(bytes));
        Finding { code: code.to_owned(), severity, ..like }
    };
    let mut run = sample_run();
    // Of the first the analysis has one without the bytes.
    run.environment.bundle_on_same_device = true;
    run.findings = vec![
        note("bundle_on_target_device", 1, Severity::Note),
        note("seen_by_session", 2, Severity::Note),
        note("bundle_on_target_device", 3, Severity::Note),
        note("seen_by_session", 4, Severity::Note),
        note("seen_by_session", 5, Severity::Warning),
    ];
    let of_session = |finding: &Finding| run.findings.iter().any(|noted| noted.code == finding.code);
    let told: Vec<f64> =
        analyse(&run).findings.iter().filter(|one| of_session(one)).map(|one| one.evidence[0].value).collect();
    assert_eq!(told, [5.0, 3.0, 4.0]);
}

#[test]
fn evidence_that_nobody_knows_is_left_out() {
    use crate::evidence::{evidence, words};
    let pieces = vec![evidence("a ratio of nothing", f64::NAN, None, "%"), evidence("known", 1.0, None, "%")];
    let told = words(Severity::Note, "made_up", "It is so.".to_owned(), "", "").about_run(pieces);
    assert_eq!(told.evidence.iter().map(|piece| piece.what.as_str()).collect::<Vec<&str>>(), ["known"]);
}

#[test]
fn what_met_the_leftovers_of_a_step_that_was_cut_off_has_no_rates() {
    let mut run = sample_run();
    let met = run.steps.iter().find(|record| values::is_measured(&run, &record.key.step)).expect("a step").key.clone();
    run.findings = vec![findings::not_emptied("Random write", vec![met.clone()])];
    let analysis = analyse(&run);
    let of_step = |metric: &&Metric| metric.step.as_ref() == Some(&met.step);
    for metric in &analysis.metrics {
        let void = metric.voided_by.iter().any(|code| code == "not_emptied");
        let result = metric_def(&metric.id).is_some_and(|def| def.unit == "MB/s" || def.unit == "IOPS");
        assert_eq!(void && result, of_step(&metric) && result, "{}", metric.address);
    }
    assert!(analysis.metrics.iter().filter(of_step).any(|metric| metric.id == "duration" && metric.value.is_some()));
    let told = analysis.findings.iter().find(|finding| finding.code == "not_emptied").expect("the finding");
    assert_eq!((told.severity, &told.steps), (Severity::Void, &vec![met]));
}

#[test]
fn what_the_host_does_is_a_finding_of_a_measured_run_and_not_of_a_simulated_one() {
    let mut run = sample_run();
    let testbed = &mut run.environment.testbed;
    (testbed.cpu_busy, testbed.foreign_io) = (Some(0.9), Some(1e9));
    (testbed.governor, testbed.hypervisor) = (Some("powersave".to_owned()), Some("kvm".to_owned()));
    let of_host = |run: &RunRecords| {
        let host = ["busy_machine", "foreign_io", "governor_not_performance", "virtual_machine"];
        analyse(run).findings.iter().filter(|finding| host.contains(&finding.code.as_str())).count()
    };
    assert_eq!(of_host(&run), 4);
    run.steps.iter_mut().for_each(|record| record.origin = drivelab_core::record::Origin::Simulated);
    assert_eq!(of_host(&run), 0);
}

/// What the limits of the methodology are found to be. Its `read.throughput` is 100 MB/s, and with `wrong` it may be
/// other than that.
fn of_limits(limits: &[&str], wrong: Option<Wrong>, change: fn(&mut RunRecords)) -> Finding {
    let mut run = sample_run();
    run.plan.limits = limits.iter().map(|limit| (*limit).to_owned()).collect();
    change(&mut run);
    let mut metrics = analyse(&sample_run()).metrics;
    metrics.retain(|metric| metric.address == "corners/seq-1m-q8t1-read:read.throughput");
    metrics.iter_mut().for_each(|metric| (metric.value, metric.wrong) = (Some(100.0), wrong));
    acceptance::of_methodology(&run, &metrics).expect("it has limits")
}

#[test]
fn each_finding_about_limits_in_its_words() {
    use crate::check::testing::in_words;
    let step = "corners/seq-1m-q8t1-read";
    let [above, below, missing] =
        ["read.throughput < 200 MB/s", "read.throughput < 50 MB/s", "read.latency_p99 > 1 ms"]
            .map(|limit| format!("{step}:{limit}"));
    let (above, below, missing) = (above.as_str(), below.as_str(), missing.as_str());
    insta::assert_snapshot!(in_words(&[
        of_limits(&[below], None, |run| run.plan.form = Form::Smoke),
        of_limits(&[below], None, |run| run.state = RunState::Interrupted),
        of_limits(&[below], None, |_| ()),
        of_limits(&[below, below], None, |_| ()),
        of_limits(&[above], None, |_| ()),
        of_limits(&[above, below], None, |_| ()),
        of_limits(&[above, below, missing], None, |_| ()),
        of_limits(&[above], Some(Wrong::TooLow), |_| ()),
        of_limits(&[below], Some(Wrong::TooHigh), |_| ()),
        of_limits(&[below], Some(Wrong::EitherWay), |_| ()),
    ]));
}
