//! What an article can show: every chart and table of its runs and of their comparison, by name.

use askama::Template;
use drivelab_analysis::explain;
use drivelab_core::group::letter;
use drivelab_core::metric::Metric;

use super::prose::slug;
use super::published_values;
use super::types::{Material, ShownChart, ShownTable};
use crate::error::ReportError;
use crate::figure::input::ReportInput;
use crate::figure::prose::filters;
use crate::figure::table::Table;
use crate::figure::{Figure, TestView, cells};
use crate::formats::detail::Detail;
use crate::formats::markdown::parts as markdown;
use crate::views::across::compare;
use crate::views::run::short::{self, Short};
use crate::views::run::{look, scores, sheet, telemetry};
use crate::views::{test, time_line};
use crate::words::facts::{self, Fact};
use crate::words::run_facts;

/// A chart with its table, or a table.
#[derive(Template)]
#[template(source = r#"{%- import "parts.html" as parts -%}{% call parts::figure(one) %}{% endcall %}"#, ext = "html")]
struct FigureHtml<'a> {
    one: &'a Figure,
}

#[derive(Template)]
#[template(
    source = r#"{%- import "parts.html" as parts -%}{% call parts::table(one, false) %}{% endcall %}"#,
    ext = "html"
)]
struct TableHtml<'a> {
    one: &'a Table,
}

/// Sentences about a drive, and what it is good for.
#[derive(Template)]
#[template(
    source = r#"{%- import "parts.html" as parts -%}
{%- if !name.is_empty() %}<h3>{{ name }}</h3>{% endif %}
{%- if sentences %}<p class="answer">{% for sentence in short.sentences %}{{ sentence }} {% endfor %}</p>{% endif %}
{%- if verdicts %}{% call parts::verdicts(&short.verdicts) %}{% endcall %}
{%- if !short.below_verdicts().is_empty() %}<p class="soft">{{ short.below_verdicts() }}</p>{% endif %}{% endif %}"#,
    ext = "html"
)]
struct ShortHtml<'a> {
    name: &'a str,
    short: &'a Short,
    sentences: bool,
    verdicts: bool,
}

/// Facts about a drive and its testbed.
#[derive(Template)]
#[template(
    source = r#"{%- import "parts.html" as parts -%}
{%- if !name.is_empty() %}<h3>{{ name }}</h3>{% endif %}
<div class="facts">{% for (head, group) in groups %}{% call parts::facts(head, group) %}{% endcall %}{% endfor %}</div>"#,
    ext = "html"
)]
struct FactsHtml<'a> {
    name: &'a str,
    groups: Vec<(String, Vec<Fact>)>,
}

/// A finding.
#[derive(Template)]
#[template(
    source = r#"{% if !name.is_empty() %}<h3>{{ name }}</h3>{% endif %}<div class="finding {{ severity }}">
<p>{{ statement|prose }}</p>{% if !cause.is_empty() %}<p class="soft">{{ cause|prose }}</p>{% endif %}</div>"#,
    ext = "html"
)]
struct FindingHtml<'a> {
    name: &'a str,
    severity: &'static str,
    statement: &'a str,
    cause: &'a str,
}

/// Sentences, each with a point, folded or not.
#[derive(Template)]
#[template(
    source = r#"{% if !sentences.is_empty() %}{% if !summary.is_empty() %}<details><summary>{{ summary }}</summary>{% endif %}
<ul>{% for sentence in sentences.iter() %}<li>{{ sentence }}</li>{% endfor %}</ul>
{% if !summary.is_empty() %}</details>{% endif %}{% endif %}"#,
    ext = "html"
)]
struct SentencesHtml<'a> {
    /// What unfolds them; empty if they are open.
    summary: &'static str,
    sentences: &'a [String],
}

