//! A load of a job with its job and place: the input for tests, ends and content.

use super::job::Job;
use super::load::Load;
use super::place::Span;

/// A load that is imported.
pub(super) struct One<'j> {
    pub(super) job: &'j Job,
    pub(super) load: Load,
    pub(super) span: Span,
}
