//! The page: everything that a review shows, for templates/page.html.

use std::collections::BTreeSet;

use askama::Template;
use drivelab_analysis::METRICS;
use drivelab_analysis::digest::Digest;
use drivelab_core::group::letter;
use drivelab_core::metric::MetricDef;
use drivelab_core::plan::{Form, TestPlan};
use drivelab_core::words::enumerated;

use crate::documents::results;
use crate::error::ReportError;
use crate::figure::chart::Chart;
use crate::figure::input::ReportInput;
use crate::figure::pairs::measured_tests;
use crate::figure::prose::filters;
use crate::figure::table::Table;
use crate::figure::{Figure, TestView, escape, format, wrap};
use crate::formats::asset;
use crate::formats::compare::Compared;
use crate::formats::detail::{Detail, PAGE_LIMIT};
use crate::marker;
use crate::views::across::compare::{self, Comparison};
use crate::views::across::sides::Sides;
use crate::views::run::check::{self, CheckView};
use crate::views::run::look::{self, Look, Tile};
use crate::views::run::sheet::{self, SheetView};
use crate::views::run::short::{self, Short};
use crate::views::run::telemetry::{self, Watched};
use crate::views::run::{account, how, scores};
use crate::views::{test, time_line};
use crate::words::facts::{self, Fact};
use crate::words::probe::section::Section;
use crate::words::probe::{probe_of, sections};
use crate::words::run_facts;

/// A finding as shown.
#[derive(Debug)]
struct FindingView {
    severity: &'static str,
    code: String,
    statement: String,
    about: String,
    evidence: Vec<String>,
    likely_cause: String,
    next_action: String,
}

/// What limits how far to trust the figures, in a line.
#[derive(Debug)]
struct Strip {
    /// `2 warnings, an interruption.`
    count: String,
    /// The statement of the most serious warning, cut; empty for none.
    most_serious: String,
}

/// How many findings, interruptions and failures limit how far to trust the figures, and what the most serious finding
/// states; `None` for none.
fn strip(input: &ReportInput<'_>) -> Option<Strip> {
    let warned = run_facts::warned(input);
    let also = [
        (!facts::breaks(input).is_empty(), "an interruption"),
        (!run_facts::failures(input).is_empty(), "failed steps"),
    ];
    let mut counts: Vec<&str> = warned.iter().map(|warned| warned.count.as_str()).collect();
    counts.extend(also.into_iter().filter(|(is_so, _)| *is_so).map(|(_, what)| what));
    let count = format!("{}.", counts.join(", "));
    let most_serious = warned.iter().map(|warned| wrap::cut(&warned.most_serious, MOST_OF_A_WARNING)).collect();
    (!counts.is_empty()).then_some(Strip { count, most_serious })
}

/// Most characters of a warning in the strip.
const MOST_OF_A_WARNING: usize = 180;
/// Most tests whose charts and tables are all open on a page.
const MOST_OPEN_TESTS: usize = 12;

/// A test as shown.
#[derive(Debug)]
struct ShownTest {
    view: TestView,
    /// The headline figure that stands for charts and tables that are folded; `None` if they are open.
    folded: Option<Tile>,
}

/// Every measured test. If there are many, only those that the methodology names as headlines are open, else the first
/// ones: a reader looks for a test by its headline figure, and unfolds what lies behind it.
fn shown_tests(input: &ReportInput<'_>, prefix: &str, most: usize) -> Vec<ShownTest> {
    let plan = &input.records.plan;
    let tests: Vec<&TestPlan> = measured_tests(plan).collect();
    let many = tests.len() > MOST_OPEN_TESTS;
    let open = |at: usize, test: &TestPlan| match plan.headlines.as_slice() {
        [] => at < MOST_OPEN_TESTS,
        headlines => headlines.contains(&test.name),
    };
    // The table of pairs, with its bars, is at the top of the page already.
    let corners = look::corner_test(input).map(|test| &test.name);
    let shown = |(at, test): (usize, &TestPlan)| {
        let mut view = test::view(input, test, prefix, most);
        if corners == Some(&test.name) {
            view.figures.iter_mut().take(1).for_each(|figure| figure.chart = None);
            // What that table does not show comes first: the distribution of the latencies.
            let last = view.figures.len().min(1);
            view.figures.rotate_left(last);
        }
        let folded = (many && !open(at, test)).then(|| look::tile(input, test).unwrap_or_default());
        ShownTest { view, folded }
    };
    tests.into_iter().enumerate().map(shown).collect()
}

