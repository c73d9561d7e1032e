//! The window of a steady test and the matrix of two axes, on samples with figures set by hand.

use drivelab_analysis::{Analysis, analyse};
use drivelab_core::finding::Finding;
use drivelab_core::ids::StepKey;
use drivelab_core::metric::{Metric, Wrong};
use drivelab_core::plan::{Action, AxisValue, Rounds, StepRole};
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Percent};
use drivelab_samples as testing;

use crate::figure::Figure;
use crate::figure::input::ReportInput;

/// Writes per second of the seven rounds of the steady sample.
const ROUNDS: [u64; 7] = [5_000, 3_000, 1_100, 1_000, 900, 950, 1_050];

/// The steady sample with these rounds, each of which is a second long.
fn steady() -> RunRecords {
    let mut run = testing::sample_steady_run();
    let test = run.plan.tests.iter().find(|test| matches!(test.rounds, Rounds::Steady { .. })).expect("a steady test");
    let Rounds::Steady { step, .. } = &test.rounds else { unreachable!("it was looked for") };
    for record in run.steps.iter_mut().filter(|record| record.key.step == *step) {
        record.end_ns = record.start_ns + 1_000_000_000;
        record.write.count = ROUNDS[record.key.round as usize - 1];
    }
    run
}

fn figures(run: &RunRecords, test: &str) -> Vec<Figure> {
    let analysis = analyse(run);
    let input = ReportInput { records: run, analysis: &analysis };
    let test = run.plan.tests.iter().find(|one| one.name == test).expect("the test");
    super::figures(&input, test, "x")
}

fn texts(figure: &Figure) -> Vec<Vec<String>> {
    figure.table.rows.iter().map(|row| row.iter().map(crate::figure::table::Cell::plain).collect()).collect()
}

#[test]
fn the_last_five_rounds_are_the_window_with_its_mean_limits_and_line() {
    let run = steady();
    let test = run.plan.tests.iter().find(|test| matches!(test.rounds, Rounds::Steady { .. })).expect("a steady test");
    let figure = figures(&run, &test.name).remove(0);
    let rows = texts(&figure);
    let within: Vec<(&str, &str)> = rows.iter().map(|row| (row[1].as_str(), row[2].as_str())).collect();
    assert_eq!(
        within,
        [
            ("5,000", ""),
            ("3,000", ""),
            ("1,100", "yes"),
            ("1,000", "yes"),
            ("900", "yes"),
            ("950", "yes"),
            ("1,050", "yes")
        ]
    );
    let chart = figure.chart.expect("a chart");
    let line = |name: &str| {
        let series = chart.panels[0].series.iter().find(|series| series.name == name).expect("a line");
        series.points.iter().map(|point| (point.0, point.1.expect("a value"))).collect::<Vec<_>>()
    };
    assert_eq!(line("Mean"), [(3.0, 1_000.0), (7.0, 1_000.0)]);
    assert_eq!(line("Mean + 10 %").iter().map(|point| point.1.round()).collect::<Vec<_>>(), [1_100.0, 1_100.0]);
    // Slope: (-2 × 1,100 - 1,000 + 950 + 2 × 1,050) / 10 = -15 a round, so from 1,030 to 970.
    assert_eq!(line("Least squares"), [(3.0, 1_030.0), (7.0, 970.0)]);
    assert_eq!(line("Rounds").len(), 7);
    assert!(figure.caption.ends_with("It is steady."), "{}", figure.caption);
}

