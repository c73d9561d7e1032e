//! Checks of one kind of operation at a time.

use drivelab_core::finding::Evidence;
use drivelab_core::load::OpKind;
use drivelab_core::record::OpRecord;

use crate::check::{Seen, Subject, Voids};

/// Runs a check for every kind of operation in the record.
pub(super) fn per_kind(
    subject: &Subject<'_>,
    check: impl Fn(OpKind, &OpRecord) -> Option<(Voids, Vec<Evidence>)>,
) -> Vec<Seen> {
    let seen = |(kind, op)| check(kind, op).map(|(voids, found)| Seen::new(subject, voids, found));
    subject.execution.record.kinds().filter_map(seen).collect()
}
