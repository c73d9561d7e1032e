//! What limited an execution: the generator, the host's CPU, the schedule, or nothing on the side of the host.
//!
//! Judged from the engine's own account ([`drivelab_core::record::Effort`]) by the rules of research notes, engine
//! section 6, with thresholds as named constants. For a recording without that account the limit is unknown.

use drivelab_core::load::{Arrivals, Verify};
use drivelab_core::record::{CPU_SPLIT_FROM, IssueMode, OpenLoop, StepRecord};
use drivelab_core::workload::Workload;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{stats, values};

/// Share of the issuing threads' time in user mode above which the generator is the limit: for more than half of the
/// time nothing was being issued, so the target might have done twice as much.
pub(crate) const GENERATOR_SHARE: f64 = 0.5;
/// Share of their time in the kernel above which the host's CPU is the limit: with more than half of its time gone
/// there, a thread could not have issued twice as much, whatever the target did.
pub(crate) const KERNEL_SHARE: f64 = 0.5;
/// Share of both together above which a thread never waited for the target, even if neither is above half. A tenth is
/// the least idle time that can be told from none in steps of a few seconds.
pub(crate) const BUSY_SHARE: f64 = 0.9;
/// Share of the issuing threads' time in which they were ready and other programs used the CPU, above which these
/// programs were the limit. For that time completions went unnoticed and nothing was issued, and a tenth is more than a
/// rate may be off by. An idle machine stays below a hundredth.
pub(crate) const STARVED_SHARE: f64 = 0.1;
/// Share of a step's time in which drivelab itself stood still, above which that is the limit: a rate is then off by as
/// much, and rates are given to a hundredth.
pub(crate) const STILL_SHARE: f64 = 0.01;
/// Share of a step's time that a CPU quota took, above which the quota is the limit, for the same reason.
pub(crate) const QUOTA_SHARE: f64 = 0.01;
/// Part of the time for which the issuing threads waited for a CPU, from which a quota counts as the reason.
const QUOTA_PART: f64 = 0.5;
/// Shorter steps show nothing about waiting for a CPU: the kernel assigns CPUs in ticks of up to 10 ms, and the time
/// that a thread waited before its first operation is included.
const TICK_S: f64 = 0.01;
/// Share of the requested operations in flight below which the depth was not kept. Refilling a slot and draining at the
/// end cost a few per cent of the time; with a tenth less, the load is not what the step's name says.
pub(crate) const DEPTH_KEPT: f64 = 0.9;
/// Operations for each one in flight below which a step shows nothing about the depth: starting and draining are then
/// more than a tenth of it.
pub(crate) const MANY: f64 = 20.0;
/// Growth of the backlog, as a share of the requested rate, above which an open loop is overloaded. The generator
/// keeps a constant rate to 0.5 % and a random one to 1 %: less growth than that shows nothing about the target.
pub(crate) const OVERLOAD_SHARE: f64 = 0.01;
/// Least share of the backlog's growth that the line through its intervals must explain. It does if the backlog grew
/// throughout or from the middle on. A stall just before the end of a step of 8 s or more does not reach it.
const OVERLOAD_THROUGHOUT: f64 = 0.7;
/// See [`fell_behind`].
const BEHIND_SHARE: f64 = 0.02;
/// Random arrivals have a backlog that wanders: up to this many standard deviations of their number are not growth.
const OVERLOAD_DEVIATIONS: f64 = 3.0;

/// What kept an execution from being faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LimitedBy {
    /// The load generator, for this reason: the figure is a lower bound.
    Generator {
        /// What shows that.
        why: GeneratorLimit,
    },
    /// The kernel's work on the issuing threads: the figure is a lower bound.
    HostCpu {
        /// Share of the threads' time that this rule is about, 0 to 1.
        share: f64,
        /// Which time was too much.
        rule: CpuRule,
    },
    /// Other programs, which used the CPU when the issuing threads were ready: the figure is a lower bound.
    OtherWork {
        /// Share of the threads' time in which they waited for a CPU, 0 to 1.
        share: f64,
    },
    /// A CPU quota, which kept the process off the CPU: the figure is a lower bound.
    Quota {
        /// Share of the step's time that it took on one CPU, 0 to 1.
        share: f64,
    },
    /// drivelab itself, which was stopped or frozen, or whose machine stood still: the figure is a lower bound.
    StoodStill {
        /// Share of the step's time, 0 to 1.
        share: f64,
    },
    /// Perhaps the kernel's own threads, which did part of the work (io-wq, SQPOLL) and whose CPU time is in no figure.
    /// The target might have done more, so the figure is a lower bound.
    KernelThreads,
    /// The requested rate or pauses: the target could have done more.
    Schedule,
    /// The target, at the requested depth: nothing on the side of the host held it back.
    TargetOrDepth,
    /// Unknown: the recording holds no account of the engine's effort, or no operation.
    Unknown,
}

