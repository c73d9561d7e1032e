//! The record of a step, from what its threads left behind and the collector added up.

use drivelab_core::backend::StepRequest;
use drivelab_core::histogram::SparseHistogram;
use drivelab_core::record::{EngineReport, IoError, OpRecord, StepRecord, StopReason, StreamExtent};
use drivelab_core::units::{Bytes, Nanos};

use crate::collect::Totals;
use crate::faults::KEPT;
use crate::fit::Job;
use crate::rusage::CpuTime;
use crate::selfcheck;
use crate::step::{Manner, Outcome};

/// Makes the record. Rates are counts by the time from `start_ns` to `end_ns`:
///
/// - `start_ns` is the first submission of the step, or the end of the ramp where there is one. What was in flight
///   then counts whole; it is made up for at the other end, where as much drains after the stop.
/// - `end_ns` is the last completion counted. The time in which the last operations drain is in the divisor, and the
///   operations in the dividend.
pub(crate) fn record(
    job: &Job<'_>,
    manner: &Manner<'_>,
    request: &StepRequest<'_>,
    totals: Totals,
    outcomes: &[Outcome],
) -> StepRecord {
    let offset = totals.clock_offset;
    let first = outcomes.iter().filter_map(|outcome| outcome.first_submission).min().unwrap_or(totals.measured_from);
    let end = outcomes.iter().filter_map(|outcome| outcome.last_completion).max().unwrap_or(totals.end);
    let start = if request.ramp.get() > 0 { totals.measured_from } else { first }.min(end);
    let elapsed = Nanos::new(end - start);
    let block = u64::from(job.block);
    let (read, write) = (totals.read.histogram.sparse(), totals.write.histogram.sparse());
    let written = write.count + totals.ramp_writes;
    let of_kind = |histogram: SparseHistogram, errors| {
        OpRecord::new(histogram.count, Bytes::new(histogram.count * block), errors, histogram, elapsed)
    };
    StepRecord {
        key: request.key.clone(),
        start_ns: start.wrapping_add(offset),
        end_ns: end.wrapping_add(offset),
        stop_reason: reason(outcomes),
        read: of_kind(read, totals.read.errors),
        write: of_kind(write, totals.write.errors),
        others: Vec::new(),
        groups: Vec::new(),
        open_loop: None,
        verification: None,
        in_flight_mean: mean_depth(totals.depth_ns, elapsed.get()),
        errors: first_errors(outcomes, offset),
        streams: if job.sequential { extents(outcomes, block) } else { Vec::new() },
        written_total: Bytes::new(written * block),
        engine: report(job, manner, outcomes),
    }
}

/// Depth integrated over time, by the time.
#[expect(clippy::cast_precision_loss, reason = "a mean depth needs no more than 53 bits")]
pub(crate) fn mean_depth(depth_ns: u128, elapsed_ns: u64) -> f64 {
    if elapsed_ns == 0 { 0.0 } else { depth_ns as f64 / elapsed_ns as f64 }
}

/// The weightiest of the threads' reasons: a step is "volume" only where every thread did its share.
fn reason(outcomes: &[Outcome]) -> StopReason {
    let weight = |reason: &StopReason| match reason {
        StopReason::Errors => 5,
        StopReason::Stopped => 4,
        StopReason::Cap => 3,
        StopReason::Time => 2,
        StopReason::Volume | StopReason::Passes | StopReason::Operations => 1,
    };
    outcomes.iter().map(|outcome| outcome.reason).max_by_key(weight).unwrap_or(StopReason::Stopped)
}

fn first_errors(outcomes: &[Outcome], offset: u64) -> Vec<IoError> {
    let mut errors: Vec<IoError> = outcomes.iter().flat_map(|outcome| outcome.errors.iter().cloned()).collect();
    errors.sort_by_key(|error| error.at_ns);
    errors.truncate(KEPT);
    errors.iter_mut().for_each(|error| error.at_ns = error.at_ns.wrapping_add(offset));
    errors
}

/// One extent per logical thread that issued anything.
fn extents(outcomes: &[Outcome], block: u64) -> Vec<StreamExtent> {
    let mut extents: Vec<StreamExtent> = Vec::new();
    for Outcome { thread, touched, .. } in outcomes.iter().filter(|o| o.touched.lowest <= o.touched.highest) {
        let highest_end = touched.highest + block;
        match extents.last_mut().filter(|extent| extent.thread == *thread) {
            Some(extent) => {
                extent.lowest = extent.lowest.min(touched.lowest);
                extent.highest_end = extent.highest_end.max(highest_end);
            }
            None => extents.push(StreamExtent { thread: *thread, lowest: touched.lowest, highest_end }),
        }
    }
    extents
}

fn report(job: &Job<'_>, manner: &Manner<'_>, outcomes: &[Outcome]) -> EngineReport {
    let mut refused: Vec<String> = Vec::new();
    for feature in outcomes.iter().flat_map(|outcome| &outcome.refused) {
        if !refused.contains(feature) {
            refused.push(feature.clone());
        }
    }
    let sum = |of: fn(&CpuTime) -> u64| Nanos::new(outcomes.iter().map(|outcome| of(&outcome.cpu)).sum());
    EngineReport {
        backend: manner.kind.name().to_owned(),
        reason: manner.reason.to_owned(),
        refused,
        direct_verified: selfcheck::is_direct(job.handle),
        cpu_user: sum(|cpu| cpu.user_ns),
        cpu_system: sum(|cpu| cpu.system_ns),
        punted: outcomes.iter().any(|outcome| outcome.punted),
        effort: None,
    }
}