/// One run as shown.
#[derive(Debug)]
struct RunView {
    /// Keeps ids unique on a page of several runs; empty for a single run.
    prefix: String,
    name: String,
    form: &'static str,
    form_note: &'static str,
    smoke: bool,
    title: String,
    version: String,
    summary: String,
    good_for: String,
    cannot_tell: String,
    method: String,
    hash: String,
    started: String,
    state: &'static str,
    message: String,
    id: String,
    length: String,
    /// Verdict and answers, if the run is a check.
    check: Option<CheckView>,
    short: Short,
    look: Look,
    /// The data sheet compared with the measured figures.
    sheet: Option<SheetView>,
    /// The same if no data sheet of the drive is known: it stands behind the tests.
    sheet_behind_tests: Option<SheetView>,
    scores: Table,
    findings: Vec<FindingView>,
    strip: Option<Strip>,
    drives: Vec<Vec<Fact>>,
    probe: Vec<Section>,
    /// The drive that the sections describe.
    probe_of: String,
    target: Vec<Fact>,
    testbed: Vec<Fact>,
    stated: Vec<Fact>,
    own_title: String,
    tests: Vec<ShownTest>,
    whole_run: Vec<Figure>,
    watched: Watched,
    how: Table,
    how_all: Vec<(String, String)>,
    approximations: Vec<String>,
    sources: Vec<String>,
    limits: Table,
    account: Table,
    account_all: Vec<(String, String)>,
    breaks: Vec<String>,
    failures: Vec<String>,
    tool: String,
}

impl RunView {
    fn of(input: &ReportInput<'_>, prefix: String, name: String, most: usize) -> Self {
        let records = input.records;
        let plan = &records.plan;
        let tool = &records.tool;
        let (how, how_all) = how::how_measured(input);
        let (account, account_all) = account::account(input);
        let (sheet, sheet_behind_tests) = match sheet::of_run(input) {
            Some(view) if !view.states_figures => (None, Some(view)),
            view => (view, None),
        };
        RunView {
            name,
            form: plan.form.words(&plan.methodology.name),
            form_note: run_facts::form_note(input),
            smoke: plan.form == Form::Smoke,
            title: plan.title.clone(),
            version: run_facts::version(plan).to_owned(),
            summary: run_facts::summary(input),
            good_for: plan.good_for.clone(),
            cannot_tell: run_facts::cannot_tell(input),
            method: plan.methodology.name.clone(),
            hash: plan.methodology.hash.clone(),
            started: records.started.replacen('T', " ", 1).replace('Z', " UTC"),
            state: run_facts::state_word(records.state),
            message: records.message.clone(),
            id: records.run.to_string(),
            length: format::duration(drivelab_core::units::Nanos::new(records.last_at_ns)),
            check: check::of_run(input),
            short: short::of_run(input),
            look: look::look(input),
            sheet,
            sheet_behind_tests,
            scores: scores::table(input),
            findings: findings(input),
            strip: strip(input),
            drives: facts::drives(input),
            probe_of: records.environment.probe.as_deref().map(probe_of).unwrap_or_default(),
            probe: records.environment.probe.as_deref().map(sections).unwrap_or_default(),
            target: facts::target(input),
            testbed: facts::testbed(input),
            stated: facts::stated(input),
            own_title: records.label.title.clone(),
            tests: shown_tests(input, &prefix, most),
            whole_run: time_line::of_run(input, &prefix, most).into_iter().collect(),
            watched: telemetry::watched(input, &prefix, most),
            how,
            how_all,
            approximations: run_facts::approximations(input),
            sources: plan.sources.iter().map(|source| source.citation.clone()).collect(),
            limits: how::limits(input),
            account,
            account_all,
            breaks: facts::breaks(input),
            failures: run_facts::failures(input),
            tool: format!("drivelab {} ({}, {} build)", tool.version, tool.commit, tool.profile),
            prefix,
        }
    }

    fn charts(&self) -> impl Iterator<Item = &Chart> {
        let figures =
            self.tests.iter().flat_map(|test| &test.view.figures).chain(&self.whole_run).chain(&self.watched.figures);
        figures.filter_map(|figure| figure.chart.as_ref())
    }
}

fn findings(input: &ReportInput<'_>) -> Vec<FindingView> {
    let view = |finding: &drivelab_core::finding::Finding| FindingView {
        severity: run_facts::severity_word(finding.severity),
        code: finding.code.clone(),
        statement: finding.statement.clone(),
        about: run_facts::about(input, finding),
        evidence: run_facts::evidence(finding, run_facts::MOST_EVIDENCE),
        likely_cause: finding.likely_cause.clone(),
        next_action: finding.next_action.clone(),
    };
    run_facts::findings(input).into_iter().map(view).collect()
}

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    title: String,
    generator: &'static str,
    style: &'static str,
    script: &'static str,
    runs: Vec<RunView>,
    comparison: Option<Comparison>,
    /// What each side of the comparison is.
    sides: Vec<String>,
    definitions: Vec<&'static MetricDef>,
    charts: String,
    results: String,
    /// What was thinned to keep the page small, a clause each.
    thinned: Vec<String>,
    /// Whether the page is too large in spite of all thinning.
    too_large: bool,
    file: &'a str,
}