/// Which CPU time of the issuing threads passed its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuRule {
    /// The time in one mode (user if the generator is the limit, kernel if the host's CPU is): half of the time.
    OneMode,
    /// Both together, of which that of this mode was the greater: 90 %.
    Together,
    /// Both together, too short to be split: half of the time.
    Unsplit,
}

/// Why the generator is the limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GeneratorLimit {
    /// The issuing threads spent more than half of their time in drivelab's own code.
    UserTime {
        /// Share of the threads' time that this rule is about, 0 to 1.
        share: f64,
        /// Which time was too much.
        rule: CpuRule,
    },
    /// A closed loop that issues as much as it may did not have the requested operations in flight.
    DepthNotKept {
        /// Mean operations in flight.
        reached: f64,
        /// Operations requested.
        asked: f64,
    },
}

impl LimitedBy {
    /// Whether the target could have done more than the figure shows, so that the figure is a lower bound.
    #[must_use]
    pub const fn is_lower_bound(self) -> bool {
        matches!(
            self,
            LimitedBy::Generator { .. }
                | LimitedBy::HostCpu { .. }
                | LimitedBy::OtherWork { .. }
                | LimitedBy::Quota { .. }
                | LimitedBy::StoodStill { .. }
                | LimitedBy::KernelThreads
        )
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(self) -> LimitKind {
        match self {
            LimitedBy::Generator { .. } => LimitKind::Generator,
            LimitedBy::HostCpu { .. } | LimitedBy::OtherWork { .. } | LimitedBy::KernelThreads => LimitKind::HostCpu,
            LimitedBy::Quota { .. } => LimitKind::CpuQuota,
            LimitedBy::StoodStill { .. } => LimitKind::StoodStill,
            LimitedBy::Schedule => LimitKind::Schedule,
            LimitedBy::TargetOrDepth => LimitKind::Target,
            LimitedBy::Unknown => LimitKind::Unknown,
        }
    }
}

/// What kept a step from being faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// The target, at the requested depth: nothing on the side of the host held it back.
    Target,
    /// The host's CPU: the issuing threads spent most of their time in the kernel, or waited for a CPU that other
    /// programs used. The rate is a lower bound.
    HostCpu,
    /// The load generator: the issuing threads spent most of their time in drivelab's own code, or did not keep the
    /// requested depth. The rate is a lower bound.
    Generator,
    /// A CPU quota of the container or service that drivelab runs in. The rate is a lower bound.
    CpuQuota,
    /// drivelab itself, which was stopped or frozen for part of the step, or whose machine stood still. The rate is a
    /// lower bound.
    StoodStill,
    /// The requested rate or pauses.
    Schedule,
    /// The records do not show it.
    Unknown,
}

impl LimitKind {
    /// For people, in a table.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            LimitKind::Target => "the target, at this depth",
            LimitKind::HostCpu => "the host's CPU",
            LimitKind::Generator => "the load generator",
            LimitKind::CpuQuota => "a CPU quota",
            LimitKind::StoodStill => "drivelab, which was stopped",
            LimitKind::Schedule => "the schedule",
            LimitKind::Unknown => "unknown",
        }
    }
}

/// What limited a step or an execution, as documents hold it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// The limit.
    pub limited_by: LimitKind,
    /// The target could have done more: rates are lower bounds, and latencies include waiting on the host.
    pub lower_bound: bool,
    /// The figures that it rests on, one sentence.
    pub reason: String,
}

/// What limited one execution.
#[must_use]
pub fn limited_by(record: &StepRecord, workload: &Workload) -> LimitedBy {
    Signs::of(record, workload).map_or(LimitedBy::Unknown, Signs::judge)
}

/// What limited one execution, with the figures that it rests on in words.
#[must_use]
pub fn limit(record: &StepRecord, workload: &Workload) -> Limit {
    Signs::of(record, workload).map_or_else(|| unknown(&[record]), Signs::limit)
}

/// The limit of a step, by the means of its rounds.
pub(crate) fn of_rounds(used: &[&StepRecord], workload: &Workload) -> Limit {
    let signs: Vec<Signs> = used.iter().filter_map(|record| Signs::of(record, workload)).collect();
    Signs::mean(&signs).map_or_else(|| unknown(used), Signs::limit)
}

