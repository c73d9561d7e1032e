//! A source of readings, its series, and what it hands over.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::RunClock;
use crate::units::Nanos;

/// Name of a source, unique in a run: `hwmon:nvme0`, `cpu`, `power:command`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SourceId(pub String);

impl SourceId {
    /// From its text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        SourceId(text.into())
    }
}

impl fmt::Display for SourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where readings come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The kernel's sensors, `/sys/class/hwmon` (Documentation/hwmon/sysfs-interface.rst).
    Hwmon,
    /// The drive's SMART / health log (NVMe log page 02h).
    Smart,
    /// The power that a drive measures of itself (NVMe log page 25h).
    PowerLog,
    /// What a drive wrote to its media beside what hosts wrote to it: its FDP statistics (NVMe log page 22h), its OCP
    /// log (C0h) or its endurance group's (09h).
    MediaWrites,
    /// Running energy counters of the processor, `/sys/class/powercap` (Documentation/power/powercap/powercap.rst).
    Rapl,
    /// A command or file of the user's that prints `seconds value` lines (docs/telemetry.md).
    Adapter,
    /// CPU time, `/proc/stat` (proc_stat(5)).
    Cpu,
    /// Interrupts of the drive's vectors, `/proc/interrupts` (proc_interrupts(5)).
    Interrupts,
    /// What all programs together moved on a disk, `/proc/diskstats` (Documentation/admin-guide/iostats.rst).
    DiskStats,
    /// The drive's link, `current_link_speed` and `current_link_width` of its PCI function.
    Link,
    /// Errors that PCIe Advanced Error Reporting counted (`aer_dev_*`, Documentation/ABI/testing/sysfs-bus-pci).
    PcieErrors,
    /// Time in which tasks waited for memory, `/proc/pressure/memory` (Documentation/accounting/psi.rst).
    MemoryPressure,
    /// Frequency of the CPUs, `cpufreq/scaling_cur_freq`, else `/proc/cpuinfo`.
    CpuFrequency,
    /// Time for which the machine was suspended: CLOCK_BOOTTIME less CLOCK_MONOTONIC (clock_gettime(2)).
    Suspend,
}

/// What a series measures; says unit and whether values are of the moment or count up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// °C.
    Temperature,
    /// W.
    Power,
    /// J, counts up.
    Energy,
    /// Seconds of one CPU, counts up.
    CpuTime,
    /// MHz.
    Frequency,
    /// Interrupts, counts up.
    Interrupts,
    /// Operations that completed, counts up.
    Operations,
    /// Bytes that were moved, counts up.
    Volume,
    /// Seconds in which something was busy, counts up.
    BusyTime,
    /// GT/s per lane.
    LinkSpeed,
    /// Lanes.
    LinkWidth,
    /// Errors, counts up.
    Errors,
    /// Seconds in which tasks were held up, counts up.
    StallTime,
    /// Seconds for which the machine was suspended, counts up.
    SuspendedTime,
    /// Times at which the drive began to throttle, counts up.
    ThrottleTransitions,
    /// Seconds in which the drive throttled, counts up.
    ThrottleTime,
    /// Minutes above a temperature limit of the drive, counts up.
    LimitMinutes,
    /// Bits of the drive's critical warning.
    WarningBits,
    /// Hours for which the drive was on in its life, counts up.
    PowerOnTime,
    /// Times at which the drive was switched on, or lost power without notice, counts up.
    PowerCycles,
    /// Share of its rated endurance that the drive says is used, per cent, counts up.
    Wear,
}

impl Quantity {
    /// The unit of its values as written: `°C`, `W`, `B`.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Quantity::Temperature => "°C",
            Quantity::Power => "W",
            Quantity::Energy => "J",
            Quantity::CpuTime
            | Quantity::BusyTime
            | Quantity::StallTime
            | Quantity::SuspendedTime
            | Quantity::ThrottleTime => "s",
            Quantity::Frequency => "MHz",
            Quantity::Interrupts => "interrupts",
            Quantity::Operations => "operations",
            Quantity::Volume => "B",
            Quantity::LinkSpeed => "GT/s",
            Quantity::LinkWidth => "lanes",
            Quantity::Errors => "errors",
            Quantity::ThrottleTransitions => "transitions",
            Quantity::LimitMinutes => "min",
            Quantity::WarningBits => "bits",
            Quantity::PowerOnTime => "h",
            Quantity::PowerCycles => "times",
            Quantity::Wear => "%",
        }
    }

    /// Whether values count up from an unknown start, so that only differences mean something.
    #[must_use]
    pub const fn counts(self) -> bool {
        !matches!(
            self,
            Quantity::Temperature
                | Quantity::Power
                | Quantity::Frequency
                | Quantity::LinkSpeed
                | Quantity::LinkWidth
                | Quantity::WarningBits
        )
    }
}

