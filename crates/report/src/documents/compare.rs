//! The document of a comparison, which `drivelab compare --json` prints, and its schema.

mod csv;
mod published;

use drivelab_analysis::bridge::Bridge;
use drivelab_analysis::digest::Digest;
use drivelab_analysis::price::for_money;
use drivelab_analysis::ratios::{Basis, FigureRatios, Limits, RatioBound, SideFigure, Verdict};
use drivelab_analysis::together::Doubling;
use drivelab_core::event::RunState;
use drivelab_core::ids::{RunId, StepId};
use drivelab_core::metric::{Better, Wrong};
use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::schema;
use crate::marker;
use crate::views::across::against::base_of;
use crate::views::across::contrast::Contrast;
use crate::views::across::published::PublishedSide;
use crate::views::across::published::unpaired::Unpaired;
use crate::views::across::sides::Sides;
use published::{PublishedCellDoc, PublishedDoc, PublishedSideDoc};

/// Version of the document.
const VERSION: u32 = 1;

/// Runs side by side, as docs/formats/compare.schema.json describes them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CompareDoc {
    /// Always `drivelab.compare`.
    pub(crate) schema: &'static str,
    /// Version of this document, 1. Raised when readers of the previous version would misread the new one.
    pub(crate) schema_version: u32,
    /// What is compared, in the order given.
    pub(crate) sides: Vec<SideDoc>,
    /// Groups of two sides or more that may be compared; beside published figures of one or more.
    pub(crate) groups: Vec<GroupDoc>,
    /// Why the rest may not, a sentence each.
    pub(crate) not_comparable_because: Vec<String>,
    /// Drives measured on the base's testbed and on another one of the comparison; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) bridges: Vec<Bridge>,
    /// Published figures without a matching figure in the runs; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) published: Option<PublishedDoc>,
    /// Smallest relevant difference, per cent.
    pub(crate) relevant_percent: f64,
    /// With one run a side, differences up to this are not ranked, per cent.
    pub(crate) one_run_percent: f64,
}

/// A side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SideDoc {
    /// Its letter: `A`.
    pub(crate) name: String,
    /// The drive, what was set up on it, and what distinguishes it from other sides.
    pub(crate) title: String,
    /// Price of the drive; absent if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) price: Option<PriceDoc>,
    /// Its runs.
    pub(crate) runs: Vec<SideRunDoc>,
}

/// Price of a drive.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PriceDoc {
    /// In units of the currency.
    pub(crate) amount: f64,
    /// ISO 4217.
    pub(crate) currency: String,
    /// `YYYY-MM-DD`.
    pub(crate) date: String,
    /// Price of one GB (10^9 bytes) of the drive's capacity; `null` if that is unknown.
    pub(crate) per_gb: Option<f64>,
}

/// A run of a side.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SideRunDoc {
    /// The run.
    pub(crate) id: RunId,
    /// When it began, RFC 3339 in UTC.
    pub(crate) started: String,
    /// State of the run.
    pub(crate) state: RunState,
    /// What its user calls it; absent for nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) title: String,
    /// Codes of its failed checks and warnings; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
}

/// Sides that may be compared.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct GroupDoc {
    /// Methodology and form.
    pub(crate) title: String,
    /// Letters of the sides, in the order of the cells.
    pub(crate) sides: Vec<String>,
    /// The runs of each of them in this group, in the order of the values of a cell.
    pub(crate) runs: Vec<Vec<RunId>>,
    /// Published drives that are set beside them; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) published: Vec<PublishedSideDoc>,
    /// Letter of the base: the first side of the group if none of the base's runs is in it.
    pub(crate) base: String,
    /// Whether that is the base of the whole comparison.
    pub(crate) has_base: bool,
    /// What differs besides the drive, a sentence each.
    pub(crate) differences: Vec<String>,
    /// The differences that were allowed (`--allow`); absent if none was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) allowed: Vec<String>,
    /// Letters of the sides that differ from the base in one of them, so that their ratios depend on it; absent if none
    /// does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) touched: Vec<String>,
    /// For how many comparisons the verdicts are corrected.
    pub(crate) corrected_for: usize,
    /// The tests.
    pub(crate) tests: Vec<TestDoc>,
    /// Figures of whole runs.
    pub(crate) run: Vec<FigureDoc>,
    /// Throughput ratio for each doubling of the capacity: of each headline figure in MB/s, for drives whose names
    /// differ only in a capacity. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) per_doubling: Vec<Doubling>,
}

