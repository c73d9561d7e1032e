//! The reading thread: what is due, what is paused, what was missed.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use drivelab_core::clock::{RunClock, StopCause, StopToken};
use drivelab_core::telemetry::{
    Disturbs, Gap, GapCause, Phase, Sample, TelemetryDescribed, TelemetrySource, TemperatureLimit,
};
use drivelab_core::units::Nanos;

use super::shared::{Command, Item, Shared};
use crate::cost::thread_cpu_ns;
use crate::discover::drive_temperature;

/// In a latency-critical step the temperature that can end the run is still read, at this interval. An idle drive
/// does not heat up and is left alone.
const GUARD_EVERY: Nanos = Nanos::from_secs(10);
/// Readings that are later than this many of their periods count as missed.
const LATE_PERIODS: u64 = 2;

/// A source and when it is read.
struct Slot {
    source: Box<dyn TelemetrySource>,
    every_ns: u64,
    disturbs: Disturbs,
    /// The series with the drive's temperature, and its name.
    temperature: Option<(usize, String)>,
    due_ns: u64,
    /// Since when there are no samples, and why.
    missing: Option<(u64, GapCause)>,
    last_ns: u64,
    /// When it was last read, successfully or not.
    tried_ns: u64,
    /// The drive's temperature in the last reading that had samples; `None` if that reading had no temperature.
    newest: Option<f64>,
}

/// All sources, and what they are read for.
pub(super) struct Reader {
    slots: Vec<Slot>,
    phase: Phase,
    always: bool,
    limit: Option<TemperatureLimit>,
    clock: Arc<dyn RunClock>,
    stop: StopToken,
    queue: SyncSender<Item>,
    /// Since when samples do not fit into the queue, by source.
    lost: Vec<Option<u64>>,
    shared: Arc<Shared>,
}

impl Reader {
    pub(super) fn new(
        sources: Vec<Box<dyn TelemetrySource>>,
        described: &TelemetryDescribed,
        clock: Arc<dyn RunClock>,
        stop: StopToken,
        queue: SyncSender<Item>,
        shared: Arc<Shared>,
    ) -> Self {
        let now_ns = clock.now_ns();
        let slots: Vec<Slot> = sources
            .into_iter()
            .zip(&described.sources)
            .map(|(source, told)| {
                let temperature = drive_temperature(told)
                    .and_then(|at| told.series.get(at).map(|series| (at, format!("{} {}", told.id, series.name))));
                let every_ns = told.every.get().max(1_000_000);
                let (due_ns, last_ns, tried_ns) = (now_ns, now_ns, now_ns);
                let disturbs = told.disturbs;
                Slot { source, every_ns, disturbs, temperature, due_ns, missing: None, last_ns, tried_ns, newest: None }
            })
            .collect();
        let lost = slots.iter().map(|_| None).collect();
        let limit = described.abort_above.clone();
        Reader { slots, phase: Phase::Ordinary, always: described.always, limit, clock, stop, queue, lost, shared }
    }

    /// Reads until it is told to finish.
    pub(super) fn run(mut self, orders: &Receiver<Command>) {
        loop {
            let due = (0..self.slots.len()).filter_map(|at| self.due(at)).min();
            let now_ns = self.clock.now_ns();
            let wait = due.map_or(Duration::from_secs(1), |due| Duration::from_nanos(due.saturating_sub(now_ns)));
            match orders.recv_timeout(wait) {
                Ok(Command::Enter(phase, done)) => {
                    self.enter(phase);
                    let _ = done.send(());
                }
                Ok(Command::Temperature(answer)) => {
                    let _ = answer.send(self.temperature_now());
                }
                Ok(Command::Finish) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => self.read_due(),
            }
            self.shared.cpu_ns.store(thread_cpu_ns(), Ordering::Relaxed);
        }
        self.finish();
    }

    /// When a source is to be read next; `None` if it is paused.
    fn due(&self, at: usize) -> Option<u64> {
        let slot = self.slots.get(at)?;
        if self.always || self.phase.reads(slot.disturbs) {
            return Some(slot.due_ns);
        }
        let guards = self.phase == Phase::LatencyCritical && self.limit.is_some() && slot.temperature.is_some();
        // From the last attempt and not the last sample: a thermometer that fails must not be asked more often.
        guards.then(|| slot.due_ns.max(slot.tried_ns + GUARD_EVERY.get()))
    }

    fn read_due(&mut self) {
        for at in 0..self.slots.len() {
            let now_ns = self.clock.now_ns();
            if self.due(at).is_some_and(|due| due <= now_ns) {
                self.read(at);
            }
        }
    }

    /// Reads everything that may be read on either side of the border, and keeps to the new phase from here on.
    fn enter(&mut self, phase: Phase) {
        let before = std::mem::replace(&mut self.phase, phase);
        for at in 0..self.slots.len() {
            let Some(disturbs) = self.slots.get(at).map(|slot| slot.disturbs) else { continue };
            if self.always || before.reads(disturbs) || phase.reads(disturbs) {
                self.read(at);
            }
        }
    }

