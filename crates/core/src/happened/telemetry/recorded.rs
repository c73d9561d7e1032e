//! The series of a whole run, folded from its events, for analysis.

use std::collections::BTreeSet;

use super::{Gap, GapCause, Quantity, Sample, SourceDescription, TelemetryBatch, TelemetryDescribed, TemperatureLimit};
use crate::units::Nanos;

/// A source with all its samples.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedSource {
    /// Description of the source.
    pub description: SourceDescription,
    /// Samples in order of time.
    pub samples: Vec<Sample>,
    /// Times without samples.
    pub gaps: Vec<Gap>,
}

impl RecordedSource {
    /// Times and values of one series, without values that could not be read.
    pub fn values(&self, series: usize) -> impl DoubleEndedIterator<Item = (u64, f64)> + '_ {
        self.samples
            .iter()
            .filter_map(move |sample| Some((sample.at_ns, sample.values.get(series).copied().flatten()?)))
    }

    /// Indices of the series of a quantity.
    pub fn series_of(&self, quantity: Quantity) -> impl Iterator<Item = usize> + '_ {
        let series = self.description.series.iter().enumerate();
        series.filter(move |(_, series)| series.quantity == quantity).map(|(at, _)| at)
    }
}

/// Most values of a source before the readings of a long run are thinned: a day of a few CPUs, some 50 MB.
const MOST_VALUES: usize = 3_000_000;
/// Readings are thinned to at most one in this many, so that the remaining ones still follow each other closely (for
/// sources read every second; `analysis` bridges 15 s).
const THINNEST: u32 = 8;

/// All telemetry of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recorded {
    /// By source, over all processes of the run.
    pub sources: Vec<RecordedSource>,
    /// What could not be watched, and why.
    pub remarks: Vec<String>,
    /// Temperature that ends the run, or ended it.
    pub abort_above: Option<TemperatureLimit>,
    /// Whether idle and latency-critical steps were sampled too.
    pub always: bool,
    /// CPU time of reading, over all processes.
    pub cpu: Nanos,
    /// Indices in `sources` of the sources in the newest description.
    current: Vec<usize>,
    /// Sources of an earlier process that have no sample in this one yet: no series continues across the break.
    broken_off: BTreeSet<usize>,
    /// CPU time of earlier processes.
    cpu_before: Nanos,
    /// For each source, the interval of kept counter readings in a long run; see [`Recorded::thin`].
    kept_each: Vec<u32>,
}

impl Recorded {
    /// Adds the description that a process starts with. A source with the same name and the same series continues.
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
                    self.broken_off.insert(at);
                    return at;
                }
                self.sources.push(RecordedSource { description, samples: Vec::new(), gaps: Vec::new() });
                self.kept_each.push(1);
                self.sources.len() - 1
            })
            .collect();
        (0..self.sources.len()).for_each(|at| self.say_thinned(at));
    }

    /// Adds a batch; samples of unknown sources are left out.
    pub fn push(&mut self, batch: TelemetryBatch) {
        self.cpu = Nanos::new(self.cpu_before.get().saturating_add(batch.cpu.get()));
        for one in batch.sources {
            let at = usize::try_from(one.source).ok().and_then(|at| self.current.get(at).copied());
            if let Some(source) = at.and_then(|at| self.sources.get_mut(at)) {
                let (last, first) = (source.samples.last(), one.samples.first());
                if let (Some(last), Some(first)) = (last, first)
                    && at.is_some_and(|at| self.broken_off.remove(&at))
                {
                    let cause = GapCause::Interrupted;
                    source.gaps.push(Gap { from_ns: last.at_ns, to_ns: first.at_ns, cause });
                }
                source.samples.extend(one.samples);
                source.gaps.extend(one.gaps);
            }
            at.into_iter().for_each(|at| self.thin(at, MOST_VALUES));
        }
    }

    /// Drops every second counter reading if there are more than `most` values: on a host with many CPUs the CPU
    /// times of a day would be gigabytes, and a counter gives the same information over two seconds as over each of
    /// them. Readings off the regular interval stay, with their neighbours: they are at the start or end of steps.
    /// The recording itself keeps all readings.
    fn thin(&mut self, at: usize, most: usize) {
        let (Some(source), Some(each)) = (self.sources.get_mut(at), self.kept_each.get_mut(at)) else { return };
        let series = &source.description.series;
        let counts = series.iter().all(|series| series.quantity.counts());
        if !counts || source.samples.len() * series.len() <= most || *each >= THINNEST {
            return;
        }
        *each *= 2;
        let beat = source.description.every.get() / 4 * 3;
        let times: Vec<u64> = source.samples.iter().map(|sample| sample.at_ns).collect();
        let close = |pair: Option<&[u64]>| matches!(pair, Some([a, b]) if b.saturating_sub(*a) < beat);
        let mut number = 0_usize;
        source.samples.retain(|_| {
            let (here, even) = (number, number.is_multiple_of(2));
            number += 1;
            even || close(times.get(here.saturating_sub(1)..=here)) || close(times.get(here..here + 2))
        });
        source.samples.shrink_to_fit();
        self.say_thinned(at);
    }

    fn say_thinned(&mut self, at: usize) {
        let (Some(source), Some(each @ 2..)) = (self.sources.get(at), self.kept_each.get(at).copied()) else { return };
        let id = &source.description.id;
        let begin = format!("{id}: the run is long, ");
        self.remarks.retain(|remark| !remark.starts_with(&begin));
        let kept = "and those at the start and end of steps; the recording has all";
        self.remarks.push(format!("{begin}so only one counter reading in {each} is shown, {kept}"));
    }

    /// Whether there are no samples.
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
    fn a_long_run_keeps_every_second_reading_of_counters_and_those_at_borders_of_steps() {
        let mut recorded = Recorded::default();
        let mut both = described(&["cpu", "meter"]);
        both.sources[0].series = vec![SeriesDescription::new("cpu0.user", Quantity::CpuTime)];
        recorded.describe(both.clone());
        // Once a second, and at 4.5 s, when a step begins.
        let at = [0, 1000, 2000, 3000, 4000, 4500, 5000, 6000, 7000, 8000];
        for source in [0, 1] {
            at.iter().for_each(|ms| recorded.push(batch(source, ms * 1_000_000, 0)));
            recorded.thin(source as usize, 9);
        }
        let left = |recorded: &Recorded, source: usize| -> Vec<u64> {
            recorded.sources[source].values(0).map(|(at, _)| at / 1_000_000).collect()
        };
        assert_eq!(left(&recorded, 0), [0, 2000, 4000, 4500, 5000, 7000]);
        assert_eq!(left(&recorded, 1), at, "a value of the moment is not thinned");
        assert_eq!(recorded.remarks.len(), 1);
        recorded.describe(both);
        assert!(recorded.remarks[0].starts_with("cpu: the run is long, so only one counter reading in 2"));
        for most in [5, 0, 0, 0] {
            recorded.thin(0, most);
        }
        assert_eq!(recorded.kept_each[0], THINNEST, "no further than that readings follow each other");
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
        // Counters continued while run time stood still: no series continues across the break.
        let broken = [Gap { from_ns: 5, to_ns: 7, cause: GapCause::Interrupted }];
        assert_eq!(b.gaps, broken);
        assert_eq!(recorded.sources.len(), 3);
        assert_eq!(recorded.cpu, Nanos::new(13), "the CPU time of both processes");
    }
}
