//! Sides of a group against a base: what tables, charts and documents of a comparison show.

use drivelab_analysis::digest::{Digest, StepFacts};
use drivelab_analysis::families::{Family, doubling, is_rate};
use drivelab_analysis::ratios::{FigureRatios, Ratios};
use drivelab_analysis::together::Doubling;
use drivelab_core::drive_facts::Price;
use drivelab_core::ids::RunId;

/// Sides of a group against a base.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contrast<'d> {
    /// Methodology and form.
    pub(crate) title: String,
    /// What differs besides the drive.
    pub(crate) differences: Vec<String>,
    /// Names of the differences that were allowed.
    pub(crate) touched: Vec<&'static str>,
    /// Whether each side differs from the base in one of them, so that its ratios depend on it.
    pub(crate) touched_sides: Vec<bool>,
    /// Letters of the sides.
    pub(crate) letters: Vec<String>,
    /// Letters with drives.
    pub(crate) names: Vec<String>,
    /// What their drives cost, where it is known.
    pub(crate) prices: Vec<Option<Price>>,
    /// Their drives by family, where they differ in capacity.
    pub(crate) families: Vec<Family>,
    /// The runs of each side.
    pub(crate) runs: Vec<Vec<RunId>>,
    /// The first run of each side.
    pub(crate) first: Vec<&'d Digest>,
    /// Their figures.
    pub(crate) ratios: Ratios<'d>,
    /// Whether the base is that of the whole comparison, and not the first side of the group.
    pub(crate) has_base: bool,
}

/// A headline figure with a name that no other has.
pub(crate) type Named<'c, 'd> = (String, &'c FigureRatios<'d>);

impl<'d> Contrast<'d> {
    /// The headline figures of whole runs and of steps. Steps of one label have their test behind it.
    pub(crate) fn headlines(&self) -> Vec<Named<'_, 'd>> {
        let steps = self.ratios.tests.iter().flat_map(|test| test.steps.iter().map(move |step| (test.title, step)));
        let of_steps = steps.flat_map(|(test, step)| {
            step.figures.iter().map(move |figure| (label(step.facts, figure), Some(test), figure))
        });
        let of_run = self.ratios.run.iter().map(|figure| (figure.title.to_owned(), None, figure));
        let all: Vec<_> = of_run.chain(of_steps).filter(|(_, _, figure)| figure.judged).collect();
        let shared = |label: &str| all.iter().filter(|(other, ..)| other == label).count() > 1;
        let name = |label: &str, test: Option<&str>| match test {
            Some(test) if shared(label) => format!("{label} ({test})"),
            _ => label.to_owned(),
        };
        all.iter().map(|(label, test, figure)| (name(label, *test), *figure)).collect()
    }

    /// The headline rates, named as in [`Self::headlines`].
    pub(crate) fn rates(&self) -> Vec<Named<'_, 'd>> {
        self.headlines().into_iter().filter(|(_, figure)| is_rate(figure)).collect()
    }

    /// What each doubling of the capacity brings to the headline rates of each family.
    pub(crate) fn doublings(&self) -> Vec<Doubling> {
        let several = self.families.len() > 1;
        let names = self.rates();
        let of_figure = |(name, figure): &Named<'_, 'd>| -> Vec<Doubling> {
            let of_family = |family: &Family| {
                let label = if several { format!("{name}: {}", family.name) } else { name.clone() };
                doubling(family, figure, label, self.touched.is_empty())
            };
            self.families.iter().filter_map(of_family).collect()
        };
        names.iter().flat_map(of_figure).collect()
    }
}

/// The step, and the figure if it is not its rate.
pub(crate) fn label(facts: &StepFacts, figure: &FigureRatios<'_>) -> String {
    if facts.rate.as_ref() == Some(&figure.metric.id) {
        return facts.label.clone();
    }
    format!("{}: {}", facts.label, lower(figure.title))
}

fn lower(title: &str) -> String {
    let mut letters = title.chars();
    match (letters.next(), title.chars().nth(1)) {
        // An abbreviation keeps its capitals.
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(letters).collect(),
        _ => title.to_owned(),
    }
}
