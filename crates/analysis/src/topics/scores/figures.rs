//! Scores: the results of the formulas of a plan ([`drivelab_core::score`]), with their terms.
//!
//! Values are copied from the metrics, so that voids and lower bounds apply here too. A score has a value only if all
//! of its terms have one. Pure.

use std::collections::BTreeSet;

use drivelab_core::finding::Finding;
use drivelab_core::ids::StepId;
use drivelab_core::metric::{Better, Metric, Wrong};
use drivelab_core::plan::Plan;
use drivelab_core::run::RunRecords;
use drivelab_core::score::{Score, ScoreRates, ScoreRule, WEIGHT_ONE};
use schemars::JsonSchema;
use serde::Serialize;

use super::words as text;
use crate::metrics::of_score;

/// Bytes per second of 1 MB/s, in MiB/s.
const MIB_OF_MB: f64 = 1e6 / 1_048_576.0;

/// A score of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScoreFigure {
    /// Address of its value among the metrics.
    pub address: String,
    /// Name in the methodology.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Unit as printed.
    pub unit: String,
    /// How its terms become one figure.
    pub rule: ScoreRule,
    /// Which direction is better.
    pub better: Better,
    /// The value; absent if a term is missing or void.
    pub value: Option<f64>,
    /// The terms, in the order of the formula.
    pub terms: Vec<ScoreTerm>,
    /// Address of the score by which it is divided; absent if it is not divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// Codes of the findings that void a term.
    pub voided_by: Vec<String>,
    /// Codes of the findings that disturb a term.
    pub spoiled_by: Vec<String>,
    /// In which direction the value is wrong; absent if no term is disturbed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Wrong>,
    /// A term is a lower bound, so that this is a lower bound too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lower_bound: bool,
    /// Why parts of the formula are drivelab's own; empty if none are.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub approximation: String,
}

/// One term of a score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScoreTerm {
    /// Address of the figure.
    pub address: String,
    /// Its step.
    pub step: StepId,
    /// Its factor.
    pub weight: f64,
    /// The figure as the formula counts it; absent if it is missing or void.
    pub value: Option<f64>,
    /// Its unit.
    pub unit: String,
}

/// Every score of a plan with at least one measured term, in the order of the plan. A score with none (power without a
/// meter) is left out.
#[must_use]
pub fn scores(plan: &Plan, metrics: &[Metric]) -> Vec<ScoreFigure> {
    let mut all: Vec<ScoreFigure> = Vec::new();
    for score in &plan.scores {
        let over = score.over.as_ref().map(|name| all.iter().find(|other| other.name == *name));
        if over == Some(None) {
            continue;
        }
        all.extend(one(plan, score, over.flatten(), metrics));
    }
    all
}

/// Whether a score is divided by busy times, in one of which the host was the limit.
fn divides_by_a_bound_time(plan: &Plan, score: &Score, metrics: &[Metric]) -> bool {
    let over = score.over.as_ref().and_then(|name| plan.scores.iter().find(|other| other.name == *name));
    let times = over.iter().flat_map(|over| &over.parts).filter(|part| part.metric == "replay.busy_time");
    let steps: Vec<&StepId> = times.flat_map(|part| &part.steps).collect();
    metrics.iter().any(|one| {
        one.id == "replay.busy_throughput" && one.lower_bound && one.step.as_ref().is_some_and(|id| steps.contains(&id))
    })
}

