//! From records to [`Analysis`]: which questions are asked about a run, and the order of the answers.
//!
//! Must not know how any question is answered.

use drivelab_core::finding::{Finding, Severity};
use drivelab_core::plan::Step;
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::Recorded;
use drivelab_core::workload::Workload;

use crate::across::together;
use crate::analysis::{ANALYSIS_VERSION, Analysis};
use crate::topics::{
    capacity, conduct, curve, data_sheet, fill, generator, heat, invariants, limits, others, replayed, rounds, scores,
    search, sensors, state, target, telemetry, transfers,
};
use crate::{acceptance, buyer, check, host, metrics, values};

/// Analyses a run completely; a run that has not ended is analysed by the records so far.
#[must_use]
pub fn analyse(records: &RunRecords) -> Analysis {
    let subjects = check::subjects(records);
    let mut verdicts = check::run(invariants::INVARIANTS, &subjects);
    let recorded = state::not_emptied_steps(&records.findings, &subjects);
    let mut findings = host::conditions::contradictions(&records.environment, &records.plan);
    findings.extend(verdicts.iter().map(|verdict| verdict.finding.clone()));
    findings.extend(of_run(records));
    for checks in [
        target::TARGET,
        conduct::CONDUCT,
        generator::ACCOUNT,
        replayed::REPLAYED,
        telemetry::WATCHED,
        heat::HEAT,
        fill::FILLED,
    ] {
        let noticed = check::run(checks, &subjects);
        findings.extend(noticed.iter().map(|verdict| verdict.finding.clone()));
        verdicts.extend(noticed);
    }
    findings.iter_mut().for_each(|finding| notes_of_preparation(records, finding));
    findings.iter_mut().for_each(|finding| fill::answering(records, finding));
    // The host changes no figure of a virtual drive.
    let mut disturbances =
        if records.is_simulated() { Vec::new() } else { host::conditions::disturbances(&records.environment) };
    if transfers::only_files(records) {
        // The measured files are not in the target file, so its size does not matter.
        disturbances.retain(|finding| finding.code != "memory_larger_than_target");
    }
    findings.extend(disturbances);
    findings.extend(host::conditions::tool(&records.tool));
    // The findings of these verdicts are among the recorded ones below.
    verdicts.extend(recorded);
    let metrics = metrics::all(records, &verdicts);
    findings.extend(curve::findings(records, &metrics));
    findings.extend(scores::findings(records, &metrics));
    findings.extend(acceptance::of_methodology(records, &metrics));
    let mut findings = with_recorded(findings, &records.findings);
    // Within a severity, answers come first.
    findings.sort_by_key(|finding| std::cmp::Reverse((finding.severity, finding.answers)));
    let mut analysis = Analysis {
        analysis_version: ANALYSIS_VERSION,
        metrics,
        findings,
        limits: limits::all(records),
        checked: None,
        suitability: None,
    };
    // It is derived from metrics and a note, so it comes after findings of higher severity.
    let feed = together::feed_of_run(records, &analysis);
    analysis.findings.extend(feed);
    let printed = data_sheet::findings(records, &analysis);
    analysis.findings.extend(printed);
    analysis.checked = buyer::of_run(records, &analysis);
    analysis
}

/// Findings about the run as a whole.
fn of_run(records: &RunRecords) -> Vec<Finding> {
    let mut findings = conduct::of_run(records);
    findings.extend(rounds::findings(records));
    findings.extend(conduct::cool_downs(records));
    findings.extend(telemetry::silent_meters(&records.telemetry));
    findings.extend(others::not_judged_below(records));
    let places = |load: &Workload| !load.placement_handles().is_empty();
    let counted = !records.plan.steps().filter_map(Step::workload).any(places);
    findings.extend(sensors::of_series(&records.telemetry, counted));
    findings.extend(search::findings(records));
    findings.extend(transfers::findings(records));
    findings.extend(state::findings(records));
    findings.extend(capacity::findings(records));
    findings
}

/// Readings of a drive over time that cannot be true (a stuck sensor, counters that decreased); part of [`analyse`],
/// and by itself for series without a run.
#[must_use]
pub fn lies(recorded: &Recorded) -> Vec<Finding> {
    sensors::of_series(recorded, true)
}

/// The user's meters without any reading, and why, if that is known; part of [`analyse`], and by itself for series
/// without a run.
#[must_use]
pub fn silent_meters(recorded: &Recorded) -> Option<Finding> {
    telemetry::silent_meters(recorded)
}

/// The speed of a preparation, and what limited it, changes no result, so such findings become notes. Faults in a
/// preparation (errors, wrong data) keep their severity.
fn notes_of_preparation(records: &RunRecords, finding: &mut Finding) {
    let about_rates = generator::ACCOUNT.iter().any(|check| check.finding.code == finding.code);
    let measured = finding.steps.iter().any(|key| values::is_measured(records, &key.step));
    if about_rates && !measured && !finding.steps.is_empty() && finding.severity == Severity::Warning {
        finding.severity = Severity::Note;
    }
}

/// Adds the findings recorded during the run. If a computed and a recorded finding have the same code, the computed one
/// is newer and stays, unless the recorded one has more evidence (the session may have measured what analysis cannot
/// see). Of two recorded findings with the same code, steps and severity, the later counts, because a resumed run
/// checks again. The later also counts if both judge the same preparation, which was repeated.
fn with_recorded(mut findings: Vec<Finding>, recorded: &[Finding]) -> Vec<Finding> {
    let mut noted_only: Vec<Finding> = Vec::new();
    let computed: Vec<usize> = findings.iter().map(|finding| finding.evidence.len()).collect();
    for noted in recorded {
        let again = |one: &&mut Finding| {
            (&one.code, &one.steps, one.severity) == (&noted.code, &noted.steps, noted.severity)
                || state::judge_one_preparation(one, noted)
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
