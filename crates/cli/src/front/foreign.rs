//! What a file is: a methodology, a fio job file, or a Vdbench parameter file.

use crate::args::ForeignFormat;

/// The tool, as its authors write it.
#[must_use]
pub const fn name(tool: ForeignFormat) -> &'static str {
    match tool {
        ForeignFormat::Fio => "fio",
        ForeignFormat::Vdbench => "Vdbench",
    }
}

/// Whether the file is a methodology: it has `format = NUMBER` before its first table, or a `[[tests]]`. (Vdbench has a
/// parameter `format`, but it takes a word.)
#[must_use]
pub fn is_methodology(text: &str) -> bool {
    let lines = || text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let numbered = |line: &str| {
        line.split_once('=').is_some_and(|(key, value)| key.trim() == "format" && value.trim().parse::<u32>().is_ok())
    };
    lines().take_while(|line| !line.starts_with('[')).any(numbered) || lines().any(|line| line == "[[tests]]")
}

/// `[name]`, possibly with a comment after it: no other tool has such a line.
fn is_section(line: &str) -> bool {
    let content = line.split([';', '#']).next().unwrap_or_default().trim();
    content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).is_some_and(|name| !name.trim().is_empty())
}

/// The tool whose file this is: fio if any line is a `[section]`, else what the first line with content looks like.
/// Options before the first section are a mistake, which the fio reader reports.
#[must_use]
pub fn tool_of(text: &str) -> Option<ForeignFormat> {
    if text.lines().any(is_section) {
        return Some(ForeignFormat::Fio);
    }
    let content =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with([';', '#', '*', '/']));
    for line in content {
        if line.starts_with('[') || line.starts_with("include ") {
            return Some(ForeignFormat::Fio);
        }
        if line.split_once('=').is_some_and(|(key, _)| key.chars().all(char::is_alphanumeric)) {
            return Some(ForeignFormat::Vdbench);
        }
    }
    None
}
