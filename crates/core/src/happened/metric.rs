//! A metric: a named quantity with a unit and a written definition, and one value of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepId;
use crate::load::OpKind;

/// Which direction is better, for charts, rankings and the choice of the best round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Higher is better.
    Higher,
    /// Lower is better.
    Lower,
    /// Neither: the figure only describes.
    Neutral,
}

/// Direction of the error of a figure that was disturbed from outside the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wrong {
    /// It would be higher without the disturbance.
    TooLow,
    /// It would be lower without the disturbance.
    TooHigh,
    /// It may be too high or too low.
    EitherWay,
}

impl Wrong {
    /// In which direction a figure is wrong that grows with several others: as these if they agree, else either way,
    /// because they may cancel out or not. `None` if none is wrong.
    #[must_use]
    pub fn together(mut parts: impl Iterator<Item = Wrong>) -> Option<Wrong> {
        let first = parts.next()?;
        Some(if parts.all(|part| part == first) { first } else { Wrong::EitherWay })
    }

    /// The sign beside the figure: it shows the direction of the undisturbed value.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Wrong::TooLow => "▲",
            Wrong::TooHigh => "▼",
            Wrong::EitherWay => "◆",
        }
    }
}

impl Better {
    /// Direction of the error if other programs took a part of what the figure measures: it looks worse than it is.
    #[must_use]
    pub const fn when_spoiled(self) -> Wrong {
        match self {
            Better::Higher => Wrong::TooLow,
            Better::Lower => Wrong::TooHigh,
            Better::Neutral => Wrong::EitherWay,
        }
    }
}

/// Kind of figure that a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Work per time. A lower bound if drivelab or the host was the limit.
    Rate,
    /// Arrivals of an open loop per time: a rate, and part of its schedule.
    ArrivalRate,
    /// Derived from rates: parts of a fill, share kept, work per watt.
    OfRates,
    /// Mean time from submission to completion.
    MeanLatency,
    /// A percentile or the maximum of these times.
    TailLatency,
    /// Time from the intended start to completion, in an open loop.
    Response,
    /// Schedule of an open loop and its delay.
    Schedule,
    /// Other results of the operations: bytes, bursts, energy of a replay, write amplification.
    Amount,
    /// Operations in flight.
    Depth,
    /// Operations that failed.
    Failures,
    /// Result of a data check.
    Check,
    /// Cost of the measurement itself.
    Account,
    /// Length of the measurement.
    Length,
    /// Readings of a thermometer, a power meter or the host's counters.
    Readings,
    /// Computed from figures of several steps by the methodology's formula.
    Score,
    /// A figure of the whole run.
    Run,
}

impl Class {
    /// Whether it is work per time, which is a lower bound if drivelab or the host was the limit.
    #[must_use]
    pub const fn is_rate(self) -> bool {
        matches!(self, Class::Rate | Class::ArrivalRate)
    }

    /// Whether it is a time of an operation.
    #[must_use]
    pub const fn is_time(self) -> bool {
        matches!(self, Class::MeanLatency | Class::TailLatency | Class::Response)
    }

    /// Whether it is a result of the operations, which is void if the step's records contradict each other.
    #[must_use]
    pub const fn is_result(self) -> bool {
        match self {
            Class::Rate
            | Class::ArrivalRate
            | Class::OfRates
            | Class::MeanLatency
            | Class::TailLatency
            | Class::Response
            | Class::Schedule
            | Class::Amount
            | Class::Score => true,
            Class::Depth
            | Class::Failures
            | Class::Check
            | Class::Account
            | Class::Length
            | Class::Readings
            | Class::Run => false,
        }
    }
}

/// When a figure is fixed by the load, so that other programs on the disk cannot have changed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AsAsked {
    /// Never.
    No,
    /// If the load kept its schedule.
    OnSchedule,
    /// Always.
    Always,
}

/// The meaning of a metric. It decides what makes the metric void, when it is a lower bound, and where it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    /// Kinds of operations that it describes or is computed from; empty if none in particular.
    pub kinds: &'static [OpKind],
    /// Kind of figure.
    pub class: Class,
    /// Whether it is a duration or divided by one, so that a wrong clock makes it void.
    pub timed: bool,
    /// Whether a step without a value leaves it out.
    pub sparse: bool,
    /// When it is fixed by the load.
    pub as_asked: AsAsked,
}

/// The definition of a metric. The table in `analysis` contains all of them, and docs/metrics.md is generated from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricDef {
    /// Stable name: `read.throughput`.
    pub id: &'static str,
    /// Title for display.
    pub title: &'static str,
    /// Unit as printed: `MB/s`, `IOPS`, `us`, `%`, `s`.
    pub unit: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// Kind of figure and what it describes.
    pub meaning: Meaning,
    /// Meaning, computation and limits, in full sentences.
    pub definition: &'static str,
    /// Rust path of the pure function that computes it.
    pub function: &'static str,
}

/// A 95 % confidence interval of the mean of the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval95 {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Spread over the rounds of a figure, or over its sets if the tests were run several times. Absent if there was one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Smallest round.
    pub min: f64,
    /// Largest round.
    pub max: f64,
    /// Mean of the rounds.
    pub mean: f64,
    /// Median of the rounds.
    pub median: f64,
    /// Sample standard deviation of the rounds.
    pub standard_deviation: f64,
    /// Student-t interval of the mean of the rounds, never of a median, a best round or a percentile. Only from 3
    /// rounds up, and only if the value is that mean and the interval does not reach below zero: every figure here is
    /// a count, a time or a rate, so an interval below zero only means that there are too few rounds.
    pub confidence: Option<Interval95>,
}

/// One value of a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    /// Address in the run, for `drivelab explain`: `<step id>:<metric id>`, or `run:<metric id>`.
    pub address: String,
    /// Id of the definition.
    pub id: String,
    /// The step that it describes; absent for figures of the whole run.
    pub step: Option<StepId>,
    /// Unit, repeated so that a value never lacks one.
    pub unit: String,
    /// The value, in that unit. `null` if it is void because an invariant was violated.
    pub value: Option<f64>,
    /// Value of each round, in order.
    pub rounds: Vec<f64>,
    /// Value of each set of rounds, in order; empty if the set of tests was run once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<f64>,
    /// Spread over the rounds, or over the sets if there are several.
    pub spread: Option<Spread>,
    /// Codes of the findings that make the value void.
    pub voided_by: Vec<String>,
    /// Codes of the findings that disturb the value: it was measured, but something outside the test changed it.
    #[serde(default)]
    pub spoiled_by: Vec<String>,
    /// Direction of its error; absent if nothing disturbs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Wrong>,
    /// Whether it is a rate limited by the load generator or the host's CPU: the target can do at least this much.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lower_bound: bool,
}
