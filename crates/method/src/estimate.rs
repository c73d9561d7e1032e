//! What a step is expected to cost in time and written bytes, from a guess of the target's speed.
//!
//! An estimate for people and for progress bars; no result rests on it.

use drivelab_core::plan::{Action, Rest, StopRule};
use drivelab_core::units::{Bytes, BytesPerSecond, Nanos};
use drivelab_core::workload::{Pattern, Workload};

/// Opening rings, filling buffers and joining threads around a step; measured values are below this.
const SETUP: Nanos = Nanos::from_millis(100);

/// Depth at which the guessed random rate is reached; below it the rate is taken as proportional to the depth.
const FULL_DEPTH: f64 = 32.0;

/// A guess of how fast the target is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedGuess {
    /// Sequential rate.
    pub throughput: BytesPerSecond,
    /// Random 4 KiB operations per second with 32 and more in flight.
    pub random_iops: f64,
}

impl Default for SpeedGuess {
    /// A SATA SSD: the slowest kind of drive that is common, so that an estimate is rarely too short.
    fn default() -> Self {
        SpeedGuess { throughput: BytesPerSecond::new(500e6), random_iops: 80_000.0 }
    }
}

impl SpeedGuess {
    /// Bytes per second that a workload is expected to move; at least 1, whatever the guess says.
    fn rate(&self, workload: &Workload) -> f64 {
        let sequential = self.throughput.get();
        let rate = match workload.pattern {
            Pattern::Sequential | Pattern::Reverse => sequential,
            Pattern::Random | Pattern::RandomOnce => {
                let depth_share = (workload.total_depth() as f64 / FULL_DEPTH).min(1.0);
                (self.random_iops * depth_share * workload.block_size.as_f64()).min(sequential)
            }
        };
        if rate.is_finite() { rate.max(1.0) } else { 1.0 }
    }
}

/// Time of a step with its rest, and bytes that it writes.
pub(crate) fn step(action: &Action, rest: Rest, guess: &SpeedGuess) -> (Nanos, Bytes) {
    let (active, written) = match action {
        Action::Idle { time } => (*time, Bytes::new(0)),
        Action::Io { workload, stop, ramp } => load(workload, stop, *ramp, guess),
    };
    let total = active.get().saturating_add(rest.after(active).get()).saturating_add(SETUP.get());
    (Nanos::new(total), written)
}

fn load(workload: &Workload, stop: &StopRule, ramp: Nanos, guess: &SpeedGuess) -> (Nanos, Bytes) {
    let rate = guess.rate(workload);
    let passes = |count: u32| Bytes::new(workload.span.length.get().saturating_mul(u64::from(count)));
    let volume = [stop.volume, stop.passes.map(passes)].into_iter().flatten().min();
    let by_volume = volume.map(|bytes| nanos(bytes.as_f64() / rate));
    // The cap counts from the start of the step, the ramp inside.
    let ramp = ramp.min(stop.cap);
    let most = Nanos::new(stop.cap.get() - ramp.get());
    let shortest = [stop.time, by_volume].into_iter().flatten().min().unwrap_or(most);
    let measured = shortest.max(stop.at_least.unwrap_or_default()).min(most);
    let at_rate = rate * measured.as_secs_f64();
    // The volume is exact where it is what ends the step.
    let moved = match volume {
        Some(bytes) if by_volume == Some(measured) => bytes.as_f64(),
        _ => at_rate,
    };
    let moved = moved + rate * ramp.as_secs_f64();
    let written = moved * f64::from(workload.write_percent.get()) / 100.0;
    (Nanos::new(measured.get().saturating_add(ramp.get())), Bytes::new(written as u64))
}

fn nanos(seconds: f64) -> Nanos {
    Nanos::new((seconds * 1e9) as u64)
}
