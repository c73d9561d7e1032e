//! A scan of 64 MiB in blocks of 64 KiB, 16 in each part, made by hand.

use drivelab_core::places::Places;
use drivelab_core::plan::OnError;
use drivelab_core::record::{IoError, Verification};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Span;
use drivelab_samples::sample_verified_run;

use super::*;
use crate::check::testing::figures;
use crate::topics::capacity::findings;

const KIB: u64 = 1024;
const PART: u64 = 1024 * KIB;

/// The checking step of the sample run as a scan in which each part was read in an interval of its own: 10 ms each, and
/// `slow` ones 100 ms.
fn run(slow: &[u64], places: Option<Places>) -> RunRecords {
    let mut run = sample_verified_run();
    let step = &mut run.plan.tests[0].steps[1];
    let Action::Io { workload, stop, .. } = &mut step.action else { panic!("a load") };
    workload.block_size = Bytes::new(64 * KIB);
    workload.span = Span { offset: Bytes::new(0), length: Bytes::new(64 * PART) };
    workload.places = places;
    (stop.passes, stop.errors) = (Some(1), OnError::Keep);
    let id = step.id.clone();
    let record = run.steps.iter_mut().find(|record| record.key.step == id).expect("it was done");
    record.verification = None;
    record.read.errors = 0;
    record.errors.clear();
    let key = record.key.clone();
    let sample = run.intervals.iter().find(|interval| interval.key == key).expect("an interval").clone();
    run.intervals.retain(|interval| interval.key != key);
    let mut at_ns = 0;
    for part in 0..64 {
        let mut interval = sample.clone();
        interval.start_ns = at_ns;
        at_ns += if slow.contains(&part) { 100_000_000 } else { 10_000_000 };
        interval.end_ns = at_ns;
        (interval.read.count, interval.read.errors) = (16, 0);
        run.intervals.push(interval);
    }
    run
}

fn map(run: &RunRecords) -> SpeedMap {
    maps(run, &run.plan.tests[0]).pop().expect("a map")
}

#[test]
fn a_slow_part_is_seen_in_its_place() {
    let run = run(&[5, 6, 40], None);
    let map = map(&run);
    // 16 blocks of 64 KiB in 10 ms.
    assert!((map.median_mb_s.expect("a rate") - 104.857_6).abs() < 1e-6);
    assert!((map.parts[5].mb_s.expect("a rate") - 10.485_76).abs() < 1e-6);
    assert_eq!((map.parts[5].from, map.parts[5].to, map.parts[5].operations), (5 * PART, 6 * PART, 16));
    let told: Vec<(u64, u64, PartState)> = regions(&map).iter().map(|one| (one.from, one.to, one.state)).collect();
    let (ok, slow) = (PartState::Ok, PartState::Slow);
    let all = [(0, 5, ok), (5, 7, slow), (7, 40, ok), (40, 41, slow), (41, 64, ok)];
    assert_eq!(told, all.map(|(from, to, state)| (from * PART, to * PART, state)));
    let found = findings(&run);
    assert_eq!((found.len(), found[0].code.as_str(), found[0].evidence.len()), (1, "slow_regions", 2));
    let whats: Vec<&str> = found[0].evidence.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(whats, ["rate from byte 5242880 to 7340032", "rate from byte 41943040 to 42991616"]);
    // 40 % of 104.9 MB/s.
    assert_eq!(figures(&found[0]), [(10.49, Some(41.94), "MB/s"); 2]);
    assert!(findings(&self::run(&[], None)).is_empty());
}

