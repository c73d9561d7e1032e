//! The highest rate at which a percentile of the response time keeps a bound: which rate to try next, and the result of
//! the rounds together.
//!
//! The search halves the ratio of two rates, one that kept the bound and one that did not. It follows from the outcomes
//! of the rounds alone, so `session` and `analysis` arrive at the same rates, even after an interruption. Response
//! time, not latency, is compared with the bound, so that a growing queue cannot hide (research notes, engine 4.2,
//! coordinated omission).

use drivelab_core::histogram::SparseHistogram;
use drivelab_core::ids::StepKey;
use drivelab_core::plan::{RateSearch, Rounds, Step, TestPlan};
use drivelab_core::record::{StepRecord, StopReason};
use drivelab_core::run::RunRecords;
use drivelab_core::workload::Workload;

use crate::topics::limits::is_overloaded;

/// Two rates whose ratio is at most this are not distinguished further: the generator keeps a rate to 0.5 %, and two
/// rounds of the same rate differ by more than that on any real drive.
pub const RESOLUTION: f64 = 1.01;

/// Rounds of one rate that the load generator may spoil before that counts as a miss: a host that always delays
/// operations cannot show that the rate is kept.
const SPOILED_MOST: u32 = 2;

/// Outcome of a round of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The percentile kept the bound.
    Held,
    /// It did not.
    Missed,
    /// It did not, because the load generator itself submitted late: the target answered in time and kept up. This
    /// shows nothing about the rate, which is tried again.
    Spoiled,
}

/// Result of one round of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Try {
    /// Round, from 1.
    pub round: u32,
    /// Requested rate, arrivals per 1,000 seconds.
    pub per_1000_s: u64,
    /// Its outcome.
    pub outcome: Outcome,
    /// The percentile of the response time, in nanoseconds; `None` if it was not reached: more arrivals were unserved
    /// at the end than the percentile leaves out.
    pub response_ns: Option<f64>,
    /// Arrivals that were still waiting at the end or ended in an error.
    pub unserved: u64,
}

/// Result of the rounds of a search together.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The rounds, in order.
    pub tries: Vec<Try>,
    /// The highest rate that kept the bound.
    pub held: Option<Try>,
    /// The lowest rate that did not.
    pub missed: Option<Try>,
    /// Whether no further round is needed or allowed.
    pub finished: bool,
    /// Why the search ended there; empty if it continues.
    pub ended: &'static str,
}

/// The rates that enclose the bound, as far as these outcomes show: the highest that kept it and the lowest that missed
/// it, in arrivals per 1,000 seconds.
fn enclosed(search: &RateSearch, outcomes: &[Outcome]) -> Option<(Option<u64>, Option<u64>)> {
    let (mut held, mut missed, mut spoiled) = (None, None, 0);
    for outcome in outcomes {
        let rate = between(search, held, missed)?;
        match outcome {
            Outcome::Held => held = Some(rate),
            Outcome::Spoiled if spoiled < SPOILED_MOST => {
                spoiled += 1;
                continue;
            }
            Outcome::Missed | Outcome::Spoiled => missed = Some(rate),
        }
        spoiled = 0;
    }
    Some((held, missed))
}

/// The rate of the round after these outcomes, from round 1 on, in arrivals per 1,000 seconds; `None` if the search has
/// ended.
#[must_use]
pub fn next_rate(search: &RateSearch, outcomes: &[Outcome]) -> Option<u64> {
    let (held, missed) = enclosed(search, outcomes)?;
    let done = u32::try_from(outcomes.len()).unwrap_or(u32::MAX) >= search.max;
    between(search, held, missed).filter(|_| !done)
}

/// The lowest rate first, then the highest, then the geometric mean of the two that enclose the bound.
fn between(search: &RateSearch, held: Option<u64>, missed: Option<u64>) -> Option<u64> {
    match (held, missed) {
        (None, None) => Some(search.lowest),
        // Even the lowest is too high, or even the highest is not.
        (None, Some(_)) => None,
        (Some(held), None) => (held < search.highest).then_some(search.highest),
        (Some(held), Some(missed)) => {
            let (low, high) = (held as f64, missed as f64);
            let middle = (low * high).sqrt().round() as u64;
            (high / low > RESOLUTION && held < middle && middle < missed).then_some(middle)
        }
    }
}

/// The rate of a round of a step whose earlier rounds are recorded; `None` if the search needs no such round.
#[must_use]
pub fn rate_of_round(search: &RateSearch, records: &RunRecords, step: &Step, round: u32) -> Option<u64> {
    let before = usize::try_from(round.saturating_sub(1)).unwrap_or(usize::MAX);
    let mut outcomes: Vec<Outcome> =
        finished(records, step).map(|record| judge(search, step, record).outcome).collect();
    outcomes.truncate(before);
    next_rate(search, &outcomes)
}

