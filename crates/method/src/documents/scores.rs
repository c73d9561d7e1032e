//! What documents show about scores: each like a test, its parts as a formula.

use drivelab_core::plan::Form;

use crate::documents::about::{AboutKind, Parameter, TestAbout, ValueInForm};
use crate::expand::scores::figure;
use crate::tree::marks::{MARKS, Mark, mark_in};
use crate::tree::value::{Table, text_of};

/// The file's scores, for documents, each like a test called `score-NAME`; identical in every form.
pub(crate) fn about(root: &Table, forms: &[Form]) -> Vec<TestAbout> {
    root.tables("scores").iter().map(|score| one_about(score, forms)).collect()
}

fn one_about(score: &Table, forms: &[Form]) -> TestAbout {
    const TEXTS: [&str; 5] = ["name", "title", "sources", "unit", "over"];
    let stated = score.entries.keys().filter(|key| !TEXTS.contains(&key.as_str()) && !MARKS.contains(&key.as_str()));
    let parameter = |key: &String| {
        let value = match key.as_str() {
            "parts" => formula(score),
            _ => score.get(key).map_or_else(String::new, |found| text_of(&found.value)),
        };
        let mark = mark_in(score, key).unwrap_or(Mark::Unmarked);
        let in_form = |form: &Form| ValueInForm { form: *form, value: Some(value.clone()), mark: mark.clone() };
        Parameter { part: None, name: key.clone(), forms: forms.iter().map(in_form).collect() }
    };
    TestAbout {
        kind: AboutKind::Score,
        name: format!("score-{}", score.text("name")),
        title: format!("Score: {}", score.text("title")),
        purpose: "Computed from the figures of steps above.".to_owned(),
        sources: score.list("sources").iter().map(|id| id.value.to_string()).collect(),
        parameters: stated.map(parameter).collect(),
    }
}

/// The parts on one line: `0.1 × read.throughput of seq/seq-16m-q1t1-read`.
fn formula(score: &Table) -> String {
    let part = |part: &Table| {
        let weight = part.get("weight").map(|found| format!("{} × ", found.value)).unwrap_or_default();
        let steps: Vec<String> = part.list("steps").iter().map(|step| step.value.to_string()).collect();
        let of = if steps.is_empty() { "all steps".to_owned() } else { steps.join(", ") };
        format!("{weight}{} of {}: {of}", figure(part), part.text("test"))
    };
    let parts: Vec<String> = score.tables("parts").iter().map(part).collect();
    let over = if score.has("over") { format!("; over '{}'", score.text("over")) } else { String::new() };
    format!("{}{over}", parts.join(" + "))
}