fn unknown(records: &[&StepRecord]) -> Limit {
    let reason = if !records.is_empty() && records.iter().all(|record| nothing_done(record)) {
        "no operation ended without an error, so there is no rate that could have been limited"
    } else {
        "the recording does not show how much CPU time the engine used"
    };
    Limit { limited_by: LimitKind::Unknown, lower_bound: false, reason: reason.to_owned() }
}

/// Whether no operation of any kind ended without an error. Busy threads then show nothing about the target (a drive
/// that is gone fails every operation immediately).
fn nothing_done(record: &StepRecord) -> bool {
    record.kinds().all(|(_, op)| op.count == 0)
}

/// How operations were issued, as far as it matters for the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Manner {
    /// As soon as one has ended: the requested depth has to be in flight.
    Free,
    /// A group was held back (by weights, by a rate of which nothing is recorded, or by the times of a trace), so its
    /// slots may be empty. Nothing else follows from that.
    Weighted,
    /// With pauses or think time.
    Paused,
    /// At times fixed in advance, and the backlog did not grow.
    OnTime,
    /// At times fixed in advance, and the backlog grew.
    Overloaded,
}

/// The signs from which the limit is judged.
#[derive(Debug, Clone, Copy)]
struct Signs {
    user: f64,
    kernel: f64,
    starved: f64,
    /// Share of the step's time that a CPU quota took on one CPU.
    quota: f64,
    /// Share of the step's time in which the whole process stood still.
    still: f64,
    reached: f64,
    asked: f64,
    /// CPU time of the issuing threads in seconds, of all rounds: whether it can be split into user and kernel.
    cpu_s: f64,
    manner: Manner,
    /// Kernel threads did part of the work, and their CPU time is in no figure here.
    unseen: bool,
    /// There were so many operations that starting and draining do not matter for the depth.
    many: bool,
}

impl Signs {
    /// `None` if the recording holds no account of the effort, no thread time or no successful operation.
    fn of(record: &StepRecord, workload: &Workload) -> Option<Signs> {
        let done = |operations: u64| operations > 0 && !nothing_done(record);
        let effort = record.engine.effort.as_ref().filter(|effort| done(effort.operations))?;
        let time = effort.thread_time.as_secs_f64();
        let elapsed = record.elapsed().as_secs_f64().max(1e-9);
        let waited = |share: f64| if elapsed < TICK_S { 0.0 } else { share.min(1.0) };
        (time > 0.0).then(|| Signs {
            user: record.engine.cpu_user.as_secs_f64() / time,
            kernel: record.engine.cpu_system.as_secs_f64() / time,
            starved: waited(effort.waited_for_cpu.as_secs_f64() / time),
            quota: waited(effort.kept_by_quota.as_secs_f64() / elapsed),
            still: (effort.stood_still.as_secs_f64() / elapsed).min(1.0),
            // Between two files, and while written data is made durable, no file is in flight.
            reached: if workload.files.is_some() { effort.depth_asked as f64 } else { record.in_flight_mean },
            asked: effort.depth_asked as f64,
            cpu_s: record.engine.cpu_user.as_secs_f64() + record.engine.cpu_system.as_secs_f64(),
            manner: manner(record, workload),
            unseen: record.engine.punted || record.engine.issue_mode() == IssueMode::RingSubmissionPolled,
            many: effort.operations as f64 >= MANY * effort.depth_asked as f64,
        })
    }

    /// The mean of the rounds. If they differ in manner, the manner furthest from a free loop counts.
    fn mean(rounds: &[Signs]) -> Option<Signs> {
        let of = |part: fn(&Signs) -> f64| stats::mean(&rounds.iter().map(part).collect::<Vec<f64>>());
        Some(Signs {
            user: of(|signs| signs.user)?,
            kernel: of(|signs| signs.kernel)?,
            starved: of(|signs| signs.starved)?,
            quota: of(|signs| signs.quota)?,
            still: of(|signs| signs.still)?,
            reached: of(|signs| signs.reached)?,
            asked: of(|signs| signs.asked)?,
            cpu_s: rounds.iter().map(|signs| signs.cpu_s).sum(),
            manner: rounds.iter().map(|signs| signs.manner).max()?,
            unseen: rounds.iter().any(|signs| signs.unseen),
            many: rounds.iter().all(|signs| signs.many),
        })
    }

