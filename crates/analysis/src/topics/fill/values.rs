//! The figures of a fill: each a part of its shape ([`super::shape()`]).

use super::{segments, shape as fill};
use crate::values::{Execution, GB, MB};

/// Bytes at the end of a fill for which reviewers give a separate figure.
const LAST: f64 = 16.0 * GB;

/// Rate before the end of the write cache, MB/s.
pub(crate) fn fill_peak(execution: Execution<'_>) -> Option<f64> {
    execution.fill().map(|shape| shape.peak / MB)
}

/// Bytes that the write cache took, GB.
pub(crate) fn fill_cache_size(execution: Execution<'_>) -> Option<f64> {
    execution.fill()?.cache_bytes.map(|bytes| bytes / GB)
}

/// Share of the span that the write cache took, per cent.
pub(crate) fn fill_cache_share(execution: Execution<'_>) -> Option<f64> {
    let span = execution.workload.span.length.as_f64();
    execution.fill()?.cache_bytes.map(|bytes| 100.0 * bytes / span)
}

/// Rate after the end of the cache, MB/s.
pub(crate) fn fill_sustained(execution: Execution<'_>) -> Option<f64> {
    execution.fill().map(|shape| shape.sustained / MB)
}

/// Rate of the last 16 GB of a fill of at least 32 GB, MB/s.
pub(crate) fn fill_last_16_gb(execution: Execution<'_>) -> Option<f64> {
    let (intervals, span) = fill::course(execution.step, &execution.record.key, execution.intervals)?;
    let last = segments::last(&intervals, span, LAST).filter(|_| span >= 2.0 * LAST)?;
    Some(last / MB)
}

/// How often the rate recovered; `None` if no end of the cache was seen.
pub(crate) fn fill_recoveries(execution: Execution<'_>) -> Option<f64> {
    let shape = execution.fill()?;
    shape.cache_bytes.map(|_| shape.recoveries as f64)
}

/// Share of the bytes after the end of the cache that were written fast, per cent.
pub(crate) fn fill_recovery_share(execution: Execution<'_>) -> Option<f64> {
    let shape = execution.fill()?;
    shape.cache_bytes.map(|_| 100.0 * shape.recovered_share)
}

/// By how much the end of the fill is slower than the part right after the cache, per cent.
pub(crate) fn fill_late_decline(execution: Execution<'_>) -> Option<f64> {
    let shape = execution.fill()?;
    shape.cache_bytes.map(|_| 100.0 * shape.late_decline)
}
