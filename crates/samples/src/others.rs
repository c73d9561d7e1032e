//! A sample run with other programs on its disk during some of its executions.

use drivelab_core::event::{Event, EventBody};
use drivelab_core::ids::StepKey;
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{
    Quantity, SeriesDescription, SourceKind, SourceSamples, TelemetryBatch, TelemetryDescribed,
};

use crate::{recorded, sample_events, sample_run, source};

/// The run with counters of its disk. During each chosen execution other programs read as much as the execution
/// moved, and wrote nothing.
#[must_use]
pub fn beside_others(mut run: RunRecords, chosen: impl Fn(&StepKey) -> bool) -> RunRecords {
    let mut records: Vec<&StepRecord> = run.steps.iter().filter(|record| chosen(&record.key)).collect();
    records.sort_by_key(|record| record.start_ns);
    let (mut read, mut written, mut points) = (1e12, 0.0, Vec::new());
    for record in records {
        let own = || run.intervals.iter().filter(|interval| interval.key == record.key);
        let from = own().map(|interval| interval.start_ns).min().unwrap_or(record.start_ns).min(record.start_ns);
        points.push((from - 500_000, read, written));
        read += 2.0 * own().map(|interval| interval.read.bytes.as_f64()).sum::<f64>();
        written += record.written_total.as_f64();
        points.push((record.end_ns + 500_000, read, written));
    }
    let reads: Vec<(u64, f64)> = points.iter().map(|(at_ns, read, _)| (*at_ns, *read)).collect();
    let mut disk = source(SourceKind::DiskStats, "nvme0n1", Quantity::Volume, &reads);
    for series in ["write_bytes", "discard_bytes"] {
        disk.description.series.push(SeriesDescription::new(series, Quantity::Volume));
    }
    for (sample, (.., written)) in disk.samples.iter_mut().zip(&points) {
        sample.values.extend([Some(*written), Some(0.0)]);
    }
    run.telemetry = recorded(vec![disk]);
    run
}

/// The events of [`sample_run`] [`beside_others`]: each reading of the disk is a batch of its own, at its time.
#[must_use]
pub fn events_beside_others(chosen: impl Fn(&StepKey) -> bool) -> Vec<Event> {
    let sources = beside_others(sample_run(), chosen).telemetry.sources;
    let mut events = sample_events();
    let described = TelemetryDescribed {
        sources: sources.iter().map(|source| source.description.clone()).collect(),
        ..TelemetryDescribed::default()
    };
    events.insert(1, Event { event: EventBody::TelemetryDescribed(described), ..events[0].clone() });
    for (source, of_source) in (0..).zip(&sources) {
        events.extend(of_source.samples.iter().map(|sample| {
            let sources = vec![SourceSamples { source, samples: vec![sample.clone()], ..SourceSamples::default() }];
            let batch = TelemetryBatch { sources, ..TelemetryBatch::default() };
            Event { seq: 0, at_ns: sample.at_ns, event: EventBody::Telemetry(batch) }
        }));
    }
    events.sort_by_key(|event| event.at_ns);
    (0..).zip(&mut events).for_each(|(seq, event)| event.seq = seq);
    events
}
