//! Figures that other programs disturbed have a mark in every format, and undisturbed ones have none.

use drivelab_core::ids::StepKey;
use drivelab_core::metric::Wrong;
use drivelab_core::plan::{Action, OnError};
use drivelab_core::units::Bytes;

use super::*;
use crate::figure::Figure;
use crate::figure::chart::Point;
use crate::figure::signs;

const STEP: &str = "corners/seq-1m-q8t1-read";
const MARKS: [char; 3] = ['▲', '▼', '◆'];

/// The sample in which other programs used the disk during one step.
fn disturbed(records: &RunRecords) -> Analysis {
    spoiled(records, |step| step == STEP)
}

/// The sample in which other programs used the disk during some steps.
fn spoiled(records: &RunRecords, steps: impl Fn(&str) -> bool) -> Analysis {
    let mut analysis = analyse(records);
    let of_step = |id: &drivelab_core::ids::StepId| steps(id.as_str());
    for metric in analysis.metrics.iter_mut().filter(|one| one.step.as_ref().is_some_and(of_step)) {
        if metric.value.is_some() {
            metric.spoiled_by = vec!["others_used_disk".to_owned()];
            let def = drivelab_analysis::metric_def(&metric.id).expect("a definition");
            metric.wrong = Some(def.better.when_spoiled());
        }
    }
    analysis
}

#[test]
fn a_disturbed_rate_has_its_mark_beside_it_in_every_format_and_a_legend() {
    let records = testing::sample_run();
    let analysis = disturbed(&records);
    let metric = analysis.metric(&format!("{STEP}:read.throughput")).expect("the sample has it");
    assert_eq!(metric.wrong, Some(Wrong::TooLow));
    let rate = crate::format::value(metric.value.expect("a value"), "MB/s");
    let marked = format!("{rate} ▲");
    let inputs = [ReportInput { records: &records, analysis: &analysis }];
    let texts = [
        ("Markdown", crate::markdown(&inputs).unwrap()),
        ("brief", crate::brief(&inputs[0])),
        ("terminal", crate::terminal_table(&inputs[0], 400)),
    ];
    for (name, text) in &texts {
        assert!(text.contains(&marked), "{name}: {text}");
        assert!(text.contains("undisturbed, "), "{name} says what the mark means");
    }
    // The first figure of a test explains the marks in its cells, if it has any.
    let figures =
        crate::views::test::tests(&inputs[0], "", 400).into_iter().filter_map(|test| test.figures.into_iter().next());
    for figure in figures {
        let marked = figure.table.rows.iter().flatten().any(|cell| cell.wrong.is_some());
        assert_eq!(figure.caption.contains(signs::DISTURBED), marked, "{}: {}", figure.title, figure.caption);
    }
    let page = crate::html(&inputs).unwrap();
    let sign = format!(
        "{rate} <abbr class=\"sign\" title=\"Disturbed: other programs used the disk. Undisturbed it would be higher\">▲</abbr>"
    );
    assert!(page.matches(&sign).count() >= 2, "at the top and in the table of the test");
    assert!(page.contains(&format!("{rate} ▲ MB/s")), "in the chart");
    let csv = crate::csv(&inputs).unwrap();
    let line = csv.lines().find(|line| line.contains(STEP) && line.contains("read.throughput")).expect("a line");
    assert!(line.ends_with(",others_used_disk,too_low"), "{line}");
    let json = crate::json(&inputs).unwrap().to_string();
    assert!(json.contains("\"spoiled_by\":[\"others_used_disk\"]") && json.contains("\"wrong\":\"too_low\""));
}

#[test]
fn a_comparison_marks_the_disturbed_run_and_not_the_other() {
    let records = testing::sample_run();
    let (quiet, loud) = (analyse(&records), disturbed(&records));
    let inputs =
        [ReportInput { records: &records, analysis: &quiet }, ReportInput { records: &records, analysis: &loud }];
    let groups = compare::compare(&inputs).groups;
    let row = groups[0].tables[0].rows.iter().find(|row| row[2].wrong.is_some()).expect("the step");
    assert_eq!((row[1].after(), row[2].after()), ("", "▲"));
    assert_eq!(row[1].text, row[2].text);
}

