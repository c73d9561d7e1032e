//! A test of a sample, turned into the replay of a trace with pauses.

use drivelab_core::plan::Action;
use drivelab_core::replay::{Replay, ReplayMode, ReplayRecord, TraceFacts, TraceFit, TraceSource, TraceTrims};
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Nanos};

/// An operation of the trace is in flight for one part in this many of the replay time.
pub const BUSY_ONE_IN: u32 = 5;

/// The record of a step that replayed 100 operations and had an operation in flight for this time.
#[must_use]
pub const fn replay_record(busy: Nanos) -> ReplayRecord {
    ReplayRecord {
        taken: 100,
        complete: false,
        skipped_trims: 0,
        moved: 0,
        aligned: 0,
        shortened: 0,
        busy,
        starved: Nanos::new(0),
        starved_operations: 0,
        lateness: None,
    }
}

/// A test as a replay of a trace at recorded times, busy for a fifth of the time.
#[must_use]
pub fn replayed(mut records: RunRecords, test: &str) -> RunRecords {
    let facts = TraceFacts {
        format: "synthetic".to_owned(),
        hash: String::new(),
        reads: 0,
        writes: 100,
        trims: 0,
        flushes: 0,
        read: Bytes::new(0),
        written: Bytes::new(1 << 20),
        largest: Bytes::new(1 << 20),
        end: Bytes::new(1 << 30),
        duration: Nanos::from_secs(10),
        empty: 0,
        out_of_order: 0,
    };
    let of_test = records.plan.tests.iter_mut().filter(|one| one.name == test);
    for step in of_test.flat_map(|one| &mut one.steps) {
        if let Action::Io { workload, .. } = &mut step.action {
            workload.replay = Some(Replay {
                trace: "made".to_owned(),
                source: TraceSource::File { path: "made".into(), format: None, device: None },
                mode: ReplayMode::Timed {},
                fit: TraceFit::Wrap,
                trims: TraceTrims::Skip,
                facts: facts.clone(),
            });
        }
    }
    let begin = format!("{test}/");
    for record in records.steps.iter_mut().filter(|record| record.key.step.as_str().starts_with(&begin)) {
        record.replay = Some(replay_record(Nanos::new(record.elapsed().get() / u64::from(BUSY_ONE_IN))));
    }
    records
}
