//! The page and the other formats of a group: the same figures everywhere, names from outside stay words, axes at zero.

use drivelab_analysis::together::testing::sample_group;
use drivelab_analysis::{Analysis, analyse};
use drivelab_core::run::RunRecords;

use super::*;
use crate::{is_drivelab_output, is_drivelab_page};

fn with<T>(runs: &[RunRecords], look: impl FnOnce(&GroupInput<'_>) -> T) -> T {
    let analyses: Vec<Analysis> = runs.iter().map(analyse).collect();
    let members: Vec<ReportInput<'_>> =
        runs.iter().zip(&analyses).map(|(records, analysis)| ReportInput { records, analysis }).collect();
    look(&GroupInput::new(&members).unwrap())
}

#[test]
fn every_format_shows_the_same_losses() {
    with(&sample_group(), |input| {
        let html = together_html(input).unwrap();
        assert!(is_drivelab_page(html.as_bytes()));
        let markdown = together_markdown(input);
        let terminal = together_terminal(input, 120);
        let csv = together_csv(input).unwrap();
        let json = together_json(input).unwrap();
        for text in [&markdown, &csv, &serde_json::to_string(&json).unwrap()] {
            assert!(is_drivelab_output(text.as_bytes()), "{}", &text[..80]);
        }
        let first = input.group.steps.iter().find(|step| step.drives[0].kept_percent.is_some()).unwrap();
        let share = &first.drives[0];
        assert!((share.kept_percent.unwrap() - 50.0).abs() < 1.5);
        let together = crate::format::mb_s(share.together_mb_s.unwrap());
        for text in [&html, &markdown, &terminal] {
            assert!(text.contains(&together) && text.contains(&first.label), "{together} is missing");
        }
        assert!(terminal.lines().all(|line| line.chars().count() <= 120), "{terminal}");
        assert_eq!(csv.lines().count(), 1 + input.group.steps.len() * 4, "three drives and their total");
        assert_eq!(json["steps"][0]["drives"].as_array().unwrap().len(), 3);
        for section in ["id=\"time\"", "id=\"cpu\"", "shared_device", "All drives", "CPU 1"] {
            assert!(html.contains(section), "the page lacks {section}");
        }
    });
}

#[test]
fn the_document_keeps_to_its_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/together.schema.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&together_schema()).unwrap());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert!(std::fs::read_to_string(path).unwrap() == text, "UPDATE_SCHEMA=1 writes docs/formats/together.schema.json");
    let validator = jsonschema::validator_for(&together_schema()).unwrap();
    with(&sample_group(), |input| {
        let document = together_json(input).unwrap();
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
    });
}

#[test]
fn charts_begin_at_zero_and_have_their_figures_beside_them() {
    with(&sample_group(), |input| {
        let figures: Vec<_> = views::tests(input).into_iter().flat_map(|test| test.figures).collect();
        let figures = figures.into_iter().chain(views::time_figure(input));
        let mut drawn = 0;
        for figure in figures {
            assert!(!figure.table.rows.is_empty());
            let Some(chart) = figure.chart else { continue };
            drawn += 1;
            let points = chart.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
            assert!(points.filter_map(|point| point.1).all(|y| y >= 0.0), "{}", chart.id);
        }
        assert!(drawn >= 3);
    });
}

#[test]
fn a_drive_that_calls_itself_html_stays_a_name() {
    let mut runs = sample_group();
    for device in runs.iter_mut().flat_map(|run| &mut run.environment.target.devices) {
        device.model = Some("</script><img src=x onerror=alert(1)>".to_owned());
    }
    with(&runs, |input| {
        let html = together_html(input).unwrap();
        assert!(!html.contains("<img src=x") && html.matches("</script>").count() == 3);
    });
}

#[test]
fn runs_that_were_never_together_are_no_group() {
    let runs = sample_group();
    let analysis = analyse(&runs[0]);
    let alone = [ReportInput { records: &runs[0], analysis: &analysis }];
    assert!(matches!(GroupInput::new(&alone), Err(ReportError::NoGroup)));
}
