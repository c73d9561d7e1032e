//! The issued I/O matches the methodology's file: every distinct load of every built-in methodology, in each of its
//! forms, goes from the plan to the engine, and the operations that the engine reports are compared with the plan:
//! shares of kinds and sizes, order, span, depth, rate, parts of groups, bursts. New methodologies are covered
//! automatically.
//!
//! The target is `nop:`, where operations end in the ring and nothing waits, so the results do not depend on a
//! machine. Limits of shares are five standard deviations of random variation.

#[path = "issued_methods/judge.rs"]
mod judge;
#[path = "support/zipf.rs"]
mod zipf;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use drivelab_core::backend::{Backend, StepRequest};
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::load::{Content, OpKind, Pace, Placement, Rate, Verify};
use drivelab_core::plan::{Action, Form, StopRule};
use drivelab_core::record::StepRecord;
use drivelab_core::relative::RelativeRate;
use drivelab_core::target::IoTarget;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{DataPattern, Workload};
use drivelab_engine::{BackendChoice, Engine, Options, TraceEntry};
use drivelab_method::{Methodology, ProfileAbout, SpeedGuess, TargetShape, library};
use judge::{depth, inside, kinds_and_sizes, order, rate};

/// Operations of a load that are checked.
const OPERATIONS: u64 = 20_000;
/// Runs in which a group may be too late for its part.
const MOST_RUNS: usize = 20;
/// A load with uneven groups ends after this at the latest.
const LONGEST: Nanos = Nanos::from_secs(2);
/// Time over which rates are checked.
const RATED: Nanos = Nanos::from_millis(200);

/// The assumed result of a step at full speed, for steps that run at shares of it.
const FULL_SPEED_IOPS: u64 = 20_000;

/// Standard deviations within which random values must stay.
const DEVIATIONS: f64 = 5.0;

/// A methodology in each of its profiles and each of their forms.
fn every_form(text: &str) -> Vec<(Methodology, Form)> {
    let first = drivelab_method::parse("a built-in one", text).expect("a built-in methodology");
    let named = |profile: &ProfileAbout| first.with_profile(&profile.name).expect("a profile of its own");
    let profiles: Vec<Methodology> = first.profiles().iter().map(named).collect();
    let all = if profiles.is_empty() { vec![first] } else { profiles };
    all.into_iter().flat_map(|method| method.forms().into_iter().map(move |form| (method.clone(), form))).collect()
}

/// Every drawn workload of every methodology, profile and form, with its place.
fn loads() -> Vec<(String, Workload)> {
    let mut all = Vec::new();
    for built_in in library::all() {
        for (method, form) in every_form(built_in.text) {
            let wanted = method.file_size(form).unwrap_or(Bytes::GIB).max(method.minimum_size(form));
            let capacity = if form == Form::Smoke { wanted } else { wanted.max(Bytes::new(64 << 30)) };
            let shape = TargetShape { capacity, offset_align: Bytes::new(512), guess: SpeedGuess::default() };
            let name = format!("{} {} {}", built_in.name, method.profile(), form.name());
            let plan = drivelab_method::expand(&method, form, &shape).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
            for step in plan.steps() {
                // Replays and work on files have no shares to check: their own tests compare every operation.
                let drawn = |load: &Workload| load.replay.is_none() && load.files.is_none();
                if let Action::Io { workload, .. } = &step.action
                    && workload.groups().all(drawn)
                {
                    all.push((format!("{name} {}", step.id), at_its_share(workload, step.relative.as_ref())));
                }
            }
        }
    }
    all
}

