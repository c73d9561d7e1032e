//! One figure of all sides, with the differences between them.

use drivelab_core::metric::{Better, Class, Metric};

use super::types::{Against, Basis, FigureRatios, SideFigure, Verdict};
use super::welch::Difference;
use crate::across::side_by_side::AlignedStep;
use crate::digest::{Digest, RateSetBy, StepFacts};
use crate::metrics::metric_def;
use crate::stats::mean;

/// What an open loop is judged by: its rate is asked for.
const RESPONSES: [&str; 3] = ["total.response_p99", "read.response_p99", "write.response_p99"];

/// What a step that moves no data is judged by; files are removed by operations of the kind that wrote them.
const COUNTS: [&str; 4] = ["trim.iops", "write_zeroes.iops", "flush.iops", "write.iops"];

/// Width of a bucket of the latency histogram, as a part of its value (`drivelab_core::histogram`).
const BUCKET: f64 = 1.0 / 128.0;

/// Fewest rounds that show how they scatter.
const ROUNDS: usize = 3;

/// A figure before it is judged.
#[derive(Debug, Clone)]
pub(super) struct Compared<'d> {
    pub(super) figure: FigureRatios<'d>,
    /// For each side the logarithms of its runs, or of the rounds of its run.
    samples: Vec<Sample>,
    /// Deviation that comes from values being known only in steps.
    step_of_values: f64,
}

/// How a figure of one side scatters, on a logarithmic scale.
#[derive(Debug, Clone, Default)]
struct Sample {
    /// One for each run.
    runs: Vec<f64>,
    /// One for each round of the only run, if the value is their mean.
    rounds: Vec<f64>,
}

impl Compared<'_> {
    /// The difference of one side from another, and from what it is known how sure it is.
    pub(super) fn difference(&self, from: usize, side: usize) -> (Option<Difference>, Option<Basis>) {
        let (base, own) = (&self.samples[from], &self.samples[side]);
        let least = |base: &[f64], own: &[f64]| {
            self.step_of_values * (1.0 / base.len().max(1) as f64 + 1.0 / own.len().max(1) as f64).sqrt()
        };
        let of = |base: &[f64], own: &[f64]| {
            Difference::of(base, own).map(|one| one.with_error_of_at_least(least(base, own)))
        };
        if base.runs.len() > 1 || own.runs.len() > 1 {
            return (of(&base.runs, &own.runs), Some(Basis::Runs));
        }
        let others = || self.samples.iter().map(|sample| sample.runs.as_slice());
        if let Some(log) = self.log(from, side)
            && let Some(known) = Difference::of_singles(log, others())
        {
            return (Some(known.with_error_of_at_least(least(&base.runs, &own.runs))), Some(Basis::Runs));
        }
        if base.rounds.len() >= ROUNDS && own.rounds.len() >= ROUNDS {
            return (of(&base.rounds, &own.rounds), Some(Basis::Rounds));
        }
        (None, None)
    }

    /// Logarithm of the ratio of one side to another, from their means.
    pub(super) fn log(&self, from: usize, side: usize) -> Option<f64> {
        Some(mean(&self.samples[side].runs)? - mean(&self.samples[from].runs)?)
    }
}

/// The figures of a step, those that are judged first.
pub(super) fn figures_of_step<'d>(step: &AlignedStep<'d>, sides: &[Vec<usize>], base: usize) -> Vec<Compared<'d>> {
    let mut ids: Vec<&'d str> = Vec::new();
    for metric in step.of.iter().flatten().flat_map(|one| &one.metrics) {
        if !ids.contains(&metric.id.as_str()) {
            ids.push(&metric.id);
        }
    }
    let has =
        |id: &str| step.of.iter().flatten().any(|one| one.metric(id).is_some_and(|metric| metric.value.is_some()));
    let judged = judged_ids(step.facts, has);
    ids.sort_by_key(|id| !judged.contains(id));
    let of = |id: &'d str| {
        let metrics = |side: &Vec<usize>| side.iter().map(|run| step.of[*run]?.metric(id)).collect();
        compared(sides.iter().map(metrics).collect(), judged.contains(&id), base)
    };
    ids.into_iter().filter_map(of).collect()
}

/// The figures by which a step is judged: none on a curve, whose points are at shares of each side's own full speed.
fn judged_ids(facts: &StepFacts, has: impl Fn(&str) -> bool) -> Vec<&str> {
    if facts.relative.is_some() {
        return Vec::new();
    }
    match (facts.rate_set_by, &facts.rate) {
        // That of all operations together, or one for each kind.
        (RateSetBy::Schedule, _) => match RESPONSES {
            [all, ..] if has(all) => vec![all],
            each => each.into_iter().filter(|id| has(id)).collect(),
        },
        (RateSetBy::Target | RateSetBy::Search, Some(rate)) => vec![rate],
        (RateSetBy::Target | RateSetBy::Search, None) => COUNTS.into_iter().filter(|id| has(id)).collect(),
    }
}

