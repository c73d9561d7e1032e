//! The open loop: arrivals are at their scheduled times, none is lost, and a stall shows in the response times.
//!
//! Counts are exact. When a busy machine wakes a thread is not, so nothing here asserts a duration.

use drivelab_core::load::{Arrivals, Pace, Rate, Verify};
use drivelab_core::record::IntervalRecord;
use drivelab_core::units::Percent;
use drivelab_core::workload::Workload;
use drivelab_engine::{BackendChoice, TraceEntry};

use crate::common::*;

const MIB: u64 = 1 << 20;

fn load(per_second: u64, arrivals: Arrivals) -> Workload {
    let rate = Some(Rate { per_1000_s: per_second * 1000, arrivals });
    let (queue_depth, threads) = depth(4, 2);
    Workload { pace: Pace { rate, ..Pace::default() }, queue_depth, threads, ..workload(8 * MIB) }
}

fn intended(entries: &[TraceEntry], thread: u32) -> Vec<u64> {
    let mut times: Vec<u64> = entries.iter().filter(|e| e.thread == thread).map(|e| e.intended_ns).collect();
    times.sort_unstable();
    times
}

#[test]
fn every_arrival_is_issued_or_counted_as_backlog_and_none_before_its_time() {
    for choice in BOTH {
        for arrivals in [Arrivals::Constant, Arrivals::Exponential, Arrivals::Uniform] {
            let (mut bench, told) = Bench::traced(8 * MIB, true, choice);
            let (record, intervals) = run(&mut bench.engine, &load(2000, arrivals), &time(500));
            let entries = take(&told);
            let open = record.open_loop.unwrap();
            let context = format!("{choice:?} {arrivals:?} {open:?}");
            assert_eq!(open.arrived, record.read.count + open.backlog_at_end, "{context}");
            assert!(entries.iter().all(|entry| entry.submit_ns >= entry.intended_ns), "{context}");
            assert!(entries.iter().all(|entry| entry.intended_ns < 500_000_000), "{context}");
            let response = record.read.response.as_ref().unwrap();
            assert_eq!(response.histogram.count, record.read.count, "{context}");
            assert!(response.histogram.sum >= record.read.histogram.sum, "{context}");
            assert_eq!(open.asked_iops, 2000.0);
            assert!(intervals.iter().all(|interval| interval.backlog.is_some()));
            let parts: u64 = intervals.iter().map(|i| i.read.response.as_ref().unwrap().histogram.count).sum();
            assert_eq!(parts, record.read.count, "{context}");
            // 1,000 arrivals in half a second; the standard deviation of a Poisson count is its square root.
            let slack = if arrivals == Arrivals::Constant { 1 } else { 130 };
            assert!(open.arrived.abs_diff(1000) <= slack, "{context}");
        }
    }
}

/// An immediate read-back is on no schedule: it cannot be late, and every arrival is still accounted for.
#[test]
fn reading_back_does_not_count_as_lateness() {
    let pace = Pace { rate: Some(Rate { per_1000_s: 500_000, arrivals: Arrivals::Exponential }), ..Pace::default() };
    for (choice, queue_depth) in [(BackendChoice::Uring, 4), (BackendChoice::Sync, 1)] {
        let mut bench = Bench::new(MIB, true, choice);
        let queue_depth = depth(queue_depth, 1).0;
        let write_percent = Percent::new(100).unwrap();
        let load = Workload { pace, queue_depth, write_percent, verify: Verify::AtOnce, ..workload(MIB) };
        let (record, _) = run(&mut bench.engine, &load, &time(400));
        let open = record.open_loop.unwrap();
        let elapsed = record.end_ns - record.start_ns;
        assert!(open.lateness_max.get() <= elapsed, "{choice:?}: {open:?} in {elapsed} ns");
        assert_eq!(open.arrived, record.write.count + open.backlog_at_end, "{choice:?}: {open:?}");
        assert!(record.read.count > 0, "{choice:?}: nothing was read back");
    }
}

#[test]
fn constant_arrivals_of_two_threads_take_turns() {
    for choice in BOTH {
        let (mut bench, told) = Bench::traced(8 * MIB, true, choice);
        run(&mut bench.engine, &load(2000, Arrivals::Constant), &time(300));
        let entries = take(&told);
        let (mine, yours) = (intended(&entries, 0), intended(&entries, 1));
        assert!(mine.windows(2).chain(yours.windows(2)).all(|pair| (pair[1] - pair[0]).abs_diff(1_000_000) <= 1));
        assert!(mine.iter().zip(&yours).all(|(mine, yours)| mine.abs_diff(*yours).abs_diff(500_000) <= 1));
    }
}

/// How fast the backlog grew in the interval with the least growth and in the one with the most, per second.
fn slopes(intervals: &[IntervalRecord]) -> (f64, f64) {
    let (mut least, mut most, mut before) = (f64::INFINITY, 0.0_f64, 0);
    for interval in intervals {
        let backlog = interval.backlog.unwrap();
        let slope = (backlog - before) as f64 * 1e9 / (interval.end_ns - interval.start_ns) as f64;
        (least, most, before) = (least.min(slope), most.max(slope), backlog);
    }
    (least, most)
}

/// Ten times the rate that a depth of one reaches with 4 KiB writes without think time is far above any file: the
/// backlog grows, and the schedule does not slow down with it.
#[test]
fn an_overloaded_target_has_a_backlog_that_grows() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let mut load = load(20_000_000, Arrivals::Exponential);
        load.write_percent = Percent::new(100).unwrap();
        (load.queue_depth, load.threads) = depth(1, 1);
        let (record, intervals) = run(&mut bench.engine, &load, &time(400));
        let open = record.open_loop.unwrap();
        assert_eq!(open.arrived, record.write.count + open.backlog_at_end, "{choice:?}");
        assert!(open.arrived.abs_diff(8_000_000) < 20_000, "{choice:?} {open:?}");
        assert!(open.backlog_at_end > open.arrived / 2, "{choice:?} {open:?}");
        let backlogs: Vec<Option<u64>> = intervals.iter().map(|interval| interval.backlog).collect();
        assert!(backlogs.is_sorted() && backlogs[0] > Some(0), "{choice:?}: {backlogs:?}");
        // A straight line through the intervals rises no more steeply than the steepest of them and no less than the
        // flattest, however long each took.
        let (grows, (least, most)) = (open.backlog_growth_per_second, slopes(&intervals));
        assert!(
            (least * 0.999..=most * 1.001).contains(&grows),
            "{choice:?}: {grows} not in {least} to {most} {open:?}"
        );
    }
}