/// The name of a run, between other parts of an article.
#[derive(Template)]
#[template(source = "{% if !name.is_empty() %}<h3>{{ name }}</h3>{% endif %}", ext = "html")]
struct NameHtml<'a> {
    name: &'a str,
}

/// A chart with its table, or a table.
struct Item {
    name: String,
    /// What it is of: a test, with the letter of its run if there are several.
    of: String,
    figure: Figure,
}

/// Everything that can be shown.
pub(super) struct Items<'a> {
    material: &'a Material<'a>,
    /// Charts and tables of the runs and of the comparison.
    figures: Vec<Item>,
    /// Place of the first figure of the comparison.
    across: usize,
    /// Which of two published drives to choose, case by case.
    choices: Vec<String>,
    /// Why published drives are good for something or not.
    reasons: Vec<String>,
}

/// Whether an article shows several runs, so that each needs its letter.
const fn several(material: &Material<'_>) -> bool {
    material.runs.len() > 1
}

impl<'a> Items<'a> {
    pub(super) fn of(material: &'a Material<'a>) -> Self {
        let mut items = Items { material, figures: Vec::new(), across: 0, choices: Vec::new(), reasons: Vec::new() };
        for (at, input) in material.runs.iter().enumerate() {
            let prefix = if several(material) { format!("{}-", letter(at).to_lowercase()) } else { String::new() };
            items.add_run(input, &prefix);
        }
        items.across = items.figures.len();
        items.add_comparison();
        items
    }

    fn add_run(&mut self, input: &ReportInput<'_>, prefix: &str) {
        let points = Detail::FINEST.points;
        for TestView { id, figures, .. } in test::tests(input, prefix, points) {
            figures.into_iter().for_each(|figure| self.add(&id, figure));
        }
        let scores = scores::table(input);
        self.add_table(&format!("{prefix}scores"), scores);
        for figure in telemetry::watched(input, prefix, points).figures {
            self.add(&format!("{prefix}telemetry"), figure);
        }
        if let Some(figure) = time_line::of_run(input, prefix, points) {
            self.add(&format!("{prefix}whole"), figure);
        }
    }

    fn add_comparison(&mut self) {
        let Material { digests, sides, .. } = *self.material;
        if digests.len() < 2 && sides.published.is_empty() {
            return;
        }
        let comparison = compare::with_charts(digests, sides);
        for (at, group) in comparison.groups.into_iter().enumerate() {
            let name = if at == 0 { "comparison".to_owned() } else { format!("comparison-{}", at + 1) };
            if let Some(against) = group.against {
                self.add_table(&name, against.table);
                self.add_table(&format!("{name}-rest"), against.rest);
            }
            group.charts.into_iter().for_each(|view| self.add_view(&name, view));
            group.drives.into_iter().for_each(|figure| self.add(&name, figure));
        }
        if let Some(published) = comparison.published {
            self.add_table("published", published.table);
            self.add_table("published-verdicts", published.verdicts);
            published.charts.into_iter().for_each(|view| self.add_view("published", view));
            self.choices = published.choices.into_iter().map(|choice| choice.sentence).collect();
            self.reasons = published.reasons;
        }
    }

    /// A figure: by the id of its chart, or by its test and title.
    fn add(&mut self, of: &str, figure: Figure) {
        let title = if figure.title.is_empty() { &figure.table.caption } else { &figure.title };
        let by_title = || format!("{of}-{}", slug(title)).trim_end_matches('-').to_owned();
        let name = figure.chart.as_ref().map_or_else(by_title, |chart| chart.id.clone());
        self.push(of, &name, figure);
    }

    /// The figures of a view across several sides: by what their charts show, since their ids are numbers.
    fn add_view(&mut self, of: &str, view: TestView) {
        for figure in view.figures {
            let Some(chart) = &figure.chart else {
                self.add(of, figure);
                continue;
            };
            // `4 KiB random read, higher is better: 4 bars from zero, sorted.`
            let shown = chart.description.rsplit_once(':').map_or(&*chart.description, |(shown, _)| shown);
            let shown = shown.trim_end_matches(", higher is better").trim_end_matches(", lower is better");
            let name = format!("{of}-{}", slug(shown));
            self.push(of, name.trim_end_matches('-'), figure);
        }
    }

