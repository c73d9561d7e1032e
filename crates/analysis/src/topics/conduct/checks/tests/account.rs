//! What the engine's account gives rise to, on both sides of each threshold.

use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
use drivelab_core::record::OpenLoop;
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_samples::{
    sample_limited_run, sample_loads_run, sample_mixed_run, sample_open_loop_run, sample_overloaded_run, sample_run,
    sample_verified_run,
};

use super::*;
use crate::analyse;
use crate::check::testing;
use crate::topics::generator::ACCOUNT;
use crate::topics::limits::LimitKind;

fn effort(record: &mut StepRecord) -> &mut drivelab_core::record::Effort {
    record.engine.effort.as_mut().expect("an account")
}

/// Codes of the findings when one step of the sample run was different.
fn only(change: fn(&mut StepRecord)) -> Vec<String> {
    codes(&with_step("mixes/w30", change))
}

/// What the check of this finding noted about that step.
fn noted(change: fn(&mut StepRecord), code: &str) -> Vec<String> {
    testing::noted(ACCOUNT, &with_step("mixes/w30", change), code)
}

#[test]
fn a_depth_that_was_not_kept_is_told_and_makes_the_rate_a_lower_bound() {
    let run = with_step("depths/q8", |record| {
        record.engine.effort.as_mut().expect("an account").depth_asked = 10;
    });
    assert_eq!(codes(&run), ["depth_not_kept"]);
    let limits = analyse(&run).limits;
    let of = |id: &str| &limits.iter().find(|limit| limit.step.as_str() == id).expect("a limit").limit;
    assert_eq!((of("depths/q8").limited_by, of("depths/q8").lower_bound), (LimitKind::Generator, true));
    assert_eq!((of("depths/q16").limited_by, of("depths/q16").lower_bound), (LimitKind::Target, false));
}

#[test]
fn a_step_is_told_to_be_limited_by_one_thing_only() {
    let codes_of = |user: u64, system: u64| {
        codes(&with_step("depths/q8", |record| {
            record.engine.cpu_user = Nanos::from_millis(user);
            record.engine.cpu_system = Nanos::from_millis(system);
            record.engine.effort.as_mut().expect("an account").depth_asked = 10;
        }))
    };
    assert_eq!(codes_of(2_100, 1_800), ["generator_limited"]);
    assert_eq!(codes_of(1_700, 2_100), ["host_cpu_limited"]);
    assert_eq!(codes_of(1_000, 1_000), ["depth_not_kept"]);
}

#[test]
fn other_programs_that_had_the_cpu_are_told_like_every_other_limit() {
    let starved = |ms: u64| {
        let run = with_step("depths/q8", |_| {});
        let mut run = run;
        let record = run.steps.iter_mut().find(|record| record.key.step.as_str() == "depths/q8").expect("the step");
        let effort = record.engine.effort.as_mut().expect("an account");
        effort.waited_for_cpu = Nanos::new(effort.thread_time.get() * ms / 1000);
        run
    };
    assert!(codes(&starved(99)).is_empty());
    let run = starved(110);
    assert_eq!(codes(&run), ["cpu_had_by_others"]);
    let told = finding(&run, "cpu_had_by_others");
    assert_eq!((told.evidence[0].value.round(), told.evidence[0].limit), (11.0, Some(10.0)));
}

#[test]
fn a_quota_is_told_as_one_and_a_stop_as_a_stop() {
    let with = |quota: u64, still: u64| {
        let mut run = with_step("depths/q8", |_| {});
        let record = run.steps.iter_mut().find(|record| record.key.step.as_str() == "depths/q8").expect("the step");
        let elapsed = record.elapsed().get();
        let effort = record.engine.effort.as_mut().expect("an account");
        effort.kept_by_quota = Nanos::new(elapsed * quota / 1000);
        effort.stood_still = Nanos::new(elapsed * still / 1000);
        if quota > 0 {
            effort.waited_for_cpu = Nanos::new(effort.thread_time.get() / 2);
        }
        let limit = analyse(&run).limits.into_iter().find(|limit| limit.step.as_str() == "depths/q8").expect("a limit");
        (codes(&run), limit.limit.limited_by, limit.limit.lower_bound)
    };
    assert_eq!(with(500, 0), (vec!["cpu_quota".to_owned()], LimitKind::CpuQuota, true));
    assert_eq!(with(90, 0).0, ["cpu_had_by_others"], "a quota that took little is not what took half");
    assert_eq!(with(250, 0).1, LimitKind::CpuQuota, "half of what they waited");
    assert_eq!(with(0, 400), (vec!["stood_still".to_owned()], LimitKind::StoodStill, true));
    assert_eq!(with(0, 5), (vec!["stood_still".to_owned()], LimitKind::Target, false), "too short to be the limit");
}

#[test]
fn drift_is_over_the_ramp_as_well() {
    // 4 s are measured: 500 us are 125 ppm of them, and 100 ppm of 5 s.
    let drifted = |ramp_s: u64| {
        let mut run = with_step("mixes/w30", |record| effort(record).clock_error_ns = 499_000);
        for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
            if let Action::Io { ramp, .. } = &mut step.action {
                *ramp = Nanos::from_secs(ramp_s);
            }
        }
        codes(&run)
    };
    assert_eq!((drifted(0), drifted(1)), (vec!["clock_drift".to_owned()], Vec::new()));
}

