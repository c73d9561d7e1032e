//! Each limit by hand-made records on both sides of its threshold.

use drivelab_core::load::{Bursts, Rate};
use drivelab_core::record::Effort;
use drivelab_core::run::RunRecords;
use drivelab_core::units::{Nanos, QueueDepth};
use drivelab_samples::sample_run;
use proptest::prelude::*;

use super::*;
use crate::topics::limits::all;

/// A closed loop of 32 in flight with this much user and kernel time of 1,000 ms.
fn case(user_ms: u64, kernel_ms: u64, reached: f64) -> (StepRecord, Workload) {
    let mut record = sample_run().steps[1].clone();
    (record.engine.cpu_user, record.engine.cpu_system) = (Nanos::from_millis(user_ms), Nanos::from_millis(kernel_ms));
    record.in_flight_mean = reached;
    record.engine.effort = Some(Effort {
        operations: 1_000,
        thread_time: Nanos::from_millis(1_000),
        depth_asked: 32,
        ..Effort::default()
    });
    let workload = Workload { queue_depth: QueueDepth::new(32).expect("a depth"), ..Workload::default() };
    (record, workload)
}

fn kind(user_ms: u64, kernel_ms: u64, reached: f64) -> LimitKind {
    let (record, workload) = case(user_ms, kernel_ms, reached);
    limited_by(&record, &workload).kind()
}

#[test]
fn user_time_beyond_half_is_the_generator_and_kernel_time_the_host() {
    assert_eq!(kind(500, 100, 32.0), LimitKind::Target);
    assert_eq!(kind(501, 100, 32.0), LimitKind::Generator);
    assert_eq!(kind(501, 499, 1.0), LimitKind::Generator);
    assert_eq!(kind(100, 500, 32.0), LimitKind::Target);
    assert_eq!(kind(100, 501, 32.0), LimitKind::HostCpu);
    assert_eq!(kind(450, 450, 32.0), LimitKind::Target);
    assert_eq!(kind(440, 461, 32.0), LimitKind::HostCpu, "no time left to wait, most of it the kernel's");
    assert_eq!(kind(461, 440, 32.0), LimitKind::Generator, "no time left to wait, most of it ours");
}

#[test]
fn cpu_time_of_few_ticks_is_judged_as_a_sum() {
    // A tenth of a second: what ran at some 25 ticks decides which of the two it is called.
    let of = |user_ms, kernel_ms| {
        let (mut record, workload) = case(user_ms, kernel_ms, 32.0);
        record.engine.effort.as_mut().expect("an account").thread_time = Nanos::from_millis(100);
        limit(&record, &workload)
    };
    for (user_ms, kernel_ms) in [(51, 0), (0, 51), (26, 25)] {
        let limit = of(user_ms, kernel_ms);
        assert_eq!((limit.limited_by, limit.lower_bound), (LimitKind::HostCpu, true), "{limit:?}");
        assert!(limit.reason.starts_with("51 % of the issuing threads' time on the CPU, too short"), "{limit:?}");
    }
    assert_eq!(of(25, 25).limited_by, LimitKind::Target);
}

#[test]
fn a_closed_loop_must_keep_nine_tenths_of_its_depth() {
    assert_eq!(kind(100, 100, 28.8), LimitKind::Target);
    let (record, workload) = case(100, 100, 28.7);
    let why = GeneratorLimit::DepthNotKept { reached: 28.7, asked: 32.0 };
    assert_eq!(limited_by(&record, &workload), LimitedBy::Generator { why });
    assert!(limit(&record, &workload).reason.starts_with("only 28.7 of 32 requested operations"));
    assert_eq!(kind(100, 600, 3.0), LimitKind::HostCpu, "CPU time says more than the depth");
}

#[test]
fn pauses_and_weights_leave_slots_empty_on_purpose() {
    let of = |change: fn(&mut Workload)| {
        let (record, mut workload) = case(100, 100, 3.0);
        change(&mut workload);
        limited_by(&record, &workload)
    };
    assert_eq!(of(|load| load.pace.think_time = Nanos::from_millis(1)), LimitedBy::Schedule);
    let bursts = Bursts { on: Nanos::from_secs(1), off: Nanos::from_secs(2) };
    let (record, mut workload) = case(100, 100, 3.0);
    workload.beside.push(Workload {
        pace: drivelab_core::load::Pace { bursts: Some(bursts), ..Default::default() },
        ..workload.clone()
    });
    assert_eq!(limited_by(&record, &workload), LimitedBy::Schedule, "a pause of any group");
    assert_eq!(of(|load| load.pace.weight = 3), LimitedBy::TargetOrDepth);
}

