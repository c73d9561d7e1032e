//! The run in words: state, findings, interruptions, what its figures do not show, definitions.

use std::collections::BTreeSet;

use drivelab_analysis::metric_def;
use drivelab_core::event::RunState;
use drivelab_core::finding::{Evidence, Finding, Severity};
use drivelab_core::metric::{Class, MetricDef};
use drivelab_core::plan::{Form, OWN_LOAD, OnError, Plan, Step, StopRule, TestPlan};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::Workload;

use crate::figure::input::ReportInput;
use crate::figure::{cells, format, prose};

/// What a form means for comparisons.
pub(crate) fn form_note(input: &ReportInput<'_>) -> &'static str {
    let plan = &input.records.plan;
    let smaller = |one: &&Finding| matches!(one.code.as_str(), "target_smaller" | "scratch_file_smaller");
    match plan.form {
        _ if plan.methodology.name == OWN_LOAD => "one load as given by its flags, no published method",
        Form::Faithful if input.analysis.findings.iter().any(|one| smaller(&one)) => {
            "parameters and durations as stated, on a smaller area than stated"
        }
        Form::Quick if !plan.longest_form => "shortened, same tests",
        Form::Faithful | Form::Quick => "parameters and durations as stated, nothing shortened",
        Form::Smoke => "a moment per step, not usable for comparison",
    }
}

/// What the methodology does, in its own words, which describe its longest form.
pub(crate) fn summary(input: &ReportInput<'_>) -> String {
    let plan = &input.records.plan;
    let shorter = match plan.form {
        _ if plan.methodology.name == OWN_LOAD => "",
        Form::Smoke => " This run used the smoke form: each step ran only for a moment, whatever is described here.",
        Form::Quick if !plan.longest_form => {
            " This run used the quick form: its times and volumes may be smaller than described here."
        }
        Form::Faithful | Form::Quick => "",
    };
    format!("{}{shorter}", plan.summary.trim_end())
}

/// The version that the author gave the methodology; a load given by flags has none.
pub(crate) fn version(plan: &Plan) -> &str {
    if plan.methodology.name == OWN_LOAD { "" } else { &plan.methodology.version }
}

/// State in a word.
pub(crate) const fn state_word(state: RunState) -> &'static str {
    state.name()
}

/// Severity in a word.
#[must_use]
pub const fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Void => "void",
    }
}

/// Pieces of evidence that a page or a long text shows behind a finding.
pub(crate) const MOST_EVIDENCE: usize = 8;

/// The evidence behind a finding in words: at most `most` pieces, and at the end how many more there are.
pub(crate) fn evidence(finding: &Finding, most: usize) -> Vec<String> {
    let mut shown: Vec<String> = finding.evidence.iter().take(most).map(evidence_text).collect();
    match finding.evidence.len().saturating_sub(most) {
        0 => {}
        more => shown.push(format!("and {more} more in the JSON report")),
    }
    shown
}

/// Whether anything limits how far to trust the figures, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Warned {
    /// `1 failed check, 2 warnings`.
    pub(crate) count: String,
    /// The first sentence of the most serious one.
    pub(crate) most_serious: String,
}

/// Failed checks and warnings of a run; `None` if there are only notes.
pub(crate) fn warned(input: &ReportInput<'_>) -> Option<Warned> {
    warned_among(&input.analysis.findings)
}

/// The failed checks among findings, then the warnings.
pub(crate) fn warnings(findings: &[Finding]) -> Vec<&Finding> {
    let mut warnings: Vec<&Finding> = findings.iter().filter(|finding| finding.severity > Severity::Note).collect();
    warnings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    warnings
}

/// Failed checks and warnings among findings; `None` if there are only notes.
pub(crate) fn warned_among(findings: &[Finding]) -> Option<Warned> {
    let findings = warnings(findings);
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let kinds = [(count(Severity::Void), "failed check"), (count(Severity::Warning), "warning")];
    let counts = kinds.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| format::counted(count, noun));
    let before = if findings.len() > 1 { "The most serious: " } else { "" };
    let statement = &findings.first()?.statement;
    let first = statement.find(". ").map_or(statement.as_str(), |end| &statement[..=end]);
    let most_serious = format!("{before}{first}");
    Some(Warned { count: counts.collect::<Vec<_>>().join(", "), most_serious })
}

/// A piece of evidence in words: `load average: 4.20 (limit 1.00)`; bytes as `8 MiB`.
fn evidence_text(evidence: &Evidence) -> String {
    let unit = cells::unit_text(&evidence.unit);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number of bytes")]
    let value = |value: f64| match &*evidence.unit {
        "B" if value >= 0.0 && value.fract() == 0.0 => format::short_bytes(Bytes::new(value as u64)),
        unit_id => format!("{} {unit}", format::value(value, unit_id)).trim_end().to_owned(),
    };
    let limit = evidence.limit.map_or_else(String::new, |limit| format!(" (limit {})", value(limit)));
    format!("{}: {}{limit}", evidence.what, value(evidence.value))
}

