//! Several drives at once: what each did alone and with the others, how much it lost, and what all did together.
//!
//! Owns the figures of a group of runs. Every rate is a metric of one of its runs ([`crate::METRICS`]); this file
//! only sets them beside each other: kept = 100 × together / alone, lost = 100 - kept, total = sum over the drives.
//! Totals over time are made from intervals on the clock that the runs share. A run that was resumed has left that
//! clock: what it measured after the break is not counted here.

mod feed;
mod findings;
mod health;
mod scaling;
mod signs;
#[doc(hidden)]
pub mod testing;

use drivelab_core::environment::LinkFacts;
use drivelab_core::event::RunState;
use drivelab_core::finding::Finding;
use drivelab_core::group::{CoreTime, Group, GroupRole, letter};
use drivelab_core::ids::{RunId, StepId, StepKey};
use drivelab_core::plan::{Form, MethodIdentity, Step, StepRole, TestPlan};
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Analysis;
use crate::rate::rate_metric;

pub(crate) use feed::of_run as feed_of_run;
pub use feed::{Feed, FeedDrive, FeedStep, drives_needed};
pub use health::{DriveHealth, StepHealth};
pub use scaling::{Doubling, Ratio, SizedRate, per_doubling};
pub use signs::Signs;

/// A run of the group and what it means.
pub type Member<'a> = (&'a RunRecords, &'a Analysis);

/// Several drives at once.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Together {
    /// Title of the methodology.
    pub title: String,
    /// The methodology that all ran.
    pub methodology: MethodIdentity,
    /// Its form.
    pub form: Form,
    /// Wall-clock time at which the drives began together, RFC 3339.
    pub started: String,
    /// The drives, in the order in which they were named.
    pub drives: Vec<GroupDrive>,
    /// Every measured step.
    pub steps: Vec<StepTogether>,
    /// The step in which all drives moved most together.
    pub highest: Option<StepId>,
    /// What was moved in each second from the one in which they began, preparations with it.
    pub seconds: Vec<Second>,
    /// How many drives deliver what the methodology says is needed; absent where it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feed: Option<Feed>,
    /// What a doubling of the capacity brings; absent where the methodology does not ask for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub per_doubling: Vec<Doubling>,
    /// How warm each drive was, where that was watched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub health: Vec<DriveHealth>,
    /// Whether each drive was measured by itself only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub each_only: bool,
    /// What must be known beside the figures, the gravest first.
    pub findings: Vec<Finding>,
}

/// A drive of the group.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GroupDrive {
    /// A, B, C.
    pub letter: String,
    /// Its run alone, where there is one.
    pub alone: Option<RunId>,
    /// Its run with the others, where there is one.
    pub together: Option<RunId>,
    /// What it keeps in company, over all steps where that is known.
    pub kept: Option<KeptRange>,
}

/// How much of its own rate a drive keeps, over steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct KeptRange {
    /// In the step that suffers most, %.
    pub least_percent: f64,
    /// In the middle of all steps, %.
    pub median_percent: f64,
    /// In the step that suffers least, %.
    pub most_percent: f64,
    /// Those of every step: each of the three figures would move with any of them.
    #[serde(flatten)]
    pub signs: Signs,
}

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
    /// 100 - kept; below zero where it was faster in company. Absent where that is.
    pub lost_percent: Option<f64>,
    /// 99th percentile of the latency alone, µs; of the slower kind of operation. Not of the total.
    pub p99_alone_us: Option<f64>,
    /// The same with the others.
    pub p99_together_us: Option<f64>,
    /// Share of the drive's step during which every other drive ran the same step.
    pub overlap_percent: Option<f64>,
}

impl Share {
    /// The signs of what is kept; what is lost has them turned.
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
    /// What could not be had any more: busy, or taken by the hypervisor, %.
    #[must_use]
    pub fn taken_percent(&self) -> f64 {
        self.busy_percent + self.steal_percent
    }
}

