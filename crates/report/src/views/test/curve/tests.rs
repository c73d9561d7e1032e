//! A curve on the page, in the terminal and in the document: made of the sample's depths, whose figures are known.

use drivelab_analysis::analyse;
use drivelab_analysis::curve::Knee;
use drivelab_core::load::Arrivals;
use drivelab_core::record::OpenLoop;
use drivelab_core::relative::{RelativeRate, Rounding};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Nanos;
use drivelab_samples as testing;

use crate::figure::input::ReportInput;

/// The sample, whose reads by queue depth are a curve now: the first at full speed, the others shares of it.
fn sample() -> RunRecords {
    let mut records = testing::sample_run();
    let test = records.plan.tests.iter_mut().find(|test| test.name == "depths").expect("the sample has it");
    let base = test.steps[0].id.clone();
    test.steps[0].label = "RND 4 KiB Q16T4 read, full speed".to_owned();
    for (step, percent) in test.steps.iter_mut().skip(1).zip([10, 40, 70, 90, 100, 120]) {
        step.relative = Some(RelativeRate {
            of: base.clone(),
            percent,
            rounding: Rounding::None,
            arrivals: Arrivals::Constant,
            stop_above: None,
        });
        let record = records.steps.iter_mut().find(|record| record.key.step == step.id).expect("it ran");
        record.open_loop = Some(OpenLoop {
            asked_iops: f64::from(percent) * 1000.0,
            arrived: 0,
            backlog_at_end: 0,
            backlog_max: 0,
            backlog_growth_per_second: 0.0,
            lateness_mean: Nanos::new(0),
            lateness_max: Nanos::new(0),
        });
    }
    records
}

#[test]
fn page_terminal_and_document_show_the_same_points() {
    let records = sample();
    let analysis = analyse(&records);
    let input = ReportInput { records: &records, analysis: &analysis };
    let test = records.plan.tests.iter().find(|test| test.name == "depths").expect("the sample has it");
    let curves = super::of_test(&input, test);
    assert_eq!((curves.len(), curves[0].points.len(), curves[0].label.as_str()), (1, 7, "RND 4 KiB Q16T4 read"));
    let shares: Vec<Option<u32>> = curves[0].points.iter().map(|point| point.percent).collect();
    assert_eq!(shares[..3], [None, Some(10), Some(40)]);
    let done = analysis.step_metric(&curves[0].points[3].step, "total.iops").and_then(|metric| metric.value);
    assert_eq!(curves[0].points[3].done_iops, done);

    let text = crate::terminal_table(&input, 120);
    assert!(text.contains("full speed") && text.contains("120 %"), "{text}");
    let page = crate::html(&[input]).expect("a page");
    assert!(page.contains("depths-curve-0") && page.contains("Achieved operations per second"), "no chart");
    let input = ReportInput { records: &records, analysis: &analysis };
    let document = crate::json(&[input]).expect("a document");
    assert_eq!(document["curves"][0]["points"].as_array().map(Vec::len), Some(7));
}

#[test]
fn the_chart_has_the_points_by_what_was_done_and_full_speed_on_no_line() {
    let records = sample();
    let analysis = analyse(&records);
    let input = ReportInput { records: &records, analysis: &analysis };
    let test = records.plan.tests.iter().find(|test| test.name == "depths").expect("the sample has it");
    let chart = super::figures(&input, test, "x").remove(0).chart.expect("a chart");
    let line = &chart.panels[0].series[0];
    assert_eq!(line.points.len(), 6);
    assert!(line.points.windows(2).all(|pair| pair[0].0 <= pair[1].0), "not in the order of x");
    assert!(line.points.iter().all(|point| point.3.as_deref() != Some("full speed")));
}

