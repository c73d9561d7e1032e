//! From the executions of a step to its metrics: which rounds count, how they become one figure, and what voids it.

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::ids::StepKey;
use drivelab_core::metric::{AsAsked, Better, Metric, Spread, Wrong};
use drivelab_core::plan::{Combine, Rounds, Step, TestPlan};
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;
use drivelab_core::workload::Workload;

use crate::check::{Seen, Spoils, Verdict};
use crate::metrics::entry::{Compute, Entry};
use crate::metrics::lookup::entries;
use crate::metrics::meaning::Measured;
use crate::topics::rounds::used_rounds;
use crate::topics::search::{self, RATE_FOUND};
use crate::topics::{curve, limits};
use crate::values::{Execution, both};
use crate::{rate, stats};

/// Every metric of the run: steps in the order of the plan, the whole run last.
pub(crate) fn all(records: &RunRecords, verdicts: &[Verdict]) -> Vec<Metric> {
    let mut metrics = Vec::new();
    for test in &records.plan.tests {
        for step in &test.steps {
            if let Some(workload) = step.workload() {
                metrics.extend(step_metrics(records, test, step, workload, verdicts));
            }
        }
    }
    metrics.extend(crate::topics::scores::metrics(&records.plan, &metrics));
    for entry in entries() {
        if let Compute::Run(function) = entry.compute {
            let metric = run_metric(entry, function(records));
            metrics.extend(Some(metric).filter(|metric| !entry.def.meaning.sparse || metric.value.is_some()));
        }
    }
    metrics
}

fn step_metrics(
    records: &RunRecords,
    test: &TestPlan,
    step: &Step,
    workload: &Workload,
    verdicts: &[Verdict],
) -> Vec<Metric> {
    let used = used_rounds(records, test, step);
    if used.is_empty() {
        return Vec::new();
    }
    let executions: Vec<Execution<'_>> =
        used.iter().filter_map(|record| Some(Execution::new(step, record)?.within(records))).collect();
    let keys: Vec<&StepKey> = used.iter().map(|record| &record.key).collect();
    let bound = limits::of_rounds(&used, workload).lower_bound;
    let (spoiled_by, looks_worse) = spoiled(verdicts, &keys);
    let kept_schedule = !matches!(test.rounds, Rounds::FindRate(_)) && used.iter().all(|one| kept(one, workload));
    // The rate of a search is the highest that keeps the bound: a rate that missed it is not a result.
    let none_kept = search::found(test, step, records).is_some_and(|found| found.held.is_none());
    let metric = |entry: Entry| {
        let mut voided_by = void_codes(verdicts, &keys, entry);
        let is_rate = entry.def.meaning.class.is_rate();
        voided_by.extend((none_kept && is_rate).then(|| RATE_FOUND.to_owned()));
        let metric = step_metric(entry, test, step, &executions, &voided_by);
        let has_value = metric.value.is_some();
        let lower_bound = bound && is_rate && has_value;
        let spoils = has_value && !is_as_asked(entry.def.meaning.as_asked, kept_schedule);
        let direction = if looks_worse { entry.def.better.when_spoiled() } else { Wrong::EitherWay };
        let spoiled = Some(direction).filter(|_| spoils && !spoiled_by.is_empty());
        let spoiled_by = if spoils { spoiled_by.clone() } else { Vec::new() };
        Metric { lower_bound, spoiled_by, wrong: spoiled, ..metric }
    };
    // A void metric has no value either, but must stay listed.
    let has_rounds = |entry: Entry| executions.iter().any(|one| round_value(entry.compute, *one).is_some());
    let is_there = |(entry, metric): &(Entry, Metric)| {
        !entry.def.meaning.sparse || metric.value.is_some() || !metric.voided_by.is_empty() && has_rounds(*entry)
    };
    let on_curve = curve::is_on_one(&records.plan, step);
    let measured = Measured { workload, on_curve, used: &used, telemetry: &records.telemetry };
    let applying = entries().filter(|entry| (entry.applies)(entry.def.meaning.kinds, &measured));
    let metrics = applying.map(|entry| (entry, metric(entry))).filter(is_there);
    metrics.map(|(_, metric)| metric).collect()
}

