//! Shapes of fills that were made by hand, so that every edge is known.

use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSizes, FileSync};
use drivelab_core::units::{Bytes, Percent};

use super::*;

mod answers;
mod courses;

const GB: f64 = 1e9;

/// A fill whose rate at each position is given, recorded every `bytes`.
fn fill(span: f64, bytes: f64, rate: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let count = (span / bytes).round() as usize;
    (0..count).map(|index| (bytes, bytes / rate((index as f64 + 0.5) * bytes))).collect()
}

/// Files are deleted one after the other too, but that writes nothing.
#[test]
fn a_deletion_of_files_is_no_fill() {
    let mut run = drivelab_samples::sample_run();
    let step = run.plan.tests.iter_mut().flat_map(|test| &mut test.steps).find(|step| is_fill(step)).expect("a fill");
    for (work, fills) in [(FileWork::Create, true), (FileWork::Delete, false)] {
        let Action::Io { workload, .. } = &mut step.action else { unreachable!("a fill writes") };
        let sizes = FileSizes::Fixed { size: Bytes::MIB };
        let set =
            FileSet { name: "one".to_owned(), count: 1, sizes, total: None, seed: 1, compress_percent: Percent::ZERO };
        workload.files = Some(Box::new(FileLoad { set, work, of: FilePlace::Original, sync: FileSync::End }));
        assert_eq!(is_fill(step), fills, "{work:?}");
    }
}

fn near(a: f64, b: f64, share: f64) -> bool {
    (a - b).abs() <= share * b.abs()
}

#[test]
fn a_cache_of_a_tenth_is_found_with_the_rates_before_and_behind_it() {
    let intervals = fill(1000.0 * GB, GB, |at| if at < 100.0 * GB { 5.0 * GB } else { 1.5 * GB });
    let shape = shape(&intervals, 1000.0 * GB).expect("a shape");
    assert!(near(shape.cache_bytes.expect("a cache"), 100.0 * GB, 1e-9), "{shape:?}");
    assert!(near(shape.peak, 5.0 * GB, 1e-9) && near(shape.sustained, 1.5 * GB, 1e-9), "{shape:?}");
    assert_eq!((shape.recoveries, shape.recovered_share, shape.late_decline), (0, 0.0, 0.0));
}

#[test]
fn an_edge_inside_a_part_is_off_by_less_than_a_part() {
    let intervals = fill(1000.0 * GB, GB, |at| if at < 103.0 * GB { 5.0 * GB } else { 1.5 * GB });
    let shape = shape(&intervals, 1000.0 * GB).expect("a shape");
    let cache = shape.cache_bytes.expect("a cache");
    assert!((cache - 103.0 * GB).abs() <= 5.0 * GB, "{cache}");
}

#[test]
fn an_edge_inside_an_interval_is_found_from_its_mean_whichever_rate_has_more_of_it() {
    // 10 GB per interval: the one with the edge runs at 5 GB/s for its first 3 or 9 GB, at 1 GB/s for the rest.
    for fast in [3.0, 9.0] {
        let mut intervals = fill(1000.0 * GB, 10.0 * GB, |at| if at < 110.0 * GB { 5.0 * GB } else { GB });
        intervals[11] = (10.0 * GB, fast / 5.0 + (10.0 - fast) / 1.0);
        let shape = shape(&intervals, 1000.0 * GB).expect("a shape");
        let (cache, due) = (shape.cache_bytes.expect("a cache"), (110.0 + fast) * GB);
        assert!(near(cache, due, 0.001), "{cache}, not {due}");
        assert!(near(shape.peak, 5.0 * GB, 1e-9), "{shape:?}");
    }
}

#[test]
fn a_drive_without_an_edge_has_no_cache_size_and_one_rate() {
    let even = shape(&fill(500.0 * GB, GB, |_| 7.0 * GB), 500.0 * GB).expect("a shape");
    assert_eq!((even.cache_bytes, even.recoveries), (None, 0));
    assert!(near(even.peak, 7.0 * GB, 1e-9) && near(even.sustained, 7.0 * GB, 1e-9));
}

