//! Rule *heads*: every file states its purpose, every page is reachable, every link leads somewhere.

use std::collections::BTreeSet;

use super::Complaint;
use crate::source::{SourceFile, beside, is_test_file};

/// Folders whose Markdown is expected output of tests, not pages.
fn is_page(path: &str) -> bool {
    !is_test_file(path) && !path.contains("/snapshots/") && !path.contains("/golden/")
}

/// Checks the head of one file.
pub(crate) fn check(file: &SourceFile) -> Vec<Complaint> {
    if file.is("rs") && !file.text.as_deref().unwrap_or("").starts_with("//!") {
        let why = "a reader must learn in one look what the file owns and what it must not know";
        let todo = "open it with a `//!` comment";
        return vec![Complaint::new(&file.path, 1, "heads", "no head comment", why, todo)];
    }
    if file.is("md") && is_page(&file.path) {
        return titles(file);
    }
    Vec::new()
}

/// A page has exactly one title.
fn titles(file: &SourceFile) -> Vec<Complaint> {
    // An article has its title in its front matter.
    if file.text.as_deref().is_some_and(|text| text.starts_with("+++\n")) {
        return Vec::new();
    }
    let titles: Vec<usize> = prose(file).filter(|(_, text)| text.starts_with("# ")).map(|(line, _)| line).collect();
    if titles.len() == 1 {
        return Vec::new();
    }
    let what = format!("{} titles (`# …`) instead of one", titles.len());
    let line = titles.get(1).copied().unwrap_or(1);
    vec![Complaint::new(&file.path, line, "heads", &what, "a page has one subject", "use `##` below the title")]
}

/// The lines of a page outside fenced code.
fn prose(file: &SourceFile) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    file.lines().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// Links between pages: no link is dead, and every page under docs/ is linked from another page.
pub(crate) fn links(files: &[SourceFile]) -> Vec<Complaint> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for file in files {
        let mut path = file.path.as_str();
        known.insert(path);
        while let Some((folder, _)) = path.rsplit_once('/') {
            known.insert(folder);
            path = folder;
        }
    }
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut complaints = Vec::new();
    for page in files.iter().filter(|file| file.is("md") && is_page(&file.path)) {
        for (line, text) in prose(page) {
            for link in targets(text).filter(|link| is_local(link)) {
                let target = beside(&page.path, link);
                if !known.contains(target.as_str()) {
                    let what = format!("the link to {link} leads nowhere");
                    let why = format!("there is no {target} in the tree");
                    complaints.push(Complaint::new(&page.path, line, "heads", &what, &why, "correct or remove it"));
                }
                if target != page.path {
                    reached.insert(target);
                }
            }
        }
    }
    let docs = files.iter().filter(|file| file.is("md") && file.path.starts_with("docs/"));
    complaints.extend(docs.filter(|file| !reached.contains(&file.path)).map(|file| {
        let todo = "link it from docs/README.md or from the page it belongs to";
        Complaint::new(&file.path, 1, "heads", "no other page links here", "nobody will find it", todo)
    }));
    complaints
}

/// The targets of `[text](target)` in a line, without code spans.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let outside_code = |at: usize| line[..at].matches('`').count().is_multiple_of(2);
    let starts: Vec<usize> = line.match_indices("](").map(|(at, _)| at).filter(|at| outside_code(*at)).collect();
    starts.into_iter().filter_map(|at| line[at + 2..].split([')', ' ', '#']).next()).filter(|link| !link.is_empty())
}

/// Whether a link points into the tree.
fn is_local(link: &str) -> bool {
    !link.contains("://") && !link.starts_with("mailto:") && !link.starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(complaints: &[Complaint]) -> Vec<(&str, usize, &str)> {
        complaints.iter().map(|c| (c.path.as_str(), c.line, c.what.as_str())).collect()
    }

    #[test]
    fn a_rust_file_opens_with_its_purpose() {
        assert_eq!(check(&SourceFile::new("build.rs", "fn main() {}\n")).len(), 1);
        assert!(check(&SourceFile::new("build.rs", "//! Builds.\nfn main() {}\n")).is_empty());
    }

    #[test]
    fn a_page_has_one_title_and_code_has_none() {
        assert!(check(&SourceFile::new("a.md", "# A\n```sh\n# not a title\n```\n## B\n")).is_empty());
        assert_eq!(check(&SourceFile::new("a.md", "## B\n")).len(), 1);
        assert_eq!(check(&SourceFile::new("a.md", "# A\n# B\n"))[0].line, 2);
    }

    #[test]
    fn dead_links_and_lonely_pages_are_found() {
        let files = [
            SourceFile::new("README.md", "# R\n[a](docs/a.md#part) [b](docs/gone.md) `[c](no.md)` [d](docs/)\n"),
            SourceFile::new("docs/a.md", "# A\n[self](a.md) [up](../README.md)\n"),
            SourceFile::new("docs/lonely.md", "# L\n"),
        ];
        let complaints = links(&files);
        let expected = [
            ("README.md", 2, "the link to docs/gone.md leads nowhere"),
            ("docs/lonely.md", 1, "no other page links here"),
        ];
        assert_eq!(whats(&complaints), expected);
    }
}