/// A test.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TestDoc {
    /// Its name in the methodology.
    pub(crate) name: String,
    /// Its title.
    pub(crate) title: String,
    /// Its steps.
    pub(crate) steps: Vec<StepFiguresDoc>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct StepFiguresDoc {
    /// The step.
    pub(crate) id: StepId,
    /// Its label.
    pub(crate) label: String,
    /// Its figures, headline figures first.
    pub(crate) figures: Vec<FigureDoc>,
}

/// One figure of all sides.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FigureDoc {
    /// Id of the metric.
    pub(crate) metric: String,
    /// Address in each run: `<step id>:<metric id>`.
    pub(crate) address: String,
    /// Title of the metric.
    pub(crate) title: String,
    /// Unit of the values.
    pub(crate) unit: String,
    /// Which direction is better.
    pub(crate) better: Better,
    /// Whether it is a headline figure, for which verdicts are sought.
    pub(crate) headline: bool,
    /// Letter of the side that is shown to be better than every other; `null` if none is.
    pub(crate) best: Option<String>,
    /// One for each side.
    pub(crate) cells: Vec<CellDoc>,
    /// Published figures of the same load; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) published: Vec<PublishedCellDoc>,
}

/// A figure of one side.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CellDoc {
    /// Geometric mean of the runs that have a value; `null` if none has.
    pub(crate) value: Option<f64>,
    /// The value of each run.
    pub(crate) runs: Vec<Option<f64>>,
    /// The value of a run is a lower bound.
    pub(crate) lower_bound: bool,
    /// In which direction something outside the test changed a value; `null` if nothing did.
    pub(crate) wrong: Option<Wrong>,
    /// Codes of the findings that changed a value.
    pub(crate) spoiled_by: Vec<String>,
    /// Codes of the findings that make a value void.
    pub(crate) voided_by: Vec<String>,
    /// Ratio to the base; `null` for the base, if a value is missing, and if both are lower bounds.
    pub(crate) ratio: Option<f64>,
    /// By how many per cent it is more than the base; `null` like the ratio.
    pub(crate) percent: Option<f64>,
    /// Low end of the ratio's 95 % interval; `null` if nothing shows how the values scatter, or a value is a bound or
    /// disturbed.
    pub(crate) low: Option<f64>,
    /// High end.
    pub(crate) high: Option<f64>,
    /// From what the interval comes; `null` if there is none.
    pub(crate) basis: Option<Basis>,
    /// Whether the ratio is only a bound; `null` if it is not.
    pub(crate) bound: Option<RatioBound>,
    /// What follows; `null` for the base.
    pub(crate) verdict: Option<Verdict>,
    /// Smallest detectable ratio, above 1, in either direction; `null` if nothing was tested.
    pub(crate) detectable: Option<f64>,
    /// The value for each unit of the currency, where more is better; absent without a price or a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) for_money: Option<f64>,
}

/// The whole document.
pub(crate) fn document(
    sides: Vec<SideDoc>,
    groups: Vec<GroupDoc>,
    not_comparable_because: Vec<String>,
    (sides_of, digests): (&Sides, &[&Digest]),
) -> CompareDoc {
    let (limits, bridges) = (sides_of.limits, sides_of.bridges.clone().unwrap_or_default());
    let unpaired = Unpaired::of(sides_of, digests);
    CompareDoc {
        published: unpaired.map(|unpaired| published::document(&unpaired, sides_of)),
        schema: marker::COMPARE,
        schema_version: VERSION,
        sides,
        groups,
        not_comparable_because,
        bridges,
        relevant_percent: limits.relevant * 100.0,
        one_run_percent: limits.one_run * 100.0,
    }
}

