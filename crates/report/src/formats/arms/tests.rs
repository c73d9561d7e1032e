//! Arms in every format: the same figures, no empty columns, no comparison across drives; and the document's schema.

use drivelab_analysis::arms::{ArmCell, ArmRow, arms};
use drivelab_analysis::digest::Digest;
use drivelab_analysis::{Analysis, analyse};
use drivelab_core::condition::Arm;
use drivelab_core::ids::{RunId, StepId};
use drivelab_core::run::RunRecords;
use drivelab_samples::{sample_arms, sample_run, sample_watched_run, under_arm};

use super::*;
use crate::documents::arms::{arms_json, arms_schema};
use crate::figure::input::ReportInput;
use crate::views::across::arms::figure_cells;

fn with<T>(runs: &[RunRecords], look: impl FnOnce(&[ReportInput<'_>]) -> T) -> T {
    let analyses: Vec<Analysis> = runs.iter().map(analyse).collect();
    let inputs: Vec<ReportInput<'_>> =
        runs.iter().zip(&analyses).map(|(records, analysis)| ReportInput { records, analysis }).collect();
    look(&inputs)
}

fn compared(inputs: &[ReportInput<'_>]) -> Arms {
    let digests: Vec<Digest> = inputs.iter().map(|input| Digest::of(input.records, input.analysis)).collect();
    arms(&digests.iter().collect::<Vec<_>>())
}

/// The columns of a Markdown row.
fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

#[test]
fn each_arm_has_a_line_in_each_step_and_columns_that_nobody_fills_are_left_out() {
    let arm =
        |arm: &str| ArmColumn { run: RunId::now(), arm: arm.to_owned(), idle_watts: None, cpu_s_per_gb: Some(0.25) };
    let cell =
        |rate: f64, cost: f64| ArmCell { throughput: Some(rate), cost_percent: Some(cost), ..ArmCell::default() };
    let mut first = cell(1000.0, 0.0);
    let mut second = ArmCell { at_least: true, cost_off_percent: Some(1.25), ..cell(750.0, 25.0) };
    let of = |cells: Vec<ArmCell>| {
        let row = ArmRow { step: StepId::new("t", "a"), label: "SEQ read".into(), cells };
        arms_table(&Arms { arms: vec![arm("none"), arm("luks2")], rows: vec![row], over_rounds: Vec::new() }, 100)
    };
    let text = of(vec![first.clone(), second.clone()]);
    let lines = |text: &str| -> Vec<Vec<String>> {
        text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
    };
    let found = lines(&text);
    let has = |found: &[Vec<String>], words: &[&str]| found.iter().any(|line| line == words);
    assert!(has(&found, &["MB/s", "%", "%"]), "{text}");
    assert!(has(&found, &["SEQ", "read", "none", "1,000", "0.0", "–"]), "{text}");
    assert!(has(&found, &["luks2", "≥", "750.0", "25.0", "1.2"]), "{text}");
    assert!(text.contains("luks2: 0.250 CPU s/GB in total, run "), "{text}");
    assert!(!text.contains("power:"), "what is not there is not explained: {text}");
    (first.watts, second.watts, second.mb_s_per_watt) = (Some(5.0), Some(6.25), Some(120.0));
    let text = of(vec![first, second]);
    assert!(has(&lines(&text), &["MB/s", "%", "%", "W", "MB/s/W"]), "{text}");
    assert!(has(&lines(&text), &["luks2", "≥", "750.0", "25.0", "1.2", "6.25", "120.0"]), "{text}");
    assert!(text.contains("power: average of the drive"), "{text}");
}

#[test]
fn page_markdown_and_document_of_stored_runs_show_what_the_terminal_showed() {
    with(&sample_arms(), |inputs| {
        let arms = compared(inputs);
        let terminal = arms_table(&arms, 140);
        let luks = arms.arms[1].cpu_s_per_gb.map(format::cpu_s_per_gb).unwrap();
        assert!(terminal.contains(&format!("luks2: {luks} CPU s/GB in total")), "{terminal}");
        let html = crate::html(inputs).unwrap();
        assert!(html.contains("<section id=\"arms\"") && html.contains("href=\"#arms\""), "no section");
        let section = html.split("<section id=\"arms\"").nth(1).unwrap().split("</section>").next().unwrap();
        let markdown = crate::markdown(inputs).unwrap();
        let part = markdown.split("## The arms side by side").nth(1).unwrap().split("\n## ").next().unwrap();
        let row = &arms.rows[0];
        for (letter, (arm, cell)) in ["A", "B", "C"].iter().zip(arms.arms.iter().zip(&row.cells)) {
            let name = format!("{letter}: {}", arm.arm);
            let wanted: Vec<String> =
                figure_cells(cell).iter().map(|cell| cell.plain()).filter(|text| !text.is_empty()).collect();
            assert!(wanted.len() >= 4, "{wanted:?}");
            let shown = |text: &String| section.contains(&format!("{}</td>", text.trim_start_matches("≥ ")));
            assert!(wanted.iter().all(shown) && section.contains(&name), "{name} {wanted:?}: {section}");
            let line = part.lines().map(cells).find(|line| line[0] == row.label && line.get(1) == Some(&name.as_str()));
            let line = line.unwrap();
            assert!(wanted.iter().all(|text| line.contains(&text.as_str())), "{line:?} {wanted:?}");
            assert!(section.contains(&arm.run.to_string()) && part.contains(&arm.run.to_string()));
        }
        assert!(part.contains("cost: loss of MB/s") && section.contains("cost: loss of MB/s"));
        assert!(!part.contains("power") && !part.contains("(W)"), "nobody measured it: {part}");
        let document = crate::json(inputs).unwrap();
        assert_eq!(document["arms"], serde_json::json!([serde_json::to_value(&arms).unwrap()]));
    });
}

#[test]
fn watts_of_each_arm_stand_on_the_page() {
    let run = |state| {
        let mut records = under_arm(sample_watched_run(), Arm::None);
        records.environment.condition.as_mut().unwrap().asked.power_state = Some(state);
        records
    };
    with(&[run(0), run(2)], |inputs| {
        let markdown = crate::markdown(inputs).unwrap();
        let part = markdown.split("## The arms side by side").nth(1).unwrap().split("\n## ").next().unwrap();
        let head = part.lines().map(cells).find(|line| line[0] == "Step").unwrap();
        assert_eq!(
            head,
            ["Step", "arm", "rate (MB/s)", "rate (IOPS)", "power (W)", "rate (MB/s/W)"],
            "no cost: no none"
        );
        let power = part.lines().map(cells).filter(|line| line.get(1) == Some(&"B: power state 2"));
        assert!(power.clone().count() > 3 && power.clone().all(|line| line[4] == "5.00"), "{part}");
    });
}

#[test]
fn a_cost_is_never_against_another_drive_and_plain_runs_have_no_arms() {
    let none = |inputs: &[ReportInput<'_>]| {
        assert!(!crate::html(inputs).unwrap().contains("The arms side by side"));
        assert!(!crate::markdown(inputs).unwrap().contains("The arms side by side"));
        assert!(crate::json(inputs).unwrap().get("arms").is_none());
    };
    with(&[sample_run(), sample_run()], none);
    let mut runs = sample_arms();
    for device in &mut runs[1].environment.target.devices {
        device.serial = Some("ANOTHER".to_owned());
    }
    with(&runs[..2], none);
    // Of three, two are of one drive.
    with(&runs, |inputs| {
        let document = crate::json(inputs).unwrap();
        assert_eq!(document["arms"].as_array().unwrap().len(), 1);
        let names: Vec<&str> =
            document["arms"][0]["arms"].as_array().unwrap().iter().map(|arm| arm["arm"].as_str().unwrap()).collect();
        assert_eq!(names, ["none", "none"]);
    });
    // A mapping above the drive is no drive of its own.
    let mut runs = sample_arms();
    let mut mapping = runs[1].environment.target.devices[0].clone();
    (mapping.name, mapping.serial, mapping.model) = ("dm-0".to_owned(), None, None);
    mapping.transport = "device-mapper".to_owned();
    runs[1].environment.target.devices.insert(0, mapping);
    with(&runs, |inputs| assert_eq!(crate::json(inputs).unwrap()["arms"][0]["arms"].as_array().unwrap().len(), 3));
}

#[test]
fn the_document_of_arms_keeps_to_its_published_schema() {
    let validator = jsonschema::validator_for(&arms_schema()).unwrap();
    with(&sample_arms(), |inputs| {
        let mut document = serde_json::to_value(arms_json(compared(inputs))).unwrap();
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
        document["rows"][0]["cells"][0]["watts"] = serde_json::json!("many");
        assert!(!validator.is_valid(&document), "the schema lets anything pass");
    });
}
