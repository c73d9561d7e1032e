//! Groups of threads with loads of their own at the same time: told apart, added up, held to their weights.

use drivelab_core::load::{Arrivals, Pace, Rate};
use drivelab_core::record::StopReason;
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::{Pattern, Workload};

use crate::common::*;

const MIB: u64 = 1 << 20;

#[test]
fn groups_run_together_and_end_with_the_first() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let beside = Workload {
            name: "scan".to_owned(),
            pattern: Pattern::Sequential,
            block_size: Bytes::new(65536),
            ..workload(8 * MIB)
        };
        let main = Workload {
            name: "main".to_owned(),
            write_percent: Percent::new(100).unwrap(),
            beside: vec![beside],
            ..workload(8 * MIB)
        };
        let mut rule = no_rule();
        rule.operations = Some(2000);
        let (record, intervals) = run(&mut bench.engine, &main, &rule);
        assert_eq!(record.stop_reason, StopReason::Operations);
        let names: Vec<&str> = record.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["main", "scan"]);
        assert_eq!((record.groups[0].write.count, record.groups[0].read.count), (2000, 0));
        assert!(record.groups[1].read.count > 0 && record.groups[1].write.count == 0);
        assert_eq!((record.write.count, record.read.count), (2000, record.groups[1].read.count));
        assert_eq!(record.read.bytes.get(), record.read.count * 65536);
        assert_eq!(intervals.iter().map(|interval| interval.read.count).sum::<u64>(), record.read.count);
        assert_eq!(record.engine.effort.unwrap().depth_asked, 8);
    }
}

#[test]
fn weights_hold_in_a_closed_loop() {
    for choice in BOTH {
        let mut bench = Bench::new(8 * MIB, true, choice);
        let group = |name: &str, weight| Workload {
            name: name.to_owned(),
            pace: Pace { weight, ..Pace::default() },
            ..workload(8 * MIB)
        };
        let main = Workload { beside: vec![group("small", 1)], ..group("large", 3) };
        let (record, _) = run(&mut bench.engine, &main, &time(400));
        let (large, small) = (record.groups[0].read.count as f64, record.groups[1].read.count as f64);
        // Each may be ahead of the other by what is in flight.
        assert!((large / 3.0 - small).abs() <= 16.0, "{choice:?}: {large} and {small}");
    }
}

#[test]
fn groups_with_rates_keep_each_its_own() {
    let mut bench = Bench::new(8 * MIB, true, BOTH[0]);
    let group = |name: &str, per_second: u64| {
        let rate = Some(Rate { per_1000_s: per_second * 1000, arrivals: Arrivals::Constant });
        Workload { name: name.to_owned(), pace: Pace { rate, ..Pace::default() }, ..workload(8 * MIB) }
    };
    let main = Workload { beside: vec![group("slow", 100)], ..group("fast", 1000) };
    let (record, _) = run(&mut bench.engine, &main, &time(500));
    let open = record.open_loop.unwrap();
    assert_eq!(open.asked_iops, 1100.0);
    assert!(open.arrived.abs_diff(550) <= 2, "{open:?}");
    assert!(record.groups[1].read.count <= 50, "{}", record.groups[1].read.count);
}
