//! The definitions of a file by kind and name, and the definitions that a parameter names.
//!
//! Owns names, `*` and ranges in them. Must not know: what definitions are used for.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Bound;

use drivelab_core::excerpt::shortened;

use super::lines::{Entry, Param};
use crate::State;
use crate::notes::Fate;
use crate::wrong::{LONGEST, Mistake};

/// All definitions of a file.
pub(super) struct Defined<'e>(BTreeMap<&'e str, Kind<'e>>);

/// The definitions of one kind.
#[derive(Default)]
struct Kind<'e> {
    /// In the order of the file.
    all: Vec<&'e Entry>,
    /// The indices of the definitions with each name.
    names: BTreeMap<&'e str, Vec<usize>>,
    /// The list of them in a mistake, shortened if it is long.
    help: OnceCell<String>,
}

impl<'e> Defined<'e> {
    pub(super) fn of(entries: &'e [Entry]) -> Defined<'e> {
        let mut kinds: BTreeMap<&str, Kind<'_>> = BTreeMap::new();
        for entry in entries {
            let kind = kinds.entry(&entry.kind).or_default();
            kind.names.entry(&entry.name).or_default().push(kind.all.len());
            kind.all.push(entry);
        }
        Defined(kinds)
    }

    /// Whether a definition of this kind exists.
    pub(super) fn any(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// The definitions of a kind that a parameter names; all of them without a parameter.
    pub(super) fn named(&self, param: Option<&Param>, kind: &str, state: &mut State) -> Vec<&'e Entry> {
        let none = Kind::default();
        let all = self.0.get(kind).unwrap_or(&none);
        let Some(param) = param else { return all.all.clone() };
        state.notes.say(&param.place, &param.written, Fate::Carried, "");
        let mut found: Vec<&Entry> = Vec::new();
        for pattern in &param.values {
            let mut hits = all.matches(pattern);
            if hits.is_empty() {
                hits = all.range(pattern).unwrap_or_default();
            }
            if hits.is_empty() {
                let title = format!("no {kind} is called '{pattern}'");
                let label = "expected the name of a definition";
                state.mistakes.push(Mistake::new(&param.place, title, label, all.help()));
            }
            found.extend(hits);
        }
        found
    }
}

impl<'e> Kind<'e> {
    /// The definitions with this name, or with the text before and after a `*`, in the order of the file.
    fn matches(&self, pattern: &str) -> Vec<&'e Entry> {
        let mut places: Vec<usize> = match pattern.split_once('*') {
            Some((before, after)) => {
                let from: (Bound<&str>, Bound<&str>) = (Bound::Included(before), Bound::Unbounded);
                let begun = self.names.range::<str, _>(from).take_while(|(name, _)| name.starts_with(before));
                begun.filter(|(name, _)| name.ends_with(after)).flat_map(|(_, places)| places).copied().collect()
            }
            None => self.names.get(pattern).cloned().unwrap_or_default(),
        };
        places.sort_unstable();
        places.into_iter().map(|at| self.all[at]).collect()
    }

    /// The definitions in a range such as `sd1-sd8`: all from the first to the last, in the order of the file.
    fn range(&self, pattern: &str) -> Option<Vec<&'e Entry>> {
        let (first, last) = pattern.split_once('-')?;
        let at = |name: &str| self.names.get(name.trim())?.first().copied();
        Some(self.all.get(at(first)?..=at(last)?)?.to_vec())
    }

    fn help(&self) -> &str {
        self.help.get_or_init(|| {
            let names: Vec<&str> = self.all.iter().map(|entry| entry.name.as_str()).collect();
            shortened(&format!("those that are defined: {}", names.join(", ")), LONGEST)
        })
    }
}