/// A replay does not end like the tests around it: a minute of an hour's trace is a different trace.
#[test]
fn a_faithful_replay_goes_to_the_end_of_its_trace() {
    let mut replays = 0;
    for built_in in library::all() {
        for (method, form) in every_form(built_in.text).into_iter().filter(|(_, form)| *form == Form::Faithful) {
            let capacity = method.file_size(form).unwrap_or(Bytes::GIB).max(Bytes::new(1 << 40));
            let shape = TargetShape { capacity, offset_align: Bytes::new(512), guess: SpeedGuess::default() };
            let plan = drivelab_method::expand(&method, form, &shape).expect("a plan");
            for step in plan.steps() {
                let Action::Io { workload, stop, .. } = &step.action else { continue };
                let Some(replay) = &workload.replay else { continue };
                let ends = (stop.time, stop.volume, stop.operations);
                assert_eq!(
                    ends,
                    (None, None, Some(replay.facts.issued(replay.trims))),
                    "{}: {}",
                    built_in.name,
                    step.id
                );
                replays += 1;
            }
        }
    }
    assert!(replays > 20, "{replays}");
}

/// A load whose rate is a share of another step's rate gets that share of an assumed speed.
fn at_its_share(load: &Workload, relative: Option<&RelativeRate>) -> Workload {
    let per_1000_s = relative.and_then(|relative| {
        let share = FULL_SPEED_IOPS * 1000 * u64::from(relative.percent) / 100;
        Some(Rate { per_1000_s: relative.rounding.of(share)?, arrivals: relative.arrivals })
    });
    let pace = Pace { rate: load.pace.rate.or(per_1000_s), ..load.pace };
    let beside = load.beside.iter().map(|beside| at_its_share(beside, relative)).collect();
    Workload { pace, beside, ..load.clone() }
}

/// The load as `nop:` can take it: without a cache, with cheap data, without headers, handles, CPUs and another
/// namespace of its own (the engine's tests and the VM check where that group goes); and with one seed, so that loads
/// without other differences become one.
fn on_nop(load: &Workload, pace: fn(Pace) -> Pace) -> Workload {
    Workload {
        direct: false,
        data: DataPattern::Zero,
        content: Content::default(),
        verify: Verify::Off,
        placement: Placement::default(),
        placement_handle: None,
        on: None,
        seed: 1,
        pace: pace(load.pace),
        beside: load.beside.iter().map(|beside| on_nop(beside, pace)).collect(),
        ..load.clone()
    }
}

/// What the engine issued, by group, each thread's operations in order.
fn issued(load: &Workload, stop: &StopRule) -> Vec<Vec<Vec<TraceEntry>>> {
    run(load, stop).1
}

/// The engine's own record of a load, and what it issued.
fn run(load: &Workload, stop: &StopRule) -> (StepRecord, Vec<Vec<Vec<TraceEntry>>>) {
    let told: Arc<Mutex<Vec<TraceEntry>>> = Arc::default();
    let kept = Arc::clone(&told);
    let mut options = Options::new(BackendChoice::Uring);
    options.trace = Some(Box::new(move |entries, lost| {
        assert_eq!(lost, 0, "the trace has no room");
        kept.lock().expect("not poisoned").extend_from_slice(entries);
    }));
    let length = load.groups().map(|group| group.span.end()).max().unwrap_or(0);
    let mut engine = Engine::open(IoTarget::Nop { length: Bytes::new(length) }, options).expect("io_uring");
    let key = StepKey { step: StepId::new("test", "step"), round: 1 };
    let request = StepRequest {
        key: &key,
        workload: load,
        stop_rule: stop,
        ramp: Nanos::new(0),
        interval: Nanos::from_millis(100),
        clock: &MonotonicClock::starting_at(0),
        stop: &StopToken::default(),
    };
    let record = engine.run_step(request, &mut |_| ()).unwrap_or_else(|error| panic!("{error}: {load:?}"));
    let mut entries = std::mem::take(&mut *told.lock().expect("not poisoned"));
    entries.sort_by_key(|entry| (entry.thread, entry.index, entry.submit_ns));
    let mut first = 0;
    let of = |group: &Workload| {
        let threads = first..first + group.threads.get();
        first = threads.end;
        threads.map(|thread| entries.iter().filter(|entry| entry.thread == thread).copied().collect()).collect()
    };
    (record, load.groups().map(of).collect())
}

