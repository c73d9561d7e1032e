//! Merges the intervals of all threads, on the session's thread.
//!
//! All threads close their intervals at the same times, so an interval is complete when each thread has reached its
//! end or has ended before it. If a thread skipped an interval end (see `tally`), the two intervals become one with
//! true bounds. Counts are added up once: the step's totals are the sums of the intervals without the ramp.

use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use drivelab_core::ids::StepKey;
use drivelab_core::record::{IntervalRecord, Origin, Stuck};
use drivelab_core::units::Nanos;

use crate::generate::arrivals::{Counter, Schedule};
use crate::host::held::Watcher;
use crate::load::job::{Group, Job};
use crate::load::schedule::Timing;
use crate::step::outlets::Outlets;
use crate::step::totals::{Kinds, Totals, empty, kinds};
use crate::thread::meter::{Meter, mean_depth};
use crate::thread::tally::{HandOver, Lane};

/// Longest sleep between two looks; threads wake the collector when they hand something over.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Debug)]
struct Progress {
    lane: Lane,
    borders: u32,
    end: u64,
    ended: bool,
}

/// The schedule of a logical thread, and until when it counts.
#[derive(Debug)]
struct Arrived<'a> {
    counter: Counter<'a>,
    /// Its OS threads that have not ended, and when the last of the others did.
    lanes_left: u32,
    ended: u64,
}

/// Collects one step.
pub(crate) struct Collector<'a> {
    key: StepKey,
    job: &'a Job<'a>,
    timing: Timing,
    stuck: &'a dyn Fn() -> Option<Stuck>,
    /// How long the oldest of the stuck operations had been in flight at the last report.
    told: Nanos,
    /// Counts since the last record, by group.
    meters: Vec<Meter>,
    /// By logical thread; `None` for those without a schedule.
    arrived: Vec<Option<Arrived<'a>>>,
    /// Arrivals submitted since the step's start.
    submitted: u64,
    /// Interval ends up to the last record, the end of that record, and its number.
    borders: u32,
    start: u64,
    index: u32,
    totals: Totals,
}

