//! The page of an article.

use askama::Template;
use drivelab_core::finding::Finding;
use drivelab_core::group::letter;

use super::front::Front;
use super::references::FindingShown;
use super::types::{Material, ShownChart};
use crate::error::ReportError;
use crate::figure::escape;
use crate::figure::input::ReportInput;
use crate::figure::prose::filters;
use crate::figure::signs::{DISTURBED, LOWER_BOUND, explained};
use crate::formats::asset;
use crate::marker;
use crate::words::facts::{self, Fact};
use crate::words::run_facts;

/// How a run was measured, and how far to trust it.
struct How {
    name: String,
    line: String,
    cannot_tell: String,
    /// Warnings and failed checks that the text above does not show.
    findings: Vec<(&'static str, String)>,
    /// How many it shows.
    shown: usize,
    facts: Vec<(String, Vec<Fact>)>,
    tool: String,
}

#[derive(Template)]
#[template(path = "article.html")]
struct Page<'a> {
    title: &'a str,
    generator: &'static str,
    style: &'static str,
    script: &'static str,
    byline: String,
    facts: Vec<(&'static str, String)>,
    content: &'a str,
    /// What the marks of figures mean; empty if there are none.
    signs: String,
    how: Vec<How>,
    sources: Vec<String>,
    charts: String,
}

fn how(at: usize, input: &ReportInput<'_>, several: bool, in_text: &[FindingShown]) -> How {
    let records = input.records;
    let plan = &records.plan;
    let drive = facts::title(&records.environment);
    let grave = run_facts::findings(input).into_iter();
    let grave = grave.filter(|finding| finding.severity != drivelab_core::finding::Severity::Note);
    let is_shown = |finding: &&Finding| in_text.iter().any(|shown| shown.is(at, &finding.code));
    let (shown, grave): (Vec<&Finding>, Vec<&Finding>) = grave.partition(is_shown);
    How {
        name: if several { format!("{}: {drive}", letter(at)) } else { drive },
        line: format!(
            "{} {}, {} ({}), {}, run {}",
            plan.title,
            run_facts::version(plan),
            plan.form.words(&plan.methodology.name),
            run_facts::form_note(input),
            records.started.replacen('T', " ", 1).replace('Z', " UTC"),
            records.run
        ),
        cannot_tell: run_facts::cannot_tell(input),
        shown: shown.len(),
        findings: grave
            .into_iter()
            .map(|finding| (run_facts::severity_word(finding.severity), finding.statement.clone()))
            .collect(),
        facts: facts::groups(input),
        tool: format!("drivelab {} ({}, {} build)", records.tool.version, records.tool.commit, records.tool.profile),
    }
}

/// The page with this content, which shows these charts and findings.
pub(super) fn html(
    front: &Front,
    material: &Material<'_>,
    (content, charts, findings): (&str, &[ShownChart], &[FindingShown]),
) -> Result<String, ReportError> {
    let shown: Vec<&str> = charts.iter().map(|chart| chart.json.as_str()).collect();
    let byline = [&front.author, &front.date].map(|text| text.trim()).into_iter().filter(|text| !text.is_empty());
    let several = material.runs.len() > 1;
    let page = Page {
        title: &front.title,
        generator: marker::PAGE,
        style: asset::STYLE,
        script: asset::SCRIPT,
        byline: byline.collect::<Vec<_>>().join(", "),
        facts: front.facts(),
        content,
        signs: explained(content, &[(&['≥'], LOWER_BOUND), (&['▲', '▼', '◆'], DISTURBED)]).join(" "),
        how: material.runs.iter().enumerate().map(|(at, input)| how(at, input, several, findings)).collect(),
        sources: sources(material),
        charts: escape::script(&format!("[{}]", shown.join(","))),
    };
    Ok(page.render()?)
}

/// The publications whose figures are shown, each once.
fn sources(material: &Material<'_>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for side in &material.sides.published {
        let source = format!("{}. {}", side.source, side.method);
        if !all.contains(&source) {
            all.push(source);
        }
    }
    all
}