/// What a source tells about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The drive under test, by its kernel name.
    Drive(String),
    /// The host: processor, board, memory. Never the drive's own power.
    Host,
}

/// What a reading may disturb; decides when the source is off by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disturbs {
    /// A reading sends the drive a command: it may keep it awake and delays other commands. Off in idle and in
    /// latency-critical steps.
    Drive,
    /// A reading costs CPU time of the host only. Off in latency-critical steps.
    Host,
    /// A reading looks at what another program wrote. Never off.
    Nothing,
}

/// One series of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesDescription {
    /// Name, unique in its source: `composite`, `cpu0.user`.
    pub name: String,
    /// What it measures, and so its unit.
    pub quantity: Quantity,
    /// From which value on the device itself warns, in the unit of the quantity, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<f64>,
    /// The value that the device calls critical, in the unit of the quantity, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical: Option<f64>,
}

impl SeriesDescription {
    /// A series without limits.
    #[must_use]
    pub fn new(name: impl Into<String>, quantity: Quantity) -> Self {
        SeriesDescription { name: name.into(), quantity, warning: None, critical: None }
    }
}

/// What readings of a source cost, measured before the run on the very thread that would read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReadingCost {
    /// Readings that were made for it.
    pub readings: u32,
    /// Mean time of a reading.
    pub time_mean: Nanos,
    /// Longest reading.
    pub time_max: Nanos,
    /// Mean CPU time of a reading (CLOCK_THREAD_CPUTIME_ID).
    pub cpu_mean: Nanos,
}

/// A source and its series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceDescription {
    /// Name, unique in the run.
    pub id: SourceId,
    /// Where readings come from.
    pub kind: SourceKind,
    /// What it tells about.
    pub about: About,
    /// Where exactly, for people: a path, a command.
    pub origin: String,
    /// How exact its values are, in a sentence.
    pub accuracy: String,
    /// What a reading may disturb.
    pub disturbs: Disturbs,
    /// Time between two readings.
    pub every: Nanos,
    /// What readings cost; absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<ReadingCost>,
    /// The series, in the order of a sample's values.
    pub series: Vec<SeriesDescription>,
}

/// One reading of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// When the reading began (for an adapter: when the value held), nanoseconds on the run clock.
    pub at_ns: u64,
    /// How long the reading took, in nanoseconds; the value is of a moment within it.
    pub read_ns: u64,
    /// One value for each series; none where this one could not be read.
    pub values: Vec<Option<f64>>,
}

/// Why there are no samples for a while.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapCause {
    /// Off, so that reading does not disturb an idle or latency-critical step.
    Quiet,
    /// Readings failed, and how.
    Failed(String),
    /// The reader came too late (another reading took long, or the CPU was busy): readings were missed.
    Late,
    /// Samples were taken and nobody collected them in time.
    Lost,
    /// The run was interrupted: run time stood still, and what counts went on. Not in a recording, which ends there.
    Interrupted,
}

/// A time without samples.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// From when, nanoseconds on the run clock.
    pub from_ns: u64,
    /// Until when.
    pub to_ns: u64,
    /// Why.
    pub cause: GapCause,
}

/// Samples of one source.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SourceSamples {
    /// The source: its place in the newest [`TelemetryDescribed`], from 0.
    pub source: u32,
    /// Samples in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// Times without samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// What was sampled since the last batch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TelemetryBatch {
    /// CPU time that reading has cost since it began, of the reading thread alone.
    pub cpu: Nanos,
    /// By source.
    pub sources: Vec<SourceSamples>,
}

