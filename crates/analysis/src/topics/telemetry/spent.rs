//! The cost of a run besides time: power of the idle drive, and CPU time of the host per byte moved.
//! docs/guide/conditions.md defines the figures.

use drivelab_core::group::CoreTime;
use drivelab_core::plan::Step;
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::Quantity;

use super::course::course;
use super::values::{LEAST_CPU_MS, idle_steps, of_drive};

/// Average power of the drive over the idle steps (`action = "idle"`), W, weighted by their lengths. `None` without
/// idle steps, and if nothing measured the drive's power for long enough.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a run stay below 2^53")]
pub fn idle_watts(records: &RunRecords) -> Option<f64> {
    let (source, series) = of_drive(&records.telemetry, Quantity::Power)?;
    let told = idle_steps(records).filter_map(|idle| {
        let course = course(source, series, idle.from_ns, idle.to_ns)?;
        Some((idle.to_ns.saturating_sub(idle.from_ns) as f64, course.mean))
    });
    let (length, energy) = told.fold((0.0, 0.0), |(all, sum), (length, watts)| (all + length, sum + length * watts));
    (length > 0.0).then(|| energy / length)
}

/// CPU time of the whole host, whatever used it, for each 10^9 bytes that these steps moved, s/GB: over every execution
/// with recorded CPU times of the host, ramps included. `None` without such executions, if nothing was moved, and below
/// [`LEAST_CPU_MS`].
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "milliseconds and bytes stay below 2^53")]
pub fn cpu_s_per_gb(records: &RunRecords, steps: &[&Step]) -> Option<f64> {
    let (mut used_ms, mut bytes) = (0, 0);
    for cpu in records.host_cpu.iter().filter(|cpu| steps.iter().any(|step| step.id == cpu.key.step)) {
        used_ms += cpu.cores.iter().map(CoreTime::busy_ms).sum::<u64>();
        let own = records.intervals.iter().filter(|interval| interval.key == cpu.key);
        bytes += own.map(|interval| interval.read.bytes.get() + interval.write.bytes.get()).sum::<u64>();
    }
    (used_ms >= LEAST_CPU_MS && bytes > 0).then(|| used_ms as f64 / 1e3 / (bytes as f64 / 1e9))
}

#[cfg(test)]
mod tests;
