//! Places in a text that a person wrote: what of a span can be shown under a caret, and its line and column.
//!
//! Spans are bytes and may come from anywhere: they may end behind the text or inside a character.

use std::ops::Range;

/// The span cut to its first line, inside the text and on the borders of characters.
#[must_use]
pub fn visible(text: &str, at: &Range<usize>) -> Range<usize> {
    let start = floor_char(text, at.start);
    let end = floor_char(text, at.end.max(start));
    let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |length| start + length);
    start..end.min(line_end).max(start)
}

/// Line and column of a byte, both from 1, columns in characters.
#[must_use]
pub fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..floor_char(text, at)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The largest border of a character that is not behind `index`.
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

    proptest! {
        #[test]
        fn any_span_of_any_text_can_be_shown(text in "[a\nä\r]{0,12}", start in 0_usize..20, end in 0_usize..20) {
            let shown = visible(&text, &(start..end));
            prop_assert!(!text[shown].contains('\n'));
            let (line, column) = line_and_column(&text, start);
            prop_assert!(line <= text.lines().count() + 1 && column <= text.chars().count() + 1);
        }
    }
}
