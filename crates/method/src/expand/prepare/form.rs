//! A step of `[[prepare]]` with the values of a form in place of its own.
//!
//! Must not know: what the step does.

use drivelab_core::plan::Form;

use crate::tree::marks::{MARKS, Mark, mark_in};
use crate::tree::value::{Entry, Located, Table, Value};

/// Two ways to state when a step ends: a form that states one of them replaces the other.
const TIME_OR_PASSES: [&str; 2] = ["time", "passes"];

/// A step with the values of its form in place of its own; marks follow the values.
pub(crate) fn in_form(step: &Table, base: Form, shortened: bool) -> Table {
    let mut whole = step.clone();
    let Some(form) = step.table("forms").and_then(|forms| forms.table(base.name())) else { return whole };
    let is_mark = |name: &str| MARKS.contains(&name);
    let marks = |table: &Table, kind: &str| table.table(kind).cloned().unwrap_or_default();
    let in_faithful = shortened.then(|| in_form(step, Form::Faithful, false));
    let faithful = |name: &str| in_faithful.as_ref().and_then(|step| mark_in(step, name)).unwrap_or(Mark::Unmarked);
    let mut kinds: Vec<(&str, Table)> = MARKS.iter().map(|mark| (*mark, marks(step, mark))).collect();
    for (name, entry) in form.entries.iter().filter(|(name, _)| !is_mark(name)) {
        let ends = TIME_OR_PASSES.iter().filter(|_| TIME_OR_PASSES.contains(&name.as_str()));
        for old in ends.copied().chain([name.as_str()]) {
            whole.entries.remove(old);
            kinds.iter_mut().for_each(|(_, marks)| drop(marks.entries.remove(old)));
        }
        whole.entries.insert(name.clone(), entry.clone());
        if shortened && !MARKS.iter().any(|mark| marks(form, mark).has(name)) {
            let Mark::Approximation(reason) = Mark::shortened(&faithful(name)) else { continue };
            let value = Located { value: Value::Text(reason), at: entry.value.at.clone() };
            let mark = Entry { key_at: entry.key_at.clone(), value };
            let ours = kinds.iter_mut().find(|(kind, _)| *kind == "approximation");
            ours.into_iter().for_each(|(_, marks)| drop(marks.entries.insert(name.clone(), mark.clone())));
        }
    }
    for (kind, mut all) in kinds {
        all.entries.extend(marks(form, kind).entries);
        let value = Located { value: Value::Table(all), at: step.at.clone() };
        whole.entries.insert(kind.to_owned(), Entry { key_at: step.at.clone(), value });
    }
    whole
}