/// The figures of whole runs; scores are judged.
pub(super) fn figures_of_run<'d>(runs: &[&'d Digest], sides: &[Vec<usize>], base: usize) -> Vec<Compared<'d>> {
    // Several scores have one metric, so they are told apart by their addresses.
    let mut addresses: Vec<&'d str> = Vec::new();
    for metric in runs.iter().flat_map(|run| &run.metrics) {
        if !addresses.contains(&metric.address.as_str()) {
            addresses.push(&metric.address);
        }
    }
    let of = |address: &'d str| {
        let in_run = |run: &usize| runs[*run].metrics.iter().find(|metric| metric.address == address);
        let metrics: Vec<Vec<Option<&'d Metric>>> =
            sides.iter().map(|side| side.iter().map(in_run).collect()).collect();
        let id = &metrics.iter().flatten().flatten().next()?.id;
        let is_score = metric_def(id).is_some_and(|def| def.meaning.class == Class::Score);
        let facts = runs.iter().flat_map(|run| &run.run.scores).find(|score| score.address == address);
        let mut compared = compared(metrics, is_score && facts.is_some(), base)?;
        if let Some(facts) = facts {
            (compared.figure.title, compared.figure.better) = (&facts.title, facts.better);
            compared.figure.judged = facts.better != Better::Neutral;
        }
        Some(compared)
    };
    addresses.into_iter().filter_map(of).collect()
}

/// A figure of all sides; `None` if this version does not know the metric.
fn compared<'d>(metrics: Vec<Vec<Option<&'d Metric>>>, judged: bool, base: usize) -> Option<Compared<'d>> {
    let metric = *metrics.iter().flatten().flatten().next()?;
    let def = metric_def(&metric.id)?;
    let samples = metrics.iter().map(|metrics| sample(metrics)).collect();
    let cell = |(place, metrics): (usize, Vec<Option<&'d Metric>>)| {
        let values: Vec<f64> = metrics.iter().flatten().filter_map(|metric| metric.value).collect();
        let against = Against {
            ratio: None,
            interval: None,
            basis: None,
            verdict: Verdict::NoFigure,
            bound: None,
            detectable: None,
        };
        SideFigure { value: middle(&values), against: (place != base).then_some(against), metrics }
    };
    let cells = metrics.into_iter().enumerate().map(cell).collect();
    let judged = judged && def.better != Better::Neutral;
    let figure = FigureRatios { metric, title: def.title, better: def.better, judged, cells, best: None };
    // Most of these are percentiles, which come from a histogram.
    let in_steps = matches!(def.meaning.class, Class::TailLatency | Class::Response);
    let step_of_values = if in_steps { BUCKET / 12.0_f64.sqrt() } else { 0.0 };
    Some(Compared { figure, samples, step_of_values })
}

/// The geometric mean, as ratios are of those; the mean of values that have no logarithm.
fn middle(values: &[f64]) -> Option<f64> {
    match values {
        // The value itself, without the error of a logarithm.
        [only] => Some(*only),
        positive if positive.iter().all(|value| *value > 0.0) => {
            mean(&positive.iter().map(|value| value.ln()).collect::<Vec<_>>()).map(f64::exp)
        }
        others => mean(others),
    }
}

/// The sample of a side. Values that are not above zero have no logarithm, and leave the side without one.
fn sample(metrics: &[Option<&Metric>]) -> Sample {
    let log = |values: &[f64]| -> Vec<f64> {
        if values.iter().all(|value| *value > 0.0) {
            values.iter().map(|value| value.ln()).collect()
        } else {
            Vec::new()
        }
    };
    let values: Vec<f64> = metrics.iter().flatten().filter_map(|metric| metric.value).collect();
    let rounds = match metrics {
        [Some(only)] if is_mean(only) => log(if only.sets.is_empty() { &only.rounds } else { &only.sets }),
        _ => Vec::new(),
    };
    Sample { runs: log(&values), rounds }
}

/// Whether a value is the mean of its rounds, and not their best or a percentile of all operations.
fn is_mean(metric: &Metric) -> bool {
    let near = |mean: f64| metric.value.is_some_and(|value| (value - mean).abs() <= 1e-6 * value.abs());
    metric.spread.is_some_and(|spread| near(spread.mean))
}
