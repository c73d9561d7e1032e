//! What a comparison with a base says: figures of sides, ratios, verdicts.
//!
//! Must not know: how they are worked out.

use drivelab_core::metric::{Better, Metric, Wrong};
use schemars::JsonSchema;
use serde::Serialize;

use crate::digest::StepFacts;

/// From which difference on one is worth a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The smallest relevant difference, as a part: what is shown but smaller is negligible.
    pub relevant: f64,
    /// With one run a side, differences up to this part are not ranked: two runs of one drive may differ as much.
    pub one_run: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { relevant: 0.01, one_run: 0.05 }
    }
}

/// The figures of all sides against the base.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratios<'d> {
    /// Place of the base among the sides.
    pub base: usize,
    /// The tests, in the order of the runs.
    pub tests: Vec<TestRatios<'d>>,
    /// Figures of whole runs: scores, duration.
    pub run: Vec<FigureRatios<'d>>,
    /// Number of differences tested, for which the verdicts are corrected.
    pub judged: usize,
}

impl<'d> Ratios<'d> {
    /// The figures of all steps, without those of whole runs.
    pub fn of_steps(&self) -> impl Iterator<Item = &FigureRatios<'d>> {
        self.tests.iter().flat_map(|test| &test.steps).flat_map(|step| &step.figures)
    }
}

/// A test.
#[derive(Debug, Clone, PartialEq)]
pub struct TestRatios<'d> {
    /// Its name in the methodology.
    pub name: &'d str,
    /// Its title.
    pub title: &'d str,
    /// Its steps.
    pub steps: Vec<StepRatios<'d>>,
}

/// A step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRatios<'d> {
    /// What it is.
    pub facts: &'d StepFacts,
    /// Its figures, those that are judged first.
    pub figures: Vec<FigureRatios<'d>>,
}

/// One figure of all sides.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureRatios<'d> {
    /// A metric that has it: its id, address and unit are those of all.
    pub metric: &'d Metric,
    /// Title of the metric, or of the score.
    pub title: &'d str,
    /// Which direction is better.
    pub better: Better,
    /// Whether it is a headline figure, for which verdicts are sought.
    pub judged: bool,
    /// One for each side.
    pub cells: Vec<SideFigure<'d>>,
    /// The side that is shown to be better than every other.
    pub best: Option<usize>,
}

/// A figure of one side.
#[derive(Debug, Clone, PartialEq)]
pub struct SideFigure<'d> {
    /// The metric in each run of the side; absent where a run has none.
    pub metrics: Vec<Option<&'d Metric>>,
    /// Geometric mean of the runs that have a value.
    pub value: Option<f64>,
    /// What it is against the base; absent for the base.
    pub against: Option<Against>,
}

impl SideFigure<'_> {
    /// Its metrics.
    pub fn known(&self) -> impl Iterator<Item = &Metric> {
        self.metrics.iter().flatten().copied()
    }

    /// Whether a run's value is a lower bound.
    #[must_use]
    pub fn is_at_least(&self) -> bool {
        self.known().any(|metric| metric.lower_bound)
    }

    /// Whether every run has a value.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.metrics.iter().all(|metric| metric.is_some_and(|metric| metric.value.is_some()))
    }

    /// In which direction the mean of its runs is wrong; `None` if none of them is.
    #[must_use]
    pub fn wrong(&self) -> Option<Wrong> {
        Wrong::together(self.known().filter_map(|metric| metric.wrong))
    }

    /// Whether something outside the test changed a run's value.
    #[must_use]
    pub fn is_spoiled(&self) -> bool {
        self.known().any(|metric| metric.wrong.is_some() || !metric.spoiled_by.is_empty())
    }
}

/// A figure against the base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Against {
    /// Ratio to the base; of several runs or rounds that of their geometric means.
    pub ratio: Option<f64>,
    /// Low and high end of its 95 % interval; absent if nothing shows how the values scatter.
    pub interval: Option<(f64, f64)>,
    /// From what the interval comes; absent if nothing shows how the values scatter.
    pub basis: Option<Basis>,
    /// What follows.
    pub verdict: Verdict,
    /// Whether the ratio is only a bound.
    pub bound: Option<RatioBound>,
    /// Smallest detectable ratio, above 1, in either direction; absent if nothing was tested.
    pub detectable: Option<f64>,
}

impl Verdict {
    /// Whether it says that a figure is worse than the base's, from its ratio. A bound has no interval, so it must lie
    /// beyond what two runs of one drive may differ.
    #[must_use]
    pub fn is_worse(self, ratio: Option<f64>, better: Better, limits: Limits) -> bool {
        let margin = limits.relevant.max(limits.one_run);
        match self {
            Verdict::Worse => true,
            Verdict::AtMost => better == Better::Higher && ratio.is_some_and(|ratio| ratio < 1.0 - margin),
            Verdict::AtLeast => better == Better::Lower && ratio.is_some_and(|ratio| ratio > 1.0 + margin),
            _ => false,
        }
    }
}

/// A ratio that is only a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RatioBound {
    /// The figure is a lower bound.
    AtLeast,
    /// The base is a lower bound.
    AtMost,
}

/// From which values the interval of a ratio comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// From several runs.
    Runs,
    /// From the rounds of one run each: how much two runs differ is unknown.
    Rounds,
}

/// What a comparison with the base says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Better than the base.
    Better,
    /// Worse than the base.
    Worse,
    /// A difference is shown, but it is smaller than the smallest relevant one.
    Negligible,
    /// No difference is shown.
    NotShown,
    /// One run a side, and the difference is within what two runs of one drive may differ.
    WithinRuns,
    /// The ratio is at least this: the figure is a lower bound.
    AtLeast,
    /// The ratio is at most this: the base is a lower bound.
    AtMost,
    /// Something outside a test changed a figure, so it is not ranked.
    Spoiled,
    /// Both are lower bounds, so nothing is known of the ratio.
    BothBounds,
    /// A run of a side has no figure, or a void one, so the mean of the others may mislead.
    Incomplete,
    /// A figure is missing, void or zero.
    NoFigure,
    /// No headline figure, so no verdict was sought.
    NotSought,
}

impl Verdict {
    /// Why nothing follows from the figure; `None` if something does.
    #[must_use]
    pub const fn why_unjudged(self) -> Option<&'static str> {
        match self {
            Verdict::AtLeast | Verdict::AtMost | Verdict::BothBounds => Some("a value is only a bound"),
            Verdict::Spoiled => Some("other programs used the disk"),
            Verdict::NoFigure | Verdict::Incomplete | Verdict::NotSought => Some("no figure"),
            Verdict::Better | Verdict::Worse | Verdict::Negligible | Verdict::NotShown | Verdict::WithinRuns => None,
        }
    }
}