    fn judge(self) -> LimitedBy {
        // This comes first: for that long nothing was issued to the target, and no completion was noticed.
        if self.still > STILL_SHARE {
            return LimitedBy::StoodStill { share: self.still };
        }
        // So does this: a process that may use only part of a CPU keeps a schedule late and does less of everything
        // else.
        if self.is_kept_by_quota() {
            return LimitedBy::Quota { share: self.quota };
        }
        // A schedule that was kept is the limit, whatever the CPU did: an open loop may spin between arrivals.
        if self.manner == Manner::OnTime {
            return LimitedBy::Schedule;
        }
        let both = self.user + self.kernel;
        if !self.is_split() && both > KERNEL_SHARE {
            return LimitedBy::HostCpu { share: both, rule: CpuRule::Unsplit };
        }
        if self.user > GENERATOR_SHARE && self.is_split() {
            return LimitedBy::Generator { why: GeneratorLimit::UserTime { share: self.user, rule: CpuRule::OneMode } };
        }
        if self.kernel > KERNEL_SHARE {
            return LimitedBy::HostCpu { share: self.kernel, rule: CpuRule::OneMode };
        }
        if both > BUSY_SHARE {
            let rule = CpuRule::Together;
            return match self.user > self.kernel {
                true => LimitedBy::Generator { why: GeneratorLimit::UserTime { share: both, rule } },
                false => LimitedBy::HostCpu { share: both, rule },
            };
        }
        if self.starved > STARVED_SHARE {
            return LimitedBy::OtherWork { share: self.starved };
        }
        match self.manner {
            Manner::Paused => LimitedBy::Schedule,
            _ if self.lost_depth() => {
                let why = GeneratorLimit::DepthNotKept { reached: self.reached, asked: self.asked };
                LimitedBy::Generator { why }
            }
            _ if self.unseen => LimitedBy::KernelThreads,
            Manner::Free | Manner::Weighted | Manner::OnTime | Manner::Overloaded => LimitedBy::TargetOrDepth,
        }
    }

    /// Whether a quota took enough time to matter and is the reason why the issuing threads waited.
    fn is_kept_by_quota(self) -> bool {
        self.quota > QUOTA_SHARE && self.starved > QUOTA_SHARE && self.quota >= QUOTA_PART * self.starved
    }

    /// Whether the CPU time is long enough to be split into user and kernel time.
    fn is_split(self) -> bool {
        self.cpu_s >= CPU_SPLIT_FROM.as_secs_f64()
    }

    /// Whether a loop that issues as much as it may did not have the requested operations in flight.
    fn lost_depth(self) -> bool {
        let asks_freely = matches!(self.manner, Manner::Free | Manner::Overloaded);
        asks_freely && self.many && self.reached < DEPTH_KEPT * self.asked
    }

    fn limit(self) -> Limit {
        let verdict = self.judge();
        Limit { limited_by: verdict.kind(), lower_bound: verdict.is_lower_bound(), reason: self.reason(verdict) }
    }

    fn reason(self, verdict: LimitedBy) -> String {
        let (user, kernel) = (100.0 * self.user, 100.0 * self.kernel);
        let cpu = if self.is_split() {
            format!("user {user:.0} %, kernel {kernel:.0} % of the issuing threads' time")
        } else {
            format!("{:.0} % of the issuing threads' time on the CPU, too short to be split", user + kernel)
        };
        match verdict {
            LimitedBy::Generator { why: GeneratorLimit::UserTime { .. } } | LimitedBy::HostCpu { .. } => {
                let (reached, asked) = (self.reached, self.asked);
                let depth = if self.lost_depth() {
                    format!("; only {reached:.1} of {asked:.0} requested operations were in flight")
                } else {
                    String::new()
                };
                let limits = if self.is_split() { "50 % each, 90 % together" } else { "50 %" };
                format!("{cpu} (limit {limits}){depth}")
            }
            LimitedBy::OtherWork { share } => {
                format!(
                    "other programs used the CPU for {:.1} % of the issuing threads' time (limit 10 %; {cpu})",
                    100.0 * share
                )
            }
            LimitedBy::Quota { share } => format!(
                "a CPU quota kept drivelab off the CPU for {:.1} % of the step (limit 1 %; {cpu})",
                100.0 * share
            ),
            LimitedBy::StoodStill { share } => format!(
                "drivelab itself or the machine was stopped or frozen for {:.1} % of the step (limit 1 %; {cpu})",
                100.0 * share
            ),
            LimitedBy::Generator { why: GeneratorLimit::DepthNotKept { reached, asked } } => {
                format!("only {reached:.1} of {asked:.0} requested operations were in flight (limit 90 %; {cpu})")
            }
            LimitedBy::KernelThreads => format!(
                "the kernel's own threads did part of the work, and their CPU time was not counted ({cpu}); the sync \
                 backend does not use them"
            ),
            LimitedBy::Schedule if self.manner == Manner::Paused => {
                format!("the workload pauses, and CPU time was below its limits ({cpu})")
            }
            LimitedBy::Schedule => "operations arrived at fixed times and the target kept up".to_owned(),
            LimitedBy::TargetOrDepth if self.manner == Manner::Overloaded => {
                format!("operations arrived faster than they were completed, and CPU time was below its limits ({cpu})")
            }
            LimitedBy::TargetOrDepth | LimitedBy::Unknown => {
                let (reached, asked) = (self.reached, self.asked);
                format!(
                    "{reached:.1} of {asked:.0} operations were in flight and CPU time was below its limits ({cpu})"
                )
            }
        }
    }
}

