//! The page and the other formats of a group: the same figures everywhere, escaped names, axes from zero.

use drivelab_analysis::together::{DriveHealth, StepHealth, StepTogether};
use drivelab_analysis::{Analysis, analyse};
use drivelab_core::group::GroupRole;
use drivelab_core::ids::StepId;
use drivelab_core::run::RunRecords;
use drivelab_samples::sample_group;

use super::*;
use crate::documents::together::{together_json, together_schema};
use crate::figure::input::ReportInput;
use crate::marker::{is_drivelab_output, is_drivelab_page};
use crate::views::across::sides::DriveWords;

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
fn each_drive_has_the_warnings_of_its_runs() {
    with(&sample_group(), |input| {
        let page = together_html(input).unwrap();
        let findings = input.members.iter().flat_map(|member| &member.analysis.findings);
        let graver = findings.filter(|finding| finding.severity != Severity::Note);
        // Statements that no escaping changes.
        let plain = graver.map(|one| one.statement.as_str()).filter(|text| !text.contains(['&', '<', '"', '\'', '`']));
        let plain: Vec<&str> = plain.collect();
        assert!(!plain.is_empty(), "the sample has warnings");
        for statement in plain {
            assert!(page.contains(statement), "{statement}");
        }
    });
}

#[test]
fn drives_that_were_measured_one_after_the_other_have_no_sum_and_keep_nothing() {
    let mut runs = sample_group();
    runs.retain(|run| run.group.as_ref().is_some_and(|own| own.role == GroupRole::Alone));
    for group in runs.iter_mut().filter_map(|run| run.group.as_mut()) {
        group.runs.retain(|one| one.role == GroupRole::Alone);
    }
    with(&runs, |input| {
        assert!(input.group.each_only);
        let text = together_terminal(input, 120);
        assert!(!text.lines().any(|line| line.split_whitespace().any(|word| word == "all")), "{text}");
        let drives = text.split("The drives\n").nth(1).expect("the drives have no other heading");
        assert!(drives.lines().nth(1).is_some_and(|line| line.starts_with("A: ")), "no empty line of units: {text}");
        let page = together_html(input).unwrap();
        assert!(page.contains("Throughput, one drive at a time"), "the rates are drawn");
        for wrong in ["100 % kept", "alone and together", "all drives at once"] {
            assert!(!page.contains(wrong), "{wrong}");
        }
    });
}

/// Two tests may have a step of one label (a mix at 100 % reads, a sweep of the depth): their rows name the test, and
/// only they.
#[test]
fn rows_of_cpus_are_told_apart_where_two_tests_share_a_label() {
    with(&sample_group(), |input| {
        let mut group = input.group.clone();
        let first = group.steps.iter().find(|step| step.cpu.is_some()).unwrap().clone();
        let other = group.steps.iter().position(|step| step.cpu.is_some() && step.test != first.test).unwrap();
        group.steps[other].label.clone_from(&first.label);
        for table in [together::cpu_table(&group), together::cores_table(&group)] {
            let names: Vec<&str> = table.rows.iter().map(|row| row[0].text.as_str()).collect();
            let of = |test: &str| names.contains(&format!("{} ({test})", first.label).as_str());
            assert!(of(&first.test) && of(&group.steps[other].test), "{names:?}");
            assert!(names.iter().all(|name| names.iter().filter(|one| one == &name).count() == 1), "{names:?}");
            assert!(names.iter().any(|name| group.steps.iter().any(|step| step.label == *name)), "{names:?}");
        }
        // So do the rows of each drive's temperatures and interrupts.
        let step = |of: &StepTogether| StepHealth {
            step: Some(of.step.clone()),
            label: of.label.clone(),
            interrupts_per_second: Some(1815.0),
            ..StepHealth::default()
        };
        let steps = vec![step(&first), step(&group.steps[other])];
        group.health = vec![DriveHealth { letter: "A".to_owned(), idle_celsius: Vec::new(), steps }];
        let tables = asked::tables(&group);
        let table = tables.iter().find(|table| table.caption.starts_with("Interrupts")).unwrap();
        let names: Vec<String> = table.rows.iter().map(|row| row[0].plain()).collect();
        let named = [&first.test, &group.steps[other].test].map(|test| format!("{} ({test})", first.label));
        assert_eq!(names, named);
        // The sample's drives are on one disk, and so are their interrupts.
        assert!(table.caption.ends_with("targets on one disk each show that disk's interrupts"), "{}", table.caption);
    });
}

