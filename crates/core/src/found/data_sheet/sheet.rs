//! The published figures of a drive, taken from its drive facts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::PrintedFigure;
use crate::drive_facts::{Certainty, DriveFacts, FactSource, Figures, Row};
use crate::load::OpKind;
use crate::units::Bytes;
use crate::workload::{Pattern, Workload};

impl PrintedFigure {
    /// Why a load cannot show this figure, as a part of a sentence; nothing if it can.
    #[must_use]
    pub fn lacks(self, load: &Workload) -> Option<&'static str> {
        if self == PrintedFigure::PowerIdle {
            return Some("idle power is the power while nothing runs; an idle step of the preparation shows it");
        }
        let sole = |op: OpKind| load.groups().all(|group| group.issues(op) && issues_one_kind(group));
        match self.op() {
            Some(OpKind::Read) if !sole(OpKind::Read) => return Some("it is a figure of loads that only read"),
            Some(OpKind::Write) if !sole(OpKind::Write) => return Some("it is a figure of loads that only write"),
            _ => {}
        }
        let in_order = load.groups().all(|group| group.pattern == Pattern::Sequential);
        let random = load.groups().all(|group| matches!(group.pattern, Pattern::Random | Pattern::RandomOnce));
        match self {
            PrintedFigure::SequentialRead | PrintedFigure::SequentialWrite | PrintedFigure::SlcCache if !in_order => {
                Some("it is a figure of sequential loads")
            }
            PrintedFigure::RandomRead | PrintedFigure::RandomWrite if !random => Some("it is a figure of random loads"),
            PrintedFigure::ReadLatency | PrintedFigure::WriteLatency if load.total_depth() != 1 => {
                Some("it is a figure of one operation at a time")
            }
            _ => None,
        }
    }
}

/// Whether a load issues operations of one kind only.
fn issues_one_kind(load: &Workload) -> bool {
    OpKind::ALL.into_iter().filter(|kind| load.issues(*kind)).count() == 1
}

/// The published figures of a drive as a run records them: the run gives the same answer even after the facts change.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DataSheet {
    /// Name of the drive facts that they come from: `samsung-970-evo`.
    pub facts: String,
    /// Maker and model for display.
    pub title: String,
    /// Whether the user named these facts; otherwise they were chosen by the drive's model string.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub named_by_user: bool,
    /// Capacity as sold, whose figures apply; absent if the facts have no capacity near the drive's, so that only the
    /// figures of the model apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Bytes>,
    /// The figures, in a fixed order.
    pub figures: Vec<SheetFigure>,
    /// Sources of the figures.
    pub sources: Vec<FactSource>,
}

/// A published figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SheetFigure {
    /// The key in the facts.
    pub key: String,
    /// The value as written, with its unit.
    pub text: String,
    /// The value in the base unit, if it is one number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
    /// The base unit: `B/s`, `IOPS`, `ns`, `B`, `W`, `DWPD`, `years`; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// Id of the source.
    pub source: String,
    /// Certainty of the figure.
    pub certainty: Certainty,
    /// Conditions under which it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl SheetFigure {
    fn of(row: &Row<'_>) -> Self {
        SheetFigure {
            key: row.key.to_owned(),
            text: row.text.to_owned(),
            number: row.number,
            unit: row.unit.to_owned(),
            source: row.source.to_owned(),
            certainty: row.certainty,
            note: row.note.map(str::to_owned),
        }
    }
}

impl DataSheet {
    /// The figures of the facts for a drive that reports this capacity.
    #[must_use]
    pub fn of(facts: &DriveFacts, reported: Option<Bytes>, named_by_user: bool) -> Self {
        let figures: Figures = facts.figures_at(reported);
        let figures: Vec<SheetFigure> = figures.rows().iter().map(SheetFigure::of).collect();
        let cited = |source: &&FactSource| figures.iter().any(|figure| figure.source == source.id);
        let sources = facts.sources.iter().filter(cited).cloned().collect();
        let capacity = reported.and_then(|bytes| facts.capacity(bytes)).map(|one| one.capacity.value);
        let (facts, title) = (facts.name.clone(), facts.title.clone());
        DataSheet { facts, title, named_by_user, capacity, figures, sources }
    }

    /// The figure with this key.
    #[must_use]
    pub fn figure(&self, key: &str) -> Option<&SheetFigure> {
        self.figures.iter().find(|figure| figure.key == key)
    }

    /// The number of the figure with this key, in its base unit.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f64> {
        self.figure(key)?.number
    }

    /// Citation of the source with this id.
    #[must_use]
    pub fn citation(&self, id: &str) -> Option<&str> {
        self.sources.iter().find(|source| source.id == id).map(|source| source.citation.as_str())
    }
}

#[cfg(test)]
mod tests;