/// Whether an execution kept its schedule: all of its loads have one, and none fell behind.
fn kept(record: &StepRecord, workload: &Workload) -> bool {
    let is_scheduled = |group: &Workload| group.pace.rate.is_some() || rate::has_pauses_of_a_trace(group);
    let in_time = |open| !limits::is_overloaded(open, record, workload) && !limits::fell_behind(open, record, workload);
    workload.groups().all(is_scheduled) && record.open_loop.as_ref().is_some_and(in_time)
}

/// Whether a figure is as requested, so that other I/O on the disk cannot have changed it: the rate of a load that kept
/// its schedule, and the bytes of a trace. Other I/O still changes latencies and a rate over busy time.
const fn is_as_asked(as_asked: AsAsked, kept_schedule: bool) -> bool {
    match as_asked {
        AsAsked::No => false,
        AsAsked::OnSchedule => kept_schedule,
        AsAsked::Always => true,
    }
}

/// Codes of the violated invariants that concern this metric in any of its rounds.
fn void_codes(verdicts: &[Verdict], keys: &[&StepKey], entry: Entry) -> Vec<String> {
    let concerns = |verdict: &&Verdict| {
        verdict.seen.iter().any(|seen| keys.contains(&&seen.key) && seen.voids.covers(&entry.def.meaning))
    };
    verdicts.iter().filter(concerns).map(|verdict| verdict.code.to_owned()).collect()
}

/// Codes of what disturbed every figure of any of these executions, and whether the figures surely look worse for it.
fn spoiled(verdicts: &[Verdict], keys: &[&StepKey]) -> (Vec<String>, bool) {
    let spoils = |seen: &&Seen| seen.spoils.is_some() && keys.contains(&&seen.key);
    let spoiling = verdicts.iter().filter(|verdict| verdict.seen.iter().any(|seen| spoils(&seen)));
    let codes = spoiling.map(|verdict| verdict.code.to_owned()).collect();
    let mut seen = verdicts.iter().flat_map(|verdict| &verdict.seen).filter(spoils);
    (codes, seen.any(|seen| seen.spoils == Some(Spoils::Worse)))
}

