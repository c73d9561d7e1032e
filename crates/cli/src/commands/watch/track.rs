//! From samples to rows: the current value of each quantity and its course since the watch began. Keeps sums instead
//! of samples, so a watch may last for days.

use drivelab_core::telemetry::{Quantity, Sample, SourceDescription, SourceKind, TelemetryBatch, TelemetryDescribed};
use drivelab_report::WatchRow;

use super::words::label;

/// How a row is computed.
#[derive(Debug, Clone, PartialEq)]
enum Made {
    /// Current values of one series.
    Value(usize),
    /// The rate at which the sum of counters rises per second, times a factor.
    Rate(Vec<usize>, f64),
    /// The rise of some counters, in per cent of the rise of all of them.
    Share(Vec<usize>, Vec<usize>),
    /// The rise of a counter since the beginning.
    Rise(usize),
}

#[derive(Debug)]
struct Track {
    row: WatchRow,
    made: Made,
    /// Values times seconds, and seconds.
    area: f64,
    seconds: f64,
    first: Option<f64>,
}

#[derive(Debug, Default)]
struct Source {
    tracks: Vec<Track>,
    last: Option<Sample>,
}

/// All rows, as they develop.
#[derive(Debug)]
pub(super) struct Tracks(Vec<Source>);

/// Counters move in steps; readings closer together than this do not show a rate.
const LEAST_S: f64 = 0.04;

fn track(source: &SourceDescription, what: (&str, Quantity), unit: &'static str, made: Made) -> Track {
    let (series, quantity) = what;
    let name = format!("{} {series}", source.id);
    let label = label(source, series, quantity);
    let row = WatchRow { name, label, unit, now: None, min: None, mean: None, max: None };
    Track { row, made, area: 0.0, seconds: 0.0, first: None }
}

/// The rows of a source.
fn tracks(source: &SourceDescription) -> Vec<Track> {
    let named = |kinds: &[&str]| -> Vec<usize> {
        let fits = |name: &str| name.split_once('.').is_some_and(|(_, kind)| kinds.contains(&kind));
        (0..source.series.len()).filter(|at| source.series.get(*at).is_some_and(|one| fits(&one.name))).collect()
    };
    let all: Vec<usize> = (0..source.series.len()).collect();
    match source.kind {
        SourceKind::Cpu => {
            let busy = named(&["user", "system", "interrupts"]);
            let mut rows = vec![track(source, ("busy", Quantity::CpuTime), "%", Made::Share(busy, all.clone()))];
            rows.push(track(source, ("stolen", Quantity::CpuTime), "%", Made::Share(named(&["steal"]), all)));
            rows
        }
        SourceKind::Interrupts => {
            vec![track(source, ("interrupts", Quantity::Interrupts), "/s", Made::Rate(all, 1.0))]
        }
        _ => source
            .series
            .iter()
            .enumerate()
            .map(|(at, series)| one(source, at, &series.name, series.quantity))
            .collect(),
    }
}

/// The row of one series.
fn one(source: &SourceDescription, at: usize, name: &str, quantity: Quantity) -> Track {
    let (unit, made) = match quantity {
        // A drive's own counters move in steps, often seconds late: their rise is shown, but no rate.
        quantity if source.kind == SourceKind::Smart && quantity.counts() => (quantity.unit(), Made::Rise(at)),
        Quantity::Energy => ("W", Made::Rate(vec![at], 1.0)),
        Quantity::Volume => ("MB/s", Made::Rate(vec![at], 1e-6)),
        Quantity::Operations => ("IOPS", Made::Rate(vec![at], 1.0)),
        Quantity::BusyTime | Quantity::StallTime | Quantity::CpuTime => ("%", Made::Rate(vec![at], 100.0)),
        quantity if quantity.counts() => (quantity.unit(), Made::Rise(at)),
        quantity => (quantity.unit(), Made::Value(at)),
    };
    track(source, (name, quantity), unit, made)
}

impl Tracks {
    pub(super) fn of(described: &TelemetryDescribed) -> Self {
        Tracks(described.sources.iter().map(|source| Source { tracks: tracks(source), last: None }).collect())
    }

    /// Adds new samples.
    pub(super) fn take(&mut self, batch: &TelemetryBatch) {
        for one in &batch.sources {
            let Some(source) = usize::try_from(one.source).ok().and_then(|at| self.0.get_mut(at)) else { continue };
            for sample in &one.samples {
                source.take(sample);
            }
        }
    }

    /// The rows that have a value.
    pub(super) fn rows(&self) -> Vec<WatchRow> {
        let rows = self.0.iter().flat_map(|source| &source.tracks).map(|track| &track.row);
        rows.filter(|row| row.now.is_some()).cloned().collect()
    }
}

