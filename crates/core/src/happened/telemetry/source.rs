//! A telemetry source, its series, and its samples.

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
    /// The power that a drive measures itself (NVMe log page 25h).
    PowerLog,
    /// Bytes that a drive wrote to its media and bytes that hosts wrote to it: from its FDP statistics (NVMe log page
    /// 22h), its OCP log (C0h) or its endurance group's log (09h).
    MediaWrites,
    /// Energy counters of the processor, `/sys/class/powercap` (Documentation/power/powercap/powercap.rst).
    Rapl,
    /// A command or file of the user that prints `seconds value` lines (docs/telemetry.md).
    Adapter,
    /// CPU time, `/proc/stat` (proc_stat(5)).
    Cpu,
    /// Interrupts of the drive's vectors, `/proc/interrupts` (proc_interrupts(5)).
    Interrupts,
    /// Bytes moved on a disk by all programs together, `/proc/diskstats` (Documentation/admin-guide/iostats.rst).
    DiskStats,
    /// The drive's link, `current_link_speed` and `current_link_width` of its PCI function.
    Link,
    /// Errors counted by PCIe Advanced Error Reporting (`aer_dev_*`, Documentation/ABI/testing/sysfs-bus-pci).
    PcieErrors,
    /// Time in which tasks waited for memory, `/proc/pressure/memory` (Documentation/accounting/psi.rst).
    MemoryPressure,
    /// Frequency of the CPUs, `cpufreq/scaling_cur_freq`, otherwise `/proc/cpuinfo`.
    CpuFrequency,
    /// Time for which the machine was suspended: CLOCK_BOOTTIME minus CLOCK_MONOTONIC (clock_gettime(2)).
    Suspend,
}

/// What a series measures; defines its unit and whether its values are momentary or count up.
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
    /// Completed operations, counts up.
    Operations,
    /// Bytes moved, counts up.
    Volume,
    /// Seconds of activity, counts up.
    BusyTime,
    /// GT/s per lane.
    LinkSpeed,
    /// Lanes.
    LinkWidth,
    /// Errors, counts up.
    Errors,
    /// Seconds in which tasks were stalled, counts up.
    StallTime,
    /// Seconds for which the machine was suspended, counts up.
    SuspendedTime,
    /// Number of times that the drive began to throttle, counts up.
    ThrottleTransitions,
    /// Seconds in which the drive throttled, counts up.
    ThrottleTime,
    /// Minutes above a temperature limit of the drive, counts up.
    LimitMinutes,
    /// Critical warning bits of the drive.
    WarningBits,
    /// Power-on hours of the drive, counts up.
    PowerOnTime,
    /// Number of power cycles or of unsafe shutdowns, counts up.
    PowerCycles,
    /// Share of the rated endurance that the drive reports as used, per cent, counts up.
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

    /// Whether values count up from an unknown start, so that only differences have a meaning.
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

/// The subject of a source.
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
    /// A reading sends the drive a command: it may keep the drive awake and delay other commands. Off in idle and
    /// latency-critical steps.
    Drive,
    /// A reading only costs CPU time of the host. Off in latency-critical steps.
    Host,
    /// A reading looks at the output of another program. Never off.
    Nothing,
}

/// One series of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesDescription {
    /// Name, unique in its source: `composite`, `cpu0.user`.
    pub name: String,
    /// The quantity, which defines its unit.
    pub quantity: Quantity,
    /// Value from which the device itself warns, in the unit of the quantity, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<f64>,
    /// Value that the device calls critical, in the unit of the quantity, if known.
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

/// Cost of the readings of a source, measured before the run on the thread that reads during the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReadingCost {
    /// Number of readings for this measurement.
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
    /// Subject of its values.
    pub about: About,
    /// The exact origin, for display: a path, a command.
    pub origin: String,
    /// Accuracy of its values, in one sentence.
    pub accuracy: String,
    /// What a reading may disturb.
    pub disturbs: Disturbs,
    /// Time between two readings.
    pub every: Nanos,
    /// Cost of its readings; absent if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<ReadingCost>,
    /// The series, in the order of a sample's values.
    pub series: Vec<SeriesDescription>,
}

