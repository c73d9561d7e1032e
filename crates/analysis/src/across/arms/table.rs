//! Runs under several arms beside each other: the table and its figures over rounds.

use drivelab_core::ids::{RunId, StepId};
use drivelab_core::metric::Wrong;
use drivelab_core::published::Bound;
use schemars::JsonSchema;
use serde::Serialize;

/// One run in the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmColumn {
    /// The run.
    pub run: RunId,
    /// The arm: `none`, `luks2:inline`, `power state 2`.
    pub arm: String,
    /// Average power of the drive in the idle steps of the run, W; absent without one, or where nothing told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_watts: Option<f64>,
    /// CPU seconds for each GB (10^9 bytes) over all measured steps; absent where the host's CPUs were not watched, or
    /// spent less than 100 ms.
    pub cpu_s_per_gb: Option<f64>,
}

/// What one arm did in one step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct ArmCell {
    /// MB/s; of a replayed trace over its busy time.
    pub throughput: Option<f64>,
    /// The rate is a lower bound: drivelab or the host's CPUs were the limit.
    pub at_least: bool,
    /// In which direction something beside the test disturbed the rate; absent where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Wrong>,
    /// Codes of the findings that say so; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spoiled_by: Vec<String>,
    /// Operations per second; absent of replayed traces, whose pauses are in it and not in the rate beside it.
    pub iops: Option<f64>,
    /// Loss of throughput against the mean of the runs of the arm `none`, per cent; below zero where it is faster. Of
    /// the runs of `none` themselves: how far apart they are.
    pub cost_percent: Option<f64>,
    /// Which bound the cost is, if one of the two rates is a lower bound; otherwise absent. If both are, there is no
    /// cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_bound: Option<Bound>,
    /// How far that may be off to either side, per cent; absent for the runs of `none`, for bounds, and where nothing
    /// tells how far those are off.
    pub cost_off_percent: Option<f64>,
    /// Average power of the drive, W; absent where nothing told it.
    pub watts: Option<f64>,
    /// MB/s for each watt of it.
    pub mb_s_per_watt: Option<f64>,
    /// CPU seconds for each GB in this step, all its rounds and ramps together; absent as for the whole run.
    pub cpu_s_per_gb: Option<f64>,
}

/// One measured step and what every arm did in it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmRow {
    /// The step.
    pub step: StepId,
    /// Its label, after the title of its test if a step of another test has the same label.
    pub label: String,
    /// In the order of the arms.
    pub cells: Vec<ArmCell>,
}

/// The comparison.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Arms {
    /// The runs, in the order in which they were measured.
    pub arms: Vec<ArmColumn>,
    /// The steps.
    pub rows: Vec<ArmRow>,
    /// Every step with the rounds of each arm together; absent where each arm has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub over_rounds: Vec<StepOverRounds>,
}

/// One arm in one step, over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmOverRounds {
    /// The arm: `luks2:inline`.
    pub arm: String,
    /// Runs of it with a figure.
    pub runs: usize,
    /// Mean of its runs, MB/s.
    pub throughput: Option<f64>,
    /// Lowest and highest of its runs, MB/s; absent of one run.
    pub range: Option<(f64, f64)>,
    /// The rate of a run is a lower bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// In which direction something beside the test disturbed the rate of a run; absent where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Wrong>,
    /// Codes of the findings that say so; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spoiled_by: Vec<String>,
    /// What it costs; absent of `none`, and without a run of `none` in the same round.
    pub cost: Option<PairedCost>,
    /// CPU seconds for each GB in this step, mean of its runs.
    pub cpu_s_per_gb: Option<f64>,
}

/// What an arm costs against `none`, from pairs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PairedCost {
    /// In each round, per cent.
    pub rounds_percent: Vec<f64>,
    /// From the geometric mean of the ratios, per cent.
    pub percent: f64,
    /// Low end of the 95 % interval, per cent; absent below three rounds.
    pub low_percent: Option<f64>,
    /// High end.
    pub high_percent: Option<f64>,
    /// The smallest cost that so many rounds, so far apart, would have shown, per cent.
    pub detectable_percent: Option<f64>,
    /// A rate of either arm is a lower bound or disturbed: the interval does not hold that, and nothing is shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
}

impl PairedCost {
    /// Whether the interval holds no cost at all, so that no difference is shown; `None` where there is no interval,
    /// and if a rate is a bound or disturbed.
    #[must_use]
    pub fn no_difference_shown(&self) -> Option<bool> {
        if self.uncertain {
            return None;
        }
        Some(self.low_percent? <= 0.0 && self.high_percent? >= 0.0)
    }
}

/// One step over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepOverRounds {
    /// Its label.
    pub label: String,
    /// The arms, in the order in which they were first measured.
    pub arms: Vec<ArmOverRounds>,
}
