//! drivelab's own sentences, with commands and names between backticks, for every format: `<code>` on a page, a code
//! span in Markdown, plain words on a terminal.
//!
//! A backtick without a partner, or next to another backtick, is left alone: such text came from outside.

use std::fmt::Write as _;

use crate::figure::escape;

/// A piece of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'t> {
    Words(&'t str),
    Code(&'t str),
}

/// A sentence split at its pairs of backticks.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while let Some((open, close)) = pair(text, at) {
        let Some((words, code)) = text.get(begin..open).zip(text.get(open + 1..close)) else { break };
        pieces.push(Piece::Words(words));
        pieces.push(Piece::Code(code));
        (begin, at) = (close + 1, close + 1);
    }
    pieces.extend(text.get(begin..).map(Piece::Words));
    pieces
}

/// Start and end of the next pair: text without a line break between two single backticks.
fn pair(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_tick = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&b'`');
    let single = |at: &usize| is_tick(Some(*at)) && !is_tick(Some(at + 1)) && !is_tick(at.checked_sub(1));
    let open = (from..bytes.len()).find(single)?;
    let close = (open + 2..bytes.len()).find(single)?;
    let one_line = !text.get(open..close)?.contains(['\n', '\r']);
    if one_line { Some((open, close)) } else { pair(text, close) }
}

/// For a page: everything escaped, code in `<code>`.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let escaped = |out: &mut String, text: &str| {
        for c in text.chars() {
            match c {
                '&' | '<' | '>' | '"' | '\'' => {
                    let _ = write!(out, "&#{};", u32::from(c));
                }
                c => out.push(c),
            }
        }
    };
    for piece in pieces(text) {
        match piece {
            Piece::Words(words) => escaped(&mut out, words),
            Piece::Code(code) => {
                out.push_str("<code>");
                escaped(&mut out, code);
                out.push_str("</code>");
            }
        }
    }
    out
}

/// For Markdown: words escaped, code as a code span.
pub(crate) fn markdown(text: &str) -> String {
    let piece = |piece: Piece<'_>| match piece {
        Piece::Words(words) => escape::markdown(words),
        // Even inside a span, a bar ends a table cell.
        Piece::Code(code) if code.contains('|') => escape::markdown(code),
        Piece::Code(code) => format!("`{code}`"),
    };
    pieces(text).into_iter().map(piece).collect()
}

/// For a terminal: without the backticks.
pub(crate) fn plain(text: &str) -> String {
    let piece = |piece: Piece<'_>| match piece {
        Piece::Words(text) | Piece::Code(text) => text.to_owned(),
    };
    pieces(text).into_iter().map(piece).collect()
}

/// Filters for the templates.
#[expect(unreachable_pub, reason = "askama makes a public item of a filter")]
pub(crate) mod filters {
    use askama::filters::Safe;

    /// A sentence with its code in `<code>`, escaped.
    ///
    /// # Errors
    /// None.
    #[askama::filter_fn]
    pub(crate) fn prose(text: &dyn std::fmt::Display, _: &dyn askama::Values) -> askama::Result<Safe<String>> {
        Ok(Safe(super::html(&text.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_code_and_everything_is_escaped() {
        assert_eq!(html("Use `a <b>` & go"), "Use <code>a &#60;b&#62;</code> &#38; go");
        assert_eq!(html("`a` and `b`."), "<code>a</code> and <code>b</code>.");
        assert_eq!(html("no mark"), "no mark");
        assert_eq!(markdown("Use `x_y` for a*b"), "Use `x_y` for a\\*b");
        assert_eq!(markdown("`a|b`"), "a\\|b");
        assert_eq!(plain("Use `cargo run`."), "Use cargo run.");
    }

    #[test]
    fn marks_that_are_no_pair_stay() {
        for text in ["one ` alone", "``", "a ``b`` c", "`a``b", "`line\nend`", "`", ""] {
            assert_eq!((html(text).as_str(), plain(text).as_str()), (text, text), "{text:?}");
            assert_eq!(markdown(text), escape::markdown(text), "{text:?}");
        }
        assert_eq!(html("`é` x `"), "<code>é</code> x `", "cut between letters");
    }
}
