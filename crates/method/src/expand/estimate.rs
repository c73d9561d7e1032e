//! What a step is expected to cost in time and bytes written, from a guess of the target's speed.
//!
//! An estimate for people and for progress bars; no result depends on it.

use drivelab_core::files::{FileLoad, FilePlace, FileWork};
use drivelab_core::load::Verify;
use drivelab_core::plan::{Action, Rest, StopRule};
use drivelab_core::replay::Replay;
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_core::workload::{Pattern, Streams, Workload};

use crate::scope::SpeedGuess;

/// Opening rings, filling buffers and joining threads around a step; measured values are lower.
const SETUP: Nanos = Nanos::from_millis(100);

/// Queue depth at which the guessed random rate is reached; at lower depths the rate is assumed to be proportional to
/// the depth.
const FULL_DEPTH: f64 = 32.0;

/// Trims and write-zeroes per second, whatever their size: metadata work that a SATA SSD does one after the other.
const ERASES_PER_SECOND: f64 = 20_000.0;

/// Flushes per second: about a millisecond each, and only one runs at a time.
const FLUSHES_PER_SECOND: f64 = 1000.0;

/// What a load is expected to do in a second.
#[derive(Debug, Clone, Copy, Default)]
struct Flow {
    operations: f64,
    /// Bytes that count towards a volume: those of all operations except flushes.
    bytes: f64,
    written: f64,
}

impl SpeedGuess {
    /// Bytes per second of this load's reads or writes with this many operations in flight; at least 1, whatever the
    /// guess is.
    fn rate(&self, load: &Workload, in_flight: f64) -> f64 {
        let sequential = self.throughput.get();
        let depth_share = (in_flight / FULL_DEPTH).min(1.0);
        let random = (self.random_iops * depth_share * load.mean_block_size()).min(sequential);
        let jumps = match load.pattern {
            Pattern::Sequential | Pattern::Reverse => f64::from(load.seek_percent.get()) / 100.0,
            Pattern::Random | Pattern::RandomOnce => 1.0,
        };
        let rate = 1.0 / ((1.0 - jumps) / sequential + jumps / random);
        if rate.is_finite() { rate.max(1.0) } else { 1.0 }
    }

    /// What one group of a step does while others run; all groups share the target in proportion to their queue
    /// depths.
    fn flow(&self, load: &Workload, all_in_flight: f64) -> Flow {
        let share = |percent: Percent| f64::from(percent.get()) / 100.0;
        let in_flight = f64::from(load.queue_depth.get()) * f64::from(load.threads.get());
        let (writes, flushes) = (share(load.write_percent), share(load.other.flush_percent));
        let erases = share(load.other.trim_percent) + share(load.other.write_zeroes_percent);
        let reads = (1.0 - writes - erases - flushes).max(0.0);
        let read_back = if load.verify == Verify::AtOnce { writes } else { 0.0 };
        let synced = if load.other.sync_every > 0 { writes / f64::from(load.other.sync_every) } else { 0.0 };
        let seconds = (reads + writes + read_back) * load.mean_block_size() / self.rate(load, all_in_flight)
            + erases / ERASES_PER_SECOND
            + (flushes + synced) / FLUSHES_PER_SECOND;
        let capacity = (in_flight / all_in_flight.max(1.0)) / seconds.max(1e-9);
        let think = load.pace.think_time.as_secs_f64();
        let closed = in_flight / (in_flight / capacity + think);
        let asked = load.pace.rate.map_or(closed, |rate| rate.iops().min(capacity));
        let by_time = load.pace.bursts.map_or(1.0, |bursts| {
            let on = bursts.on.as_secs_f64();
            on / (on + bursts.off.as_secs_f64())
        });
        let active = load.pace.volume_bursts.map_or(by_time, |bursts| share(bursts.duty_percent));
        let operations = asked * active;
        let bytes = operations * load.mean_block_size();
        Flow { operations, bytes: bytes * (1.0 - flushes), written: bytes * writes }
    }
}

/// Time of a step with its rest, and bytes that it writes.
pub(crate) fn step(action: &Action, rest: Rest, guess: &SpeedGuess) -> (Nanos, Bytes) {
    let (active, written) = match action {
        Action::Idle { time } => (*time, Bytes::new(0)),
        // Nobody knows how long cooling takes; it takes no time if the drive is cool.
        Action::CoolDown(_) => (Nanos::new(0), Bytes::new(0)),
        Action::Io { workload, stop, ramp } => match &workload.files {
            Some(files) => of_files(files, guess),
            None => load(workload, stop, *ramp, guess),
        },
    };
    let total = active.get().saturating_add(rest.after(active).get()).saturating_add(SETUP.get());
    (Nanos::new(total), written)
}

