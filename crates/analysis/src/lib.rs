//! Pure functions from records to metrics and findings: what the measured facts of a run mean.
//!
//! Owns: the table of metrics, the invariants, the verdict on steadiness, the statistics over rounds, every finding's
//! text, the shapes of charts. Must not know: files, clocks, threads, terminals, how a page looks. The same records
//! always give the same answer, so an old bundle can be studied again with a newer version of this crate.

#![forbid(unsafe_code)]

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::ids::StepId;
use drivelab_core::metric::Metric;
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::Recorded;
use schemars::JsonSchema;
use serde::Serialize;

pub mod arms;
pub mod buyer;
mod capacity;
mod check;
pub mod classes;
pub mod conditions;
mod conduct;
pub mod curve;
pub mod data_sheet;
mod demand;
mod dips;
pub mod explain;
pub mod fill;
pub mod find_rate;
pub mod findings;
pub mod host;
mod invariants;
mod limits;
pub mod map;
mod metrics;
pub mod probe;
pub mod rate;
mod reach;
mod recovery;
pub mod scores;
pub mod series;
pub mod smart;
pub mod stats;
pub mod steady;
#[doc(hidden)]
pub mod testing;
pub mod throttle;
pub mod together;
mod values;
mod watched;

pub use drivelab_core::tails;
pub use limits::{CpuRule, GeneratorLimit, Limit, LimitKind, LimitedBy, limit, limited_by, overloaded};
pub use metrics::{METRICS, metric_def, metrics_markdown};
pub use reach::{not_measured, tested};

/// Version of the definitions and thresholds; raised whenever the same records would give another figure or finding.
pub const ANALYSIS_VERSION: u32 = 15;

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
    /// The buyer's answer; absent of runs that are no check, and of one that was not brought to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<buyer::Checked>,
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

/// What limited one step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepLimit {
    /// The step.
    pub step: StepId,
    /// The limit, by the means of the step's rounds.
    #[serde(flatten)]
    pub limit: Limit,
}

/// Works out everything; also for runs that are not at their end, from what is there.
#[must_use]
pub fn analyse(records: &RunRecords) -> Analysis {
    let subjects = check::subjects(records);
    let mut verdicts = check::run(invariants::INVARIANTS, &subjects);
    let recorded = check::recorded(&records.findings, &subjects);
    let mut findings = conditions::contradictions(&records.environment, &records.plan);
    findings.extend(verdicts.iter().map(|verdict| verdict.finding.clone()));
    findings.extend(conduct::of_run(records));
    for checks in [
        conduct::target::TARGET,
        conduct::CONDUCT,
        conduct::account::ACCOUNT,
        conduct::replayed::REPLAYED,
        conduct::watched::WATCHED,
        conduct::heat::HEAT,
        conduct::filled::FILLED,
    ] {
        let noticed = check::run(checks, &subjects);
        findings.extend(noticed.iter().map(|verdict| verdict.finding.clone()));
        verdicts.extend(noticed);
    }
    findings.iter_mut().for_each(|finding| notes_of_preparation(records, finding));
    findings.iter_mut().for_each(|finding| conduct::filled::answering(records, finding));
    let mut disturbances = conditions::disturbances(&records.environment);
    if conduct::transfers::only_files(records) {
        // What is measured does not lie in the target file, whose size says nothing then.
        disturbances.retain(|finding| finding.code != "memory_larger_than_target");
    }
    findings.extend(disturbances);
    findings.extend(conditions::tool(&records.tool));
    // Their findings are among the recorded ones below.
    verdicts.extend(recorded);
    let metrics = metrics::all(records, &verdicts);
    findings.extend(curve::findings(records, &metrics));
    findings.extend(scores::findings(records, &metrics));
    let mut findings = with_recorded(findings, &records.findings);
    // Of those as grave as each other, the answers first.
    findings.sort_by_key(|finding| std::cmp::Reverse((finding.severity, finding.answers)));
    let mut analysis =
        Analysis { analysis_version: ANALYSIS_VERSION, metrics, findings, limits: limits::all(records), checked: None };
    // Made of metrics, and a note: it stands behind what is graver.
    let feed = together::feed_of_run(records, &analysis);
    analysis.findings.extend(feed);
    let printed = data_sheet::findings(records, &analysis);
    analysis.findings.extend(printed);
    analysis.checked = buyer::of_run(records, &analysis);
    analysis
}

/// What a drive said over time that cannot be true (a sensor that stands still, counters that went back); part of
/// [`analyse`], and by itself for series of which there is no run.
#[must_use]
pub fn lies(recorded: &Recorded) -> Vec<Finding> {
    conduct::lies::of_series(recorded, true)
}

/// The user's own meters from which nothing came, and why as far as that is known; part of [`analyse`], and by itself
/// for series of which there is no run.
#[must_use]
pub fn silent_meters(recorded: &Recorded) -> Option<Finding> {
    conduct::watched::silent_meters(recorded)
}

/// How fast a preparation went, and what kept it from being faster, changes no figure of a result: that is a note.
/// What it did wrong (errors, data that is not what was written) stays what it is.
fn notes_of_preparation(records: &RunRecords, finding: &mut Finding) {
    let about_rates = conduct::account::ACCOUNT.iter().any(|check| check.code == finding.code);
    let measured = finding.steps.iter().any(|key| values::is_measured(records, &key.step));
    if about_rates && !measured && !finding.steps.is_empty() && finding.severity == Severity::Warning {
        finding.severity = Severity::Note;
    }
}

/// Adds what was noted while the run went on. Where both have a code, the computed finding is newer and stays, but a
/// recorded one with more evidence (the session may have measured what analysis cannot see) replaces it. Of two
/// recorded ones that say the same of the same steps as gravely, the later counts: a resumed run looks once more. So it
/// does of two that judge the same preparation, whatever they say: it was repeated.
fn with_recorded(mut findings: Vec<Finding>, recorded: &[Finding]) -> Vec<Finding> {
    let mut noted_only: Vec<Finding> = Vec::new();
    let computed: Vec<usize> = findings.iter().map(|finding| finding.evidence.len()).collect();
    for noted in recorded {
        let again = |one: &&mut Finding| {
            (&one.code, &one.steps, one.severity) == (&noted.code, &noted.steps, noted.severity)
                || findings::state::judge_one_preparation(one, noted)
        };
        let same = findings.iter_mut().zip(&computed).find(|(finding, _)| finding.code == noted.code);
        if let Some((finding, evidence)) = same {
            if *evidence < noted.evidence.len() {
                *finding = noted.clone();
            }
        } else if let Some(earlier) = noted_only.iter_mut().find(again) {
            *earlier = noted.clone();
        } else {
            noted_only.push(noted.clone());
        }
    }
    findings.append(&mut noted_only);
    findings
}

#[cfg(test)]
mod tests;
