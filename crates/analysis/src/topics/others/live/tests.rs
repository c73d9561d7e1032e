//! The sample beside other programs, event by event.

use std::collections::BTreeSet;

use drivelab_core::plan::Action;
use drivelab_samples::{beside_others, events_beside_others, sample_run};

use super::*;
use crate::analyse;

const SECOND_NS: u64 = 1_000_000_000;
const STEP: &str = "mixes/w30";

fn is_of(event: &Event, step: &str) -> bool {
    matches!(&event.event, EventBody::Interval(interval) if interval.key.step.as_str() == step)
}

fn is_reading(event: &Event) -> bool {
    matches!(event.event, EventBody::Telemetry(_))
}

/// The executions named, each with the event at which it was.
fn named(events: &[Event]) -> Vec<(StepKey, u64)> {
    let mut live = LiveOthers::default();
    let mut one = |event: &Event| -> Vec<(StepKey, u64)> {
        live.event(event).into_iter().map(|found| (found.key, event.at_ns)).collect()
    };
    events.iter().flat_map(&mut one).collect()
}

/// The executions that the analysis of the whole run calls disturbed.
fn at_the_end(run: &RunRecords) -> BTreeSet<StepKey> {
    let findings = analyse(run).findings;
    let others = findings.into_iter().filter(|finding| finding.code == "others_used_disk");
    others.flat_map(|finding| finding.steps).collect()
}

#[test]
fn a_disturbed_execution_is_named_once_and_as_soon_as_its_end_was_read() {
    for chosen in [STEP, "corners/seq-1m-q8t1-read", "nothing"] {
        let run = beside_others(sample_run(), |key| key.step.as_str() == chosen);
        let seen = named(&events_beside_others(|key| key.step.as_str() == chosen));
        for (key, at_ns) in &seen {
            let end_ns = run.step(key).expect("a record").end_ns;
            assert!((end_ns..end_ns + SECOND_NS).contains(at_ns), "{key}");
        }
        let all: BTreeSet<StepKey> = seen.iter().map(|(key, _)| key.clone()).collect();
        assert_eq!((&all, all.len()), (&at_the_end(&run), seen.len()), "{chosen}");
        assert_eq!(seen.is_empty(), chosen == "nothing");
    }
}

/// A screen that cannot keep up loses events: what is missing would look like I/O of others.
#[test]
fn an_execution_with_a_lost_event_is_not_judged_and_the_next_one_is() {
    let all = events_beside_others(|_| true);
    let steps: BTreeSet<StepKey> = named(&all).into_iter().map(|(key, _)| key).collect();
    let is_start = |event: &Event| matches!(&event.event, EventBody::StepStarted { key } if key.step.as_str() == STEP);
    let starts = all.iter().position(is_start).expect("it starts");
    let interval = all.iter().position(|event| is_of(event, STEP)).expect("it runs");
    for lost in [starts, interval] {
        let mut events = all.clone();
        events.remove(lost);
        let seen: BTreeSet<StepKey> = named(&events).into_iter().map(|(key, _)| key).collect();
        let missing: Vec<&str> = steps.difference(&seen).map(|key| key.step.as_str()).collect();
        assert_eq!(missing, [STEP], "without event {lost}");
    }
    // A reading beyond a gap says nothing about the execution before it.
    let is_end =
        |event: &Event| matches!(&event.event, EventBody::StepEnded(record) if record.key.step.as_str() == STEP);
    let ends = all.iter().position(is_end).expect("it ends");
    let read = all[..ends].iter().rposition(is_reading).expect("it is read");
    for lost in [0, 1] {
        let mut late = all[..=ends].to_vec();
        late[read..].rotate_left(1);
        (0..).zip(&mut late).for_each(|(seq, event)| event.seq = seq);
        late.last_mut().expect("a reading").seq += lost;
        let is_named = named(&late).iter().any(|(key, _)| key.step.as_str() == STEP);
        assert_eq!(is_named, lost == 0);
    }
}

/// The session waits for cached writes to reach the drive before it says that an execution has ended.
#[test]
fn an_end_that_is_told_late_is_still_judged() {
    let mut late = events_beside_others(|key| key.step.as_str() == STEP);
    let is_end =
        |event: &Event| matches!(&event.event, EventBody::StepEnded(record) if record.key.step.as_str() == STEP);
    let ends = late.iter().position(is_end).expect("it ends");
    let read = late[..ends].iter().rposition(is_reading).expect("it is read");
    late.truncate(ends + 1);
    late[read..].rotate_left(1);
    (0..).zip(&mut late).for_each(|(seq, event)| event.seq = seq);
    let told_ns = late[ends].at_ns + 3 * MARGIN_NS;
    late[ends - 1].at_ns = told_ns;
    late[ends].at_ns = told_ns + SECOND_NS;
    assert_eq!(named(&late).iter().map(|(key, _)| key.step.as_str()).collect::<Vec<_>>(), [STEP]);
}

