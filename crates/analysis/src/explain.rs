//! From a figure back to its definition, its function and its records.
//!
//! Owns the chain and its plain-text form (the same text wherever a figure is explained). Must not know bundles: the
//! caller names the one that the records came from.

use std::fmt::Write as _;

use drivelab_core::finding::Finding;
use drivelab_core::ids::StepKey;
use drivelab_core::load::OpKind;
use drivelab_core::metric::{Better, Metric, Wrong};
use drivelab_core::plan::{Combine, Step, StepRole, TestPlan};
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_core::run::RunRecords;
use drivelab_core::score::ScoreRule;
use drivelab_core::units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{ANALYSIS_VERSION, Analysis};
use crate::metrics::{Compute, entries, metric_def, round_value};
use crate::topics::rounds::used_rounds;
use crate::topics::scores::{ScoreFigure, ScoreTerm, scores};
use crate::values::Execution;

/// Most near matches that an error lists.
const MOST_NEAR: usize = 5;

/// Where a figure comes from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The figure.
    pub metric: Metric,
    /// Title of the metric.
    pub title: String,
    /// Which direction is better.
    pub better: Better,
    /// Its definition, as in docs/metrics.md.
    pub definition: String,
    /// Path of the function that computed it.
    pub function: String,
    /// Version of the analysis that did.
    pub analysis_version: u32,
    /// The step, for people; absent for figures of the whole run.
    pub step_label: Option<String>,
    /// The step prepares the target: its figures are not results.
    pub preparation: bool,
    /// How the rounds became one figure, a sentence.
    pub combined: String,
    /// The rounds that it comes from, in order; empty for figures of the whole run.
    pub rounds: Vec<ExplainedRound>,
    /// Its terms, if it is a score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<ScoreTerm>,
    /// The findings that void it.
    pub findings: Vec<Finding>,
    /// The findings about disturbances: other I/O changed the value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spoiled_by: Vec<Finding>,
}

/// One round behind a figure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ExplainedRound {
    /// The step record: `step_ended` with this key.
    pub key: StepKey,
    /// The figure of this round alone, even if the whole is void.
    pub value: Option<f64>,
    /// Start of the measured part, nanoseconds on the run clock.
    pub start_ns: u64,
    /// End of the measured part, nanoseconds on the run clock.
    pub end_ns: u64,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// Completed reads.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: Bytes,
    /// Completed writes.
    pub writes: u64,
    /// Bytes written.
    pub written_bytes: Bytes,
    /// Completed operations of other kinds, with the bytes that they covered; only kinds that the step has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(OpKind, u64, Bytes)>,
    /// Failed operations.
    pub errors: u64,
    /// Interval records that make up the measured part; absent if there is none.
    pub intervals: Option<IntervalRange>,
    /// Interval records left out because they belong to the ramp.
    pub ramp_intervals: u32,
}

/// A range of a step's interval records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IntervalRange {
    /// `index` of the first.
    pub first: u32,
    /// `index` of the last.
    pub last: u32,
    /// How many there are.
    pub count: u32,
}

/// What a disturbed figure would be undisturbed, as a sentence; empty if nothing disturbed it.
const fn direction(metric: &Metric) -> &'static str {
    match metric.wrong {
        None => "",
        Some(Wrong::TooLow) => "Undisturbed, this figure would be higher.",
        Some(Wrong::TooHigh) => "Undisturbed, this figure would be lower.",
        Some(Wrong::EitherWay) => "Undisturbed, this figure would be different.",
    }
}

/// The run has no such figure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this run has no figure '{address}'{}", near_text(.near))]
pub struct ExplainError {
    /// The requested address.
    pub address: String,
    /// Figures with similar addresses, the most similar first.
    pub near: Vec<String>,
}

fn near_text(near: &[String]) -> String {
    if near.is_empty() {
        return "; an address is STEP:METRIC, such as corners/seq-1m-q8t1-read:read.throughput, or run:METRIC"
            .to_owned();
    }
    format!("; similar: {}", near.join(", "))
}

