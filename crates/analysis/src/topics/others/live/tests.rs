//! The sample beside other programs, event by event.

use std::collections::BTreeSet;

use drivelab_core::telemetry::{SourceSamples, TelemetryDescribed};
use drivelab_samples::{beside_others, sample_events, sample_run};

use super::*;
use crate::analyse;

/// The events of a run, with its telemetry: each reading by itself, at its time.
fn events(run: &RunRecords) -> Vec<Event> {
    let mut events = sample_events();
    let sources = &run.telemetry.sources;
    let described = sources.iter().map(|source| source.description.clone()).collect();
    let described = TelemetryDescribed { sources: described, ..TelemetryDescribed::default() };
    events.insert(1, Event { event: EventBody::TelemetryDescribed(described), ..events[0].clone() });
    for (source, recorded) in (0..).zip(sources) {
        for sample in &recorded.samples {
            let sources = vec![SourceSamples { source, samples: vec![sample.clone()], ..SourceSamples::default() }];
            let batch = EventBody::Telemetry(TelemetryBatch { sources, ..TelemetryBatch::default() });
            events.push(Event { seq: 0, at_ns: sample.at_ns, event: batch });
        }
    }
    events.sort_by_key(|event| event.at_ns);
    events
}

/// The executions that the analysis of the whole run calls disturbed.
fn at_the_end(run: &RunRecords) -> BTreeSet<StepKey> {
    let findings = analyse(run).findings;
    let others = findings.into_iter().filter(|finding| finding.code == "others_used_disk");
    others.flat_map(|finding| finding.steps).collect()
}

#[test]
fn a_disturbed_execution_is_named_once_and_as_soon_as_its_end_was_read() {
    for chosen in ["mixes/w30", "corners/seq-1m-q8t1-read", "nothing"] {
        let run = beside_others(sample_run(), |key| key.step.as_str() == chosen);
        let mut live = LiveOthers::default();
        let mut seen = Vec::new();
        for event in &events(&run) {
            for found in live.event(event) {
                let record = run.step(&found.key).expect("a record");
                assert!(event.at_ns >= record.end_ns, "{}: not over yet", found.key);
                assert!(!run.steps.iter().any(|other| other.start_ns > record.end_ns && other.end_ns < event.at_ns));
                assert_eq!(found.devices, "nvme0n1");
                seen.push(found.key);
            }
        }
        let all: BTreeSet<StepKey> = seen.iter().cloned().collect();
        assert_eq!((&all, all.len()), (&at_the_end(&run), seen.len()), "{chosen}");
        assert_eq!(seen.is_empty(), chosen == "nothing");
    }
}

#[test]
fn a_day_of_readings_takes_no_more_memory_than_some_minutes() {
    let mut live = LiveOthers::default();
    let events = events(&beside_others(sample_run(), |key| key.step.as_str() == "mixes/w30"));
    let is_interval = |event: &&Event| match &event.event {
        EventBody::Interval(interval) => interval.key.step.as_str() == "mixes/w30",
        _ => false,
    };
    let is_reading = |event: &&Event| matches!(event.event, EventBody::Telemetry(_));
    let interval = events.iter().find(is_interval).expect("an interval");
    let reading = events.iter().find(is_reading).expect("a reading");
    let begun = events.iter().position(|event| is_interval(&event)).expect("an interval");
    events[..begun].iter().for_each(|event| assert_eq!(live.event(event), []));
    let held = |live: &LiveOthers| -> (usize, usize) {
        let records = live.records.as_ref().expect("a run");
        let samples = records.telemetry.sources.iter().map(|source| source.samples.len());
        (records.intervals.len(), samples.max().unwrap_or(0))
    };
    for second in 1..86_400 {
        let at_ns = interval.at_ns + second * 1_000_000_000;
        let mut again = Event { at_ns, ..reading.clone() };
        let EventBody::Telemetry(batch) = &mut again.event else { unreachable!("a reading") };
        batch.sources.iter_mut().flat_map(|source| &mut source.samples).for_each(|sample| sample.at_ns = at_ns);
        assert_eq!(live.event(&again), []);
        assert_eq!(live.event(&Event { at_ns, ..interval.clone() }), []);
    }
    let (intervals, samples) = held(&live);
    assert!(intervals == 1 && samples <= 300, "{intervals} intervals, {samples} samples");
}