/// A group of sides.
pub(crate) fn group(contrast: &Contrast<'_>, published: &[PublishedSide]) -> GroupDoc {
    let allowed = contrast.touched.iter().map(|name| (*name).to_owned()).collect();
    let Contrast { title, differences, letters, runs, ratios, has_base, touched_sides, .. } = contrast;
    let touched = letters.iter().zip(touched_sides).filter(|(_, touched)| **touched).map(|(letter, _)| letter.clone());
    let figures = |all: &[FigureRatios<'_>]| all.iter().map(|one| figure(one, contrast, published)).collect();
    let tests = ratios.tests.iter().map(|test| {
        let steps = test.steps.iter().map(|step| StepFiguresDoc {
            id: step.facts.id.clone(),
            label: step.facts.label.clone(),
            figures: figures(&step.figures),
        });
        TestDoc { name: test.name.to_owned(), title: test.title.to_owned(), steps: steps.collect() }
    });
    GroupDoc {
        title: title.clone(),
        base: letters[ratios.base].clone(),
        has_base: *has_base,
        published: published.iter().map(published::side).collect(),
        differences: differences.clone(),
        allowed,
        touched: touched.collect(),
        corrected_for: ratios.judged,
        tests: tests.collect(),
        run: figures(&ratios.run),
        per_doubling: contrast.doublings(),
        sides: letters.clone(),
        runs: runs.clone(),
    }
}

fn figure(figure: &FigureRatios<'_>, contrast: &Contrast<'_>, published: &[PublishedSide]) -> FigureDoc {
    let base = base_of(&figure.cells[contrast.ratios.base]);
    let cell = |(side, found): (usize, &SideFigure<'_>)| {
        let price = contrast.prices[side].as_ref().filter(|_| figure.better == Better::Higher);
        let for_money = price.zip(found.value).and_then(|(price, value)| for_money(value, price));
        CellDoc { for_money, ..cell(found) }
    };
    let of_side = |side: &PublishedSide| {
        let readings = side.readings(figure.metric).map(|one| one.figures).unwrap_or_default();
        let docs = readings.into_iter().filter_map(|one| published::cell(side, one, &figure.metric.unit, base));
        docs.collect::<Vec<_>>()
    };
    FigureDoc {
        published: published.iter().flat_map(of_side).collect(),
        metric: figure.metric.id.clone(),
        address: figure.metric.address.clone(),
        title: figure.title.to_owned(),
        unit: figure.metric.unit.clone(),
        better: figure.better,
        headline: figure.judged,
        best: figure.best.map(|side| contrast.letters[side].clone()),
        cells: figure.cells.iter().enumerate().map(cell).collect(),
    }
}

fn cell(side: &SideFigure<'_>) -> CellDoc {
    let codes = |of: fn(&drivelab_core::metric::Metric) -> &Vec<String>| {
        let mut codes: Vec<String> = side.known().flat_map(of).cloned().collect();
        codes.sort();
        codes.dedup();
        codes
    };
    let against = side.against;
    let interval = against.and_then(|one| one.interval);
    CellDoc {
        value: side.value,
        runs: side.metrics.iter().map(|metric| metric.and_then(|metric| metric.value)).collect(),
        lower_bound: side.is_at_least(),
        wrong: side.wrong(),
        spoiled_by: codes(|metric| &metric.spoiled_by),
        voided_by: codes(|metric| &metric.voided_by),
        ratio: against.and_then(|one| one.ratio),
        percent: against.and_then(|one| one.ratio).map(|ratio| (ratio - 1.0) * 100.0),
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        basis: against.filter(|_| interval.is_some()).and_then(|one| one.basis),
        verdict: against.map(|one| one.verdict),
        bound: against.and_then(|one| one.bound),
        detectable: against.and_then(|one| one.detectable),
        for_money: None,
    }
}

/// Headline figures that fall behind the base, each with its side, test and step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Behind {
    /// They are worse.
    pub worse: Vec<String>,
    /// They are missing or void where the base has one.
    pub missing: Vec<String>,
}

/// How a figure falls behind the base's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lag {
    /// It is worse.
    Worse,
    /// It is missing or void where the base has one.
    Missing,
}

