//! Where the value of a parameter comes from: the tables of a file from the weakest to the strongest.
//!
//! `[defaults]`, then the test, then the case, then `[forms.F]`, then `[tests.forms.F]`. Owns that order, and the
//! rule that marks follow values: a mark beside a value, or in a stronger table, is about that value.

use drivelab_core::plan::{Approximation, Form};

use crate::keys::{TOGETHER, parameters};
use crate::value::{Located, Table, Value};

/// The tables that speak about one step, weakest first.
#[derive(Debug, Clone)]
pub(crate) struct Layers<'m> {
    tables: Vec<&'m Table>,
    /// For each table, whether it speaks about all tests.
    general: Vec<bool>,
    /// Index of the first table that belongs to a form.
    form_from: usize,
    /// Reason for values of the form's tables that carry no mark of their own.
    shortened: bool,
}

impl<'m> Layers<'m> {
    /// For a test and, where it has cases, one of them, in a declared form.
    pub(crate) fn new(root: &'m Table, test: &'m Table, case: Option<&'m Table>, base: Form) -> Self {
        let form_of = |table: &'m Table| table.table("forms").and_then(|forms| forms.table(base.name()));
        let order = [
            (root.table("defaults"), true, false),
            (Some(test), false, false),
            (case, false, false),
            (form_of(root), true, true),
            (form_of(test), false, true),
        ];
        let there: Vec<(&Table, bool, bool)> =
            order.into_iter().filter_map(|(table, general, form)| Some((table?, general, form))).collect();
        let has_faithful = root.table("forms").is_some_and(|forms| forms.has("faithful"));
        Layers {
            tables: there.iter().map(|(table, ..)| *table).collect(),
            general: there.iter().map(|(_, general, _)| *general).collect(),
            form_from: there.iter().position(|(.., form)| *form).unwrap_or(there.len()),
            shortened: base == Form::Quick && has_faithful,
        }
    }

    /// The strongest value of a parameter, with the index of its table.
    fn place(&self, key: &str) -> Option<(usize, &'m Located<Value>)> {
        let together = together(key);
        let strongest = self.tables.iter().rposition(|table| together.iter().any(|name| table.has(name)))?;
        self.tables[strongest].get(key).map(|value| (strongest, value))
    }

    /// The value of a parameter, where one is stated.
    pub(crate) fn find(&self, key: &str) -> Option<&'m Located<Value>> {
        self.place(key).map(|(_, value)| value)
    }

    /// Whether the value comes from the table of a form.
    pub(crate) fn stated_by_form(&self, key: &str) -> bool {
        self.place(key).is_some_and(|(index, _)| index >= self.form_from)
    }

    /// Whether the value comes from a table that speaks about all tests, so that it need not suit each of them.
    pub(crate) fn is_general(&self, key: &str) -> bool {
        self.place(key).is_some_and(|(index, _)| self.general[index])
    }

    /// Every parameter whose value the source does not state, with the reason.
    pub(crate) fn approximations(&self) -> Vec<Approximation> {
        parameters().filter_map(|key| self.approximation(key.name)).collect()
    }

    fn approximation(&self, name: &str) -> Option<Approximation> {
        let place = self.place(name);
        let replaced = place.is_none() && together(name).iter().any(|other| self.place(other).is_some());
        if replaced {
            return None;
        }
        let from = place.map_or(0, |(index, _)| index);
        for table in self.tables[from..].iter().rev() {
            if let Some(marks) = table.table("approximation").filter(|marks| marks.has(name)) {
                return Some(Approximation { parameter: name.to_owned(), reason: marks.text(name).to_owned() });
            }
            if table.table("source_of").is_some_and(|marks| marks.has(name)) {
                return None;
            }
        }
        let reason = || "shortened for the quick form; the faithful form has the published value".to_owned();
        (self.shortened && from >= self.form_from && place.is_some())
            .then(|| Approximation { parameter: name.to_owned(), reason: reason() })
    }
}

/// The parameters that are replaced together with this one, itself among them.
pub(crate) fn together(key: &str) -> Vec<&str> {
    TOGETHER.iter().find(|group| group.contains(&key)).map_or_else(|| vec![key], |group| group.to_vec())
}
