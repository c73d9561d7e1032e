//! What a step did with its trace, from the counts of its threads.

use drivelab_core::histogram::{Histogram, SparseHistogram};
use drivelab_core::replay::{Lateness, ReplayRecord};
use drivelab_core::units::Nanos;

use crate::replay::line::Line;
use crate::replay::take::Counts;
use crate::thread::outcome::Outcome;

/// What a step did with its trace.
pub(crate) fn replayed(line: &Line, outcomes: &[Outcome]) -> ReplayRecord {
    let sum =
        |of: fn(&Counts) -> u64| outcomes.iter().filter_map(|outcome| outcome.replay.as_ref()).map(of).sum::<u64>();
    let (_, all, skipped_at_end) = line.outcome();
    let issued = sum(|counts| counts.issued);
    let complete = all && issued == line.outcome().0;
    let skipped_trims = sum(|counts| counts.skipped_trims) + if complete { skipped_at_end } else { 0 };
    let mut lateness = None::<SparseHistogram>;
    for histogram in outcomes.iter().filter_map(|outcome| outcome.lateness.as_deref()).map(Histogram::sparse) {
        lateness.get_or_insert_default().merge(&histogram);
    }
    ReplayRecord {
        taken: issued + skipped_trims,
        complete,
        skipped_trims,
        moved: sum(|counts| counts.moved),
        aligned: sum(|counts| counts.aligned),
        shortened: sum(|counts| counts.shortened),
        busy: Nanos::new(line.busy.total_ns()),
        starved: Nanos::new(sum(|counts| counts.starved_ns)),
        starved_operations: sum(|counts| counts.starved_operations),
        lateness: lateness.map(Lateness::new),
    }
}
