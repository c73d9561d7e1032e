//! The loop allocates nothing: a long step makes as many allocations on its I/O threads as a short one.
//!
//! A counting allocator counts on every thread but the test's own. What set-up and end cost is the same for both
//! steps, so any difference would come from the operations.
#![expect(unsafe_code, reason = "a global allocator can only be written with it")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_core::clock::StopToken;
use drivelab_core::plan::StopRule;
use drivelab_core::units::{Nanos, Percent};
use drivelab_core::workload::Workload;

struct Counting;

static ELSEWHERE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static IS_TEST: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: every call goes to the system's allocator unchanged; the counter is an atomic and the flag is const.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !IS_TEST.try_with(Cell::get).unwrap_or(false) {
            ELSEWHERE.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_hundred_times_the_operations_make_no_more_allocations() {
    IS_TEST.set(true);
    for choice in common::BOTH {
        let mut bench = common::Bench::new(8 << 20, true, choice);
        let (queue_depth, threads) = common::depth(4, 2);
        let write_percent = Percent::new(50).unwrap();
        let workload = Workload { write_percent, queue_depth, threads, ..common::workload(8 << 20) };
        let mut count = |operations: u64| {
            let before = ELSEWHERE.load(Ordering::SeqCst);
            // With a least time the buffers cannot be made smaller for a small volume: the same set-up for both.
            let at_least = Some(Nanos::new(1));
            let rule = StopRule { at_least, ..common::volume(operations * 4096) };
            let stop = StopToken::default();
            // Short intervals: handing them over must not allocate either.
            let (record, _) = common::run_with(&mut bench.engine, &workload, &rule, (0, 2), &stop).unwrap();
            assert_eq!(record.read.count + record.write.count, operations);
            ELSEWHERE.load(Ordering::SeqCst) - before
        };
        count(100);
        let (short, long) = (count(200), count(20_000));
        assert!(short > 0, "the allocator counts nothing");
        assert!(long <= short, "{choice:?}: {short} allocations for 200 operations, {long} for 20,000");
    }
}
