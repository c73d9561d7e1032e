//! Articles about the sample: drafts that build, references, values, pictures, and everything that must not reach a page.

use drivelab_analysis::digest::Digest;
use drivelab_analysis::{Analysis, analyse, suitability};
use drivelab_core::finding::Severity;
use drivelab_core::run::RunRecords;
use drivelab_core::verdict_rules::{DriveUse, VerdictRules};
use drivelab_samples::{sample_run, sample_watched_run, slowed};

use super::*;
use crate::figure::input::ReportInput;
use crate::views::across::sides::Sides;

const HEAD: &str = "+++\ntitle = \"A <b>title</b>\"\nauthor = \"A. Author\"\nruns = [\"x\"]\n+++\n";

fn analysed(records: &RunRecords) -> Analysis {
    let mut analysis = analyse(records);
    let system = DriveUse { id: "system".to_owned(), title: "System disk".to_owned(), needs: Vec::new() };
    let rules = VerdictRules { uses: vec![system], rules: Vec::new() };
    analysis.suitability = Some(suitability::of_run(records, &analysis, Ok(&rules)));
    analysis
}

/// Passes the sample as material to a function.
fn with<T>(check: impl FnOnce(&Material<'_>) -> T) -> T {
    let records = sample_run();
    let analysis = analysed(&records);
    let runs = [ReportInput { records: &records, analysis: &analysis }];
    check(&Material { runs: &runs, digests: &[], sides: &Sides::alone(0) })
}

fn built(body: &str) -> Result<Built, Vec<Remark>> {
    let article = Article::parse(&format!("{HEAD}{body}")).expect("a front matter");
    with(|material| article.build(material, &BTreeMap::new()).expect("a page"))
}

fn page(body: &str) -> String {
    built(body).unwrap_or_else(|mistakes| panic!("{mistakes:?}")).page
}

/// The line and the text of the only mistake.
fn mistake(body: &str) -> (usize, String) {
    let mistakes = built(body).expect_err("a mistake");
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    (mistakes[0].line, mistakes[0].what.clone())
}

const ADDRESS: &str = "corners/seq-1m-q8t1-read:read.throughput";

#[test]
fn a_fresh_draft_builds_as_it_is_with_its_gaps_shown_and_without_a_remark() {
    let front = Front { title: "T".to_owned(), runs: vec!["x".to_owned()], ..Front::default() };
    with(|material| {
        let text = draft(&front, material);
        let article = Article::parse(&text).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"));
        assert_eq!(article.front, front);
        let built = article.build(material, &BTreeMap::new()).expect("a page");
        let built = built.unwrap_or_else(|mistakes| panic!("{mistakes:?}\n{text}"));
        assert!(built.gaps.len() >= 8 && built.page.contains("<mark class=\"gap\">"), "{:?}", built.gaps);
        assert_eq!(built.remarks, []);
        assert!(built.charts.len() >= 5, "{:?}", built.charts);
        assert!(built.charts.iter().all(|chart| built.page.contains(&format!("id=\"{}\"", chart.name))));
        // Each section of a test has a figure that is checked.
        assert!(text.matches("{{ value ").count() >= 4, "{text}");
        assert!(text.find("{{ short }}") < text.find("## What it is"));
        assert!(text.contains("\n## Verdict\n") && text.contains("{{ verdicts }}"));
    });
}

#[test]
fn a_watched_run_has_heat_and_power_in_its_draft() {
    let records = sample_watched_run();
    let analysis = analysed(&records);
    let runs = [ReportInput { records: &records, analysis: &analysis }];
    let material = Material { runs: &runs, digests: &[], sides: &Sides::alone(0) };
    let front = Front { title: "T".to_owned(), runs: vec!["x".to_owned()], ..Front::default() };
    let text = draft(&front, &material);
    let section = text.split("\n## ").find(|part| part.starts_with("Heat and power")).expect("a section");
    assert!(section.contains("{{ chart telemetry"), "{section}");
    with(|material| assert!(!draft(&front, material).contains("Heat and power"), "nothing was watched"));
}

#[test]
fn each_warning_stands_once_on_the_page_of_a_draft() {
    let records = slowed(1.5);
    let analysis = analysed(&records);
    let runs = [ReportInput { records: &records, analysis: &analysis }];
    let material = Material { runs: &runs, digests: &[], sides: &Sides::alone(0) };
    let front = Front { title: "T".to_owned(), runs: vec!["x".to_owned()], ..Front::default() };
    let text = draft(&front, &material);
    let article = Article::parse(&text).expect("a draft");
    let page = article.build(&material, &BTreeMap::new()).expect("a page").expect("no mistake").page;
    let grave = analysis.findings.iter().filter(|finding| finding.severity != Severity::Note);
    let mut count = 0;
    for statement in grave.map(|finding| crate::figure::prose::html(&finding.statement)) {
        assert_eq!(page.matches(&format!("<p>{statement}</p>")).count(), 1, "{statement}");
        count += 1;
    }
    assert!(count > 0, "the made-up run has warnings");
}

#[test]
fn a_draft_of_two_runs_names_each_and_compares_them() {
    let (one, other) = (sample_run(), slowed(2.0));
    let (first, second) = (analysed(&one), analysed(&other));
    let runs = [ReportInput { records: &one, analysis: &first }, ReportInput { records: &other, analysis: &second }];
    let digests = [Digest::of(&one, &first), Digest::of(&other, &second)];
    let digests: Vec<&Digest> = digests.iter().collect();
    let sides = Sides::alone(2);
    let material = Material { runs: &runs, digests: &digests, sides: &sides };
    let front = Front { title: "T".to_owned(), runs: vec!["x".to_owned(), "y".to_owned()], ..Front::default() };
    let text = draft(&front, &material);
    for part in [
        "## A: ",
        "## B: ",
        "{{ value B corners/",
        "{{ chart b-corners-bars }}",
        "## Beside others",
        "{{ table comparison }}",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let built = Article::parse(&text).expect("a draft").build(&material, &BTreeMap::new()).expect("a page");
    let built = built.unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    assert!(built.tables.iter().any(|table| table.name == "comparison" && table.markdown.contains("| ")));
}

#[test]
fn a_value_is_the_figure_of_the_run_and_a_changed_one_is_an_error_with_both() {
    let now = with(|material| Items::of(material).value(ADDRESS, material).expect("a figure"));
    assert!(now.ends_with(" MB/s"), "{now}");
    assert!(page(&format!("It reads {{{{ value {ADDRESS} }}}}.")).contains(&format!("It reads {now}.")));
    assert!(page(&format!("It reads {{{{ value {ADDRESS} = {now} }}}}.")).contains(&format!("It reads {now}.")));
    let (line, what) = mistake(&format!("\n\nIt reads {{{{ value {ADDRESS} = 1 MB/s }}}}.\n"));
    assert_eq!(line, 8, "the front matter has five lines");
    assert!(what.contains(&now) && what.contains("1 MB/s"), "{what}");
    let (_, what) = mistake("{{ value corners/seq-1m-q8t1-raed:read.throughput }}");
    assert!(what.contains("has no figure") && what.contains(ADDRESS), "{what}");
    assert!(mistake(&format!("{{{{ value Q {ADDRESS} }}}}")).1.contains("no run Q"));
}

#[test]
fn references_that_lead_nowhere_are_errors_that_name_what_there_is() {
    for (body, says) in [
        ("{{ chart corner-bars }}", "no chart 'corner-bars'; charts: corners-bars"),
        ("{{ table nothing }}", "no table 'nothing'"),
        ("{{ finding nothing }}", "no run has the finding 'nothing'"),
        ("{{ sheet }}", "data sheet"),
        ("{{ picture x }}", "unknown reference 'picture'; known: chart NAME"),
        ("text {{ chart corners-bars }}", "needs a line of its own"),
        ("{{ chart corners-bars", "has no }} on the same line"),
    ] {
        let (line, what) = mistake(body);
        assert!(line == 6 && what.contains(says), "{body}: {what}");
    }
    let twice = "{{ chart corners-bars }}\n\n{{ chart corners bars }}\n";
    assert_eq!(mistake(twice), (8, "the chart 'corners-bars' is shown twice; keep one".to_owned()));
    // Code is left alone, and what stands behind it is not.
    let code = page("`{{ chart x }}`\n\n```\n{{ chart y }}\n```\n");
    assert!(code.contains("{{ chart x }}") && code.contains("{{ chart y }}"));
    let (_, what) = mistake(&format!("`{{{{ gap a }}}}` and {{{{ value {ADDRESS} = 1 MB/s }}}}"));
    assert!(what.contains("the article says 1 MB/s"), "{what}");
    assert!(page("`{{ a }} {{ b }}`").contains("<code>{{ a }} {{ b }}</code>"));
    assert!(mistake("{{ chart corners-bars }} {{ gap x }}").1.contains("needs a line of its own"));
}

#[test]
fn a_draft_builds_whatever_tests_are_called() {
    let mut records = sample_run();
    for test in &mut records.plan.tests {
        match test.name.as_str() {
            // Its charts begin with the name of another test.
            "mixes" => test.name = "corners-mixes".to_owned(),
            "sustained" => (test.name, test.title) = ("../../x".to_owned(), "A {{ chart x }} of `{{ y }}`".to_owned()),
            _ => {}
        }
    }
    let analysis = analysed(&records);
    let runs = [ReportInput { records: &records, analysis: &analysis }];
    let sides = Sides::alone(0);
    let material = Material { runs: &runs, digests: &[], sides: &sides };
    let front = Front { title: "T".to_owned(), runs: vec!["x".to_owned()], ..Front::default() };
    let text = draft(&front, &material);
    let built = Article::parse(&text).expect("a draft").build(&material, &BTreeMap::new()).expect("a page");
    let built = built.unwrap_or_else(|mistakes| panic!("{mistakes:?}\n{text}"));
    assert!(built.page.contains("A {{ chart x }} of `{{ y }}`"), "{text}");
    // A name is also the name of a file.
    let names = built.charts.iter().map(|one| &one.name).chain(built.tables.iter().map(|one| &one.name));
    assert!(names.clone().all(|name| !name.contains(['/', '.'])), "{:?}", names.collect::<Vec<_>>());
}

#[test]
fn a_chart_stands_where_it_was_named_with_its_table_and_its_data() {
    let body = "Before.\n\n{{ chart corners bars }}\n\nBehind.\n";
    let built = built(body).expect("a page");
    let place = |text: &str| built.page.find(text).unwrap_or_else(|| panic!("no {text}"));
    assert!(place("Before.") < place("id=\"corners-bars\"") && place("id=\"corners-bars\"") < place("Behind."));
    assert!(!built.page.contains("<p><figure>"));
    assert_eq!(built.charts.iter().map(|chart| &*chart.name).collect::<Vec<_>>(), ["corners-bars"]);
    let json: serde_json::Value = serde_json::from_str(&built.charts[0].json).expect("JSON");
    assert_eq!(json["id"], "corners-bars");
    assert!(built.tables[0].markdown.starts_with("| ") && built.tables[0].html.contains("<table"));
}

#[test]
fn raw_html_scripts_and_odd_links_never_reach_the_page() {
    for body in
        ["<script>alert(1)</script>", "A <img src=x onerror=alert(2)> b", "<!-- c -->", "<div>\n{{ short }}\n</div>"]
    {
        let (line, what) = mistake(&format!("one\n\n{body}\n"));
        assert!(line == 8 && what.contains("raw HTML is not allowed"), "{body}: {what}");
    }
    let text = page("`<script>` and 1 < 2");
    assert!(text.contains("<code>&lt;script&gt;</code> and 1 &lt; 2"), "{text}");
    assert!(text.contains("<h1>A &#60;b&#62;title&#60;/b&#62;</h1>"));
    for (link, says) in [
        ("javascript:alert(1)", "not a valid link"),
        ("JavaScript:alert(1)", "not a valid link"),
        ("data:text/html,x", "not a valid link"),
        ("file:///etc/passwd", "not a valid link"),
    ] {
        let (line, what) = mistake(&format!("one\n\n[x]({link})\n"));
        assert!(line == 8 && what.contains(says), "{what}");
    }
    assert!(page("[x](https://example.org/a)").contains("href=\"https://example.org/a\""));
    // Signs that stand for blocks cannot be written by hand.
    assert!(!page("a \u{e000}0\u{e001} b {{ gap x }}").contains("a <mark"));
    assert!(!page("a &#xE000;0&#xE001; b {{ gap x }}").contains("a <mark"));
    // A gap within the words of a picture is listed, and its HTML stays out of the attribute.
    let picture = BTreeMap::from([("a.png".to_owned(), Picture::read(vec![0x89, b'P', b'N', b'G', 1, 2, 3]))]);
    let article = Article::parse(&format!("{HEAD}![{{{{ gap what? }}}}](a.png)")).expect("an article");
    let built = with(|material| article.build(material, &picture).expect("a page")).expect("no mistakes");
    assert!(built.page.contains("alt=\"\"") && built.gaps.len() == 1, "{}", built.page);
    assert!(page("<me@example.org>").contains("href=\"mailto:me@example.org\""));
    // The headings of a table lead to definitions on other pages, and to nothing here.
    assert!(!page("{{ table corners-bars }}\n\n{{ chart whole-run }}\n").contains("href=\"#metric-"));
}

#[test]
fn pictures_become_a_part_of_the_page_or_an_error_with_their_line() {
    let article = Article::parse(&format!("{HEAD}\n![The drive](drive.png \"t\")\n")).expect("an article");
    assert_eq!(article.pictures(), [(7, "drive.png".to_owned())]);
    let build = |picture: Result<Picture, String>| {
        let pictures = BTreeMap::from([("drive.png".to_owned(), picture)]);
        with(|material| article.build(material, &pictures).expect("a page"))
    };
    let png = Picture::read(vec![0x89, b'P', b'N', b'G', 1, 2, 3]).expect("a PNG");
    let page = build(Ok(png)).expect("a page").page;
    assert!(page.contains("<img src=\"data:image/png;base64,iVBORwECAw==\" alt=\"The drive\""), "{page}");
    let mistakes = build(Err("cannot be read: no such file".to_owned())).expect_err("a mistake");
    assert_eq!((mistakes[0].line, &*mistakes[0].what), (7, "the picture 'drive.png' cannot be read: no such file"));
    assert!(mistake("![x](https://example.org/x.png)").1.contains("the page opens offline"));
    assert!(Picture::read(b"<svg onload=...>".to_vec()).is_err());
    assert!(Picture::read(vec![0; LARGEST_PICTURE + 1]).expect_err("too large").contains("make it smaller"));
}

#[test]
fn a_front_matter_that_is_wrong_is_refused_at_its_line() {
    let wrong = |text: &str| Article::parse(text).expect_err("a mistake");
    assert!(wrong("# Title\n").what.contains("begins with its front matter"));
    assert!(wrong("---\ntitle: T\n---\n").what.contains("not YAML"));
    let one = wrong("+++\ntitle = \"T\"\ndate = 2026-11-30\nruns = [\"x\"]\n+++\n");
    assert!(one.line == 3 && one.what.contains("put it in quotes"), "{one:?}");
    assert!(wrong("+++\ntitle = \"T\"\n").what.contains("does not end"));
    let one = wrong("+++\ntitle = \"T\"\nruns = \"x\"\n+++\n");
    assert!(one.line == 3 && one.what.contains("sequence"), "{one:?}");
    let one = wrong("+++\ntitle = \"T\"\nruns = [\"x\"]\ntilte = 1\n+++\n");
    assert!(one.line == 4 && one.what.contains("tilte"), "{one:?}");
    assert!(wrong("+++\ntitle = \"\"\nruns = [\"x\"]\n+++\n").what.contains("title is empty"));
    assert!(wrong("+++\ntitle = \"T\"\n+++\n").what.contains("nothing is shown"));
}

#[test]
fn a_figure_written_by_hand_that_nothing_has_is_a_remark() {
    let now =
        with(|material| material.runs[0].analysis.metric(ADDRESS).and_then(|metric| metric.value).expect("a figure"));
    let near = format!("{:.0} MB/s", now * 1.01);
    let far = format!("{:.0} MB/s", now * 7.0);
    let built = built(&format!("It reads {near}, they say {far}.\n\n`{far}`\n")).expect("a page");
    let [remark] = built.remarks.as_slice() else { panic!("{:?}", built.remarks) };
    assert!(remark.line == 6 && remark.what.contains(&far) && remark.what.contains("the nearest is"), "{remark:?}");
}

#[test]
fn a_warning_in_the_text_is_not_repeated_below_but_that_of_another_run_is() {
    let mut records = sample_run();
    records.findings.push(drivelab_analysis::findings::state_unmet(
        "Corners",
        records.steps[0].key.clone(),
        &["the area should hold data".to_owned()],
    ));
    let analysis = analysed(&records);
    let statement =
        analysis.findings.iter().find(|one| one.code == "state_unmet").expect("a warning").statement.clone();
    let statement = crate::figure::prose::html(&statement).to_string();
    let run = ReportInput { records: &records, analysis: &analysis };
    let digests = [Digest::of(&records, &analysis), Digest::of(&records, &analysis)];
    let digests: Vec<&Digest> = digests.iter().collect();
    let times = |body: &str| {
        let article = Article::parse(&format!("{HEAD}{body}")).expect("a front matter");
        let material = Material { runs: &[run, run], digests: &digests, sides: &Sides::alone(2) };
        let built = article.build(&material, &BTreeMap::new()).expect("a page").expect("no mistakes");
        (built.page.matches(&statement).count(), built.page.matches("are in the text above").count())
    };
    assert_eq!(times("text"), (2, 0));
    assert_eq!(times("{{ finding A state_unmet }}"), (2, 1), "run B has it below");
    assert_eq!(times("{{ finding state_unmet }}"), (2, 2), "both have it in the text");
}

#[test]
fn everything_that_can_be_shown_is_listed() {
    let text = with(article_items);
    for part in ["  corners-bars ", "  whole-run ", "Findings", "{{ gap TEXT }}"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
