//! Published figures beside measured ones: which of them is of the same load as a step.
//!
//! They have a ratio to the base, but no interval or verdict, and do not count for "best".

pub(crate) mod alone;
mod readings;

use drivelab_analysis::digest::RunFacts;
use drivelab_core::metric::Metric;
use drivelab_core::plan::redacted_setting;
use drivelab_core::published::{Published, PublishedFigure, Setup};
use drivelab_core::units::Bytes;

use crate::figure::format;
pub(crate) use readings::Readings;

/// A drive of a publication, as a column.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedSide {
    /// Its name in tables: `P1`.
    pub(crate) letter: String,
    /// The drive, its capacity, and the condition that it was measured under.
    pub(crate) title: String,
    /// The publication, with who wrote it.
    pub(crate) source: String,
    /// How the figures were measured.
    pub(crate) method: String,
    /// The same in parts.
    pub(crate) setup: Setup,
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
                    setup: published.setup.clone(),
                    same_as: published.same_as.clone(),
                    figures: vec![figure.clone()],
                }),
            }
        }
        sides
    }

    /// Its name in tables: `P1`.
    #[must_use]
    pub fn letter(&self) -> &str {
        &self.letter
    }

    /// The drive, its capacity, and the condition that it was measured under.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether it is the same drive of the same publication.
    #[must_use]
    pub fn is_of(&self, other: &PublishedSide) -> bool {
        self.title == other.title && self.source == other.source
    }

    /// Sets its figures beside no step if it measured in another way than these methodologies: steps of other
    /// methodologies may have the same names.
    pub fn only_beside(&mut self, methods: &[&str]) {
        let is_same = |name: &String| methods.contains(&name.as_str());
        if !self.same_as.is_empty() && !self.same_as.iter().any(is_same) {
            self.figures.iter_mut().for_each(|figure| figure.steps.clear());
        }
    }

    /// The figures that are of the same load and quantity as a metric; `None` if there are none.
    pub(crate) fn readings<'p>(&'p self, metric: &'p Metric) -> Option<Readings<'p>> {
        let step = metric.step.as_ref()?;
        let same = |figure: &&PublishedFigure| figure.steps.contains(step) && figure.metric == metric.id;
        Readings::of(self.figures.iter().filter(same), &metric.unit)
    }

    /// The drive with its letter.
    pub(crate) fn name(&self) -> String {
        format!("{}: {}", self.letter, self.title)
    }
}

/// A side of each publication.
pub(crate) fn distinct(published: &[PublishedSide]) -> Vec<&PublishedSide> {
    let is_first = |at: usize| published[..at].iter().all(|other| other.source != published[at].source);
    published.iter().enumerate().filter(|(at, _)| is_first(*at)).map(|(_, side)| side).collect()
}

/// In what a publication measured in another way than a run, as far as it says so: `system (Windows; here Linux 6.18)`.
pub(crate) fn differs(setup: &Setup, run: &RunFacts) -> Vec<String> {
    let Setup { system, target, span, rounds } = setup;
    let (testbed, own) = (&run.environment.testbed, &run.environment.target);
    let linux = format!("Linux {}", testbed.kernel);
    let system = system.as_ref().filter(|system| !system.starts_with("Linux"));
    let kind = own.kind.name();
    let target = target.as_ref().filter(|target| *target != kind);
    let sizes = span.as_ref().and_then(|span| span.parse::<Bytes>().ok()).filter(|span| *span != run.tested);
    let parts = [
        system.map(|system| format!("system ({system}; here {linux})")),
        target.map(|target| format!("target ({target}; here {kind})")),
        sizes.map(|span| format!("tested span ({span}; here {})", format::short_bytes(run.tested))),
        rounds.as_ref().map(|rounds| format!("rounds ({rounds})")),
    ];
    parts.into_iter().flatten().collect()
}