/// The page of one or several runs with these digests, as detailed as its size allows.
pub(crate) fn html(inputs: &[ReportInput<'_>], digests: &[&Digest], sides: &Sides) -> Result<String, ReportError> {
    let compared = (inputs.len() > 1 || !sides.published.is_empty()).then(|| compare::with_charts(digests, sides));
    for detail in Detail::LADDER {
        let page = at_detail(inputs, (sides, compared.as_ref()), detail, false)?;
        if let Some(page) = page.filter(|page| page.len() <= detail.most.min(PAGE_LIMIT - 1)) {
            return Ok(page);
        }
    }
    Ok(at_detail(inputs, (sides, compared.as_ref()), Detail::COARSEST, true)?.unwrap_or_default())
}

/// What a level of detail leaves out, a clause each.
fn thinned(detail: Detail, lost: &[&str], several: bool) -> Vec<String> {
    let curves =
        format!("curves over time have at most about {} points (their captions say how they were made)", detail.points);
    let copy = format!("the copy of the results leaves out {}", enumerated(lost));
    let tables =
        "the comparison's charts have no data tables, and only headline figures are listed (`--all` lists all figures)"
            .to_owned();
    [(detail.thins_curves(), curves), (!lost.is_empty(), copy), (several && detail.drops_tables_of_charts(), tables)]
        .into_iter()
        .filter_map(|(done, text)| done.then_some(text))
        .collect()
}

/// The page; `None` if it would be larger than the level of detail allows.
fn at_detail(
    inputs: &[ReportInput<'_>],
    (sides, comparison): (&Sides, Option<&Comparison>),
    detail: Detail,
    too_large: bool,
) -> Result<Option<String>, ReportError> {
    // Without runs the page is of published figures, and their document is small.
    let embedded = match inputs {
        [] => Some((serde_json::to_string(&Compared { runs: &[], sides }.document())?, Vec::new())),
        _ => results::embedded(inputs, detail.cuts, detail.most)?,
    };
    let Some((results, lost)) = embedded else { return Ok(None) };
    let several = inputs.len() > 1;
    let view = |(index, input): (usize, &ReportInput<'_>)| {
        let prefix = if several { format!("run-{}-", letter(index).to_lowercase()) } else { String::new() };
        let environment = &input.records.environment;
        let name =
            if several { sides.run_title(index, environment) } else { sides.drive(sides.side_of(index), environment) };
        RunView::of(input, prefix, name, detail.points)
    };
    let runs: Vec<RunView> = inputs.iter().enumerate().map(view).collect();
    let mut comparison = comparison.cloned();
    let compared = comparison.is_some();
    if detail.drops_tables_of_charts() {
        comparison.iter_mut().for_each(|one| one.leave_out_details(sides.all));
    }
    let across = comparison.iter().flat_map(Comparison::charts);
    let charts: Vec<&Chart> = across.chain(runs.iter().flat_map(RunView::charts)).collect();
    let charts = escape::script(&serde_json::to_string(&charts)?);
    let title = match runs.as_slice() {
        [] => format!("Published figures of {}", format::counted(published_drives(sides), "drive")),
        [only] => format!("{}: {} ({})", only.name, only.title, only.form),
        runs => format!("{} runs side by side", runs.len()),
    };
    let page = Page {
        title,
        generator: marker::PAGE,
        style: asset::STYLE,
        script: asset::SCRIPT,
        sides: side_lines(inputs, sides),
        comparison,
        definitions: match inputs {
            [] => published_definitions(sides),
            _ => run_facts::definitions(inputs),
        },
        charts,
        thinned: thinned(detail, &lost, compared),
        too_large,
        results: escape::script(&results),
        file: "drivelab-results.json",
        runs,
    };
    Ok(Some(page.render()?))
}

/// The definitions of the published figures.
fn published_definitions(sides: &Sides) -> Vec<&'static MetricDef> {
    let published = sides.published.iter().flat_map(|side| &side.figures);
    let used: BTreeSet<&str> = published.map(|figure| figure.metric.as_str()).collect();
    METRICS.iter().filter(|def| used.contains(def.id)).collect()
}

/// Number of published drives; a drive under two conditions counts once.
fn published_drives(sides: &Sides) -> usize {
    let figures =
        sides.published.iter().flat_map(|side| side.figures().iter().map(move |one| (side.publication(), one)));
    figures.map(|(of, one)| (of, &one.drive, &one.capacity)).collect::<BTreeSet<_>>().len()
}

/// A line for each side: its letter, its drive, its runs.
fn side_lines(inputs: &[ReportInput<'_>], sides: &Sides) -> Vec<String> {
    let line = |(at, runs): (usize, &Vec<usize>)| {
        let inputs: Vec<&ReportInput<'_>> = runs.iter().filter_map(|run| inputs.get(*run)).collect();
        let title = inputs.first().map_or_else(String::new, |input| sides.title(at, &input.records.environment));
        let run = |input: &&ReportInput<'_>| {
            let started = input.records.started.get(..16).unwrap_or(&input.records.started).replace('T', " ");
            let title = Some(&input.records.label.title).filter(|title| !title.is_empty());
            let title = title.map_or_else(String::new, |title| format!(", {title}"));
            format!("{started} UTC, run {}{title}", input.records.run)
        };
        format!("{}: {title} ({})", letter(at), inputs.iter().map(run).collect::<Vec<_>>().join("; "))
    };
    sides.runs.iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests;