/// Which sources there are; a process says it once, before its first batch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TelemetryDescribed {
    /// The sources.
    pub sources: Vec<SourceDescription>,
    /// What could not be watched and why, and what else a reader of the series must know; a sentence each.
    pub remarks: Vec<String>,
    /// The drive's temperature above which the run is ended, in °C, and where the limit is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort_above: Option<TemperatureLimit>,
    /// Sources are read in idle and latency-critical steps too, because the user asked for it.
    #[serde(default)]
    pub always: bool,
}

/// A temperature that must not be exceeded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TemperatureLimit {
    /// °C.
    pub celsius: f64,
    /// Where it is from: the user, or the drive's own critical limit.
    pub because: String,
}

/// What the run is doing, as far as it decides who may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Everything may be read.
    Ordinary,
    /// An idle step: nothing may wake the drive.
    Idle,
    /// A step with one operation in flight: nothing may delay it.
    LatencyCritical,
}

impl Phase {
    /// Whether a source is read in this phase, where the user asked for nothing else.
    #[must_use]
    pub const fn reads(self, disturbs: Disturbs) -> bool {
        match self {
            Phase::Ordinary => true,
            Phase::Idle => !matches!(disturbs, Disturbs::Drive),
            Phase::LatencyCritical => matches!(disturbs, Disturbs::Nothing),
        }
    }
}

/// Something that can be read again and again.
pub trait TelemetrySource: Send {
    /// What it is; the same for as long as it lives. `cost` and `every` may be changed by who reads it.
    fn describe(&self) -> SourceDescription;

    /// Reads it: one sample as a rule; an adapter gives as many as came since the last reading, possibly none.
    ///
    /// # Errors
    /// What went wrong, a fragment with path and cause. The next reading is tried all the same.
    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String>;
}

/// Watches a run: what the session needs of whoever samples.
pub trait Observer {
    /// Which sources there are.
    fn described(&self) -> TelemetryDescribed;

    /// The run enters a phase: reads everything that may be read in the old or the new one once, so that counters are
    /// known at the border, and then keeps to the new one. Returns when that is done, or after a short while.
    fn enter(&mut self, phase: Phase);

    /// What was sampled since the last call; `None` where that is nothing.
    fn collect(&mut self) -> Option<TelemetryBatch>;

    /// The newest temperature of the drive (the hottest of its sensors that speak for the whole), read now where its
    /// source is not read by itself; with the name of the series.
    fn drive_temperature(&mut self) -> Option<(String, f64)>;

    /// Why the run was told to stop, where a temperature was too high.
    fn too_hot(&self) -> Option<String>;

    /// Stops sampling and hands over the rest.
    fn finish(&mut self) -> Option<TelemetryBatch>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_disturbs_is_off_where_it_would() {
        let read = |phase: Phase| [Disturbs::Drive, Disturbs::Host, Disturbs::Nothing].map(|what| phase.reads(what));
        assert_eq!(read(Phase::Ordinary), [true, true, true]);
        assert_eq!(read(Phase::Idle), [false, true, true]);
        assert_eq!(read(Phase::LatencyCritical), [false, false, true]);
    }

    #[test]
    fn a_batch_is_small_on_disk_and_reads_back() {
        let sample = Sample { at_ns: 5, read_ns: 2, values: vec![Some(41.5), None] };
        let sources = vec![SourceSamples { source: 1, samples: vec![sample], gaps: Vec::new() }];
        let batch = TelemetryBatch { cpu: Nanos::new(9), sources };
        let text = serde_json::to_string(&batch).unwrap();
        assert_eq!(
            text,
            r#"{"cpu":9,"sources":[{"source":1,"samples":[{"at_ns":5,"read_ns":2,"values":[41.5,null]}]}]}"#
        );
        assert_eq!(serde_json::from_str::<TelemetryBatch>(&text).unwrap(), batch);
    }

    #[test]
    fn counters_and_values_of_the_moment_are_told_apart() {
        assert!(Quantity::Energy.counts() && Quantity::ThrottleTransitions.counts());
        assert!(Quantity::PowerOnTime.counts() && Quantity::PowerCycles.counts());
        assert!(!Quantity::Power.counts() && !Quantity::Temperature.counts());
    }
}
