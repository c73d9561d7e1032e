//! The digest of a run: what lists, rankings and comparisons need, small enough to keep hundreds in memory.
//!
//! It is made from a run's records and analysis and can be made again at any time, so nothing is lost with it. It has
//! every metric with its rounds and marks; sweeps and load curves follow from the axes and relative rates of the steps.
//! Values have nine significant digits. Must not know where digests are kept.

mod courses;
mod digits;
mod document;
mod make;

pub use courses::{Course, RatePoint, TemperaturePoint};

use drivelab_core::condition::Condition;
use drivelab_core::environment::{Environment, ToolVersion};
use drivelab_core::event::RunState;
use drivelab_core::finding::Finding;
use drivelab_core::group::{Group, GroupRole};
use drivelab_core::ids::{RunId, StepId};
use drivelab_core::load::OpKind;
use drivelab_core::metric::{Better, Metric};
use drivelab_core::plan::{Approximation, AxisValue, Combine, Form, MethodIdentity, redacted_setting};
use drivelab_core::relative::RelativeRate;
use drivelab_core::units::Bytes;
use serde::{Deserialize, Serialize};

use crate::topics::limits::StepLimit;

/// Version of the digest: raised whenever the same records and analysis give another one.
pub const DIGEST_VERSION: u32 = 5;

/// The parts of a run that lists, rankings and comparisons need.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// Which run, when and how it was measured.
    pub run: RunFacts,
    /// Every test with its steps, in the order of the plan.
    pub tests: Vec<TestDigest>,
    /// Metrics of the whole run, scores first.
    pub metrics: Vec<Metric>,
    /// Fills, and minutes of load, over time.
    pub courses: Vec<Course>,
    /// Findings by severity, the highest first.
    pub findings: Vec<Finding>,
    /// What limited each executed step.
    pub limits: Vec<StepLimit>,
}

/// Facts about a run besides its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    /// [`DIGEST_VERSION`] of the code that made the digest.
    pub digest_version: u32,
    /// [`crate::ANALYSIS_VERSION`] of the code that made its figures.
    pub analysis_version: u32,
    /// The run.
    pub id: RunId,
    /// Wall-clock time of its start, RFC 3339.
    pub started: String,
    /// Its length on the run clock, nanoseconds.
    pub duration_ns: u64,
    /// Its state.
    pub state: RunState,
    /// Its figures are of a virtual drive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// Interruptions.
    pub breaks: usize,
    /// The drivelab that started it.
    pub tool: ToolVersion,
    /// The drivelab and the kernel of each resumption.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed_with: Vec<(ToolVersion, String)>,
    /// The methodology.
    pub method: MethodIdentity,
    /// Its title.
    pub title: String,
    /// Its profile; empty if it has none.
    pub profile: String,
    /// Its form.
    pub form: Form,
    /// What was changed on the command line.
    pub set: Vec<String>,
    /// Target, source of files, testbed and condition. The pages of the drive, its facts and its data sheet, samples of
    /// its content, the guard's decision and the host's ceilings are left out.
    pub environment: Box<Environment>,
    /// Bytes of the target that were to be tested, from `--size` or the methodology; else all of it.
    pub tested: Bytes,
    /// The group to which it belongs.
    pub group: Option<Group>,
    /// Engines that issued its I/O: `io_uring`, `sync`.
    pub backends: Vec<String>,
    /// Average power of the drive in the idle steps, W.
    pub idle_watts: Option<f64>,
    /// CPU time of the host for each GB (10^9 bytes) over all measured steps, s.
    pub cpu_s_per_gb: Option<f64>,
    /// What its scores are: their metrics have no direction of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<ScoreFacts>,
}

impl RunFacts {
    /// How many drives were measured at the same time; 1 is alone.
    #[must_use]
    pub fn drives_at_once(&self) -> u32 {
        match &self.group {
            Some(group) if group.role == GroupRole::Together => group.drives(),
            _ => 1,
        }
    }
}

/// Facts about a score besides its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreFacts {
    /// Address of its metric.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Which direction is better.
    pub better: Better,
}

/// What sets the rate of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateSetBy {
    /// The target: the load waits for it.
    #[default]
    Target,
    /// The methodology: operations arrive on a schedule.
    Schedule,
    /// A search for the highest rate that keeps a bound.
    Search,
}

/// A test in a digest.
#[derive(Debug, Clone, PartialEq)]
pub struct TestDigest {
    /// Its name in the methodology.
    pub name: String,
    /// Its title.
    pub title: String,
    /// How its rounds become one figure.
    pub combine: Combine,
    /// Its steps that issue I/O.
    pub steps: Vec<StepDigest>,
}

/// A step in a digest.
#[derive(Debug, Clone, PartialEq)]
pub struct StepDigest {
    /// Facts about it.
    pub facts: StepFacts,
    /// Its metrics; none if it was not executed.
    pub metrics: Vec<Metric>,
}

/// Facts about a step besides its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepFacts {
    /// The step.
    pub id: StepId,
    /// Its label.
    pub label: String,
    /// Whether it is measured, not preparation.
    pub measured: bool,
    /// Kinds of operations that it issues.
    pub ops: Vec<OpKind>,
    /// Id of the metric that is its rate in bytes; none if it moves no data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// Hash of the trace that it replays, whose pauses are in its operations per second; none if it is not a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// What sets its rate.
    #[serde(default)]
    pub rate_set_by: RateSetBy,
    /// Its position in a sweep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<AxisValue>,
    /// Its position on a load curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative: Option<RelativeRate>,
    /// Parameters that its source does not state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approximations: Vec<Approximation>,
    /// CPU time of the host for each GB that it moved, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_s_per_gb: Option<f64>,
}

impl Digest {
    /// The same without serial numbers and folder names.
    #[must_use]
    pub fn redacted(&self) -> Digest {
        let mut redacted = self.clone();
        redacted.run.environment.redact();
        redacted.run.set = self.run.set.iter().map(|setting| redacted_setting(setting)).collect();
        redacted
    }

    /// The conditions of the target; none if they are not on record.
    #[must_use]
    pub fn condition(&self) -> Condition {
        self.run.environment.asked_condition()
    }

    /// Every step, in the order of the plan.
    pub fn steps(&self) -> impl Iterator<Item = &StepDigest> {
        self.tests.iter().flat_map(|test| &test.steps)
    }

    /// The step of this id.
    #[must_use]
    pub fn step(&self, id: &StepId) -> Option<&StepDigest> {
        self.steps().find(|step| step.facts.id == *id)
    }
}

impl StepDigest {
    /// Its metric of this id.
    #[must_use]
    pub fn metric(&self, id: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.id == id)
    }
}

#[cfg(test)]
mod tests;
