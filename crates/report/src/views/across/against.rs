//! The headline figures of several sides against a base: a table, a sentence for each difference that is shown, and
//! what the verdicts rest on. Ratios and verdicts come from [`drivelab_analysis::ratios`]; here they get their words.

use drivelab_analysis::digest::StepFacts;
use drivelab_analysis::ratios::{Against, Basis, FigureRatios, Limits, RatioBound, Ratios, SideFigure, Verdict};
use drivelab_core::metric::Metric;

use crate::figure::table::{Cell, Column, Table};
use crate::figure::{cells, format};
use crate::views::across::contrast::{Contrast, label};
use crate::views::across::published::{PublishedSide, measured_here};
use crate::views::across::sides::Sides;

/// Most sentences about single figures; the table has all.
const SENTENCES: usize = 12;

/// Sides against a base.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AgainstView {
    /// One row a figure.
    pub(crate) table: Table,
    /// What is shown, a sentence each; first a summary for each side.
    pub(crate) sentences: Vec<String>,
    /// What the verdicts rest on.
    pub(crate) notes: Vec<String>,
}

/// Marks ratios that also depend on a difference that was allowed.
const TOUCHED: &str = " †";

/// What the mark means.
pub(crate) fn touched_note(names: &[&str]) -> String {
    format!(
        "{} The runs also differ in {} (--allow), so a ratio may not be due to the drives alone.",
        TOUCHED.trim(),
        names.join(", ")
    )
}

/// The table of the headline figures, or of all, with what follows from them.
pub(crate) fn view(contrast: &Contrast<'_>, sides: &Sides) -> AgainstView {
    let (found, letters) = (&contrast.ratios, contrast.letters.as_slice());
    let Sides { limits, all, published, .. } = sides;
    let touched = &contrast.touched;
    let mut sentences: Vec<String> = others(found, letters).map(|side| summary(found, letters, side)).collect();
    let shown: Vec<String> = rows(found, false)
        .filter_map(|row| match row {
            Row::Figure(_, facts, figure) => Some((facts, figure)),
            Row::Heading(_) => None,
        })
        .flat_map(|(facts, figure)| {
            others(found, letters).filter_map(move |side| sentence(found, letters, facts, figure, side))
        })
        .collect();
    let more = shown.len().saturating_sub(SENTENCES);
    sentences.extend(shown.into_iter().take(SENTENCES));
    if more > 0 {
        sentences.push(format!("The table has {more} more."));
    }
    let mut notes = notes(found, *limits);
    if !touched.is_empty() {
        notes.push(touched_note(touched));
    }
    notes.extend(sources(found, published));
    if !published.is_empty() {
        notes.push(measured_here(&contrast.first[found.base].run, sides.redact));
    }
    AgainstView { table: table(found, letters, (*all, !touched.is_empty()), published), sentences, notes }
}

/// The sides that are not the base.
fn others<'a>(found: &'a Ratios<'_>, letters: &'a [String]) -> impl Iterator<Item = usize> + 'a {
    (0..letters.len()).filter(|side| *side != found.base)
}