    fn add_table(&mut self, name: &str, table: Table) {
        let figure = Figure { title: String::new(), caption: String::new(), chart: None, table, long: false };
        self.push(name, name, figure);
    }

    /// A figure under this name, or with a number behind it if there is one. A name is also the name of a file, and it
    /// may come from a run that somebody else made.
    fn push(&mut self, of: &str, name: &str, mut figure: Figure) {
        if figure.table.rows.is_empty() && figure.chart.is_none() {
            return;
        }
        let plain = |sign: char| if sign.is_ascii_alphanumeric() || sign == '_' { sign } else { '-' };
        let name: String = name.chars().map(plain).collect();
        let is_taken = |name: &str| self.figures.iter().any(|item| item.name == name);
        let numbered = (2_usize..).map(|number| format!("{name}-{number}"));
        let name = std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name);
        // The page finds a chart by its name.
        if let Some(chart) = &mut figure.chart {
            chart.id.clone_from(&name);
        }
        // An article does not define its metrics, so their names lead nowhere.
        figure.table.columns.iter_mut().for_each(|column| column.metric.clear());
        self.figures.push(Item { name, of: of.to_owned(), figure });
    }

    fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|item| item.name == name).map(|item| &item.figure)
    }

    /// Names of the charts.
    pub(super) fn chart_names(&self) -> Vec<String> {
        self.names(|item| item.figure.chart.is_some())
    }

    /// Names of the tables, those of charts included.
    pub(super) fn table_names(&self) -> Vec<String> {
        self.names(|item| !item.figure.table.rows.is_empty())
    }

    /// Names of the charts of a test, or of its tables if it has no chart; with the letter of its run if there are
    /// several.
    pub(super) fn of_test(&self, of: &str) -> (Vec<String>, Vec<String>) {
        let charts = self.names(|item| item.of == of && item.figure.chart.is_some());
        let tables = self.names(|item| item.of == of && !item.figure.table.rows.is_empty());
        if charts.is_empty() { (charts, tables) } else { (charts, Vec::new()) }
    }

    fn names(&self, keep: impl Fn(&Item) -> bool) -> Vec<String> {
        self.figures.iter().filter(|item| keep(item)).map(|item| item.name.clone()).collect()
    }

    /// What a name shows, in a line; empty for a finding.
    pub(super) fn title(&self, name: &str) -> &str {
        let Some(figure) = self.figure(name) else { return "" };
        let described = figure.chart.as_ref().map_or("", |chart| chart.description.as_str());
        [described, &figure.title, &figure.table.caption].into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Names of the charts of the comparison.
    pub(super) fn comparison_charts(&self) -> Vec<String> {
        let own = self.figures[self.across..].iter().filter(|item| item.figure.chart.is_some());
        own.map(|item| item.name.clone()).collect()
    }

    /// Names of its tables that belong to no chart.
    pub(super) fn comparison_tables(&self) -> Vec<String> {
        let own = self.figures[self.across..].iter().filter(|item| item.figure.chart.is_none());
        own.map(|item| item.name.clone()).collect()
    }

    /// A chart with its table folded below it.
    pub(super) fn chart_html(&self, name: &str) -> Result<Option<String>, ReportError> {
        let figure = self.figure(name).filter(|figure| figure.chart.is_some());
        figure.map(|one| FigureHtml { one }.render().map_err(ReportError::from)).transpose()
    }

    /// A table.
    pub(super) fn table_html(&self, name: &str) -> Result<Option<String>, ReportError> {
        let figure = self.figure(name).filter(|figure| !figure.table.rows.is_empty());
        figure.map(|figure| TableHtml { one: &figure.table }.render().map_err(ReportError::from)).transpose()
    }

    /// A chart as the page's script reads it.
    pub(super) fn chart_json(&self, name: &str) -> Result<ShownChart, ReportError> {
        let chart = self.figure(name).and_then(|figure| figure.chart.as_ref());
        Ok(ShownChart { name: name.to_owned(), json: serde_json::to_string(&chart)? })
    }

    /// A table for another page.
    pub(super) fn shown_table(&self, name: &str) -> Option<Result<ShownTable, ReportError>> {
        let figure = self.figure(name).filter(|figure| !figure.table.rows.is_empty())?;
        let mut text = String::new();
        markdown::table(&mut text, &figure.table);
        let html = TableHtml { one: &figure.table }.render().map_err(ReportError::from);
        Some(html.map(|html| ShownTable { name: name.to_owned(), markdown: text, html }))
    }

    /// The codes of all findings, each once.
    pub(super) fn finding_codes(&self) -> Vec<String> {
        let mut codes: Vec<String> = Vec::new();
        for finding in self.material.runs.iter().flat_map(|input| &input.analysis.findings) {
            if !codes.contains(&finding.code) {
                codes.push(finding.code.clone());
            }
        }
        codes
    }

    /// How a finding is named, for a list.
    pub(super) fn finding_words(&self) -> &'static str {
        if several(self.material) {
            "Findings: {{ finding CODE }} of all runs, {{ finding A CODE }} of one"
        } else {
            "Findings: {{ finding CODE }}"
        }
    }

    /// Every finding of this code, of all runs or of the one at this place.
    pub(super) fn finding(&self, only: Option<usize>, code: &str) -> Result<Option<String>, ReportError> {
        let mut html = String::new();
        for (at, input) in self.material.runs.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at)) {
            let mut name = if only.is_some() { String::new() } else { self.run_name(at, input) };
            for finding in run_facts::findings(input).into_iter().filter(|finding| finding.code == code) {
                let (statement, cause) = (&*finding.statement, &*finding.likely_cause);
                let severity = run_facts::severity_word(finding.severity);
                html += &FindingHtml { name: &name, severity, statement, cause }.render()?;
                name.clear();
            }
        }
        Ok((!html.is_empty()).then_some(html))
    }

    /// Letter, drive and title of a run; empty if there is only one.
    pub(super) fn run_name(&self, at: usize, input: &ReportInput<'_>) -> String {
        let (drive, title) = (facts::title(&input.records.environment), &input.records.label.title);
        match (several(self.material), title.is_empty()) {
            (false, _) => String::new(),
            (true, true) => format!("{}: {drive}", letter(at)),
            (true, false) => format!("{}: {drive}, {title}", letter(at)),
        }
    }

    /// The place of the run whose letter stands before a word, and the word.
    pub(super) fn lettered<'t>(&self, text: &'t str) -> Result<(Option<usize>, &'t str), String> {
        let Some((run, rest)) = text.split_once(' ').filter(|(run, _)| run.len() == 1) else { return Ok((None, text)) };
        let place = (0..self.material.runs.len()).find(|at| letter(*at) == run);
        Ok((Some(place.ok_or_else(|| format!("there is no run {run}"))?), rest.trim()))
    }

    /// A part that every run has, one run after the other; nothing where no run has it. Of published drives alone, what
    /// they are good for.
    pub(super) fn part(&self, kind: &str) -> Result<Result<Option<String>, String>, ReportError> {
        let mut html = String::new();
        match kind {
            "choice" => html += &SentencesHtml { summary: "", sentences: &self.choices }.render()?,
            "verdicts" if self.material.runs.is_empty() => {
                html += &self.table_html("published-verdicts")?.unwrap_or_default();
                html += &SentencesHtml { summary: "Why", sentences: &self.reasons }.render()?;
            }
            _ => {}
        }
        for (at, input) in self.material.runs.iter().enumerate().filter(|_| kind != "choice") {
            html += &of_run(kind, input, &self.run_name(at, input))?;
        }
        let missing = match kind {
            "sheet" => "no run was compared with a data sheet (`drivelab run data-sheet`)",
            "scores" => "no run has scores",
            "corners" => "no run has pairs of reads and writes",
            "choice" if !self.material.runs.is_empty() => {
                "`choice` compares published drives only; remove `runs` from the front matter"
            }
            "choice" => "`choice` needs exactly two published drives in `against`",
            "verdicts" if self.material.runs.is_empty() => "no verdict rule could be applied to these drives",
            _ if self.material.runs.is_empty() => "the article shows no run, only published figures",
            "short" | "verdicts" => "these runs have no facts or verdicts about a drive",
            _ => "",
        };
        let verdicts = self.material.sides.verdicts.iter();
        let wrong =
            verdicts.filter_map(|one| one.suitability.none_because.as_ref()).next().filter(|_| kind == "verdicts");
        let missing = wrong.map_or_else(|| missing.to_owned(), |why| format!("no verdicts: {why}"));
        Ok(if html.is_empty() { Err(missing) } else { Ok(Some(html)) })
    }

    /// The figure of an address as text with its unit and signs.
    pub(super) fn value(&self, address: &str, material: &Material<'_>) -> Result<String, String> {
        if let Some((letter, address)) = published_values::split(address) {
            return published_values::value(letter, address, material);
        }
        let (run, address) = self.lettered(address)?;
        let run = run.unwrap_or(0);
        if address.is_empty() {
            return Err("a value needs an address: {{ value ADDRESS }}".to_owned());
        }
        let Some(input) = material.runs.get(run) else {
            return Err("a value needs a run in `runs`, or a published drive: {{ value P1 TEST:METRIC }}".to_owned());
        };
        let Some(metric) = input.analysis.metric(address) else {
            let like = explain::near(input.analysis, address).join(", ");
            let like = if like.is_empty() { like } else { format!("; similar: {like}") };
            return Err(format!("the run has no figure '{address}'{like}"));
        };
        value_text(input, metric).ok_or_else(|| format!("{address} is void or was not measured, so it has no value"))
    }
}

