//! Places in a text written by a user: the part of a span that can be marked with a caret, its line and column, and
//! limits on the output for texts with very many mistakes or very long values.
//!
//! Spans are in bytes and may be invalid: they may end after the text or inside a character. A renderer gets an
//! [`Excerpt`], never the whole text, because it would search all of it for each mistake.

use std::ops::Range;

/// Most mistakes of one text that are shown; the others are counted.
pub const MOST_SHOWN: usize = 50;
/// Most characters shown of a value.
pub const LONGEST_SHOWN: usize = 200;

/// The line in which a span begins, cut after at most [`LONGEST_SHOWN`] characters from the start of the span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The line, without its line ending.
    pub line: String,
    /// Its number, from 1.
    pub number: usize,
    /// The part of the span that is shown, in bytes of `line`.
    pub span: Range<usize>,
}

impl Excerpt {
    /// The excerpt around a span.
    #[must_use]
    pub fn of(text: &str, at: &Range<usize>) -> Excerpt {
        let seen = visible(text, at);
        let start = text[..seen.start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[seen.start..].find(['\n', '\r']).map_or(text.len(), |length| seen.start + length);
        let longest = text[seen.start..line_end].char_indices().nth(LONGEST_SHOWN).map(|(at, _)| seen.start + at);
        let end = longest.unwrap_or(line_end);
        let more = if longest.is_some() { "…" } else { "" };
        let number = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
        let span = seen.start - start..seen.end.min(end) - start;
        Excerpt { line: format!("{}{more}", &text[start..end]), number, span }
    }
}

/// A sentence about a mistake, with long words cut and at most `most` characters in total.
#[must_use]
pub fn shortened(sentence: &str, most: usize) -> String {
    if sentence.len() <= most.min(LONGEST_SHOWN) {
        return sentence.to_owned();
    }
    let cut = |text: &str, most: usize| match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    };
    let words: Vec<String> = cut(sentence, most).split(' ').map(|word| cut(word, LONGEST_SHOWN)).collect();
    words.join(" ")
}

/// The text after the mistakes that are shown; nothing if all of them are.
#[must_use]
pub fn and_more(count: usize) -> String {
    match count.saturating_sub(MOST_SHOWN) {
        0 => String::new(),
        1 => "\n\nand 1 more mistake".to_owned(),
        more => format!("\n\nand {more} more mistakes"),
    }
}

/// The span, cut to its first line, inside the text and on character boundaries.
#[must_use]
pub fn visible(text: &str, at: &Range<usize>) -> Range<usize> {
    let start = floor_char(text, at.start);
    let end = floor_char(text, at.end.max(start));
    let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |length| start + length);
    start..end.min(line_end).max(start)
}

/// Start of each line of a text, for looking up the lines of many places.
#[derive(Debug, Clone)]
pub struct LineStarts(Vec<usize>);

impl LineStarts {
    /// The line starts of a text.
    #[must_use]
    pub fn of(text: &str) -> LineStarts {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        LineStarts(std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect())
    }

    /// The line of a byte, from 1, as [`line_and_column`] gives it.
    #[must_use]
    pub fn line(&self, at: usize) -> usize {
        self.0.partition_point(|start| *start <= at)
    }
}

/// Line and column of a byte, both from 1, columns in characters.
#[must_use]
pub fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..floor_char(text, at)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The largest character boundary that is not after `index`.
fn floor_char(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_span_ends_with_its_line_and_a_column_counts_characters() {
        let text = "a = 1\r\nä = \"x\ny\"\n";
        assert_eq!(visible(text, &(0..9)), 0..5, "the first line, without its end");
        let value = text.find('"').expect("a quote");
        assert_eq!(&text[visible(text, &(value..text.len()))], "\"x");
        assert_eq!((line_and_column(text, 0), line_and_column(text, value)), ((1, 1), (2, 5)));
        assert_eq!(visible(text, &(8..8)), 7..7, "inside of ä");
        assert_eq!(visible(text, &(99..120)), text.len()..text.len());
    }

    #[test]
    fn an_excerpt_is_one_line_and_no_more_of_a_value_than_is_shown() {
        let text = format!("a = 1\nlong = \"{}\"\nb = 2\n", "ä".repeat(5000));
        let excerpt = Excerpt::of(&text, &(13..text.len() - 7));
        assert_eq!((excerpt.number, excerpt.span.start), (2, 7));
        assert_eq!(excerpt.line.chars().count(), 7 + LONGEST_SHOWN + 1, "and a sign that there is more");
        assert_eq!(excerpt.line[excerpt.span].chars().count(), LONGEST_SHOWN);
        let short = Excerpt::of(&text, &(0..1));
        assert_eq!(short, Excerpt { line: "a = 1".to_owned(), number: 1, span: 0..1 });
        let end = Excerpt::of(&text, &(text.len()..text.len()));
        assert_eq!(end, Excerpt { line: String::new(), number: 4, span: 0..0 });
        assert_eq!(shortened(&format!("a {} b", "x".repeat(5000)), 5000).chars().count(), 2 + 201);
        assert_eq!(shortened(&"x ".repeat(5000), 240).chars().count(), 241);
    }

    proptest! {
        #[test]
        fn any_span_of_any_text_can_be_shown(text in "[a\nä\r]{0,12}", start in 0_usize..20, end in 0_usize..20) {
            let shown = visible(&text, &(start..end));
            let shown_length = shown.len();
            prop_assert!(!text[shown].contains('\n'));
            let (line, column) = line_and_column(&text, start);
            prop_assert_eq!(LineStarts::of(&text).line(start), line);
            let excerpt = Excerpt::of(&text, &(start..end));
            prop_assert!(excerpt.number == line && excerpt.line[excerpt.span].len() == shown_length);
            prop_assert!(line <= text.lines().count() + 1 && column <= text.chars().count() + 1);
        }
    }
}
