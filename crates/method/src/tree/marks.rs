//! Where a value comes from: the marks beside values, and whether the sources that they name exist.
//!
//! Must not know: in which order tables are asked (`layers`).

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::{Errors, MOST_KEPT};
use crate::tree::near::nearest;
use crate::tree::value::{Located, Table, Value};

/// Where the value of a parameter comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// The source with this id states it.
    Stated(String),
    /// It follows in this way from what the source states.
    Derived(String),
    /// It is our own choice, for this reason.
    Approximation(String),
    /// Nothing is stated.
    Unmarked,
}

/// The source that stands for the project itself: what it "states" is our own choice.
pub(crate) const OWN: &str = "own";

impl Mark {
    /// The mark of a quick-form value that has none of its own, derived from the faithful form's mark.
    pub(crate) fn shortened(faithful: &Mark) -> Mark {
        let and = match faithful {
            Mark::Stated(source) if source == OWN => "; the faithful form's value is ours too".to_owned(),
            Mark::Stated(_) => "; the faithful form has the published value".to_owned(),
            Mark::Approximation(reason) => format!("; the faithful form's value is ours too: {reason}"),
            Mark::Derived(_) | Mark::Unmarked => String::new(),
        };
        Mark::Approximation(format!("shortened for the quick form{and}"))
    }
}

/// The tables of marks.
pub(crate) const MARKS: [&str; 3] = ["source_of", "derived", "approximation"];

/// The mark in this table itself for a parameter's value.
pub(crate) fn mark_in(table: &Table, name: &str) -> Option<Mark> {
    let of = |key: &str, mark: fn(String) -> Mark| {
        let marks = table.table(key).filter(|marks| marks.has(name))?;
        Some(mark(marks.text(name).to_owned()))
    };
    of("approximation", Mark::Approximation)
        .or_else(|| of("derived", Mark::Derived))
        .or_else(|| of("source_of", Mark::Stated))
}

/// Adds errors for ids of sources that the file does not have.
pub(crate) fn cited(ids: &[Located<Value>], sources: &[&str], errors: &mut Errors) {
    for id in ids {
        let Value::Text(name) = &id.value else { continue };
        if !sources.contains(&name.as_str()) {
            let known = &sources[..sources.len().min(MOST_KEPT)];
            errors.add(&id.at, || {
                let title = format!("there is no source '{name}'");
                let label = format!("expected one of: {}", known.join(", "));
                Diagnostic::new(id.at.clone(), title, label).near(nearest(name, known.iter().copied()))
            });
        }
    }
}

/// Adds the same errors for the sources that a table names for its values.
pub(crate) fn sources_of(table: &Table, sources: &[&str], errors: &mut Errors) {
    for entry in table.table("source_of").iter().flat_map(|marks| marks.entries.values()) {
        cited(std::slice::from_ref(&entry.value), sources, errors);
    }
}
