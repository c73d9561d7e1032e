//! Published figures beside measured ones: which of them is of the same load as a step.
//!
//! They have a ratio to the base, but no interval or verdict, and do not count for "best".

use drivelab_analysis::digest::RunFacts;
use drivelab_core::metric::Metric;
use drivelab_core::plan::redacted_setting;
use drivelab_core::published::{Bound, Published, PublishedFigure};

use crate::figure::format;

/// A drive of a publication, as a column.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedSide {
    /// Its name in tables: `P1`.
    pub(crate) letter: String,
    /// The drive, its capacity, and what distinguishes its figures.
    pub(crate) title: String,
    /// The publication, with who wrote it.
    pub(crate) source: String,
    /// How the figures were measured.
    pub(crate) method: String,
    /// Methodologies that measure the same way; empty if the publication names none.
    pub(crate) same_as: Vec<String>,
    /// Its figures.
    pub(crate) figures: Vec<PublishedFigure>,
}

/// Parameters that were set; without folders if asked.
pub(crate) fn set_words(set: &[String], redact: bool) -> String {
    let words = |one: &String| if redact { redacted_setting(one) } else { one.clone() };
    set.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// What the run beside published figures was: the publication may have tested more, for longer.
pub(crate) fn measured_here(run: &RunFacts, redact: bool) -> String {
    let set = if run.set.is_empty() { String::new() } else { format!(", with {} set", set_words(&run.set, redact)) };
    format!(
        "Measured here: {} {}, {}, {} tested{set}.",
        run.method.name,
        run.method.version,
        run.form.words(&run.method.name),
        format::bytes(run.tested)
    )
}

impl PublishedSide {
    /// The drives of a publication whose names contain `word`, as columns numbered from `first`.
    #[must_use]
    pub fn of(published: &Published, word: &str, first: usize) -> Vec<PublishedSide> {
        let mut sides: Vec<PublishedSide> = Vec::new();
        let wanted = |figure: &&PublishedFigure| figure.subject().to_lowercase().contains(&word.to_lowercase());
        for figure in published.figures.iter().filter(wanted) {
            let title = figure.subject();
            match sides.iter_mut().find(|side| side.title == title) {
                Some(side) => side.figures.push(figure.clone()),
                None => sides.push(PublishedSide {
                    letter: format!("P{}", first + sides.len()),
                    title,
                    source: format!("{}: {}", published.author, published.title),
                    method: published.method.clone(),
                    same_as: published.same_as.clone(),
                    figures: vec![figure.clone()],
                }),
            }
        }
        sides
    }

    /// Drops its figures if it measured in another way than these methodologies: steps of other methodologies may have
    /// the same names.
    pub fn only_beside(&mut self, methods: &[&str]) {
        let is_same = |name: &String| methods.contains(&name.as_str());
        if !self.same_as.is_empty() && !self.same_as.iter().any(is_same) {
            self.figures.clear();
        }
    }

    /// The figure that is of the same load and quantity as a metric.
    pub(crate) fn figure(&self, metric: &Metric) -> Option<&PublishedFigure> {
        let step = metric.step.as_ref()?;
        let same = |figure: &&PublishedFigure| figure.steps.contains(step) && figure.metric == metric.id;
        self.figures.iter().find(same)
    }

    /// The value in the unit of a metric.
    pub(crate) fn value(&self, metric: &Metric) -> Option<f64> {
        self.figure(metric)?.value_in(&metric.unit)
    }

    /// What stands before a value: a bound, or that the source rounds.
    pub(crate) fn sign(figure: &PublishedFigure) -> &'static str {
        match figure.bound {
            Some(Bound::AtLeast) => "≥ ",
            Some(Bound::AtMost) => "≤ ",
            None if figure.about => "~",
            None => "",
        }
    }
}
