//! Figures that others published about drives, each with its place in the source.
//!
//! Owns the units in which figures are published. Must not know: files, and which run a figure stands beside.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::StepId;

/// The figures of one publication.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Short name, as in `published:NAME`.
    pub name: String,
    /// Title of the publication.
    pub title: String,
    /// Who wrote it.
    pub author: String,
    /// When it was published, if it says so.
    #[serde(default)]
    pub published: Option<String>,
    /// How the figures were measured, with the parameters.
    pub method: String,
    /// Methodologies of drivelab that measure the same way.
    #[serde(default)]
    pub same_as: Vec<String>,
    /// The same in parts, as far as they can be compared with a run.
    #[serde(default)]
    pub setup: Setup,
    /// The drive facts of its drives, by the name that the source gives a drive: `"WD Black" = "wd-black-2017"`.
    #[serde(default)]
    pub facts: BTreeMap<String, String>,
    /// The figures.
    pub figures: Vec<PublishedFigure>,
}

/// On what a publication measured, as far as it says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Operating system: `Linux (Ubuntu 22.04)`.
    #[serde(default)]
    pub system: Option<String>,
    /// What was read and written: `device`, `partition`, `file system`.
    #[serde(default)]
    pub target: Option<String>,
    /// How much of it was tested, with a unit: `16 GB`.
    #[serde(default)]
    pub span: Option<String>,
    /// How often, and what became of the rounds: `mean of four tests, each the best of nine`.
    #[serde(default)]
    pub rounds: Option<String>,
}

/// One published figure.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigure {
    /// The drive, as the source calls it.
    pub drive: String,
    /// Its capacity, as published.
    #[serde(default)]
    pub capacity: Option<String>,
    /// What was measured.
    pub test: String,
    /// Id of the metric (docs/metrics.md).
    pub metric: String,
    /// The value, in the unit of the source.
    pub value: f64,
    /// The unit of the source: `MB/s`, `MiB/s`, `GB/s`, `IOPS`, `us`, `ms`, `s`, `W` and others.
    pub unit: String,
    /// Kind of operation.
    #[serde(default)]
    pub op: Option<String>,
    /// Pattern of the offsets.
    #[serde(default)]
    pub pattern: Option<String>,
    /// Size of an operation, with its unit.
    #[serde(default)]
    pub block_size: Option<String>,
    /// Which end of a range it is, if the source gives a range; the other end is another figure.
    #[serde(default)]
    pub end: Option<End>,
    /// Operations in flight for each thread.
    #[serde(default)]
    pub queue_depth: Option<u32>,
    /// Threads.
    #[serde(default)]
    pub threads: Option<u32>,
    /// Under what the drive was measured: state, arm, link. A drive under another condition is a side of its own.
    /// Three words are read: exactly `without encryption` is the drive as it is; a condition with `in hardware` or
    /// `in software` in it says what encrypts.
    #[serde(default)]
    pub condition: Option<String>,
    /// Which of several figures of one drive and test it is: `cold`, `throttled, second level`. Three beginnings are
    /// read: `throttled` says that heat slows the drive down, `sensor` is one of several temperatures of a drive, and
    /// exactly `SLC cache full` is a rate behind the write cache.
    #[serde(default)]
    pub which: Option<String>,
    /// The source gives a round figure (about, almost).
    #[serde(default)]
    pub about: bool,
    /// The source gives a bound.
    #[serde(default)]
    pub bound: Option<Bound>,
    /// Why the figure is doubtful.
    #[serde(default)]
    pub doubtful: Option<String>,
    /// Where it stands in the source.
    pub place: String,
    /// The steps of built-in methodologies that have exactly this load.
    #[serde(default)]
    pub steps: Vec<StepId>,
}

/// An end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The lower one.
    Low,
    /// The upper one.
    High,
}

/// A bound instead of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The drive reaches this much or more.
    AtLeast,
    /// The drive reaches this much or less.
    AtMost,
}

/// Units of one quantity are multiples of the first: name, how many of the first.
const UNITS: [&[(&str, f64)]; 3] = [
    &[
        ("MB/s", 1.0),
        ("MiB/s", 1.048_576),
        ("GB/s", 1_000.0),
        ("GiB/s", 1_073.741_824),
        ("KB/s", 0.001),
        ("KiB/s", 0.001_024),
    ],
    &[("us", 1.0), ("µs", 1.0), ("ms", 1_000.0), ("s", 1_000_000.0), ("ns", 0.001)],
    &[("IOPS", 1.0), ("KIOPS", 1_000.0)],
];