/// The runs of one drive.
#[derive(Clone, Copy, Default)]
struct Pair<'a> {
    alone: Option<Member<'a>>,
    together: Option<Member<'a>>,
}

/// Sets the runs of a group beside each other; `None` where none of them was measured with others.
#[must_use]
pub fn together(members: &[Member<'_>]) -> Option<Together> {
    let group: &Group = members.iter().find_map(|(records, _)| records.group.as_ref())?;
    let mut pairs = vec![Pair::default(); group.drives() as usize];
    for member in members {
        let Some(own) = &member.0.group else { continue };
        let Some(pair) = pairs.get_mut(own.drive as usize) else { continue };
        match own.role {
            GroupRole::Alone => pair.alone = Some(*member),
            GroupRole::Together => pair.together = Some(*member),
        }
    }
    // Where all at once was never planned, the runs alone are all there is to show.
    let each_only = group.runs.iter().all(|run| run.role == GroupRole::Alone);
    let mut begun = pairs.iter().filter_map(|pair| if each_only { pair.alone } else { pair.together });
    let (first, _) = begun.next()?;
    let steps: Vec<StepTogether> = first.plan.tests.iter().flat_map(|test| test_steps(test, &pairs)).collect();
    let drive = |(index, pair): (usize, &Pair<'_>)| GroupDrive {
        letter: letter(index),
        alone: pair.alone.map(|(records, _)| records.run),
        together: pair.together.map(|(records, _)| records.run),
        kept: kept_range(steps.iter().filter_map(|step| step.drives.get(index))),
    };
    let mut found = findings::all(&pairs, &steps, first.plan.form, each_only);
    let asks = first.plan.drives.as_ref();
    let links: Vec<Option<&LinkFacts>> =
        pairs.iter().map(|pair| feed::link_of(pair.alone.or(pair.together)?.0)).collect();
    let doubles = asks.is_some_and(|drives| drives.per_doubling);
    let per_doubling = if doubles { doublings(&steps, &pairs) } else { Vec::new() };
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Some(Together {
        title: first.plan.title.clone(),
        methodology: first.plan.methodology.clone(),
        form: first.plan.form,
        started: first.started.clone(),
        drives: pairs.iter().enumerate().map(drive).collect(),
        seconds: seconds(&pairs),
        feed: feed::of_group(asks, &steps, &links),
        per_doubling,
        health: health::all(&pairs),
        each_only,
        findings: found,
        highest: highest(&steps),
        steps,
    })
}

/// What a doubling of the capacity brings in each step: the rates alone, else with the others.
fn doublings(steps: &[StepTogether], pairs: &[Pair<'_>]) -> Vec<Doubling> {
    let rate = |step: &StepTogether, pair: &Pair<'_>| {
        let (records, analysis) = pair.alone.or(pair.together)?;
        let target = &records.environment.target;
        // The drive below partitions and encryption.
        let below = target.devices.iter().find(|device| device.transport != "device-mapper");
        let capacity = below.or(target.devices.last()).map_or(target.length, |device| device.capacity).as_f64();
        let metric = analysis.step_metric(&step.step, &step.metric)?;
        let interval = metric.spread.and_then(|spread| spread.confidence);
        Some(SizedRate {
            capacity,
            mb_s: metric.value?,
            half_interval: interval.map(|ends| (ends.high - ends.low) / 2.0),
            at_least: metric.lower_bound,
            spoiled: !metric.spoiled_by.is_empty(),
        })
    };
    let one = |step: &StepTogether| {
        let rates: Vec<SizedRate> = pairs.iter().filter_map(|pair| rate(step, pair)).collect();
        Doubling { step: step.step.clone(), label: step.label.clone(), ratio: per_doubling(&rates), rates }
    };
    steps.iter().map(one).collect()
}

/// Least, median and most; the median of an even number is the mean of the two in the middle.
fn kept_range<'a>(shares: impl Iterator<Item = &'a Share>) -> Option<KeptRange> {
    let known: Vec<&Share> = shares.filter(|share| share.kept_percent.is_some()).collect();
    let mut kept: Vec<f64> = known.iter().filter_map(|share| share.kept_percent).collect();
    kept.sort_by(f64::total_cmp);
    let middle = (kept.get((kept.len().max(1) - 1) / 2)?, kept.get(kept.len() / 2)?);
    Some(KeptRange {
        least_percent: *kept.first()?,
        median_percent: (middle.0 + middle.1) / 2.0,
        most_percent: *kept.last()?,
        signs: known.iter().map(|share| share.kept_signs()).fold(Signs::default(), Signs::and),
    })
}

