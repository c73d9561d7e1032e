//! Lines over one axis and over two, and the unit in which they are drawn.

use drivelab_analysis::{analyse, testing};
use drivelab_core::plan::AxisValue;
use drivelab_core::run::RunRecords;

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
    assert!(chart.panels.iter().all(|panel| panel.kind == PanelKind::Line));
    assert_eq!(names(&chart.panels[0]), [("16 threads", 4), ("64 threads", 3)]);
    assert_eq!((chart.panels[1].title.as_str(), names(&chart.panels[1]).len()), ("Latency p99", 2));
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
