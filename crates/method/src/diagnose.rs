//! Errors that point into a methodology file, all of them at once.
//!
//! Owns the one place that knows the snippet renderer. Must not know: what the keys mean.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use drivelab_core::excerpt::{self, Excerpt};

use crate::errors::Errors;
use crate::texts::Texts;

/// Widest line of a rendered message; longer source lines are cut around the caret.
const WIDTH: usize = 120;
/// Most characters of a title or a label that is shown whole; of a longer one, which has a long value in it, so much as
/// of a value.
const LONGEST_LINE: usize = 240;
/// Most characters of an advice, which may list all keys of a table.
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

    /// Names the key that it is about, where it stands elsewhere or is missing.
    #[must_use]
    pub(crate) const fn about(mut self, key: &'static str) -> Self {
        self.about = Some(key);
        self
    }

    /// The same so many places further.
    #[must_use]
    pub(crate) fn moved(mut self, by: usize) -> Self {
        self.at = self.at.start + by..self.at.end + by;
        self
    }

    /// Adds "did you mean" where there is a near match.
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

    /// The key that it is about, where it stands elsewhere in the file than [`Self::span`] shows or is missing.
    #[must_use]
    pub const fn key(&self) -> Option<&'static str> {
        self.about
    }

    /// What to do about it.
    #[must_use]
    pub fn advice(&self) -> &[String] {
        &self.help
    }

    /// Bytes of the file that it is about.
    #[must_use]
    pub const fn span(&self) -> &Range<usize> {
        &self.at
    }
}

/// Everything that is wrong with a methodology file, or with using it on a target. Never empty.
///
/// Printed, it names `file:line:column`, shows the line with a caret, and says what was expected.
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostics {
    texts: Arc<Texts>,
    all: Vec<Diagnostic>,
    more: usize,
}

impl Diagnostics {
    pub(crate) fn new(texts: &Arc<Texts>, errors: Errors) -> Self {
        let (all, more) = errors.sorted();
        Diagnostics { texts: Arc::clone(texts), all, more }
    }

    /// How many errors there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.all.len() + self.more
    }

    /// The errors, in the order of the file, behind them those of files that it includes; of very many the first ones.
    #[must_use]
    pub fn all(&self) -> &[Diagnostic] {
        &self.all
    }

    /// Where the errors are: the one file, included file or setting that all of them are in, else the file as it was
    /// given.
    #[must_use]
    pub fn file_name(&self) -> &str {
        let mut files = self.all.iter().map(|one| self.file_of(one));
        let only = files.next().filter(|first| files.all(|file| file == *first));
        only.unwrap_or(self.texts.first().0)
    }

    /// The file that an error is in: this one, or one that it includes.
    #[must_use]
    pub fn file_of(&self, one: &Diagnostic) -> &str {
        self.texts.find(&one.at).0
    }

    /// Line and column of an error's beginning in its file, both from 1, columns in characters.
    #[must_use]
    pub fn line_and_column(&self, one: &Diagnostic) -> (usize, usize) {
        let (_, text, at) = self.texts.find(&one.at);
        excerpt::line_and_column(text, at.start)
    }

    /// The text for people: each error with `file:line:column`, its line, a caret and what was expected; of very many
    /// the first [`excerpt::MOST_SHOWN`] and how many there are more.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(WIDTH);
        let shown = self.all.iter().take(excerpt::MOST_SHOWN);
        let texts: Vec<String> = shown.map(|one| self.render_one(&renderer, one)).collect();
        texts.join("\n\n") + &excerpt::and_more(self.count())
    }

    fn render_one(&self, renderer: &Renderer, one: &Diagnostic) -> String {
        let (file, text, at) = self.texts.find(&one.at);
        let Excerpt { line, number, span } = Excerpt::of(text, &at);
        let place = AnnotationKind::Primary.span(span).label(one.label.as_str());
        let snippet = Snippet::source(line).line_start(number).path(file).annotation(place);
        let group = Level::ERROR.primary_title(one.title.as_str()).element(snippet);
        let group = group.elements(one.help.iter().map(|text| Level::HELP.message(text.as_str())));
        renderer.render(&[group])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostics {}
