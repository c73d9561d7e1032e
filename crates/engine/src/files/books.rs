//! The records of a step on files: the reports of threads become intervals, and the intervals the step's record.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use drivelab_core::backend::StepRequest;
use drivelab_core::files::FileLoad;
use drivelab_core::histogram::{Histogram, SparseHistogram};
use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::record::{
    Effort, EngineReport, IntervalRecord, IoError, IssueMode, OpRecord, Origin, StepRecord, StopReason, Verification,
};
use drivelab_core::units::{Bytes, Nanos};
use rustix::io::Errno;

use super::common::Common;
use super::told::{Ended, Told};
use crate::thread::faults::first_of_all;
use crate::thread::meter::mean_depth;
use crate::verify::findings::NAMED;

/// Counts of one interval, or of a step.
#[derive(Debug, Default)]
struct Counts {
    latency: Histogram,
    bytes: u64,
    errors: u64,
    /// Files in progress, integrated over time.
    depth_ns: u128,
}

/// The records of one step.
#[derive(Debug)]
pub(crate) struct Books {
    key: StepKey,
    reads: bool,
    interval_ns: u64,
    began_ns: u64,
    start_ns: u64,
    /// Bytes that were moved by the end of the last interval.
    moved: u64,
    index: u32,
    /// Until when each thread's time in progress is in the counts.
    counted_until: Vec<u64>,
    now: Counts,
    /// Latencies, bytes, errors of all intervals.
    latency: SparseHistogram,
    bytes: u64,
    errors: u64,
    /// Time in progress over all threads, of files that ended.
    busy_ns: u128,
    sync_error: Option<IoError>,
    end_ns: u64,
}

impl Books {
    pub(crate) fn new(request: &StepRequest<'_>, load: &FileLoad, now_ns: u64) -> Self {
        Books {
            key: request.key.clone(),
            reads: load.work.reads(),
            interval_ns: request.interval.get().max(1),
            began_ns: now_ns,
            start_ns: now_ns,
            moved: 0,
            index: 0,
            counted_until: vec![0; request.workload.threads.get() as usize],
            now: Counts::default(),
            latency: SparseHistogram::default(),
            bytes: 0,
            errors: 0,
            busy_ns: 0,
            sync_error: None,
            end_ns: now_ns,
        }
    }

    /// The step's time begins.
    pub(crate) fn begins(&mut self, now_ns: u64) {
        (self.began_ns, self.start_ns, self.end_ns) = (now_ns, now_ns, now_ns);
    }

    /// Counts a file.
    pub(crate) fn take(&mut self, told: Told) {
        let Told { thread, end_ns, latency_ns, ok } = told;
        if ok {
            self.now.latency.record(latency_ns);
        } else {
            self.now.errors += 1;
        }
        self.busy_ns += u128::from(latency_ns);
        self.under_way(thread, end_ns.saturating_sub(latency_ns), end_ns);
    }

    /// Adds the part of a thread's time in progress that is not in the counts yet.
    fn under_way(&mut self, thread: usize, from_ns: u64, to_ns: u64) {
        let Some(counted) = self.counted_until.get_mut(thread) else { return };
        self.now.depth_ns += u128::from(to_ns.saturating_sub(from_ns.max(*counted)));
        *counted = to_ns.max(*counted);
    }

    /// Closes the interval if its time is over.
    pub(crate) fn look(&mut self, common: &Common<'_>, now_ns: u64, interval: &mut dyn FnMut(IntervalRecord)) {
        if now_ns.saturating_sub(self.start_ns) >= self.interval_ns {
            self.close(common, now_ns, interval);
        }
    }

    /// Syncing failed at the end of the step.
    pub(crate) fn failed_to_sync(&mut self, error: Errno, at_ns: u64, length: Bytes) {
        self.now.errors += 1;
        self.sync_error = Some(IoError { at_ns, op: OpKind::Write, offset: 0, length, errno: error.raw_os_error() });
    }

    /// Makes the record of the interval that ends now.
    pub(crate) fn close(&mut self, common: &Common<'_>, now_ns: u64, interval: &mut dyn FnMut(IntervalRecord)) {
        for (thread, since) in common.since.iter().enumerate() {
            let since = since.load(Ordering::Acquire);
            if since > 0 {
                self.under_way(thread, since.max(self.start_ns), now_ns);
            }
        }
        let moved = common.moved.load(Ordering::Relaxed);
        self.now.bytes = moved - self.moved;
        self.moved = moved;
        let elapsed = Nanos::new(now_ns.saturating_sub(self.start_ns));
        let counts = std::mem::take(&mut self.now);
        let latency = counts.latency.sparse();
        self.latency.merge(&latency);
        self.bytes += counts.bytes;
        self.errors += counts.errors;
        let (read, write) = self.sides(counts.bytes, counts.errors, latency, elapsed);
        interval(IntervalRecord {
            key: self.key.clone(),
            index: self.index,
            start_ns: self.start_ns,
            end_ns: now_ns,
            ramp: false,
            read,
            write,
            others: Vec::new(),
            in_flight_mean: mean_depth(counts.depth_ns, elapsed.get()),
            backlog: None,
            stuck: None,
            origin: Origin::Measured,
            condensed: None,
        });
        self.index += 1;
        (self.start_ns, self.end_ns) = (now_ns, now_ns);
    }

