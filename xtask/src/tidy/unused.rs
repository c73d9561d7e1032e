//! Rule *unused*: every dependency of a crate is named in its sources, tests included.
//!
//! Facts come from the manifests and from names in code, so it also works if the tree does not compile. A dependency
//! that shares its name with a module of the crate may go unseen.

use std::collections::BTreeSet;

use toml::{Table, Value};

use super::Complaint;
use crate::source::{SourceFile, beside};

/// The tables of a manifest that hold dependencies.
const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
/// The tables of a manifest that list targets, each with a path of its own.
const TARGETS: [&str; 4] = ["bin", "test", "bench", "example"];
/// The manifest of the workspace.
const WORKSPACE: &str = "Cargo.toml";
/// Why a dependency that nothing names is a fault.
const WHY: &str = "every build pays for it, and a reader looks for what it does";

/// Checks the manifests of the members, and the table of the workspace.
pub(super) fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut taken = BTreeSet::new();
    for manifest in files.iter().filter(|file| is_member(&file.path)) {
        let Some(table) = read(manifest) else { continue };
        let sources = sources(manifest, &table, files);
        for key in dependencies(&table) {
            let name = key.replace('-', "_");
            if !sources.iter().any(|file| names(file, &name)) {
                let what = format!("nothing names the dependency {key}");
                complaints.push(complaint(manifest, key, &what));
            }
            taken.insert(key.to_owned());
        }
    }
    let workspace = files.iter().find(|file| file.path == WORKSPACE);
    if let Some((manifest, table)) = workspace.and_then(|file| Some((file, read(file)?))) {
        let rows = table.get("workspace").and_then(|table| table.get("dependencies")).and_then(Value::as_table);
        for key in rows.into_iter().flat_map(Table::keys).filter(|key| !taken.contains(*key)) {
            complaints.push(complaint(manifest, key, &format!("no member takes the dependency {key}")));
        }
    }
    complaints
}

fn complaint(manifest: &SourceFile, key: &str, what: &str) -> Complaint {
    let is_row = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with([' ', '=', '.']));
    let line = manifest.lines().find(|(_, line)| is_row(line)).map_or(1, |(line, _)| line);
    Complaint::new(&manifest.path, line, "unused", what, WHY, "remove its row")
}

/// Whether a path is the manifest of a crate of the workspace.
fn is_member(path: &str) -> bool {
    let folder = path.strip_suffix("/Cargo.toml");
    folder.is_some_and(|folder| folder == "xtask" || folder.strip_prefix("crates/").is_some_and(|x| !x.contains('/')))
}

/// A manifest as a table; cargo reports one that is not a table.
fn read(manifest: &SourceFile) -> Option<Table> {
    manifest.text.as_deref()?.parse().ok()
}

/// The keys of everything that a manifest depends on, including dependencies for some platforms only.
fn dependencies(table: &Table) -> BTreeSet<&str> {
    let platforms = table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let places = std::iter::once(table).chain(platforms.filter_map(Value::as_table));
    let sections = places.flat_map(|place| SECTIONS.iter().filter_map(move |section| place.get(*section)?.as_table()));
    sections.flat_map(Table::keys).map(String::as_str).collect()
}

/// The Rust files of a crate: those in its folder, and those beside and below targets in other folders.
fn sources<'a>(manifest: &SourceFile, table: &Table, files: &'a [SourceFile]) -> Vec<&'a SourceFile> {
    let targets = TARGETS.iter().filter_map(|kind| table.get(*kind)?.as_array()).flatten();
    let paths = targets.filter_map(|target| target.get("path")?.as_str());
    let written = std::iter::once(beside(&manifest.path, WORKSPACE)).chain(paths.map(|p| beside(&manifest.path, p)));
    let folders: BTreeSet<String> = written.filter_map(|path| Some(format!("{}/", path.rsplit_once('/')?.0))).collect();
    let inside = |file: &&SourceFile| folders.iter().any(|folder| file.path.starts_with(folder));
    files.iter().filter(|file| file.is("rs")).filter(inside).collect()
}

