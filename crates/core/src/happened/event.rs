//! The events of a run: every listener (recorder, screens, JSON lines, replay) gets these and nothing else.
//!
//! On disk and on stdout an event is one line of JSON: `{"seq":7,"at_ns":1234,"event":{"step_started":{…}}}`. The
//! format and its versions are described in docs/formats/bundle.md.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::drive_state::{Reused, StateSeen};
use crate::environment::{Environment, ToolVersion};
use crate::finding::Finding;
use crate::group::{Group, HostCpu};
use crate::ids::{RunId, StepKey};
use crate::plan::Plan;
use crate::record::{IntervalRecord, StepRecord};
use crate::telemetry::{TelemetryBatch, TelemetryDescribed};
use crate::truth::GroundTruth;

/// Version of the event vocabulary. Readers refuse a newer version and report it.
///
/// 2 added `telemetry_described`, `telemetry`, `in_group`, `host_cpu`, `drive_state`, `preparation_reused`,
/// `making_again` and `made_again`. 3 added `ground_truth`, and the origin of intervals and step records.
pub const EVENT_VERSION: u32 = 3;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Number of the event in the run, from 0, without gaps, over all segments.
    pub seq: u64,
    /// Time, nanoseconds on the run clock; never decreases.
    pub at_ns: u64,
    /// The event itself.
    pub event: EventBody,
}

impl Event {
    /// The event for code that reads a whole run: an interval without its distributions.
    #[must_use]
    pub fn condensed(mut self) -> Event {
        if let EventBody::Interval(interval) = &mut self.event {
            interval.condense();
        }
        self
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "events travel behind an Arc; the large ones come once in a run")]
pub enum EventBody {
    /// The first event of a run.
    RunStarted(RunStarted),
    /// The first event after an interruption: a new process continues the run.
    RunResumed(RunResumed),
    /// The run belongs to a group: several drives, alone and at the same time. Follows the first event.
    InGroup(Group),
    /// The state of the target before an execution, as far as it is known; absent for targets that store nothing.
    DriveState(StateSeen),
    /// Preparation is left out, because the target is already in the state that it leaves.
    PreparationReused(Reused),
    /// An execution of a step begins.
    StepStarted {
        /// The execution.
        key: StepKey,
    },
    /// An interval of the running step has ended.
    Interval(IntervalRecord),
    /// An execution of an I/O step has ended; its record is final.
    StepEnded(StepRecord),
    /// A virtual drive changed its behaviour. No analysis reads it.
    GroundTruth(GroundTruth),
    /// Time of the host's CPUs during an execution that has ended; only if it is watched.
    HostCpu(HostCpu),
    /// An idle step has ended.
    IdleEnded {
        /// The execution.
        key: StepKey,
    },
    /// A finished execution is repeated, because the remaining steps need what it wrote and that is lost. What it
    /// measures now is not a result; its intervals follow as usual.
    MakingAgain {
        /// The execution.
        key: StepKey,
    },
    /// The repeated execution has ended.
    MadeAgain {
        /// The execution.
        key: StepKey,
        /// Its record this time; absent for an idle step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record: Option<StepRecord>,
    },
    /// An execution could not run and has no figures. The following events show whether the run continues or fails.
    StepFailed {
        /// The execution.
        key: StepKey,
        /// What went wrong: what, where, likely why, what to do.
        error: String,
    },
    /// A rest after a step begins.
    RestStarted {
        /// The execution before it.
        key: StepKey,
        /// End of the rest, on the run clock.
        until_ns: u64,
    },
    /// The rest has ended.
    RestEnded {
        /// The execution before it.
        key: StepKey,
    },
    /// Waiting for the drive to cool begins: before an execution, or as its action.
    CoolDownStarted {
        /// The execution.
        key: StepKey,
        /// Wait until its temperature is below this, in °C.
        below_c: u32,
        /// Temperature of the drive, in °C.
        celsius: f64,
        /// Latest end of the wait, on the run clock.
        until_ns: u64,
    },
    /// Progress of the cooling, from time to time.
    CoolingDown {
        /// The execution.
        key: StepKey,
        /// Temperature of the drive, in °C.
        celsius: f64,
    },
    /// Waiting for the drive to cool has ended.
    CoolDownEnded {
        /// The execution.
        key: StepKey,
        /// Temperature of the drive, in °C; absent if it could not be read any more.
        celsius: Option<f64>,
        /// Whether the drive is cool enough; otherwise the time limit was reached.
        reached: bool,
    },
    /// The telemetry sources; once for each process, before its first batch.
    TelemetryDescribed(TelemetryDescribed),
    /// The samples since the last batch.
    Telemetry(TelemetryBatch),
    /// The final verdict on a steady test.
    Steadiness(Steadiness),
    /// A finding was made.
    Finding(Finding),
    /// The run stops before its end and can be resumed; the last event of its segment.
    Interrupted {
        /// Who or what requested the stop.
        cause: String,
    },
    /// The last event of a run: it is complete or failed, and the bundle is sealed.
    RunEnded {
        /// Complete or failed.
        state: RunState,
        /// Why it failed; empty for a complete run.
        message: String,
    },
}

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It ran to its end.
    Complete,
    /// It has not ended: it is running, interrupted or killed. It can be resumed.
    Interrupted,
    /// It ended early and cannot be resumed.
    Failed,
}

impl RunState {
    /// The name in the catalog, in files, in reports and in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RunState::Complete => "complete",
            RunState::Interrupted => "interrupted",
            RunState::Failed => "failed",
        }
    }
}

/// Everything that is known before the first step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    /// Version of the event vocabulary, [`EVENT_VERSION`].
    pub event_version: u32,
    /// The run.
    pub run: RunId,
    /// Wall-clock time at run time 0, RFC 3339 in UTC.
    pub started: String,
    /// The version of drivelab.
    pub tool: ToolVersion,
    /// The plan.
    pub plan: Plan,
    /// Target and testbed.
    pub environment: Environment,
}

/// A new process continues a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResumed {
    /// Number of the segment that begins, from 1.
    pub segment: u32,
    /// Wall-clock time, RFC 3339 in UTC. Run time continues from the last recorded event and does not include the
    /// pause.
    pub resumed: String,
    /// The version of drivelab.
    pub tool: ToolVersion,
    /// Target and testbed as found now.
    pub environment: Environment,
    /// Whether the prepared target was still there, or had to be made and filled again, and why.
    pub target_state: String,
    /// Whether preparation is repeated.
    pub prepared_again: bool,
    /// Number of executions that were already finished and are kept.
    pub kept_steps: u32,
}

/// The verdict on a steady test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steadiness {
    /// Name of the test.
    pub test: String,
    /// Whether steady state was reached; otherwise the most rounds were run without it.
    pub reached: bool,
    /// First round of the reported window, from 1.
    pub first_round: u32,
    /// Last round of the reported window.
    pub last_round: u32,
    /// (max - min) / mean over the window, in per cent; steady is at most 20.
    pub range_percent: f64,
    /// Change of the least-squares line over the window / mean, in per cent; steady is at most 10.
    pub slope_percent: f64,
}
