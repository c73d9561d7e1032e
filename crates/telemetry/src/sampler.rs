//! Who reads the sources and when: one thread, one clock, each source at its own rate.
//!
//! Samples wait in a bounded queue until the session collects them; samples that do not fit become a gap. The thread
//! also compares the drive's temperature with the limit and stops the run if it is exceeded. Must not know: steps,
//! events.

mod reader;
mod shared;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::telemetry::{
    Observer, Phase, SourceSamples, TelemetryBatch, TelemetryDescribed, TelemetrySource, TemperatureLimit,
};
use drivelab_core::units::Nanos;

use crate::cost::cost;
use reader::Reader;
use shared::{Command, Item, Shared};

/// Number of readings by which the cost of a source is measured before a run.
const COST_READINGS: u32 = 5;
/// Samples and gaps that may wait: enough for some minutes during which a device hangs.
const WAITING: usize = 1 << 14;
/// How long the session waits for the reader at a border between steps; a reading that hangs must not hang the run.
const BORDER: Duration = Duration::from_millis(500);
/// How long the end waits for a reading in progress.
const LAST_READING: Duration = Duration::from_secs(2);

/// How a sampler works.
#[derive(Debug, Clone, Default)]
pub struct SamplerOptions {
    /// Read in idle and latency-critical steps too.
    pub always: bool,
    /// Ends the run above this temperature of the drive.
    pub abort_above: Option<TemperatureLimit>,
    /// What could not be watched.
    pub remarks: Vec<String>,
}

/// Sources being read.
pub struct Sampler {
    described: TelemetryDescribed,
    commands: Sender<Command>,
    items: Receiver<Item>,
    shared: Arc<Shared>,
    thread: Option<(JoinHandle<()>, Receiver<()>)>,
}

impl Sampler {
    /// Measures the cost of each source and begins to read. `stop` is raised if the drive gets too hot.
    #[must_use]
    pub fn start(
        mut sources: Vec<Box<dyn TelemetrySource>>,
        clock: Arc<dyn RunClock>,
        stop: StopToken,
        options: SamplerOptions,
    ) -> Self {
        let describe = |source: &mut Box<dyn TelemetrySource>| {
            let cost = cost(&mut **source, &*clock, COST_READINGS);
            drivelab_core::telemetry::SourceDescription { cost, ..source.describe() }
        };
        let described = TelemetryDescribed {
            sources: sources.iter_mut().map(describe).collect(),
            remarks: options.remarks,
            abort_above: options.abort_above,
            always: options.always,
        };
        let (commands, orders) = channel();
        let (queue, items) = sync_channel(WAITING);
        let (last, ended) = channel();
        let shared = Arc::new(Shared::default());
        let reader = Reader::new(sources, &described, clock, stop, queue, Arc::clone(&shared));
        let thread = std::thread::spawn(move || {
            reader.run(&orders);
            let _ = last.send(());
        });
        Sampler { described, commands, items, shared, thread: Some((thread, ended)) }
    }

    /// Ends the reading, and waits briefly until the sources are dropped: a source may have something to restore.
    fn end(&mut self) {
        let _ = self.commands.send(Command::Finish);
        if let Some((thread, ended)) = self.thread.take()
            && ended.recv_timeout(LAST_READING).is_ok()
        {
            // A thread that hangs in the kernel is left behind: it holds nothing of the run.
            let _ = thread.join();
        }
    }
}

impl Observer for Sampler {
    fn described(&self) -> TelemetryDescribed {
        self.described.clone()
    }

    fn enter(&mut self, phase: Phase) {
        let (done, wait) = channel();
        if self.commands.send(Command::Enter(phase, done)).is_ok() {
            let _ = wait.recv_timeout(BORDER);
        }
    }

    fn collect(&mut self) -> Option<TelemetryBatch> {
        let mut sources: BTreeMap<u32, SourceSamples> = BTreeMap::new();
        let mut of = |source: u32, add: &mut dyn FnMut(&mut SourceSamples)| {
            add(sources.entry(source).or_insert_with(|| SourceSamples { source, ..SourceSamples::default() }));
        };
        while let Ok(item) = self.items.try_recv() {
            match item {
                Item::Sample(source, sample) => of(source, &mut |all| all.samples.push(sample.clone())),
                Item::Gap(source, gap) => of(source, &mut |all| all.gaps.push(gap.clone())),
            }
        }
        let cpu = Nanos::new(self.shared.cpu_ns.load(Ordering::Relaxed));
        (!sources.is_empty()).then(|| TelemetryBatch { cpu, sources: sources.into_values().collect() })
    }

    fn drive_temperature(&mut self) -> Option<(String, f64)> {
        let (answer, wait) = channel();
        self.commands.send(Command::Temperature(answer)).ok()?;
        wait.recv_timeout(LAST_READING).ok().flatten()
    }

    fn too_hot(&self) -> Option<String> {
        self.shared.too_hot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn finish(&mut self) -> Option<TelemetryBatch> {
        self.end();
        self.collect()
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests;
