//! Watching beside the I/O: which phase a step is, when samples are collected, why a run was stopped by heat.

use drivelab_core::clock::StopCause;
use drivelab_core::event::EventBody;
use drivelab_core::plan::{Action, Step};
use drivelab_core::telemetry::{Observer, Phase};

use crate::emit::Emitter;
use crate::fanout::RecorderLost;
use crate::run::{Halt, Session};

/// While nothing else happens, samples are collected so often.
const COLLECT_EVERY_NS: u64 = 500_000_000;

/// What a step asks of those who watch. One operation in flight measures latency: nothing may come in between.
pub(crate) fn phase_of(step: &Step) -> Phase {
    match &step.action {
        Action::Idle { .. } => Phase::Idle,
        Action::Io { workload, .. } if workload.total_depth() <= 1 => Phase::LatencyCritical,
        Action::Io { .. } => Phase::Ordinary,
    }
}

/// Records what was sampled.
pub(crate) fn collect(observer: &mut Option<Box<dyn Observer>>, emitter: &mut Emitter) -> Result<(), RecorderLost> {
    match observer.as_mut().and_then(|observer| observer.collect()) {
        Some(batch) => emitter.emit(EventBody::Telemetry(batch)).map(|_| ()),
        None => Ok(()),
    }
}

impl Session<'_> {
    /// Says what is watched.
    pub(crate) fn describe(&mut self) -> Result<(), Halt> {
        if let Some(observer) = &self.observer {
            self.emitter.emit_and_wait(EventBody::TelemetryDescribed(observer.described()))?;
        }
        Ok(())
    }

    /// Those who watch enter a phase; what they read at the border is recorded.
    pub(crate) fn enter(&mut self, phase: Phase) -> Result<(), Halt> {
        if let Some(observer) = &mut self.observer {
            observer.enter(phase);
        }
        collect(&mut self.observer, &mut self.emitter)?;
        Ok(())
    }

    /// Waits until a run time, and records meanwhile what is sampled.
    pub(crate) fn wait_until(&mut self, until_ns: u64) -> Result<(), Halt> {
        loop {
            let slice_ns = if self.observer.is_some() { self.clock.now_ns() + COLLECT_EVERY_NS } else { until_ns };
            if !self.clock.sleep_until(slice_ns.min(until_ns), &self.stop) {
                return Err(Halt::Stopped);
            }
            collect(&mut self.observer, &mut self.emitter)?;
            if self.clock.now_ns() >= until_ns {
                return Ok(());
            }
        }
    }

    /// Who or what asked for the stop.
    pub(crate) fn why_stopped(&self) -> String {
        let hot = self.observer.as_ref().and_then(|observer| observer.too_hot());
        match (self.stop.cause(), hot) {
            (Some(StopCause::Heat), Some(why)) => why,
            (Some(StopCause::Heat), None) => "the drive was too hot".to_owned(),
            _ => "stopped by the user".to_owned(),
        }
    }
}
