//! Where the references of an article are: `{{ … }}` within a line, outside code.

use std::ops::Range;

use super::prose;

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// Words.
    Text(&'t str),
    /// Code, in which nothing is replaced.
    Code(&'t str),
    /// What stands between the braces of a reference.
    Reference(&'t str),
    /// The rest of a line from braces that do not end.
    Open(&'t str),
}

impl Piece<'_> {
    /// Line breaks in it.
    pub(super) fn breaks(&self) -> usize {
        match self {
            Piece::Text(text) | Piece::Code(text) | Piece::Open(text) => text.matches('\n').count(),
            Piece::Reference(_) => 0,
        }
    }
}

/// The place of the next sign from `from` on. The last one that was found is kept, so that a text is searched once.
fn next(body: &str, sign: &str, from: usize, last: &mut Option<usize>) -> Option<usize> {
    if last.is_some_and(|at| at < from) {
        *last = body.get(from..).and_then(|rest| rest.find(sign)).map(|at| from + at);
    }
    *last
}

/// The pieces of a body, in order and without a gap.
pub(super) fn pieces(body: &str) -> Vec<Piece<'_>> {
    let text = |range: Range<usize>| body.get(range).unwrap_or_default();
    let mut code = prose::code(body).into_iter().peekable();
    let (mut begins, mut ends) = (body.find("{{"), body.find("}}"));
    let mut out = Vec::new();
    let mut at = 0;
    while at < body.len() {
        // Backticks within a reference begin no code.
        while code.next_if(|range| range.start < at).is_some() {}
        let begin = next(body, "{{", at, &mut begins);
        let first_code = code.peek().map(|range| range.start);
        let stop = begin.into_iter().chain(first_code).min().unwrap_or(body.len());
        if stop > at {
            out.push(Piece::Text(text(at..stop)));
        }
        at = stop;
        if first_code == Some(stop) {
            let range = code.next().unwrap_or(stop..body.len());
            out.push(Piece::Code(text(range.clone())));
            at = range.end.max(stop + 1);
        } else if begin == Some(stop) {
            let inside = next(body, "}}", stop + 2, &mut ends).map(|end| text(stop + 2..end));
            match inside.filter(|inside| !inside.contains('\n')) {
                Some(inside) => {
                    out.push(Piece::Reference(inside));
                    at = stop + 2 + inside.len() + 2;
                }
                None => {
                    let line = text(stop..body.len()).split('\n').next().unwrap_or_default();
                    out.push(Piece::Open(line));
                    at = stop + line.len();
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_outside_code_and_code_is_told_as_markdown_tells_it() {
        use Piece::{Code, Open, Reference, Text};
        assert_eq!(pieces("a {{ b }} c"), [Text("a "), Reference(" b "), Text(" c")]);
        assert_eq!(pieces("{{a}}{{b}}"), [Reference("a"), Reference("b")]);
        assert_eq!(pieces("`{{ a }}` {{ b }}"), [Code("`{{ a }}`"), Text(" "), Reference(" b ")]);
        assert_eq!(pieces("`{{ a }} {{ b }}`"), [Code("`{{ a }} {{ b }}`")]);
        assert_eq!(pieces("``{{ a ` }}`` x"), [Code("``{{ a ` }}``"), Text(" x")]);
        // A backtick within a reference begins no code.
        assert_eq!(pieces("{{ a` }} {{ b` }}"), [Reference(" a` "), Text(" "), Reference(" b` ")]);
        assert_eq!(pieces("a {{ b\n{{ c }}"), [Text("a "), Open("{{ b"), Text("\n"), Reference(" c ")]);
        assert_eq!(pieces("{{ b"), [Open("{{ b")]);
        let blocks = "```\n{{ a }}\n```\n\n    {{ b }}\n\n```x``` {{ c }}\n";
        let found: Vec<Piece<'_>> = pieces(blocks).into_iter().filter(|one| matches!(one, Reference(_))).collect();
        assert_eq!(found, [Reference(" c ")]);
        let whole: usize = pieces(blocks).iter().map(Piece::breaks).sum();
        assert_eq!(whole, blocks.matches('\n').count());
    }
}