fn manner(record: &StepRecord, workload: &Workload) -> Manner {
    if let Some(open) = &record.open_loop {
        // If another group is a closed loop, arrivals that were kept up with show nothing about that group.
        let all_scheduled = workload.groups().all(|group| group.pace.rate.is_some());
        return match is_overloaded(open, record, workload) {
            true => Manner::Overloaded,
            false if all_scheduled => Manner::OnTime,
            false => Manner::Weighted,
        };
    }
    if workload.replay.as_ref().is_some_and(|replay| replay.mode.is_timed()) {
        return replayed(record);
    }
    let pauses = |group: &Workload| {
        group.pace.bursts.is_some() || group.pace.volume_bursts.is_some() || !group.pace.think_time.is_zero()
    };
    if workload.groups().any(pauses) {
        Manner::Paused
    } else if workload.groups().any(|group| group.pace.weight > 0 || group.pace.rate.is_some()) {
        Manner::Weighted
    } else {
        Manner::Free
    }
}

/// A replay with the recorded times: operations that waited longer for a slot than they then took were held up by the
/// target.
fn replayed(record: &StepRecord) -> Manner {
    let lateness = record.replay.as_ref().and_then(|replay| replay.lateness.as_ref());
    let late = lateness.and_then(|lateness| lateness.histogram.mean_ns()).unwrap_or(0.0);
    let latencies = record.kinds().map(|(_, op)| op.histogram.sum.as_secs_f64()).sum::<f64>() * 1e9;
    let mean = latencies / record.kinds().map(|(_, op)| op.count).sum::<u64>().max(1) as f64;
    if late > mean { Manner::Weighted } else { Manner::OnTime }
}

/// Whether an open loop was overloaded. Its response times then grow with the length of the test and are not results.
#[must_use]
pub fn overloaded(record: &StepRecord, workload: &Workload) -> bool {
    record.open_loop.as_ref().is_some_and(|open| is_overloaded(open, record, workload))
}

/// Whether more operations arrived than were completed, so that the backlog grew for as long as the step ran.
pub(crate) fn is_overloaded(open: &OpenLoop, record: &StepRecord, workload: &Workload) -> bool {
    let random = |group: &Workload| group.pace.rate.is_some_and(|rate| rate.arrivals != Arrivals::Constant);
    let deviations = if workload.groups().any(random) { OVERLOAD_DEVIATIONS } else { 0.0 };
    let (grown, slope) = (grown(open, record, workload), open.backlog_growth_per_second);
    slope > OVERLOAD_SHARE * open.asked_iops
        && grown > workload.total_depth() as f64
        && grown > deviations * (open.arrived as f64).sqrt()
        && slope * record.elapsed().as_secs_f64() >= OVERLOAD_THROUGHOUT * grown
}

/// Whether a schedule fell behind: more than 2 % of the operations that arrived were still waiting at the end, beyond
/// those in flight. A single stall of the target is enough, although it is not an overload.
pub(crate) fn fell_behind(open: &OpenLoop, record: &StepRecord, workload: &Workload) -> bool {
    let left = grown(open, record, workload);
    left > workload.total_depth() as f64 && left > BEHIND_SHARE * open.arrived as f64
}

/// Operations by which the backlog grew in the measured part: those that arrived and were not completed. If other
/// operations than arrivals ran too, those that waited at the end, some of which may come from the ramp.
fn grown(open: &OpenLoop, record: &StepRecord, workload: &Workload) -> f64 {
    let arrivals_only =
        |group: &Workload| group.pace.rate.is_some() && group.other.sync_every == 0 && group.verify != Verify::AtOnce;
    let waiting = open.backlog_at_end as f64;
    if !workload.groups().all(arrivals_only) {
        return waiting;
    }
    waiting.min(open.arrived as f64 - values::done(record) as f64)
}

#[cfg(test)]
mod tests;