    fn read(&mut self, at: usize) {
        let clock = Arc::clone(&self.clock);
        let Some(slot) = self.slots.get_mut(at) else { return };
        let began_ns = clock.now_ns();
        slot.tried_ns = began_ns;
        let was_due_ns = slot.due_ns;
        let reading = slot.source.read(&*clock);
        // The next reading keeps the schedule; missed times are not made up for, and an extra reading (at a border)
        // does not replace a scheduled one.
        if began_ns >= was_due_ns {
            slot.due_ns = (was_due_ns + slot.every_ns).max(began_ns + slot.every_ns / 2);
        }
        match reading {
            Ok(samples) => self.take(at, samples, began_ns, was_due_ns),
            Err(error) => {
                let since = slot.last_ns;
                match &mut slot.missing {
                    Some((_, cause @ GapCause::Quiet)) => *cause = GapCause::Failed(error),
                    Some(_) => {}
                    None => slot.missing = Some((since, GapCause::Failed(error))),
                }
            }
        }
    }

    /// Hands over what was read, and the gap that ends with it.
    fn take(&mut self, at: usize, samples: Vec<Sample>, began_ns: u64, was_due_ns: u64) {
        let Some(slot) = self.slots.get_mut(at) else { return };
        let Some(last) = samples.last() else { return };
        let first_ns = samples.first().map_or(began_ns, |first| first.at_ns);
        let late = began_ns > was_due_ns + LATE_PERIODS * slot.every_ns;
        let gap = match slot.missing.take() {
            Some((from_ns, cause)) => Some((from_ns, cause)),
            None if late && slot.disturbs != Disturbs::Nothing => Some((slot.last_ns, GapCause::Late)),
            None => None,
        };
        slot.last_ns = last.at_ns;
        let temperature = slot.temperature.as_ref().and_then(|(series, name)| {
            let celsius = last.values.get(*series).copied().flatten().filter(|celsius| celsius.is_finite())?;
            Some((name.clone(), celsius))
        });
        // `None` if this reading has no temperature: an old value is not the present temperature.
        slot.newest = temperature.as_ref().map(|(_, celsius)| *celsius);
        let off = !(self.always || self.phase.reads(slot.disturbs));
        if off {
            slot.missing = Some((last.at_ns, GapCause::Quiet));
        }
        let source = u32::try_from(at).unwrap_or(u32::MAX);
        if let Some((from_ns, cause)) = gap
            && from_ns < first_ns
        {
            self.send(at, Item::Gap(source, Gap { from_ns, to_ns: first_ns, cause }), first_ns);
        }
        for mut sample in samples {
            let at_ns = sample.at_ns;
            // A value that is not a number could not be recorded, and would mean nothing.
            sample.values.iter_mut().for_each(|value| *value = value.filter(|number| number.is_finite()));
            self.send(at, Item::Sample(source, sample), at_ns);
        }
        if let Some((name, celsius)) = temperature {
            self.guard(&name, celsius);
        }
    }

    /// Stops the run if the drive is too hot.
    fn guard(&self, name: &str, celsius: f64) {
        let Some(limit) = self.limit.as_ref().filter(|limit| celsius > limit.celsius) else { return };
        let mut too_hot = self.shared.too_hot.lock().unwrap_or_else(PoisonError::into_inner);
        too_hot.get_or_insert_with(|| {
            format!(
                "the drive reached {celsius} °C ({name}), more than the limit of {} °C ({})",
                limit.celsius, limit.because
            )
        });
        self.stop.stop(StopCause::Heat);
    }

    /// Puts an item into the queue; never waits.
    fn send(&mut self, at: usize, item: Item, at_ns: u64) {
        let Some(lost) = self.lost.get_mut(at) else { return };
        let source = u32::try_from(at).unwrap_or(u32::MAX);
        if let Some(from_ns) = *lost {
            let gap = Gap { from_ns, to_ns: at_ns, cause: GapCause::Lost };
            if self.queue.try_send(Item::Gap(source, gap)).is_err() {
                return;
            }
            *lost = None;
        }
        if self.queue.try_send(item).is_err() {
            *lost = Some(at_ns);
        }
    }

    /// The highest present value of the series with the drive's temperature, each read now.
    fn temperature_now(&mut self) -> Option<(String, f64)> {
        for at in 0..self.slots.len() {
            if self.slots.get(at).is_some_and(|slot| slot.temperature.is_some()) {
                self.read(at);
            }
        }
        let known = self.slots.iter().filter_map(|slot| {
            let (_, name) = slot.temperature.as_ref()?;
            let failing = matches!(slot.missing, Some((_, GapCause::Failed(_))));
            Some((name.clone(), slot.newest.filter(|_| !failing)?))
        });
        known.max_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// Takes a last reading of sources that are not paused, and closes the open gaps.
    fn finish(&mut self) {
        for at in 0..self.slots.len() {
            let Some(slot) = self.slots.get(at) else { continue };
            if self.always || self.phase.reads(slot.disturbs) {
                self.read(at);
            }
        }
        let now_ns = self.clock.now_ns();
        for at in 0..self.slots.len() {
            let source = u32::try_from(at).unwrap_or(u32::MAX);
            if let Some((from_ns, cause)) = self.slots.get_mut(at).and_then(|slot| slot.missing.take()) {
                self.send(at, Item::Gap(source, Gap { from_ns, to_ns: now_ns, cause }), now_ns);
            }
        }
        self.shared.cpu_ns.store(thread_cpu_ns(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
