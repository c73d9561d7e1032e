//! Verdicts and endurance by hand-worked numbers; each cause by a run that gives it, and by one that does not.

use drivelab_core::data_sheet::SheetFigure;
use drivelab_core::drive_facts::{Certainty, FactSource};
use drivelab_core::drive_state::{DriveState, Piece, StateNeeds, StateSeen};
use drivelab_core::environment::TargetKind;
use drivelab_core::event::Steadiness;
use drivelab_core::finding::Finding;
use drivelab_core::finding::Severity;
use drivelab_core::ids::StepId;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::Action;
use drivelab_core::record::StepRecord;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::Span;
use drivelab_samples as testing;

use super::*;
use crate::analyse;
use crate::data_sheet::{CauseKind, dwpd, tbw};
use crate::values;

/// No cause.
const NOTHING: [CauseKind; 0] = [];

/// A sheet with these figures: key, number in the base unit, unit.
fn printed(figures: &[(&str, f64, &str)]) -> DataSheet {
    let figure = |(key, number, unit): &(&str, f64, &str)| SheetFigure {
        key: (*key).to_owned(),
        text: format!("{number} {unit}"),
        number: Some(*number),
        unit: (*unit).to_owned(),
        source: "sheet".to_owned(),
        certainty: Certainty::Stated,
        note: Some("at most".to_owned()),
    };
    DataSheet {
        facts: "example".to_owned(),
        title: "Example".to_owned(),
        named_by_user: false,
        capacity: Some(Bytes::new(7_680_000_000_000)),
        figures: figures.iter().map(figure).collect(),
        sources: vec![FactSource { id: "sheet".to_owned(), citation: "the sheet".to_owned() }],
    }
}

/// The sample on a block device: `depths` is the twin of random reads, `sustained` of sequential writes.
fn sample(figures: &[(&str, f64, &str)]) -> RunRecords {
    let mut run = testing::sample_run();
    run.environment.target.kind = TargetKind::BlockDevice;
    run.environment.data_sheet = Some(Box::new(printed(figures)));
    for (name, twin) in [("depths", PrintedFigure::RandomRead), ("sustained", PrintedFigure::SequentialWrite)] {
        let test = run.plan.tests.iter_mut().find(|test| test.name == name).expect("the sample has it");
        test.twin = Some(twin);
    }
    run
}

fn rows(run: &RunRecords) -> Vec<SheetRow> {
    sheet(run, &analyse(run)).expect("it has twins").rows
}

fn of(run: &RunRecords, figure: PrintedFigure) -> SheetRow {
    rows(run).into_iter().find(|row| row.figure == figure).expect("a row of this figure")
}

fn kinds(row: &SheetRow) -> Vec<CauseKind> {
    row.causes.iter().map(|cause| cause.kind).collect()
}

#[test]
fn a_figure_is_met_up_to_five_per_cent_below_and_a_time_up_to_five_per_cent_above() {
    let rate = |measured, here| judge(PrintedFigure::RandomRead, Some(1000.0), Some(measured), here);
    assert_eq!(
        (rate(1200.0, false), rate(950.0, false), rate(949.0, false)),
        (Verdict::Met, Verdict::Met, Verdict::Missed)
    );
    assert_eq!((rate(949.0, true), rate(950.0, true)), (Verdict::Undecided, Verdict::Met));
    let time = |measured| judge(PrintedFigure::ReadLatency, Some(100.0), Some(measured), false);
    assert_eq!((time(50.0), time(105.0), time(105.1)), (Verdict::Met, Verdict::Met, Verdict::Missed));
    assert_eq!(judge(PrintedFigure::RandomRead, None, Some(5.0), false), Verdict::NotPrinted);
    assert_eq!(judge(PrintedFigure::RandomRead, Some(5.0), None, false), Verdict::NotMeasured);
}

/// Kingston's own example: 1,432 TB on 1.8 TB over five years are 0.43 drive writes a day (cut, not rounded); and the
/// SN861 of 7.68 TB at 1 DWPD over five years bears 14,016 TB.
#[test]
fn ratings_turn_into_each_other() {
    let per_day = dwpd(1432e12, 1.8e12, 5.0).expect("a rating");
    assert!((per_day - 0.435_92).abs() < 1e-5, "{per_day}");
    assert!((tbw(1.0, 7.68e12, 5.0) - 14_016e12).abs() < 1e3);
    assert!((tbw(per_day, 1.8e12, 5.0) - 1432e12).abs() < 1e3, "there and back");
    assert_eq!(dwpd(1432e12, 1.8e12, 0.0), None);
}