/// Rounds disturbed by other programs (one round, or unknown rounds), and rounds limited by the host.
#[test]
fn rounds_carry_their_signs_and_what_is_made_of_them_too() {
    let run = steady();
    let test = run.plan.tests.iter().find(|test| matches!(test.rounds, Rounds::Steady { .. })).expect("a steady test");
    let Rounds::Steady { step, .. } = &test.rounds else { unreachable!("it was looked for") };
    let of_step = |analysis: &mut Analysis, change: fn(&mut Metric)| {
        analysis.metrics.iter_mut().filter(|one| one.step.as_ref() == Some(step)).for_each(change);
    };
    // The signs of the rounds and of the mean of the window, and whether they are explained.
    let signs = |analysis: &Analysis| {
        let input = ReportInput { records: &run, analysis };
        let figure = super::figures(&input, test, "x").remove(0);
        let sign = |text: &str| text.matches(['≥', '▲', '▼', '◆']).collect::<String>();
        let rows = texts(&figure);
        let chart = figure.chart.expect("a chart");
        let points = |at: usize| -> Vec<String> {
            chart.panels[0].series[at].points.iter().map(|point| sign(&point.2)).collect()
        };
        let rounds: Vec<String> = rows.iter().map(|row| sign(&row[1])).collect();
        assert_eq!(points(0), rounds);
        let says = ["marks a lower bound", "mark figures disturbed"].map(|words| figure.caption.contains(words));
        (rounds, points(1).concat(), says)
    };
    let all = |sign: &str| vec![sign.to_owned(); ROUNDS.len()];
    let mut analysis = analyse(&run);
    assert_eq!(signs(&analysis), (all(""), String::new(), [false, false]));
    of_step(&mut analysis, |metric| metric.lower_bound = metric.id.ends_with("iops"));
    assert_eq!(signs(&analysis), (all("≥"), "≥≥".to_owned(), [true, false]));

    let mut analysis = analyse(&run);
    let others = |round: Option<u32>| Finding {
        code: "others_used_disk".to_owned(),
        steps: round.map(|round| StepKey { step: step.clone(), round }).into_iter().collect(),
        ..drivelab_analysis::findings::others_not_watched()
    };
    // Before the window: nothing that is made of it is disturbed.
    analysis.findings = vec![others(Some(2))];
    let one =
        |round: usize| -> Vec<String> { (1..=ROUNDS.len()).map(|at| "▲".repeat(usize::from(at == round))).collect() };
    assert_eq!(signs(&analysis), (one(2), String::new(), [false, true]));
    analysis.findings = vec![others(Some(5))];
    assert_eq!(signs(&analysis), (one(5), "▲▲".to_owned(), [false, true]));
    analysis.findings = vec![others(None)];
    of_step(&mut analysis, |metric| {
        let def = drivelab_analysis::metric_def(&metric.id).expect("a definition");
        metric.wrong = Some(def.better.when_spoiled());
    });
    assert_eq!(signs(&analysis), (all("▲"), "▲▲".to_owned(), [false, true]));
}

#[test]
fn too_few_rounds_for_a_window_and_fixed_rounds_make_no_figure() {
    let mut run = steady();
    run.steps.retain(|record| record.key.round < 5);
    run.steadiness.clear();
    let name =
        run.plan.tests.iter().find(|test| matches!(test.rounds, Rounds::Steady { .. })).expect("it").name.clone();
    let figures_of_four: Vec<String> = figures(&run, &name).into_iter().map(|figure| figure.title).collect();
    assert_eq!(figures_of_four, ["Rounds over data written"], "no window");
    assert_eq!(figures(&testing::sample_run(), "depths"), []);
}

/// The sample whose depths are nine steps now: three block sizes by three shares of writes, all with the figures of
/// one.
fn matrix() -> RunRecords {
    let mut run = testing::sample_run();
    let test = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("the sample has it");
    let step = test.steps[0].clone();
    test.steps.clear();
    let record = run.steps.iter().find(|record| record.key.step == step.id).expect("it ran").clone();
    for size in ["8 KiB", "4 KiB", "512 B"] {
        for (number, writes) in ["0", "35", "100"].into_iter().enumerate() {
            let mut one = step.clone();
            one.id = drivelab_core::ids::StepId::new("depths", &format!("{}-{writes}", size.replace(' ', "")));
            let value = |axis: &str, value: &str| AxisValue { axis: axis.to_owned(), value: value.to_owned() };
            one.axes = vec![value("write_percent", writes), value("block_size", size)];
            let mut done = record.clone();
            done.key.step = one.id.clone();
            done.read.count = 1_000 * (number as u64 + 1);
            (done.start_ns, done.end_ns) = (record.start_ns, record.start_ns + 1_000_000_000);
            run.steps.push(done);
            test.steps.push(one);
        }
    }
    run
}

#[test]
fn two_axes_with_a_step_for_each_pair_are_tables_of_rows_and_columns() {
    let run = matrix();
    let all = figures(&run, "depths");
    let titles: Vec<&str> = all.iter().map(|figure| figure.title.as_str()).collect();
    assert_eq!(
        titles,
        ["Operations, all combinations", "Throughput, all combinations", "Latency mean, all combinations"]
    );
    let heads: Vec<&str> = all[0].table.columns.iter().map(|column| column.title.as_str()).collect();
    assert_eq!(heads, ["writes (%) \\ block size", "8 KiB", "4 KiB", "512 B"]);
    let rows = texts(&all[0]);
    assert_eq!(rows.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["0", "35", "100"]);
    // The figures of a made-up record contradict each other and are void, which does not matter for their positions.
    assert!(rows.iter().flatten().all(|cell| !cell.is_empty()), "{rows:?}");
    // Writes before the table have another value of a third parameter and are not part of it.
    let mut beside = run.clone();
    let test = beside.plan.tests.iter_mut().find(|test| test.name == "depths").expect("the sample has it");
    for step in &mut test.steps {
        step.axes.push(AxisValue { axis: "threads".to_owned(), value: "1".to_owned() });
    }
    let mut writes = test.steps[0].clone();
    writes.axes[2].value = "32".to_owned();
    test.steps.insert(0, writes);
    assert_eq!(figures(&beside, "depths"), all);
    // A pair that was not run leaves no matrix.
    let mut lacking = run.clone();
    lacking.plan.tests.iter_mut().for_each(|test| {
        if test.name == "depths" {
            test.steps.pop();
        }
    });
    assert_eq!(figures(&lacking, "depths"), []);
}

