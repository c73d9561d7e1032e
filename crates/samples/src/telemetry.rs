//! Made-up telemetry for tests.

use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Recorded, RecordedSource, Sample, SeriesDescription, SourceDescription, SourceId,
    SourceKind,
};
use drivelab_core::units::Nanos;

use crate::sample_run;

/// A source of the drive `nvme0n1` with one series and these values (run time in nanoseconds, value).
#[must_use]
pub fn source(kind: SourceKind, name: &str, quantity: Quantity, points: &[(u64, f64)]) -> RecordedSource {
    let sample = |(at_ns, value): &(u64, f64)| Sample { at_ns: *at_ns, read_ns: 20_000, values: vec![Some(*value)] };
    RecordedSource {
        description: SourceDescription {
            id: SourceId::new(name),
            kind,
            about: About::Drive("nvme0n1".to_owned()),
            origin: "made up".to_owned(),
            accuracy: "exact".to_owned(),
            disturbs: Disturbs::Nothing,
            every: Nanos::from_secs(1),
            cost: None,
            series: vec![SeriesDescription::new(name, quantity)],
        },
        samples: points.iter().map(sample).collect(),
        gaps: Vec::new(),
    }
}

/// The same from a meter.
#[must_use]
pub fn series(quantity: Quantity, points: &[(u64, f64)]) -> RecordedSource {
    source(SourceKind::Adapter, "meter", quantity, points)
}

/// These sources as recorded telemetry.
#[must_use]
pub fn recorded(sources: Vec<RecordedSource>) -> Recorded {
    let mut recorded = Recorded::default();
    (recorded.sources, recorded.cpu) = (sources, Nanos::from_millis(20));
    recorded
}

/// [`crate::sample_run`] with a thermometer that rises by half a degree per second from 35 °C to at most 60 °C, and a
/// meter that reads 5 W, once a second; also the processor's energy and one CPU that is half busy.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a sample run has few seconds")]
pub fn sample_watched_run() -> RunRecords {
    const SECOND: u64 = 1_000_000_000;
    let mut run = sample_run();
    let seconds = run.last_at_ns / SECOND + 2;
    let points = |of: fn(f64) -> f64| -> Vec<(u64, f64)> { (0..seconds).map(|s| (s * SECOND, of(s as f64))).collect() };
    let mut rapl = source(SourceKind::Rapl, "package-0 (intel-rapl:0)", Quantity::Energy, &points(|s| 12.0 * s));
    let mut cpu = source(SourceKind::Cpu, "cpu0.user", Quantity::CpuTime, &points(|s| 0.5 * s));
    cpu.description.series.push(SeriesDescription::new("cpu0.idle", Quantity::CpuTime));
    cpu.samples.iter_mut().for_each(|sample| sample.values.push(sample.values.first().copied().flatten()));
    (rapl.description.about, cpu.description.about) = (About::Host, About::Host);
    run.telemetry = recorded(vec![
        source(SourceKind::Adapter, "temperature", Quantity::Temperature, &points(|s| (35.0 + 0.5 * s).min(60.0))),
        source(SourceKind::Adapter, "power", Quantity::Power, &points(|_| 5.0)),
        rapl,
        cpu,
    ]);
    run
}
