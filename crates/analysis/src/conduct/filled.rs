//! What a fill shows of the drive's write cache. Voids nothing; the shape is found in [`crate::fill`], the text is in
//! [`crate::findings::filled`].

use drivelab_core::plan::StepRole;

use super::told;
use crate::check::{Check, Seen, Subject};
use crate::findings::{evidence, filled as text};

/// Checks of single executions.
pub(crate) static FILLED: &[Check] =
    &[Check { code: "write_cache_ended", rule: "", check: cache_ended, finding: text::cache_ended }];

/// A measured fill whose rate fell for good; figures of preparation are no results.
fn cache_ended(subject: &Subject<'_>) -> Vec<Seen> {
    let counts = !subject.moment && subject.step.role == StepRole::Measure;
    let shape = counts.then(|| subject.execution.fill()).flatten();
    let Some((cache, shape)) = shape.and_then(|shape| Some((shape.cache_bytes?, shape))) else { return Vec::new() };
    let share = 100.0 * cache / subject.execution.workload.span.length.as_f64();
    let found = vec![
        evidence("rate behind the end (limit: before it)", shape.sustained / 1e6, Some(shape.peak / 1e6), "MB/s"),
        evidence("written when it ended", cache / 1e9, None, "GB"),
        evidence("share of the span", share, None, "%"),
    ];
    told(subject, Some(found))
}

#[cfg(test)]
mod tests;
