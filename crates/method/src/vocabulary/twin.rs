//! The vocabulary of `twin`: the figures of a data sheet that a test can be held against.

use crate::vocabulary::shape::{Key, Kind, Word, key, word};

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
    "The figure of the drive's data sheet that the best step of the test is compared with.",
);

#[cfg(test)]
mod tests {
    use drivelab_core::data_sheet::PrintedFigure;

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