/// The same, from a run in which every group issued something: the operations take milliseconds, and now and then a
/// thread gets to run only after that. A group that issues nothing in any of many runs does not work.
fn issued_by_all(load: &Workload, stop: &StopRule) -> Vec<Vec<Vec<TraceEntry>>> {
    let mut groups = issued(load, stop);
    for _ in 0..MOST_RUNS {
        if !groups.iter().any(|group| group.iter().all(Vec::is_empty)) {
            break;
        }
        groups = issued(load, stop);
    }
    groups
}

#[test]
fn every_load_of_every_methodology_issues_what_its_file_says() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut tried = 0;
    for (name, load) in loads() {
        let load = on_nop(&load, |_| Pace::default());
        let key = format!("{load:?}");
        if seen.insert(key.clone(), name.clone()).is_some() {
            continue;
        }
        let stop = StopRule { operations: Some(OPERATIONS), time: Some(LONGEST), ..StopRule::capped(LONGEST) };
        for (group, threads) in load.groups().zip(issued_by_all(&load, &stop)) {
            let all = threads.concat();
            if all.is_empty() {
                wrong.push(format!("{name}: a group of {} threads issued nothing", group.threads));
                continue;
            }
            tried += 1;
            let checks = [
                ("kinds and sizes", kinds_and_sizes(group, &all)),
                ("span", inside(group, &all)),
                ("order", order(group, &threads)),
                ("depth", depth(group, &threads)),
            ];
            let found = checks.into_iter().filter_map(|(what, held)| Some(format!("{name}: {what}: {}", held.err()?)));
            wrong.extend(found);
        }
    }
    println!("{} loads of {} plans' steps, {tried} groups", seen.len(), loads().len());
    assert!(tried >= 20, "only {tried} loads were looked at");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rate_of_every_methodology_is_kept() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let (mut wrong, mut told) = (Vec::new(), 0);
    for (name, load) in loads().into_iter().filter(|(_, load)| load.is_open_loop()) {
        let load = on_nop(&load, |pace| Pace { weight: 0, ..pace });
        if !seen.insert(load.groups().map(|group| format!("{:?}{}", group.pace, group.threads)).collect()) {
            continue;
        }
        let stop = StopRule { time: Some(RATED), ..StopRule::capped(LONGEST) };
        for (group, threads) in load.groups().zip(issued(&load, &stop)) {
            match rate(group, &threads) {
                Ok(enough) => told += u32::from(enough),
                Err(why) => wrong.push(format!("{name}: {why}")),
            }
        }
    }
    println!("{} rates, {told} groups with operations enough", seen.len());
    assert!(told >= 5, "only {told} groups issued enough to tell");
    assert!(seen.len() >= 10, "only {} rates were looked at", seen.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn groups_of_every_methodology_have_their_parts_of_the_operations() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut wrong = Vec::new();
    for (name, load) in loads() {
        let load = on_nop(&load, |pace| Pace { weight: pace.weight, ..Pace::default() });
        let weights: Vec<u32> = load.groups().map(|group| group.pace.weight).collect();
        if weights.len() < 2 || weights.contains(&0) || !seen.insert(format!("{load:?}")) {
            continue;
        }
        let stop = StopRule { operations: Some(OPERATIONS), time: Some(LONGEST), ..StopRule::capped(LONGEST) };
        let drawn = |group: &Workload, threads: &Vec<Vec<TraceEntry>>| {
            let on_top = group.other.flush_percent.is_zero();
            threads.concat().iter().filter(|entry| !on_top || entry.op != OpKind::Flush).count() as f64
        };
        let groups = issued_by_all(&load, &stop);
        let counts: Vec<f64> = load.groups().zip(&groups).map(|(group, threads)| drawn(group, threads)).collect();
        let (all, whole) = (counts.iter().sum::<f64>(), weights.iter().sum::<u32>());
        for (count, weight) in counts.iter().zip(&weights) {
            let (found, due) = (count / all, f64::from(*weight) / f64::from(whole));
            if (found - due).abs() > 0.02 {
                wrong.push(format!("{name}: {found:.3} of the operations, due {due:.3}"));
            }
        }
    }
    assert!(seen.len() >= 2, "only {} loads have weights", seen.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bursts_by_volume_of_every_methodology_move_it_and_pause() {
    const BURSTS: u64 = 3;
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (name, load) in loads() {
        let load = on_nop(&load, |pace| Pace { volume_bursts: pace.volume_bursts, ..Pace::default() });
        let Some(bursts) = load.pace.volume_bursts.filter(|_| seen.insert(format!("{load:?}"))) else { continue };
        let volume = Bytes::new(BURSTS * bursts.volume.get());
        let stop = StopRule { volume: Some(volume), time: Some(LONGEST), ..StopRule::capped(LONGEST) };
        let paused = (0..MOST_RUNS).any(|_| {
            let (record, _) = run(&load, &stop);
            let done = record.bursts.expect("bursts");
            // A burst of drawn kinds or sizes has as many operations as move its volume on average.
            let exact = load.block_size_mix.is_empty();
            assert!(
                done.count == BURSTS || !exact && done.count.abs_diff(BURSTS) <= 1,
                "{name}: {} bursts",
                done.count
            );
            // Nothing waits after the last burst; the pauses after the others are at least as long as theirs require.
            // If the last burst got no CPU for a while, it took longer than the others: then the load is run again.
            let paused = record.elapsed().get() - done.active.get();
            println!("{name}: paused {paused} ns after {:?}", done.active);
            paused * 10 > bursts.pause_after(done.active).get()
        });
        assert!(paused, "{name}: never a pause");
    }
    assert!(seen.len() >= 2, "only {} loads have bursts", seen.len());
}

/// Share by which a plan's amounts may be off, and blocks that each thread may round.
const PLAN_WITHIN: f64 = 0.02;

/// Plans are correct: for every step of every methodology that ends by the amount that it moved, in the smoke form,
/// the engine wrote the bytes that the plan states.
#[test]
fn what_a_plan_says_is_written_is_what_the_engine_writes() {
    let mut seen = 0;
    for built_in in library::all() {
        for (method, form) in every_form(built_in.text).into_iter().filter(|(_, form)| *form == Form::Smoke) {
            let wanted = method.file_size(form).unwrap_or(Bytes::GIB).max(method.minimum_size(form));
            let shape = TargetShape { capacity: wanted, offset_align: Bytes::new(512), guess: SpeedGuess::default() };
            let plan = drivelab_method::expand(&method, form, &shape).expect("a plan");
            for step in plan.steps() {
                let Action::Io { workload, stop, ramp } = &step.action else { continue };
                let by_volume = stop.time.is_none()
                    && (stop.volume.or(stop.coverage.map(|_| wanted)).is_some() || stop.passes.is_some());
                let alone = workload.beside.is_empty() && workload.replay.is_none() && workload.files.is_none();
                if !by_volume || !alone || ramp.get() > 0 {
                    continue;
                }
                let (record, _) = run(&on_nop(workload, |_| Pace::default()), stop);
                let (said, is) = (step.estimated_written.as_f64(), record.write.bytes.as_f64());
                let blocks = workload.mean_block_size() * f64::from(workload.threads.get());
                let writes = f64::from(workload.write_percent.get()) / 100.0;
                // Chance decides which operations of a mix write.
                let operations = said / workload.mean_block_size().max(1.0) / writes.max(0.01);
                let chance = DEVIATIONS * (operations * writes * (1.0 - writes)).sqrt() * workload.mean_block_size();
                let name = format!("{} {} {}", built_in.name, method.profile(), step.id);
                assert!((said - is).abs() <= PLAN_WITHIN * is + blocks + chance, "{name}: {said} said, {is} written");
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}