/// Whether code names a crate: `name::…`, `use name`, `#[name…]`, or a string that begins with `name::` (as derives
/// take paths).
fn names(file: &SourceFile, name: &str) -> bool {
    let in_code = file.rust.iter().any(|line| {
        line.code.match_indices(name).any(|(at, _)| is_crate(&line.code[..at], &line.code[at + name.len()..]))
    });
    let quoted = format!("\"{name}::");
    in_code || file.lines().any(|(_, line)| line.contains(&quoted) && !line.trim_start().starts_with("//"))
}

/// Whether the text before and after a name makes it the name of a crate.
fn is_crate(before: &str, behind: &str) -> bool {
    let word = |sign: char| sign.is_alphanumeric() || sign == '_';
    if before.ends_with(word) || behind.starts_with(word) || before.ends_with('.') {
        return false;
    }
    // `::name` is a crate, `a::name` and `<A>::name` are something of another.
    if before.strip_suffix("::").is_some_and(|path| path.ends_with(|sign: char| word(sign) || sign == '>')) {
        return false;
    }
    let before = before.trim_end();
    let opens = |word: &str| before == word || before.ends_with(&format!(" {word}"));
    behind.trim_start().starts_with("::")
        || opens("use")
        || opens("extern crate")
        || before.ends_with("#[")
        || before.ends_with("#![")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"x\"\n[dependencies]\nserde = \"1\"\nio-uring = \"0.7\"\n\
        short = { package = \"a-long-name\", version = \"1\" }\n[dev-dependencies]\nproptest = \"1\"\n\
        [target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n[[test]]\nname = \"t\"\npath = \"../../tests/t.rs\"\n";
    const NAMED: &str = "use serde::Serialize;\nfn f(ring: io_uring::IoUring) { short::f(); ::libc::g() }\n";

    fn whats(sources: &[(&str, &str)]) -> Vec<String> {
        let mut files = vec![SourceFile::new("crates/x/Cargo.toml", MANIFEST)];
        files.extend(sources.iter().map(|(path, text)| SourceFile::new(path, text)));
        check(&files).into_iter().map(|complaint| format!("{}: {}", complaint.line, complaint.what)).collect()
    }

    #[test]
    fn a_dependency_that_nothing_names_is_found_with_its_line() {
        assert_eq!(whats(&[("crates/x/src/lib.rs", NAMED)]), ["8: nothing names the dependency proptest"]);
    }

    #[test]
    fn test_programs_that_lie_elsewhere_belong_to_the_crate() {
        let beside = |path| whats(&[("crates/x/src/lib.rs", NAMED), (path, "use proptest::prelude::*;\n")]);
        assert!(beside("tests/t.rs").is_empty());
        assert!(beside("tests/support/a.rs").is_empty());
        assert_eq!(beside("crates/y/src/lib.rs").len(), 1);
    }

    #[test]
    fn comments_longer_names_and_parts_of_other_paths_are_no_use() {
        let others =
            ["// use proptest::x;", "use my_proptest::x;", "a.proptest();", "a::proptest::b();", "let proptest;"];
        for text in others {
            assert_eq!(whats(&[("crates/x/src/lib.rs", &format!("{NAMED}{text}\n"))]).len(), 1, "{text}");
        }
        for text in ["use proptest;", "#[proptest]", "#[derive(proptest::A)]", "#[a(with = \"proptest::b\")]"] {
            assert!(whats(&[("crates/x/src/lib.rs", &format!("{NAMED}{text}\n"))]).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_row_of_the_workspace_that_no_member_takes_is_found() {
        let workspace = "[workspace.dependencies]\nserde = \"1\"\nrand = \"1\"\n";
        let files = [
            SourceFile::new("Cargo.toml", workspace),
            SourceFile::new("crates/x/Cargo.toml", "[dependencies]\nserde = { workspace = true }\n"),
            SourceFile::new("crates/x/src/lib.rs", "use serde::Serialize;\n"),
        ];
        let found = check(&files);
        assert_eq!((found.len(), found[0].line, found[0].path.as_str()), (1, 3, "Cargo.toml"));
    }
}
