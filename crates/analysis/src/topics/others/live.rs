//! Other I/O in a run that is still going on: each measured execution is judged as soon as the counters of the target's
//! devices have been read after its end, by the same rules as at the end of the run.
//!
//! Keeps only what those rules look at, so that a run of days takes no more memory than one of minutes. Events may be
//! missing, because a screen that cannot keep up loses some: an execution during which one was lost is not judged.

use drivelab_core::event::{Event, EventBody};
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Step, StepRole};
use drivelab_core::record::{IntervalRecord, OpRecord};
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{SourceKind, TelemetryBatch};
use drivelab_core::units::Bytes;

use super::checks::{CACHED_NS, counters_of, others};
use super::words::devices;
use crate::check::subjects;

/// Readings this close to the start of an execution are kept, and its last reading is awaited this long. Nanoseconds.
const MARGIN_NS: u64 = 10_000_000_000;

/// An execution that other I/O disturbed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disturbed {
    /// The execution.
    pub key: StepKey,
    /// Devices that counted more than drivelab issued, such as `md0, sda`.
    pub devices: String,
}

/// Follows the events of a run.
#[derive(Debug, Default)]
pub struct LiveOthers {
    records: Option<RunRecords>,
    /// Number of the last event.
    last_seq: u64,
    /// Which sources of the newest description count a disk's I/O, by their index.
    disks: Vec<bool>,
    /// Start of the running execution, nanoseconds on the run clock; `None` if it is not known from all its events.
    running_from_ns: Option<u64>,
    /// When an event was last found to be lost.
    lost_ns: Option<u64>,
    /// Executions that have ended, but whose counters have not been read since.
    waiting: Vec<Waiting>,
}

/// An execution that has ended.
#[derive(Debug)]
struct Waiting {
    key: StepKey,
    from_ns: u64,
    end_ns: u64,
    /// It is judged at this time in any case.
    until_ns: u64,
}

impl LiveOthers {
    /// Takes the next event; returns the executions that turn out to be disturbed.
    pub fn event(&mut self, event: &Event) -> Vec<Disturbed> {
        let Some(records) = &mut self.records else {
            self.records = RunRecords::begin(event.clone()).ok();
            self.last_seq = event.seq;
            return Vec::new();
        };
        let is_next = event.seq == self.last_seq + 1;
        self.last_seq = event.seq;
        if !is_next {
            self.lost_ns = Some(event.at_ns);
        }
        if !is_next || matches!(event.event, EventBody::RunResumed(_)) {
            self.waiting.clear();
            self.running_from_ns = None;
        }
        match &event.event {
            EventBody::StepStarted { .. } => {
                self.running_from_ns = Some(event.at_ns);
                records.push(event.clone());
            }
            EventBody::Interval(interval) => add(&mut records.intervals, interval),
            EventBody::StepEnded(record) => {
                records.push(event.clone());
                let step = records.plan.step(&record.key.step).filter(|step| step.role == StepRole::Measure);
                if let Some((step, from_ns)) = step.zip(self.running_from_ns.take())
                    && (!writes_are_cached(step) || self.lost_ns.is_none_or(|lost_ns| from_ns >= lost_ns + CACHED_NS))
                {
                    let until_ns = event.at_ns.saturating_add(MARGIN_NS);
                    let (key, end_ns) = (record.key.clone(), record.end_ns);
                    self.waiting.push(Waiting { key, from_ns, end_ns, until_ns });
                }
            }
            EventBody::Telemetry(batch) => records.telemetry.push(of_disks(&self.disks, batch)),
            EventBody::TelemetryDescribed(described) => {
                self.disks = described.sources.iter().map(|source| source.kind == SourceKind::DiskStats).collect();
                records.push(event.clone());
            }
            EventBody::RunResumed(_) => {
                self.disks.clear();
                records.push(event.clone());
            }
            _ => return Vec::new(),
        }
        let found = self.judge(event.at_ns);
        self.forget(event.at_ns);
        found
    }

