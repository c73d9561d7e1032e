//! Waiting: between steps, until a drive is cool, with samples collected meanwhile.

use drivelab_core::clock::StopCause;
use drivelab_core::event::EventBody;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::CoolDown;
use drivelab_core::telemetry::Phase;

use crate::parts::{Halt, Session};
use crate::watch::COLLECT_EVERY_NS;

/// Time between two checks of a drive that is cooling.
const LOOK_EVERY_NS: u64 = 2_000_000_000;
/// How often a failed first temperature reading is repeated before it counts as absent, and the pause before each try.
const FIRST_LOOKS: u32 = 5;
const FIRST_LOOK_EVERY_NS: u64 = 1_000_000_000;

impl Session<'_> {
    /// Records the telemetry sources.
    pub(crate) fn describe(&mut self) -> Result<(), Halt> {
        if let Some(observer) = &self.watch.observer {
            self.emitter.emit_and_wait(EventBody::TelemetryDescribed(observer.described()))?;
        }
        Ok(())
    }

    /// The observer enters a phase; its readings at the boundary are recorded.
    pub(crate) fn enter(&mut self, phase: Phase) -> Result<(), Halt> {
        if let Some(observer) = &mut self.watch.observer {
            observer.enter(phase);
        }
        self.watch.collect(&mut self.emitter, self.clock.now_ns())?;
        Ok(())
    }

    /// Waits until a run time, and records samples in the meantime.
    pub(crate) fn wait_until(&mut self, until_ns: u64) -> Result<(), Halt> {
        loop {
            let slice_ns =
                if self.watch.observer.is_some() { self.clock.now_ns() + COLLECT_EVERY_NS } else { until_ns };
            if !self.clock.sleep_until(slice_ns.min(until_ns), &self.stop) {
                return Err(Halt::Stopped);
            }
            self.watch.collect_now_and_then(&mut self.emitter, self.clock.now_ns())?;
            if self.clock.now_ns() >= until_ns {
                return Ok(());
            }
        }
    }

    /// Waits until the drive is cool enough, and records the progress. Its temperature is read rarely, because each
    /// reading may wake it. If the time limit is reached, the run continues; analysis makes a finding of it.
    pub(crate) fn cool_down(&mut self, key: &StepKey, wait: CoolDown) -> Result<(), Halt> {
        // A single failed reading does not end the run.
        let mut first = self.temperature();
        for _ in 0..FIRST_LOOKS {
            if first.is_none() {
                self.wait_until(self.clock.now_ns().saturating_add(FIRST_LOOK_EVERY_NS))?;
                first = self.temperature();
            }
        }
        let Some(mut celsius) = first else {
            let below = wait.below_c;
            let why = if self.watch.tells_temperature() {
                let tries = FIRST_LOOKS + 1;
                format!("the drive's temperature could not be read in {tries} tries; check its sensor, name")
            } else {
                "no source reports the drive's temperature; name".to_owned()
            };
            return Err(Halt::Failed(format!(
                "{key} must begin below {below} °C, but {why} a thermometer with --temperature-file, or run without \
                 that condition"
            )));
        };
        let below = f64::from(wait.below_c);
        if celsius < below {
            return Ok(());
        }
        let until_ns = self.clock.now_ns().saturating_add(wait.cap.get());
        let below_c = wait.below_c;
        self.note(EventBody::CoolDownStarted { key: key.clone(), below_c, celsius, until_ns })?;
        self.enter(Phase::Idle)?;
        let mut known = Some(celsius);
        while known.is_none_or(|celsius| celsius >= below) && self.clock.now_ns() < until_ns {
            let look_ns = self.clock.now_ns().saturating_add(LOOK_EVERY_NS).min(until_ns);
            self.wait_until(look_ns)?;
            known = self.temperature();
            if let Some(now) = known.filter(|now| (*now - celsius).abs() >= 1.0) {
                celsius = now;
                self.note(EventBody::CoolingDown { key: key.clone(), celsius })?;
            }
        }
        let reached = known.is_some_and(|celsius| celsius < below);
        self.note(EventBody::CoolDownEnded { key: key.clone(), celsius: known, reached })?;
        self.enter(Phase::Ordinary)
    }

    fn temperature(&mut self) -> Option<f64> {
        self.watch.observer.as_mut().and_then(|observer| observer.drive_temperature()).map(|(_, celsius)| celsius)
    }

    /// Who or what requested the stop.
    pub(crate) fn why_stopped(&self) -> String {
        let hot = self.watch.observer.as_ref().and_then(|observer| observer.too_hot());
        match (self.stop.cause(), hot) {
            (Some(StopCause::Heat), Some(why)) => why,
            (Some(StopCause::Heat), None) => "the drive was too hot".to_owned(),
            _ => "stopped by the user".to_owned(),
        }
    }
}
