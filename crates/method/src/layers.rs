//! Which table a parameter's value comes from: the tables of a file from the weakest to the strongest.
//!
//! The order is `[defaults]`, the test, the case, `[forms.F]`, `[tests.forms.F]`, the chosen profile, and what was
//! set on the command line. Owns that order, and the rule that marks follow values: a mark beside a value, or in a
//! stronger table, applies to that value.

use drivelab_core::plan::{Approximation, Form};

use crate::sources::profile;
use crate::tree::marks::{Mark, mark_in};
use crate::tree::value::{Located, Table, Value};
use crate::vocabulary::alike::together;
use crate::vocabulary::parameters::{RULES, parameters};

/// The key under which a tree holds what was set on the command line; no file can state it.
pub(crate) const SET: &str = "set";

/// Under that key: what was set for all tests.
pub(crate) const OF_ALL: &str = "all";

/// Under that key: what was set for single tests, by name.
pub(crate) const OF_TESTS: &str = "tests";

/// The tables that apply to one step, weakest first.
#[derive(Debug, Clone)]
pub(crate) struct Layers<'m> {
    tables: Vec<&'m Table>,
    /// For each table, whether it applies to all tests.
    general: Vec<bool>,
    /// Index of the first table that belongs to a form.
    form_from: usize,
    /// Index of the first table that was set on the command line.
    set_from: usize,
    /// The faithful form's layers, for the quick form: a value that the quick form shortens needs no mark of its own.
    faithful: Option<Box<Layers<'m>>>,
}

impl<'m> Layers<'m> {
    /// For a test in a declared form and, if the test has cases, for one of them.
    pub(crate) fn new(root: &'m Table, test: &'m Table, case: Option<&'m Table>, base: Form) -> Self {
        let set = root.table(SET);
        let form_of = |table: &'m Table| table.table("forms").and_then(|forms| forms.table(base.name()));
        let order = [
            (root.table("defaults"), true, false),
            (Some(test), false, false),
            (case, false, false),
            (form_of(root), true, true),
            (form_of(test), false, true),
            (profile::chosen(root), true, true),
            (set.and_then(|set| set.table(OF_ALL)), true, true),
            (set.and_then(|set| set.table(OF_TESTS)?.table(test.text("name"))), false, true),
        ];
        let set_count = order[order.len() - 2..].iter().filter(|(table, ..)| table.is_some()).count();
        let there: Vec<(&Table, bool, bool)> =
            order.into_iter().filter_map(|(table, general, form)| Some((table?, general, form))).collect();
        let has_faithful = root.table("forms").is_some_and(|forms| forms.has("faithful"));
        Layers {
            tables: there.iter().map(|(table, ..)| *table).collect(),
            general: there.iter().map(|(_, general, _)| *general).collect(),
            form_from: there.iter().position(|(.., form)| *form).unwrap_or(there.len()),
            set_from: there.len() - set_count,
            faithful: (base == Form::Quick && has_faithful)
                .then(|| Box::new(Layers::new(root, test, case, Form::Faithful))),
        }
    }

    /// The strongest value of a parameter, with the index of its table.
    fn place(&self, key: &str) -> Option<(usize, &'m Located<Value>)> {
        let together = together(key);
        let strongest = self.tables.iter().rposition(|table| together.iter().any(|name| table.has(name)))?;
        self.tables[strongest].get(key).map(|value| (strongest, value))
    }

    /// The value of a parameter, if one is stated.
    pub(crate) fn find(&self, key: &str) -> Option<&'m Located<Value>> {
        self.place(key).map(|(_, value)| value)
    }

    /// The word of a parameter, if one is stated.
    pub(crate) fn word(&self, key: &str) -> Option<&'static str> {
        match self.find(key)?.value {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether the value comes from the table of a form.
    pub(crate) fn stated_by_form(&self, key: &str) -> bool {
        self.place(key).is_some_and(|(index, _)| index >= self.form_from)
    }

    /// Whether the value was set on the command line.
    pub(crate) fn is_set(&self, key: &str) -> bool {
        self.place(key).is_some_and(|(index, _)| index >= self.set_from)
    }

    /// The parameter set on the command line that states the same thing in another way.
    pub(crate) fn set_instead(&self, key: &'static str) -> Option<&'static str> {
        together(key).iter().copied().find(|other| *other != key && self.is_set(other))
    }

    /// Whether the value comes from a table that applies to all tests, so that it need not suit each of them.
    pub(crate) fn is_general(&self, key: &str) -> bool {
        self.place(key).is_some_and(|(index, _)| self.general[index])
    }

    /// Every parameter whose value the source does not state, with the reason.
    pub(crate) fn approximations(&self) -> Vec<Approximation> {
        parameters().map(|key| key.name).chain(RULES).filter_map(|name| self.approximation(name)).collect()
    }

    fn approximation(&self, name: &str) -> Option<Approximation> {
        match self.mark(name) {
            Mark::Approximation(reason) => Some(Approximation { parameter: name.to_owned(), reason }),
            Mark::Stated(_) | Mark::Derived(_) | Mark::Unmarked => None,
        }
    }

    /// The origin of a parameter's value, or the mark on a parameter that nobody states.
    pub(crate) fn mark(&self, name: &str) -> Mark {
        let place = self.place(name);
        let replaced = place.is_none() && together(name).iter().any(|other| self.place(other).is_some());
        if replaced {
            return Mark::Unmarked;
        }
        let from = place.map_or(0, |(index, _)| index);
        if let Some(mark) = self.tables[from..].iter().rev().find_map(|table| mark_in(table, name)) {
            return mark;
        }
        match &self.faithful {
            Some(faithful) if from >= self.form_from && place.is_some() => Mark::shortened(&faithful.mark(name)),
            _ => Mark::Unmarked,
        }
    }
}
