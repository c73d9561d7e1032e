//! The page of several drives at once, for templates/together.html.

use askama::Template;
use drivelab_analysis::together::{KeptRange, Together};
use drivelab_core::finding::Severity;
use drivelab_core::ids::RunId;
use drivelab_core::plan::Form;

use crate::documents::together::together_json;
use crate::error::ReportError;
use crate::figure::chart::Chart;
use crate::figure::prose::filters;
use crate::figure::table::{Cell, Table};
use crate::figure::{Figure, TestView, escape, format};
use crate::formats::asset;
use crate::marker;
use crate::views::across::compare::Comparison;
use crate::views::across::group::GroupInput;
use crate::views::across::{asked, compare, together};
use crate::words::facts::{self, Fact};
use crate::words::run_facts;

/// A tile of "At a glance".
struct Tile {
    title: String,
    value: String,
    detail: String,
}

/// A finding as shown.
struct FindingView {
    severity: &'static str,
    code: String,
    statement: String,
    evidence: Vec<String>,
    likely_cause: String,
    next_action: String,
}

/// A drive's facts.
struct DriveView {
    title: String,
    target: Vec<Fact>,
    devices: Vec<Vec<Fact>>,
    runs: Vec<(&'static str, String)>,
    /// Findings of its runs that are more than notes.
    findings: Vec<String>,
}

#[derive(Template)]
#[template(path = "together.html")]
struct Page {
    title: String,
    lede: String,
    form: &'static str,
    smoke: bool,
    generator: &'static str,
    style: &'static str,
    script: &'static str,
    tiles: Vec<Tile>,
    drives_table: Table,
    asked: Vec<Table>,
    findings: Vec<FindingView>,
    /// What is said if there are none.
    no_findings: &'static str,
    /// The drives side by side, each measured alone.
    comparison: Comparison,
    tests: Vec<TestView>,
    time: Vec<Figure>,
    cpu: Table,
    cores: Table,
    drives: Vec<DriveView>,
    testbed: Vec<Fact>,
    meaning: Vec<&'static str>,
    charts: String,
    results: String,
    tool: String,
}

/// The page.
pub(crate) fn html(input: &GroupInput<'_>) -> Result<String, ReportError> {
    let group = &input.group;
    let tests = together::tests(input);
    let time: Vec<Figure> = together::time_figure(input).into_iter().collect();
    let comparison = alone(input);
    let figures = tests.iter().flat_map(|test| &test.figures).chain(&time);
    let charts: Vec<&Chart> = comparison.charts().chain(figures.filter_map(|figure| figure.chart.as_ref())).collect();
    let first = input.run_of(0).or_else(|| input.members.first()).ok_or(ReportError::NoRun)?;
    let tool = &first.records.tool;
    let page = Page {
        title: together::title(group),
        lede: together::lede(group),
        form: group.form.words(&group.methodology.name),
        smoke: group.form == Form::Smoke,
        generator: marker::PAGE,
        style: asset::STYLE,
        script: asset::SCRIPT,
        tiles: tiles(input),
        drives_table: together::drives_table(input),
        asked: asked::tables(group),
        findings: findings(input),
        no_findings: if group.each_only {
            "The group has no findings of its own."
        } else {
            "Nothing was found that disturbs the comparison of alone and together."
        },
        charts: escape::script(&serde_json::to_string(&charts)?),
        results: escape::script(&serde_json::to_string(&together_json(input)?)?),
        cores: together::cores_table(group),
        drives: (0..group.drives.len()).map(|drive| drive_view(input, drive)).collect(),
        testbed: facts::testbed(first),
        meaning: together::meaning(group),
        tool: format!("drivelab {} ({}, {} build)", tool.version, tool.commit, tool.profile),
        comparison,
        tests,
        time,
        cpu: together::cpu_table(group),
    };
    Ok(page.render()?)
}

/// The drives side by side, as each was alone, with charts.
fn alone(input: &GroupInput<'_>) -> Comparison {
    let Some((runs, sides)) = input.alone() else { return Comparison::default() };
    let digests = compare::digests(&runs);
    compare::with_charts(&digests.iter().collect::<Vec<_>>(), &sides)
}

/// How many steps are left out because the drives worked together for too little of them.
fn of_those_at_once(group: &Together) -> String {
    match group.steps.iter().filter(|step| step.apart).count() {
        0 => String::new(),
        apart => format!("; without {} of too little overlap", format::counted(apart, "step")),
    }
}

/// The lowest and the highest share that a drive kept, and over how many steps.
fn over_steps(group: &Together, drive: usize, kept: KeptRange) -> String {
    let of_drive = group.steps.iter().filter_map(|step| step.drives.get(drive));
    let (compared, all) = (of_drive.clone().filter(|share| share.kept_percent.is_some()).count(), of_drive.count());
    let steps = if compared == all { format::counted(all, "step") } else { format!("{compared} of {all} steps") };
    format!("{} to {} % over {steps}", rounded(kept.least_percent, kept), rounded(kept.most_percent, kept))
}

/// A share that a drive kept, in whole per cent with its signs.
fn rounded(percent: f64, kept: KeptRange) -> String {
    together::signed(Cell::text(format!("{percent:.0}")), kept.signs).plain()
}

/// The highest total rate, how busy the host was then, and the share that each drive kept.
fn tiles(input: &GroupInput<'_>) -> Vec<Tile> {
    let group = &input.group;
    let mut tiles = Vec::new();
    if let Some((step, _)) = together::highest(group) {
        let kept = together::kept(&step.total).plain();
        let kept = if kept.is_empty() { kept } else { format!(", {kept} % of the sum alone") };
        tiles.push(Tile {
            title: "Highest total rate".to_owned(),
            value: format!("{} MB/s", together::together_mb_s(&step.total).plain()),
            detail: format!("{}{kept}{}", step.label, of_those_at_once(group)),
        });
        if let Some(cpu) = &step.cpu {
            tiles.push(Tile {
                title: "Host CPUs in that step".to_owned(),
                value: format!("{:.0} % busy", cpu.busy_percent),
                detail: format!("mean of {}", format::counted(cpu.cores.len(), "CPU")),
            });
        }
    }
    for (index, drive) in group.drives.iter().enumerate() {
        if let Some(kept) = drive.kept {
            tiles.push(Tile {
                title: format!("Kept by {}", together::drive_name(input, index)),
                value: format!("{} %", rounded(kept.median_percent, kept)),
                detail: over_steps(group, index, kept),
            });
        }
    }
    tiles
}

fn findings(input: &GroupInput<'_>) -> Vec<FindingView> {
    let view = |finding: &drivelab_core::finding::Finding| FindingView {
        severity: run_facts::severity_word(finding.severity),
        code: finding.code.clone(),
        statement: finding.statement.clone(),
        evidence: run_facts::evidence(finding, run_facts::MOST_EVIDENCE),
        likely_cause: finding.likely_cause.clone(),
        next_action: finding.next_action.clone(),
    };
    input.group.findings.iter().map(view).collect()
}

fn drive_view(input: &GroupInput<'_>, drive: usize) -> DriveView {
    let run = input.run_of(drive);
    let own = input.group.drives.get(drive);
    let runs = [("Alone", own.and_then(|own| own.alone)), ("Together", own.and_then(|own| own.together))];
    DriveView {
        title: together::drive_name(input, drive),
        target: run.map(facts::target).unwrap_or_default(),
        devices: run.map(facts::drives).unwrap_or_default(),
        findings: grave(input, &runs.map(|(_, run)| run)),
        runs: runs.into_iter().filter_map(|(role, run)| Some((role, run?.to_string()))).collect(),
    }
}

/// The findings of a drive's runs that are more than notes, each once.
fn grave(input: &GroupInput<'_>, runs: &[Option<RunId>]) -> Vec<String> {
    let members = input.members.iter().filter(|member| runs.contains(&Some(member.records.run)));
    let mut statements: Vec<String> = Vec::new();
    for finding in members.flat_map(|member| run_facts::findings(member)) {
        if finding.severity != Severity::Note && !statements.contains(&finding.statement) {
            statements.push(finding.statement.clone());
        }
    }
    statements
}
