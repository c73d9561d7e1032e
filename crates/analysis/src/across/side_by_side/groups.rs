//! Which runs may stand side by side.
//!
//! Unlike runs (another content of the methodology, another form, the smoke form, other conditions than arm and power
//! state) are never put in one table; the reason is said.

use drivelab_core::plan::Form;

use super::align::{Aligned, align};
use super::differences::{Difference, differences};
use crate::digest::Digest;

/// Several runs, as far as they may be compared. Runs are named by their place, from 0.
#[derive(Debug, Clone)]
pub struct SideBySide<'d> {
    /// Groups of two runs or more that may be compared, each with the places of its runs.
    pub groups: Vec<Alike<'d>>,
    /// Why the rest may not.
    pub refused: Vec<Refused>,
}

/// Runs that may be compared.
#[derive(Debug, Clone)]
pub struct Alike<'d> {
    /// Their places.
    pub places: Vec<usize>,
    /// Their steps.
    pub aligned: Aligned<'d>,
    /// What differs besides the drive.
    pub differences: Vec<Difference>,
}

/// Runs that are not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The smoke form is for tests only.
    Smoke(usize),
    /// These differ from those in what decides.
    Unlike {
        /// Places of the runs.
        runs: Vec<usize>,
        /// Places of the runs that they are held against: those like the first.
        than: Vec<usize>,
        /// In what they differ.
        because: Vec<Refusal>,
    },
}

/// What keeps runs from being compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The content of the methodology.
    Method,
    /// The form: of these runs, and of the others.
    Form(Form, Form),
    /// What was set up around the target: of these runs, and of the others.
    Conditions(String, String),
}

/// What must be equal for two runs to stand in one table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    method: String,
    form: Form,
    conditions: String,
}

impl Key {
    fn of(digest: &Digest) -> Key {
        let facts = digest.run.environment.condition.as_ref();
        let on_file = facts.and_then(|facts| facts.series.as_ref()).is_some_and(|series| series.loop_on_file);
        let device = if on_file { ", on a loop device on a file" } else { "" };
        Key {
            method: digest.run.method.hash.clone(),
            form: digest.run.form,
            conditions: format!("{}{device}", digest.condition().ground()),
        }
    }

    /// In what it differs from another; nothing where it does not.
    fn refusals(&self, other: &Key) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        if self.method != other.method {
            refusals.push(Refusal::Method);
        }
        if self.form != other.form {
            refusals.push(Refusal::Form(self.form, other.form));
        }
        if self.conditions != other.conditions {
            refusals.push(Refusal::Conditions(self.conditions.clone(), other.conditions.clone()));
        }
        refusals
    }
}

/// Sorts runs into groups that may be compared.
#[must_use]
pub fn side_by_side<'d>(digests: &[&'d Digest]) -> SideBySide<'d> {
    let mut groups: Vec<(Key, Vec<usize>)> = Vec::new();
    let mut refused = Vec::new();
    for (place, digest) in digests.iter().enumerate() {
        let key = Key::of(digest);
        if key.form == Form::Smoke {
            refused.push(Refused::Smoke(place));
            continue;
        }
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, places)) => places.push(place),
            None => groups.push((key, vec![place])),
        }
    }
    if let Some(((first, than), others)) = groups.split_first() {
        refused.extend(others.iter().map(|(key, runs)| Refused::Unlike {
            runs: runs.clone(),
            than: than.clone(),
            because: key.refusals(first),
        }));
    }
    let several = groups.into_iter().map(|(_, places)| places).filter(|places| places.len() > 1);
    let alike = several.map(|places| {
        let members: Vec<&'d Digest> = places.iter().filter_map(|place| digests.get(*place).copied()).collect();
        Alike { aligned: align(&members), differences: differences(&members), places }
    });
    SideBySide { groups: alike.collect(), refused }
}
