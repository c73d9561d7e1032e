//! The values of one load: looked up first in a group or a preparation step, then among the axes' picks and in the
//! layers of a test.
//!
//! Owns the rule for details that do not fit the load. A detail in a table about this load alone is refused. A detail
//! from `[defaults]` or `[forms.F]`, or one that a group takes over from its test, is ignored for this load.

use std::ops::Range;

use drivelab_core::units::{Bytes, Nanos, Percent};

use crate::layers::Layers;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::rate::AskedRate;
use crate::tree::value::{Located, Table, Value};
use crate::vocabulary::alike::together;

/// One combination: the case and the values picked from the lists.
#[derive(Debug, Clone)]
pub(crate) struct Pick<'m> {
    pub(crate) case: Option<&'m Table>,
    pub(crate) values: Vec<(&'static str, &'m Located<Value>)>,
}

impl<'m> Pick<'m> {
    /// The value of a parameter in this combination.
    pub(crate) fn find(&self, layers: &Layers<'m>, key: &str) -> Option<&'m Located<Value>> {
        let picked = self.values.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        picked.or_else(|| layers.find(key))
    }
}

/// Where the values of one load are.
#[derive(Debug, Clone)]
pub(crate) struct Values<'a, 'm> {
    /// What messages call the load.
    pub(crate) name: &'m str,
    /// Place of messages about the load as a whole.
    pub(crate) name_at: Range<usize>,
    /// The strongest table: a group, or a preparation step.
    pub(crate) own: Option<&'m Table>,
    /// The tables of a test, and what its axes picked.
    pub(crate) test: Option<(&'a Layers<'m>, &'a Pick<'m>)>,
}

impl<'m> Values<'_, 'm> {
    pub(crate) fn find(&self, key: &str) -> Option<&'m Located<Value>> {
        match self.own {
            Some(own) if together(key).iter().any(|name| own.has(name)) => own.get(key),
            _ => self.test.and_then(|(layers, pick)| pick.find(layers, key)),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'m Value> {
        self.find(key).map(|found| &found.value)
    }

    /// Where the value is, or the load's name if the value is the language's default.
    pub(crate) fn at(&self, key: &str) -> Range<usize> {
        self.find(key).map_or_else(|| self.name_at.clone(), |found| found.at.clone())
    }

    pub(crate) fn time(&self, key: &str) -> Option<Nanos> {
        match self.get(key)? {
            Value::Time(time) => Some(*time),
            _ => None,
        }
    }

    pub(crate) fn whole(&self, key: &str) -> Option<u64> {
        match self.get(key)? {
            Value::Whole(whole) => Some(*whole),
            _ => None,
        }
    }

    /// A share; zero if none is stated.
    pub(crate) fn percent(&self, key: &str) -> Percent {
        self.whole(key).and_then(|percent| Percent::new(percent).ok()).unwrap_or(Percent::ZERO)
    }

    pub(crate) fn size(&self, key: &str) -> Option<Bytes> {
        match self.get(key)? {
            Value::Size(size) => Some(*size),
            _ => None,
        }
    }

    pub(crate) fn rate(&self, key: &str) -> Option<AskedRate> {
        match self.get(key)? {
            Value::Rate(rate) => Some(*rate),
            _ => None,
        }
    }

    /// The word of a key; empty if none is stated.
    pub(crate) fn word(&self, key: &str) -> &'static str {
        match self.get(key) {
            Some(Value::Word(word)) => word,
            _ => "",
        }
    }

    pub(crate) fn table(&self, key: &str) -> Option<&'m Table> {
        match self.get(key)? {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn tables(&self, key: &str) -> &'m [Table] {
        match self.get(key) {
            Some(Value::Tables(tables)) => tables,
            _ => &[],
        }
    }

    pub(crate) fn list(&self, key: &str) -> &'m [Located<Value>] {
        match self.get(key) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }

    /// Whether the value applies to other loads too, so that it need not fit this one: to all tests or, for a group,
    /// to the test that it belongs to.
    pub(crate) fn is_general(&self, key: &str) -> bool {
        match self.own {
            Some(own) => !together(key).iter().any(|name| own.has(name)),
            None => self.test.is_some_and(|(layers, _)| layers.is_general(key)),
        }
    }

    /// Whether a stated detail applies. A detail that does not fit (`misfit` gives the reason) is an error if it was
    /// stated for this load, and ignored if it was stated for all loads.
    pub(crate) fn holds(&self, key: &str, misfit: Option<&str>, errors: &mut Errors) -> bool {
        let Some(why) = misfit else { return true };
        if self.get(key).is_some() && !self.is_general(key) {
            let title = format!("`{key}` does not apply to the load '{}'", self.name);
            errors.push(Diagnostic::new(self.at(key), title, why));
        }
        false
    }

    /// Like [`Self::holds`], for something that is not a detail: `title` states what is impossible.
    pub(crate) fn refuses(&self, key: &str, title: &str, misfit: Option<&str>, errors: &mut Errors) -> bool {
        let Some(why) = misfit else { return false };
        if !self.is_general(key) {
            errors.push(Diagnostic::new(self.at(key), format!("the load '{}' {title}", self.name), why));
        }
        true
    }

    /// The error that nobody states this parameter and the language has no default for it.
    pub(crate) fn missing(&self, key: &'static str) -> Diagnostic {
        let title = format!("'{}' does not say `{key}`", self.name);
        let label = format!("expected `{key}` in this test, in its cases or in [defaults]");
        Diagnostic::new(self.name_at.clone(), title, label).about(key)
    }
}