impl Source {
    #[expect(clippy::cast_precision_loss, reason = "times between two readings are short")]
    fn take(&mut self, sample: &Sample) {
        let before = self.last.as_ref();
        let seconds = before.map_or(0.0, |before| sample.at_ns.saturating_sub(before.at_ns) as f64 / 1e9);
        let close = before.is_some() && seconds < LEAST_S;
        for track in &mut self.tracks {
            match &track.made {
                Made::Value(at) => {
                    let (at, value) = (*at, sample.values.get(*at).copied().flatten());
                    let last = before.and_then(|before| before.values.get(at).copied().flatten());
                    if let Some(value) = value {
                        track.value(value, last.map_or(value, |last| last.midpoint(value)), seconds);
                    }
                }
                Made::Rise(at) => {
                    if let Some(value) = sample.values.get(*at).copied().flatten() {
                        let first = *track.first.get_or_insert(value);
                        track.row.now = Some(value - first);
                    }
                }
                Made::Rate(..) | Made::Share(..) if close => {}
                Made::Rate(which, factor) => {
                    let rose = before.and_then(|before| rose(before, sample, which));
                    if let Some(rose) = rose.filter(|rose| *rose >= 0.0) {
                        let rate = rose * factor / seconds;
                        track.value(rate, rate, seconds);
                    }
                }
                Made::Share(which, all) => {
                    let share = before.and_then(|before| {
                        let all = rose(before, sample, all).filter(|all| *all > 0.0)?;
                        Some(100.0 * rose(before, sample, which)?.max(0.0) / all)
                    });
                    if let Some(share) = share {
                        track.value(share, share, seconds);
                    }
                }
            }
        }
        if !close {
            self.last = Some(sample.clone());
        }
    }
}

/// The rise of these counters together; `None` if one of them could not be read.
fn rose(before: &Sample, after: &Sample, which: &[usize]) -> Option<f64> {
    let value = |sample: &Sample, at: usize| sample.values.get(at).copied().flatten();
    which.iter().map(|at| Some(value(after, *at)? - value(before, *at)?)).sum()
}

impl Track {
    /// Adds a new value. Its mean with the last value stands for the time between the two.
    fn value(&mut self, value: f64, mean: f64, seconds: f64) {
        self.row.now = Some(value);
        self.row.min = Some(self.row.min.map_or(value, |min| min.min(value)));
        self.row.max = Some(self.row.max.map_or(value, |max| max.max(value)));
        self.area += mean * seconds;
        self.seconds += seconds;
        self.row.mean = if self.seconds > 0.0 { Some(self.area / self.seconds) } else { Some(value) };
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::telemetry::{About, Disturbs, SeriesDescription, SourceId, SourceSamples};
    use drivelab_core::units::Nanos;

    use super::*;

    fn described(kind: SourceKind, series: &[(&str, Quantity)]) -> TelemetryDescribed {
        let source = SourceDescription {
            id: SourceId::new("it"),
            kind,
            about: About::Host,
            origin: String::new(),
            accuracy: String::new(),
            disturbs: Disturbs::Host,
            every: Nanos::from_secs(1),
            cost: None,
            series: series.iter().map(|(name, quantity)| SeriesDescription::new(*name, *quantity)).collect(),
        };
        TelemetryDescribed { sources: vec![source], ..TelemetryDescribed::default() }
    }

    fn rows(kind: SourceKind, series: &[(&str, Quantity)], samples: &[(u64, Vec<f64>)]) -> Vec<WatchRow> {
        let sample = |(s, values): &(u64, Vec<f64>)| Sample {
            at_ns: s * 1_000_000_000,
            read_ns: 0,
            values: values.iter().copied().map(Some).collect(),
        };
        let mut tracks = Tracks::of(&described(kind, series));
        let samples = samples.iter().map(sample).collect();
        let sources = vec![SourceSamples { source: 0, samples, gaps: Vec::new() }];
        tracks.take(&TelemetryBatch { cpu: Nanos::new(0), sources });
        tracks.rows()
    }

    #[test]
    fn values_have_a_mean_over_time_and_counters_become_rates() {
        let temperature = rows(
            SourceKind::Hwmon,
            &[("t", Quantity::Temperature)],
            &[(0, vec![40.0]), (1, vec![50.0]), (4, vec![50.0])],
        );
        let row = &temperature[0];
        assert_eq!((row.now, row.min, row.max), (Some(50.0), Some(40.0), Some(50.0)));
        assert_eq!(row.mean, Some((45.0 + 150.0) / 4.0));
        let energy = rows(SourceKind::Rapl, &[("package", Quantity::Energy)], &[(0, vec![7.0]), (2, vec![31.0])]);
        assert_eq!((energy[0].unit, energy[0].now), ("W", Some(12.0)));
        let volume =
            rows(SourceKind::DiskStats, &[("read_bytes", Quantity::Volume)], &[(0, vec![0.0]), (2, vec![5e6])]);
        assert_eq!((volume[0].unit, volume[0].now), ("MB/s", Some(2.5)));
    }

    #[test]
    fn cpu_time_is_a_share_and_transitions_are_counted_from_the_begin() {
        let kinds =
            [("cpu0.user", Quantity::CpuTime), ("cpu0.idle", Quantity::CpuTime), ("cpu0.steal", Quantity::CpuTime)];
        let cpu = rows(SourceKind::Cpu, &kinds, &[(0, vec![1.0, 1.0, 1.0]), (10, vec![4.0, 7.0, 2.0])]);
        assert_eq!((cpu[0].now, cpu[1].now), (Some(30.0), Some(10.0)));
        let throttled = rows(
            SourceKind::Smart,
            &[("transitions", Quantity::ThrottleTransitions)],
            &[(0, vec![9.0]), (1, vec![11.0])],
        );
        assert_eq!((throttled[0].now, throttled[0].mean), (Some(2.0), None));
        let written =
            rows(SourceKind::Smart, &[("data written", Quantity::Volume)], &[(0, vec![9e9]), (2, vec![10e9])]);
        assert_eq!((written[0].unit, written[0].now, written[0].mean), ("B", Some(1e9), None), "steps are no rate");
    }
}