#[test]
fn what_passed_its_limit_stands_beside_that_limit() {
    let told = |user: u64, system: u64, code: &str| {
        let mut run = with_step("depths/q8", |_| {});
        let record = run.steps.iter_mut().find(|record| record.key.step.as_str() == "depths/q8").expect("the step");
        let thread_time = record.engine.effort.as_ref().expect("an account").thread_time.get();
        record.engine.cpu_user = Nanos::new(thread_time * user / 100);
        record.engine.cpu_system = Nanos::new(thread_time * system / 100);
        let piece = finding(&run, code).evidence.swap_remove(0);
        (piece.value.round(), piece.limit)
    };
    assert_eq!(told(10, 51, "host_cpu_limited"), (51.0, Some(50.0)));
    assert_eq!(told(45, 46, "host_cpu_limited"), (91.0, Some(90.0)), "neither is above its half");
    assert_eq!(told(46, 45, "generator_limited"), (91.0, Some(90.0)));
    assert_eq!(told(51, 10, "generator_limited"), (51.0, Some(50.0)));
}

#[test]
fn ceiling_mode_is_told_where_the_engine_waited_so() {
    assert!(only(|record| effort(record).batch = 1).is_empty());
    assert_eq!(only(|record| effort(record).batch = 2), ["ceiling_mode"]);
    let mut run = sample_run();
    for step in
        run.plan.tests.iter_mut().flat_map(|test| &mut test.steps).filter(|step| step.id.as_str() == "depths/q64")
    {
        if let Action::Io { workload, .. } = &mut step.action {
            workload.placement.batch = 32;
        }
    }
    assert!(codes(&run).is_empty(), "asked for, and not done: the sync backend waits for one operation");
}

#[test]
fn writes_placed_by_handle_are_noted() {
    let mut run = sample_run();
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let Action::Io { workload, .. } = &mut step.action {
            workload.placement_handle = Some(1);
        }
    }
    assert_eq!(codes(&run), ["placed_by_handle"]);
}

#[test]
fn backends_modes_and_features_that_were_not_what_was_wanted_are_named() {
    assert_eq!(only(|record| record.engine.punted = true), ["kernel_workers"]);
    let asked: fn(&mut StepRecord) =
        |record| (record.engine.backend, record.engine.reason) = ("sync".into(), "asked for".into());
    assert!(only(asked).is_empty());
    let fallback: fn(&mut StepRecord) = |record| {
        (record.engine.backend, record.engine.reason) = ("sync".into(), "io_uring_setup was refused (EPERM)".into());
    };
    assert_eq!(only(fallback), ["backend_fallback"]);
    let no_trim: fn(&mut StepRecord) = |record| {
        let reason = "the kernel does not trim this block device through io_uring (Linux 6.12 does, if the device can)";
        (record.engine.backend, record.engine.reason) = ("sync".into(), reason.into());
    };
    assert_eq!(only(no_trim), ["backend_fallback"]);
    assert_eq!(noted(fallback, "backend_fallback"), ["io_uring_setup was refused (EPERM)"]);
    assert!(only(|record| record.engine.refused = vec!["IORING_SETUP_NO_SQARRAY (EINVAL)".into()]).is_empty());
    let memory: fn(&mut StepRecord) = |record| {
        record.engine.refused = vec!["registered buffers (ENOMEM)".into(), "IORING_SETUP_NO_SQARRAY (EINVAL)".into()];
    };
    assert_eq!(only(memory), ["features_refused"]);
    assert_eq!(noted(memory, "features_refused"), ["registered buffers (ENOMEM)"], "the other costs nothing");
    assert_eq!(only(|record| record.engine.backend = "io_uring, SQPOLL".into()), ["untried_mode"]);
}

#[test]
fn a_slower_clock_is_noted_and_drift_beyond_a_hundred_ppm_is_a_warning() {
    let slower: fn(&mut StepRecord) = |record| effort(record).clock = "CLOCK_MONOTONIC_RAW: no constant_tsc".into();
    assert_eq!(only(slower), ["clock_fallback"]);
    assert_eq!(noted(slower, "clock_fallback"), ["CLOCK_MONOTONIC_RAW: no constant_tsc"]);
    // Work on files has no other clock.
    let mut run = with_step("mixes/w30", slower);
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let (Action::Io { workload, .. }, "mixes/w30") = (&mut step.action, step.id.as_str()) {
            let sizes = FileSizes::Fixed { size: Bytes::new(4096) };
            let set =
                FileSet { name: "one".into(), count: 1, sizes, total: None, seed: 1, compress_percent: Percent::ZERO };
            let (work, of, sync) = (FileWork::Create, FilePlace::Original, FileSync::End);
            workload.files = Some(Box::new(FileLoad { set, work, of, sync }));
        }
    }
    assert!(!codes(&run).contains(&"clock_fallback".to_owned()));
    // The step lasts 4 s: 400 us are 100 ppm.
    assert!(only(|record| effort(record).clock_error_ns = -399_000).is_empty());
    assert_eq!(only(|record| effort(record).clock_error_ns = 401_000), ["clock_drift"]);
    assert_eq!(only(|record| effort(record).clock_error_ns = -401_000), ["clock_drift"]);
}