#[test]
fn the_rounds_of_one_write_stand_over_what_was_written_too() {
    let mut run = steady();
    let test =
        run.plan.tests.iter_mut().find(|test| matches!(test.rounds, Rounds::Steady { .. })).expect("a steady test");
    let Rounds::Steady { step, .. } = &test.rounds else { unreachable!("it was looked for") };
    let (name, step) = (test.name.clone(), step.clone());
    test.steps.retain(|one| one.id == step || one.role != StepRole::Measure);
    let Some(Action::Io { workload, .. }) = test.steps.iter_mut().find(|one| one.id == step).map(|one| &mut one.action)
    else {
        panic!("a load")
    };
    workload.write_percent = Percent::new(100).expect("a share");
    for record in run.steps.iter_mut().filter(|record| record.key.step == step) {
        record.written_total = Bytes::new(500_000_000 * u64::from(record.key.round));
    }
    let mut analysis = analyse(&run);
    let of_step = analysis.metrics.iter_mut().filter(|one| one.step.as_ref() == Some(&step));
    of_step.for_each(|metric| (metric.wrong, metric.lower_bound) = (Some(Wrong::TooLow), true));
    let marked = {
        let test = run.plan.tests.iter().find(|one| one.name == name).expect("the test");
        super::figures(&ReportInput { records: &run, analysis: &analysis }, test, "x")
    };
    let marked = marked.iter().find(|figure| figure.title == "Rounds over data written").expect("the course");
    assert_eq!(texts(marked)[0], ["1", "0.50", "≥ 5,000 ▲"]);
    assert_eq!(marked.chart.as_ref().expect("a chart").panels[0].series[0].points[0].2, "≥ 5,000 ▲ IOPS");
    let figures = figures(&run, &name);
    let figure = figures.iter().find(|figure| figure.title == "Rounds over data written").expect("the course");
    let rows = texts(figure);
    // 0.5 GB in the first round, 1 GB more in the second, …
    let written: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(written, ["0.50", "1.50", "3.00", "5.00", "7.50", "10.50", "14.00"]);
    assert_eq!((rows[0][2].as_str(), rows[6][2].as_str()), ("5,000", "1,050"));
    assert_eq!(figure.chart.as_ref().expect("a chart").panels[0].series[0].points.len(), 7);
}

#[test]
fn a_round_that_was_stopped_is_in_no_window() {
    let mut run = steady();
    run.steadiness.clear();
    let test = run.plan.tests.iter().find(|test| matches!(test.rounds, Rounds::Steady { .. })).expect("a steady test");
    let Rounds::Steady { step, .. } = &test.rounds else { unreachable!("it was looked for") };
    let (name, step) = (test.name.clone(), step.clone());
    let last = run.steps.iter_mut().find(|record| record.key.step == step && record.key.round == 7);
    let last = last.expect("the last round");
    (last.stop_reason, last.write.count) = (drivelab_core::record::StopReason::Stopped, 10);
    let rows = texts(&figures(&run, &name)[0]);
    assert_eq!(rows.len(), 6, "{rows:?}");
    let window: Vec<&str> = rows.iter().filter(|row| row[2] == "yes").map(|row| row[1].as_str()).collect();
    assert_eq!(window, ["3,000", "1,100", "1,000", "900", "950"]);
}

#[test]
fn a_test_that_did_not_become_steady_does_not_call_its_rounds_a_steady_window() {
    let mut run = steady();
    let text = |run: &RunRecords| {
        let analysis = analyse(run);
        crate::markdown(&[ReportInput { records: run, analysis: &analysis }]).expect("a text")
    };
    let asked = "Figures are the mean of the steady window, at most";
    assert!(text(&run).contains(asked));
    run.steadiness[0].reached = false;
    let not = text(&run);
    assert!(not.contains("Figures are the mean of the last 5 rounds, not steady;") && !not.contains(asked), "{not}");
    run.steadiness.clear();
    assert!(text(&run).contains("Figures are the mean of the last rounds, at most 5; not judged;"));
}
