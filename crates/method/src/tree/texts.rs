//! The texts of a methodology: its file, included files, what was set on the command line.
//!
//! The texts have consecutive ranges of places, so a place in a checked tree or an error identifies its text. Must
//! not know: what the texts contain.

use std::ops::Range;
use std::sync::Arc;

/// One text with its place in the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    /// What messages call it: the name of the file as it was given.
    pub(crate) name: String,
    pub(crate) text: Arc<str>,
    /// Its first place.
    pub(crate) base: usize,
}

/// All of them, the file itself first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Texts(Vec<Text>);

impl Texts {
    /// Adds a text and returns its first place.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> usize {
        let base = self.0.last().map_or(0, |last| last.base + last.text.len() + 1);
        self.0.push(Text { name: name.to_owned(), text: text.into(), base });
        base
    }

    /// The text that contains a place, and the place in it; an empty text if there are no texts.
    pub(crate) fn find(&self, at: &Range<usize>) -> (&str, &str, Range<usize>) {
        match self.0.iter().rev().find(|text| text.base <= at.start) {
            Some(found) => (&found.name, &found.text, at.start - found.base..at.end.saturating_sub(found.base)),
            None => ("", "", 0..0),
        }
    }

    pub(crate) fn first(&self) -> (&str, &str) {
        self.0.first().map_or(("", ""), |text| (text.name.as_str(), &*text.text))
    }

    /// All texts after the first.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Text> {
        self.0.iter().skip(1)
    }
}