/// The condition under which a drive is as it is, where the publication also has others.
const PLAIN: &str = "without encryption";

impl PublishedFigure {
    /// Whether it is of the drive as it is: under no condition, or expressly without the one of its other figures.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.condition.as_deref().is_none_or(|condition| condition == PLAIN)
    }

    /// Whether the drive itself encrypted.
    #[must_use]
    pub fn is_encrypted_in_hardware(&self) -> bool {
        self.condition.as_deref().is_some_and(|condition| condition.contains("in hardware"))
    }

    /// Whether the host encrypted.
    #[must_use]
    pub fn is_encrypted_in_software(&self) -> bool {
        self.condition.as_deref().is_some_and(|condition| condition.contains("in software"))
    }

    /// Whether it shows that heat slows the drive down.
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        self.which.as_deref().is_some_and(|which| which.starts_with("throttled"))
    }

    /// Whether it is of one sensor of several, and not of the drive.
    #[must_use]
    pub fn is_of_a_sensor(&self) -> bool {
        self.which.as_deref().is_some_and(|which| which.starts_with("sensor"))
    }

    /// Whether it was measured behind the end of a write cache.
    #[must_use]
    pub fn is_behind_the_cache(&self) -> bool {
        self.which.as_deref() == Some("SLC cache full")
    }

    /// The value in this unit; `None` if the unit is of another quantity.
    #[must_use]
    pub fn value_in(&self, unit: &str) -> Option<f64> {
        if self.unit == unit {
            return Some(self.value);
        }
        UNITS.iter().find_map(|units| {
            let size = |name: &str| units.iter().find(|(known, _)| *known == name).map(|(_, size)| *size);
            Some(self.value * size(&self.unit)? / size(unit)?)
        })
    }

    /// The drive with its capacity and its condition.
    #[must_use]
    pub fn subject(&self) -> String {
        let parts = [Some(&self.drive), self.capacity.as_ref()].into_iter().flatten();
        let name = parts.map(String::as_str).collect::<Vec<_>>().join(" ");
        self.condition.as_ref().map_or_else(|| name.clone(), |condition| format!("{name}, {condition}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_quantity_are_converted_and_others_are_not() {
        let figure = |value: f64, unit: &str| PublishedFigure {
            drive: "Drive".to_owned(),
            capacity: Some("1 TB".to_owned()),
            test: String::new(),
            metric: String::new(),
            value,
            unit: unit.to_owned(),
            op: None,
            pattern: None,
            block_size: None,
            queue_depth: None,
            threads: None,
            condition: Some("full".to_owned()),
            which: None,
            end: None,
            about: false,
            bound: None,
            doubtful: None,
            place: String::new(),
            steps: Vec::new(),
        };
        assert_eq!(figure(1000.0, "MiB/s").value_in("MB/s"), Some(1048.576));
        assert_eq!(figure(2.0, "GB/s").value_in("MB/s"), Some(2000.0));
        assert_eq!(figure(0.5, "ms").value_in("us"), Some(500.0));
        assert_eq!(figure(7.0, "W").value_in("W"), Some(7.0));
        assert_eq!(figure(7.0, "IOPS").value_in("MB/s"), None);
        assert_eq!(figure(7.0, "points").value_in("MB/s"), None);
        assert_eq!(figure(7.0, "IOPS").subject(), "Drive 1 TB, full");
    }

    #[test]
    fn the_words_that_are_read_are_told_from_others() {
        let of = |key: &str, words: &str| -> PublishedFigure {
            let mut figure = serde_json::json!({
                "drive": "D", "test": "t", "metric": "m", "value": 1.0, "unit": "W", "place": "p",
            });
            figure[key] = words.into();
            serde_json::from_value(figure).expect("a figure")
        };
        assert!(of("condition", "without encryption").is_plain() && !of("condition", "without heat sink").is_plain());
        let software = of("condition", "BitLocker in software, AES-256");
        assert!(software.is_encrypted_in_software() && !software.is_encrypted_in_hardware() && !software.is_plain());
        assert!(!of("condition", "without encryption").is_encrypted_in_hardware());
        assert!(of("which", "throttled, first level").is_throttled() && !of("which", "cold").is_throttled());
        assert!(of("which", "sensor 2").is_of_a_sensor() && !of("which", "not yet throttled").is_throttled());
        assert!(of("which", "SLC cache full").is_behind_the_cache());
        assert!(!of("which", "SLC cache not yet full").is_behind_the_cache());
    }
}
