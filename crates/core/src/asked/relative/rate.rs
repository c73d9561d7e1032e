//! A rate that is a share of the rate of another step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepId;
use crate::load::Arrivals;
use crate::units::Nanos;

/// Arrivals per 1,000 seconds below which Vdbench drops a point: 10 operations per second.
const VDBENCH_LEAST: u64 = 10_000;
/// Arrivals per 1,000 seconds above which Vdbench rounds up to the next 100 operations per second; below, to the next
/// 10.
const VDBENCH_COARSE_ABOVE: u64 = 1_000_000;

/// How a share of a rate is rounded to the rate asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// Not rounded.
    #[default]
    None,
    /// As Vdbench rounds: above 1,000 operations per second up to the next 100, otherwise up to the next 10. Rates
    /// below 10 are left out.
    Vdbench,
}

impl Rounding {
    /// The rate asked for, in and out in arrivals per 1,000 seconds; `None` if it is too low.
    #[must_use]
    pub fn of(self, per_1000_s: u64) -> Option<u64> {
        match self {
            Rounding::None => (per_1000_s > 0).then_some(per_1000_s),
            Rounding::Vdbench if per_1000_s < VDBENCH_LEAST => None,
            Rounding::Vdbench => {
                let unit = if per_1000_s > VDBENCH_COARSE_ABOVE { 100_000 } else { 10_000 };
                Some(per_1000_s.div_ceil(unit).saturating_mul(unit))
            }
        }
    }
}

/// A rate that is a share of the rate of another step.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct RelativeRate {
    /// The step at full speed (the base), which runs before this one.
    pub of: StepId,
    /// Share of its operations per second, in per cent; may exceed 100.
    pub percent: u32,
    /// How the share is rounded.
    #[serde(default)]
    pub rounding: Rounding,
    /// Spacing of the arrivals.
    #[serde(default)]
    pub arrivals: Arrivals,
    /// After a step of the same base had a longer mean latency than this, no further step of that base is run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_above: Option<Nanos>,
}

/// Why a step with a relative rate is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// The share of the base's rate is too low; the rate of the base, in operations per 1,000 seconds.
    TooSlow(u64),
    /// The mean latency of an earlier step of the same base exceeded `stop_above`: that step, and its mean latency.
    StoppedAbove(StepId, Nanos),
}
