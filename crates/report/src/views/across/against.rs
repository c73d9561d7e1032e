//! The headline figures of several sides against a base: a table, a sentence for each difference that is shown, and
//! what the verdicts rest on. Ratios and verdicts come from [`drivelab_analysis::ratios`]; here they get their words.

use drivelab_analysis::digest::{RunFacts, StepFacts};
use drivelab_analysis::ratios::{
    Against, Basis, FigureRatios, Limits, RatioBound, Ratios, SideFigure, StepRatios, Verdict,
};
use drivelab_core::metric::Metric;
use drivelab_core::published::Bound;

use crate::figure::format::ratio_text;
use crate::figure::table::{Cell, Column, Heading, Table};
use crate::figure::{cells, format};
use crate::views::across::contrast::{Contrast, label};
use crate::views::across::published::{Base, PublishedSide, measured_here, source_notes};
use crate::views::across::sides::Sides;

/// Most sentences about single figures; the table has all.
const SENTENCES: usize = 12;
/// From this ratio on, and below its inverse, per cent say nothing more.
const NO_PERCENT: f64 = 10.0;

/// Most sides of which a page has every figure unasked: more make it large.
const MOST_SIDES_OF_ALL: usize = 4;

/// Sides against a base.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AgainstView {
    /// One row a headline figure.
    pub(crate) table: Table,
    /// One row for each other figure; empty unless all are asked for, or a page has room for them.
    pub(crate) rest: Table,
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

/// The table of the headline figures, with what follows from them, and the other figures if they are asked for. Tables
/// may be `wide`: on a page they have an interval below each ratio.
pub(crate) fn view(contrast: &Contrast<'_>, sides: &Sides, wide: bool) -> AgainstView {
    let (found, letters) = (&contrast.ratios, contrast.letters.as_slice());
    let Sides { limits, all, published, .. } = sides;
    let touched = &contrast.touched;
    let mut sentences: Vec<String> = others(found, letters).map(|side| summary(found, letters, side)).collect();
    // Two steps of one label are told apart by their tests.
    let mut of_figures: Vec<(bool, String)> = contrast
        .headlines()
        .iter()
        .flat_map(|(what, figure)| {
            others(found, letters).filter_map(move |side| {
                let shown = matches!(figure.cells[side].against?.verdict, Verdict::Better | Verdict::Worse);
                Some((shown, sentence(found, letters, what, figure, side)?))
            })
        })
        .collect();
    // What is shown comes first: there may be too many.
    of_figures.sort_by_key(|(shown, _)| !shown);
    let more = of_figures.len().saturating_sub(SENTENCES);
    sentences.extend(of_figures.into_iter().map(|(_, sentence)| sentence).take(SENTENCES));
    if more > 0 {
        sentences.push(format!("The table has {more} more."));
    }
    let mut notes = notes(found, *limits);
    if !touched.is_empty() {
        notes.push(touched_note(touched));
    }
    let base = &contrast.first[found.base].run;
    notes.extend(sources(found, published, base));
    if !published.is_empty() {
        notes.push(measured_here(base, sides.redact));
    }
    let table = |headlines| table(contrast, published, headlines, wide);
    // A page folds it.
    let whole = *all || (wide && letters.len() + published.len() <= MOST_SIDES_OF_ALL);
    AgainstView { table: table(true), rest: if whole { table(false) } else { Table::default() }, sentences, notes }
}

/// The sides that are not the base.
fn others<'a>(found: &'a Ratios<'_>, letters: &'a [String]) -> impl Iterator<Item = usize> + 'a {
    (0..letters.len()).filter(|side| *side != found.base)
}

/// A row of the table.
enum Row<'a, 'd> {
    /// The title of a test or the label of a step that the rows below are of.
    Heading(&'d str, Option<&'d StepFacts>),
    /// A figure: its label, the step that it is of, if it is of one.
    Figure(String, Option<&'d StepFacts>, &'a FigureRatios<'d>),
}

/// The rows that are `shown`: those of headline figures below their tests, all others below their steps.
fn rows<'a, 'd>(
    found: &'a Ratios<'d>,
    shown: &'a dyn Fn(&FigureRatios<'d>) -> bool,
    headlines: bool,
) -> impl Iterator<Item = Row<'a, 'd>> {
    let several = found.tests.len() > 1;
    let of_step = move |step: &'a StepRatios<'d>| -> Vec<Row<'a, 'd>> {
        let figures = step.figures.iter().filter(|one| shown(one));
        let facts = step.facts;
        if headlines {
            return figures.map(|one| Row::Figure(label(facts, one), Some(facts), one)).collect();
        }
        let rows: Vec<Row<'a, 'd>> = figures.map(|one| Row::Figure(name(one), None, one)).collect();
        let heading = (!rows.is_empty()).then_some(Row::Heading(&facts.label, Some(facts)));
        heading.into_iter().chain(rows).collect()
    };
    let of_tests = found.tests.iter().flat_map(move |test| {
        let rows: Vec<Row<'a, 'd>> = test.steps.iter().flat_map(of_step).collect();
        let heading = (several && !rows.is_empty()).then_some(Row::Heading(test.title, None));
        heading.into_iter().chain(rows)
    });
    let of_run = move || found.run.iter().filter(move |one| shown(one));
    let heading = of_run().next().map(|_| Row::Heading("Whole run", None));
    of_tests.chain(heading).chain(of_run().map(|one| Row::Figure(name(one), None, one)))
}

