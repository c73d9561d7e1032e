//! Renders everything that is wrong with a methodology: each error with the line of the file that it refers to.
//!
//! Owns the only code that knows the snippet renderer. Must not know: what the keys mean.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use drivelab_core::excerpt::{self, Excerpt};

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::texts::Texts;

/// Widest line of a rendered message; longer source lines are cut around the caret.
const WIDTH: usize = 120;

/// Everything that is wrong with a methodology file, or with using it on a target. Never empty.
///
/// Printed, it names `file:line:column`, shows the line with a caret, and states what was expected.
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

    /// The errors in the order of the file, followed by those of included files; only the first ones if there are
    /// very many.
    #[must_use]
    pub fn all(&self) -> &[Diagnostic] {
        &self.all
    }

    /// Where the errors are: the one file, included file or setting that contains all of them, otherwise the file as
    /// it was given.
    #[must_use]
    pub fn file_name(&self) -> &str {
        let mut files = self.all.iter().map(|one| self.file_of(one));
        let only = files.next().filter(|first| files.all(|file| file == *first));
        only.unwrap_or(self.texts.first().0)
    }

    /// The file that an error is in: this file or an included one.
    #[must_use]
    pub fn file_of(&self, one: &Diagnostic) -> &str {
        self.texts.find(one.span()).0
    }

    /// Line and column of an error's beginning in its file, both counted from 1, columns in characters.
    #[must_use]
    pub fn line_and_column(&self, one: &Diagnostic) -> (usize, usize) {
        let (_, text, at) = self.texts.find(one.span());
        excerpt::line_and_column(text, at.start)
    }

    /// The text for people: each error with `file:line:column`, its line, a caret and what was expected. If there are
    /// very many, the first [`excerpt::MOST_SHOWN`] and the number of the others.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(WIDTH);
        let shown = self.all.iter().take(excerpt::MOST_SHOWN);
        let texts: Vec<String> = shown.map(|one| self.render_one(&renderer, one)).collect();
        texts.join("\n\n") + &excerpt::and_more(self.count())
    }

    fn render_one(&self, renderer: &Renderer, one: &Diagnostic) -> String {
        let (file, text, at) = self.texts.find(one.span());
        let Excerpt { line, number, span } = Excerpt::of(text, &at);
        let place = AnnotationKind::Primary.span(span).label(one.label());
        let snippet = Snippet::source(line).line_start(number).path(file).annotation(place);
        let group = Level::ERROR.primary_title(one.title()).element(snippet);
        let group = group.elements(one.advice().iter().map(|text| Level::HELP.message(text.as_str())));
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