/// Traces a figure back. `address` is `<step id>:<metric id>` or `run:<metric id>`.
///
/// # Errors
/// [`ExplainError`] with similar addresses if the run has no such figure.
pub fn explain(records: &RunRecords, analysis: &Analysis, address: &str) -> Result<Explanation, ExplainError> {
    let not_there = || ExplainError { address: address.to_owned(), near: near(analysis, address) };
    let metric = analysis.metric(address).ok_or_else(not_there)?;
    let def = metric_def(&metric.id).ok_or_else(not_there)?;
    let place = metric.step.as_ref().and_then(|id| Some((records.plan.test_of(id)?, records.plan.step(id)?)));
    let rounds = place.map_or(Vec::new(), |(test, step)| {
        let used = used_rounds(records, test, step);
        used.into_iter().map(|record| round(records, step, record, &metric.id)).collect()
    });
    let score = scores(&records.plan, &analysis.metrics).into_iter().find(|score| score.address == address);
    Ok(Explanation {
        title: score.as_ref().map_or(def.title, |score| &score.title).to_owned(),
        better: def.better,
        definition: def.definition.to_owned(),
        function: def.function.to_owned(),
        analysis_version: ANALYSIS_VERSION,
        step_label: place.map(|(_, step)| step.label.clone()),
        preparation: place.is_some_and(|(_, step)| step.role == StepRole::Prepare),
        combined: match &score {
            Some(score) => formula(score),
            None => how_combined(place.map(|(test, _)| test), &metric.id, rounds.len(), metric.sets.len()),
        },
        rounds,
        terms: score.map_or_else(Vec::new, |score| score.terms),
        findings: analysis.findings.iter().filter(|f| metric.voided_by.contains(&f.code)).cloned().collect(),
        spoiled_by: analysis.findings.iter().filter(|f| metric.spoiled_by.contains(&f.code)).cloned().collect(),
        metric: metric.clone(),
    })
}

fn round(records: &RunRecords, step: &Step, record: &StepRecord, metric: &str) -> ExplainedRound {
    let entry = entries().find(|entry| entry.def.id == metric);
    let intervals = records.intervals.iter().filter(|interval| interval.key == record.key);
    let (ramp, measured): (Vec<_>, Vec<_>) = intervals.partition(|interval| interval.ramp);
    let range = measured.first().zip(measured.last()).map(|(first, last)| IntervalRange {
        first: first.index,
        last: last.index,
        count: u32::try_from(measured.len()).unwrap_or(u32::MAX),
    });
    ExplainedRound {
        key: record.key.clone(),
        value: entry.and_then(|entry| round_value(entry.compute, Execution::new(step, record)?.within(records))),
        start_ns: record.start_ns,
        end_ns: record.end_ns,
        stop_reason: record.stop_reason,
        reads: record.read.count,
        read_bytes: record.read.bytes,
        writes: record.write.count,
        written_bytes: record.write.bytes,
        others: record.others.iter().map(|other| (other.op, other.record.count, other.record.bytes)).collect(),
        errors: record.error_count(),
        intervals: range,
        ramp_intervals: u32::try_from(ramp.len()).unwrap_or(u32::MAX),
    }
}

/// How terms became a score.
fn formula(score: &ScoreFigure) -> String {
    let rule = match score.rule {
        ScoreRule::Sum => "added up",
        ScoreRule::Mean => "added up and divided by the sum of the weights",
    };
    let over = score.over.as_ref().map_or_else(String::new, |over| format!(", then divided by {over}"));
    format!("{} figures, each times its weight, {rule}{over}.", score.terms.len())
}

/// How rounds became one figure; `sets` are those of a test with sets, for a metric that is chosen from rounds.
fn how_combined(test: Option<&TestPlan>, metric: &str, rounds: usize, sets: usize) -> String {
    let Some(test) = test else { return "This is a figure of the whole run, without rounds to combine.".to_owned() };
    let tail = is_tail(metric);
    let neutral = metric_def(metric).is_some_and(|def| def.better == Better::Neutral);
    let way = match test.combine {
        _ if sets > 0 => {
            let each = if test.combine == Combine::Median { "median" } else { "best" };
            return format!(
                "The value is the mean of {sets} sets, each of which gives the {each} of its rounds ({rounds} in all)."
            );
        }
        _ if rounds == 1 => return "The value is the figure of the only round.".to_owned(),
        _ if is_sum(metric) => "the sum of",
        Combine::Mean if tail => "taken from the merged histogram of",
        Combine::Best if !neutral => "the best of",
        Combine::Mean | Combine::Best => "the mean of",
        Combine::Median => "the median of",
    };
    format!("The value is {way} {rounds} rounds.")
}

