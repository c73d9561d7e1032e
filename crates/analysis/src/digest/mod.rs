//! The digest of a run: what lists, rankings and comparisons need of it, small enough to keep hundreds at hand.
//!
//! It is made of a run's records and analysis, and can be made again from them at any time, so nothing is lost with it.
//! Every metric stands in it with its rounds and marks; sweeps and load curves follow from the axes and relative rates
//! of the steps. Values have nine significant digits. Must not know where digests are kept.

mod courses;
mod digits;
mod document;
mod make;

pub use courses::{Course, RatePoint, TemperaturePoint};

use drivelab_core::condition::Condition;
use drivelab_core::environment::{Environment, ToolVersion};
use drivelab_core::event::RunState;
use drivelab_core::finding::Finding;
use drivelab_core::group::Group;
use drivelab_core::ids::{RunId, StepId};
use drivelab_core::load::OpKind;
use drivelab_core::metric::Metric;
use drivelab_core::plan::{Approximation, AxisValue, Combine, Form, MethodIdentity};
use drivelab_core::relative::RelativeRate;
use serde::{Deserialize, Serialize};

use crate::topics::limits::StepLimit;

/// Version of the digest: raised whenever the same records and analysis give another one.
pub const DIGEST_VERSION: u32 = 1;

/// What is kept of a run for lists, rankings and comparisons.
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
    /// Findings, the gravest first.
    pub findings: Vec<Finding>,
    /// What limited each executed step.
    pub limits: Vec<StepLimit>,
}

/// What is known of a run besides its figures.
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
    /// Length of its clock, nanoseconds.
    pub duration_ns: u64,
    /// How it stands.
    pub state: RunState,
    /// Its figures are of a virtual drive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// Interruptions.
    pub breaks: usize,
    /// Which drivelab began it.
    pub tool: ToolVersion,
    /// Which drivelab went on with it, and under which kernel, each time that it was resumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed_with: Vec<(ToolVersion, String)>,
    /// The methodology.
    pub method: MethodIdentity,
    /// Its title.
    pub title: String,
    /// The variant of it; empty where it has none.
    pub profile: String,
    /// Its form.
    pub form: Form,
    /// What was changed on the command line.
    pub set: Vec<String>,
    /// Target, source of files, testbed and condition. The pages of the drive, its facts and its data sheet, samples of
    /// its content, the guard's decision and the host's ceilings are left out.
    pub environment: Box<Environment>,
    /// The group that it belongs to.
    pub group: Option<Group>,
    /// Engines that issued its I/O: `io_uring`, `sync`.
    pub backends: Vec<String>,
    /// Average power of the drive in the idle steps, W.
    pub idle_watts: Option<f64>,
    /// CPU time of the host for each GB (10^9 bytes) over all measured steps, s.
    pub cpu_s_per_gb: Option<f64>,
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
    /// What it is.
    pub facts: StepFacts,
    /// Its metrics; none where it was not executed.
    pub metrics: Vec<Metric>,
}

/// What is known of a step besides its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepFacts {
    /// The step.
    pub id: StepId,
    /// Its label.
    pub label: String,
    /// Its result counts; a preparation's does not.
    pub measured: bool,
    /// Kinds of operations that it issues.
    pub ops: Vec<OpKind>,
    /// Id of the metric that is its rate in bytes; none where it moves no data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// Hash of the trace that it replays, whose pauses are in its operations per second; none where it replays none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// Its place in a sweep.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<AxisValue>,
    /// Its place on a load curve.
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
    /// What was set up around the target; nothing where that is not on record.
    #[must_use]
    pub fn condition(&self) -> Condition {
        self.run.environment.condition.as_ref().map(|facts| facts.asked).unwrap_or_default()
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
