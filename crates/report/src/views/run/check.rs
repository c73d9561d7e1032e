//! The verdict and the six answers on the page of a run of `drivelab check`.
//!
//! The words come from `analysis::buyer`.

use drivelab_analysis::buyer::{Answer, Checked, Standing};

use crate::figure::input::ReportInput;

/// One answer, for a page.
#[derive(Debug)]
pub(crate) struct AnswerView {
    /// The question.
    pub(crate) title: &'static str,
    /// The result in a word.
    pub(crate) standing: &'static str,
    /// CSS class of its card.
    pub(crate) class: &'static str,
    /// The answer.
    pub(crate) text: String,
    /// What it rests on; empty if it is not known.
    pub(crate) evidence: Vec<String>,
    /// How sure it is, and what to do.
    pub(crate) more: Vec<String>,
}

/// Verdict and answers, for a page.
#[derive(Debug)]
pub(crate) struct CheckView {
    /// The verdict.
    pub(crate) verdict: String,
    /// CSS class of its card.
    pub(crate) class: &'static str,
    /// The answers.
    pub(crate) answers: Vec<AnswerView>,
}

/// Verdict and answers of a run; `None` if it is not a check.
pub(crate) fn of_run(input: &ReportInput<'_>) -> Option<CheckView> {
    let Checked { verdict, answers } = input.analysis.checked.as_ref()?;
    let view = |answer: &Answer| AnswerView {
        title: answer.question.title(),
        standing: answer.standing.word(),
        class: class(answer.standing),
        text: answer.text.clone(),
        evidence: answer.evidence.clone(),
        more: more(answer),
    };
    Some(CheckView {
        verdict: verdict.text.clone(),
        class: class(verdict.standing),
        answers: answers.iter().map(view).collect(),
    })
}

/// The cards look like those of findings, so that bad results stand out.
const fn class(standing: Standing) -> &'static str {
    match standing {
        Standing::Good | Standing::Unknown => "note",
        Standing::Beware => "warning",
        Standing::Bad => "void",
    }
}

pub(crate) fn more(answer: &Answer) -> Vec<String> {
    let action = Some(answer.next_action.clone()).filter(|action| !action.is_empty());
    answer.sure().into_iter().chain(action).collect()
}