/// A quota is told by its own share, whatever else there is to say about the threads.
#[test]
fn a_quota_that_took_more_than_a_hundredth_is_the_limit_in_every_manner() {
    let with = |quota_ms: u64, (mut record, workload): (StepRecord, Workload)| {
        record.end_ns = record.start_ns + 1_000_000_000;
        let effort = record.engine.effort.as_mut().expect("an account");
        (effort.kept_by_quota, effort.waited_for_cpu) = (Nanos::from_millis(quota_ms), Nanos::from_millis(quota_ms));
        limited_by(&record, &workload)
    };
    let kept = || open(0.0, 0, Arrivals::Constant);
    let mut paused = case(100, 100, 3.0);
    paused.1.pace.think_time = Nanos::from_millis(1);
    for (how, case) in [("busy", case(700, 100, 32.0)), ("in time", kept()), ("with pauses", paused)] {
        assert_eq!(with(300, case.clone()), LimitedBy::Quota { share: 0.3 }, "{how}");
        assert!(!matches!(with(10, case), LimitedBy::Quota { .. }), "{how}: as much as a rate may be off by");
    }
}

/// What a thread waited before its first operation says nothing about a step that is over within a tick.
#[test]
fn a_step_shorter_than_a_tick_is_not_said_to_have_waited_for_a_cpu() {
    let of = |elapsed_us: u64, waited_us: u64| {
        let (mut record, workload) = case(0, 0, 32.0);
        record.end_ns = record.start_ns + elapsed_us * 1000;
        let effort = record.engine.effort.as_mut().expect("an account");
        (effort.thread_time, effort.waited_for_cpu) = (Nanos::new(elapsed_us * 1000), Nanos::new(waited_us * 1000));
        limited_by(&record, &workload)
    };
    assert_eq!(of(440, 3_659), LimitedBy::TargetOrDepth);
    assert_eq!(of(20_000, 10_000), LimitedBy::OtherWork { share: 0.5 });
    assert_eq!(of(20_000, 60_000), LimitedBy::OtherWork { share: 1.0 }, "no more than all of it");
}

/// A second of 1,000 arrivals with this growth and backlog.
fn open(growth: f64, backlog_at_end: u64, arrivals: Arrivals) -> (StepRecord, Workload) {
    let (mut record, mut workload) = case(900, 50, 3.0);
    workload.pace.rate = Some(Rate { per_1000_s: 1_000_000, arrivals });
    let (start_ns, done) = (record.start_ns, 1_000 - backlog_at_end);
    record.end_ns = start_ns + 1_000_000_000;
    (record.read.count, record.write.count, record.read.errors) = (done, 0, 0);
    record.open_loop = Some(OpenLoop {
        asked_iops: 1_000.0,
        arrived: 1_000,
        backlog_at_end,
        backlog_max: backlog_at_end,
        backlog_growth_per_second: growth,
        lateness_mean: Nanos::new(0),
        lateness_max: Nanos::new(0),
    });
    (record, workload)
}

/// A stall is no overload, and its rate was not reached all the same.
#[test]
fn a_schedule_fell_behind_where_more_than_a_fiftieth_of_it_is_left() {
    let behind = |growth, backlog| {
        let (record, workload) = open(growth, backlog, Arrivals::Constant);
        fell_behind(record.open_loop.as_ref().expect("an open loop"), &record, &workload)
    };
    assert!(behind(62.0, 190) && behind(0.0, 90), "however it came to that");
    assert!(!behind(11.0, 32) && !behind(0.0, 0), "what fits into the slots is none");
}

#[test]
fn a_schedule_that_is_kept_is_the_limit_even_where_the_generator_spins() {
    let of = |growth, backlog, arrivals| {
        let (record, workload) = open(growth, backlog, arrivals);
        limited_by(&record, &workload)
    };
    assert_eq!(of(0.0, 0, Arrivals::Constant), LimitedBy::Schedule);
    assert_eq!(of(9.0, 90, Arrivals::Constant), LimitedBy::Schedule, "less than 1 % of the rate");
    assert_eq!(of(11.0, 32, Arrivals::Constant), LimitedBy::Schedule, "what fits into the slots is no backlog");
    assert_eq!(of(80.0, 90, Arrivals::Exponential), LimitedBy::Schedule, "three deviations of 1,000 are 95");
    assert_eq!(of(80.0, 90, Arrivals::Constant).kind(), LimitKind::Generator, "overloaded, and all time is ours");
    assert_eq!(
        of(62.0, 90, Arrivals::Constant),
        LimitedBy::Schedule,
        "grew by 90 and by 62 throughout: a stall at the end"
    );
    let (mut record, mut workload) = open(62.0, 190, Arrivals::Constant);
    assert_eq!(limited_by(&record, &workload), LimitedBy::Schedule);
    record.read.count += 110;
    assert!(limited_by(&record, &workload) != LimitedBy::Schedule, "110 of the 190 are the ramp's");
    workload.verify = drivelab_core::load::Verify::AtOnce;
    assert_eq!(
        limited_by(&record, &workload),
        LimitedBy::Schedule,
        "reads that check are no arrivals: nothing is known"
    );
    let (mut record, workload) = open(500.0, 500, Arrivals::Exponential);
    record.engine.cpu_user = Nanos::from_millis(10);
    assert_eq!(limited_by(&record, &workload).kind(), LimitKind::Generator, "overloaded, and most slots were empty");
    record.in_flight_mean = 31.0;
    assert_eq!(limited_by(&record, &workload), LimitedBy::TargetOrDepth);
    assert!(limit(&record, &workload).reason.contains("arrived faster"));
}