#[test]
fn endurance_of_a_run_by_hand() {
    let mut run = sample(&[("dwpd", 1.0, "DWPD"), ("warranty", 5.0, "years")]);
    let written: f64 = values::run_bytes_written(&run).expect("it writes") * 1e9;
    let endurance = |run: &RunRecords, wear: Option<(u8, f64)>| {
        let wear = wear.map(|(used_percent, written)| endurance::Wear { used_percent, written });
        endurance::with_wear(run, run.environment.data_sheet.as_deref(), Some(1000.0), wear)
    };
    let of_sheet = endurance(&run, None).expect("it is rated");
    let close = |left: Option<f64>, right: f64| left.is_some_and(|left| (left - right).abs() <= 1e-9 * right.abs());
    assert!(close(of_sheet.tbw_from_dwpd_tb, 14_016.0), "{of_sheet:?}");
    assert!(close(of_sheet.run_share_percent, 100.0 * written / 14_016e12), "{of_sheet:?}");
    // 1,000 MB/s are 86.4 TB a day: 11.25 times 7.68 TB, and 14,016 TB in 162.22 days.
    assert!(close(of_sheet.drive_writes_a_day_at_full_rate, 11.25), "{of_sheet:?}");
    assert!(close(of_sheet.days_at_full_rate, 14_016.0 / 86.4), "{of_sheet:?}");
    assert_eq!((of_sheet.tbw_printed_tb, of_sheet.dwpd_from_tbw, of_sheet.used_percent), (None, None, None));
    // A drive that counts 5 % used after 500 TB bears 10,000 TB by its own count, and 3.567 % of the rating were used.
    let worn = endurance(&run, Some((5, 500e12))).expect("it is rated");
    assert!(close(worn.bears_by_own_count_tb, 10_000.0), "{worn:?}");
    assert!(close(worn.life_share_percent, 100.0 * 500.0 / 14_016.0), "{worn:?}");
    assert!(close(worn.days_at_full_rate, 13_516.0 / 86.4), "{worn:?}");
    let little = endurance(&run, Some((2, 200e12))).expect("it is rated");
    assert_eq!(little.bears_by_own_count_tb, None, "2 % say too little");
    run.environment.data_sheet = None;
    assert_eq!(endurance(&run, None), None, "nothing is known");
}

#[test]
fn the_best_step_is_held_against_what_is_printed() {
    // Reads grow with the queue depth, so the last of seven steps is the best.
    let run = sample(&[("random_read", 100_000.0, "IOPS"), ("power_active", 6.0, "W")]);
    let row = of(&run, PrintedFigure::RandomRead);
    assert_eq!((row.verdict, row.step.as_ref().map(StepId::as_str)), (Verdict::Met, Some("depths/q64")));
    let measured = analyse(&run).metric("depths/q64:read.iops").and_then(|metric| metric.value).expect("a rate");
    assert_eq!((row.measured, row.ratio), (Some(measured), Some(measured / 100_000.0)));
    assert_eq!((row.causes.len(), row.printed_in.as_deref()), (0, Some("the sheet")));
    assert_eq!(of(&run, PrintedFigure::PowerActive).verdict, Verdict::NotMeasured, "printed, and no test is its twin");
    assert_eq!(of(&run, PrintedFigure::SequentialWrite).verdict, Verdict::NotPrinted);
    assert_eq!(rows(&run).len(), 3, "what is neither printed nor measured has no row");
    let mut smoke = run.clone();
    smoke.plan.form = Form::Smoke;
    assert_eq!(of(&smoke, PrintedFigure::RandomRead).verdict, Verdict::NotJudged);
    assert_eq!(sheet(&testing::sample_run(), &analyse(&testing::sample_run())), None, "no test is a twin");
}

#[test]
fn a_rate_that_was_still_growing_is_for_want_of_depth_and_one_over_the_link_for_the_link() {
    // 4 KiB reads: 3 million are 12.3 GB/s, more than the 7.9 GB/s of the link; a million are 4.1 GB/s.
    let run = sample(&[("random_read", 3e6, "IOPS")]);
    assert_eq!(kinds(&of(&run, PrintedFigure::RandomRead)), [CauseKind::Link, CauseKind::QueueDepth]);
    let mut run = sample(&[("random_read", 1e6, "IOPS")]);
    let row = of(&run, PrintedFigure::RandomRead);
    assert_eq!(kinds(&row), [CauseKind::QueueDepth]);
    // 13,000 x depth / (1 + depth / 60): 271,304 at 32, 402,581 at 64: 48.4 % more; a second is up to 1.5 % off.
    let growth = row.causes[0].evidence[0].value;
    assert!((45.0..52.0).contains(&growth), "{growth}");
    let keep = |name: &str| name == "depths/q64";
    let test = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("the sample has it");
    test.steps.retain(|step| keep(step.id.as_str()));
    assert_eq!(kinds(&of(&run, PrintedFigure::RandomRead)), NOTHING, "one step says nothing of more depth");
}

