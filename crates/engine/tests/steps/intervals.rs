//! Intervals and the step that they make up: same sums, true bounds, without the ramp.

use drivelab_core::clock::{StopCause, StopToken};
use drivelab_core::histogram::SparseHistogram;
use drivelab_core::record::{IntervalRecord, StepRecord, StopReason};
use drivelab_core::units::{Nanos, Percent};
use drivelab_core::workload::{Pattern, Streams, Workload};
use drivelab_engine::{Engine, Options};

use crate::common::*;

const MIB: u64 = 1 << 20;

fn mixed() -> Workload {
    let (queue_depth, threads) = depth(4, 2);
    Workload { write_percent: Percent::new(30).unwrap(), queue_depth, threads, ..workload(8 * MIB) }
}

/// Everything that must hold between a step and its intervals, whatever the load.
fn check(record: &StepRecord, intervals: &[IntervalRecord], depth: f64) {
    let measured: Vec<&IntervalRecord> = intervals.iter().filter(|interval| !interval.ramp).collect();
    for (total, write) in [(&record.read, false), (&record.write, true)] {
        let of = |interval: &&IntervalRecord| if write { interval.write.clone() } else { interval.read.clone() };
        let mut histogram = SparseHistogram::default();
        measured.iter().for_each(|interval| histogram.merge(&of(interval).histogram));
        assert_eq!(histogram, total.histogram);
        assert_eq!(measured.iter().map(|interval| of(interval).count).sum::<u64>(), total.count);
        assert_eq!(measured.iter().map(|interval| of(interval).bytes.get()).sum::<u64>(), total.bytes.get());
        assert_eq!(measured.iter().map(|interval| of(interval).errors).sum::<u64>(), total.errors);
        assert_eq!((total.histogram.count, total.bytes.get()), (total.count, total.count * 4096));
    }
    for (number, pair) in intervals.windows(2).enumerate() {
        assert_eq!((pair[0].end_ns, pair[0].index as usize), (pair[1].start_ns, number));
        assert!(pair[0].end_ns > pair[0].start_ns);
    }
    for interval in intervals {
        assert!(interval.in_flight_mean <= depth + 1e-9, "{}", interval.in_flight_mean);
    }
    assert_eq!(intervals.last().unwrap().end_ns, record.end_ns, "the last interval ends with the last completion");
    assert!(record.start_ns >= measured[0].start_ns && record.start_ns < record.end_ns);
    if intervals.len() == measured.len() {
        // Without a ramp every operation lies inside the step, and the sum of latencies is the integral of the depth:
        // the engine computes the same figure in two ways.
        let latencies = (record.read.histogram.sum.get() + record.write.histogram.sum.get()) as f64;
        let little = latencies / record.elapsed().get() as f64;
        assert!((little / record.in_flight_mean - 1.0).abs() < 1e-9, "{little} {}", record.in_flight_mean);
    }
}

#[test]
fn intervals_add_up_to_the_step_exactly() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        until_seen("each of the intervals, and more than one operation in flight", || {
            let (record, intervals) = run(&mut bench.engine, &mixed(), &time(450));
            check(&record, &intervals, 8.0);
            // Four whole intervals of 100 ms and one of 50 ms; fewer, on the same grid, if the collector got no CPU.
            assert!(intervals.len() <= 5, "{}", intervals.len());
            let on_grid = |at: u64| (at - intervals[0].start_ns).is_multiple_of(100_000_000);
            assert!(intervals.iter().all(|interval| on_grid(interval.start_ns) && !interval.ramp));
            assert_eq!(record.stop_reason, StopReason::Time);
            assert!(record.start_ns > 5_000_000_000, "times are on the run clock");
            assert!(record.engine.cpu_user.get() + record.engine.cpu_system.get() > 0);
            intervals.len() == 5 && record.in_flight_mean > 1.0
        });
    }
}

