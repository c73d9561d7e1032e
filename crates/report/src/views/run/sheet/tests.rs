//! The data sheet on the page, in Markdown, in the terminal and in the document: the same rows, and an explanation if
//! no data sheet is known.

use drivelab_analysis::analyse;
use drivelab_core::data_sheet::{DataSheet, PrintedFigure, SheetFigure};
use drivelab_core::drive_facts::{Certainty, FactSource};
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use drivelab_samples as testing;

use crate::figure::input::ReportInput;

/// The sample, whose reads by queue depth are the twin of the printed random reads.
fn sample() -> RunRecords {
    let mut run = testing::sample_run();
    let test = run.plan.tests.iter_mut().find(|test| test.name == "depths").expect("the sample has it");
    test.twin = Some(PrintedFigure::RandomRead);
    let figure = |key: &str, text: &str, number: f64| SheetFigure {
        key: key.to_owned(),
        text: text.to_owned(),
        number: Some(number),
        unit: String::new(),
        source: "sheet".to_owned(),
        certainty: Certainty::Stated,
        note: Some("4 KiB <b>".to_owned()),
    };
    run.environment.data_sheet = Some(Box::new(DataSheet {
        facts: "example".to_owned(),
        title: "Example <i>SSD</i>".to_owned(),
        named_by_user: true,
        capacity: Some(Bytes::new(1_000_000_000_000)),
        figures: vec![
            figure("random_read", "1M IOPS", 1e6),
            figure("endurance", "600 TB", 600e12),
            figure("warranty", "5 years", 5.0),
        ],
        sources: vec![FactSource { id: "sheet".to_owned(), citation: "Example, data sheet".to_owned() }],
    }));
    run
}

#[test]
fn every_format_shows_what_is_printed_and_what_was_measured() {
    let records = sample();
    let analysis = analyse(&records);
    let input = ReportInput { records: &records, analysis: &analysis };
    let view = super::of_run(&input).expect("it has a twin");
    let row: Vec<&str> = view.figures.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!((row[0], row[1], row[4]), ("Random read", "1,000,000 IOPS", "missed"));
    assert!(row[5].contains("too low a queue depth"), "{row:?}");
    // 600 TB over five years on 1 TB: 600 / (365 x 5) drive writes a day.
    let rated = view.endurance.rows.iter().find(|row| row[0].text == "Rated drive writes per day, from TBW");
    assert_eq!(rated.map(|row| row[1].text.as_str()), Some("0.33"));
    let page = crate::html(&[input]).expect("a page");
    let markdown = crate::markdown(&[input]).expect("a text");
    let terminal = crate::terminal_table(&input, 160);
    for (name, text) in [("page", &page), ("Markdown", &markdown), ("terminal", &terminal)] {
        for wanted in ["1,000,000 IOPS", "missed", "Warranty", "too low a queue depth"] {
            assert!(text.contains(wanted), "{name} lacks {wanted}");
        }
    }
    assert!(page.contains("id=\"sheet\"") && page.contains("href=\"#sheet\""), "a section and a way to it");
    assert!(!page.contains("<i>SSD</i>") && !page.contains("4 KiB <b>"), "names from outside are escaped");
    let document = crate::json(&[input]).expect("a document");
    let sheet = &document["data_sheet"];
    assert_eq!((&sheet["rows"][0]["figure"], &sheet["rows"][0]["verdict"]), (&"random_read".into(), &"missed".into()));
    assert!(sheet["rows"][0]["causes"].to_string().contains("\"kind\":\"queue_depth\""), "{sheet:#}");
    assert_eq!(sheet["endurance"]["tbw_printed_tb"], 600.0);
}

/// Whether the section of a page and its link stand before the first test.
fn stands_before_the_tests(input: &ReportInput<'_>) -> bool {
    let page = crate::html(std::slice::from_ref(input)).expect("a page");
    let is_shown = |name: &&String| page.contains(&format!("<section id=\"{name}\""));
    let test = input.records.plan.tests.iter().map(|test| &test.name).find(is_shown).expect("a test on the page");
    let before = |start: &str, end: &str| {
        let place = |id: &str| page.find(&format!("{start}{id}{end}")).unwrap_or_else(|| panic!("no {start}{id}"));
        place("sheet") < place(test)
    };
    let (section, link) = (before("<section id=\"", "\""), before("href=\"#", "\""));
    assert_eq!(section, link, "in the order of the sections");
    section
}

#[test]
fn a_drive_without_facts_is_measured_and_told_where_facts_come_from() {
    let mut records = sample();
    records.environment.data_sheet = None;
    let analysis = analyse(&records);
    let input = ReportInput { records: &records, analysis: &analysis };
    let view = super::of_run(&input).expect("it has a twin");
    assert!(view.about.contains("--facts") && view.about.contains("docs/guide/drives.md"), "{}", view.about);
    assert_eq!(view.figures.rows.len(), 1);
    let verdict = view.figures.columns.iter().position(|column| column.title == "Verdict").expect("a verdict");
    assert_eq!(view.figures.rows[0][verdict].text, "nothing printed");
    assert!(view.endurance.rows.is_empty());
    assert!(!stands_before_the_tests(&input), "a section without a data sheet is not what a reader looks for");
    let plain = testing::sample_run();
    let analysis = analyse(&plain);
    assert_eq!(super::of_run(&ReportInput { records: &plain, analysis: &analysis }), None, "no test is a twin");
}

#[test]
fn a_run_that_measures_none_of_them_shows_what_is_stated_of_the_drive() {
    let mut records = sample();
    records.plan.tests.iter_mut().for_each(|test| test.twin = None);
    let analysis = analyse(&records);
    let input = ReportInput { records: &records, analysis: &analysis };
    let view = super::of_run(&input).expect("its facts are known");
    let rows: Vec<[&str; 2]> = view.figures.rows.iter().map(|row| [&*row[0].text, &*row[1].text]).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows.contains(&["Warranty", "5 years"]), "{rows:?}");
    assert!(view.about.contains("for 1 TB") && view.notes == ["Source: Example, data sheet."], "{view:?}");
    assert!(stands_before_the_tests(&input));
    let page = crate::html(&[input]).expect("a page");
    assert!(page.contains("600 TB") && page.contains("4 KiB &#60;b&#62;"), "escaped");
    records.environment.data_sheet = None;
    assert!(super::of_run(&ReportInput { records: &records, analysis: &analysis }).is_none());
}
