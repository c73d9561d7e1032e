//! Figures that others disturbed carry their mark in every format, and undisturbed ones none.

use drivelab_core::metric::Wrong;

use super::*;

const STEP: &str = "corners/seq-1m-q8t1-read";
const MARKS: [char; 3] = ['▲', '▼', '◆'];

/// The sample in which others used the disk during one step.
fn disturbed(records: &RunRecords) -> Analysis {
    spoiled(records, |step| step == STEP)
}

/// The sample in which others used the disk during some steps.
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
        ("brief", crate::brief(&inputs).unwrap()),
        ("terminal", crate::terminal_table(&inputs[0], 400)),
    ];
    for (name, text) in &texts {
        assert!(text.contains(&marked), "{name}: {text}");
        assert!(text.contains("undisturbed, "), "{name} says what the mark means");
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
            crate::brief(inputs).unwrap(),
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
    let tests = crate::tests_view::tests(&input, "", 100);
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
    let brief = crate::brief(&[input]).unwrap();
    let slowest = brief.split("slowest interval ").nth(1).expect("the sample has one");
    assert!(slowest.split(" MB/s").next().is_some_and(|rate| rate.ends_with(" ▲")), "{slowest}");
}
