//! Published figures beside measured ones: which of them is of the same load as a step.
//!
//! They have a ratio to the base, but no interval or verdict, and do not count for "best".

pub(crate) mod choice;
mod readings;
pub(crate) mod row;
pub(crate) mod unpaired;
mod verdicts;

use drivelab_analysis::digest::RunFacts;
use drivelab_core::environment::TargetKind;
use drivelab_core::metric::Metric;
use drivelab_core::plan::redacted_setting;
use drivelab_core::published::{Published, PublishedFigure, Setup};
use drivelab_core::units::Bytes;

use crate::figure::format;
pub(crate) use readings::{Base, Readings};

/// A drive of a publication, as a column.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedSide {
    /// Its name in tables: `P1`.
    pub(crate) letter: String,
    /// The drive, its capacity, and the condition that it was measured under.
    pub(crate) title: String,
    /// Name of the publication, as in `published:NAME`.
    pub(crate) publication: String,
    /// The publication, with who wrote it.
    pub(crate) source: String,
    /// How the figures were measured.
    pub(crate) method: String,
    /// The same in parts.
    pub(crate) setup: Setup,
    /// Methodologies that measure the same way; empty if the publication names none.
    pub(crate) same_as: Vec<String>,
    /// Name of the facts of its drive; empty if the publication names none.
    pub(crate) facts: String,
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
                    publication: published.name.clone(),
                    source: format!("{}: {}", published.author, published.title),
                    method: published.method.clone(),
                    setup: published.setup.clone(),
                    same_as: published.same_as.clone(),
                    facts: published.facts.get(&figure.drive).cloned().unwrap_or_default(),
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

    /// Name of the publication, as in `published:NAME`.
    #[must_use]
    pub fn publication(&self) -> &str {
        &self.publication
    }

    /// Name of the facts of its drive; empty if the publication names none.
    #[must_use]
    pub fn facts(&self) -> &str {
        &self.facts
    }

    /// Its figures.
    #[must_use]
    pub fn figures(&self) -> &[PublishedFigure] {
        &self.figures
    }

    /// Whether it is the same drive of the same publication.
    #[must_use]
    pub fn is_of(&self, other: &PublishedSide) -> bool {
        self.title == other.title && self.publication == other.publication
    }

    /// Whether both are of one publication.
    #[must_use]
    pub fn is_of_publication(&self, other: &PublishedSide) -> bool {
        self.publication == other.publication
    }

    /// Whether the publication measured like this methodology; yes if it names none. Steps of other methodologies may
    /// have the same names.
    pub(crate) fn measured_like(&self, method: &str) -> bool {
        self.same_as.is_empty() || self.same_as.iter().any(|name| name == method)
    }

    /// This side for a run of a methodology: without its steps if the publication did not measure like it.
    #[must_use]
    pub fn beside(&self, method: &str) -> PublishedSide {
        let mut side = self.clone();
        if !self.measured_like(method) {
            side.figures.iter_mut().for_each(|figure| figure.steps.clear());
        }
        side
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

/// The source and method of each publication; beside a run also how its setup differs from that of the run.
pub(crate) fn source_notes(published: &[PublishedSide], run: Option<&RunFacts>) -> Vec<String> {
    let mut known: Vec<&str> = Vec::new();
    let mut notes = Vec::new();
    for side in published {
        if known.contains(&side.publication.as_str()) {
            continue;
        }
        known.push(&side.publication);
        notes.push(format!("Source: {}. Method: {}", side.source, side.method));
        let differs = run.map(|run| differs(&side.setup, run)).unwrap_or_default();
        if !differs.is_empty() {
            notes.push(format!("The published tests differ in {}.", differs.join(", ")));
        }
        if let Some(rounds) = side.setup.rounds.as_ref().filter(|_| run.is_some()) {
            notes.push(format!("Published rounds: {rounds}."));
        }
    }
    notes
}

/// The kind of a target in the words of a publication's `setup.target`.
const fn target_word(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::ScratchFile | TargetKind::NamedFile => "file system",
        TargetKind::BlockDevice => "device",
        TargetKind::NullDevice | TargetKind::ZeroDevice | TargetKind::Nop => "no storage",
    }
}

/// How the setup of a publication differs from that of a run, where it is stated: `system (Windows; here Linux 6.18)`.
fn differs(setup: &Setup, run: &RunFacts) -> Vec<String> {
    let Setup { system, target, span, rounds: _ } = setup;
    let linux = format!("Linux {}", run.environment.testbed.kernel);
    let system = system.as_ref().filter(|system| !system.starts_with("Linux"));
    let here = target_word(run.environment.target.kind);
    let target = target.as_ref().filter(|target| *target != here);
    let sizes = span.as_ref().and_then(|span| span.parse::<Bytes>().ok()).filter(|span| *span != run.tested);
    let parts = [
        system.map(|system| format!("system ({system}; here {linux})")),
        target.map(|target| format!("target ({target}; here {here})")),
        sizes.map(|span| format!("tested span ({span}; here {})", format::short_bytes(run.tested))),
    ];
    parts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_analysis::digest::Digest;
    use drivelab_samples::sample_run;

    use super::*;

    #[test]
    fn only_what_differs_is_said_to() {
        let records = sample_run();
        let run = Digest::of(&records, &analyse(&records)).run;
        let setup = |system: &str, target: &str, span: &str| Setup {
            system: Some(system.to_owned()),
            target: Some(target.to_owned()),
            span: Some(span.to_owned()),
            rounds: None,
        };
        assert_eq!(run.environment.target.kind, TargetKind::ScratchFile);
        assert_eq!(
            differs(&setup("Linux (Ubuntu)", "file system", &run.tested.to_string()), &run),
            Vec::<String>::new()
        );
        let all = differs(&setup("Windows", "device", "16 GB"), &run);
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(all[1] == "target (device; here file system)" && all[2].starts_with("tested span (16 GB; here "));
    }
}