/// The step with the highest total.
fn highest(steps: &[StepTogether]) -> Option<StepId> {
    let rates = steps.iter().filter_map(|step| Some((step.total.together_mb_s?, step)));
    rates.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, step)| step.step.clone())
}

/// Whether something that ended then was measured on the clock that the group shares.
fn on_shared_clock(records: &RunRecords, end_ns: u64) -> bool {
    records.breaks.iter().find(|pause| pause.resumed.is_some()).is_none_or(|pause| end_ns <= pause.at_ns)
}

/// The executions of a step in a run with others, as far as they were with others.
fn executions<'a>(records: &'a RunRecords, step: &StepId) -> Option<Vec<&'a StepRecord>> {
    let all: Vec<&StepRecord> = records
        .steps
        .iter()
        .filter(|record| record.key.step == *step && !records.plan.is_warm_up(&record.key))
        .collect();
    let shared = all.iter().all(|record| on_shared_clock(records, record.end_ns));
    (shared && !all.is_empty()).then_some(all)
}

fn test_steps(test: &TestPlan, pairs: &[Pair<'_>]) -> Vec<StepTogether> {
    let measured = test.steps.iter().filter(|step| step.role == StepRole::Measure);
    measured.filter_map(|step| step_of(test, step, pairs)).collect()
}

/// Share of a step, per cent, that each drive must have worked beside all others for their rates to have a sum, and for
/// its own to be one in company.
const LEAST_OVERLAP_PERCENT: f64 = 90.0;

/// A step that moves data, on all drives.
fn step_of(test: &TestPlan, step: &Step, pairs: &[Pair<'_>]) -> Option<StepTogether> {
    let metric = rate_metric(step)?;
    let drives: Vec<Share> = pairs
        .iter()
        .enumerate()
        .map(|(index, pair)| share(step, metric, pair, overlap(&step.id, index, pairs)))
        .map(|share| if is_apart(&share) { Share { kept_percent: None, lost_percent: None, ..share } } else { share })
        .collect();
    let apart = drives.iter().any(is_apart);
    let cpu_of = |member: Option<Member<'_>>| member.and_then(|(records, _)| cpu(records, &step.id));
    Some(StepTogether {
        step: step.id.clone(),
        test: test.title.clone(),
        label: step.label.clone(),
        metric: metric.to_owned(),
        total: total(&drives, apart),
        apart,
        drives,
        cpu: pairs.iter().find_map(|pair| cpu_of(pair.together)),
        cpu_alone: pairs.iter().map(|pair| cpu_of(pair.alone)).collect(),
    })
}

/// Whether a drive worked beside all others for too little of its step to have been measured in their company.
fn is_apart(share: &Share) -> bool {
    share.overlap_percent.is_some_and(|overlap| overlap < LEAST_OVERLAP_PERCENT)
}

/// The tails of which the larger one is shown.
const P99: [&str; 2] = ["read.latency_p99", "write.latency_p99"];

fn share(step: &Step, metric: &str, pair: &Pair<'_>, overlap_percent: Option<f64>) -> Share {
    let value = |member: Option<Member<'_>>, id: &str| member?.1.step_metric(&step.id, id)?.value;
    let p99 = |member| {
        let kinds = P99.into_iter().filter_map(|id| value(member, id));
        kinds.max_by(f64::total_cmp)
    };
    let at_least = |member: Option<Member<'_>>| {
        let found = member.and_then(|(_, analysis)| analysis.step_metric(&step.id, metric));
        found.is_some_and(|found| found.lower_bound)
    };
    let spoiled = |member: Option<Member<'_>>, id: &str| {
        let found = member.and_then(|(_, analysis)| analysis.step_metric(&step.id, id));
        found.is_some_and(|found| !found.spoiled_by.is_empty())
    };
    let of_times = |member| P99.into_iter().any(|id| spoiled(member, id));
    // Only what was measured in company is a figure of company.
    let together = pair.together.filter(|(records, _)| executions(records, &step.id).is_some());
    let (alone_mb_s, together_mb_s) = (value(pair.alone, metric), value(together, metric));
    Share {
        p99_alone_us: p99(pair.alone),
        p99_together_us: p99(together),
        alone_at_least: at_least(pair.alone),
        together_at_least: at_least(together),
        alone_spoiled: spoiled(pair.alone, metric),
        together_spoiled: spoiled(together, metric),
        p99_alone_spoiled: of_times(pair.alone),
        p99_together_spoiled: of_times(together),
        overlap_percent,
        ..kept(alone_mb_s, together_mb_s)
    }
}

