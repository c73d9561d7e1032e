//! Memory pressure and suspends of the host.

use std::path::PathBuf;

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;
use drivelab_device::Roots;
use drivelab_device::roots::read;
use rustix::time::{ClockId, clock_gettime};

use crate::reading::stamped;
use crate::text::pressure_totals;

/// Time that tasks waited for memory.
#[derive(Debug)]
pub(crate) struct MemoryPressure {
    path: PathBuf,
    every: Nanos,
}

impl MemoryPressure {
    /// Checks that the kernel records it.
    pub(crate) fn open(roots: &Roots, every: Nanos) -> Result<Self, String> {
        let path = roots.proc.join("pressure/memory");
        read(&path)
            .map_err(|error| format!("{error} (the kernel needs CONFIG_PSI, and psi=1 if it is off by default)"))?;
        Ok(MemoryPressure { path, every })
    }
}

impl TelemetrySource for MemoryPressure {
    fn describe(&self) -> SourceDescription {
        SourceDescription {
            id: SourceId::new("memory_pressure"),
            kind: SourceKind::MemoryPressure,
            about: About::Host,
            origin: self.path.display().to_string(),
            accuracy: "microseconds, as the kernel sums them".to_owned(),
            disturbs: Disturbs::Host,
            every: self.every,
            cost: None,
            series: vec![
                SeriesDescription::new("some", Quantity::StallTime),
                SeriesDescription::new("full", Quantity::StallTime),
            ],
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || Ok(pressure_totals(&read(&self.path)?).to_vec()))
    }
}

/// Time for which the machine was suspended since boot. CLOCK_MONOTONIC stops during a suspend, and so does the run
/// clock; CLOCK_BOOTTIME continues (clock_gettime(2)).
#[derive(Debug)]
pub(crate) struct Suspends {
    pub(crate) every: Nanos,
}

/// Seconds for which the machine was suspended since boot: CLOCK_BOOTTIME minus CLOCK_MONOTONIC (clock_gettime(2)),
/// to the millisecond, because the two are read one after the other.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "times since boot fit")]
pub fn suspended_s() -> f64 {
    let nanos = |id: ClockId| {
        let time = clock_gettime(id);
        i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
    };
    let monotonic = nanos(ClockId::Monotonic);
    let millis = (nanos(ClockId::Boottime) - monotonic + 500_000) / 1_000_000;
    millis.max(0) as f64 / 1e3
}

impl TelemetrySource for Suspends {
    fn describe(&self) -> SourceDescription {
        SourceDescription {
            id: SourceId::new("suspend"),
            kind: SourceKind::Suspend,
            about: About::Host,
            origin: "CLOCK_BOOTTIME minus CLOCK_MONOTONIC".to_owned(),
            accuracy: "a millisecond".to_owned(),
            disturbs: Disturbs::Host,
            every: self.every,
            cost: None,
            series: vec![SeriesDescription::new("suspended", Quantity::SuspendedTime)],
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || Ok(vec![Some(suspended_s())]))
    }
}