/// A CPU without a tick in a short step still has a column, with an empty cell, and every figure is in the column of
/// its own CPU.
#[test]
fn every_cpu_of_any_step_has_a_column_and_its_figures_stand_in_it() {
    let mut runs = sample_group();
    let together =
        |run: &&mut RunRecords| run.group.as_ref().is_some_and(|own| own.role == GroupRole::Together && own.drive == 0);
    let run = runs.iter_mut().find(together).unwrap();
    let measured: Vec<StepId> = run.plan.tests[1].steps.iter().map(|step| step.id.clone()).collect();
    let cores = |run: &mut RunRecords, step: &StepId, kept: &[u32]| {
        let of_step = run.host_cpu.iter_mut().filter(|one| one.key.step == *step);
        of_step.for_each(|one| one.cores.retain(|core| kept.contains(&core.cpu)));
    };
    cores(run, &measured[0], &[1]);
    cores(run, &measured[1], &[0]);
    with(&runs, |input| {
        let table = together::cores_table(&input.group);
        let titles: Vec<&str> = table.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(titles, ["Step", "CPU 0", "CPU 1"]);
        let row = |step: &StepId| -> Vec<&str> {
            let at = input.group.steps.iter().position(|known| known.step == *step).unwrap();
            table.rows[at][1..].iter().map(|cell| cell.text.as_str()).collect()
        };
        // Of their time CPU 0 is busy for 60 % and CPU 1 for 20 %.
        assert_eq!(row(&measured[0]), ["", "20.0"]);
        assert_eq!(row(&measured[1]), ["60.0", ""]);
        assert_eq!(row(&measured[2]), ["60.0", "20.0"]);
    });
}

/// More CPUs than columns, seen over all steps, are rows.
#[test]
fn cpus_that_do_not_fit_side_by_side_are_rows() {
    let mut runs = sample_group();
    for run in &mut runs {
        for (index, one) in run.host_cpu.iter_mut().enumerate() {
            // Each step saw other CPUs: 30 at a time, 60 in all.
            let first = if index % 2 == 0 { 0 } else { 30 };
            one.cores = (first..first + 30).map(|cpu| drivelab_core::group::CoreTime { cpu, ..one.cores[0] }).collect();
        }
    }
    with(&runs, |input| {
        let table = together::cores_table(&input.group);
        assert_eq!(table.columns[0].title, "CPU");
        assert_eq!(table.rows.len(), 30);
    });
}

/// The rates of drives that worked one after the other have no sum, even if each of them is a valid figure.
#[test]
fn a_sum_of_rates_that_were_not_at_the_same_time_is_void() {
    with(&sample_group(), |input| {
        let mut input = input.clone();
        let (best, _) = together::highest(&input.group).expect("a sum");
        let (label, test, best) = (best.label.clone(), best.test.clone(), best.step.clone());
        let step = input.group.steps.iter_mut().find(|step| step.step == best).expect("the step");
        // As the analysis leaves it.
        step.apart = true;
        (step.total.together_mb_s, step.total.kept_percent, step.total.lost_percent) = (None, None, None);
        let tables = together::tests(&input).into_iter().find(|view| view.title == test).expect("the test").figures;
        let table = &tables[0].table;
        let at = |title: &str| table.columns.iter().position(|column| column.title == title).expect("the column");
        let row =
            |drive: &str| table.rows.iter().find(|row| row[0].text == label && row[1].text == drive).expect("row");
        for title in ["Together", "Kept", "Lost"] {
            assert_eq!(row("all")[at(title)].void_reason(), together::NOT_AT_ONCE, "{title}");
            assert!(!row("B")[at(title)].is_void(), "its own figure stands");
        }
        assert!(!row("all")[at("Alone")].is_void());
    });
}