#[test]
fn errors_and_bad_blocks_make_a_part_bad() {
    let mut run = run(&[], None);
    let id = run.plan.tests[0].steps[1].id.clone();
    let record = run.steps.iter_mut().find(|record| record.key.step == id).expect("it was done");
    record.read.errors = 1;
    record.errors =
        vec![IoError { at_ns: 0, op: OpKind::Read, offset: 9 * PART + 4096, length: Bytes::new(64 * KIB), errno: 5 }];
    let by_part = (0..64).map(|part| u64::from(part == 63)).collect();
    record.verification = Some(Verification { bad_by_part: by_part, ..Verification::default() });
    let bad: Vec<usize> = (0..64).filter(|part| map(&run).parts[*part].state == PartState::Bad).collect();
    assert_eq!(bad, [9, 63]);
    // More than are listed: by the intervals in which they came.
    let record = run.steps.iter_mut().find(|record| record.key.step == id).expect("it was done");
    record.read.errors = 1000;
    let of_step: Vec<usize> =
        run.intervals.iter().enumerate().filter(|(_, one)| one.key.step == id).map(|(at, _)| at).collect();
    (run.intervals[of_step[20]].read.count, run.intervals[of_step[20]].read.errors) = (0, 16);
    let map = map(&run);
    assert_eq!((map.parts[20].errors, map.parts[20].mb_s, map.parts[9].errors), (16, None, 0));
}

#[test]
fn a_stall_in_which_nothing_ended_is_time_of_the_part_that_was_read() {
    let mut run = run(&[], None);
    let id = run.plan.tests[0].steps[1].id.clone();
    let at = run.intervals.iter().position(|one| one.key.step == id).expect("an interval") + 30;
    let mut stall = run.intervals[at].clone();
    (stall.start_ns, stall.end_ns) = (stall.end_ns, stall.end_ns + 10_000_000_000);
    // Half of part 30, then ten seconds of nothing, then its other half.
    run.intervals[at].read.count = 8;
    let mut rest = run.intervals[at].clone();
    (rest.start_ns, rest.end_ns) = (stall.end_ns, stall.end_ns);
    (stall.read.count, stall.read.errors) = (0, 0);
    run.intervals.splice(at + 1..=at, [stall, rest]);
    let map = map(&run);
    // 1 MiB in 10.01 s.
    assert!((map.parts[30].mb_s.expect("a rate") - 1.048_576 / 10.01).abs() < 1e-9, "{:?}", map.parts[30]);
    assert_eq!((map.parts[30].state, map.parts[31].state), (PartState::Slow, PartState::Ok));
    assert_eq!(findings(&run).len(), 1);
}

#[test]
fn errors_that_are_not_listed_are_spread_and_none_is_counted_twice() {
    let mut run = run(&[], None);
    let id = run.plan.tests[0].steps[1].id.clone();
    run.steps.iter_mut().find(|record| record.key.step == id).expect("it was done").read.errors = 1;
    let first = run.intervals.iter().position(|one| one.key.step == id).expect("an interval");
    let last = run.intervals.iter().rposition(|one| one.key.step == id).expect("an interval");
    // All of it in one interval, with one error.
    run.intervals[first].end_ns = run.intervals[last].end_ns;
    (run.intervals[first].read.count, run.intervals[first].read.errors) = (1023, 1);
    run.intervals.drain(first + 1..=last);
    let errors: u64 = map(&run).parts.iter().map(|part| part.errors).sum();
    assert_eq!(errors, 1);
}

#[test]
fn a_sample_has_its_operations_where_its_places_are() {
    let run = run(&[], Some(Places { count: 512, seed: 1 }));
    let map = map(&run);
    let places = Places { count: 512, seed: 1 }
        .blocks(Span { offset: Bytes::new(0), length: Bytes::new(64 * PART) }, Bytes::new(64 * KIB));
    let in_part = |part: u64| places.iter().filter(|place| **place / 16 == part).count() as u64;
    assert!(map.sampled && in_part(0) == 16 && in_part(63) < 16);
    (0..64).zip(&map.parts).for_each(|(at, part)| assert_eq!(part.operations, in_part(at), "part {at}"));
}

#[test]
fn random_reads_and_writes_have_no_map() {
    let mut run = run(&[], None);
    let Action::Io { workload, .. } = &mut run.plan.tests[0].steps[1].action else { panic!("a load") };
    workload.pattern = Pattern::Random;
    assert!(maps(&run, &run.plan.tests[0]).is_empty());
}
