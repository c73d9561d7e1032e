//! A made-up plan of loads with more features, and a run of it: open loops, mixed kinds and sizes, groups,
//! verification, and a step limited by the load generator.

use drivelab_core::event::RunState;
use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
use drivelab_core::load::{Arrivals, OtherOps, Pace, Rate, SizeShare, Verify};
use drivelab_core::plan::{AxisValue, Combine, Plan, Step};
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_core::workload::{Pattern, Span, Workload};

use super::sample::{Tape, fold};
use crate::plan::{CAPACITY, KIB, axis, measure, plan, random, test, workload};

/// All tests below, in order.
#[must_use]
pub fn loads_plan() -> Plan {
    let tests = vec![
        test("paced", "Reads at a rate", paced(), 1, Combine::Mean),
        test("overloaded", "Reads at more than the target can do", vec![overloaded()], 1, Combine::Mean),
        test("mixed", "Kinds and sizes mixed", vec![mixed()], 1, Combine::Mean),
        test("groups", "A database and its log", vec![groups()], 1, Combine::Mean),
        test("verified", "Written and checked", verified(), 1, Combine::Mean),
        test("limited", "More than the generator can ask", vec![limited()], 1, Combine::Mean),
    ];
    plan("sample-loads", tests)
}

/// A complete run of [`loads_plan`]: two steps with findings (overloaded, limited by the generator), the others
/// without.
#[must_use]
pub fn sample_loads_run() -> RunRecords {
    run_of(|_| true)
}

/// An open loop that keeps its schedule, at three rates.
#[must_use]
pub fn sample_open_loop_run() -> RunRecords {
    run_of(|test| test == "paced")
}

/// An open loop whose backlog grows.
#[must_use]
pub fn sample_overloaded_run() -> RunRecords {
    run_of(|test| test == "overloaded")
}

/// All kinds of operation, two sizes, and two concurrent groups.
#[must_use]
pub fn sample_mixed_run() -> RunRecords {
    run_of(|test| test == "mixed" || test == "groups")
}

/// Headers written and checked.
#[must_use]
pub fn sample_verified_run() -> RunRecords {
    run_of(|test| test == "verified")
}

/// A step in which the issuing thread spends most of its time in drivelab's own code.
#[must_use]
pub fn sample_limited_run() -> RunRecords {
    run_of(|test| test == "limited")
}

fn run_of(wanted: impl Fn(&str) -> bool) -> RunRecords {
    let mut plan = loads_plan();
    plan.tests.retain(|test| wanted(&test.name));
    let mut tape = Tape::start(plan);
    tape.run_all(|_| true);
    tape.end(RunState::Complete);
    let mut run = fold(tape.events);
    for record in run.steps.iter_mut().filter(|record| record.key.step.as_str().starts_with("limited/")) {
        record.engine.cpu_user = Nanos::from_millis(2_480);
        record.engine.cpu_system = Nanos::from_millis(1_310);
    }
    run
}

fn rate(iops: u64, arrivals: Arrivals) -> Pace {
    Pace { rate: Some(Rate { per_1000_s: iops * 1000, arrivals }), ..Pace::default() }
}

fn step(test: &str, slug: &str, label: &str, load: Workload, axes: Vec<AxisValue>) -> Step {
    measure(test, slug, label, load, axes)
}

fn paced() -> Vec<Step> {
    let of = |iops: u64| {
        let load = Workload { pace: rate(iops, Arrivals::Exponential), ..random(30, 32, 1) };
        let axes = vec![axis("rate", &iops.to_string())];
        step("paced", &format!("r{iops}"), &format!("RND 4 KiB, 30 % writes, {iops} IOPS"), load, axes)
    };
    [10_000, 20_000, 40_000].map(of).into()
}

fn overloaded() -> Step {
    let load = Workload { pace: rate(300_000, Arrivals::Constant), ..random(0, 32, 1) };
    step("overloaded", "r300000", "RND 4 KiB read, 300000 IOPS", load, Vec::new())
}

#[expect(clippy::expect_used, reason = "for tests: all arguments are constants inside their ranges")]
fn per_cent(value: u64) -> Percent {
    Percent::new(value).expect("a percentage")
}

fn mixed() -> Step {
    let other = OtherOps { trim_percent: per_cent(10), sync_every: 64, ..OtherOps::default() };
    let share = |kib: u64, operations| SizeShare { block_size: Bytes::new(kib * KIB), operations };
    let block_size = Bytes::new(64 * KIB);
    let block_size_mix = vec![share(4, 70), share(64, 30)];
    let load = Workload { other, block_size, block_size_mix, ..random(30, 16, 1) };
    step("mixed", "r60w30t10", "RND 4/64 KiB Q16T1, 30 % writes, 10 % trims", load, Vec::new())
}

fn groups() -> Step {
    let half = Bytes::new(CAPACITY.get() / 2);
    let span = |offset| Span { offset: Bytes::new(offset), length: half };
    let log = Workload {
        name: "log".to_owned(),
        span: span(half.get()),
        ..workload(100, Bytes::new(16 * KIB), Pattern::Sequential, 1, 1)
    };
    let data = Workload { name: "data".to_owned(), span: span(0), beside: vec![log], ..random(20, 8, 2) };
    step("groups", "oltp", "Data RND 4 KiB Q8T2, log SEQ 16 KiB Q1T1", data, Vec::new())
}

fn verified() -> Vec<Step> {
    let of = |slug: &str, label: &str, write_percent: u64, verify: Verify| {
        let load = Workload { verify, ..workload(write_percent, Bytes::new(128 * KIB), Pattern::Sequential, 8, 1) };
        step("verified", slug, label, load, Vec::new())
    };
    vec![
        of("write", "SEQ 128 KiB Q8T1 write with headers", 100, Verify::Headers),
        of("check", "SEQ 128 KiB Q8T1 read and check", 0, Verify::Check),
    ]
}

fn limited() -> Step {
    step("limited", "q64", "RND 4 KiB Q64T1 read", random(0, 64, 1), Vec::new())
}

/// Turns a load into work on a set of four files of 1 GiB.
pub fn on_files(workload: &mut Workload, work: FileWork, of: FilePlace) {
    let set = FileSet {
        name: "large".to_owned(),
        count: 4,
        sizes: FileSizes::Fixed { size: Bytes::GIB },
        total: None,
        seed: 1,
        compress_percent: Percent::ZERO,
    };
    workload.files = Some(Box::new(FileLoad { set, work, of, sync: FileSync::End }));
}