#[test]
fn a_stall_of_one_part_is_no_end_of_the_cache() {
    let stalled = |at: f64| if (200.0..203.0).contains(&(at / GB)) { 0.2 * GB } else { 4.0 * GB };
    let shape = shape(&fill(1000.0 * GB, GB, stalled), 1000.0 * GB).expect("a shape");
    assert_eq!(shape.cache_bytes, None, "{shape:?}");
}

#[test]
fn a_gap_just_at_the_end_of_the_cache_slows_neither_side() {
    let mut intervals = fill(1000.0 * GB, GB, |at| if at < 100.0 * GB { 5.0 * GB } else { 1.5 * GB });
    for _ in 0..3 {
        intervals.insert(100, (0.0, 2.0));
    }
    let shape = shape(&intervals, 1000.0 * GB).expect("a shape");
    assert!(near(shape.cache_bytes.expect("a cache"), 100.0 * GB, 0.01), "{shape:?}");
    assert!(near(shape.peak, 5.0 * GB, 1e-9), "{shape:?}");
}

#[test]
fn bursts_behind_the_cache_are_recoveries_and_no_part_of_the_sustained_rate() {
    // Of each 100 GB after the cache the last 10 run at full speed: nine bursts.
    let rate = |at: f64| if at < 100.0 * GB || (at / GB) % 100.0 >= 90.0 { 4.0 * GB } else { GB };
    let shape = shape(&fill(1000.0 * GB, GB, rate), 1000.0 * GB).expect("a shape");
    assert!(near(shape.cache_bytes.expect("a cache"), 100.0 * GB, 1e-9), "{shape:?}");
    assert_eq!(shape.recoveries, 9);
    assert!(near(shape.sustained, GB, 1e-9), "{shape:?}");
    assert!(near(shape.recovered_share, 0.1, 1e-9), "{shape:?}");
}

#[test]
fn a_third_level_at_the_end_is_a_late_decline() {
    // 900 GB after the cache: 2 GB/s, and 1 GB/s in the last 225 of them.
    let rate = |at: f64| match at / GB {
        at if at < 100.0 => 6.0 * GB,
        at if at < 775.0 => 2.0 * GB,
        _ => GB,
    };
    let shape = shape(&fill(1000.0 * GB, GB, rate), 1000.0 * GB).expect("a shape");
    assert!(near(shape.late_decline, 0.5, 1e-9), "{shape:?}");
    // 675 GB at 2 and 225 at 1 GB/s: 900 / (337.5 + 225) = 1.6.
    assert!(near(shape.sustained, 1.6 * GB, 1e-9), "{shape:?}");
}

#[test]
fn what_a_stream_wrote_after_it_wrapped_does_not_count() {
    let mut intervals = fill(100.0 * GB, GB, |at| if at < 50.0 * GB { 4.0 * GB } else { GB });
    let once = shape(&intervals, 100.0 * GB);
    intervals.extend(fill(50.0 * GB, GB, |_| 9.0 * GB));
    assert_eq!(shape(&intervals, 100.0 * GB), once);
}

#[test]
fn a_fill_that_is_not_at_its_end_or_has_few_intervals_says_nothing() {
    let intervals = fill(100.0 * GB, GB, |_| GB);
    assert_eq!(shape(&intervals[..90], 100.0 * GB), None);
    assert_eq!(shape(&fill(100.0 * GB, 10.0 * GB, |_| GB), 100.0 * GB), None);
}

#[test]
fn seconds_without_a_finished_write_belong_to_the_part_being_written() {
    let mut intervals = fill(100.0 * GB, GB, |_| GB);
    intervals.insert(50, (0.0, 30.0));
    let shape = shape(&intervals, 100.0 * GB).expect("a shape");
    assert!(near(shape.peak, 100.0 * GB / 130.0, 1e-9), "{shape:?}");
}
