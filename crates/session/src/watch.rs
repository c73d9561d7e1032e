//! Telemetry during a run: the phase of a step, when samples are collected, why heat stopped a run.

use drivelab_core::event::EventBody;
use drivelab_core::plan::{Action, Step};
use drivelab_core::telemetry::{About, Observer, Phase, Quantity, SourceDescription, SourceKind};

use crate::emit::Emitter;
use crate::fanout::RecorderLost;

/// Interval at which samples are collected while nothing else happens.
pub(crate) const COLLECT_EVERY_NS: u64 = 500_000_000;

/// The telemetry phase of a step. A step with one operation in flight measures latency: nothing may disturb it.
pub(crate) fn phase_of(step: &Step) -> Phase {
    match &step.action {
        Action::Idle { .. } | Action::CoolDown(_) => Phase::Idle,
        Action::Io { workload, .. } if workload.total_depth() <= 1 => Phase::LatencyCritical,
        Action::Io { .. } => Phase::Ordinary,
    }
}

/// Whether a source reports the temperature of a drive.
pub(crate) fn is_thermometer(source: &SourceDescription) -> bool {
    matches!(source.about, About::Drive(_)) && source.series.iter().any(|one| one.quantity == Quantity::Temperature)
}

/// The observer, and when its samples were last collected.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) observer: Option<Box<dyn Observer>>,
    collected_ns: u64,
}

impl Watch {
    pub(crate) fn by(observer: Option<Box<dyn Observer>>) -> Self {
        Watch { observer, collected_ns: 0 }
    }

    /// Records the collected samples.
    pub(crate) fn collect(&mut self, emitter: &mut Emitter, now_ns: u64) -> Result<(), RecorderLost> {
        self.collected_ns = now_ns;
        match self.observer.as_mut().and_then(|observer| observer.collect()) {
            Some(batch) => emitter.emit(EventBody::Telemetry(batch)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Whether a source counts what the drive writes to its media.
    pub(crate) fn counts_media_writes(&self) -> bool {
        self.has(|source| source.kind == SourceKind::MediaWrites)
    }

    /// Whether a source reports the drive's temperature.
    pub(crate) fn tells_temperature(&self) -> bool {
        self.has(is_thermometer)
    }

    /// Whether a source of this kind is watched.
    fn has(&self, is: impl Fn(&SourceDescription) -> bool) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.described().sources.iter().any(is))
    }

    /// [`Self::collect`], if the last time is long enough ago: intervals may come ten times a second.
    pub(crate) fn collect_now_and_then(&mut self, emitter: &mut Emitter, now_ns: u64) -> Result<(), RecorderLost> {
        if now_ns.saturating_sub(self.collected_ns) < COLLECT_EVERY_NS {
            return Ok(());
        }
        self.collect(emitter, now_ns)
    }

    /// Stops sampling and records the remaining samples.
    pub(crate) fn finish(&mut self, emitter: &mut Emitter) -> Result<(), RecorderLost> {
        match self.observer.take().and_then(|mut observer| observer.finish()) {
            Some(batch) => emitter.emit(EventBody::Telemetry(batch)).map(|_| ()),
            None => Ok(()),
        }
    }
}