/// Whether rounds of this metric are one distribution.
fn is_tail(metric: &str) -> bool {
    entries()
        .any(|entry| entry.def.id == metric && matches!(entry.compute, Compute::Tail(..) | Compute::TailOfBoth(..)))
}

/// Whether rounds of this metric are added up.
fn is_sum(metric: &str) -> bool {
    entries().any(|entry| entry.def.id == metric && matches!(entry.compute, Compute::Sum(_)))
}

/// Addresses similar to the requested one: those that contain it first, then by edit distance.
#[must_use]
pub fn near(analysis: &Analysis, address: &str) -> Vec<String> {
    let asked = address.to_lowercase();
    let mut all: Vec<(bool, usize, &str)> = analysis
        .metrics
        .iter()
        .map(|metric| {
            (!metric.address.contains(&asked), strsim::levenshtein(&asked, &metric.address), metric.address.as_str())
        })
        .collect();
    all.retain(|(elsewhere, distance, near)| !elsewhere || *distance <= near.len() / 2);
    all.sort_unstable();
    all.into_iter().take(MOST_NEAR).map(|(_, _, address)| address.to_owned()).collect()
}

/// The chain as plain text, with the exact values.
#[must_use]
pub fn text(explanation: &Explanation) -> String {
    let mut out = String::new();
    let metric = &explanation.metric;
    let value = metric.value.map_or("no value".to_owned(), |value| format!("{value} {}", metric.unit));
    let label = explanation.step_label.as_ref().map_or(String::new(), |label| format!(" of {label}"));
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{} = {value}", metric.address);
    let _ = writeln!(out, "{}{label}", explanation.title);
    if explanation.preparation {
        let _ = writeln!(out, "This step prepares the target; its figures are not results.");
    }
    for finding in &explanation.findings {
        let _ = writeln!(out, "Void [{}]: {}", finding.code, finding.statement);
    }
    for finding in &explanation.spoiled_by {
        let _ = writeln!(out, "Disturbed [{}]: {} {}", finding.code, finding.statement, direction(metric));
    }
    if metric.lower_bound {
        let _ = writeln!(out, "A lower bound: drivelab or the host's CPU was the limit, not the target.");
    }
    let _ = writeln!(out, "\nDefinition: {}", explanation.definition);
    let _ = writeln!(out, "Function: {} (analysis version {})", explanation.function, explanation.analysis_version);
    let _ = writeln!(out, "Rounds: {}", explanation.combined);
    if !metric.sets.is_empty() {
        let sets: Vec<String> = metric.sets.iter().map(f64::to_string).collect();
        let _ = writeln!(out, "Sets: {} {}", sets.join(", "), metric.unit);
    }
    for term in &explanation.terms {
        let value = term.value.map_or("no value".to_owned(), |value| format!("{value} {}", term.unit));
        let _ = writeln!(out, "  {} × {value}: {}", term.weight, term.address);
    }
    for round in &explanation.rounds {
        let _ = writeln!(out, "{}", round_text(round, &metric.unit));
    }
    if let Some(interval) = metric.spread.and_then(|spread| spread.confidence) {
        let _ = writeln!(out, "95 % interval of the mean: {} to {} {}", interval.low, interval.high, metric.unit);
    }
    out
}

fn round_text(round: &ExplainedRound, unit: &str) -> String {
    let value = round.value.map_or("no value".to_owned(), |value| format!("{value} {unit}"));
    let intervals = round.intervals.map_or("none".to_owned(), |range| {
        format!(
            "{} to {} ({} records, {} of the ramp left out)",
            range.first, range.last, range.count, round.ramp_intervals
        )
    });
    let other =
        |(kind, count, bytes): &(OpKind, u64, Bytes)| format!(", {count} {} ({} bytes)", kind.name(), bytes.get());
    let others: String = round.others.iter().map(other).collect();
    format!(
        "  {}: {value}\n    from {} ns to {} ns of run time: {} reads ({} bytes), {} writes ({} bytes){others}, {} \
         errors\n    intervals {intervals}",
        round.key,
        round.start_ns,
        round.end_ns,
        round.reads,
        round.read_bytes.get(),
        round.writes,
        round.written_bytes.get(),
        round.errors,
    )
}

#[cfg(test)]
mod tests;