#[test]
fn a_backlog_that_a_curve_asks_for_is_said_to_grow_and_rates_stand_in_the_published_unit_too() {
    let mut records = sample();
    let test = records.plan.tests.iter_mut().find(|test| test.name == "depths").expect("the sample has it");
    test.published_unit = Some(drivelab_core::plan::PublishedUnit::MebibytesPerSecond);
    let last = test.steps.last().expect("120 %").id.clone();
    let record = records.steps.iter_mut().find(|record| record.key.step == last).expect("it ran");
    let open = record.open_loop.as_mut().expect("an open loop");
    // Twice as many arrive as are done.
    (open.backlog_at_end, open.arrived) = (record.read.count, 2 * record.read.count);
    open.backlog_growth_per_second = record.read.iops;
    open.asked_iops = 2.0 * open.backlog_growth_per_second;
    let analysis = analyse(&records);
    let input = ReportInput { records: &records, analysis: &analysis };
    let test = records.plan.tests.iter().find(|test| test.name == "depths").expect("the sample has it");
    let table = super::table(&input, test, &super::of_test(&input, test)[0]);
    let column = |title: &str| table.columns.iter().position(|column| column.title == title).expect("the column");
    let text = |row: usize, title: &str| table.rows[row][column(title)].plain();
    assert_eq!((text(6, "Response mean").as_str(), text(6, "Latency mean").is_empty()), ("grows", false));
    assert_ne!(text(5, "Response mean"), "grows", "the point below is not concerned");
    assert_eq!(column("As published"), column("Throughput") + 1, "beside the rate that it is");
    let unit = &table.columns[column("As published")].unit;
    let of_step = analysis.step_metric(&records.plan.tests[0].steps[0].id, "total.throughput");
    assert_eq!((unit.as_str(), of_step.is_some()), ("MiB/s", true));
    let mb_s =
        analysis.step_metric(&test.steps[1].id, "total.throughput").and_then(|metric| metric.value).expect("a rate");
    assert_eq!(text(1, "As published"), crate::format::value(mb_s * 1e6 / 1_048_576.0, "MiB/s"));
}

/// Its latency is known, but not its response time.
#[test]
fn a_knee_at_an_overloaded_point_says_that_it_has_no_response_time() {
    let records = sample();
    let analysis = analyse(&records);
    let input = ReportInput { records: &records, analysis: &analysis };
    let test = records.plan.tests.iter().find(|test| test.name == "depths").expect("the sample has it");
    let mut curve = super::of_test(&input, test).remove(0);
    curve.knee =
        Some(Knee { step: curve.points[3].step.clone(), percent: 70, iops: 70_000.0, latency_us: 80.0, depth: 0.4 });
    curve.points[3].response_mean_us = Some(90.0);
    assert!(
        super::knee_sentence(&curve).ends_with("with a mean latency of 80.00 µs."),
        "{}",
        super::knee_sentence(&curve)
    );
    curve.points[3].response_mean_us = None;
    assert!(super::knee_sentence(&curve).contains("This point has no response time: operations arrived faster"));
}

/// Two points cannot bend: that is another thing than a curve on which latency does not grow.
#[test]
fn fewer_than_four_shares_are_too_few_for_a_knee() {
    let mut records = sample();
    let captions = |records: &RunRecords| {
        let analysis = analyse(records);
        let input = ReportInput { records, analysis: &analysis };
        let test = records.plan.tests.iter().find(|test| test.name == "depths").expect("the sample has it");
        super::figures(&input, test, "x").remove(0).caption
    };
    assert!(!captions(&records).contains("too few"), "{}", captions(&records));
    let test = records.plan.tests.iter_mut().find(|test| test.name == "depths").expect("the sample has it");
    test.steps.truncate(4);
    let few = captions(&records);
    assert!(few.contains("There are too few points for a knee: it needs 4") && !few.contains("has no knee"), "{few}");
}

#[test]
fn a_brief_text_keeps_each_curve_with_its_knee() {
    let records = sample();
    let analysis = analyse(&records);
    let input = ReportInput { records: &records, analysis: &analysis };
    let text = crate::brief(&input);
    let of_curve = text.split("### RND 4 KiB Q16T4 read\n").nth(1).expect("the curve has its place");
    let head = of_curve.lines().find(|line| line.starts_with("| Load |")).expect("its table");
    for column in ["Requested (IOPS)", "Achieved (IOPS)", "Latency mean (µs)", "Response p99 (µs)"] {
        assert!(head.contains(column), "{head}");
    }
    let rows = of_curve.lines().skip_while(|line| !line.starts_with("| ---")).skip(1);
    let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 7, "full speed and six shares: {rows:?}");
    assert!(rows[0].starts_with("| full speed |") && of_curve.contains("knee"), "{of_curve}");
}

#[test]
fn a_curve_in_short_keeps_full_speed_its_knee_and_its_last_point() {
    let records = sample();
    let analysis = analyse(&records);
    let input = ReportInput { records: &records, analysis: &analysis };
    let test = records.plan.tests.iter().find(|test| test.name == "depths").expect("the sample has it");
    let mut curve = super::of_test(&input, test).remove(0);
    let point = &curve.points[2];
    let (step, percent) = (point.step.clone(), 40);
    curve.knee = Some(drivelab_analysis::curve::Knee { step, percent, iops: 1.0, latency_us: 1.0, depth: 0.5 });
    let loads = |most: usize| {
        let table = super::short_table(&input, test, &curve, most);
        table.rows.iter().map(|row| row[0].plain()).collect::<Vec<_>>()
    };
    assert_eq!(loads(7).len(), 7);
    assert_eq!(loads(5), ["full speed", "10 %", "40 % (knee)", "90 %", "120 %"]);
}
