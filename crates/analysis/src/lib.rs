//! Pure functions from records to metrics and findings: what the measured facts of a run mean.
//!
//! Owns: the table of metrics, the invariants, the verdict on steadiness, the statistics over rounds, every finding's
//! text, the shapes of charts. Must not know: files, clocks, threads, terminals, how a page looks. The same records
//! always give the same answer, so an old bundle can be studied again with a newer version of this crate.

#![forbid(unsafe_code)]

use drivelab_core::finding::Finding;
use drivelab_core::ids::StepId;
use drivelab_core::metric::Metric;
use drivelab_core::run::RunRecords;
use schemars::JsonSchema;
use serde::Serialize;

pub mod series;
pub mod stats;
pub mod steady;
#[doc(hidden)]
pub mod testing;
mod values;

/// Version of the definitions and thresholds; raised whenever the same records would give another figure or finding.
pub const ANALYSIS_VERSION: u32 = 1;

/// What a run means.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Analysis {
    /// [`ANALYSIS_VERSION`] of the code that made it.
    pub analysis_version: u32,
    /// Every figure, in the order of the plan, those of the whole run last.
    pub metrics: Vec<Metric>,
    /// Statements about the run, the gravest first.
    pub findings: Vec<Finding>,
    /// What limited each executed step.
    pub limits: Vec<StepLimit>,
}

impl Analysis {
    /// The metric with this address: `<step id>:<metric id>` or `run:<metric id>`.
    #[must_use]
    pub fn metric(&self, address: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.address == address)
    }

    /// The metric of a step.
    #[must_use]
    pub fn step_metric(&self, step: &StepId, id: &str) -> Option<&Metric> {
        self.metrics.iter().find(|metric| metric.id == id && metric.step.as_ref() == Some(step))
    }
}

/// What kept a step from being faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitedBy {
    /// The target: it always had the asked operations before it, and the host had time left.
    Target,
    /// The host's CPU: the issuing threads were busy nearly all the time, mostly in the kernel.
    HostCpu,
    /// The load generator: the issuing threads spent most of the time in drivelab's own code.
    Generator,
    /// The records do not tell.
    Unknown,
}

/// What limited one step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepLimit {
    /// The step.
    pub step: StepId,
    /// The limit.
    pub limited_by: LimitedBy,
    /// The figures it rests on, one sentence.
    pub reason: String,
}

/// Works out everything; also for runs that are not at their end, from what is there.
#[must_use]
pub fn analyse(_records: &RunRecords) -> Analysis {
    Analysis { analysis_version: ANALYSIS_VERSION, metrics: Vec::new(), findings: Vec::new(), limits: Vec::new() }
}