/// A row of the table.
enum Row<'a, 'd> {
    /// The title of a test, or what the rows below are of.
    Heading(&'d str),
    /// A figure: its label, the step that it is of, if it is of one.
    Figure(String, Option<&'d StepFacts>, &'a FigureRatios<'d>),
}

/// The rows: of headline figures, or of all.
fn rows<'a, 'd>(found: &'a Ratios<'d>, all: bool) -> impl Iterator<Item = Row<'a, 'd>> {
    let several = found.tests.len() > 1;
    let of_tests = found.tests.iter().flat_map(move |test| {
        let figures: Vec<Row<'a, 'd>> = test
            .steps
            .iter()
            .flat_map(|step| step.figures.iter().filter(|one| all || one.judged).map(|one| (step.facts, one)))
            .map(|(facts, figure)| Row::Figure(label(facts, figure), Some(facts), figure))
            .collect();
        let heading = (several && !figures.is_empty()).then_some(Row::Heading(test.title));
        heading.into_iter().chain(figures)
    });
    let of_run = || found.run.iter().filter(move |one| all || one.judged);
    let heading = of_run().next().map(|_| Row::Heading("Whole run"));
    of_tests.chain(heading).chain(of_run().map(|one| Row::Figure(name(one), None, one)))
}

/// A figure of the whole run: scores have names of their own.
fn name(figure: &FigureRatios<'_>) -> String {
    figure.title.to_owned()
}

fn table(found: &Ratios<'_>, letters: &[String], (all, touched): (bool, bool), published: &[PublishedSide]) -> Table {
    let base = &letters[found.base];
    let two = letters.len() == 2 && published.is_empty();
    let mut columns = vec![Column::words("Step"), Column::words("Unit")];
    columns.extend(letters.iter().map(|letter| Column::figures(letter, "")));
    columns.extend(published.iter().map(|side| Column::figures(&side.letter, "published")));
    columns.extend(others(found, letters).map(|side| Column::figures(&format!("{}/{base}", letters[side]), "")));
    columns.extend(published.iter().map(|side| Column::figures(&format!("{}/{base}", side.letter), "")));
    columns.extend(if two {
        vec![Column::figures("95 %", ""), Column::words("")]
    } else {
        vec![Column::words("Best")]
    });
    let width = columns.len();
    let row = |row: Row<'_, '_>| match row {
        Row::Heading(title) => {
            let heading = Cell::text(format!("{title}:"));
            [heading].into_iter().chain(std::iter::repeat_n(Cell::default(), width - 1)).collect()
        }
        Row::Figure(label, facts, figure) => {
            let approximation = facts.map_or_else(String::new, |facts| cells::approximation(&facts.approximations));
            let first = Cell { approximation, ..Cell::text(label) };
            let mut row = vec![first, Cell::text(cells::unit_text(&figure.metric.unit))];
            row.extend(figure.cells.iter().map(value_cell));
            row.extend(published.iter().map(|side| published_cell(side, figure.metric)));
            let against: Vec<&Against> = figure.cells.iter().filter_map(|cell| cell.against.as_ref()).collect();
            row.extend(against.iter().map(|against| Cell {
                detail: if two { String::new() } else { verdict_word(against.verdict).to_owned() },
                ..ratio_cell(against, touched)
            }));
            row.extend(published.iter().map(|side| published_ratio(side, figure, found.base)));
            match against.as_slice() {
                [only] if two => row.extend([interval_cell(only), Cell::text(verdict_word(only.verdict))]),
                _ => row.push(Cell::text(figure.best.map_or("", |best| letters[best].as_str()))),
            }
            row
        }
    };
    let what = if all { "Figures" } else { "Headline figures" };
    Table { caption: format!("{what}, against {base}"), columns, rows: rows(found, all).map(row).collect() }
        .without_empty_columns()
}

/// The value of a side with the marks of its runs.
pub(crate) fn value_cell(side: &SideFigure<'_>) -> Cell {
    let void = || side.known().find(|metric| !metric.voided_by.is_empty());
    let Some(value) = side.value else {
        return void().map_or_else(Cell::default, |metric| Cell::void(metric.voided_by.join(", ")));
    };
    let unit = side.known().next().map_or("", |metric: &Metric| metric.unit.as_str());
    let text = format::value(value, unit);
    let cell = if side.is_at_least() { Cell::at_least(text) } else { Cell::text(text) };
    let valued = side.known().filter(|metric| metric.value.is_some()).count();
    let detail = if side.is_whole() { String::new() } else { format!("{valued} of {} runs", side.metrics.len()) };
    let cell = Cell { detail, ..cell };
    cell.wrong(side.wrong())
}

/// A published value, in the unit of the row.
pub(crate) fn published_cell(side: &PublishedSide, metric: &Metric) -> Cell {
    let Some((figure, value)) = side.figure(metric).and_then(|figure| Some((figure, side.value(metric)?))) else {
        return Cell::default();
    };
    let text = format!("{}{}", PublishedSide::sign(figure), format::value(value, &metric.unit));
    Cell { detail: figure.doubtful.as_ref().map_or("", |_| "doubtful").to_owned(), ..Cell::text(text) }
}

/// Ratio of a published value to the base's.
fn published_ratio(side: &PublishedSide, figure: &FigureRatios<'_>, base: usize) -> Cell {
    let base = figure.cells[base].value.filter(|value| *value > 0.0);
    let ratio = side.value(figure.metric).zip(base).map(|(value, base)| value / base);
    ratio.map_or_else(Cell::default, |ratio| Cell::text(ratio_text(ratio)))
}

/// What the published columns are, and that they are no measurements of drivelab.
fn sources(found: &Ratios<'_>, published: &[PublishedSide]) -> Vec<String> {
    let mut notes: Vec<String> =
        published.iter().map(|side| format!("{}: {}, published.", side.letter, side.title)).collect();
    let mut known: Vec<&str> = Vec::new();
    for side in published {
        if !known.contains(&side.source.as_str()) {
            known.push(&side.source);
            notes.push(format!("Source: {}. Method: {}", side.source, side.method));
        }
    }
    let figures = || found.tests.iter().flat_map(|test| &test.steps).flat_map(|step| &step.figures);
    if !published.is_empty() {
        let none = !figures().any(|figure| published.iter().any(|side| side.value(figure.metric).is_some()));
        notes.push(if none {
            "No published figure matches a step of this run.".to_owned()
        } else {
            "Published figures were measured elsewhere by others: they have no interval and no verdict.".to_owned()
        });
    }
    notes
}

pub(crate) fn ratio_cell(against: &Against, touched: bool) -> Cell {
    let Some(ratio) = against.ratio else { return Cell::default() };
    let text = ratio_text(ratio);
    let sign = match against.bound {
        Some(RatioBound::AtLeast) => "≥ ",
        Some(RatioBound::AtMost) => "≤ ",
        None => "",
    };
    Cell::text(format!("{sign}{text}{}", if touched { TOUCHED } else { "" }))
}

fn interval_cell(against: &Against) -> Cell {
    against
        .interval
        .map_or_else(Cell::default, |(low, high)| Cell::text(format!("{} – {}", ratio_text(low), ratio_text(high))))
}

/// A ratio: three decimals near 1, where the second says too little.
pub(crate) fn ratio_text(ratio: f64) -> String {
    match ratio {
        near if (0.9..1.1).contains(&near) => format!("{near:.3}"),
        far if far < 100.0 => format!("{far:.2}"),
        far => format::plain_number(far),
    }
}

/// The verdict in a column.
pub(crate) const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Negligible => "negligible",
        Verdict::NotShown => "not shown",
        Verdict::WithinRuns => "too close",
        Verdict::AtLeast | Verdict::AtMost => "bound",
        Verdict::BothBounds => "bounds",
        Verdict::Spoiled => "disturbed",
        Verdict::Incomplete => "incomplete",
        Verdict::NoFigure | Verdict::NotSought => "",
    }
}

