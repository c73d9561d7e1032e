//! A metric: a named quantity with a unit and a written definition, and one value of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepId;
use crate::load::OpKind;

/// Which direction is better, for charts, rankings and the choice of a best round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither: the figure describes.
    Neutral,
}

/// In which direction a figure is wrong that something beside the test spoiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wrong {
    /// Undisturbed it would be higher.
    TooLow,
    /// Undisturbed it would be lower.
    TooHigh,
    /// It may be wrong either way.
    EitherWay,
}

impl Wrong {
    /// The sign beside the figure. It points to where the figure would be undisturbed.
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
    /// How a figure of this kind is wrong where others took a part of what it measures: it looks worse than it is.
    #[must_use]
    pub const fn when_spoiled(self) -> Wrong {
        match self {
            Better::Higher => Wrong::TooLow,
            Better::Lower => Wrong::TooHigh,
            Better::Neutral => Wrong::EitherWay,
        }
    }
}

/// What sort of figure a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Work per time. Where drivelab or the host was the limit it is a lower bound.
    Rate,
    /// Arrivals that an open loop did in a time: a rate, and part of its schedule.
    ArrivalRate,
    /// Derived from rates: part of a fill, share kept, work per watt.
    OfRates,
    /// Mean time from submission to completion.
    MeanLatency,
    /// A percentile or the longest of these times.
    TailLatency,
    /// A time from the intended start to completion, of an open loop.
    Response,
    /// What the schedule of an open loop asked for, and how far behind it was.
    Schedule,
    /// Other results of the operations: bytes, bursts, energy of a replay, write amplification.
    Amount,
    /// Operations in flight.
    Depth,
    /// Operations that failed.
    Failures,
    /// What a check of data found.
    Check,
    /// What the measuring itself took.
    Account,
    /// How long was measured.
    Length,
    /// Readings of a thermometer, a meter or the host's counters.
    Readings,
    /// Made of figures of several steps by the methodology's formula.
    Score,
    /// About the whole run.
    Run,
}

impl Class {
    /// Whether it is work per time, a lower bound where drivelab or the host was the limit.
    #[must_use]
    pub const fn is_rate(self) -> bool {
        matches!(self, Class::Rate | Class::ArrivalRate)
    }

    /// Whether it is a result of the operations, void where the step's account does not add up.
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

/// When a figure is the one asked for, which other programs on the disk cannot have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AsAsked {
    /// Never.
    No,
    /// Where the load kept its schedule.
    OnSchedule,
    /// Always.
    Always,
}

/// The meaning of a metric: from it follows what voids it, what bounds it and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    /// Kinds of operations that it is about or worked out of; empty where it is about none in particular.
    pub kinds: &'static [OpKind],
    /// What sort of figure it is.
    pub class: Class,
    /// It is a duration or divided by one, so a wrong clock voids it.
    pub timed: bool,
    /// A step without a value does not list it.
    pub sparse: bool,
    /// When it is the figure asked for.
    pub as_asked: AsAsked,
}

/// The definition of a metric; the table in `analysis` holds them all and docs/metrics.md is made from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricDef {
    /// Stable name: `read.throughput`.
    pub id: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// Unit as printed: `MB/s`, `IOPS`, `us`, `%`, `s`.
    pub unit: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// What sort of figure it is, and of what.
    pub meaning: Meaning,
    /// What it means, how it is worked out, what it leaves out; full sentences.
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

/// How the rounds of a figure spread, or its sets where the tests were run several times. Absent where there was one.
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
    /// Student-t interval of the mean of the rounds, never of a median, a best round or a percentile. From 3 rounds
    /// on, and only where the value beside it is that mean and the interval does not reach below zero: every figure
    /// here is a count, a time or a rate, and a range that no figure can lie in says only that the rounds are too few.
    pub confidence: Option<Interval95>,
}

/// One value of a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    /// Address in the run, for `drivelab explain`: `<step id>:<metric id>`, or `run:<metric id>`.
    pub address: String,
    /// Name of the definition.
    pub id: String,
    /// The step it is about; absent for figures of the whole run.
    pub step: Option<StepId>,
    /// Unit, repeated so that a value is never without one.
    pub unit: String,
    /// The value, in that unit. `null` where a violated invariant voids it.
    pub value: Option<f64>,
    /// Value of each round, in order.
    pub rounds: Vec<f64>,
    /// Value of each set of rounds, in order; empty where the set of tests was run once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<f64>,
    /// Spread over the rounds, or over the sets where there are several.
    pub spread: Option<Spread>,
    /// Codes of the findings that void the value.
    pub voided_by: Vec<String>,
    /// Codes of the findings that spoil the value: it was measured, and something beside the test changed it.
    #[serde(default)]
    pub spoiled_by: Vec<String>,
    /// In which direction it is wrong; absent where nothing spoils it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Wrong>,
    /// A rate that the load generator or the host's CPU limited: the target can do at least this much.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lower_bound: bool,
}
