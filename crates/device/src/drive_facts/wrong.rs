//! Mistakes in a drive facts file, shown like mistakes in a methodology: file, line, column, a caret, advice.
//!
//! Owns the text of such errors. Must not know: what the keys mean.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use drivelab_core::excerpt::{self, Excerpt};

/// Widest line of a message; longer source lines are cut around the caret.
const WIDTH: usize = 120;
/// Longest sentence about a mistake, in characters.
const LONGEST: usize = 1000;

/// One mistake and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Byte range in the file.
    pub at: Range<usize>,
    /// What is wrong.
    pub title: String,
    /// What to do, or what is expected.
    pub help: String,
}

/// Why drive facts are not available.
#[derive(Debug)]
pub enum FactsError {
    /// The file or folder cannot be read.
    Unreadable {
        /// Which.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The file is wrong.
    Wrong {
        /// Its name in messages.
        file: String,
        /// Its text.
        text: String,
        /// The mistakes; never empty.
        mistakes: Vec<Mistake>,
    },
}

impl FactsError {
    pub(super) fn unreadable(path: &Path, source: io::Error) -> Self {
        FactsError::Unreadable { path: path.to_owned(), source }
    }

    /// The mistakes; none if the file could not be read.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        match self {
            FactsError::Unreadable { .. } => &[],
            FactsError::Wrong { mistakes, .. } => mistakes,
        }
    }

    /// Line and column of a mistake, both from 1, columns in characters.
    #[must_use]
    pub fn line_and_column(&self, mistake: &Mistake) -> (usize, usize) {
        let FactsError::Wrong { text, .. } = self else { return (1, 1) };
        excerpt::line_and_column(text, mistake.at.start)
    }

    /// The message for people.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        match self {
            FactsError::Unreadable { path, source } => {
                let advice = match source.kind() {
                    io::ErrorKind::NotFound => "check the path for a typing error",
                    io::ErrorKind::InvalidData => "a drive facts file is text (TOML, UTF-8)",
                    _ => "check that it is a file that you may read",
                };
                format!("cannot read the drive facts {}: {source}; {advice}", path.display())
            }
            FactsError::Wrong { file, text, mistakes } => {
                let renderer = if color { Renderer::styled() } else { Renderer::plain() };
                let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(WIDTH);
                let one = |mistake: &Mistake| {
                    let Excerpt { line, number, span } = Excerpt::of(text, &mistake.at);
                    let [title, help] = [&mistake.title, &mistake.help].map(|text| excerpt::shortened(text, LONGEST));
                    let snippet = Snippet::source(line)
                        .line_start(number)
                        .path(file.as_str())
                        .annotation(AnnotationKind::Primary.span(span));
                    let group = Level::ERROR.primary_title(title).element(snippet);
                    renderer.render(&[group.element(Level::HELP.message(help))])
                };
                let shown = mistakes.iter().take(excerpt::MOST_SHOWN);
                shown.map(one).collect::<Vec<_>>().join("\n\n") + &excerpt::and_more(mistakes.len())
            }
        }
    }
}

impl fmt::Display for FactsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for FactsError {}
