//! A load of a job, with the job and the place that it has: what tests, ends and content are worked out from.

use super::job::Job;
use super::load::Load;
use super::place::Span;

/// A load that is imported.
pub(super) struct One<'j> {
    pub(super) job: &'j Job,
    pub(super) load: Load,
    pub(super) span: Span,
}
