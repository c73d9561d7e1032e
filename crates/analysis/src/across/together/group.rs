//! Several drives at once: what each did alone and with the others, how much it lost, and what all did together.
//!
//! Owns the figures of a group of runs. Every rate is a metric of one of its runs ([`crate::METRICS`]);
//! this file only sets them beside each other: kept = 100 × together / alone, lost = 100 - kept, total = sum over the
//! drives. Totals over time are made from intervals on the clock that the runs share. A run that was resumed has left
//! that clock: what it measured after the break is not counted here.

use drivelab_core::environment::LinkFacts;
use drivelab_core::finding::Finding;
use drivelab_core::group::{CoreTime, Group, GroupRole, letter};
use drivelab_core::ids::{RunId, StepId, StepKey};
use drivelab_core::metric::Metric;
use drivelab_core::plan::{Form, MethodIdentity, TestPlan};
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;
use schemars::JsonSchema;
use serde::Serialize;

use super::feed::{self, Feed};
use super::findings;
use super::health::{self, DriveHealth};
use super::scaling::{Doubling, SizedRate, capacity};
use super::share::{CoreShare, CpuShare, LEAST_OVERLAP_PERCENT, Member, Pair, Second, Share, StepTogether};
use super::signs::Signs;
use crate::across::side_by_side::align;
use crate::digest::{Digest, StepDigest, StepFacts};

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
    let digests: Vec<DigestPair> = pairs.iter().map(DigestPair::of).collect();
    let steps = steps(&digests, &pairs);
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
    let per_doubling = if doubles { doublings(&steps, &digests) } else { Vec::new() };
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

/// What a doubling of the capacity brings in each step: the rates alone, else with the others, as far as they were
/// with others.
fn doublings(steps: &[StepTogether], digests: &[DigestPair]) -> Vec<Doubling> {
    let rate = |step: &StepTogether, (index, pair): (usize, &DigestPair)| {
        let own = pair.step(&step.step);
        let shared = step.drives.get(index)?.together_mb_s.is_some();
        let alone = pair.alone.as_ref().zip(own.alone);
        let (digest, found) = alone.or_else(|| pair.together.as_ref().zip(own.together).filter(|_| shared))?;
        let capacity = capacity(&digest.run.environment.target).as_f64();
        let metric = found.metric(&step.metric)?;
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
        let rates: Vec<SizedRate> = digests.iter().enumerate().filter_map(|pair| rate(step, pair)).collect();
        Doubling::of(step.step.clone(), step.label.clone(), rates)
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

/// The digests of one drive's runs: alone, and with the others.
struct DigestPair {
    alone: Option<Digest>,
    together: Option<Digest>,
}

impl DigestPair {
    fn of(pair: &Pair<'_>) -> DigestPair {
        let digest = |member: Option<Member<'_>>| member.map(|(records, analysis)| Digest::of(records, analysis));
        DigestPair { alone: digest(pair.alone), together: digest(pair.together) }
    }

    fn step(&self, id: &StepId) -> StepPair<'_> {
        StepPair {
            alone: self.alone.as_ref().and_then(|digest| digest.step(id)),
            together: self.together.as_ref().and_then(|digest| digest.step(id)),
        }
    }
}

/// A step in one drive's runs.
#[derive(Clone, Copy)]
struct StepPair<'d> {
    alone: Option<&'d StepDigest>,
    together: Option<&'d StepDigest>,
}

/// Every measured step that moves data, by the alignment that all comparisons share.
fn steps(digests: &[DigestPair], pairs: &[Pair<'_>]) -> Vec<StepTogether> {
    let known: Vec<&Digest> = digests.iter().flat_map(|pair| pair.alone.iter().chain(&pair.together)).collect();
    let mut steps = Vec::new();
    for test in &align(&known).tests {
        for step in &test.steps {
            let own: Vec<StepPair<'_>> = digests.iter().map(|pair| pair.step(&step.facts.id)).collect();
            steps.extend(step_of(test.title, step.facts, &own, pairs));
        }
    }
    steps
}

/// A step on all drives; `None` if it moves no data.
fn step_of(test: &str, facts: &StepFacts, own: &[StepPair<'_>], pairs: &[Pair<'_>]) -> Option<StepTogether> {
    let metric = facts.rate.as_deref()?;
    let mut drives = Vec::new();
    for (index, (own, pair)) in own.iter().zip(pairs).enumerate() {
        // Only what was measured in company is a figure of company.
        let shared = pair.together.is_some_and(|(records, _)| executions(records, &facts.id).is_some());
        let own = StepPair { together: own.together.filter(|_| shared), ..*own };
        let share = share(metric, own, overlap(&facts.id, index, pairs));
        drives.push(if is_apart(&share) { Share { kept_percent: None, lost_percent: None, ..share } } else { share });
    }
    let apart = drives.iter().any(is_apart);
    let cpu_of = |member: Option<Member<'_>>| member.and_then(|(records, _)| cpu(records, &facts.id));
    Some(StepTogether {
        step: facts.id.clone(),
        test: test.to_owned(),
        label: facts.label.clone(),
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

fn share(metric: &str, own: StepPair<'_>, overlap_percent: Option<f64>) -> Share {
    let value = |step: Option<&StepDigest>, id: &str| step?.metric(id)?.value;
    let p99 = |step| P99.into_iter().filter_map(|id| value(step, id)).max_by(f64::total_cmp);
    let holds = |step: Option<&StepDigest>, id: &str, what: fn(&Metric) -> bool| {
        step.and_then(|step| step.metric(id)).is_some_and(what)
    };
    let at_least = |step| holds(step, metric, |metric| metric.lower_bound);
    let spoiled = |step, id: &str| holds(step, id, |metric| !metric.spoiled_by.is_empty());
    let of_times = |step| P99.into_iter().any(|id| spoiled(step, id));
    Share {
        p99_alone_us: p99(own.alone),
        p99_together_us: p99(own.together),
        alone_at_least: at_least(own.alone),
        together_at_least: at_least(own.together),
        alone_spoiled: spoiled(own.alone, metric),
        together_spoiled: spoiled(own.together, metric),
        p99_alone_spoiled: of_times(own.alone),
        p99_together_spoiled: of_times(own.together),
        overlap_percent,
        ..kept(value(own.alone, metric), value(own.together, metric))
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

#[cfg(test)]
mod tests;
