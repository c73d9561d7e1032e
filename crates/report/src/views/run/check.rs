//! The buyer's answer on the page of a run that checked a drive: the verdict and the six answers.
//!
//! Every word is `analysis::buyer`'s.

use drivelab_analysis::buyer::{Answer, Checked, Standing};

use crate::figure::input::ReportInput;

/// One answer as a page shows it.
#[derive(Debug)]
pub(crate) struct AnswerView {
    /// The question.
    pub(crate) title: &'static str,
    /// How it turned out, in a word.
    pub(crate) standing: &'static str,
    /// The class of its card.
    pub(crate) class: &'static str,
    /// The answer.
    pub(crate) text: String,
    /// What it rests on; empty where it is not known.
    pub(crate) evidence: Vec<String>,
    /// How sure it is, and what to do.
    pub(crate) more: Vec<String>,
}

/// Verdict and answers as a page shows them.
#[derive(Debug)]
pub(crate) struct CheckView {
    /// The line.
    pub(crate) verdict: String,
    /// The class of its card.
    pub(crate) class: &'static str,
    /// The answers.
    pub(crate) answers: Vec<AnswerView>,
}

/// Those of a run; nothing where it is no check.
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

/// Cards are those of findings: what speaks against the drive stands out.
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