impl<'a> Arrived<'a> {
    const fn new(schedule: &'a Schedule) -> Self {
        Arrived { counter: Counter::new(schedule), lanes_left: 0, ended: 0 }
    }
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        key: StepKey,
        job: &'a Job<'a>,
        timing: Timing,
        clock_offset: u64,
        stuck: &'a dyn Fn() -> Option<Stuck>,
    ) -> Self {
        let totals = Totals { clock_offset, ..Totals::none(job, timing) };
        let told = Nanos::new(0);
        Collector {
            key,
            job,
            timing,
            stuck,
            told,
            meters: empty(job),
            arrived: job.threads.iter().map(|thread| thread.schedule.as_ref().map(Arrived::new)).collect(),
            submitted: 0,
            borders: 0,
            start: timing.start,
            index: 0,
            totals,
        }
    }

    /// Collects until every thread has ended, and hands over each interval as it becomes complete.
    pub(crate) fn run(mut self, lanes: Vec<Lane>, outlets: &mut Outlets<'_>) -> Totals {
        let progress = |lane| Progress { lane, borders: 0, end: 0, ended: false };
        let mut lanes: Vec<Progress> = lanes.into_iter().map(progress).collect();
        for progress in &lanes {
            if let Some(arrived) = &mut self.arrived[progress.lane.thread] {
                arrived.lanes_left += 1;
            }
        }
        let watcher = Watcher::begin();
        loop {
            if self.take(&mut lanes, outlets) {
                std::thread::park_timeout(LOOK);
                self.tell_stuck(outlets);
                continue;
            }
            let goal = lanes.iter().map(|lane| lane.borders).max().unwrap_or(0);
            let running = lanes.iter().find(|lane| !lane.ended);
            let end = running.map(|lane| lane.end).or_else(|| lanes.iter().map(|lane| lane.end).max()).unwrap_or(0);
            let all_ended = running.is_none();
            if lanes.iter().all(|lane| lane.ended || lane.borders == goal) {
                self.emit(end, goal, outlets);
            }
            if all_ended {
                self.totals.stood_still = watcher.end();
                return self.totals;
            }
        }
    }

    /// Reports operations that do not come back: when they are first seen, and then each time that their time has
    /// doubled.
    fn tell_stuck(&mut self, outlets: &mut Outlets<'_>) {
        let Some(stuck) = (self.stuck)() else {
            self.told = Nanos::new(0);
            return;
        };
        if let Some(sink) = outlets.stuck.as_deref_mut().filter(|_| stuck.oldest.get() / 2 >= self.told.get()) {
            self.told = stuck.oldest;
            sink(stuck);
        }
    }

    /// Takes what threads have handed over that are behind the furthest one; `true` if one of them has handed over
    /// nothing yet.
    fn take(&mut self, lanes: &mut [Progress], outlets: &mut Outlets<'_>) -> bool {
        let mut waiting = false;
        let goal = lanes.iter().map(|lane| lane.borders).max().unwrap_or(0).max(self.borders + 1);
        for progress in lanes.iter_mut() {
            while !progress.ended && progress.borders < goal {
                match progress.lane.finished.try_recv() {
                    Ok(part) => self.absorb(progress, part, outlets),
                    Err(TryRecvError::Disconnected) => progress.ended = true,
                    Err(TryRecvError::Empty) => {
                        waiting = true;
                        break;
                    }
                }
            }
        }
        waiting
    }

    fn absorb(&mut self, progress: &mut Progress, part: HandOver, outlets: &mut Outlets<'_>) {
        let HandOver { mut meter, borders, end, last } = part;
        self.meters[progress.lane.group].merge(&meter);
        if let Some(trace) = outlets.trace.as_deref_mut() {
            let (entries, lost) = meter.trace.kept();
            trace(entries, lost);
        }
        (progress.borders, progress.end, progress.ended) = (borders, end, last);
        if let Some(arrived) = self.arrived[progress.lane.thread].as_mut().filter(|_| last) {
            arrived.lanes_left = arrived.lanes_left.saturating_sub(1);
            arrived.ended = arrived.ended.max(end);
        }
        meter.clear();
        // A thread that has ended needs no more meters; otherwise the channel has room for all of them.
        let _ = progress.lane.empty.try_send(meter);
    }

    /// Arrivals up to `end` that were not submitted. Counted here and not by the threads, because it would slow down
    /// their loops; arrival times are known in advance.
    fn backlog(&mut self, end: u64) -> u64 {
        self.submitted += self.meters.iter().map(|meter| meter.arrivals).sum::<u64>();
        let timing = self.timing;
        let up_to = |arrived: &mut Arrived<'_>| {
            let end = if arrived.lanes_left == 0 { arrived.ended.min(end) } else { end };
            arrived.counter.up_to(timing.end_of_arrivals(end).saturating_sub(timing.start))
        };
        let arrived: u64 = self.arrived.iter_mut().flatten().map(up_to).sum();
        arrived.saturating_sub(self.submitted)
    }

    /// Makes the record of the interval that ends at `end` and adds it to the totals.
    fn emit(&mut self, end: u64, borders: u32, outlets: &mut Outlets<'_>) {
        let elapsed = Nanos::new(end.saturating_sub(self.start));
        let ramp = self.start < self.timing.ramp_end;
        let backlog = self.backlog(end);
        self.totals.backlog_at_end = backlog;
        let counted: Vec<(&Group, &Meter)> = self.job.groups.iter().zip(&self.meters).collect();
        let Kinds { read, write, others } = kinds(&counted, elapsed);
        let depth_ns = self.meters.iter().map(|meter| u128::from(meter.depth_ns)).sum();
        if ramp {
            self.totals.ramp_written += write.bytes.get();
        } else {
            self.totals.groups.iter_mut().zip(&self.meters).for_each(|(total, part)| total.merge(part));
            self.totals.backlogs.push((end, backlog));
        }
        self.totals.end = end;
        let is_open = self.job.groups.iter().any(|group| group.asked_iops > 0.0);
        (outlets.interval)(IntervalRecord {
            key: self.key.clone(),
            index: self.index,
            start_ns: self.start.wrapping_add(self.totals.clock_offset),
            end_ns: end.wrapping_add(self.totals.clock_offset),
            ramp,
            read,
            write,
            others,
            in_flight_mean: mean_depth(depth_ns, elapsed.get()),
            backlog: is_open.then_some(backlog),
            stuck: (self.stuck)(),
            origin: Origin::Measured,
            condensed: None,
        });
        self.meters.iter_mut().for_each(Meter::clear);
        (self.borders, self.start) = (borders, end);
        self.index += 1;
    }
}
