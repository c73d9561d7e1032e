//! What documents show about conditions and several drives: each table like a test.

use std::collections::BTreeSet;

use drivelab_core::plan::Form;

use crate::documents::about::{AboutKind, Parameter, TestAbout, ValueInForm};
use crate::methodology::Methodology;
use crate::target::conditions::tables;
use crate::tree::marks::{MARKS, Mark, mark_in};
use crate::tree::value::{Table, text_of};

/// What the tables state, for documents, each like a test; tables that the file does not have are left out.
pub(crate) fn about(method: &Methodology, forms: &[Form]) -> Vec<TestAbout> {
    let one = |name: &str, title: &str, purpose: &str| {
        let stated: BTreeSet<&str> = forms
            .iter()
            .flat_map(|form| tables(method, *form, name))
            .flat_map(|table| table.entries.keys().map(String::as_str))
            .filter(|key| !MARKS.contains(key))
            .collect();
        let parameter = |key: &&str| Parameter {
            part: None,
            name: (*key).to_owned(),
            forms: forms.iter().filter_map(|form| value_in(&tables(method, *form, name), key, *form)).collect(),
        };
        (!stated.is_empty()).then(|| TestAbout {
            kind: AboutKind::Around,
            name: name.to_owned(),
            title: title.to_owned(),
            purpose: purpose.to_owned(),
            sources: Vec::new(),
            parameters: stated.iter().map(parameter).collect(),
        })
    };
    let conditions = one("conditions", "Conditions", "Under which conditions is it measured?");
    let drives =
        one("drives", "Several drives", "How are several targets measured, and what is computed from their rates?");
    conditions.into_iter().chain(drives).collect()
}

/// The value of a key in a form with its mark: from its own table, or from the form's table.
fn value_in(tables: &[&Table], key: &str, form: Form) -> Option<ValueInForm> {
    let value = tables.iter().find_map(|table| table.get(key)).map(|found| text_of(&found.value))?;
    let from = tables.iter().position(|table| table.has(key))?;
    let mark = tables[..=from].iter().find_map(|table| mark_in(table, key)).unwrap_or(Mark::Unmarked);
    Some(ValueInForm { form, value: Some(value), mark })
}