#[test]
fn buffered_steps_say_what_was_done_about_the_cache_and_whether_memory_holds_the_span() {
    let mut run = sample_run();
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        if let Action::Io { workload, .. } = &mut step.action {
            workload.direct = false;
        }
    }
    for record in &mut run.steps {
        record.engine.direct_verified = false;
        effort(record).page_cache = Some("the file's pages were dropped".into());
    }
    let told = finding(&run, "buffered_io");
    assert_eq!(testing::noted(ACCOUNT, &run, "buffered_io"), ["the file's pages were dropped"]);
    let span = &told.evidence[0];
    assert_eq!((span.value, span.limit), ((32u64 << 30) as f64, Some((16u64 << 30) as f64)));
    run.environment.target.kind = drivelab_core::environment::TargetKind::NullDevice;
    assert!(!codes(&run).contains(&"buffered_io".to_owned()), "no page cache stands before what stores nothing");
}

#[test]
fn the_sample_loads_give_their_own_findings_and_no_other() {
    assert!(codes(&sample_open_loop_run()).is_empty());
    assert!(codes(&sample_mixed_run()).is_empty());
    assert!(codes(&sample_verified_run()).is_empty());
    assert_eq!(codes(&sample_overloaded_run()), ["open_loop_overloaded"]);
    assert_eq!(codes(&sample_limited_run()), ["generator_limited"]);
    assert_eq!(codes(&sample_loads_run()), ["open_loop_overloaded", "generator_limited"]);
}

#[test]
fn an_overloaded_open_loop_gives_the_growth_per_second() {
    let run = sample_overloaded_run();
    let told = finding(&run, "open_loop_overloaded");
    let open = run.steps[0].open_loop.expect("an open loop");
    assert_eq!(told.severity, Severity::Void);
    assert_eq!(told.evidence[0].value, open.backlog_growth_per_second);
    assert_eq!(analyse(&run).limits[0].limit.limited_by, LimitKind::Target);
}

#[test]
fn a_backlog_at_full_speed_and_above_is_what_a_curve_asks_for_and_below_it_is_none() {
    let at = |percent: u32| {
        let mut run = sample_overloaded_run();
        let id = run.steps[0].key.step.clone();
        for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps).filter(|step| step.id == id) {
            step.relative = Some(drivelab_core::relative::RelativeRate {
                of: drivelab_core::ids::StepId::new("curve", "full-speed"),
                percent,
                rounding: drivelab_core::relative::Rounding::None,
                arrivals: drivelab_core::load::Arrivals::Constant,
                stop_above: None,
            });
        }
        (id, run)
    };
    assert_eq!(codes(&at(99).1), ["open_loop_overloaded"]);
    let (id, run) = at(100);
    assert_eq!(codes(&run), ["curve_overloaded"]);
    let told = finding(&run, "curve_overloaded");
    assert_eq!(told.severity, Severity::Note);
    let growth = run.steps[0].open_loop.expect("an open loop").backlog_growth_per_second;
    assert_eq!((told.evidence[0].value, told.evidence[0].unit.as_str()), (growth, "operations/s"));
    let analysis = analyse(&run);
    let of = |metric: &str| analysis.step_metric(&id, metric).expect("a metric");
    assert_eq!(of("total.response_mean").voided_by, ["curve_overloaded"], "it has no steady value all the same");
    assert!(of("total.latency_mean").value.is_some() && of("open_loop.backlog_growth").value.is_some());
}

#[test]
fn a_generator_that_is_late_by_a_tenth_of_the_gap_is_told() {
    // 20,000 a second on one thread: gaps of 50 us.
    let late = |mean_ns: u64| {
        let mut run = sample_open_loop_run();
        run.steps.retain(|record| record.key.step.as_str() == "paced/r20000");
        let key = run.steps[0].key.clone();
        run.intervals.retain(|interval| interval.key == key);
        run.plan.tests[0].steps.retain(|step| step.id == key.step);
        let open = run.steps[0].open_loop.as_mut().expect("an open loop");
        *open = OpenLoop { lateness_mean: Nanos::new(mean_ns), ..*open };
        codes(&run)
    };
    assert!(late(5_000).is_empty());
    assert_eq!(late(5_001), ["generator_late"]);
}

#[test]
fn sizes_of_spans_are_those_of_the_groups_that_are_buffered() {
    let mut run = sample_mixed_run();
    run.steps.retain(|record| record.key.step.as_str() == "groups/oltp");
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps) {
        let Action::Io { workload, .. } = &mut step.action else { continue };
        for log in &mut workload.beside {
            (log.direct, log.span.length) = (false, Bytes::new(1 << 20));
        }
    }
    let told = finding(&run, "buffered_io");
    assert_eq!(told.evidence[0].value, f64::from(1 << 20), "the log alone goes through the cache");
}