/// A figure with its unit and signs; `None` if it has none.
pub(super) fn value_text(input: &ReportInput<'_>, metric: &Metric) -> Option<String> {
    metric.value?;
    let unit = cells::unit_text(&metric.unit);
    Some(format!("{} {unit}", cells::metric_cell(input, metric).plain()).trim_end().to_owned())
}

/// A part of one run; empty if it has none.
fn of_run(kind: &str, input: &ReportInput<'_>, name: &str) -> Result<String, ReportError> {
    let tables = |tables: Vec<Table>| -> Result<String, ReportError> {
        let full = tables.iter().filter(|table| !table.rows.is_empty());
        let html: String =
            full.map(|one| TableHtml { one }.render().map_err(ReportError::from)).collect::<Result<_, _>>()?;
        let name = if html.is_empty() { String::new() } else { NameHtml { name }.render()? };
        Ok(name + &html)
    };
    match kind {
        "short" | "verdicts" => {
            let short = short::of_run(input);
            if short.is_empty() {
                return Ok(String::new());
            }
            Ok(ShortHtml { name, short: &short, sentences: kind == "short", verdicts: kind == "verdicts" }.render()?)
        }
        "sheet" => tables(sheet::of_run(input).map(|view| vec![view.figures, view.endurance]).unwrap_or_default()),
        "scores" => tables(vec![scores::table(input)]),
        "corners" => tables(vec![look::pairs_table(input)]),
        _ => {
            let mut groups = facts::groups(input);
            groups.push(("Target".to_owned(), facts::target(input)));
            Ok(FactsHtml { name, groups }.render()?)
        }
    }
}