#[test]
fn the_headline_of_a_lower_bound_is_one_too() {
    with(&sample_group(), |input| {
        let mut input = input.clone();
        let rate = together::highest(&input.group).expect("a sum").1;
        let tile = format!("<dd>≥ {} MB/s</dd>", crate::format::mb_s(rate));
        for at_least in [false, true] {
            input.group.steps.iter_mut().for_each(|step| step.total.together_at_least = at_least);
            assert_eq!(together_html(&input).unwrap().contains(&tile), at_least);
        }
    });
}

#[test]
fn counts_that_rest_on_lower_bounds_are_upper_bounds() {
    use drivelab_analysis::together::{Feed, FeedDrive, FeedStep};
    with(&sample_group(), |input| {
        let mut input = input.clone();
        let of = input.group.steps[0].clone();
        let drive = |letter: &str, at_least, spoiled| FeedDrive {
            letter: letter.to_owned(),
            mb_s: Some(5_000.0),
            at_least,
            spoiled,
            drives: Some(13),
            link: Some("PCIe 4.0 x4".to_owned()),
            lanes: Some(52),
        };
        let step = FeedStep {
            step: of.step,
            label: of.label,
            drives: vec![drive("A", true, false), drive("B", false, false), drive("C", false, true)],
            together_mb_s: Some(9_000.0),
            drives_together: Some(15),
            host_limited: true,
            spoiled: true,
        };
        let feed = Feed { need_mb_s: 64_000.0, link_mb_s: None, more_than_the_link: false, steps: vec![step] };
        input.group.feed = Some(feed);
        let rows = |input: &GroupInput<'_>| -> Vec<[String; 2]> {
            asked::tables(&input.group)[0].rows.iter().map(|row| [row[2].plain(), row[3].plain()]).collect()
        };
        let wanted = [["≥ 5,000", "≤ 13"], ["5,000", "13"], ["5,000 ▲", "13 ▼"], ["≥ 9,000 ▲", "≤ 15 ▼"]];
        assert_eq!(rows(&input), wanted);
        let column = |at: usize| -> Vec<String> {
            asked::tables(&input.group)[0].rows.iter().map(|row| row[at].plain()).collect()
        };
        assert_eq!(column(5), ["≤ 52", "52", "52 ▼", ""]);
        let host = "the host was the limit: fewer drives may be enough";
        let others = "other programs used the disk: fewer drives may be enough";
        let all = format!("the host was the limit: more drives may not deliver more; {others}");
        assert_eq!(column(6), [host, "", others, &all]);
        input.group.steps[0].apart = true;
        assert_eq!(rows(&input)[3], ["void", "void"]);
    });
}

const ALL_SIGNS: [char; 6] = ['≥', '≤', '≷', '▲', '▼', '◆'];

/// The group in which each rate with the others was limited by the host and disturbed, or none was, as the analysis
/// leaves it.
fn limited_and_disturbed<'a>(input: &GroupInput<'a>, is: bool) -> GroupInput<'a> {
    use drivelab_analysis::together::{Doubling, SizedRate};
    let mut input = input.clone();
    for step in &mut input.group.steps {
        for share in step.drives.iter_mut().chain([&mut step.total]) {
            (share.together_at_least, share.together_spoiled, share.p99_together_spoiled) = (is, is, is);
        }
    }
    let signs = input.group.steps[0].total.kept_signs();
    input.group.drives.iter_mut().filter_map(|drive| drive.kept.as_mut()).for_each(|kept| kept.signs = signs);
    let rate = |capacity: f64, mb_s: f64, at_least, spoiled| SizedRate {
        capacity,
        mb_s,
        half_interval: Some(1.0),
        at_least,
        spoiled,
    };
    let rates = vec![rate(1e12, 500.0, is, false), rate(2e12, 900.0, false, is)];
    let (step, label) = (input.group.steps[0].step.clone(), input.group.steps[0].label.clone());
    input.group.per_doubling = vec![Doubling::of(step, label, rates)];
    input
}

