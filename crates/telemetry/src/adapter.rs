//! The user's own meter as a source: a command or a file that provides lines `seconds value` (docs/telemetry.md).
//!
//! `seconds` is the adapter's own clock with any zero: UNIX time, or time since it began. The line with the least
//! delay in the last minute maps it to the run clock, so lines that were delayed (by a pipe's buffer) are still
//! placed at the time of measurement. Lines from before the start are never used as readings.

mod command;
mod file;
mod lines;

use std::path::PathBuf;

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;

use command::Command;
use file::Tail;
use lines::Meter;

/// Time without a line after which there is a gap: a stopped meter must not look like a constant value.
const SILENCE: Nanos = Nanos::from_secs(5);
/// How often new lines are read: the arrival time of a line is at most this late.
const LOOK_EVERY: Nanos = Nanos::from_millis(100);

/// Why an adapter cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AdapterError(pub String);

/// What an adapter measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdapterValue {
    /// Watts of the drive.
    Power,
    /// Degrees Celsius of the drive.
    Temperature,
}

impl AdapterValue {
    const fn name(self) -> &'static str {
        match self {
            AdapterValue::Power => "power",
            AdapterValue::Temperature => "temperature",
        }
    }

    const fn quantity(self) -> Quantity {
        match self {
            AdapterValue::Power => Quantity::Power,
            AdapterValue::Temperature => Quantity::Temperature,
        }
    }
}

/// The source of the lines.
#[derive(Debug)]
enum Feed {
    Command(Command),
    File(Tail),
}

/// A meter's lines as samples.
#[derive(Debug)]
pub struct Adapter {
    value: AdapterValue,
    disk: String,
    feed: Feed,
    meter: Meter,
    /// When the last line arrived, or the adapter was opened.
    heard_ns: Option<u64>,
    /// The first invalid line since the last valid one: the cause of a later silence. A reading whose error is
    /// discarded (the cost of readings is measured before the run) must not clear it.
    wrong: Option<String>,
}

impl Adapter {
    /// Starts a command through `sh -c`; it ends with the adapter.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn command(value: AdapterValue, disk: &str, command: &str) -> Result<Self, AdapterError> {
        let feed = Feed::Command(Command::start(command).map_err(AdapterError)?);
        Ok(Adapter { value, disk: disk.to_owned(), feed, meter: Meter::default(), heard_ns: None, wrong: None })
    }

    /// Follows a file, a named pipe or a serial line. Existing content of a file is skipped; a rewritten file is read
    /// from its beginning.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn file(value: AdapterValue, disk: &str, path: PathBuf) -> Result<Self, AdapterError> {
        let feed = Feed::File(Tail::open(path).map_err(AdapterError)?);
        Ok(Adapter { value, disk: disk.to_owned(), feed, meter: Meter::default(), heard_ns: None, wrong: None })
    }

    fn origin(&self) -> String {
        match &self.feed {
            Feed::Command(command) => format!("`{}`", command.text()),
            Feed::File(tail) => tail.path().display().to_string(),
        }
    }

    /// The samples since the last call.
    fn take(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        let began_ns = clock.now_ns();
        let heard_ns = *self.heard_ns.get_or_insert(began_ns);
        let bytes = match &mut self.feed {
            Feed::Command(command) => command.take(),
            Feed::File(tail) => tail.take(),
        }?;
        let arrived_ns = clock.now_ns();
        let readings = self.meter.take(&bytes, arrived_ns).inspect_err(|wrong| {
            self.wrong.get_or_insert_with(|| wrong.clone());
        })?;
        if readings.is_empty() {
            if arrived_ns.saturating_sub(heard_ns) > SILENCE.get() {
                return Err(format!("{}: no new line for more than {SILENCE}", self.origin()));
            }
            return Ok(Vec::new());
        }
        self.heard_ns = Some(arrived_ns);
        let read_ns = arrived_ns.saturating_sub(began_ns);
        Ok(readings.into_iter().map(|(at_ns, value)| Sample { at_ns, read_ns, values: vec![Some(value)] }).collect())
    }
}

impl TelemetrySource for Adapter {
    fn describe(&self) -> SourceDescription {
        SourceDescription {
            id: SourceId::new(format!("{}:adapter", self.value.name())),
            kind: SourceKind::Adapter,
            about: About::Drive(self.disk.clone()),
            origin: self.origin(),
            accuracy: format!(
                "the adapter's; its clock is mapped to the run's by the line with the least delay in the last minute, checked \
                 every {} ms",
                LOOK_EVERY.get() / 1_000_000
            ),
            disturbs: Disturbs::Nothing,
            every: LOOK_EVERY,
            cost: None,
            series: vec![SeriesDescription::new(self.value.name(), self.value.quantity())],
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        let taken = self.take(clock);
        if taken.as_ref().is_ok_and(|samples| !samples.is_empty()) {
            self.wrong = None;
        }
        self.wrong.clone().map_or(taken, Err)
    }
}

#[cfg(test)]
mod tests;
