//! Watching beside the I/O: which phase a step is, when samples are collected, why a run was stopped by heat.

use drivelab_core::clock::StopCause;
use drivelab_core::event::EventBody;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{Action, CoolDown, Step};
use drivelab_core::telemetry::{About, Observer, Phase, Quantity, SourceDescription, SourceKind};

use crate::emit::Emitter;
use crate::fanout::RecorderLost;
use crate::run::{Halt, Session};

/// Between two looks at a drive that is cooling down.
const LOOK_EVERY_NS: u64 = 2_000_000_000;
/// How often a first temperature is asked for again before it counts as not there, and after which pause.
const FIRST_LOOKS: u32 = 5;
const FIRST_LOOK_EVERY_NS: u64 = 1_000_000_000;
/// While nothing else happens, samples are collected so often.
const COLLECT_EVERY_NS: u64 = 500_000_000;

/// What a step asks of those who watch. One operation in flight measures latency: nothing may come in between.
pub(crate) fn phase_of(step: &Step) -> Phase {
    match &step.action {
        Action::Idle { .. } | Action::CoolDown(_) => Phase::Idle,
        Action::Io { workload, .. } if workload.total_depth() <= 1 => Phase::LatencyCritical,
        Action::Io { .. } => Phase::Ordinary,
    }
}

/// Whether a source tells the temperature of a drive.
fn is_thermometer(source: &SourceDescription) -> bool {
    matches!(source.about, About::Drive(_)) && source.series.iter().any(|one| one.quantity == Quantity::Temperature)
}

/// Who watches, and when the samples were last collected.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) observer: Option<Box<dyn Observer>>,
    collected_ns: u64,
}

impl Watch {
    pub(crate) fn by(observer: Option<Box<dyn Observer>>) -> Self {
        Watch { observer, collected_ns: 0 }
    }

    /// Records what was sampled.
    pub(crate) fn collect(&mut self, emitter: &mut Emitter, now_ns: u64) -> Result<(), RecorderLost> {
        self.collected_ns = now_ns;
        match self.observer.as_mut().and_then(|observer| observer.collect()) {
            Some(batch) => emitter.emit(EventBody::Telemetry(batch)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Whether anything counts what the drive writes to its media.
    pub(crate) fn counts_media_writes(&self) -> bool {
        self.has(|source| source.kind == SourceKind::MediaWrites)
    }

    /// Whether anything tells the drive's temperature.
    pub(crate) fn tells_temperature(&self) -> bool {
        self.has(is_thermometer)
    }

    /// Whether a source of this kind is watched.
    fn has(&self, is: impl Fn(&SourceDescription) -> bool) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.described().sources.iter().any(is))
    }

    /// [`Self::collect`], where the last time is long enough ago: intervals may come ten times a second.
    pub(crate) fn collect_now_and_then(&mut self, emitter: &mut Emitter, now_ns: u64) -> Result<(), RecorderLost> {
        if now_ns.saturating_sub(self.collected_ns) < COLLECT_EVERY_NS {
            return Ok(());
        }
        self.collect(emitter, now_ns)
    }

    /// Stops sampling and records the rest.
    pub(crate) fn finish(&mut self, emitter: &mut Emitter) -> Result<(), RecorderLost> {
        match self.observer.take().and_then(|mut observer| observer.finish()) {
            Some(batch) => emitter.emit(EventBody::Telemetry(batch)).map(|_| ()),
            None => Ok(()),
        }
    }
}

impl Session<'_> {
    /// Says what is watched.
    pub(crate) fn describe(&mut self) -> Result<(), Halt> {
        if let Some(observer) = &self.watch.observer {
            self.emitter.emit_and_wait(EventBody::TelemetryDescribed(observer.described()))?;
        }
        Ok(())
    }

    /// Those who watch enter a phase; what they read at the border is recorded.
    pub(crate) fn enter(&mut self, phase: Phase) -> Result<(), Halt> {
        if let Some(observer) = &mut self.watch.observer {
            observer.enter(phase);
        }
        self.watch.collect(&mut self.emitter, self.clock.now_ns())?;
        Ok(())
    }

    /// Waits until a run time, and records meanwhile what is sampled.
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

    /// Waits until the drive is cool enough, and says how it goes. Its temperature is looked at seldom: each look may
    /// wake it. Where the time is over the run goes on; analysis makes a finding of it.
    pub(crate) fn cool_down(&mut self, key: &StepKey, wait: CoolDown) -> Result<(), Halt> {
        // One reading that fails is no reason to give a run up.
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
                "nothing tells the drive's temperature; name".to_owned()
            };
            return Err(Halt::Failed(format!(
                "{key} is to begin below {below} °C, and {why} a thermometer with --temperature-file, or run without that \
                 condition"
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

    /// Who or what asked for the stop.
    pub(crate) fn why_stopped(&self) -> String {
        let hot = self.watch.observer.as_ref().and_then(|observer| observer.too_hot());
        match (self.stop.cause(), hot) {
            (Some(StopCause::Heat), Some(why)) => why,
            (Some(StopCause::Heat), None) => "the drive was too hot".to_owned(),
            _ => "stopped by the user".to_owned(),
        }
    }
}
