//! A step on the drives of a group: what each did alone, with the others, and what is left of it.

use drivelab_core::event::RunState;
use drivelab_core::ids::StepId;
use drivelab_core::run::RunRecords;
use schemars::JsonSchema;
use serde::Serialize;

use super::signs::Signs;
use crate::analysis::Analysis;

/// A run of the group and what it means.
pub type Member<'a> = (&'a RunRecords, &'a Analysis);

/// Per cent of a step during which all drives must have worked. Below it, their rates are neither added nor compared
/// with those alone.
pub(super) const LEAST_OVERLAP_PERCENT: f64 = 90.0;

/// A step on all drives.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepTogether {
    /// The step.
    pub step: StepId,
    /// Title of its test.
    pub test: String,
    /// Its label.
    pub label: String,
    /// The metric that is compared: `read.throughput`, of a replayed trace `replay.busy_throughput`.
    pub metric: String,
    /// One entry a drive.
    pub drives: Vec<Share>,
    /// All drives.
    pub total: Share,
    /// A drive worked beside all others for less than 90 % of its step: the rates together have no sum then, and none
    /// is kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// The host's CPUs while all ran.
    pub cpu: Option<CpuShare>,
    /// The host's CPUs while each ran alone, one entry a drive.
    pub cpu_alone: Vec<Option<CpuShare>>,
}

/// What is left of a rate in company.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct Share {
    /// Alone, MB/s; of the total: the sum.
    pub alone_mb_s: Option<f64>,
    /// With the others, MB/s.
    pub together_mb_s: Option<f64>,
    /// The rate alone is a lower bound: the host, not the drive, was the limit. Of the total: of any drive.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone_at_least: bool,
    /// The rate with the others is a lower bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub together_at_least: bool,
    /// Something beside the test disturbed what was measured alone. Of the total: of any drive.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alone_spoiled: bool,
    /// The same, with the others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub together_spoiled: bool,
    /// Something beside the test disturbed the latencies alone, also those of a load that kept its schedule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub p99_alone_spoiled: bool,
    /// The same, with the others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub p99_together_spoiled: bool,
    /// 100 × together / alone; absent where the drive worked beside all others for less than 90 % of its step.
    pub kept_percent: Option<f64>,
    /// 100 - kept; below zero where it was faster in company. Absent where `kept` is.
    pub lost_percent: Option<f64>,
    /// 99th percentile of the latency alone, µs; of the slower kind of operation. Not of the total.
    pub p99_alone_us: Option<f64>,
    /// The same with the others.
    pub p99_together_us: Option<f64>,
    /// Share of the drive's step during which every other drive ran the same step.
    pub overlap_percent: Option<f64>,
}

impl Share {
    /// The signs of what is kept; for the loss they are reversed.
    #[must_use]
    pub const fn kept_signs(&self) -> Signs {
        Signs {
            at_least: self.together_at_least,
            at_most: self.alone_at_least,
            spoiled: self.alone_spoiled || self.together_spoiled,
        }
    }
}

/// What was moved in a second.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Second {
    /// Begin of the second, s since the drives began together.
    pub at_s: u32,
    /// MB/s of each drive, reads and writes together.
    pub drives_mb_s: Vec<f64>,
    /// Their sum.
    pub total_mb_s: f64,
}

/// How busy the host's CPUs were, everybody's programs together.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CpuShare {
    /// Mean over all CPUs, %.
    pub busy_percent: f64,
    /// One entry a CPU.
    pub cores: Vec<CoreShare>,
}

/// How one CPU spent its time, % of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct CoreShare {
    /// Number of the CPU.
    pub cpu: u32,
    /// Busy: the three that follow.
    pub busy_percent: f64,
    /// In programs.
    pub user_percent: f64,
    /// In the kernel.
    pub system_percent: f64,
    /// In interrupts.
    pub interrupt_percent: f64,
    /// Taken by the hypervisor.
    pub steal_percent: f64,
}

impl CoreShare {
    /// Time that no further work could use, %: busy, or taken by the hypervisor.
    #[must_use]
    pub fn taken_percent(&self) -> f64 {
        self.busy_percent + self.steal_percent
    }
}

/// The runs of one drive.
#[derive(Clone, Copy, Default)]
pub(super) struct Pair<'a> {
    pub(super) alone: Option<Member<'a>>,
    pub(super) together: Option<Member<'a>>,
}

/// Whether a run is at its end.
pub(super) fn is_complete(member: Option<Member<'_>>) -> bool {
    member.is_some_and(|(records, _)| records.state == RunState::Complete)
}