/// How often a side is better, worse or neither.
fn summary(found: &Ratios<'_>, letters: &[String], side: usize) -> String {
    let verdicts: Vec<Verdict> = judged(found).filter_map(|one| Some(one.cells[side].against?.verdict)).collect();
    let count = |wanted: fn(&Verdict) -> bool| verdicts.iter().filter(|verdict| wanted(verdict)).count();
    let parts = [
        (count(|one| matches!(one, Verdict::Better)), "better in"),
        (count(|one| matches!(one, Verdict::Worse)), "worse in"),
        (count(|one| matches!(one, Verdict::Negligible)), "negligibly different in"),
    ];
    let mut said: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{what} {count}")).collect();
    let close = count(|one| matches!(one, Verdict::NotShown | Verdict::WithinRuns));
    if close > 0 {
        said.push(format!("no difference is shown in {close}"));
    }
    let rest = [
        (
            count(|one| matches!(one, Verdict::AtLeast | Verdict::AtMost)),
            "ratio is only a bound",
            "ratios are only bounds",
        ),
        (
            count(|one| matches!(one, Verdict::BothBounds)),
            "has no ratio (both values are bounds)",
            "have no ratio (both values are bounds)",
        ),
        (count(|one| matches!(one, Verdict::Spoiled)), "is disturbed", "are disturbed"),
        (
            count(|one| matches!(one, Verdict::NoFigure | Verdict::Incomplete)),
            "is missing or void",
            "are missing or void",
        ),
    ];
    let rest = rest.into_iter().filter(|(count, ..)| *count > 0);
    said.extend(rest.map(|(count, one, several)| format!("{count} {}", if count == 1 { one } else { several })));
    let all = format::counted(verdicts.len(), "headline figure");
    if said.is_empty() {
        return format!("{} against {}: no headline figures.", letters[side], letters[found.base]);
    }
    format!("{} against {}, {all}: {}.", letters[side], letters[found.base], said.join(", "))
}