/// What an earlier execution wrote into the page cache is known from its record, which may be lost.
#[test]
fn a_cached_load_is_not_judged_soon_after_a_lost_event() {
    let waits = |cached: bool, lost: bool| {
        let mut events = events_beside_others(|key| key.step.as_str() == STEP);
        let EventBody::RunStarted(start) = &mut events[0].event else { unreachable!("the first event") };
        for step in start.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
            if let Action::Io { workload, .. } = &mut step.action {
                workload.direct = !cached;
            }
        }
        let mut live = LiveOthers::default();
        let starts =
            |event: &Event| matches!(&event.event, EventBody::StepStarted { key } if key.step.as_str() == STEP);
        let ends =
            |event: &Event| matches!(&event.event, EventBody::StepEnded(record) if record.key.step.as_str() == STEP);
        let begun = events.iter().position(starts).expect("it starts");
        for (at, event) in events.iter().enumerate().filter(|(at, event)| !is_reading(event) || *at < begun) {
            // The number of what is left out here stays free, so that only the event before the start is lost.
            live.last_seq = if lost && at + 1 == begun { 0 } else { event.seq.saturating_sub(1) };
            live.event(event);
            if ends(event) {
                return live.waiting.iter().any(|one| one.key.step.as_str() == STEP);
            }
        }
        false
    };
    assert!(waits(false, false) && waits(false, true) && waits(true, false));
    assert!(!waits(true, true));
}

/// A device that is not read any more holds nothing up.
#[test]
fn an_execution_without_a_last_reading_is_given_up_after_a_while() {
    let all = events_beside_others(|key| key.step.as_str() == STEP);
    let mut live = LiveOthers::default();
    let mut most = 0;
    for event in &all {
        // The number of a reading that is left out stays free.
        match is_reading(event) {
            true => live.last_seq = event.seq,
            false => assert_eq!(live.event(event), []),
        }
        most = most.max(live.waiting.len());
    }
    assert!(most > 0 && most < 20, "{most} executions wait");
    assert!(live.records.expect("a run").steps.len() < 60);
}

#[test]
fn a_step_of_a_day_takes_no_more_memory_than_one_of_minutes_and_is_judged() {
    const DAY: u64 = 86_400;
    let all = events_beside_others(|key| key.step.as_str() == STEP);
    let begun = all.iter().position(|event| is_of(event, STEP)).expect("an interval");
    let first = all[..begun].iter().rfind(|event| is_reading(event)).expect("a reading before it");
    let mut live = LiveOthers::default();
    all[..begun].iter().for_each(|event| assert_eq!(live.event(event), []));
    let mut seq = all[begun].seq;
    let mut push = |live: &mut LiveOthers, event: &Event, later_ns: u64| {
        let mut event = Event { seq, at_ns: event.at_ns + later_ns, ..event.clone() };
        seq += 1;
        match &mut event.event {
            EventBody::Telemetry(batch) => {
                let samples = batch.sources.iter_mut().flat_map(|source| &mut source.samples);
                samples.for_each(|sample| sample.at_ns += later_ns);
            }
            EventBody::StepEnded(record) => record.end_ns += later_ns,
            _ => {}
        }
        live.event(&event)
    };
    for second in 1..DAY {
        assert_eq!(push(&mut live, first, second * SECOND_NS), []);
        assert_eq!(push(&mut live, &all[begun], second * SECOND_NS), []);
    }
    let records = live.records.as_ref().expect("a run");
    let samples = records.telemetry.sources[0].samples.len();
    assert!(records.intervals.len() == 1 && samples < 400, "{} intervals, {samples} samples", records.intervals.len());
    // The disk is read at the end, and counted far more.
    let mut reading = all[begun..].iter().find(|event| is_reading(event)).expect("a reading").clone();
    let EventBody::Telemetry(batch) = &mut reading.event else { unreachable!("a reading") };
    batch.sources[0].samples[0].values[0] = Some(1e18);
    assert_eq!(push(&mut live, &reading, DAY * SECOND_NS), []);
    let is_end = |event: &&Event| matches!(event.event, EventBody::StepEnded(_));
    let found = push(&mut live, all[begun..].iter().find(is_end).expect("an end"), DAY * SECOND_NS);
    assert_eq!(found.iter().map(|one| one.key.step.as_str()).collect::<Vec<_>>(), [STEP]);
}
