//! The vocabulary of a run: every listener (recorder, screens, JSON lines, replay) gets these and nothing else.
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

/// Version of the event vocabulary. Readers refuse a larger one and say so.
///
/// 2 added `telemetry_described`, `telemetry`, `in_group`, `host_cpu`, `drive_state`, `preparation_reused`,
/// `making_again` and `made_again`. 3 added `ground_truth`, and the origin of intervals and step records.
pub const EVENT_VERSION: u32 = 3;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Number in the run, from 0, without gaps, over all segments.
    pub seq: u64,
    /// When, nanoseconds on the run clock; never decreases.
    pub at_ns: u64,
    /// What.
    pub event: EventBody,
}

impl Event {
    /// The same for whoever looks at a whole run: an interval without its distributions.
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
    /// The first event after an interruption: a new process goes on with the run.
    RunResumed(RunResumed),
    /// The run is one of a group: several drives, alone and at once. Follows the first event.
    InGroup(Group),
    /// In which state the target is before an execution, as far as is known; not of targets that store nothing.
    DriveState(StateSeen),
    /// Preparation is left out: the target is as it would leave it.
    PreparationReused(Reused),
    /// An execution of a step begins.
    StepStarted {
        /// Which.
        key: StepKey,
    },
    /// An interval of the running step is over.
    Interval(IntervalRecord),
    /// An execution of an I/O step is over; its record is final.
    StepEnded(StepRecord),
    /// A virtual drive began to behave otherwise. No analysis reads it.
    GroundTruth(GroundTruth),
    /// What the host's CPUs did during an execution that is over; only where it is watched.
    HostCpu(HostCpu),
    /// An idle step is over.
    IdleEnded {
        /// Which.
        key: StepKey,
    },
    /// A finished execution is done once more, since steps that are left rest on what it wrote and that is gone. What
    /// it measures now is no result; its intervals follow as of any other.
    MakingAgain {
        /// Which.
        key: StepKey,
    },
    /// It is done once more.
    MadeAgain {
        /// Which.
        key: StepKey,
        /// What it did this time; absent of an idle step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record: Option<StepRecord>,
    },
    /// An execution could not be done; it has no figures. The run goes on or fails, as the next events say.
    StepFailed {
        /// Which.
        key: StepKey,
        /// What went wrong: what, where, why likely, what to do.
        error: String,
    },
    /// Waiting begins after a step.
    RestStarted {
        /// After which.
        key: StepKey,
        /// Until when, on the run clock.
        until_ns: u64,
    },
    /// The rest is over.
    RestEnded {
        /// After which.
        key: StepKey,
    },
    /// Waiting for the drive to cool begins: before an execution, or as its action.
    CoolDownStarted {
        /// Of which execution.
        key: StepKey,
        /// Until it is below this, in °C.
        below_c: u32,
        /// How warm it is, in °C.
        celsius: f64,
        /// Until when at most, on the run clock.
        until_ns: u64,
    },
    /// How far it has cooled; now and then.
    CoolingDown {
        /// Of which execution.
        key: StepKey,
        /// How warm it is, in °C.
        celsius: f64,
    },
    /// Waiting for the drive to cool is over.
    CoolDownEnded {
        /// Of which execution.
        key: StepKey,
        /// How warm it is, in °C; absent where that could not be read any more.
        celsius: Option<f64>,
        /// Cool enough; otherwise the time was over.
        reached: bool,
    },
    /// What is watched beside the I/O; once in a process, before its first batch.
    TelemetryDescribed(TelemetryDescribed),
    /// What was sampled since the last batch.
    Telemetry(TelemetryBatch),
    /// A steady test was judged for the last time.
    Steadiness(Steadiness),
    /// Something worth knowing was noticed.
    Finding(Finding),
    /// The run stops before its end and can be resumed; the last event of its segment.
    Interrupted {
        /// Who or what asked.
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

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Ran to its end.
    Complete,
    /// Not at its end: running, interrupted or killed. Can be resumed.
    Interrupted,
    /// Ended early and cannot be resumed.
    Failed,
}

impl RunState {
    /// The word in the catalog, in files, in reports and in messages.
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
    /// Version of the vocabulary, [`EVENT_VERSION`].
    pub event_version: u32,
    /// The run.
    pub run: RunId,
    /// Wall-clock time at run time 0, RFC 3339 in UTC.
    pub started: String,
    /// Which drivelab.
    pub tool: ToolVersion,
    /// What will be done.
    pub plan: Plan,
    /// On what.
    pub environment: Environment,
}

/// A new process goes on with a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResumed {
    /// Number of the segment that begins, from 1.
    pub segment: u32,
    /// Wall-clock time, RFC 3339 in UTC. Run time goes on from the last recorded event: the pause is not in it.
    pub resumed: String,
    /// Which drivelab.
    pub tool: ToolVersion,
    /// Target and testbed as found now.
    pub environment: Environment,
    /// Whether the prepared target was still there, or had to be made and filled again, and why.
    pub target_state: String,
    /// Preparation is repeated.
    pub prepared_again: bool,
    /// Executions already finished and kept.
    pub kept_steps: u32,
}

/// The verdict on a steady test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Steadiness {
    /// Name of the test.
    pub test: String,
    /// Reached, or the most rounds were done without.
    pub reached: bool,
    /// First round of the window that is reported, from 1.
    pub first_round: u32,
    /// Last round of the window.
    pub last_round: u32,
    /// (max - min) / mean over the window, in per cent; at most 20 is steady.
    pub range_percent: f64,
    /// Move of the least-squares line over the window / mean, in per cent; at most 10 is steady.
    pub slope_percent: f64,
}