/// The signs before and after the figures of a table's columns.
fn signs_of(table: &Table) -> Vec<(String, String, String)> {
    let cells = table.rows.iter().flat_map(|row| row.iter().zip(&table.columns));
    let figures = cells.filter(|(cell, column)| column.figures && !cell.text.is_empty() && !cell.is_void());
    let sign = |(cell, column): (&crate::figure::table::Cell, &crate::figure::table::Column)| {
        let text = cell.plain();
        let (before, behind) = text.split_at(text.find(|c: char| c.is_ascii_digit() || c == '-').expect("a figure"));
        (column.title.clone(), before.trim().to_owned(), behind.matches(ALL_SIGNS).collect())
    };
    figures.map(sign).collect()
}

/// Every rate, and every share and ratio that is made of rates, has the signs of those.
#[test]
fn every_table_and_bar_of_limited_and_disturbed_rates_has_their_signs() {
    let wanted = |title: &str| match title {
        "Together" => ("≥", "▲"),
        "Kept" | "Kept, median step" | "Lowest" | "Highest" => ("≥", "◆"),
        "Lost" => ("≤", "◆"),
        "p99 together" => ("", "▼"),
        // The small drive may do more, and the large one was disturbed.
        "Per doubling" | "From" | "To" => ("≤", "◆"),
        _ => ("", ""),
    };
    with(&sample_group(), |input| {
        let [input, plain] = [true, false].map(|is| limited_and_disturbed(input, is));
        let tables = |input: &GroupInput<'_>| {
            let mut tables = vec![together::drives_table(input)];
            tables.extend(asked::tables(&input.group));
            tables.extend(together::tests(input).into_iter().flat_map(|test| test.figures).map(|figure| figure.table));
            tables
        };
        let mut marked = 0;
        for (title, before, behind) in tables(&input).iter().flat_map(signs_of) {
            assert_eq!((before.as_str(), behind.as_str()), wanted(&title), "{title}");
            marked += usize::from(!behind.is_empty());
        }
        assert!(marked > 50, "only {marked}");
        // On 80 columns the rates give way, not the ratio.
        let doubling = tables(&input).into_iter().find(|table| table.caption.contains("doubling")).expect("its table");
        let narrow = crate::formats::columns::plain(&doubling, 80).join("\n");
        assert!(narrow.contains("Per doubling"), "{narrow}");
        assert!(!narrow.contains("wider terminals") || narrow.contains("show: Rates by capacity"), "{narrow}");
        let quiet = |(_, before, behind): (String, String, String)| before.is_empty() && behind.is_empty();
        assert!(tables(&plain).iter().flat_map(signs_of).all(quiet));
        let bars = |input: &GroupInput<'_>, panel: &str| -> Vec<String> {
            let figures = together::tests(input).into_iter().flat_map(|test| test.figures);
            let charts = figures.filter_map(|figure| figure.chart);
            let panels = charts.flat_map(|chart| chart.panels).filter(|one| one.title == panel);
            let points = panels.flat_map(|panel| panel.series).flat_map(|series| series.points);
            points.filter(|point| point.1.is_some()).map(|point| point.2.matches(ALL_SIGNS).collect()).collect()
        };
        for (panel, signs) in [("Throughput, all at once", "≥▲"), ("Share of the rate alone kept", "≥◆")] {
            assert!(bars(&input, panel).len() > 8 && bars(&input, panel).iter().all(|one| one == signs), "{panel}");
            assert!(bars(&plain, panel).iter().all(String::is_empty), "{panel}");
        }
    });
}

