//! The figure of a published drive by its test and metric: `P1 SQL, synthetic:total.iops`.

use drivelab_analysis::metric_def;
use drivelab_core::published::PublishedFigure;

use super::types::Material;
use crate::figure::table::Cell;
use crate::figure::{cells, format};
use crate::views::across::published::{PublishedSide, Readings};

/// Most tests that a message names.
const NAMED: usize = 5;

/// The letter of a published side and what follows it; `None` if the address does not begin with one.
pub(super) fn split(address: &str) -> Option<(&str, &str)> {
    let (letter, rest) = address.split_once(' ')?;
    let number = letter.strip_prefix('P')?;
    number.parse::<u32>().is_ok().then(|| (letter, rest.trim()))
}

/// The figure with its unit and signs. A test is called as in the publication, or by the address of a step that has
/// exactly its load.
///
/// # Errors
/// There is no such side, test or metric.
pub(super) fn value(letter: &str, address: &str, material: &Material<'_>) -> Result<String, String> {
    let all = &material.sides.published;
    let Some(side) = all.iter().find(|side| side.letter == letter) else {
        let letters: Vec<&str> = all.iter().map(|side| side.letter.as_str()).collect();
        let which = if letters.is_empty() { "none".to_owned() } else { letters.join(", ") };
        return Err(format!("no published drive {letter}; the article has: {which}"));
    };
    let Some((test, metric)) = address.rsplit_once(':') else {
        return Err(format!("a published value needs a test and a metric: {{{{ value {letter} TEST:METRIC }}}}"));
    };
    let (test, metric) = (test.trim(), metric.trim());
    let unit = metric_def(metric).map(|def| def.unit).ok_or_else(|| format!("there is no metric '{metric}'"))?;
    let is_it = |figure: &&PublishedFigure| {
        let called = figure.test.eq_ignore_ascii_case(test) || figure.steps.iter().any(|step| step.to_string() == test);
        figure.metric == metric && called
    };
    let Some(readings) = Readings::of(side.figures.iter().filter(is_it), unit) else {
        let tests = tests_of(side, metric);
        return Err(format!("{} has no figure '{test}:{metric}'; its tests with this metric: {tests}", side.name()));
    };
    let cell = match readings.figures.as_slice() {
        // In the source's own digits, unless it has another unit, is approximate, or is a bound.
        [one] if one.unit == cells::unit_text(unit) && !(one.about || one.bound.is_some()) => {
            Cell { text: format::as_published(one.value), ..readings.cell() }
        }
        _ => readings.cell(),
    };
    let with_unit = format!("{} {}", cell.text, cells::unit_text(unit)).trim_end().to_owned();
    Ok(Cell { text: with_unit, ..cell }.plain())
}

/// The tests of which a side has this metric, for a message.
fn tests_of(side: &PublishedSide, metric: &str) -> String {
    let figures = side.figures.iter().filter(|figure| figure.metric == metric);
    let mut tests: Vec<&str> = Vec::new();
    for test in figures.map(|figure| figure.test.as_str()) {
        if !tests.contains(&test) {
            tests.push(test);
        }
    }
    match tests.len() {
        0 => "none".to_owned(),
        few if few <= NAMED => format!("'{}'", tests.join("', '")),
        many => format!("'{}' and {} more", tests[..NAMED].join("', '"), many - NAMED),
    }
}