/// A figure below the heading of what it is of; scores have names of their own.
fn name(figure: &FigureRatios<'_>) -> String {
    figure.title.to_owned()
}

fn table(contrast: &Contrast<'_>, published: &[PublishedSide], headlines: bool, wide: bool) -> Table {
    let Contrast { ratios: found, letters, touched_sides, .. } = contrast;
    let base = &letters[found.base];
    let two = letters.len() == 2 && published.is_empty();
    let mut columns = vec![Column::words("Step"), Column::units()];
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
    let first = |text: String, facts: Option<&StepFacts>| {
        let approximation = facts.map_or_else(String::new, |facts| cells::approximation(&facts.approximations));
        Cell { approximation, ..Cell::text(text) }
    };
    let row = |row: Row<'_, '_>| match row {
        Row::Heading(title, facts) => {
            let level = if facts.is_some() { Heading::Step } else { Heading::Test };
            let heading = Cell { heading: Some(level), ..first(format!("{title}:"), facts) };
            [heading].into_iter().chain(std::iter::repeat_n(Cell::default(), width - 1)).collect()
        }
        Row::Figure(label, facts, figure) => {
            let mut row = vec![first(label, facts), Cell::text(cells::unit_text(&figure.metric.unit))];
            row.extend(figure.cells.iter().map(value_cell));
            let readings = || published.iter().map(|side| side.readings(figure.metric));
            row.extend(readings().map(|one| one.map_or_else(Cell::default, |one| one.cell())));
            let against: Vec<(usize, &Against)> = figure
                .cells
                .iter()
                .enumerate()
                .filter_map(|(side, cell)| Some((side, cell.against.as_ref()?)))
                .collect();
            row.extend(against.iter().map(|(side, against)| Cell {
                detail: if two { String::new() } else { verdict_words(against, wide) },
                ..ratio_cell(against, touched_sides[*side])
            }));
            let base = base_of(&figure.cells[found.base]);
            row.extend(readings().map(|one| one.zip(base).map_or_else(Cell::default, |(one, base)| one.ratio(base))));
            match against.as_slice() {
                [(_, only)] if two => row.extend([interval_cell(only), Cell::text(verdict_word(only.verdict))]),
                _ => row.push(Cell::text(figure.best.map_or("", |best| letters[best].as_str()))),
            }
            row
        }
    };
    let what = if headlines { "Headline figures" } else { "All other figures" };
    // What others published stands beside the headline figures.
    let is_first =
        |one: &FigureRatios<'_>| one.judged || published.iter().any(|side| side.readings(one.metric).is_some());
    let shown = |one: &FigureRatios<'_>| is_first(one) == headlines;
    Table {
        caption: format!("{what}, against {base}"),
        columns,
        rows: rows(found, &shown, headlines).map(row).collect(),
    }
    .without_empty_columns()
}