/// What is shown of one figure.
fn sentence(
    found: &Ratios<'_>,
    letters: &[String],
    facts: Option<&StepFacts>,
    figure: &FigureRatios<'_>,
    side: usize,
) -> Option<String> {
    let against = figure.cells[side].against?;
    if !matches!(against.verdict, Verdict::Better | Verdict::Worse) {
        return None;
    }
    let ends = against.interval.map(|(low, high)| (ratio_text(low), ratio_text(high)));
    let ends = ends.filter(|(low, high)| low != high);
    let interval = ends.map(|(low, high)| format!(", {low} to {high}")).unwrap_or_default();
    let what = facts.map_or_else(|| name(figure), |facts| label(facts, figure));
    let ratio = ratio_text(against.ratio?);
    let word = verdict_word(against.verdict);
    Some(format!("{what}: {} is {ratio} times {}{interval}: {word}.", letters[side], letters[found.base]))
}

fn judged<'a, 'd>(found: &'a Ratios<'d>) -> impl Iterator<Item = &'a FigureRatios<'d>> {
    let of_steps = found.tests.iter().flat_map(|test| &test.steps).flat_map(|step| &step.figures);
    of_steps.chain(&found.run).filter(|figure| figure.judged)
}

/// Above this many per cent the smallest detectable difference is not worth a figure.
const TOO_MUCH: f64 = 100.0;

/// Which differences may have gone undetected, in per cent.
fn undetected(least: f64, most: f64) -> String {
    let rounded = |percent: f64| format::plain_number(if percent < 10.0 { percent } else { percent.round() });
    let range = match (least, most) {
        (least, _) if least > TOO_MUCH => {
            return "\"Not shown\" does not mean equal: with so few runs and this scatter, even a factor of two may have gone \
                    undetected."
                .to_owned();
        }
        (least, most) if most > TOO_MUCH => format!("{} to more than {TOO_MUCH}", rounded(least)),
        (least, most) if rounded(least) == rounded(most) => rounded(least),
        (least, most) => format!("{} to {}", rounded(least), rounded(most)),
    };
    format!("\"Not shown\" does not mean equal: differences below about {range} % may have gone undetected.")
}

/// What the verdicts rest on.
fn notes(found: &Ratios<'_>, limits: Limits) -> Vec<String> {
    let against = || judged(found).flat_map(|figure| &figure.cells).filter_map(|cell| cell.against);
    let percent = |part: f64| format::plain_number(part * 100.0);
    let mut notes = Vec::new();
    if judged(found).flat_map(|figure| &figure.cells).any(|cell| cell.metrics.len() > 1) {
        notes.push("A value of several runs is their geometric mean, percentiles included.".to_owned());
    }
    if against().any(|one| one.basis != Some(Basis::Runs) && one.ratio.is_some()) {
        notes.push(format!(
            "Run-to-run spread unknown where there is one run of each: differences within {} % are not ranked there.",
            percent(limits.one_run)
        ));
    }
    let not_shown = against().filter(|one| one.verdict == Verdict::NotShown);
    let detectable: Vec<f64> = not_shown.filter_map(|one| Some((one.detectable? - 1.0) * 100.0)).collect();
    if let (Some(least), Some(most)) =
        (detectable.iter().copied().reduce(f64::min), detectable.iter().copied().reduce(f64::max))
    {
        notes.push(undetected(least, most));
    }
    if against().any(|one| one.verdict == Verdict::Negligible) {
        notes.push(format!("Negligible: shown, but below {} %.", percent(limits.relevant)));
    }
    if found.judged > 1 {
        notes.push(format!(
            "Verdicts: Holm-corrected over {} comparisons. Intervals: 95 % each, not corrected.",
            found.judged
        ));
    }
    notes
}
