//! The tree as tidy rules see it: every file that git knows or would add, and Rust text with comments and strings
//! blanked out.
//!
//! Owns: which files count, what is code and what is test code. Must not know: any rule. The scanner follows the
//! lexical rules of the Rust Reference (comments nest, raw strings have guards); it does not parse.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// A file of the tree.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    /// Path from the root of the tree, with `/`.
    pub(crate) path: String,
    /// Size in bytes.
    pub(crate) size: u64,
    /// The content, if it is UTF-8 text.
    pub(crate) text: Option<String>,
    /// Rust files only: the scanned lines.
    pub(crate) rust: Vec<RustLine>,
}

/// One line of a Rust file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RustLine {
    /// The line with comments and the insides of strings replaced by spaces.
    pub(crate) code: String,
    /// Inside `#[cfg(test)] mod … { }`, or in a file that contains only tests.
    pub(crate) test: bool,
}

impl SourceFile {
    /// A file from its path and text, as rules and their tests use it.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let rust = if has_extension(path, "rs") { scan(path, text) } else { Vec::new() };
        SourceFile { path: path.to_owned(), size: text.len() as u64, text: Some(text.to_owned()), rust }
    }

    /// Whether the name ends in `.extension`.
    pub(crate) fn is(&self, extension: &str) -> bool {
        has_extension(&self.path, extension)
    }

    /// The lines with their numbers from 1; none for a file that is not text.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.as_deref().unwrap_or("").lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The scanned Rust lines that are not tests, with their numbers from 1.
    pub(crate) fn product_code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.rust.iter().enumerate();
        numbered.filter(|(_, line)| !line.test).map(|(index, line)| (index + 1, line.code.as_str()))
    }
}

/// Every file that is tracked, or untracked and not ignored, below `root`.
pub(crate) fn tree(root: &Path) -> Result<Vec<SourceFile>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot run git: tidy asks it which files belong to the tree; install git")?;
    ensure!(listed.status.success(), "git ls-files failed: {}", String::from_utf8_lossy(&listed.stderr).trim());
    let names = String::from_utf8(listed.stdout).context("a file name in the tree is not UTF-8")?;
    let mut paths: Vec<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    paths.sort_unstable();
    paths.dedup();
    // A deleted file that is not yet committed is still listed; a link is judged by its target.
    Ok(paths.into_iter().filter_map(|path| read(root, path)).collect())
}

/// Reads one file; `None` for a file that is gone or not regular.
fn read(root: &Path, path: &str) -> Option<SourceFile> {
    let whole: PathBuf = root.join(path);
    let facts = fs::symlink_metadata(&whole).ok().filter(fs::Metadata::is_file)?;
    let text = fs::read(&whole).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let mut file = text.map_or_else(
        || SourceFile { path: path.to_owned(), size: 0, text: None, rust: Vec::new() },
        |text| SourceFile::new(path, &text),
    );
    file.size = facts.len();
    Some(file)
}

/// Whether a path ends in `.extension`.
fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}

