//! A fact about a drive, its source, and the block sizes that count for it.

use drivelab_core::ids::StepId;
use drivelab_core::metric::{Metric, Wrong};
use drivelab_core::units::Bytes;
use drivelab_core::verdict_rules::FactKind;
use schemars::JsonSchema;
use serde::Serialize;

/// Smallest and largest block of the fact for sequential reads at queue depth 1.
pub(super) const READ_ALONE: [Bytes; 2] = [Bytes::new(64 << 10), Bytes::MIB];
/// The largest block of a small random operation.
pub(super) const SMALL: Bytes = Bytes::new(8 << 10);

/// A fact about a drive.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fact {
    /// Which fact.
    pub kind: FactKind,
    /// Its value, in the unit of the kind.
    pub value: f64,
    /// What it rests on: the step's label, the data sheet, the place in a publication.
    pub rests_on: String,
    /// The step that measured it; absent if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// Address of its metric; absent if no run measured it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The value may be higher: drivelab or the host was the limit, or the source says "at least".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lower_bound: bool,
    /// The value may be lower: the source says "at most".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
    /// The direction in which other programs disturbed it; absent if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Wrong>,
    /// Currency of a price, ISO 4217; absent for other facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// What is known about a drive.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// The facts, in the order of [`FactKind::ALL`].
    pub known: Vec<Fact>,
    /// What was looked for and did not happen, such as throttling: a rule about it cannot apply.
    pub did_not_happen: Vec<FactKind>,
}

impl Fact {
    /// A fact that no step measured.
    pub(super) fn stated(kind: FactKind, value: f64, rests_on: impl Into<String>) -> Fact {
        Fact {
            kind,
            value,
            rests_on: rests_on.into(),
            step: None,
            address: None,
            lower_bound: false,
            upper_bound: false,
            wrong: None,
            currency: None,
        }
    }

    /// A fact that is the value of a metric; `None` if the metric has none.
    pub(super) fn measured(kind: FactKind, metric: &Metric, label: &str) -> Option<Fact> {
        Some(Fact {
            step: metric.step.clone(),
            address: Some(metric.address.clone()),
            lower_bound: metric.lower_bound,
            wrong: metric.wrong,
            ..Fact::stated(kind, metric.value?, label)
        })
    }

    /// Whether the drive may be higher than the value.
    pub(super) fn may_be_higher(&self) -> bool {
        self.lower_bound || matches!(self.wrong, Some(Wrong::TooLow | Wrong::EitherWay))
    }

    /// Whether the drive may be lower than the value.
    pub(super) fn may_be_lower(&self) -> bool {
        self.upper_bound || matches!(self.wrong, Some(Wrong::TooHigh | Wrong::EitherWay))
    }
}
