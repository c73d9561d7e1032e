//! What this host can generate: the engine itself on targets that cost nothing, in three rounds each.

use std::path::Path;

use drivelab_core::backend::{Backend, StepRequest};
use drivelab_core::ceilings::Ceiling;
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::ids::{RunId, StepId, StepKey};
use drivelab_core::load::Placement;
use drivelab_core::plan::StopRule;
use drivelab_core::record::StepRecord;
use drivelab_core::units::{Bytes, Nanos, Percent, QueueDepth, Threads};
use drivelab_core::workload::{Span, Workload};
use drivelab_device::guard::Destroy;
use drivelab_engine::{BackendChoice, Options};
use drivelab_lab::target::naming::place_of;
use drivelab_lab::target::opened::{Needs, Wanted};
use drivelab_lab::target::place::NOP;
use drivelab_lab::{Failure, Result, Voice};

/// Rounds of each measurement; the median is shown.
const ROUNDS: usize = 3;
/// Addresses that operations are spread over.
const SPAN: Bytes = Bytes::GIB;

/// One kind of load.
struct Load {
    name: &'static str,
    place: &'static str,
    writes: bool,
    depth: u64,
    threads: u32,
    backend: BackendChoice,
    is_bound: bool,
}

const fn load(name: &'static str, place: &'static str, depth: u64, backend: BackendChoice) -> Load {
    Load { name, place, writes: false, depth, threads: 1, backend, is_bound: false }
}

fn loads(cpus: u32) -> Vec<Load> {
    let ring = BackendChoice::Uring;
    vec![
        load("ring alone (nop:), depth 128", NOP, 128, ring),
        load("ring alone (nop:), depth 1", NOP, 1, ring),
        Load { threads: cpus, ..load("ring alone (nop:), depth 128, all CPUs", NOP, 128, ring) },
        Load { writes: true, is_bound: true, ..load("writes to /dev/null, depth 128", "/dev/null", 128, ring) },
        Load { writes: true, ..load("writes to /dev/null, sync", "/dev/null", 1, BackendChoice::Sync) },
        Load {
            writes: true,
            threads: cpus,
            ..load("writes to /dev/null, depth 128, all CPUs", "/dev/null", 128, ring)
        },
        load("reads of /dev/zero, depth 128", "/dev/zero", 128, ring),
        Load { threads: cpus, ..load("reads of /dev/zero, depth 128, all CPUs", "/dev/zero", 128, ring) },
    ]
}

/// Measures all loads, with a step of this length for each round.
pub(super) fn measure(time: Nanos, cpus: u32, voice: &Voice) -> Vec<Ceiling> {
    let loads = loads(cpus);
    let total = loads.len();
    let one = |(number, load): (usize, &Load)| {
        voice.say(format!("measuring {} of {total}: {}", number + 1, load.name));
        rounds(load, time, voice).unwrap_or_else(|failure| Ceiling {
            name: load.name.to_owned(),
            iops: None,
            spread: 0.0,
            user_ns_per_io: 0.0,
            system_ns_per_io: 0.0,
            operations_per_syscall: 0.0,
            is_bound: load.is_bound,
            error: Some(failure.message),
        })
    };
    loads.iter().enumerate().map(one).collect()
}

fn rounds(load: &Load, time: Nanos, voice: &Voice) -> Result<Ceiling> {
    let needs = Needs { reads: !load.writes, writes: load.writes, ..Needs::default() };
    let wanted = Wanted { run: RunId::now(), needs, destroy: &Destroy::default(), size: Some(SPAN), own: false };
    let opened = place_of(Path::new(load.place))?.open(&wanted, voice)?;
    let mut engine = opened.target.backend(Options::new(load.backend))?;
    let workload = workload(load)?;
    let mut records = Vec::new();
    for round in 0..ROUNDS {
        records.push(step(&mut *engine, &workload, time, round)?);
    }
    Ok(ceiling(load, &records))
}

fn unfit(error: impl std::fmt::Display) -> Failure {
    Failure::new(drivelab_core::exit::ExitCode::HostNotFit, error.to_string())
}

fn workload(load: &Load) -> Result<Workload> {
    let cpus = if load.threads > 1 { (0..load.threads).collect() } else { Vec::new() };
    Ok(Workload {
        write_percent: Percent::new(if load.writes { 100 } else { 0 }).map_err(unfit)?,
        span: Span { offset: Bytes::new(0), length: SPAN },
        queue_depth: QueueDepth::new(load.depth).map_err(unfit)?,
        threads: Threads::new(u64::from(load.threads)).map_err(unfit)?,
        direct: false,
        placement: Placement { cpus, batch: 0 },
        ..Workload::default()
    })
}

fn step(engine: &mut dyn Backend, workload: &Workload, time: Nanos, round: usize) -> Result<StepRecord> {
    let key = StepKey { step: StepId::new("doctor", "ceiling"), round: u32::try_from(round).unwrap_or(0) + 1 };
    let stop_rule = StopRule { time: Some(time), ..StopRule::capped(Nanos::from_secs(600)) };
    let request = StepRequest {
        key: &key,
        workload,
        stop_rule: &stop_rule,
        ramp: Nanos::new(0),
        interval: Nanos::from_secs(1),
        clock: &MonotonicClock::starting_at(0),
        stop: &StopToken::default(),
    };
    engine.run_step(request, &mut |_| ()).map_err(unfit)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn ceiling(load: &Load, records: &[StepRecord]) -> Ceiling {
    let mut rates: Vec<f64> = records.iter().map(|record| record.read.iops + record.write.iops).collect();
    rates.sort_by(f64::total_cmp);
    let median = rates.get(rates.len() / 2).copied();
    let range = rates.last().zip(rates.first()).map_or(0.0, |(most, least)| most - least);
    let sum = |of: &dyn Fn(&StepRecord) -> u64| records.iter().map(of).sum::<u64>() as f64;
    let effort = |of: fn(&drivelab_core::record::Effort) -> u64| {
        move |record: &StepRecord| record.engine.effort.as_ref().map_or(0, of)
    };
    let operations = sum(&effort(|effort| effort.operations)).max(1.0);
    Ceiling {
        name: load.name.to_owned(),
        iops: median,
        spread: median.filter(|median| *median > 0.0).map_or(0.0, |median| range / median),
        user_ns_per_io: sum(&|record| record.engine.cpu_user.get()) / operations,
        system_ns_per_io: sum(&|record| record.engine.cpu_system.get()) / operations,
        operations_per_syscall: operations / sum(&effort(|effort| effort.syscalls)).max(1.0),
        is_bound: load.is_bound,
        error: None,
    }
}
