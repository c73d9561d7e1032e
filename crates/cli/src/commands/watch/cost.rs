//! `drivelab watch TARGET --cost`: what reading each source costs, and reads of the target without and with the
//! sampler in turn (A, B, A, B), so that both contain any drift of the machine. The result is kept in the data folder
//! for later runs.

use std::sync::Arc;

use drivelab_core::backend::{Backend, StepRequest};
use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::exit::ExitCode;
use drivelab_core::histogram::SparseHistogram;
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::plan::StopRule;
use drivelab_core::telemetry::{Observer, TelemetryDescribed};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::watching_cost::{ReadLatency, WatchedSource, WatchingCost};
use drivelab_core::workload::{Span, Workload};
use drivelab_device::{BlockNode, Roots, identity_of};
use drivelab_lab::lab::now;
use drivelab_lab::run::wiring::engine;
use drivelab_lab::set_up::watching;
use drivelab_lab::target::opened::OpenedIo;
use drivelab_lab::{Failure, Result};
use drivelab_report::{WatchCost, format};
use drivelab_store::write_watching_cost;
use drivelab_telemetry::{Rates, Sampler, SamplerOptions, discover};

use crate::args::{PrintArgs, WatchArgs};
use crate::context::{Context, tool};
use crate::front::terminal::Terminal;
use crate::say;

/// Pairs of measurements, without and with the sampler.
const PAIRS: u32 = 5;
/// Length of one measurement.
const STRETCH: Nanos = Nanos::from_secs(2);

/// Measures, and prints the result.
pub(super) fn cost(
    context: &Context,
    arguments: &WatchArgs,
    rates: Rates,
    node: &BlockNode,
    disks: &[String],
) -> Result {
    let opened = OpenedIo::read_only(drivelab_device::open_device_to_read(node)?);
    let length = opened.facts.length;
    let print = PrintArgs { events: None, json: arguments.json, fail_if: Vec::new() };
    let terminal = Terminal::new(context, &print);
    let options = engine(&context.lab(&terminal), None)?;
    let telemetry = arguments.telemetry.asked();
    let mut engine = opened.target.backend(options)?;
    let clock: Arc<dyn RunClock> = Arc::new(MonotonicClock::starting_at(0));
    let (mut without, mut with, mut described) = (SparseHistogram::default(), SparseHistogram::default(), None);
    for _ in 0..PAIRS {
        without.merge(&stretch(&mut *engine, &*clock, length)?);
        let found = discover(&Roots::default(), &watching::wanted(&telemetry, disks.to_vec(), rates));
        let found = found.map_err(|error| watching::unusable_meter(&telemetry, &error))?;
        let options = SamplerOptions { always: true, abort_above: None, remarks: found.remarks };
        let mut sampler = Sampler::start(found.sources, Arc::clone(&clock), StopToken::default(), options);
        with.merge(&stretch(&mut *engine, &*clock, length)?);
        described.get_or_insert_with(|| sampler.described());
        let _ = sampler.finish();
    }
    let described = described.unwrap_or_default();
    let (without, with) = (ReadLatency::of(&without), ReadLatency::of(&with));
    keep(context, node, &described, without, with);
    show(arguments, described, without, with)
}

/// Keeps the measurement for later runs on this drive, which record it. A host without a place for it still gets its
/// answer.
fn keep(context: &Context, node: &BlockNode, described: &TelemetryDescribed, without: ReadLatency, with: ReadLatency) {
    let voice = &context.settings.voice;
    // Even if a partition was read, runs look for the whole drive.
    let whole = BlockNode::by_name(&Roots::default(), &node.whole);
    let device = identity_of(whole.as_ref().unwrap_or(node));
    let sources = described.sources.iter();
    let cost = WatchingCost {
        measured: now(),
        version: tool().version,
        profile: tool().profile,
        kernel: drivelab_device::testbed_facts(None).kernel,
        device,
        sources: sources.map(|source| WatchedSource { id: source.id.to_string(), every: source.every }).collect(),
        pairs: PAIRS,
        stretch: STRETCH,
        without,
        with,
    };
    match context.data().and_then(|data| Ok(write_watching_cost(&data, &cost)?)) {
        Ok(()) => voice.say("kept: runs on this drive record it, and their reports state it"),
        Err(failure) => voice.warn(format!("not kept for later runs: {}", failure.message)),
    }
}

/// Random 4 KiB reads, one at a time.
fn stretch(engine: &mut dyn Backend, clock: &dyn RunClock, length: Bytes) -> Result<SparseHistogram> {
    let workload = Workload {
        span: Span { offset: Bytes::new(0), length: length.align_down(Bytes::new(4096)) },
        ..Workload::default()
    };
    let stop_rule = StopRule { time: Some(STRETCH), ..StopRule::capped(Nanos::from_secs(60)) };
    let key = StepKey { step: StepId::new("cost", "read"), round: 1 };
    let request = StepRequest {
        key: &key,
        workload: &workload,
        stop_rule: &stop_rule,
        ramp: Nanos::new(0),
        interval: Nanos::from_secs(1),
        clock,
        stop: &StopToken::default(),
    };
    let record = engine.run_step(request, &mut |_| {});
    record
        .map(|record| record.read.histogram)
        .map_err(|error| Failure::new(ExitCode::TargetUnusable, format!("the target cannot be read: {error}")))
}

fn show(arguments: &WatchArgs, described: TelemetryDescribed, without: ReadLatency, with: ReadLatency) -> Result {
    if arguments.json {
        say::json(&WatchCost {
            schema: "drivelab.watch-cost",
            schema_version: 1,
            target: arguments.target.clone(),
            sources: described.sources,
            without,
            with,
        })?;
        return Ok(ExitCode::Ok);
    }
    let us = |time: Nanos| format::latency_us(time.as_secs_f64() * 1e6);
    let mut text = format!("{:<34} {:>9} {:>12} {:>10} {:>8}\n", "source", "every", "reading µs", "longest", "CPU µs");
    for source in &described.sources {
        let cost = source.cost.unwrap_or_default();
        let (mean, max, cpu) = (us(cost.time_mean), us(cost.time_max), us(cost.cpu_mean));
        let every = format::duration(source.every);
        text.push_str(&format!("{:<34} {every:>9} {mean:>12} {max:>10} {cpu:>8}\n", source.id.to_string()));
    }
    text.push_str(&format!(
        "\nReads of 4 KiB, one at a time, {PAIRS} times {} each way:\n{:<16} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
        format::duration(STRETCH),
        "",
        "reads",
        "mean µs",
        "median µs",
        "p99 µs",
        "max µs"
    ));
    let told = |time: Option<f64>| time.map_or_else(|| "-".to_owned(), format::latency_us);
    for (name, way) in [("without", without), ("with watching", with)] {
        text.push_str(&format!(
            "{name:<16} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
            format::count(way.reads),
            format::latency_us(way.mean_us),
            told(way.p50_us),
            told(way.p99_us),
            format::latency_us(way.max_us)
        ));
    }
    say::data(&text)?;
    Ok(ExitCode::Ok)
}