/// A path that a file contains, as a path from the root of the tree: it is relative to the file's folder.
pub(crate) fn beside(file: &str, written: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Whether a file contains only tests or examples and nothing that ships.
pub(crate) fn is_test_file(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or("");
    name == "tests.rs"
        || parts.any(|folder| matches!(folder, "tests" | "benches" | "examples" | "fuzz" | "testing"))
        || name == "testing.rs"
}

/// Blanks comments and strings, then marks the lines of test modules.
fn scan(path: &str, text: &str) -> Vec<RustLine> {
    let code = blank(text);
    let all_tests = is_test_file(path);
    let mut lines: Vec<RustLine> =
        code.lines().map(|line| RustLine { code: line.to_owned(), test: all_tests }).collect();
    if !all_tests {
        mark_test_modules(&mut lines);
    }
    lines
}

/// Marks from `#[cfg(test)]` to the end of the next item: its closing brace, or a `;` before any brace.
fn mark_test_modules(lines: &mut [RustLine]) {
    let mut index = 0;
    while index < lines.len() {
        if !lines[index].code.trim_start().starts_with("#[cfg(test)]") {
            index += 1;
            continue;
        }
        let mut depth = 0_i64;
        let mut opened = false;
        while index < lines.len() {
            lines[index].test = true;
            let mut ended = false;
            for sign in lines[index].code.chars() {
                match sign {
                    '{' => (depth, opened) = (depth + 1, true),
                    '}' => depth -= 1,
                    ';' if !opened => ended = true,
                    _ => {}
                }
            }
            index += 1;
            if ended || (opened && depth <= 0) {
                break;
            }
        }
    }
}

/// Replaces comments and the insides of strings and characters by spaces; line ends stay where they are.
pub(crate) fn blank(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < signs.len() {
        let end = skip_end(&signs, at);
        if end == at {
            out.push(signs[at]);
            at += 1;
        } else {
            out.extend(signs[at..end].iter().map(|sign| if *sign == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// The end of the comment or literal that begins at `at`; `at` itself if none begins.
fn skip_end(signs: &[char], at: usize) -> usize {
    let next = |offset: usize| signs.get(at + offset).copied();
    match signs[at] {
        '/' if next(1) == Some('/') => (at..signs.len()).find(|i| signs[*i] == '\n').unwrap_or(signs.len()),
        '/' if next(1) == Some('*') => block_comment_end(signs, at),
        '"' => quoted_end(signs, at + 1, '"'),
        'r' if !continues_a_word(signs, at) => raw_string_end(signs, at).unwrap_or(at),
        // A lifetime has no closing quote right after one character; a character literal has one, or begins with `\`.
        '\'' if next(1) == Some('\\') || (next(2) == Some('\'') && next(1) != Some('\'')) => {
            quoted_end(signs, at + 1, '\'')
        }
        _ => at,
    }
}

/// Whether the character before `at` belongs to a word, so that an `r` there begins no raw string (`br"…"` does).
fn continues_a_word(signs: &[char], at: usize) -> bool {
    let word = |sign: char| sign.is_alphanumeric() || sign == '_';
    match at.checked_sub(1).map(|before| signs[before]) {
        Some('b') => at >= 2 && word(signs[at - 2]),
        Some(before) => word(before),
        None => false,
    }
}

/// End of `/* … */`, which nest.
fn block_comment_end(signs: &[char], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at + 1 < signs.len() {
        match (signs[at], signs[at + 1]) {
            ('/', '*') => (depth, at) = (depth + 1, at + 2),
            ('*', '/') => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    signs.len()
}

/// End of a literal with backslash escapes, after its closing quote.
fn quoted_end(signs: &[char], inside: usize, quote: char) -> usize {
    let mut at = inside;
    while at < signs.len() {
        match signs[at] {
            '\\' => at += 2,
            sign if sign == quote => return at + 1,
            _ => at += 1,
        }
    }
    signs.len()
}

/// End of `r"…"` or `r##"…"##`; `None` if no raw string begins.
fn raw_string_end(signs: &[char], at: usize) -> Option<usize> {
    let hashes = signs[at + 1..].iter().take_while(|sign| **sign == '#').count();
    let open = at + 1 + hashes;
    if signs.get(open) != Some(&'"') {
        return None;
    }
    let closes =
        |i: usize| signs[i] == '"' && signs[i + 1..].iter().take(hashes).filter(|s| **s == '#').count() == hashes;
    Some((open + 1..signs.len()).find(|i| closes(*i)).map_or(signs.len(), |i| i + 1 + hashes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_no_code_and_the_rest_stays() {
        let text = "let a = \"dbg!\"; // dbg!\nlet b = r#\"x \" dbg!\"#; /* a /* b */ dbg! */ let c: &'a str = 'x';\n";
        let code = blank(text);
        assert!(!code.contains("dbg"), "{code}");
        assert!(code.contains("let a = ") && code.contains("let c: &'a str = "), "{code}");
        assert_eq!(code.lines().count(), text.lines().count());
    }

    #[test]
    fn quotes_and_braces_in_characters_do_not_open_anything() {
        let code = blank("match c { '\"' => 1, '\\'' => 2, '{' => 3, b'}' => 4, _ => dbg }");
        assert!(code.contains("dbg"), "{code}");
        assert_eq!(code.matches('{').count(), 1);
    }

    #[test]
    fn test_modules_end_where_their_brace_closes() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { }\n}\nfn c() {}\n";
        let file = SourceFile::new("crates/x/src/a.rs", text);
        let product: Vec<usize> = file.product_code().map(|(line, _)| line).collect();
        assert_eq!(product, [1, 6]);
    }

    #[test]
    fn a_test_module_in_its_own_file_hides_only_its_declaration() {
        let file = SourceFile::new("crates/x/src/a.rs", "#[cfg(test)]\nmod tests;\nfn c() {}\n");
        assert_eq!(file.product_code().map(|(line, _)| line).collect::<Vec<_>>(), [3]);
        assert_eq!(SourceFile::new("crates/x/src/a/tests.rs", "fn c() {}").product_code().count(), 0);
    }
}