fn step_metric(
    entry: Entry,
    test: &TestPlan,
    step: &Step,
    executions: &[Execution<'_>],
    voided_by: &[String],
) -> Metric {
    let combine = test.combine;
    let void = !voided_by.is_empty();
    let rounds: Vec<f64> = if void {
        Vec::new()
    } else {
        executions.iter().filter_map(|execution| round_value(entry.compute, *execution)).collect()
    };
    let sets = if void { Vec::new() } else { sets(entry, test, executions) };
    let value = match () {
        () if void => None,
        () if sets.is_empty() || !is_choice(entry, combine) => combined(entry, combine, executions, &rounds),
        () => stats::mean(&sets),
    };
    Metric {
        address: format!("{}:{}", step.id, entry.def.id),
        id: entry.def.id.to_owned(),
        step: Some(step.id.clone()),
        unit: entry.def.unit.to_owned(),
        value,
        spread: if sets.is_empty() { spread(entry, combine, &rounds) } else { spread_of_sets(entry, combine, &sets) },
        rounds,
        sets,
        voided_by: voided_by.to_vec(),
        spoiled_by: Vec::new(),
        wrong: None,
        lower_bound: false,
    }
}

fn run_metric(entry: Entry, value: Option<f64>) -> Metric {
    Metric {
        address: format!("run:{}", entry.def.id),
        id: entry.def.id.to_owned(),
        step: None,
        unit: entry.def.unit.to_owned(),
        value: value.filter(|value| value.is_finite()),
        rounds: Vec::new(),
        sets: Vec::new(),
        spread: None,
        voided_by: Vec::new(),
        spoiled_by: Vec::new(),
        wrong: None,
        lower_bound: false,
    }
}

/// The figure of one execution; `None` if its facts give none.
pub(crate) fn round_value(compute: Compute, execution: Execution<'_>) -> Option<f64> {
    let value = match compute {
        Compute::Step(function) | Compute::Sum(function) => function(execution),
        Compute::Mean(kind, times, function) | Compute::Tail(kind, times, function) => {
            execution.record.op(kind).and_then(|op| times.of(op)).and_then(function)
        }
        Compute::TailOfBoth(times, function) => function(&both(execution, times)),
        Compute::Run(_) | Compute::Score(_) => None,
    };
    value.filter(|value| value.is_finite())
}

/// One figure from all rounds.
fn combined(entry: Entry, combine: Combine, executions: &[Execution<'_>], rounds: &[f64]) -> Option<f64> {
    match (entry.compute, combine) {
        (Compute::Sum(_), _) => (!rounds.is_empty()).then(|| rounds.iter().sum()),
        (Compute::Tail(kind, times, function), Combine::Mean) => {
            let ops = executions.iter().filter_map(|execution| execution.record.op(kind));
            function(&merged(ops.filter_map(|op| times.of(op))))
        }
        (Compute::TailOfBoth(times, function), Combine::Mean) => {
            let all: Vec<SparseHistogram> = executions.iter().map(|execution| both(*execution, times)).collect();
            function(&merged(all.iter()))
        }
        (_, Combine::Mean) => stats::mean(rounds),
        (_, Combine::Median) => stats::median(rounds),
        (_, Combine::Best) => match (entry.def.better, stats::range(rounds)?) {
            (Better::Higher, (_, max)) => Some(max),
            (Better::Lower, (min, _)) => Some(min),
            (Better::Neutral, _) => stats::mean(rounds),
        },
    }
}

/// The figure of each set, from its own rounds; none if the set of tests was run once.
fn sets(entry: Entry, test: &TestPlan, executions: &[Execution<'_>]) -> Vec<f64> {
    if test.repeats.sets < 2 {
        return Vec::new();
    }
    let set_of = |execution: &Execution<'_>| test.set_and_round(execution.record.key.round).0;
    let of_set = |set: u32| -> Option<f64> {
        let own: Vec<Execution<'_>> = executions.iter().copied().filter(|one| set_of(one) == set).collect();
        let rounds: Vec<f64> = own.iter().filter_map(|execution| round_value(entry.compute, *execution)).collect();
        combined(entry, test.combine, &own, &rounds)
    };
    (1..=test.repeats.sets).filter_map(of_set).collect()
}

/// Whether the figure of several rounds is chosen among them, so that each set has its own.
const fn is_choice(entry: Entry, combine: Combine) -> bool {
    !matches!(entry.compute, Compute::Sum(_)) && matches!(combine, Combine::Best | Combine::Median)
}

/// How the sets spread. The interval is about their mean, which is the figure if that of each set was chosen among
/// rounds.
fn spread_of_sets(entry: Entry, combine: Combine, sets: &[f64]) -> Option<Spread> {
    let spread = stats::spread(sets)?;
    let is_mean = is_choice(entry, combine) || is_mean_of_rounds(entry, combine);
    Some(Spread { confidence: spread.confidence.filter(|_| is_mean), ..spread })
}

/// How the rounds spread. The interval is about their mean, so it exists only if the figure is that mean.
fn spread(entry: Entry, combine: Combine, rounds: &[f64]) -> Option<Spread> {
    let spread = stats::spread(rounds)?;
    let confidence = spread.confidence.filter(|_| is_mean_of_rounds(entry, combine));
    Some(Spread { confidence, ..spread })
}

/// Whether [`combined`] gives the mean of the rounds' own figures, not a sum, a median, a best round or a percentile of
/// a merged histogram.
const fn is_mean_of_rounds(entry: Entry, combine: Combine) -> bool {
    match (entry.compute, combine) {
        (Compute::Sum(_) | Compute::Run(_) | Compute::Score(_), _) | (_, Combine::Median) => false,
        (Compute::Tail(..) | Compute::TailOfBoth(..), Combine::Mean) => false,
        (_, Combine::Mean) => true,
        (_, Combine::Best) => matches!(entry.def.better, Better::Neutral),
    }
}

fn merged<'h>(histograms: impl Iterator<Item = &'h SparseHistogram>) -> SparseHistogram {
    let mut all = SparseHistogram::default();
    histograms.for_each(|histogram| all.merge(histogram));
    all
}