fn one(plan: &Plan, score: &Score, over: Option<&ScoreFigure>, metrics: &[Metric]) -> Option<ScoreFigure> {
    let found = |step: &StepId, id: &str| metrics.iter().find(|one| one.id == id && one.step.as_ref() == Some(step));
    let mut figures: Vec<&Metric> = Vec::new();
    let mut terms = Vec::new();
    for part in &score.parts {
        for step in &part.steps {
            let metric = found(step, &part.metric);
            let unit = metric.map_or("", |metric| &metric.unit);
            figures.extend(metric);
            terms.push(ScoreTerm {
                address: format!("{step}:{}", part.metric),
                step: step.clone(),
                #[expect(clippy::cast_precision_loss, reason = "weights are at most a million thousandths")]
                weight: part.weight_thousandths as f64 / WEIGHT_ONE as f64,
                value: metric.and_then(|metric| metric.value).map(|value| counted(value, unit, score.rates)),
                unit: if unit == "MB/s" && score.rates == ScoreRates::Binary { "MiB/s" } else { unit }.to_owned(),
            });
        }
    }
    if figures.is_empty() {
        return None;
    }
    let known: Option<Vec<(f64, f64)>> = terms.iter().map(|term| Some((term.weight, term.value?))).collect();
    let own = known.and_then(|terms| of_score(score.metric())?(&terms));
    let value = match over {
        Some(over) => own.zip(over.value.filter(|value| *value > 0.0)).map(|(own, over)| own / over),
        None => own,
    };
    let mut voided_by: Vec<String> = figures.iter().flat_map(|metric| metric.voided_by.clone()).collect();
    voided_by.extend(over.into_iter().flat_map(|over| over.voided_by.clone()));
    voided_by.sort_unstable();
    voided_by.dedup();
    let mut spoiled_by: Vec<String> = figures.iter().flat_map(|metric| metric.spoiled_by.clone()).collect();
    spoiled_by.extend(over.into_iter().flat_map(|over| over.spoiled_by.clone()));
    spoiled_by.retain(|_| value.is_some());
    spoiled_by.sort_unstable();
    spoiled_by.dedup();
    let own_wrong = Wrong::together(figures.iter().filter_map(|metric| metric.wrong));
    let wrong = Wrong::together(own_wrong.into_iter().chain(over.and_then(|over| over.wrong).map(of_divisor)));
    Some(ScoreFigure {
        address: score.address(),
        name: score.name.clone(),
        title: score.title.clone(),
        unit: score.unit.clone(),
        rule: score.rule,
        better: score.better,
        value,
        // If the divisor may be larger, the score may be smaller, so neither bound is known. If the host was the limit,
        // the time by which it is divided is too long.
        lower_bound: value.is_some()
            && (figures.iter().any(|metric| metric.lower_bound) || divides_by_a_bound_time(plan, score, metrics))
            && !over.is_some_and(|over| over.lower_bound),
        terms,
        over: over.map(|over| over.address.clone()),
        voided_by,
        wrong: wrong.filter(|_| !spoiled_by.is_empty()),
        spoiled_by,
        approximation: score.approximation.clone(),
    })
}

/// The direction in which a wrong divisor makes a quotient wrong.
const fn of_divisor(wrong: Wrong) -> Wrong {
    match wrong {
        Wrong::TooLow => Wrong::TooHigh,
        Wrong::TooHigh => Wrong::TooLow,
        Wrong::EitherWay => Wrong::EitherWay,
    }
}

/// A figure as the formula counts it.
fn counted(value: f64, unit: &str, rates: ScoreRates) -> f64 {
    if unit == "MB/s" && rates == ScoreRates::Binary { value * MIB_OF_MB } else { value }
}

/// The scores as metrics of the run.
pub(crate) fn metrics(plan: &Plan, of_steps: &[Metric]) -> Vec<Metric> {
    let id = |rule| if rule == ScoreRule::Sum { "score.sum" } else { "score.mean" };
    let metric = |score: ScoreFigure| Metric {
        address: score.address,
        id: id(score.rule).to_owned(),
        step: None,
        unit: score.unit,
        value: score.value,
        rounds: Vec::new(),
        sets: Vec::new(),
        spread: None,
        voided_by: score.voided_by,
        spoiled_by: score.spoiled_by,
        wrong: score.wrong,
        lower_bound: score.lower_bound,
    };
    scores(plan, of_steps).into_iter().map(metric).collect()
}

/// The finding about scores that are missing although every step that they use was executed: the figures that they need
/// were not measured.
pub(crate) fn findings(records: &RunRecords, of_steps: &[Metric]) -> Option<Finding> {
    let known = scores(&records.plan, of_steps);
    let done = |step: &StepId| records.steps.iter().any(|record| record.key.step == *step);
    let is_due = |score: &&Score| score.parts.iter().flat_map(|part| &part.steps).all(done);
    let is_there = |score: &Score| known.iter().any(|figure| figure.name == score.name);
    let missing: Vec<&Score> = records.plan.scores.iter().filter(is_due).filter(|score| !is_there(score)).collect();
    // A score that is divided by a missing one may have all of its own figures.
    let is_told = |step: &StepId, id: &str| of_steps.iter().any(|one| one.id == id && one.step.as_ref() == Some(step));
    let parts = missing.iter().flat_map(|score| &score.parts);
    let untold = parts.filter(|part| !part.steps.iter().any(|step| is_told(step, &part.metric)));
    let untold: BTreeSet<&str> = untold.map(|part| part.metric.as_str()).collect();
    (!missing.is_empty()).then(|| text::not_measured(&missing, &untold))
}

#[cfg(test)]
mod tests;
