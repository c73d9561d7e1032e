//! One error that points into a methodology file: where it is, what is wrong, what was expected, what to do.
//!
//! Owns how long its texts may be. Must not know: files, how it is printed, what the keys mean.

use std::ops::Range;

use drivelab_core::excerpt;

/// Longest title or label that is shown whole, in characters. A longer one contains a long value and is shortened
/// like a value.
const LONGEST_LINE: usize = 240;

/// Longest advice in characters; an advice may list all keys of a table.
const LONGEST_HELP: usize = 4000;

/// One error: where it is, what is wrong, what was expected, what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    title: String,
    at: Range<usize>,
    label: String,
    help: Vec<String>,
    about: Option<&'static str>,
}

impl Diagnostic {
    pub(crate) fn new(at: Range<usize>, title: impl Into<String>, label: impl Into<String>) -> Self {
        let (title, label) = (title.into(), label.into());
        let [title, label] = [title, label].map(|text| {
            let is_long = text.len() > LONGEST_LINE && text.char_indices().nth(LONGEST_LINE).is_some();
            if is_long { excerpt::shortened(&text, excerpt::LONGEST_SHOWN) } else { text }
        });
        Diagnostic { title, at, label, help: Vec::new(), about: None }
    }

    #[must_use]
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(excerpt::shortened(&text.into(), LONGEST_HELP));
        self
    }

    /// Names the key that the error is about, if that key is elsewhere or missing.
    #[must_use]
    pub(crate) const fn about(mut self, key: &'static str) -> Self {
        self.about = Some(key);
        self
    }

    /// The error moved this many bytes further.
    #[must_use]
    pub(crate) fn moved(mut self, by: usize) -> Self {
        self.at = self.at.start + by..self.at.end + by;
        self
    }

    /// Adds "did you mean" if there is a near match.
    #[must_use]
    pub(crate) fn near(self, near: Option<&str>) -> Self {
        match near {
            Some(word) => self.help(format!("did you mean `{word}`?")),
            None => self,
        }
    }

    /// What is wrong, one line.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What was expected there.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The key that it is about, if that key is missing or elsewhere in the file than [`Self::span`].
    #[must_use]
    pub const fn key(&self) -> Option<&'static str> {
        self.about
    }

    /// What to do about it.
    #[must_use]
    pub fn advice(&self) -> &[String] {
        &self.help
    }

    /// The byte range of the file that it is about.
    #[must_use]
    pub const fn span(&self) -> &Range<usize> {
        &self.at
    }
}
