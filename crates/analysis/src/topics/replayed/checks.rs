//! What a reader must know about a replay besides its figures: whether the trace was read in time, and how much of it
//! went to other addresses than recorded.

use drivelab_core::replay::{Replay, ReplayMode, ReplayRecord};

use super::words as text;
use crate::check::{Check, Seen, Subject, told};
use crate::evidence::evidence;

/// Checks of single executions.
pub(crate) static REPLAYED: &[Check] = &[
    Check { finding: &text::READING_LIMITED, rule: "", check: reading_limited },
    Check { finding: &text::FITTED, rule: "", check: fitted },
    Check { finding: &text::TIMES_GO_BACK, rule: "", check: times_go_back },
];

fn replay<'a>(subject: &Subject<'a>) -> Option<&'a ReplayRecord> {
    subject.execution.record.replay.as_ref()
}

/// Reports any operation that waited for the reader of the trace: the drive did not make it late.
fn reading_limited(subject: &Subject<'_>) -> Vec<Seen> {
    let Some(replay) = replay(subject).filter(|replay| replay.starved_operations > 0) else { return Vec::new() };
    let found = vec![
        evidence("operations that waited for the trace", replay.starved_operations as f64, Some(0.0), "operations"),
        evidence("time in which the next operation was due but not yet read", replay.starved.as_secs_f64(), None, "s"),
    ];
    told(subject, Some(found))
}

/// Operations that went to other addresses than recorded, or were widened or shortened.
fn fitted(subject: &Subject<'_>) -> Vec<Seen> {
    let Some(replay) = replay(subject) else { return Vec::new() };
    let issued = replay.taken.saturating_sub(replay.skipped_trims).max(1) as f64;
    let share = |count: u64, what: &str| (count > 0).then(|| evidence(what, 100.0 * count as f64 / issued, None, "%"));
    let found: Vec<_> = [
        share(replay.moved, "operations at another address than recorded"),
        share(replay.aligned, "operations widened to whole logical blocks"),
        share(replay.shortened, "operations shortened to fit"),
        (replay.skipped_trims > 0).then(|| evidence("trims left out", replay.skipped_trims as f64, None, "operations")),
    ]
    .into_iter()
    .flatten()
    .collect();
    told(subject, (!found.is_empty()).then_some(found))
}

/// Operations with a time before the latest one seen: a timed replay issues them immediately. An untimed replay loses
/// nothing.
fn times_go_back(subject: &Subject<'_>) -> Vec<Seen> {
    let in_time = |replay: &&Replay| !matches!(replay.mode, ReplayMode::ClosedLoop {});
    let Some(replay) = subject.execution.workload.replay.as_ref().filter(in_time) else { return Vec::new() };
    let what = "operations of the trace with a time before the latest one seen";
    let count = replay.facts.out_of_order;
    told(subject, (count > 0).then(|| vec![evidence(what, count as f64, Some(0.0), "operations")]))
}