impl GroupDoc {
    /// All figures with their test and step; figures of whole runs have none.
    pub(crate) fn figures(&self) -> impl Iterator<Item = (Option<(&TestDoc, &StepFiguresDoc)>, &FigureDoc)> {
        let steps = self.tests.iter().flat_map(|test| test.steps.iter().map(move |step| (test, step)));
        let of_steps = steps.flat_map(|place| place.1.figures.iter().map(move |figure| (Some(place), figure)));
        of_steps.chain(self.run.iter().map(|figure| (None, figure)))
    }

    /// Headline figures with their test and step.
    pub(crate) fn headlines(&self) -> impl Iterator<Item = (String, &FigureDoc)> {
        let named = |(place, figure): (Option<(&TestDoc, &StepFiguresDoc)>, &FigureDoc)| match place {
            Some((test, step)) => format!("{}, {}", test.title, step.label),
            None => figure.title.clone(),
        };
        self.figures().filter(|(_, figure)| figure.headline).map(move |found| (named(found), found.1))
    }
}

impl CompareDoc {
    /// Headline figures that fall behind the base. `None` if nothing is compared with the base.
    #[must_use]
    pub fn behind(&self) -> Option<Behind> {
        let mut behind = Behind::default();
        let mut groups = self.groups.iter().filter(|group| group.has_base).peekable();
        groups.peek()?;
        for group in groups {
            for (label, figure) in group.headlines() {
                for (at, side) in group.sides.iter().enumerate() {
                    match self.lag(group, figure, at) {
                        Some(Lag::Worse) => behind.worse.push(format!("{side} in {label}")),
                        Some(Lag::Missing) => behind.missing.push(format!("{side} in {label}")),
                        None => {}
                    }
                }
            }
        }
        behind.missing.extend(self.apart().into_iter().map(|side| format!("{side} cannot be compared with the base")));
        Some(behind)
    }

    /// How many headline figures of sides beside the base there are, and how many of them nothing could be said of:
    /// bounds, disturbed, incomplete and missing ones.
    #[must_use]
    pub fn unjudged(&self) -> (usize, usize) {
        let verdicts = self.groups.iter().filter(|group| group.has_base).flat_map(|group| {
            let cells = group.headlines().flat_map(|(_, figure)| figure.cells.iter().enumerate());
            let base = group.sides.iter().position(|side| *side == group.base);
            cells.filter(move |(side, _)| Some(*side) != base).filter_map(|(_, cell)| cell.verdict)
        });
        verdicts.fold((0, 0), |(all, unjudged), verdict| {
            (all + 1, unjudged + usize::from(verdict.why_unjudged().is_some()))
        })
    }

    /// The sides that are in no group with the base.
    pub(crate) fn apart(&self) -> Vec<&str> {
        let beside = |name: &String| self.groups.iter().any(|group| group.has_base && group.sides.contains(name));
        self.sides.iter().map(|side| &side.name).filter(|name| !beside(name)).map(String::as_str).collect()
    }

    /// How a figure of a side falls behind the base's, if it does.
    pub(crate) fn lag(&self, group: &GroupDoc, figure: &FigureDoc, at: usize) -> Option<Lag> {
        let cell = &figure.cells[at];
        let limits = Limits { relevant: self.relevant_percent / 100.0, one_run: self.one_run_percent / 100.0 };
        let base = group.sides.iter().position(|side| *side == group.base);
        let has_base = base.is_some_and(|base| figure.cells[base].value.is_some());
        match cell.verdict {
            Some(verdict) if verdict.is_worse(cell.ratio, figure.better, limits) => Some(Lag::Worse),
            Some(Verdict::NoFigure) if has_base => Some(Lag::Missing),
            // Where the base lacks a run's value and the side does not, the side is not behind.
            Some(Verdict::Incomplete) if has_base && cell.runs.iter().any(Option::is_none) => Some(Lag::Missing),
            _ => None,
        }
    }
}

/// JSON Schema of the document.
pub(crate) fn compare_schema() -> serde_json::Value {
    schema::of::<CompareDoc>("drivelab, comparison of runs", "drivelab.compare.v1")
}