    /// Reads and writes: all operations of a step on files are of one kind.
    fn sides(&self, bytes: u64, errors: u64, latency: SparseHistogram, elapsed: Nanos) -> (OpRecord, OpRecord) {
        let own = OpRecord::new(latency.count, Bytes::new(bytes), errors, latency, elapsed);
        let none = OpRecord::new(0, Bytes::new(0), 0, SparseHistogram::default(), elapsed);
        if self.reads { (own, none) } else { (none, own) }
    }

    /// The record of the step. `direct` says whether the files were open with direct I/O.
    pub(crate) fn record(
        self,
        request: &StepRequest<'_>,
        ended: &[Ended],
        stop_reason: StopReason,
        direct: bool,
        notes: Vec<String>,
    ) -> StepRecord {
        let elapsed = Nanos::new(self.end_ns.saturating_sub(self.began_ns));
        let (read, write) = self.sides(self.bytes, self.errors, self.latency.clone(), elapsed);
        let errors = errors(ended, self.sync_error.as_ref());
        StepRecord {
            replay: None,
            key: self.key.clone(),
            start_ns: self.began_ns,
            end_ns: self.end_ns,
            stop_reason,
            written_total: write.bytes,
            read,
            write,
            others: Vec::new(),
            groups: Vec::new(),
            in_flight_mean: mean_depth(self.busy_ns, elapsed.get()),
            open_loop: None,
            bursts: None,
            verification: verification(ended),
            errors,
            streams: Vec::new(),
            origin: Origin::Measured,
            engine: report(request, ended, direct, notes, self.sync_error.as_ref()),
        }
    }
}

/// The errors to report: those of files, then that of syncing.
fn errors(ended: &[Ended], sync_error: Option<&IoError>) -> Vec<IoError> {
    let mut errors = first_of_all(ended.iter().map(|one| one.errors.clone()));
    errors.extend(sync_error.cloned());
    errors
}

/// What checks found on all threads.
fn verification(ended: &[Ended]) -> Option<Verification> {
    ended.iter().filter_map(|one| one.verification.clone()).reduce(|mut all, one| {
        all.checked += one.checked;
        for (fault, count) in one.faults {
            *all.faults.entry(fault).or_default() += count;
        }
        all.first.extend(one.first);
        all.first.sort_by_key(|bad| bad.offset);
        all.first.truncate(NAMED);
        all
    })
}

fn report(
    request: &StepRequest<'_>,
    ended: &[Ended],
    direct: bool,
    notes: Vec<String>,
    sync_error: Option<&IoError>,
) -> EngineReport {
    let sum = |of: fn(&Ended) -> u64| ended.iter().map(of).sum::<u64>();
    let mut refused: Vec<String> = ended.iter().flat_map(|one| one.refused.iter().cloned()).collect();
    refused.sort_unstable();
    refused.dedup();
    let mut by_number: BTreeMap<i32, u64> = BTreeMap::new();
    let numbers = ended.iter().flat_map(|one| one.by_number.iter().map(|(errno, count)| (*errno, *count)));
    for (errno, count) in numbers.chain(sync_error.map(|error| (error.errno, 1))) {
        *by_number.entry(errno).or_default() += count;
    }
    EngineReport {
        backend: "files".to_owned(),
        reason: "files are opened, read and written by system calls, one after the other in each thread".to_owned(),
        refused,
        direct_verified: direct,
        cpu_user: Nanos::new(sum(|one| one.cpu.user_ns)),
        cpu_system: Nanos::new(sum(|one| one.cpu.system_ns)),
        punted: false,
        mode: Some(IssueMode::Threads),
        fell_back: Some(false),
        effort: Some(Effort {
            operations: sum(|one| one.operations),
            syscalls: sum(|one| one.syscalls),
            thread_time: Nanos::new(sum(|one| one.thread_ns)),
            depth_asked: u64::from(request.workload.threads.get()),
            clock: "run clock (CLOCK_MONOTONIC_RAW)".to_owned(),
            batch: 1,
            page_cache: (!notes.is_empty()).then(|| notes.join("; ")),
            errors_by_errno: by_number,
            ..Effort::default()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two threads one met only EIO, more often than errors are kept; on the other the drive was full after that.
    #[test]
    fn the_first_error_of_each_number_is_told_behind_however_many_others() {
        let error =
            |at_ns: u64, errno: i32| IoError { at_ns, op: OpKind::Write, offset: 0, length: Bytes::new(1), errno };
        let thread = |errors: Vec<IoError>| Ended { errors, ..Ended::default() };
        let failing = thread((0..64).map(|at| error(2 * at, libc::EIO)).collect());
        let full = thread(vec![error(1, libc::EIO), error(1000, libc::ENOSPC), error(1001, libc::ENOSPC)]);
        let told = errors(&[failing, full], Some(&error(2000, libc::EROFS)));
        let numbers: Vec<i32> = told.iter().map(|error| error.errno).collect();
        assert_eq!(numbers[..64], [libc::EIO; 64]);
        assert_eq!(numbers[64..], [libc::ENOSPC, libc::EROFS]);
        assert_eq!((told[1].at_ns, told[64].at_ns), (1, 1000), "in the order of their times");
    }
}
