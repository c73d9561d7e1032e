//! The health that a drive reports, before a run and after it: each counter of its SMART log and by how much it rose.
//!
//! Pure: from the first and the last recorded sample of the log. What a rise means is decided elsewhere
//! (`crate::topics::telemetry::checks`, `crate::topics::capacity::words`).

use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{Quantity, RecordedSource, SourceKind};
use schemars::JsonSchema;
use serde::Serialize;

/// A lifetime counter of a drive.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Counter {
    /// The drive's log: `smart:nvme0n1`.
    pub source: String,
    /// Its name: `media errors`.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Value in the first reading of the run.
    pub before: f64,
    /// Value in the last reading.
    pub after: f64,
    /// Whether a rise means a fault.
    pub is_fault: bool,
}

impl Counter {
    /// By how much it rose.
    #[must_use]
    pub fn rise(&self) -> f64 {
        self.after - self.before
    }
}

/// Quantities that count over a drive's life; temperatures and flags are not counters.
const COUNTERS: [Quantity; 8] = [
    Quantity::Errors,
    Quantity::Wear,
    Quantity::PowerCycles,
    Quantity::PowerOnTime,
    Quantity::Volume,
    Quantity::Operations,
    Quantity::ThrottleTransitions,
    Quantity::LimitMinutes,
];

/// Every counter with two readings, faults first.
#[must_use]
pub fn before_and_after(records: &RunRecords) -> Vec<Counter> {
    let logs = records.telemetry.sources.iter().filter(|source| source.description.kind == SourceKind::Smart);
    logs.flat_map(|log| COUNTERS.into_iter().flat_map(|quantity| of_log(log, quantity))).collect()
}

fn of_log(log: &RecordedSource, quantity: Quantity) -> Vec<Counter> {
    let one = |at: usize| {
        let mut values = log.values(at);
        let (_, before) = values.next()?;
        let (_, after) = values.last()?;
        let name = log.description.series.get(at)?.name.clone();
        let is_fault = quantity == Quantity::Errors;
        Some(Counter {
            source: log.description.id.to_string(),
            name,
            unit: quantity.unit().to_owned(),
            before,
            after,
            is_fault,
        })
    };
    log.series_of(quantity).filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use drivelab_core::telemetry::{Sample, SeriesDescription};
    use drivelab_samples::{recorded, sample_run, source};

    use super::*;

    #[test]
    fn a_counter_is_told_with_its_first_and_its_last_value() {
        let mut run = sample_run();
        let mut log = source(SourceKind::Smart, "smart:nvme0n1", Quantity::Temperature, &[]);
        log.description.series = vec![
            SeriesDescription::new("composite", Quantity::Temperature),
            SeriesDescription::new("data written", Quantity::Volume),
            SeriesDescription::new("media errors", Quantity::Errors),
        ];
        let sample = |at_ns, errors| Sample { at_ns, read_ns: 0, values: vec![Some(40.0), Some(5e9), errors] };
        log.samples = vec![sample(1, Some(2.0)), sample(2, None), sample(3, Some(9.0)), sample(4, None)];
        run.telemetry = recorded(vec![log]);
        let told = before_and_after(&run);
        let all: Vec<(&str, f64, f64, bool)> =
            told.iter().map(|one| (one.name.as_str(), one.before, one.after, one.is_fault)).collect();
        assert_eq!(all, [("media errors", 2.0, 9.0, true), ("data written", 5e9, 5e9, false)]);
        assert_eq!(told[0].rise(), 7.0);
    }

    #[test]
    fn one_reading_is_no_comparison() {
        let mut run = sample_run();
        let log = source(SourceKind::Smart, "smart:nvme0n1", Quantity::Errors, &[(1, 3.0)]);
        run.telemetry = recorded(vec![log]);
        assert!(before_and_after(&run).is_empty());
    }
}
