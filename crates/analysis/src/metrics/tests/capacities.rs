//! A check of a drive that claims 64 GiB and wraps after 16, for the figures of its capacity.

use drivelab_core::places::Places;
use drivelab_core::plan::Action;
use drivelab_core::record::{DataFault, Verification};
use drivelab_core::workload::Span;

use super::*;

/// The step that checks.
pub(super) const STEP: &str = "verified/check";
/// Blocks that it checked, of 65,536.
pub(super) const CHECKED: u64 = 1000;

/// The sample run of writing and checking with these sizes and this check.
pub(super) fn run() -> RunRecords {
    let mut run = testing::sample_verified_run();
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        let Action::Io { workload, .. } = &mut step.action else { continue };
        workload.block_size = Bytes::new(1 << 20);
        workload.span = Span { offset: Bytes::new(0), length: Bytes::new(64 << 30) };
        workload.places = Some(Places { count: 1000, seed: 1 });
    }
    let check = run.steps.iter_mut().find(|record| record.key.step.as_str() == STEP).expect("a check");
    check.read.errors = 0;
    check.errors.clear();
    check.verification = Some(Verification {
        checked: CHECKED,
        faults: BTreeMap::from([(DataFault::Wrapped, 40)]),
        wraps_at: Some(Bytes::new(16 << 30)),
        ..Verification::default()
    });
    run
}

/// Wrong ways to compute these figures.
pub(super) const MISTAKES: &[(&str, &str, f64)] = &[
    ("verified.capacity", "in GiB", 16.0),
    ("verified.capacity", "of the span", 68.719_476_736),
    ("verified.share_found", "blocks that were checked", 100.0 * 1000.0 / 65_536.0),
    // 100 (1 - 10^-0.003).
    ("verified.share_found", "with one in a thousand", 0.688_4),
];