/// What published figures are divided by; `None` without a value, or if something disturbed it.
pub(crate) fn base_of(side: &SideFigure<'_>) -> Option<Base> {
    let value = side.value.filter(|value| *value > 0.0 && side.wrong().is_none())?;
    Some(Base { value, bound: side.is_at_least().then_some(Bound::AtLeast) })
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

/// What the published columns are, and that they are no measurements of drivelab.
fn sources(found: &Ratios<'_>, published: &[PublishedSide], run: &RunFacts) -> Vec<String> {
    let mut notes: Vec<String> = published.iter().map(|side| format!("{}, published.", side.name())).collect();
    notes.extend(source_notes(published, Some(run)));
    let figures = || found.tests.iter().flat_map(|test| &test.steps).flat_map(|step| &step.figures);
    if !published.is_empty() {
        let none = !figures().any(|figure| published.iter().any(|side| side.readings(figure.metric).is_some()));
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

/// The verdict below a ratio; with its interval if there is room.
fn verdict_words(against: &Against, wide: bool) -> String {
    let interval = interval_cell(against).text;
    let word = verdict_word(against.verdict);
    if wide && !interval.is_empty() {
        format!("{word}, {interval}").trim_start_matches(", ").to_owned()
    } else {
        word.to_owned()
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

/// What the ratio of one figure says: `B is 1.23 times A (+23 %), 1.19 to 1.27: better.` Absent if it says nothing, as
/// that of a disturbed figure.
fn sentence(
    found: &Ratios<'_>,
    letters: &[String],
    what: &str,
    figure: &FigureRatios<'_>,
    side: usize,
) -> Option<String> {
    let against = figure.cells[side].against?;
    let (ratio, word) = (against.ratio?, verdict_word(against.verdict));
    let ends = against.interval.map(|(low, high)| (ratio_text(low), ratio_text(high)));
    let ends = ends.filter(|(low, high)| low != high);
    let interval = ends.map(|(low, high)| format!(", {low} to {high}")).unwrap_or_default();
    let (sign, says) = match against.verdict {
        Verdict::Better | Verdict::Worse | Verdict::Negligible | Verdict::WithinRuns => ("", format!(": {word}")),
        Verdict::NotShown => ("", format!(": no difference shown{}", missed(against.detectable))),
        Verdict::AtLeast => ("at least ", String::new()),
        Verdict::AtMost => ("at most ", String::new()),
        _ => return None,
    };
    let (own, base, percent) = (&letters[side], &letters[found.base], percent_text(ratio));
    Some(format!("{what}: {own} is {sign}{} times {base}{percent}{interval}{says}.", ratio_text(ratio)))
}

/// ` (+23 %)`; nothing for ratios so large or small that per cent say no more.
fn percent_text(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match ratio {
        far if far >= NO_PERCENT || far * NO_PERCENT <= 1.0 => String::new(),
        near if (0.9..1.1).contains(&near) => format!(" ({percent:+.1} %)"),
        _ => format!(" ({percent:+.0} %)"),
    }
}

/// The smallest detectable difference, if it is below a factor of two.
fn missed(detectable: Option<f64>) -> String {
    let percent = detectable.map(|ratio| (ratio - 1.0) * 100.0).filter(|percent| *percent <= TOO_MUCH);
    percent.map_or_else(String::new, |percent| format!(" (detectable from {} %)", rounded(percent)))
}

/// Per cent, with fractions only below ten.
fn rounded(percent: f64) -> String {
    format::plain_number(if percent < 10.0 { percent } else { percent.round() })
}

fn judged<'a, 'd>(found: &'a Ratios<'d>) -> impl Iterator<Item = &'a FigureRatios<'d>> {
    let of_steps = found.tests.iter().flat_map(|test| &test.steps).flat_map(|step| &step.figures);
    of_steps.chain(&found.run).filter(|figure| figure.judged)
}

/// Above this many per cent the smallest detectable difference is not worth a figure.
const TOO_MUCH: f64 = 100.0;

/// Which differences may have gone undetected, in per cent.
fn undetected(least: f64, most: f64) -> String {
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

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_analysis::digest::Digest;
    use drivelab_core::metric::Wrong;
    use drivelab_samples::slowed;

    use super::*;
    use crate::views::across::compare::contrasts;

    /// The sentences about single figures of drives that are slower by these factors, after `change` of the last one.
    fn sentences(factors: &[f64], change: fn(&mut Metric)) -> Vec<String> {
        let runs: Vec<_> = factors.iter().map(|factor| slowed(*factor)).collect();
        let mut digests: Vec<Digest> = runs.iter().map(|run| Digest::of(run, &analyse(run))).collect();
        let metrics = |digest: &mut Digest, change: fn(&mut Metric)| {
            let steps = digest.tests.iter_mut().flat_map(|test| &mut test.steps);
            steps.flat_map(|step| &mut step.metrics).for_each(change);
        };
        digests.iter_mut().for_each(|digest| metrics(digest, |metric| metric.lower_bound = false));
        digests.iter_mut().rev().take(1).for_each(|digest| metrics(digest, change));
        let sides = Sides::alone(digests.len());
        let found = contrasts(&digests.iter().collect::<Vec<_>>(), &sides);
        view(&found[0], &sides, false).sentences.into_iter().filter(|one| one.contains(" times ")).collect()
    }

    #[test]
    fn each_headline_has_a_sentence_with_ratio_and_per_cent_that_claims_no_more_than_the_verdict() {
        let same: fn(&mut Metric) = |_| {};
        let close = sentences(&[2.0, 1.97], same);
        assert!(close.len() >= SENTENCES, "{close:?}");
        assert!(close[0].contains(": B is 1.01") && close[0].contains(" times A (+1."), "{close:?}");
        assert!(close.iter().take(SENTENCES).all(|one| one.ends_with(": too close.")), "{close:?}");
        let found = sentences(&[2.0, 1.0, 1.97], same);
        assert!(
            found.iter().all(|one| one.contains(": B is ") && one.ends_with(": better.")),
            "shown first: {found:?}"
        );
        let bound = sentences(&[2.0, 1.0], |metric| metric.lower_bound = true);
        assert!(bound.iter().all(|one| one.contains("B is at least ") && one.ends_with(" %).")), "{bound:?}");
        assert_eq!(sentences(&[2.0, 1.0], |metric| metric.wrong = Some(Wrong::TooLow)), Vec::<String>::new());
    }

    #[test]
    fn per_cent_are_left_out_where_they_say_no_more() {
        let texts = [1.234, 0.5, 1.029, 0.981, 12.0, 0.05].map(percent_text);
        assert_eq!(texts, [" (+23 %)", " (-50 %)", " (+2.9 %)", " (-1.9 %)", "", ""]);
        assert_eq!(
            [Some(1.034), Some(1.25), Some(3.0), None].map(missed),
            [" (detectable from 3.4 %)", " (detectable from 25 %)", "", ""]
        );
    }
}