/// The result of the recorded rounds of a step; `None` if its test is not a search or nothing was measured.
#[must_use]
pub fn found(test: &TestPlan, step: &Step, records: &RunRecords) -> Option<Found> {
    let Rounds::FindRate(search) = &test.rounds else { return None };
    let mut tries: Vec<Try> = Vec::new();
    let outcomes = |tries: &[Try]| tries.iter().map(|one| one.outcome).collect::<Vec<Outcome>>();
    for record in finished(records, step) {
        let Some(rate) = next_rate(search, &outcomes(&tries)) else { break };
        tries.push(Try { per_1000_s: rate, ..judge(search, step, record) });
    }
    let (held, missed) = enclosed(search, &outcomes(&tries)).unwrap_or_default();
    // A rate that was tried again is judged by its last round.
    let at = |rate: Option<u64>| tries.iter().rfind(|one| Some(one.per_1000_s) == rate).copied();
    let found = Found {
        held: at(held),
        missed: at(missed),
        finished: next_rate(search, &outcomes(&tries)).is_none(),
        ended: "",
        tries,
    };
    let found = Found { ended: ended(search, &found), ..found };
    (!found.tries.is_empty()).then_some(found)
}

/// Why no further round is needed, or allowed.
fn ended(search: &RateSearch, found: &Found) -> &'static str {
    match (&found.held, &found.missed) {
        _ if !found.finished => "",
        (None, _) => "even the lowest rate missed the bound, so no other was tried",
        (Some(held), None) if held.per_1000_s >= search.highest => {
            "even the highest rate kept the bound, so no other was tried"
        }
        _ if found.tries.len() >= search.max as usize => "the allowed number of rounds was used up",
        _ => "rates this close to each other (1 %) cannot be distinguished",
    }
}

impl Found {
    /// The round whose figures are reported.
    #[must_use]
    pub fn reported(&self) -> Option<&Try> {
        self.held.as_ref().or_else(|| self.tries.first())
    }
}

/// Whether an execution is a round of a search other than the reported one.
pub(crate) fn is_probe(records: &RunRecords, key: &StepKey) -> bool {
    let test = records.plan.test_of(&key.step).filter(|test| matches!(test.rounds, Rounds::FindRate(_)));
    let found = test.zip(records.plan.step(&key.step)).and_then(|(test, step)| found(test, step, records));
    found.is_some_and(|found| found.reported().is_some_and(|one| one.round != key.round))
}

/// The finished rounds of a step from the first on, without a gap.
fn finished<'r>(records: &'r RunRecords, step: &'r Step) -> impl Iterator<Item = &'r StepRecord> {
    (1..).map_while(|round| {
        let record = records.step(&StepKey { step: step.id.clone(), round })?;
        (record.stop_reason != StopReason::Stopped).then_some(record)
    })
}

/// The result of one round. Arrivals that were not served by the end, and those that ended in an error, count as longer
/// than any bound. A rate that the target cannot keep up with has missed, whatever the percentile is by then.
fn judge(search: &RateSearch, step: &Step, record: &StepRecord) -> Try {
    let bound = search.bound.get() as f64;
    let response_ns = response(search, record);
    let overloaded =
        |workload: &Workload| record.open_loop.as_ref().is_some_and(|open| is_overloaded(open, record, workload));
    let kept_up = record.stop_reason != StopReason::Errors && !step.workload().is_some_and(overloaded);
    let late = record.open_loop.is_some_and(|open| open.lateness_max > search.bound);
    let answers_in_time = latency(search, record).is_some_and(|latency| latency <= bound);
    let outcome = match response_ns {
        Some(response) if kept_up && response <= bound => Outcome::Held,
        _ if kept_up && late && answers_in_time => Outcome::Spoiled,
        _ => Outcome::Missed,
    };
    Try { round: record.key.round, per_1000_s: 0, outcome, response_ns, unserved: unserved(record) }
}

/// The percentile of the latency, which counts from the submission; errors count as longer than any bound.
fn latency(search: &RateSearch, record: &StepRecord) -> Option<f64> {
    let mut done = SparseHistogram::default();
    record.kinds().for_each(|(_, kind)| done.merge(&kind.histogram));
    ranked(search, &done, record.error_count())
}

/// The percentile over everything that arrived.
fn response(search: &RateSearch, record: &StepRecord) -> Option<f64> {
    let mut served = SparseHistogram::default();
    for (_, kind) in record.kinds() {
        kind.response.iter().for_each(|response| served.merge(&response.histogram));
    }
    ranked(search, &served, unserved(record))
}

fn unserved(record: &StepRecord) -> u64 {
    record.error_count() + record.open_loop.as_ref().map_or(0, |open| open.backlog_at_end)
}

/// The percentile of the values in a histogram and of this many more that are longer than any of them.
fn ranked(search: &RateSearch, served: &SparseHistogram, longer: u64) -> Option<f64> {
    let all = served.count.saturating_add(longer);
    let rank = (all as f64 * f64::from(search.percentile_thousandths) / 100_000.0).ceil();
    let per_cent = 100.0 * rank / served.count as f64;
    if served.count == 0 || per_cent > 100.0 {
        return None;
    }
    served.percentile(per_cent).map(|response| response.get() as f64)
}

#[cfg(test)]
mod tests;