/// Opening, closing and naming a file if that needs the drive.
const A_FILE: Nanos = Nanos::new(100_000);

/// A set of files is processed once; a copy within the drive is both read and written.
fn of_files(load: &FileLoad, guess: &SpeedGuess) -> (Nanos, Bytes) {
    let bytes = load.bytes();
    let both = load.work == FileWork::Copy && load.of == FilePlace::Original;
    let moved = bytes.as_f64() * if both { 2.0 } else { 1.0 };
    let seconds = moved / guess.throughput.get().max(1.0);
    let names = A_FILE.get().saturating_mul(u64::from(load.set.count));
    let written = if load.work.makes() { bytes } else { Bytes::new(0) };
    (Nanos::new(nanos(seconds).get().saturating_add(names)), written)
}

/// Bytes that all threads move in one pass: the span once if they divide or share it, the whole span for each thread
/// if their streams overlap.
fn a_pass(load: &Workload) -> f64 {
    let overlap = matches!(load.streams, Streams::Overlapping | Streams::ByKind) && load.pattern != Pattern::Random;
    load.pass_bytes().as_f64() * if overlap { f64::from(load.threads.get()) } else { 1.0 }
}

/// The step's own load decides when the step ends; all groups write until then.
fn load(workload: &Workload, stop: &StopRule, ramp: Nanos, guess: &SpeedGuess) -> (Nanos, Bytes) {
    if let Some(replay) = &workload.replay {
        return replayed(workload, replay, stop, guess);
    }
    let all_in_flight = workload.total_depth() as f64;
    let own = guess.flow(workload, all_in_flight);
    let written_per_second: f64 = workload.groups().map(|group| guess.flow(group, all_in_flight).written).sum();
    let span = a_pass(workload);
    let volumes = [
        stop.volume.map(Bytes::as_f64),
        stop.passes.map(|count| span * f64::from(count)),
        stop.coverage.map(|share| span * f64::from(share.get()) / 100.0),
    ];
    let volume = volumes.into_iter().flatten().min_by(f64::total_cmp);
    let by_volume = volume.map(|bytes| nanos(bytes / own.bytes));
    let by_operations = stop.operations.map(|count| nanos(count as f64 / own.operations));
    // The cap counts from the start of the step and includes the ramp.
    let ramp = ramp.min(stop.cap);
    let most = Nanos::new(stop.cap.get() - ramp.get());
    let shortest = [stop.time, by_volume, by_operations].into_iter().flatten().min().unwrap_or(most);
    let measured = shortest.max(stop.at_least.unwrap_or_default()).min(most);
    let active = measured.get().saturating_add(ramp.get());
    let others = written_per_second - own.written;
    // The volume is exact if it is what ends the step.
    let own_measured = match volume {
        Some(bytes) if by_volume == Some(measured) => bytes * (own.written / own.bytes),
        _ => own.written * measured.as_secs_f64(),
    };
    let written = own_measured + own.written * ramp.as_secs_f64() + others * Nanos::new(active).as_secs_f64();
    (Nanos::new(active), Bytes::new(written.round() as u64))
}

/// A replay takes as long as its trace, or as long as the target needs for it; a part of the trace takes that part of
/// the time.
fn replayed(workload: &Workload, replay: &Replay, stop: &StopRule, guess: &SpeedGuess) -> (Nanos, Bytes) {
    let facts = &replay.facts;
    let bytes = facts.read.as_f64() + facts.written.as_f64();
    let closed = bytes / guess.rate(workload, workload.total_depth() as f64);
    let whole = replay.longest().map_or(closed, |longest| longest.as_secs_f64().max(closed)).max(1e-9);
    let parts = [
        stop.time.map(|time| time.as_secs_f64() / whole),
        stop.operations.map(|count| count as f64 / facts.issued(replay.trims).max(1) as f64),
        stop.volume.map(|volume| volume.as_f64() / bytes.max(1.0)),
        Some(stop.cap.as_secs_f64() / whole),
    ];
    let part = parts.into_iter().flatten().fold(1.0, f64::min);
    (nanos(whole * part), Bytes::new((facts.written.as_f64() * part).round() as u64))
}

fn nanos(seconds: f64) -> Nanos {
    Nanos::new((seconds * 1e9) as u64)
}
