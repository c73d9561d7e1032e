//! Mistakes in another tool's file: the line with a caret, what was expected, what to do.
//!
//! Must not know: what options mean.

use std::fmt;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use drivelab_core::excerpt::{self, Excerpt, LineStarts};

/// Widest line of a message.
const WIDTH: usize = 120;
/// Longest sentence about a mistake, in characters.
pub(crate) const LONGEST: usize = 1000;

/// A place in the file or in an included one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Which of the texts; the first is the file itself.
    pub(crate) text: usize,
    /// First byte.
    pub(crate) start: usize,
    /// First byte after it.
    pub(crate) end: usize,
}

impl Place {
    pub(crate) fn new(text: usize, range: Range<usize>) -> Place {
        Place { text, start: range.start, end: range.end }
    }
}

/// The text without a byte order mark, and with line feeds as line ends.
#[must_use]
pub fn plain(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n")
}

/// The file and its included files: name and text.
pub(crate) type Texts = Vec<(String, String)>;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    pub(crate) place: Place,
    pub(crate) title: String,
    pub(crate) label: String,
    pub(crate) help: String,
}

impl Mistake {
    pub(crate) fn new(
        place: &Place,
        title: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Mistake { place: place.clone(), title: title.into(), label: label.into(), help: help.into() }
    }

    /// What is wrong.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What was expected there.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }
}

/// Everything that prevents a file from being imported. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    texts: Texts,
    mistakes: Vec<Mistake>,
}

impl Wrong {
    pub(crate) fn new(texts: Texts, mut mistakes: Vec<Mistake>) -> Wrong {
        mistakes.sort_by(|one, other| one.place.cmp(&other.place));
        // The first mistake at a place counts; a second query of the same value finds it wrong again.
        mistakes.dedup_by(|later, first| (&later.place, &later.title) == (&first.place, &first.title));
        Wrong { texts, mistakes }
    }

    /// The mistakes, in the order of the file.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// Line of a mistake, from 1.
    #[must_use]
    pub fn line(&self, mistake: &Mistake) -> usize {
        let place = &mistake.place;
        self.texts.get(place.text).map_or(1, |(_, text)| excerpt::line_and_column(text, place.start).0)
    }

    /// The text for people: each mistake with `file:line:column`, its line and a caret.
    #[must_use]
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(WIDTH);
        let one = |mistake: &Mistake| {
            let Some((name, text)) = self.texts.get(mistake.place.text) else { return mistake.title.clone() };
            let Excerpt { line, number, span } = Excerpt::of(text, &(mistake.place.start..mistake.place.end));
            let [title, label, help] =
                [&mistake.title, &mistake.label, &mistake.help].map(|text| excerpt::shortened(text, LONGEST));
            let snippet = Snippet::source(line)
                .line_start(number)
                .path(name.as_str())
                .annotation(AnnotationKind::Primary.span(span).label(label));
            let group = Level::ERROR.primary_title(title).element(snippet);
            let help = (!help.is_empty()).then(|| Level::HELP.message(help));
            renderer.render(&[group.elements(help)])
        };
        let shown = self.mistakes.iter().take(excerpt::MOST_SHOWN);
        shown.map(one).collect::<Vec<_>>().join("\n\n") + &excerpt::and_more(self.mistakes.len())
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Wrong {}

/// The lines of all texts, for callers that need the lines of many places.
pub(crate) struct Lines(Vec<LineStarts>);

impl Lines {
    pub(crate) fn of(texts: &Texts) -> Lines {
        Lines(texts.iter().map(|(_, text)| LineStarts::of(text)).collect())
    }

    /// Line of a place in its text, from 1.
    pub(crate) fn line(&self, place: &Place) -> usize {
        self.0.get(place.text).map_or(1, |starts| starts.line(place.start))
    }
}
