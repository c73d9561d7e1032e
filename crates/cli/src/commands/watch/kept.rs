//! The newest samples of the drive, for findings that need a series: a sensor that does not move, counters that went
//! backwards. Keeps a limited number, so a watch may last for days.

use drivelab_core::finding::Finding;
use drivelab_core::telemetry::{GapCause, Recorded, SourceKind, TelemetryBatch, TelemetryDescribed};

/// Minimum number of samples that are kept of a source: hours of them.
const LEAST: usize = 10_000;

/// The samples of the drive.
#[derive(Debug)]
pub(super) struct Kept(Recorded);

impl Kept {
    pub(super) fn of(described: &TelemetryDescribed) -> Self {
        let mut recorded = Recorded::default();
        recorded.describe(described.clone());
        Kept(recorded)
    }

    /// Adds new samples, and drops old ones.
    pub(super) fn take(&mut self, batch: TelemetryBatch) {
        self.0.push(batch);
        for source in &mut self.0.sources {
            let wanted = matches!(
                source.description.kind,
                SourceKind::Smart | SourceKind::Hwmon | SourceKind::Adapter | SourceKind::DiskStats
            );
            let least = if wanted { LEAST } else { 0 };
            // Many at a time, so that this is rare.
            if source.samples.len() > 2 * least {
                source.samples.drain(..source.samples.len() - least);
            }
            // A meter that never gave a value is reported at the end.
            let silent = source.description.kind == SourceKind::Adapter && source.samples.is_empty();
            source.gaps.retain(|gap| silent && matches!(gap.cause, GapCause::Failed(_)));
            source.gaps.truncate(1);
        }
    }

    /// Meters that never gave a value, and values of the drive that cannot be true.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = drivelab_analysis::silent_meters(&self.0).into_iter().collect();
        findings.extend(drivelab_analysis::lies(&self.0));
        findings
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::telemetry::{
        About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceSamples,
    };
    use drivelab_core::units::Nanos;

    use super::*;

    fn described(kind: SourceKind) -> TelemetryDescribed {
        let series = ["composite", "sensor 2"].map(|name| SeriesDescription::new(name, Quantity::Temperature));
        let source = SourceDescription {
            id: SourceId::new("smart:nvme0n1"),
            kind,
            about: About::Drive("nvme0n1".to_owned()),
            origin: String::new(),
            accuracy: String::new(),
            disturbs: Disturbs::Drive,
            every: Nanos::from_secs(2),
            cost: None,
            series: series.to_vec(),
        };
        TelemetryDescribed { sources: vec![source], ..TelemetryDescribed::default() }
    }

    /// A composite temperature that warms by a kelvin every hundred readings, beside a sensor at 105 °C.
    fn batch(readings: std::ops::Range<u32>) -> TelemetryBatch {
        let sample = |n: u32| Sample {
            at_ns: u64::from(n) * 2_000_000_000,
            read_ns: 1,
            values: vec![Some(f64::from(40 + n / 100)), Some(105.0)],
        };
        let sources = vec![SourceSamples { source: 0, samples: readings.map(sample).collect(), gaps: Vec::new() }];
        TelemetryBatch { cpu: Nanos::new(0), sources }
    }

    #[test]
    fn what_the_drive_contradicts_is_said_and_old_samples_go() {
        let mut kept = Kept::of(&described(SourceKind::Smart));
        kept.take(batch(0..100));
        assert_eq!(kept.findings(), [], "nothing moved");
        for hundred in 1..300 {
            kept.take(batch(hundred * 100..(hundred + 1) * 100));
        }
        let findings = kept.findings();
        assert_eq!(findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["stuck_sensor"]);
        assert!((LEAST..=2 * LEAST).contains(&kept.0.sources[0].samples.len()), "30,000 were taken");
        let mut others = Kept::of(&described(SourceKind::Cpu));
        others.take(batch(0..100));
        assert!(others.0.is_empty(), "what tells nothing of the drive is not kept");
    }
}