/// What the results do not show: as the methodology states, and what was not measured in this run.
pub(crate) fn cannot_tell(input: &ReportInput<'_>) -> String {
    let own = input.records.plan.cannot_tell.trim();
    let end = if own.is_empty() || own.ends_with(['.', '!', '?']) { "" } else { "." };
    let own = format!("{own}{end}");
    let sentences = std::iter::once(own.as_str()).chain(drivelab_analysis::not_measured(input.records));
    sentences.filter(|sentence| !sentence.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The steps that a finding is about, by label; the whole run if it names none.
pub(crate) fn about(input: &ReportInput<'_>, finding: &Finding) -> String {
    let steps: BTreeSet<_> = finding.steps.iter().map(|key| &key.step).collect();
    let label = |id| input.records.plan.step(id).map_or_else(|| id.to_string(), |step: &Step| step.label.clone());
    match steps.len() {
        0 => "the whole run".to_owned(),
        1..=6 => steps.into_iter().map(label).collect::<Vec<_>>().join(", "),
        many => format!("{many} steps"),
    }
}

/// The answers to the methodology's question; an answer about some of its tests begins with their titles.
pub(crate) fn answers(input: &ReportInput<'_>) -> Vec<String> {
    let tests = &input.records.plan.tests;
    let answer = |finding: &&Finding| {
        let about =
            |test: &&TestPlan| test.steps.iter().any(|step| finding.steps.iter().any(|key| key.step == step.id));
        let titles: Vec<&str> = tests.iter().filter(about).map(|test| test.title.as_str()).collect();
        let statement = prose::plain(&finding.statement);
        if titles.is_empty() { statement } else { format!("{}: {statement}", titles.join("; ")) }
    };
    findings(input).iter().filter(|finding| finding.answers).map(answer).collect()
}

/// The findings of the analysis, including those noted during the run, the most severe first.
pub(crate) fn findings<'a>(input: &ReportInput<'a>) -> Vec<&'a Finding> {
    let mut findings: Vec<&Finding> = input.analysis.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// Interruptions and how the run continued, a sentence each.
pub(crate) fn breaks(input: &ReportInput<'_>) -> Vec<String> {
    let text = |one: &drivelab_core::run::Break| {
        let at = format::duration(Nanos::new(one.at_ns));
        let resumed = one.resumed.as_ref().map_or_else(
            || "It was not resumed.".to_owned(),
            |resumed| {
                let again = if resumed.prepared_again { "preparation was repeated" } else { "preparation was kept" };
                format!(
                    "Resumed {} with drivelab {}: {}; {again}; {} finished executions were kept.",
                    resumed.resumed, resumed.tool.version, resumed.target_state, resumed.kept_steps
                )
            },
        );
        format!("After {at} of run time: {}. {resumed}", one.cause.trim_end_matches('.'))
    };
    input.records.breaks.iter().map(text).collect()
}

/// Steps that failed, a sentence each.
pub(crate) fn failures(input: &ReportInput<'_>) -> Vec<String> {
    input.records.failed_steps.iter().map(|failed| format!("{}: {}", failed.key, failed.error)).collect()
}

/// When a step ends, in words: `after 5.0 s, at most 1 h`. Work on files ends with the files, a replay with its trace.
#[must_use]
pub fn stop_text(workload: &Workload, stop: &StopRule) -> String {
    let StopRule { time, volume, passes, at_least, operations, coverage, errors, cap } = *stop;
    let whole = match (&workload.files, &workload.places) {
        (Some(_), _) => "every file",
        (None, Some(_)) => "every place",
        (None, None) => "whole span",
    };
    let parts = [
        time.map(|time| format!("after {}", format::duration(time))),
        volume.map(|volume| format!("after {volume}")),
        passes.map(|passes| if passes == 1 { format!("{whole} once") } else { format!("{whole} {passes} times") }),
        operations.map(|count| {
            format!(
                "after {}",
                if count == 1 { "1 operation".to_owned() } else { format!("{} operations", format::count(count)) }
            )
        }),
        coverage.map(|percent| format!("{percent} % of the span's blocks touched")),
        workload.replay.as_ref().map(|_| "at the end of the trace".to_owned()),
    ];
    let rule = parts.into_iter().flatten().collect::<Vec<_>>().join(" or ");
    let least = at_least.map(|least| format!("at least {}", format::duration(least)));
    let errors = match errors {
        OnError::Tolerate => None,
        OnError::Stop => Some("at the first error".to_owned()),
        OnError::Keep => Some("continues after errors".to_owned()),
    };
    let most = format!("at most {}", format::duration(cap));
    let all = [Some(rule).filter(|rule| !rule.is_empty()), least, errors, Some(most)];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Parameters that the source does not state, each once with the steps it concerns.
pub(crate) fn approximations(input: &ReportInput<'_>) -> Vec<String> {
    let mut all: Vec<(String, Vec<&str>)> = Vec::new();
    for step in input.records.plan.steps() {
        for one in &step.approximations {
            let text = format!("{}: {}", one.parameter, one.reason);
            match all.iter_mut().find(|(known, _)| *known == text) {
                Some((_, steps)) => steps.push(&step.label),
                None => all.push((text, vec![&step.label])),
            }
        }
    }
    let shown = |(text, steps): (String, Vec<&str>)| match steps.as_slice() {
        [one] => format!("{text} ({one})"),
        [first, .., last] => format!("{text} ({} steps, from {first} to {last})", steps.len()),
        [] => text,
    };
    all.into_iter().map(shown).collect()
}

/// Definitions of the metrics that the run has, in the order of the table of metrics.
pub(crate) fn definitions(inputs: &[ReportInput<'_>]) -> Vec<&'static MetricDef> {
    let used: BTreeSet<&str> =
        inputs.iter().flat_map(|input| &input.analysis.metrics).map(|metric| metric.id.as_str()).collect();
    drivelab_analysis::METRICS.iter().filter(|def| used.contains(def.id)).collect()
}

/// Stated in the telemetry section, so it is no headline figure.
const COST_OF_WATCHING: &str = "run.telemetry_cpu";

/// The figures of the whole run, as pairs of name and value.
pub(crate) fn run_figures(input: &ReportInput<'_>) -> Vec<(String, String)> {
    let of_run = |id: &str| metric_def(id).is_some_and(|def| def.meaning.class == Class::Run);
    let whole = input.analysis.metrics.iter().filter(|metric| of_run(&metric.id) && metric.id != COST_OF_WATCHING);
    let shown = |metric: &drivelab_core::metric::Metric| {
        let title = metric_def(&metric.id).map_or_else(|| metric.id.clone(), |def| def.title.to_owned());
        (title, format!("{} {}", cells::metric_cell(input, metric).text, cells::unit_text(&metric.unit)))
    };
    whole.map(shown).collect()
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_core::ids::StepKey;
    use drivelab_samples::sample_run;

    use super::*;

    #[test]
    fn only_a_shorter_form_than_the_described_one_is_called_shorter() {
        let mut records = sample_run();
        let mut words = |form: Form, longest: bool| {
            (records.plan.form, records.plan.longest_form) = (form, longest);
            let analysis = analyse(&records);
            let input = ReportInput { records: &records, analysis: &analysis };
            (summary(&input), form_note(&input).to_owned())
        };
        let (text, note) = words(Form::Quick, false);
        assert!(text.contains("the quick form") && note.contains("shortened"), "{text} {note}");
        // A methodology that has only this form describes it.
        let (text, note) = words(Form::Quick, true);
        assert!(!text.contains("quick form") && note.contains("nothing shortened"), "{text} {note}");
        assert!(words(Form::Smoke, false).0.contains("the smoke form"));
        assert!(!words(Form::Faithful, true).0.contains("form"));
    }

    #[test]
    fn an_answer_begins_with_the_tests_that_it_is_about() {
        let records = sample_run();
        let mut analysis = analyse(&records);
        let test = |name: &str| records.plan.tests.iter().find(|test| test.name == name).expect("a test");
        let keys = ["corners", "depths"].map(|name| StepKey { step: test(name).steps[0].id.clone(), round: 1 });
        let answer = Finding { answers: true, steps: keys.to_vec(), ..analysis.findings[0].clone() };
        let statement = prose::plain(&answer.statement);
        analysis.findings = vec![answer];
        let said = |analysis: &drivelab_analysis::Analysis| answers(&ReportInput { records: &records, analysis });
        let titles = [&test("corners").title, &test("depths").title];
        assert_eq!(said(&analysis), [format!("{}; {}: {statement}", titles[0], titles[1])]);
        analysis.findings[0].steps.clear();
        assert_eq!(said(&analysis), [statement], "about the whole run");
    }

    #[test]
    fn evidence_in_bytes_is_rounded_and_other_figures_keep_their_unit() {
        let text = |value: f64, unit: &str, limit: Option<f64>| {
            evidence_text(&Evidence { what: "it".to_owned(), value, unit: unit.to_owned(), limit })
        };
        assert_eq!(text(8_388_608.0, "B", Some(25_276_059_648.0)), "it: 8 MiB (limit 25.28 GB)");
        assert_eq!(text(46.34, "%", Some(10.0)), "it: 46.34 % (limit 10.00 %)");
        assert_eq!(text(0.5, "B", None), "it: 0.50 B");
    }
}
