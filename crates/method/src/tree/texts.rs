//! The texts that a methodology is made of: its file, the files that it includes, what was set on the command line.
//!
//! Each text has a range of places of its own, one after the other, so that a place in a checked tree or an error says
//! which text it is in. Must not know: what the texts say.

use std::ops::Range;
use std::sync::Arc;

/// One text with its place among the others.
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
    /// Adds a text, and gives its first place.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> usize {
        let base = self.0.last().map_or(0, |last| last.base + last.text.len() + 1);
        self.0.push(Text { name: name.to_owned(), text: text.into(), base });
        base
    }

    /// The text that a place is in, and the place in it; of no texts an empty one.
    pub(crate) fn find(&self, at: &Range<usize>) -> (&str, &str, Range<usize>) {
        match self.0.iter().rev().find(|text| text.base <= at.start) {
            Some(found) => (&found.name, &found.text, at.start - found.base..at.end.saturating_sub(found.base)),
            None => ("", "", 0..0),
        }
    }

    pub(crate) fn first(&self) -> (&str, &str) {
        self.0.first().map_or(("", ""), |text| (text.name.as_str(), &*text.text))
    }

    /// All behind the first.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Text> {
        self.0.iter().skip(1)
    }
}
