//! Rule *sizes*: files that a person can remember, lines that fit a screen, no large blobs in git.

use super::Complaint;
use crate::source::SourceFile;

/// Most lines of product code in a file (tests not counted), from style.md rule 4.
const MAX_FILE_LINES: usize = 600;
/// Longest line of a Rust or TypeScript file, in characters; rustfmt is set to the same width.
const MAX_LINE: usize = 120;
/// Longest line with a string in it: a message on a single line can be found by searching for it, and rustfmt leaves
/// it alone.
const MAX_LINE_WITH_TEXT: usize = 160;
/// Largest file.
const MAX_BLOB: u64 = 1 << 20;

/// Checks one file.
pub(crate) fn check(file: &SourceFile) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    if file.size > MAX_BLOB {
        let what = format!("{} bytes", file.size);
        let why = "git keeps every version of it for ever, and every clone pays";
        let todo = "shrink it, make it when it is needed, or keep it outside the tree";
        complaints.push(Complaint::new(&file.path, 1, "sizes", &what, why, todo));
    }
    if !(file.is("rs") || file.is("ts")) {
        return complaints;
    }
    let product = if file.is("rs") { file.product_code().count() } else { file.lines().count() };
    if product > MAX_FILE_LINES {
        let what = format!("{product} lines without tests, at most {MAX_FILE_LINES} are allowed");
        let why = "a file this long has a second purpose";
        complaints.push(Complaint::new(&file.path, 1, "sizes", &what, why, "make that purpose a file of its own"));
    }
    for (line, text) in file.lines() {
        let width = text.chars().count();
        let test = file.rust.get(line - 1).is_some_and(|scanned| scanned.test);
        let holds_text = text.contains('"') && !text.trim_start().starts_with("//");
        let limit = if holds_text { MAX_LINE_WITH_TEXT } else { MAX_LINE };
        // Tables of cases and their results are easier to read in rows; rustfmt checks the rest.
        if width > limit && !test {
            let what = format!("{width} characters, at most {limit} are allowed");
            let todo = "break the line; a long string continues behind a backslash";
            complaints.push(Complaint::new(&file.path, line, "sizes", &what, "it does not fit a screen", todo));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_count_without_their_tests() {
        let long = "fn f() {}\n".repeat(601);
        assert_eq!(check(&SourceFile::new("crates/x/src/a.rs", &long)).len(), 1);
        assert!(check(&SourceFile::new("crates/x/src/a/tests.rs", &long)).is_empty());
        let mostly_tests = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{\n{long}}}\n");
        assert!(check(&SourceFile::new("crates/x/src/a.rs", &mostly_tests)).is_empty());
    }

    #[test]
    fn a_line_is_measured_in_characters() {
        let fits = format!("// {}\n", "µ".repeat(117));
        let long = format!("// {}\n", "µ".repeat(118));
        assert!(check(&SourceFile::new("a.rs", &fits)).is_empty());
        assert_eq!(check(&SourceFile::new("a.rs", &long))[0].line, 1);
        assert!(check(&SourceFile::new("a.md", &long)).is_empty());
    }

    #[test]
    fn a_message_may_be_longer_and_a_table_of_tests_longer_still() {
        let line = |width: usize| format!("f(\"{}\");\n", "x".repeat(width - 6));
        assert!(check(&SourceFile::new("a.rs", &line(160))).is_empty());
        assert_eq!(check(&SourceFile::new("a.rs", &line(161))).len(), 1);
        assert!(check(&SourceFile::new("a/tests.rs", &line(200))).is_empty());
    }

    #[test]
    fn a_blob_is_a_complaint_whatever_it_holds() {
        let file = SourceFile { path: "a.png".into(), size: MAX_BLOB + 1, text: None, rust: Vec::new() };
        assert_eq!(check(&file).len(), 1);
    }
}
