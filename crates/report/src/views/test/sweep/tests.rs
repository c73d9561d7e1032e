//! Lines over one axis and over two, and the unit in which they are drawn.

use drivelab_analysis::analyse;
use drivelab_core::plan::{AxisValue, PublishedUnit};
use drivelab_core::run::RunRecords;
use drivelab_samples as testing;

use super::*;

fn drawn(records: &RunRecords, test: &str) -> Figure {
    let analysis = analyse(records);
    let input = ReportInput { records, analysis: &analysis };
    let test = records.plan.tests.iter().find(|one| one.name == test).expect("the sample has it");
    let sweep = of_test(&input, test).expect("a sweep");
    figure(&input, test, &sweep, "x")
}

fn names(panel: &Panel) -> Vec<(&str, usize)> {
    panel.series.iter().map(|series| (series.name.as_str(), series.points.len())).collect()
}

/// The depths at two numbers of threads in turn, as two axes.
fn two_axes() -> RunRecords {
    let mut run = testing::sample_run();
    let depths = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("depths");
    for (at, step) in depths.steps.iter_mut().enumerate() {
        let threads = if at % 2 == 0 { "16" } else { "64" };
        step.axes.insert(0, AxisValue { axis: "threads".to_owned(), value: threads.to_owned() });
    }
    run
}

#[test]
fn two_axes_are_lines_and_no_bars() {
    let figure = drawn(&two_axes(), "depths");
    let chart = figure.chart.expect("a chart");
    assert!(chart.panels.iter().all(|panel| panel.kind == crate::figure::chart::PanelKind::Line));
    assert_eq!(names(&chart.panels[0]), [("16 threads", 4), ("64 threads", 3)]);
    assert_eq!((chart.panels[1].title.as_str(), names(&chart.panels[1]).len()), ("Latency p99, logarithmic", 2));
    assert_eq!(chart.x.ticks, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
    assert_eq!(figure.table.rows.len(), 7, "the table has every step");
}

#[test]
fn more_lines_than_colours_are_no_lines() {
    let mut run = two_axes();
    let depths = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("depths");
    let like = depths.steps[0].clone();
    for more in 100..107 {
        let mut step = like.clone();
        step.id = drivelab_core::ids::StepId::new("depths", &format!("more{more}"));
        step.axes.iter_mut().for_each(|axis| axis.value = more.to_string());
        depths.steps.push(step);
    }
    let analysis = analyse(&run);
    let input = ReportInput { records: &run, analysis: &analysis };
    let test = run.plan.tests.iter().find(|one| one.name == "depths").expect("depths");
    assert_eq!(of_test(&input, test), None);
}

#[test]
fn a_mix_is_drawn_in_the_unit_of_its_source() {
    let mut run = testing::sample_run();
    let rate = |run: &RunRecords| {
        let chart = drawn(run, "mixes").chart.expect("a chart");
        let point = chart.panels[0].series[0].points[0].clone();
        (chart.panels[0].unit.clone(), point.1.expect("a value"), point.2)
    };
    let set = |run: &mut RunRecords, unit| run.plan.tests.iter_mut().for_each(|test| test.published_unit = unit);
    assert_eq!(rate(&run).0, "IOPS", "where the source says nothing");
    set(&mut run, Some(PublishedUnit::MegabytesPerSecond));
    let (unit, mb_s, text) = rate(&run);
    assert!(unit == "MB/s" && text.ends_with(" MB/s"), "{unit} {text}");
    assert!(drawn(&run, "mixes").table.columns.iter().all(|column| column.title != "As published"));
    set(&mut run, Some(PublishedUnit::MebibytesPerSecond));
    let (unit, mib_s, text) = rate(&run);
    assert!(unit == "MiB/s" && text.ends_with(" MiB/s"), "{unit} {text}");
    assert!((mib_s - mb_s * 1e6 / 1_048_576.0).abs() < 1e-9 * mb_s);
}

#[test]
fn a_load_in_order_is_drawn_in_operations_where_its_source_counts_them() {
    let mut run = testing::sample_run();
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let drivelab_core::plan::Action::Io { workload, .. } = &mut step.action {
            workload.pattern = Pattern::Sequential;
        }
    }
    let unit = |run: &RunRecords| drawn(run, "depths").chart.expect("a chart").panels[0].unit.clone();
    assert_eq!(unit(&run), "MB/s", "where the source says nothing");
    run.plan.tests.iter_mut().for_each(|test| test.published_unit = Some(PublishedUnit::OperationsPerSecond));
    assert_eq!(unit(&run), "IOPS");
}

#[test]
fn bars_are_drawn_in_the_unit_of_their_source() {
    let mut run = testing::sample_run();
    let bars = |run: &RunRecords| {
        let analysis = analyse(run);
        let input = ReportInput { records: run, analysis: &analysis };
        let tests = crate::views::test::tests(&input, "", 100);
        let charts = tests.into_iter().flat_map(|test| test.figures).filter_map(|figure| figure.chart);
        let panel = charts.filter(|chart| chart.id.ends_with("-bars")).map(|chart| chart.panels[0].clone()).next();
        let panel = panel.expect("the sample has bars");
        let point = panel.series.iter().flat_map(|series| &series.points).next().expect("a bar").clone();
        (panel.title, panel.unit, point.1.expect("a value"), point.2)
    };
    let set = |run: &mut RunRecords, unit| run.plan.tests.iter_mut().for_each(|test| test.published_unit = unit);
    let (_, unit, mb_s, _) = bars(&run);
    assert_eq!(unit, "MB/s", "where the source says nothing");
    set(&mut run, Some(PublishedUnit::MebibytesPerSecond));
    let (_, unit, mib_s, text) = bars(&run);
    assert!(unit == "MiB/s" && text.ends_with(" MiB/s"), "{unit} {text}");
    assert!((mib_s - mb_s * 1e6 / 1_048_576.0).abs() < 1e-9 * mb_s);
    set(&mut run, Some(PublishedUnit::OperationsPerSecond));
    let (title, unit, _, text) = bars(&run);
    assert!(title == "Operations per second" && unit == "IOPS" && text.ends_with(" IOPS"), "{title} {unit} {text}");
}

#[test]
fn a_place_without_a_figure_has_no_unit_either() {
    let run = testing::sample_run();
    let mut analysis = analyse(&run);
    let test = run.plan.tests.iter().find(|one| one.name == "depths").expect("the sample has it");
    let first = &test.steps[0].id;
    for metric in analysis.metrics.iter_mut().filter(|one| one.step.as_ref() == Some(first)) {
        if metric.id.ends_with("_p99") {
            (metric.value, metric.spread) = (None, None);
        }
    }
    let input = ReportInput { records: &run, analysis: &analysis };
    let sweep = of_test(&input, test).expect("a sweep");
    let chart = figure(&input, test, &sweep, "x").chart.expect("a chart");
    let blank: Vec<_> = chart.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points).collect();
    let blank: Vec<&str> = blank.iter().filter(|point| point.1.is_none()).map(|point| point.2.as_str()).collect();
    assert!(!blank.is_empty() && blank.iter().all(|text| text.is_empty()), "{blank:?}");
}