#[test]
fn a_link_below_what_is_possible_is_a_cause_only_where_it_is_nearly_full() {
    let mut run = sample(&[("random_read", 420_000.0 * 1.2, "IOPS")]);
    let measured = of(&run, PrintedFigure::RandomRead).measured.expect("a rate") * 4096.0;
    let mut linked = |share: f64| {
        let link = run.environment.target.devices[0].link.as_mut().expect("the sample has one");
        (link.negotiated, link.bytes_per_second) = ("PCIe 3.0 x2".to_owned(), Some(measured / share));
        kinds(&of(&run, PrintedFigure::RandomRead))
    };
    // At half of the link even the printed rate would fit, with room left.
    assert_eq!(linked(0.5), [CauseKind::QueueDepth]);
    assert_eq!(linked(0.82), [CauseKind::Link, CauseKind::QueueDepth]);
}

#[test]
fn a_write_that_outlasts_the_cache_is_told_from_a_slow_one() {
    // The sample writes at 1,767 MB/s until 20 GiB, then at 450.
    let cached = of(&sample(&[("sequential_write", 1.75e9, "B/s")]), PrintedFigure::SequentialWrite);
    assert_eq!((cached.verdict, kinds(&cached)), (Verdict::Missed, vec![CauseKind::WriteCache]));
    let slow = of(&sample(&[("sequential_write", 2.5e9, "B/s")]), PrintedFigure::SequentialWrite);
    assert_eq!((slow.verdict, kinds(&slow)), (Verdict::Missed, Vec::new()), "not even the cache was as fast");
}

#[test]
fn a_steady_write_behind_a_fill_is_told_of_the_cache_that_the_fill_showed() {
    let mut run = sample(&[("sequential_write", 1.75e9, "B/s")]);
    let fill = run.plan.tests.iter_mut().find(|test| test.name == "sustained").expect("the sample has it");
    let mut steady = fill.clone();
    (steady.name, fill.twin) = ("steady".to_owned(), None);
    steady.steps.truncate(1);
    let (old, new) = (steady.steps[0].id.clone(), StepId::new("steady", "write"));
    steady.steps[0].id = new.clone();
    let Action::Io { stop, .. } = &mut steady.steps[0].action else { panic!("it writes") };
    (stop.passes, stop.time) = (None, Some(Nanos::from_secs(60)));
    let record = run.steps.iter().find(|record| record.key.step == old).expect("its record").clone();
    run.steps.push(StepRecord { key: StepKey { step: new.clone(), ..record.key.clone() }, ..record });
    let own = run.intervals.iter().filter(|one| one.key.step == old).cloned();
    let own: Vec<_> = own
        .map(|mut one| {
            one.key.step = new.clone();
            one
        })
        .collect();
    run.intervals.extend(own);
    run.plan.tests.push(steady);
    let row = of(&run, PrintedFigure::SequentialWrite);
    assert_eq!((row.step.as_ref(), kinds(&row)), (Some(&new), vec![CauseKind::WriteCache]));
}

