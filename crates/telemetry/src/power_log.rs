//! The power that an NVMe drive measures itself, as a source (log page 25h and feature 25h, Power Measurement, of the
//! NVM Express Base Specification 2.3).
//!
//! The log holds the mean since the measurement was started. So that a sample covers its own time only, each reading
//! takes that mean and starts the measurement again: a window. The drive continues to measure between readings, so a
//! step without readings has its mean too. Nothing is started before the first reading; what was started is stopped
//! when the source is dropped, and would stop on its own. Not yet tried on hardware: no available drive has this
//! page.

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;
use drivelab_nvme::{Controller, NvmeError, PowerMeasurement, PowerMeasurementSetting, Transport};

/// The log page of the measurement.
const LOG: u8 = 0x25;
/// Actions of the feature (Base 2.3, Power Measurement, bits 3:0).
const STOP: u8 = 0;
const START: u8 = 1;
/// The mean is over whole intervals (one second on the drives that the specification assumes), so a window must
/// contain several of them.
const LEAST_WINDOW: Nanos = Nanos::from_secs(5);
/// Largest distance between samples of a window's mean, so that they follow each other without a gap.
const REPEAT_NS: u64 = 10_000_000_000;
/// Minutes without a new start after which the drive stops on its own: after a SIGKILL no process is left to stop it.
const STOPS_AFTER_MIN: u16 = 60;

/// A measurement in progress.
#[derive(Debug, Clone, Copy)]
struct Window {
    began_ns: u64,
    /// The drive's number of it, which increases with every start by any program.
    generation: u8,
}

/// The measurement of one controller.
pub(crate) struct PowerLog<T: Transport> {
    controller: Controller<T>,
    disk: String,
    origin: String,
    accuracy: String,
    every: Nanos,
    /// The feature's setting from before, without a measurement in progress.
    before: PowerMeasurementSetting,
    stop_after_min: u16,
    window: Option<Window>,
    /// The feature was set, and has to be restored.
    touched: bool,
}

impl<T: Transport> PowerLog<T> {
    /// Checks that the controller measures its power and that no other program uses this. Changes nothing.
    ///
    /// # Errors
    /// It does not measure, or another program uses it: a sentence fragment.
    pub(crate) fn open(controller: Controller<T>, disk: &str, origin: String, every: Nanos) -> Result<Self, String> {
        let text = |error: NvmeError| error.to_string();
        let identify = controller.identify_controller().map_err(text)?.decoded;
        if !identify.attributes.power_measurement {
            return Err(format!("{origin}: the drive does not measure its power (Identify Controller, CTRATT bit 21)"));
        }
        if !controller.supported_logs().map_err(text)?.decoded.has(LOG) {
            return Err(format!(
                "{origin}: the drive reports that it measures its power but has no log page {LOG:02X}h"
            ));
        }
        let before = controller.power_measurement_setting().map_err(text)?;
        let page = controller.power_measurement().map_err(text)?.decoded;
        if page.running {
            return Err(format!(
                "{origin}: another program has already started the drive's power measurement, so drivelab does not touch it \
                 (a measurement that a killed drivelab left stops on its own within {STOPS_AFTER_MIN} min)"
            ));
        }
        let longest = Some(identify.power_measurement_max_min).filter(|minutes| *minutes > 0);
        let stop_after_min = longest.map_or(STOPS_AFTER_MIN, |longest| longest.min(STOPS_AFTER_MIN));
        Ok(PowerLog {
            accuracy: accuracy(&page),
            before: PowerMeasurementSetting { action: STOP, ..before },
            every: every.max(LEAST_WINDOW),
            disk: disk.to_owned(),
            controller,
            origin,
            stop_after_min,
            window: None,
            touched: false,
        })
    }

