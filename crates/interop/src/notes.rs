//! What became of the options of another tool's file: the list that an import hands over beside the methodology.
//!
//! Owns that nothing is dropped silently: an option is carried over, or it has a note. Must not know: any tool.

use std::collections::BTreeMap;

use crate::wrong::{Place, Texts, line};

/// What became of an option; the later ones are worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It stands in the methodology.
    Carried,
    /// It says nothing about the load: logs, names, reports.
    NoEffect,
    /// It stands in the methodology and means something slightly different there.
    Changed,
    /// It is not in the methodology, and the load differs by that.
    Lost,
}

/// What became of one option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file, where it is an included one.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: usize,
    /// The option as written.
    pub option: String,
    /// What became of it.
    pub fate: Fate,
    /// Why, and what stands in its place.
    pub why: String,
}

impl Note {
    /// `line 12: fsync=8: why`.
    #[must_use]
    pub fn text(&self) -> String {
        let file = self.file.as_ref().map(|file| format!("{file} ")).unwrap_or_default();
        format!("{file}line {}: {}: {}", self.line, self.option, self.why)
    }
}

/// The options of a file with what became of them; the worst that any job says of an option stands.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    options: BTreeMap<Place, (String, Fate, Vec<String>)>,
}

impl Notes {
    /// Says what became of an option.
    pub(crate) fn say(&mut self, place: &Place, option: &str, fate: Fate, why: impl Into<String>) {
        let entry = self.options.entry(place.clone()).or_insert_with(|| (option.to_owned(), fate, Vec::new()));
        let why = why.into();
        if fate > entry.1 {
            (entry.1, entry.2) = (fate, Vec::new());
        }
        if fate == entry.1 && !why.is_empty() && !entry.2.contains(&why) {
            entry.2.push(why);
        }
    }

    /// Whether something was said of it.
    pub(crate) fn knows(&self, place: &Place) -> bool {
        self.options.contains_key(place)
    }

    /// Options that stand in the methodology, with a difference or without.
    pub(crate) fn carried(&self) -> usize {
        self.options.values().filter(|(_, fate, _)| matches!(fate, Fate::Carried | Fate::Changed)).count()
    }

    /// All that are not simply carried over.
    pub(crate) fn list(&self, texts: &Texts) -> Vec<Note> {
        let told = self.options.iter().filter(|(_, (_, fate, _))| *fate != Fate::Carried);
        told.map(|(place, (option, fate, why))| Note {
            file: (place.text > 0).then(|| texts.get(place.text).map(|(name, _)| name.clone())).flatten(),
            line: line(texts, place),
            option: option.clone(),
            fate: *fate,
            why: why.join("; "),
        })
        .collect()
    }
}