#[test]
fn state_heat_host_and_layers_are_causes_where_the_records_say_so() {
    let key = |step: &str| StepKey { step: StepId::new("sustained", step), round: 1 };
    let own = key("whole-file-write");
    let sheet = [("sequential_write", 2.5e9, "B/s")];
    let causes = |change: &dyn Fn(&mut RunRecords)| {
        let mut run = sample(&sheet);
        change(&mut run);
        kinds(&of(&run, PrintedFigure::SequentialWrite))
    };
    let state = |share| {
        let span = Span { offset: Bytes::new(0), length: Bytes::new(1 << 30) };
        let state = DriveState { pieces: vec![Piece { span, share }], ..DriveState::empty(Bytes::new(1 << 30)) };
        StateSeen { key: own.clone(), state }
    };
    assert_eq!(causes(&|run| run.drive_states.push(state(0.9))), [CauseKind::Fill]);
    assert_eq!(causes(&|run| run.drive_states.push(state(0.4))), NOTHING);
    let asked = |run: &mut RunRecords| {
        run.drive_states.push(state(0.9));
        let test = run.plan.tests.iter_mut().find(|test| test.name == "sustained").expect("the sample has it");
        test.state.needs = Some(StateNeeds { fill: Some(99), ..StateNeeds::default() });
    };
    assert_eq!(causes(&asked), NOTHING, "the test asks for a full drive");
    // Preparations before the test, as a part of a suite names them; the last of them left the drive as it is.
    let prepared = |verdicts: &[bool]| {
        causes(&|run: &mut RunRecords| {
            for (index, reached) in verdicts.iter().copied().enumerate() {
                let name = format!("suite-prepare-{index}-flat");
                let at = run.plan.tests.iter().position(|test| test.name == "sustained").expect("the sample has it");
                let mut flat = run.plan.tests[at].clone();
                (flat.name, flat.twin) = (name.clone(), None);
                flat.steps.iter_mut().for_each(|step| step.role = StepRole::Prepare);
                run.plan.tests.insert(at, flat);
                let (first_round, last_round, range_percent, slope_percent) = (1, 5, 44.0, 12.0);
                let verdict = Steadiness { test: name, reached, first_round, last_round, range_percent, slope_percent };
                run.steadiness.push(verdict);
            }
        })
    };
    assert_eq!(prepared(&[false]), [CauseKind::State]);
    assert_eq!(prepared(&[true, false]), [CauseKind::State]);
    assert_eq!(prepared(&[false, true]), NOTHING);
    assert_eq!(prepared(&[true]), NOTHING);
    let found = |code: &str| Finding {
        code: code.to_owned(),
        severity: Severity::Warning,
        statement: "Made up.".to_owned(),
        answers: false,
        steps: vec![own.clone()],
        evidence: Vec::new(),
        likely_cause: String::new(),
        next_action: String::new(),
    };
    assert_eq!(causes(&|run| run.findings.push(found("state_unmet"))), [CauseKind::State]);
    assert_eq!(causes(&|run| run.findings.push(found("throttled_by_heat"))), [CauseKind::Heat]);
    assert_eq!(causes(&|run| run.environment.target.kind = TargetKind::NamedFile), [CauseKind::Layer]);
    let busy = |run: &mut RunRecords| {
        let record = run.steps.iter_mut().find(|record| record.key == own).expect("it ran");
        let time = record.engine.effort.as_ref().expect("an account").thread_time;
        record.engine.cpu_user = Nanos::new(time.get() * 6 / 10);
    };
    assert_eq!(causes(&busy), [CauseKind::Host]);
    let mut run = sample(&sheet);
    busy(&mut run);
    assert_eq!(of(&run, PrintedFigure::SequentialWrite).verdict, Verdict::Undecided);
}

#[test]
fn findings_name_what_was_missed_with_its_cause_or_that_nothing_printed_is_known() {
    let code = |run: &RunRecords| -> Vec<String> {
        let about = |finding: &&Finding| finding.code.starts_with("data_sheet");
        analyse(run).findings.iter().filter(about).map(|finding| finding.code.clone()).collect()
    };
    let mut run = sample(&[("random_read", 1e6, "IOPS"), ("sequential_write", 100e6, "B/s")]);
    let missed = analyse(&run).findings.into_iter().find(|finding| finding.code == "data_sheet_missed");
    let missed = missed.expect("a figure was missed");
    assert!(missed.likely_cause.contains("too low a queue depth"), "{}", missed.likely_cause);
    let printed = &missed.evidence[0];
    assert_eq!((printed.limit, printed.unit.as_str(), missed.severity), (Some(1e6), "IOPS", Severity::Note));
    assert!(printed.value < 1e6, "{printed:?}");
    assert_eq!(code(&run), ["data_sheet_missed"], "what was met is no finding");
    run.environment.data_sheet = None;
    assert_eq!(code(&run), ["data_sheet_unknown"]);
}

#[test]
fn idle_power_is_that_of_the_longest_idle_step() {
    use drivelab_core::run::IdleStretch;
    use drivelab_core::telemetry::Quantity;
    const SECOND: u64 = 1_000_000_000;
    let mut run = sample(&[("power_idle", 0.03, "W")]);
    let watts = |s: u64| if (100..110).contains(&s) { 4.0 } else { 0.05 };
    let points: Vec<(u64, f64)> = (0..200).map(|s| (s * SECOND, watts(s))).collect();
    run.telemetry = testing::recorded(vec![testing::series(Quantity::Power, &points)]);
    let mut waiting = run.plan.tests[0].steps[0].clone();
    waiting.id = StepId::new("prepare-power", "idle");
    waiting.action = Action::Idle { time: Nanos::from_secs(60) };
    run.plan.tests[0].steps.push(waiting);
    let idle = |step: &str, from: u64, to: u64| IdleStretch {
        key: StepKey { step: StepId::new("prepare-power", step), round: 1 },
        from_ns: from * SECOND,
        to_ns: to * SECOND,
    };
    // The longest of them waited for the drive to cool.
    run.idle = vec![idle("idle", 101, 105), idle("idle", 120, 150), idle("cool", 60, 119)];
    let row = of(&run, PrintedFigure::PowerIdle);
    assert!(row.measured.is_some_and(|watts| (watts - 0.05).abs() < 1e-9), "{row:?}");
    assert_eq!(row.verdict, Verdict::Missed);
}
