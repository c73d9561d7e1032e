//! The series of a whole run, folded from its events: what analysis looks at.

use super::{Gap, Quantity, Sample, SourceDescription, TelemetryBatch, TelemetryDescribed, TemperatureLimit};
use crate::units::Nanos;

/// A source with everything that was sampled of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedSource {
    /// What it is.
    pub description: SourceDescription,
    /// Samples in order of time.
    pub samples: Vec<Sample>,
    /// Times without samples.
    pub gaps: Vec<Gap>,
}

impl RecordedSource {
    /// Times and values of one series, those that could be read.
    pub fn values(&self, series: usize) -> impl DoubleEndedIterator<Item = (u64, f64)> + '_ {
        self.samples
            .iter()
            .filter_map(move |sample| Some((sample.at_ns, sample.values.get(series).copied().flatten()?)))
    }

    /// Places of the series of a quantity.
    pub fn series_of(&self, quantity: Quantity) -> impl Iterator<Item = usize> + '_ {
        let series = self.description.series.iter().enumerate();
        series.filter(move |(_, series)| series.quantity == quantity).map(|(at, _)| at)
    }
}

/// Everything that was watched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recorded {
    /// By source, over all processes of the run.
    pub sources: Vec<RecordedSource>,
    /// What could not be watched and why.
    pub remarks: Vec<String>,
    /// Temperature that ended, or would have ended, the run.
    pub abort_above: Option<TemperatureLimit>,
    /// Idle and latency-critical steps were read too.
    pub always: bool,
    /// CPU time that reading cost, over all processes.
    pub cpu: Nanos,
    /// Where the sources of the newest description stand in `sources`.
    current: Vec<usize>,
    /// CPU time of earlier processes.
    cpu_before: Nanos,
}

impl Recorded {
    /// Takes the description that a process begins with. A source of the same name with the same series goes on.
    pub fn describe(&mut self, described: TelemetryDescribed) {
        let TelemetryDescribed { sources, remarks, abort_above, always } = described;
        (self.remarks, self.abort_above, self.always) = (remarks, abort_above, always);
        self.cpu_before = self.cpu;
        self.current = sources
            .into_iter()
            .map(|description| {
                let same = |known: &RecordedSource| {
                    known.description.id == description.id && known.description.series == description.series
                };
                if let Some(at) = self.sources.iter().position(same) {
                    return at;
                }
                self.sources.push(RecordedSource { description, samples: Vec::new(), gaps: Vec::new() });
                self.sources.len() - 1
            })
            .collect();
    }

    /// Takes a batch; what belongs to no described source is left out.
    pub fn push(&mut self, batch: TelemetryBatch) {
        self.cpu = Nanos::new(self.cpu_before.get().saturating_add(batch.cpu.get()));
        for one in batch.sources {
            let at = usize::try_from(one.source).ok().and_then(|at| self.current.get(at).copied());
            if let Some(source) = at.and_then(|at| self.sources.get_mut(at)) {
                source.samples.extend(one.samples);
                source.gaps.extend(one.gaps);
            }
        }
    }

    /// Whether anything was sampled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.iter().all(|source| source.samples.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::{About, Disturbs, SeriesDescription, SourceId, SourceKind, SourceSamples};

    fn described(names: &[&str]) -> TelemetryDescribed {
        let source = |name: &&str| SourceDescription {
            id: SourceId::new(*name),
            kind: SourceKind::Adapter,
            about: About::Host,
            origin: String::new(),
            accuracy: String::new(),
            disturbs: Disturbs::Nothing,
            every: Nanos::from_secs(1),
            cost: None,
            series: vec![SeriesDescription::new("power", Quantity::Power)],
        };
        TelemetryDescribed { sources: names.iter().map(source).collect(), ..TelemetryDescribed::default() }
    }

    fn batch(source: u32, at_ns: u64, cpu: u64) -> TelemetryBatch {
        let samples = vec![Sample { at_ns, read_ns: 1, values: vec![Some(5.0)] }];
        let sources = vec![SourceSamples { source, samples, gaps: Vec::new() }];
        TelemetryBatch { cpu: Nanos::new(cpu), sources }
    }

    #[test]
    fn a_run_that_goes_on_in_another_process_keeps_its_series_whatever_their_order() {
        let mut recorded = Recorded::default();
        recorded.push(batch(0, 1, 0));
        assert!(recorded.is_empty(), "nothing was described yet");
        recorded.describe(described(&["a", "b"]));
        recorded.push(batch(1, 5, 10));
        recorded.describe(described(&["b", "c"]));
        recorded.push(batch(0, 7, 3));
        let b = &recorded.sources[1];
        assert_eq!(b.values(0).collect::<Vec<_>>(), [(5, 5.0), (7, 5.0)]);
        assert_eq!(recorded.sources.len(), 3);
        assert_eq!(recorded.cpu, Nanos::new(13), "the CPU time of both processes");
    }
}
