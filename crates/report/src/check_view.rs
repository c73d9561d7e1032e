//! The buyer's answer in the reports of a run that checked a drive: the verdict and the six answers.
//!
//! Every word is `analysis::buyer`'s; this lays them out for the page, Markdown and the table of a terminal.

use std::fmt::Write as _;

use drivelab_analysis::buyer::{Answer, Checked, Standing};

use crate::markdown::{escape, heading, line};
use crate::{ReportInput, check, prose};

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

fn more(answer: &Answer) -> Vec<String> {
    let action = Some(answer.next_action.clone()).filter(|action| !action.is_empty());
    answer.sure().into_iter().chain(action).collect()
}

/// The verdict and a row for each answer; with everything that they rest on where `long`.
pub(crate) fn markdown(text: &mut String, input: &ReportInput<'_>, long: bool) {
    let Some(Checked { verdict, answers }) = &input.analysis.checked else { return };
    line(text, &format!("**{}**\n", escape(&verdict.text)));
    line(text, "| Question | | Answer |\n| --- | --- | --- |");
    for answer in answers {
        let (title, word) = (answer.question.title(), answer.standing.word());
        line(text, &format!("| {title} | {word} | {} |", prose::markdown(&answer.text)));
    }
    text.push('\n');
    if !long {
        return;
    }
    heading(text, 2, "What the answers rest on");
    for answer in answers {
        let mut row = format!("- {}: ", answer.question.title());
        let parts: Vec<String> = answer.evidence.iter().map(|one| escape(one)).collect();
        let more = more(answer).iter().map(|one| prose::markdown(one)).collect::<Vec<_>>().join(" ");
        let _ = write!(row, "{}{}{more}", parts.join("; "), if parts.is_empty() { "" } else { ". " });
        line(text, row.trim_end());
    }
    text.push('\n');
}

/// The lines of a terminal's table.
pub(crate) fn terminal(input: &ReportInput<'_>, width: usize) -> Vec<String> {
    let Some(checked) = &input.analysis.checked else { return Vec::new() };
    let verdict = check::wrapped(&checked.verdict.text, 0, width);
    let answers = check::short(checked, width, usize::MAX);
    verdict.lines().chain(answers.lines()).map(str::to_owned).collect()
}