    /// Starts a window.
    fn start(&mut self, clock: &dyn RunClock) -> Result<(), String> {
        let text = |error: NvmeError| error.to_string();
        let setting = PowerMeasurementSetting { action: START, stop_after_min: self.stop_after_min, ..self.before };
        self.window = None;
        // It may run from here on, even if the answer is an error.
        self.touched = true;
        self.controller.set_power_measurement(setting).map_err(text)?;
        let began_ns = clock.now_ns();
        let generation = self.controller.power_measurement().map_err(text)?.decoded.generation;
        self.window = Some(Window { began_ns, generation });
        Ok(())
    }

    /// The samples of a window that ends now; none if not one interval of it is complete.
    fn samples(
        &self,
        window: Window,
        at_ns: u64,
        read_ns: u64,
        page: &PowerMeasurement,
    ) -> Result<Vec<Sample>, String> {
        let Self { origin, .. } = self;
        if page.generation != window.generation {
            return Err(format!("{origin}: another program started the drive's power measurement in the meantime"));
        }
        if !page.running {
            return Err(format!("{origin}: the drive's power measurement stopped before it was read"));
        }
        if page.has_gaps {
            return Err(format!("{origin}: the drive reports that its power measurement has gaps"));
        }
        if page.intervals == 0 {
            return Ok(Vec::new());
        }
        let mean = page.average_power_uw.ok_or_else(|| format!("{origin}: the drive's power log has no mean"))?;
        let values = vec![Some(watts(mean)), page.maximum_power_uw.map(watts)];
        let mut samples = Vec::new();
        let mut next_ns = window.began_ns.saturating_add(1);
        while next_ns < at_ns {
            samples.push(Sample { at_ns: next_ns, read_ns: 0, values: values.clone() });
            next_ns = next_ns.saturating_add(REPEAT_NS);
        }
        samples.push(Sample { at_ns, read_ns, values });
        Ok(samples)
    }
}

#[expect(clippy::cast_precision_loss, reason = "microwatts of a drive stay below 2^53")]
fn watts(microwatts: u64) -> f64 {
    microwatts as f64 / 1e6
}

/// The accuracy that the drive states.
fn accuracy(page: &PowerMeasurement) -> String {
    let how = if page.estimated { "estimated by the drive, not measured" } else { "measured by the drive" };
    let error = page.error_percent.map_or("error not stated".to_owned(), |percent| format!("error up to {percent} %"));
    format!("{how}, {error}; each value is the mean of the whole intervals since the previous reading")
}

impl<T: Transport + Send> TelemetrySource for PowerLog<T> {
    fn describe(&self) -> SourceDescription {
        SourceDescription {
            id: SourceId::new(format!("power_log:{}", self.disk)),
            kind: SourceKind::PowerLog,
            about: About::Drive(self.disk.clone()),
            origin: self.origin.clone(),
            accuracy: self.accuracy.clone(),
            disturbs: Disturbs::Drive,
            every: self.every,
            cost: None,
            series: vec![
                SeriesDescription::new("power", Quantity::Power),
                SeriesDescription::new("highest interval", Quantity::Power),
            ],
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        let Some(window) = self.window else { return self.start(clock).map(|()| Vec::new()) };
        let at_ns = clock.now_ns();
        let page = self.controller.power_measurement().map_err(|error| error.to_string())?.decoded;
        let read_ns = clock.now_ns().saturating_sub(at_ns);
        let samples = self.samples(window, at_ns, read_ns, &page);
        if !matches!(&samples, Ok(none) if none.is_empty()) {
            // If that fails, the next reading tries again and reports the error.
            let _ = self.start(clock);
        }
        samples
    }
}

impl<T: Transport> Drop for PowerLog<T> {
    /// Stops what was started and restores the feature.
    fn drop(&mut self) {
        if self.touched {
            // If the drive is gone or refuses, nothing more can be done: it stops on its own.
            let _ = self.controller.set_power_measurement(self.before);
        }
    }
}

#[cfg(test)]
mod tests;