#[test]
fn an_undisturbed_run_has_no_mark_anywhere() {
    let records = testing::sample_run();
    one(&records, |inputs| {
        let texts = [
            crate::html(inputs).unwrap(),
            crate::markdown(inputs).unwrap(),
            crate::brief(&inputs[0]),
            crate::terminal_table(&inputs[0], 400),
        ];
        for text in &texts {
            // The page's own script knows the marks.
            let text = text.split("<script").next().unwrap_or_default();
            assert!(!text.contains(MARKS), "{}", text.split_inclusive(MARKS).next().unwrap_or_default());
        }
        let json = crate::json(inputs).unwrap();
        let metrics = json["metrics"].as_array().unwrap();
        assert!(metrics.iter().all(|one| one["spoiled_by"] == serde_json::json!([]) && one.get("wrong").is_none()));
    });
}

#[test]
fn percentile_curves_and_the_slowest_interval_of_a_disturbed_step_are_marked_and_no_others() {
    let records = testing::sample_run();
    let analysis = spoiled(&records, |step| step.starts_with("sustained/") || step == STEP);
    let input = ReportInput { records: &records, analysis: &analysis };
    let tests = crate::views::test::tests(&input, "", 100);
    let mut seen = [0, 0];
    for figure in tests.iter().flat_map(|test| &test.figures) {
        let Some(chart) = figure.chart.as_ref().filter(|chart| chart.id.ends_with("-percentiles")) else { continue };
        let of = |name: &str| chart.id.starts_with("sustained") || name == "SEQ 1 MiB Q8T1 read";
        for series in chart.panels.iter().flat_map(|panel| &panel.series) {
            for point in series.points.iter().filter(|point| point.1.is_some()) {
                assert_eq!(point.2.contains('▼'), of(&series.name), "{}: {}", series.name, point.2);
                seen[usize::from(of(&series.name))] += 1;
            }
        }
        for row in &figure.table.rows {
            let marked = row.iter().skip(2).filter(|cell| cell.wrong.is_some()).count();
            let shown = row.iter().skip(2).filter(|cell| !cell.text.is_empty()).count();
            assert_eq!(marked, if of(&row[0].text) { shown } else { 0 }, "{}", row[0].text);
        }
    }
    assert!(seen.iter().all(|points| *points > 0), "{seen:?}");
    let brief = crate::brief(&input);
    let slowest = brief.split("slowest interval ").nth(1).expect("the sample has one");
    assert!(slowest.split(" MB/s").next().is_some_and(|rate| rate.ends_with(" ▲")), "{slowest}");
}

