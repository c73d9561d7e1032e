//! `twin`: the figure of the drive's data sheet that a test is held against.
//!
//! Owns the words of the key and what it asks of the test's loads. What is printed and how it compares is not known
//! here.

use drivelab_core::data_sheet::PrintedFigure;
use drivelab_core::plan::Step;

use crate::diagnose::Diagnostic;
use crate::shape::{Key, Kind, Word, key, word};
use crate::value::{Table, Value};

/// The figures that a test can be the twin of, by their keys in drive facts.
const FIGURES: &[Word] = &[
    word("sequential_read", "Sequential reads, MB/s."),
    word("sequential_write", "Sequential writes, MB/s."),
    word("random_read", "Random reads a second."),
    word("random_write", "Random writes a second."),
    word("read_latency", "Mean time of one read, one at a time."),
    word("write_latency", "Mean time of one write, one at a time."),
    word("slc_cache", "What a sequential fill shows of the write cache."),
    word("power_active", "Power while the test runs."),
];

/// The key.
pub(crate) const TWIN: Key = key(
    "twin",
    Kind::OneOf(FIGURES),
    "The figure of the drive's data sheet that the best step of the test is held against.",
);

/// The figure that a test is held against, where it says one.
pub(crate) fn of(test: &Table) -> Option<PrintedFigure> {
    match test.get(TWIN.name)?.value {
        Value::Word(word) => PrintedFigure::named(word),
        _ => None,
    }
}

/// What is wrong where a step's load cannot show the figure.
pub(crate) fn check(test: &Table, steps: &[Step]) -> Result<(), Diagnostic> {
    let (Some(figure), Some(entry)) = (of(test), test.get(TWIN.name)) else { return Ok(()) };
    let lacking = steps.iter().find_map(|step| Some((step, figure.lacks(step.workload()?)?)));
    let Some((step, why)) = lacking else { return Ok(()) };
    let title = format!("'{}' cannot show `{}`: {why}", step.label, figure.name());
    let error = Diagnostic::new(entry.at.clone(), title, "every step of the test must be able to");
    Err(error.help("give the steps that can show it a test of their own, or leave `twin` out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_a_figure_and_only_idle_power_has_none() {
        let named: Vec<PrintedFigure> = FIGURES.iter().filter_map(|word| PrintedFigure::named(word.name)).collect();
        assert_eq!(named.len(), FIGURES.len(), "a word that no figure has");
        let without: Vec<PrintedFigure> =
            PrintedFigure::ALL.into_iter().filter(|figure| !named.contains(figure)).collect();
        assert_eq!(without, [PrintedFigure::PowerIdle]);
    }
}
