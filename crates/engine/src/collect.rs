//! Puts the intervals of all threads together, on the session's thread.
//!
//! All threads close their intervals at the same borders, so an interval is whole when each thread has come to its
//! end or has ended before it. Where a thread skipped a border (see `tally`), the two intervals become one with true
//! bounds. What is added up here is added up once: the step's totals are the sums of the intervals without the ramp.

use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::ids::StepKey;
use drivelab_core::record::{IntervalRecord, OpRecord};
use drivelab_core::units::{Bytes, Nanos};

use crate::record::mean_depth;
use crate::schedule::Timing;
use crate::tally::{HandOver, KindMeter, Lane};

/// Longest sleep between two looks; threads wake the collector when they hand something over.
const LOOK: Duration = Duration::from_millis(100);

/// Sums over the measured part of a step, times in CLOCK_MONOTONIC_RAW.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) read: KindMeter,
    pub(crate) write: KindMeter,
    pub(crate) depth_ns: u128,
    /// Writes completed in the ramp.
    pub(crate) ramp_writes: u64,
    /// End of the ramp, or start of the step.
    pub(crate) measured_from: u64,
    /// End of the last interval.
    pub(crate) end: u64,
    /// Run clock minus CLOCK_MONOTONIC_RAW, modulo 2^64.
    pub(crate) clock_offset: u64,
}

#[derive(Debug)]
struct Progress {
    lane: Lane,
    borders: u32,
    end: u64,
    ended: bool,
}

/// Collects one step.
#[derive(Debug)]
pub(crate) struct Collector {
    key: StepKey,
    block: u64,
    timing: Timing,
    read: KindMeter,
    write: KindMeter,
    depth_ns: u128,
    /// Borders behind the last record, that record's end, and its number.
    borders: u32,
    start: u64,
    index: u32,
    totals: Totals,
}

impl Collector {
    pub(crate) fn new(key: StepKey, block: u64, timing: Timing, clock_offset: u64) -> Self {
        let totals = Totals { measured_from: timing.ramp_end, end: timing.start, clock_offset, ..Totals::default() };
        Collector {
            key,
            block,
            timing,
            read: KindMeter::default(),
            write: KindMeter::default(),
            depth_ns: 0,
            borders: 0,
            start: timing.start,
            index: 0,
            totals,
        }
    }

    /// Collects until every thread has ended, handing over each interval as it becomes whole.
    pub(crate) fn run(mut self, lanes: Vec<Lane>, interval: &mut dyn FnMut(IntervalRecord)) -> Totals {
        let progress = |lane| Progress { lane, borders: 0, end: 0, ended: false };
        let mut lanes: Vec<Progress> = lanes.into_iter().map(progress).collect();
        loop {
            if self.take(&mut lanes) {
                std::thread::park_timeout(LOOK);
                continue;
            }
            let goal = lanes.iter().map(|lane| lane.borders).max().unwrap_or(0);
            let running = lanes.iter().find(|lane| !lane.ended);
            let end = running.map(|lane| lane.end).or_else(|| lanes.iter().map(|lane| lane.end).max()).unwrap_or(0);
            let all_ended = running.is_none();
            if lanes.iter().all(|lane| lane.ended || lane.borders == goal) {
                self.emit(end, goal, interval);
            }
            if all_ended {
                return self.totals;
            }
        }
    }

    /// Takes what threads behind the furthest one have handed over; `true` where one of them has not yet.
    fn take(&mut self, lanes: &mut [Progress]) -> bool {
        let mut waiting = false;
        let goal = lanes.iter().map(|lane| lane.borders).max().unwrap_or(0).max(self.borders + 1);
        for progress in lanes.iter_mut() {
            while !progress.ended && progress.borders < goal {
                match progress.lane.finished.try_recv() {
                    Ok(part) => self.absorb(progress, part),
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

    fn absorb(&mut self, progress: &mut Progress, part: HandOver) {
        let HandOver { mut meter, borders, end, last } = part;
        self.read.merge(&meter.read);
        self.write.merge(&meter.write);
        self.depth_ns += u128::from(meter.depth_ns);
        (progress.borders, progress.end, progress.ended) = (borders, end, last);
        meter.clear();
        // A thread that has ended needs no more meters; otherwise the channel has room for all of them.
        let _ = progress.lane.empty.try_send(meter);
    }

    /// Makes the record of the interval that ends at `end` and adds it to the totals.
    fn emit(&mut self, end: u64, borders: u32, interval: &mut dyn FnMut(IntervalRecord)) {
        let end = end.max(self.start);
        let elapsed = Nanos::new(end - self.start);
        let ramp = self.start < self.timing.ramp_end;
        let (read, write) = (self.read.histogram.sparse(), self.write.histogram.sparse());
        if elapsed.get() == 0 && read.count + write.count + self.read.errors + self.write.errors == 0 {
            return;
        }
        if ramp {
            self.totals.ramp_writes += write.count;
        } else {
            self.totals.read.merge(&self.read);
            self.totals.write.merge(&self.write);
            self.totals.depth_ns += self.depth_ns;
        }
        self.totals.end = end;
        let of_kind = |histogram: SparseHistogram, errors| {
            OpRecord::new(histogram.count, Bytes::new(histogram.count * self.block), errors, histogram, elapsed)
        };
        interval(IntervalRecord {
            key: self.key.clone(),
            index: self.index,
            start_ns: self.start.wrapping_add(self.totals.clock_offset),
            end_ns: end.wrapping_add(self.totals.clock_offset),
            ramp,
            read: of_kind(read, self.read.errors),
            write: of_kind(write, self.write.errors),
            others: Vec::new(),
            backlog: None,
            stuck: None,
            in_flight_mean: mean_depth(self.depth_ns, elapsed.get()),
        });
        self.read.clear();
        self.write.clear();
        self.depth_ns = 0;
        (self.borders, self.start) = (borders, end);
        self.index += 1;
    }
}