/// One reading of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Time at which the reading began (for an adapter: the time of the value), nanoseconds on the run clock.
    pub at_ns: u64,
    /// Duration of the reading, in nanoseconds; the value belongs to a moment within it.
    pub read_ns: u64,
    /// One value for each series; none if it could not be read.
    pub values: Vec<Option<f64>>,
}

/// Why there are no samples for a time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapCause {
    /// Off, so that reading does not disturb an idle or latency-critical step.
    Quiet,
    /// Readings failed, with the error.
    Failed(String),
    /// The reader was late (another reading took long, or the CPU was busy), so readings were missed.
    Late,
    /// Samples were taken, but not collected in time.
    Lost,
    /// The run was interrupted: run time stood still while counters continued. Not in a recording, which ends at that
    /// point.
    Interrupted,
}

/// A time without samples.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// Start, nanoseconds on the run clock.
    pub from_ns: u64,
    /// End, nanoseconds on the run clock.
    pub to_ns: u64,
    /// Its cause.
    pub cause: GapCause,
}

/// Samples of one source.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SourceSamples {
    /// The source: its index in the newest [`TelemetryDescribed`], from 0.
    pub source: u32,
    /// Samples in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// Times without samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// The samples since the last batch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TelemetryBatch {
    /// CPU time of the reading thread alone since it started.
    pub cpu: Nanos,
    /// Samples by source.
    pub sources: Vec<SourceSamples>,
}

/// The sources; a process emits this once, before its first batch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TelemetryDescribed {
    /// The sources.
    pub sources: Vec<SourceDescription>,
    /// What could not be watched, and why, and what else a reader of the series must know; one sentence each.
    pub remarks: Vec<String>,
    /// Temperature of the drive above which the run is ended, in °C, and where the limit comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abort_above: Option<TemperatureLimit>,
    /// Whether sources are also read in idle and latency-critical steps, because the user asked for it.
    #[serde(default)]
    pub always: bool,
}

/// An upper limit of the temperature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TemperatureLimit {
    /// °C.
    pub celsius: f64,
    /// Source of the limit: the user, or the drive's own critical limit.
    pub because: String,
}

/// The phase of the run, which decides which sources may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// All sources may be read.
    Ordinary,
    /// An idle step: nothing may wake the drive.
    Idle,
    /// A step with one operation in flight: nothing may delay it.
    LatencyCritical,
}

impl Phase {
    /// Whether a source is read in this phase by default.
    #[must_use]
    pub const fn reads(self, disturbs: Disturbs) -> bool {
        match self {
            Phase::Ordinary => true,
            Phase::Idle => !matches!(disturbs, Disturbs::Drive),
            Phase::LatencyCritical => matches!(disturbs, Disturbs::Nothing),
        }
    }
}

/// A source that can be read repeatedly.
pub trait TelemetrySource: Send {
    /// Its description; constant for its lifetime. The reader may change `cost` and `every`.
    fn describe(&self) -> SourceDescription;

    /// Reads the source: usually one sample; an adapter gives all samples since the last reading, possibly none.
    ///
    /// # Errors
    /// What went wrong, a fragment with path and cause. The next reading is tried anyway.
    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String>;
}

/// Watches a run: what the session needs of the sampler.
pub trait Observer {
    /// The sources.
    fn described(&self) -> TelemetryDescribed;

    /// The run enters a phase. Reads every source that may be read in the old or the new phase once, so that counters
    /// are known at the boundary, and then follows the new phase. Returns when that is done, or after a short time.
    fn enter(&mut self, phase: Phase);

    /// The samples since the last call; `None` if there are none.
    fn collect(&mut self) -> Option<TelemetryBatch>;

    /// The newest temperature of the drive (the hottest of its sensors for the whole drive) with the name of its
    /// series. It is read now if its source is not read regularly.
    fn drive_temperature(&mut self) -> Option<(String, f64)>;

    /// Why the run was stopped, if a temperature was too high.
    fn too_hot(&self) -> Option<String>;

    /// Stops sampling and returns the remaining samples.
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
