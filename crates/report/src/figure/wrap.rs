//! Text wrapped between words and cut to a width: as lines of a table, or with later lines indented below a column.

use std::fmt::Write as _;

/// Wraps a text between words; continued lines are indented.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::from("  ");
    for word in text.split_whitespace() {
        if current.chars().count() + 1 + word.chars().count() > width && !current.trim().is_empty() {
            lines.push(std::mem::replace(&mut current, "   ".to_owned()));
        }
        if !current.ends_with(' ') {
            current.push(' ');
        }
        current.push_str(word);
    }
    lines.push(current);
    lines
}

/// The first rows of a text; an ellipsis at the end shows that there is more.
pub(crate) fn first_rows(text: &str, indent: usize, width: usize, rows: usize) -> String {
    let whole = indented(text, indent, width);
    if whole.lines().count() <= rows {
        return whole;
    }
    let mut kept: Vec<&str> = whole.lines().take(rows).collect();
    let last = kept.pop().unwrap_or_default();
    // The first row begins after the columns before it.
    let before = if rows == 1 { indent } else { 0 };
    let last = cut(&format!("{last} …"), width.saturating_sub(before));
    kept.into_iter().chain([last.as_str()]).collect::<Vec<_>>().join("\n")
}

/// A text cut to one row.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Wraps a text between words; later lines are indented.
pub(crate) fn indented(text: &str, indent: usize, width: usize) -> String {
    let (mut out, mut column) = (String::new(), indent);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > indent && column + 1 + length > width.max(indent + 20) {
            let _ = write!(out, "\n{:indent$}", "");
            column = indent;
        } else if column > indent {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}