    /// Judges what can be judged by now. A device that is no longer read is awaited only briefly; its layer is then not
    /// judged.
    fn judge(&mut self, now_ns: u64) -> Vec<Disturbed> {
        let Some(records) = &self.records else { return Vec::new() };
        let is_ready = |one: &Waiting| is_read_after(records, one.end_ns) || now_ns > one.until_ns;
        let (ready, waiting): (Vec<Waiting>, Vec<Waiting>) = self.waiting.drain(..).partition(is_ready);
        self.waiting = waiting;
        let judged = |one: &Waiting| {
            let subjects = subjects(records);
            let subject = subjects.iter().find(|subject| subject.execution.record.key == one.key)?;
            let seen = others(subject);
            (!seen.is_empty()).then(|| Disturbed { key: one.key.clone(), devices: devices(&seen) })
        };
        ready.iter().filter_map(judged).collect()
    }

    /// Drops what no execution that is still to be judged can need.
    fn forget(&mut self, now_ns: u64) {
        let Some(records) = &mut self.records else { return };
        let first_ns = self.waiting.iter().map(|one| one.from_ns).chain(self.running_from_ns).min().unwrap_or(now_ns);
        let before_ns = first_ns.saturating_sub(CACHED_NS + MARGIN_NS);
        let since_ns = now_ns.saturating_sub(CACHED_NS + MARGIN_NS);
        records.steps.retain(|record| record.end_ns >= before_ns);
        let running = records.unfinished().cloned();
        let is_needed = |key: &StepKey| running.as_ref() == Some(key) || self.waiting.iter().any(|one| one.key == *key);
        records.intervals.retain(|interval| is_needed(&interval.key));
        // In a long execution only its first readings and the last ones count. The rules look at its first interval and
        // at the end of its ramp, which may come a while after its start.
        let mut starts: Vec<u64> = records.steps.iter().map(|record| record.start_ns).collect();
        starts.extend(self.waiting.iter().map(|one| one.from_ns).chain(self.running_from_ns));
        let is_kept = |at_ns: u64| {
            at_ns >= since_ns
                || (before_ns..=first_ns).contains(&at_ns)
                || starts.iter().any(|start_ns| {
                    (start_ns.saturating_sub(MARGIN_NS)..=start_ns.saturating_add(CACHED_NS + MARGIN_NS))
                        .contains(&at_ns)
                })
        };
        for source in &mut records.telemetry.sources {
            source.samples.retain(|sample| is_kept(sample.at_ns));
            // The rules do not look at them.
            source.gaps.clear();
        }
    }
}

/// Adds an interval to the sum of its execution: one record for each, from the start of the first to the end of the
/// last.
fn add(intervals: &mut Vec<IntervalRecord>, more: &IntervalRecord) {
    let Some(sum) = intervals.iter_mut().rev().find(|sum| sum.key == more.key) else {
        intervals.push(more.clone());
        return;
    };
    sum.end_ns = more.end_ns;
    add_op(&mut sum.read, &more.read);
    add_op(&mut sum.write, &more.write);
    for other in &more.others {
        match sum.others.iter_mut().find(|known| known.op == other.op) {
            Some(known) => add_op(&mut known.record, &other.record),
            None => sum.others.push(other.clone()),
        }
    }
}

fn add_op(sum: &mut OpRecord, more: &OpRecord) {
    sum.count = sum.count.saturating_add(more.count);
    sum.bytes = Bytes::new(sum.bytes.get().saturating_add(more.bytes.get()));
}

/// The samples of a batch that are counters of disks.
fn of_disks(disks: &[bool], batch: &TelemetryBatch) -> TelemetryBatch {
    let is_of_disk = |source: u32| usize::try_from(source).is_ok_and(|at| disks.get(at).is_some_and(|is| *is));
    let sources = batch.sources.iter().filter(|one| is_of_disk(one.source)).cloned().collect();
    TelemetryBatch { sources, ..batch.clone() }
}

/// Whether the counters of all devices of the target that are watched were read at or after this time.
fn is_read_after(records: &RunRecords, end_ns: u64) -> bool {
    let devices = records.environment.target.devices.iter();
    let mut watched = devices.filter_map(|device| counters_of(&records.telemetry, &device.name));
    watched.all(|source| source.samples.last().is_some_and(|sample| sample.at_ns >= end_ns))
}

/// Whether a load goes through the page cache: what earlier executions wrote may then still be on its way.
fn writes_are_cached(step: &Step) -> bool {
    step.workload().is_some_and(|load| load.groups().any(|group| !group.direct))
}

#[cfg(test)]
mod tests;
