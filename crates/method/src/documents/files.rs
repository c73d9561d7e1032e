//! What documents show about a test on files: its steps, and the file sets that they work on.

use drivelab_core::plan::Form;

use crate::documents::about::{Parameter, ValueInForm};
use crate::load::file_sets::SetTable;
use crate::tree::marks::{Mark, mark_in};
use crate::tree::value::{Table, text_of};
use crate::vocabulary::files::SET;

/// What documents show about a test on files: its steps, then the file sets that they work on.
pub(crate) fn about(root: &Table, test: &Table, forms: &[Form]) -> Vec<Parameter> {
    let steps = test.tables("files").iter().map(|step| {
        let of = if step.has("of") { step.text("of") } else { "original" };
        let mark = mark_in(step, "work").or_else(|| mark_in(test, "work")).unwrap_or(Mark::Unmarked);
        let value = Some(format!("{} of {of}", step.text("work")));
        let in_form = |form: &Form| ValueInForm { form: *form, value: value.clone(), mark: mark.clone() };
        let part = Some(step.text("set").to_owned());
        Parameter { part, name: "work".to_owned(), forms: forms.iter().map(in_form).collect() }
    });
    let used = |set: &&Table| test.tables("files").iter().any(|step| step.text("set") == set.text("name"));
    let sets = root.tables("file_sets").iter().filter(used).flat_map(|set| {
        SET.iter().filter_map(|key| {
            let in_form = |form: &Form| {
                let table = SetTable::in_form(root, set, *form);
                let value = text_of(&table.of(key.name).get(key.name)?.value);
                Some(ValueInForm { form: *form, value: Some(value), mark: table.mark(key.name) })
            };
            let forms: Vec<ValueInForm> = forms.iter().filter_map(in_form).collect();
            let part = Some(format!("set {}", set.text("name")));
            (!forms.is_empty()).then(|| Parameter { part, name: key.name.to_owned(), forms })
        })
    });
    steps.chain(sets).collect()
}