/// The same as each format prints them, at the top of the page too, and what the signs mean.
#[test]
fn every_format_of_limited_and_disturbed_rates_has_their_signs() {
    with(&sample_group(), |input| {
        let [input, plain] = [true, false].map(|is| limited_and_disturbed(input, is));
        let (step, rate) = together::highest(&input.group).expect("a sum");
        let most = format!("≥ {} ▲", crate::format::mb_s(rate));
        let kept = format!("≥ {:.1} ◆", step.total.kept_percent.expect("what is kept"));
        let range = input.group.drives[0].kept.expect("a range");
        let median = format!("≥ {:.1} ◆", range.median_percent);
        let (page, markdown) = (together_html(&input).unwrap(), together_markdown(&input));
        let terminal = together_terminal(&input, 160);
        for text in [&markdown, &terminal] {
            for figure in [&most, &kept, &median, "≤ 1.800 ◆"] {
                assert!(text.contains(figure), "{figure}: {text}");
            }
            assert!(text.contains("≥ 500.0 ± 1.00") && text.contains("900.0 ▲ ± 1.00"), "{text}");
        }
        let whole = |percent: f64| format!("≥ {percent:.0} ◆");
        let (least, most_kept) = (whole(range.least_percent), whole(range.most_percent));
        for tile in [
            format!("<dd>{most} MB/s</dd>"),
            format!(", {kept} % of the sum alone"),
            format!("<dd>{} %</dd><dd>{least} to {most_kept} % over ", whole(range.median_percent)),
        ] {
            assert!(page.contains(&tile), "{tile}");
        }
        assert!(page.contains(&format!("\"≥ {} ▲ MB/s\"", crate::format::mb_s(step.drives[0].together_mb_s.unwrap()))));
        let json = together_json(&input).unwrap();
        for (part, signs) in [
            (&json["drives"][0]["kept"], ["at_least", "spoiled"]),
            (&json["steps"][0]["total"], ["together_at_least", "together_spoiled"]),
            (&json["per_doubling"][0]["ratio"], ["at_most", "spoiled"]),
        ] {
            assert!(signs.iter().all(|sign| part[sign] == true), "{part}");
        }
        assert!(json["drives"][0]["kept"].get("at_most").is_none());
        assert_eq!(json["per_doubling"][0]["rates"][0]["at_least"], true);
        assert_eq!(json["per_doubling"][0]["rates"][1]["spoiled"], true);
        let validator = jsonschema::validator_for(&together_schema()).unwrap();
        assert!(validator.is_valid(&json));
        let csv = together_csv(&input).unwrap();
        assert!(csv.lines().skip(1).all(|line| line.contains(",,yes,,yes,,yes")), "{csv}");

        let says = [BOUNDS, terminal::DISTURBED];
        assert!(says.iter().all(|words| terminal.contains(words)), "{terminal}");
        let quiet = together_terminal(&plain, 160);
        assert!(!quiet.contains(ALL_SIGNS), "{quiet}");
        let quiet = together_markdown(&plain);
        assert!(!quiet.split("## What the figures mean").next().unwrap_or_default().contains(ALL_SIGNS), "{quiet}");
    });
}

#[test]
fn the_document_keeps_to_its_schema() {
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
        let figures: Vec<_> = together::tests(input).into_iter().flat_map(|test| test.figures).collect();
        let figures = figures.into_iter().chain(together::time_figure(input));
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

#[test]
fn a_drive_without_a_run_of_its_own_keeps_the_letters_of_the_others() {
    let mut runs = sample_group();
    let whole = with(&runs, |input| together_html(input).unwrap());
    assert!(whole.contains("id=\"comparison\"") && whole.contains("Headline figures, against A"), "{whole}");
    runs.retain(|run| run.group.as_ref().is_some_and(|own| own.role != GroupRole::Alone || own.drive != 0));
    let rest = with(&runs, |input| together_html(input).unwrap());
    assert!(rest.contains("Headline figures, against B"), "C is compared with B, as the page calls them");
}

#[test]
fn drives_have_the_names_that_the_user_gave_them_and_are_compared_in_every_document() {
    with(&sample_group(), |input| {
        let named = input.clone().with_drives(|_| DriveWords { name: "Desk drive".to_owned(), price: None });
        let (html, markdown) = (together_html(&named).unwrap(), together_markdown(&named));
        for text in [&html, &markdown] {
            assert!(text.contains("Desk drive") && text.contains("Headline figures, against A"), "{markdown}");
        }
        assert!(!together_markdown(input).contains("Desk drive"));
        let compared = &together_json(&named).unwrap()["compared"];
        let titles: Vec<&str> =
            compared["sides"].as_array().unwrap().iter().map(|side| side["title"].as_str().unwrap()).collect();
        assert!(titles.len() == 3 && titles.iter().all(|title| title.starts_with("Desk drive")), "{titles:?}");
    });
}