/// Work of kernel threads is in no account, so nothing tells that the target was the limit.
#[test]
fn what_kernel_threads_did_makes_a_rate_a_lower_bound() {
    let (record, load) = case(100, 100, 31.0);
    assert_eq!(limited_by(&record, &load), LimitedBy::TargetOrDepth);
    let mut punted = record.clone();
    punted.engine.punted = true;
    let mut polled = record;
    polled.engine.backend = "io_uring, submission polled (SQPOLL; not yet tried on hardware)".to_owned();
    for record in [punted, polled] {
        assert_eq!(limited_by(&record, &load), LimitedBy::KernelThreads);
        let limit = limit(&record, &load);
        assert!(limit.lower_bound && limit.limited_by == LimitKind::HostCpu, "{limit:?}");
    }
}

/// A group that arrives in time says nothing about another that takes what it gets.
#[test]
fn a_schedule_beside_a_closed_loop_is_not_the_limit() {
    let (record, load) = open(0.0, 0, Arrivals::Constant);
    assert_eq!(limited_by(&record, &load), LimitedBy::Schedule);
    let beside = Workload { name: "closed".to_owned(), ..Workload::default() };
    let mixed = Workload { beside: vec![beside], ..load };
    assert_ne!(limited_by(&record, &mixed), LimitedBy::Schedule);
}

#[test]
fn recordings_without_an_account_say_nothing() {
    let (mut record, workload) = case(900, 50, 3.0);
    record.engine.effort.as_mut().expect("an account").operations = 0;
    assert_eq!(limited_by(&record, &workload), LimitedBy::Unknown);
    record.engine.effort = None;
    assert_eq!(limited_by(&record, &workload), LimitedBy::Unknown);
    assert!(
        !limit(&record, &workload).lower_bound
            && limit(&record, &workload).reason.contains("does not show how much CPU time")
    );
}

#[test]
fn a_step_in_which_nothing_went_well_has_no_lower_bound_and_no_limit() {
    let (mut record, workload) = case(100, 800, 32.0);
    assert!(limit(&record, &workload).lower_bound, "the same time with operations that went well");
    // A drive that is gone: every operation was answered at once, with an error.
    (record.read, record.write) = Default::default();
    record.read.errors = 64;
    let limit = limit(&record, &workload);
    assert_eq!((limit.limited_by, limit.lower_bound), (LimitKind::Unknown, false));
    assert!(limit.reason.contains("without an error"), "{}", limit.reason);
    assert!(!of_rounds(&[&record], &workload).lower_bound);
}

#[test]
fn rounds_are_judged_by_their_mean() {
    let mut run = sample_run();
    let id = drivelab_core::ids::StepId::new("corners", "rnd-4k-q1t1-read");
    let of = |run: &RunRecords| all(run).into_iter().find(|limit| limit.step == id).expect("a limit").limit;
    assert_eq!(of(&run).limited_by, LimitKind::Target);
    let mut rounds: Vec<&mut StepRecord> = run.steps.iter_mut().filter(|record| record.key.step == id).collect();
    // 60 %, 60 % and 1 %: half on average is not reached; 80 % makes it so.
    rounds[0].engine.cpu_user = Nanos::from_millis(2_400);
    rounds[1].engine.cpu_user = Nanos::from_millis(2_400);
    assert_eq!(of(&run).limited_by, LimitKind::Target);
    let second = run.steps.iter_mut().filter(|record| record.key.step == id).nth(1).expect("a round");
    second.engine.cpu_user = Nanos::from_millis(3_700);
    assert!(of(&run).lower_bound);
}

proptest! {
    #[test]
    fn more_cpu_time_never_takes_a_lower_bound_back(
        user in 0u64..1_000, kernel in 0u64..1_000, more in 0u64..1_000, reached in 0.0f64..32.0,
    ) {
        let bound = |user, kernel| {
            let (record, workload) = case(user, kernel, reached);
            limited_by(&record, &workload).is_lower_bound()
        };
        prop_assert!(!bound(user, kernel) || bound(user + more, kernel) && bound(user, kernel + more));
    }
}