/// The sign before a lower bound, the mark after a disturbed rate, and the mark after a disturbed time.
type Signs = [&'static str; 3];

/// Every rate and time of a figure has these signs, in its table and in its chart; how many there are.
fn all_have(figure: &Figure, [before, rate, time]: Signs) -> usize {
    let wanted = |unit: &str| match unit {
        "MB/s" | "IOPS" => Some((before, rate)),
        "µs" => Some(("", time)),
        _ => None,
    };
    let mut seen = 0;
    for row in &figure.table.rows {
        for (cell, column) in row.iter().zip(&figure.table.columns) {
            let Some(signs) = wanted(&column.unit).filter(|_| !cell.text.is_empty()) else { continue };
            assert_eq!((cell.before(), cell.after()), signs, "{}: {} {}", figure.title, column.title, cell.text);
            seen += 1;
        }
    }
    for panel in figure.chart.iter().flat_map(|chart| &chart.panels) {
        let Some((before, after)) = wanted(&panel.unit) else { continue };
        for point in panel.series.iter().flat_map(|series| &series.points).filter(|point| point.1.is_some()) {
            let marks: String = point.2.matches(MARKS).collect();
            assert_eq!((point.2.starts_with("≥ "), marks.as_str()), (!before.is_empty(), after), "{}", point.2);
            seen += 1;
        }
    }
    let says = [(before, "≥ marks a lower bound"), (rate, "▲ ▼ ◆ mark figures disturbed")];
    for (sign, words) in says.into_iter().filter(|_| !figure.caption.is_empty()) {
        let refers = figure.title == "Over the data written";
        assert_eq!(figure.caption.contains(words), !sign.is_empty() && !refers, "{}", figure.caption);
    }
    seen
}

/// The analysis in which the host was the limit of a step.
fn limited(records: &RunRecords, step: &str) -> Analysis {
    let mut analysis = analyse(records);
    for metric in analysis.metrics.iter_mut().filter(|one| one.step.as_ref().is_some_and(|id| id.as_str() == step)) {
        metric.lower_bound = metric.id.ends_with("throughput") || metric.id.ends_with("iops");
    }
    analysis
}

/// Views that show records and not metrics: every rate and time in them has the signs of its step.
#[test]
fn figures_from_records_have_the_signs_of_their_step() {
    const LONG: &str = "sustained/whole-file-write";
    let records = testing::sample_run();
    let label = records.plan.steps().find(|step| step.id.as_str() == LONG).expect("the sample has it").label.clone();
    let cases: [(Analysis, Signs); 3] = [
        (analyse(&records), ["", "", ""]),
        (spoiled(&records, |step| step == LONG), ["", "▲", "▼"]),
        (limited(&records, LONG), ["≥ ", "", ""]),
    ];
    for (analysis, signs) in &cases {
        let input = ReportInput { records: &records, analysis };
        let figures = crate::views::test::tests(&input, "", 100).into_iter().flat_map(|test| test.figures);
        let titles = ["By position", "Over time", "Over the data written"];
        let figures: Vec<Figure> = figures.filter(|figure| titles.contains(&figure.title.as_str())).collect();
        assert_eq!(figures.iter().map(|figure| figure.title.as_str()).collect::<Vec<_>>(), titles);
        for figure in &figures {
            assert!(all_have(figure, *signs) > 10, "{}", figure.title);
        }
        // Of the whole run only its stretch.
        for own in [true, false] {
            let mut whole = crate::views::time_line::of_run(&input, "", 100).expect("a line");
            whole.table.rows.retain(|row| (row[1].text == label) == own);
            let panels = whole.chart.iter_mut().flat_map(|chart| &mut chart.panels);
            for series in panels.flat_map(|panel| &mut panel.series) {
                let is_own = |point: &Point| point.3.as_ref().is_some_and(|heading| heading.starts_with(&label));
                series.points.retain(|point| is_own(point) == own);
            }
            if !own {
                whole.caption.clear();
            }
            assert!(all_have(&whole, if own { *signs } else { ["", "", ""] }) > 10);
        }
    }
}

/// The check of what was written, made a scan of 64 MiB.
#[test]
fn a_map_has_the_signs_of_its_step() {
    let mut records = testing::sample_verified_run();
    let step = &mut records.plan.tests[0].steps[1];
    let id = step.id.clone();
    let Action::Io { workload, stop, .. } = &mut step.action else { panic!("a load") };
    workload.span.length = Bytes::new(64 << 20);
    (stop.passes, stop.errors) = (Some(1), OnError::Keep);
    let cases: [(Analysis, Signs); 3] = [
        (analyse(&records), ["", "", ""]),
        (spoiled(&records, |step| step == id.as_str()), ["", "▲", "▼"]),
        (limited(&records, id.as_str()), ["≥ ", "", ""]),
    ];
    for (analysis, signs) in &cases {
        let input = ReportInput { records: &records, analysis };
        let maps = crate::views::test::map::figures(&input, &records.plan.tests[0], "x");
        assert_eq!(maps.len(), 1);
        assert!(all_have(&maps[0], *signs) > 10);
    }
}

/// Of several executions only the disturbed one is marked, and the rate of a kept schedule is never marked.
#[test]
fn the_marks_of_an_execution_are_its_own() {
    let shown = |records: &RunRecords, analysis: &Analysis, step: &str, round: u32| {
        let step = records.plan.steps().find(|one| one.id.as_str() == step).expect("the step").id.clone();
        let marks = crate::figure::marks::of(&ReportInput { records, analysis }, &StepKey { step, round });
        [marks.rate("1").plain(), marks.time("1").plain()]
    };
    let second = |key: &StepKey| key.step.as_str() == STEP && key.round == 2;
    let records = testing::beside_others(testing::sample_run(), second);
    let mut analysis = analyse(&records);
    assert!(analysis.metrics.iter().any(|metric| metric.wrong.is_some()), "the step is marked");
    assert_eq!(shown(&records, &analysis, STEP, 1), ["1", "1"]);
    assert_eq!(shown(&records, &analysis, STEP, 2), ["1 ▲", "1 ▼"]);
    for finding in analysis.findings.iter_mut().filter(|finding| finding.code == "others_used_disk") {
        "others_perhaps".clone_into(&mut finding.code);
    }
    assert_eq!(shown(&records, &analysis, STEP, 2), ["1 ◆", "1 ◆"]);

    let paced = "paced/r20000";
    let records = testing::beside_others(testing::sample_open_loop_run(), |key| key.step.as_str() == paced);
    assert_eq!(shown(&records, &analyse(&records), paced, 1), ["1", "1 ▼"]);
}