/// Rates with what is kept and lost of them.
fn kept(alone_mb_s: Option<f64>, together_mb_s: Option<f64>) -> Share {
    let share = alone_mb_s.zip(together_mb_s).filter(|(alone, _)| *alone > 0.0);
    let kept_percent = share.map(|(alone, together)| 100.0 * together / alone);
    let lost_percent = kept_percent.map(|kept| 100.0 - kept);
    Share { alone_mb_s, together_mb_s, kept_percent, lost_percent, ..Share::default() }
}

/// Sums, where every drive has the figure; of what was measured one after the other there is none: it never flowed at
/// any time.
fn total(drives: &[Share], apart: bool) -> Share {
    let sum = |of: fn(&Share) -> Option<f64>| drives.iter().map(of).sum::<Option<f64>>();
    let together_mb_s = sum(|share| share.together_mb_s).filter(|_| !apart);
    Share {
        alone_at_least: drives.iter().any(|share| share.alone_at_least),
        together_at_least: drives.iter().any(|share| share.together_at_least),
        alone_spoiled: drives.iter().any(|share| share.alone_spoiled),
        together_spoiled: drives.iter().any(|share| share.together_spoiled),
        ..kept(sum(|share| share.alone_mb_s), together_mb_s)
    }
}

/// Share of a drive's step during which all drives ran it, the least of its rounds.
fn overlap(step: &StepId, drive: usize, pairs: &[Pair<'_>]) -> Option<f64> {
    let runs: Vec<Member<'_>> = pairs.iter().filter_map(|pair| pair.together).collect();
    let own = executions(pairs.get(drive)?.together?.0, step)?;
    let shares = own.into_iter().map(|record| {
        let others = runs.iter().map(|(records, _)| {
            let other = records.step(&record.key).filter(|other| on_shared_clock(records, other.end_ns))?;
            Some((other.start_ns, other.end_ns))
        });
        let others: Vec<(u64, u64)> = others.collect::<Option<_>>()?;
        let begin = others.iter().map(|(start, _)| *start).max()?;
        let end = others.iter().map(|(_, end)| *end).min()?;
        let length = record.elapsed().get();
        (length > 0).then(|| 100.0 * end.saturating_sub(begin) as f64 / length as f64)
    });
    shares.map(|share| share.unwrap_or(0.0)).min_by(f64::total_cmp)
}

/// The CPUs during all rounds of a step.
fn cpu(records: &RunRecords, step: &StepId) -> Option<CpuShare> {
    let mut cores: Vec<CoreTime> = Vec::new();
    for core in records.host_cpu.iter().filter(|one| one.key.step == *step).flat_map(|one| &one.cores) {
        match cores.iter_mut().find(|known| known.cpu == core.cpu) {
            Some(known) => *known = known.plus(core),
            None => cores.push(*core),
        }
    }
    let shares: Vec<CoreShare> = cores.iter().filter(|core| core.all_ms() > 0).map(core_share).collect();
    (!shares.is_empty()).then(|| {
        let busy_percent = shares.iter().map(|core| core.busy_percent).sum::<f64>() / shares.len() as f64;
        CpuShare { busy_percent, cores: shares }
    })
}

fn core_share(core: &CoreTime) -> CoreShare {
    let percent = |ms: u64| 100.0 * ms as f64 / core.all_ms() as f64;
    CoreShare {
        cpu: core.cpu,
        busy_percent: percent(core.busy_ms()),
        user_percent: percent(core.user_ms),
        system_percent: percent(core.system_ms),
        interrupt_percent: percent(core.interrupt_ms),
        steal_percent: percent(core.steal_ms),
    }
}

/// Bytes of each interval, spread evenly over the seconds it lies in.
fn seconds(pairs: &[Pair<'_>]) -> Vec<Second> {
    const NS: f64 = 1e9;
    let mut seconds: Vec<Second> = Vec::new();
    for (drive, pair) in pairs.iter().enumerate() {
        let Some((records, _)) = pair.together else { continue };
        let shared = records.intervals.iter().filter(|interval| on_shared_clock(records, interval.end_ns));
        for interval in shared.filter(|interval| interval.end_ns > interval.start_ns) {
            let bytes = interval.read.bytes.as_f64() + interval.write.bytes.as_f64();
            let (start, end) = (interval.start_ns as f64 / NS, interval.end_ns as f64 / NS);
            for second in (interval.start_ns / 1_000_000_000)..=((interval.end_ns - 1) / 1_000_000_000) {
                let inside = (end.min(second as f64 + 1.0) - start.max(second as f64)).max(0.0);
                let Ok(at) = usize::try_from(second) else { continue };
                while seconds.len() <= at {
                    let at_s = u32::try_from(seconds.len()).unwrap_or(u32::MAX);
                    seconds.push(Second { at_s, drives_mb_s: vec![0.0; pairs.len()], total_mb_s: 0.0 });
                }
                let moved = bytes * inside / (end - start) / 1e6;
                seconds[at].drives_mb_s[drive] += moved;
                seconds[at].total_mb_s += moved;
            }
        }
    }
    seconds
}

/// Where each test stood on the shared clock, by the first drive that ran it: title, begin and end in seconds.
#[must_use]
pub fn stretches(members: &[Member<'_>]) -> Vec<(String, f64, f64)> {
    let together =
        |member: &&Member<'_>| member.0.group.as_ref().is_some_and(|group| group.role == GroupRole::Together);
    let Some((records, _)) = members.iter().find(together) else { return Vec::new() };
    let stretch = |test: &TestPlan| {
        let of_test = |key: &StepKey| test.steps.iter().any(|step| step.id == key.step);
        let shared =
            records.steps.iter().filter(|record| of_test(&record.key) && on_shared_clock(records, record.end_ns));
        let (starts, ends): (Vec<u64>, Vec<u64>) = shared.map(|record| (record.start_ns, record.end_ns)).unzip();
        let (begin, end) = (starts.into_iter().min()?, ends.into_iter().max()?);
        Some((test.title.clone(), begin as f64 / 1e9, end as f64 / 1e9))
    };
    records.plan.tests.iter().filter_map(stretch).collect()
}

/// Whether a run is at its end.
fn is_complete(member: Option<Member<'_>>) -> bool {
    member.is_some_and(|(records, _)| records.state == RunState::Complete)
}

#[cfg(test)]
mod tests;
