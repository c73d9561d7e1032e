//! The answers to all questions, and the verdict over them.

use drivelab_core::event::RunState;
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;

use super::answer::{Answer, Checked, Question, Standing, Verdict};
use super::known::{Known, Read};
use super::{firmware, genuine, healthy, life, link, old_data};
use crate::analysis::Analysis;

impl<'a> Read<'a> {
    /// What a run of the methodology `check` read.
    #[must_use]
    pub fn of_run(records: &'a RunRecords, analysis: &Analysis) -> Read<'a> {
        Read {
            places: old_data::places(records, analysis),
            small: old_data::small_reads(records, analysis),
            errors: records.steps.iter().map(StepRecord::error_count).sum(),
            content: records.environment.content.as_deref(),
        }
    }
}

/// The name of the methodology whose runs answer a buyer's questions.
const METHOD: &str = "check";

/// Whether a run answers a buyer's questions.
#[must_use]
pub fn is_check(records: &RunRecords) -> bool {
    records.plan.methodology.name == METHOD
}

/// The answers that a run of the methodology `check` gives, from its records alone; `None` for other methodologies
/// and for a run that did not end.
#[must_use]
pub fn of_run(records: &RunRecords, analysis: &Analysis) -> Option<Checked> {
    let over = matches!(records.state, RunState::Complete | RunState::Failed);
    let environment = &records.environment;
    (is_check(records) && over).then(|| {
        let read = Read::of_run(records, analysis);
        let (probe, facts) = (environment.probe.as_deref(), environment.drive_facts.as_deref());
        check(&Known { probe, facts, read: Some(&read), not_read: None })
    })
}

/// Answers every question.
#[must_use]
pub fn check(known: &Known<'_>) -> Checked {
    let answers = vec![
        healthy::answer(known),
        genuine::answer(known),
        link::answer(known),
        firmware::answer(known),
        old_data::answer(known),
        life::answer(known),
    ];
    Checked { verdict: verdict(&answers), answers }
}

/// If any answer is bad, the verdict names only the bad ones. If the health is unknown, the drive cannot be judged.
/// What a buyer should also know follows.
fn verdict(answers: &[Answer]) -> Verdict {
    let problems = |standing: Standing| -> String {
        let of = answers.iter().filter(|answer| answer.standing == standing);
        of.flat_map(|answer| answer.problems.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
    };
    let (bad, beware) = (problems(Standing::Bad), problems(Standing::Beware));
    if !bad.is_empty() {
        return Verdict { standing: Standing::Bad, text: format!("Do not buy: {bad}.") };
    }
    let health = answers.iter().find(|answer| answer.question == Question::Healthy);
    if let Some(unknown) = health.filter(|health| health.standing == Standing::Unknown) {
        let also = if beware.is_empty() { String::new() } else { format!(". What was seen: {beware}") };
        return Verdict {
            standing: Standing::Unknown,
            text: format!("Cannot tell: {}{also}.", unknown.problems.join("; ")),
        };
    }
    if beware.is_empty() {
        return Verdict { standing: Standing::Good, text: "Looks healthy.".to_owned() };
    }
    Verdict { standing: Standing::Beware, text: format!("Looks healthy, but: {beware}.") }
}

#[cfg(test)]
mod tests;