#[test]
fn the_ramp_is_recorded_and_left_out_of_the_totals() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        until_seen("writes in the ramp", || {
            let stop = StopToken::default();
            let (record, intervals) = run_with(&mut bench.engine, &mixed(), &time(200), (150, 100), &stop).unwrap();
            check(&record, &intervals, 8.0);
            let ramp: Vec<&IntervalRecord> = intervals.iter().filter(|interval| interval.ramp).collect();
            let ramp_end = ramp.last().unwrap().end_ns;
            assert_eq!(ramp_end - intervals[0].start_ns, 150_000_000, "no interval crosses the end of the ramp");
            assert_eq!(ramp_end, record.start_ns);
            let ramp_writes: u64 = ramp.iter().map(|interval| interval.write.count).sum();
            assert_eq!(record.written_total.get(), (ramp_writes + record.write.count) * 4096);
            ramp_writes > 0
        });
        let stop = StopToken::default();
        let rule = volume(2 * MIB);
        let (record, intervals) = run_with(&mut bench.engine, &mixed(), &rule, (150, 100), &stop).unwrap();
        check(&record, &intervals, 8.0);
        let operations = record.read.count + record.write.count;
        // Operations in flight when the ramp ends count in the measured part. The sync backend counts one only when
        // it completes, so it may exceed the volume by the depth.
        let most = if choice == drivelab_engine::BackendChoice::Uring { 512 } else { 520 };
        assert!((512..=most).contains(&operations), "{choice:?}: the ramp does not count: {operations}");
        // The same limits apply if threads share one stream, and so count together.
        let load = Workload { streams: Streams::Shared, pattern: Pattern::Sequential, ..mixed() };
        let (record, _) = run_with(&mut bench.engine, &load, &rule, (150, 100), &StopToken::default()).unwrap();
        let operations = record.read.count + record.write.count;
        assert!((512..=most).contains(&operations), "{choice:?}, one stream: the ramp does not count: {operations}");
    }
}

/// Many short intervals, and a listener so slow that spares run out: sums stay exact, bounds stay true.
#[test]
fn a_slow_listener_makes_longer_intervals_and_loses_nothing() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let stop = StopToken::default();
        let (record, intervals) = listen(&mut bench.engine, &mixed(), &time(300), (33, 5), &stop, |_| {
            std::thread::sleep(std::time::Duration::from_millis(40));
        });
        check(&record, &intervals, 8.0);
        assert!(intervals.iter().any(|i| i.end_ns - i.start_ns > 5_000_000), "no interval had to wait");
        let ramp_end = intervals.iter().rfind(|interval| interval.ramp).unwrap().end_ns;
        assert_eq!(ramp_end - intervals[0].start_ns, 33_000_000, "the end of the ramp is never missed");
    }
}

/// Writing a trace may take long. That is work of drivelab and not a stop of the process; before the fix 4 of 10
/// steps showed a stop.
#[test]
fn a_slow_trace_is_no_standing_still() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let mut options = Options::new(choice);
        options.trace = Some(Box::new(|_, _| std::thread::sleep(std::time::Duration::from_millis(120))));
        bench.engine = Engine::open(target(&bench.path, 8 * MIB, true), options).unwrap();
        let stopped = |_: &i32| {
            let (record, _) = run(&mut bench.engine, &mixed(), &time(1000));
            !record.engine.effort.unwrap().stood_still.is_zero()
        };
        // One of them may be stopped: a hypervisor can stop the whole machine.
        let stops = (0..6).filter(stopped).count();
        assert!(stops <= 1, "{choice:?}: {stops} of 6 steps were stopped");
    }
}

/// The process is stopped while a listener works, and that is seen: the thread that watches for stops does nothing
/// else. When the listener's own thread watched, and left out the time of its callbacks, such a stop was lost.
#[test]
fn a_stop_of_the_process_while_a_listener_works_is_seen() {
    let mut bench = Bench::new(8 * MIB, true, BOTH[0]);
    let stop = StopToken::default();
    let stopper = format!("sleep 0.5; kill -STOP {0}; sleep 0.5; kill -CONT {0}", std::process::id());
    let mut stopper = std::process::Command::new("sh").args(["-c", &stopper]).spawn().unwrap();
    let (record, _) = listen(&mut bench.engine, &mixed(), &time(1500), (0, 100), &stop, |_| {
        std::thread::sleep(std::time::Duration::from_millis(400));
    });
    stopper.wait().unwrap();
    let stood_still = record.engine.effort.unwrap().stood_still.as_secs_f64();
    assert!(stood_still > 0.3, "half a second: {stood_still}");
}

#[test]
fn a_stop_ends_the_step_with_what_is_measured() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let (stop, rule) = (StopToken::default(), no_rule());
        let (record, intervals) = listen(&mut bench.engine, &mixed(), &rule, (0, 100), &stop, |index| {
            if index == 1 {
                stop.stop(StopCause::Person);
            }
        });
        check(&record, &intervals, 8.0);
        assert_eq!(record.stop_reason, StopReason::Stopped);
        assert!(record.read.count + record.write.count > 0);
        let stopped = run_with(&mut bench.engine, &mixed(), &rule, (0, 100), &stop).unwrap().0;
        assert_eq!((stopped.stop_reason, stopped.read.count + stopped.write.count), (StopReason::Stopped, 0));
    }
}

#[test]
fn the_cap_cuts_a_step_off() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let mut rule = volume(1 << 50);
        rule.cap = Nanos::from_millis(150);
        let (record, intervals) = run(&mut bench.engine, &mixed(), &rule);
        check(&record, &intervals, 8.0);
        assert_eq!(record.stop_reason, StopReason::Cap);
    }
}
