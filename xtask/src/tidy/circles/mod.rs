//! Rule *circles*: no two files of a crate import each other, directly or through others. Files in a cycle can only be
//! read, moved and tested together.
//!
//! An import is what a file takes from another file of its crate by `use`, by a path in its code or through a
//! re-export, and counts for the file that defines the name; a macro counts where it is defined. `mod` lines, files
//! that only declare and re-export, and code that only tests compile do not count. Owns: what is allowed, and the
//! messages. Must not know: how names are found. Two kinds of use are not seen, because they name nothing: a method,
//! and a trait that only a glob imports.

mod facts;
mod graph;
mod names;
mod only_tests;
mod read;
mod room;
mod tokens;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use self::room::{Circle, circles};
use super::Complaint;
use super::baseline::{Baseline, Stand, lower, stand};
use crate::source::SourceFile;

/// Files in cycles that a crate still has from before the rule.
const ALLOWED: &Baseline = &[];

/// Where that table is.
const TABLE: &str = "xtask/src/tidy/circles/mod.rs";

/// Checks every crate.
pub(super) fn check(files: &[SourceFile]) -> Vec<Complaint> {
    held_to(files, ALLOWED)
}

/// All cycles, allowed or not, as text for a person.
pub(super) fn show(files: &[SourceFile]) -> String {
    let mut text = String::new();
    let texts = texts(files);
    for (room, roots) in rooms(files) {
        let found: Vec<Circle> = roots.iter().filter_map(|root| circles(root, &texts).ok()).flatten().collect();
        if !found.is_empty() {
            let _ = writeln!(text, "{room}: {} files in {} circle(s)", members(&found), found.len());
        }
        for circle in &found {
            let _ = writeln!(text, "  circle of {}:{}", circle.files.len(), ties(circle, room));
        }
    }
    if text.is_empty() { "no circles\n".to_owned() } else { text }
}

fn held_to(files: &[SourceFile], allowed: &Baseline) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let texts = texts(files);
    let mut rooms = rooms(files);
    for (room, _) in allowed {
        rooms.entry(room).or_default();
    }
    for (room, roots) in &rooms {
        let mut found = Vec::new();
        for root in roots {
            match circles(root, &texts) {
                Ok(circles) => found.extend(circles),
                Err((path, error)) => {
                    let line = error.span().start().line;
                    let why = "tidy cannot see what it imports";
                    complaints.push(Complaint::new(&path, line, "circles", &error.to_string(), why, "make it compile"));
                }
            }
        }
        let now = members(&found);
        match stand(allowed, room, now, 0) {
            Stand::Fits => {}
            Stand::Above => complaints.extend(found.iter().map(|circle| complaint(circle, room))),
            Stand::Below(row) => {
                let what = format!("{room} has {now} files in circles, and {row} are allowed");
                let why = "what was won would be lost again unseen";
                complaints.push(Complaint::new(TABLE, 1, "circles", &what, why, &lower(room, now, 0)));
            }
        }
    }
    complaints
}

fn complaint(circle: &Circle, room: &str) -> Complaint {
    let what = format!("{} files import each other in a circle", circle.files.len());
    let why = "none of them can be read, moved or tested without the others";
    let todo = format!("move what they share to a file that needs none of them:{}", ties(circle, room));
    let first = circle.ties.first();
    let (path, line) = first.map_or((room, 1), |tie| (tie.from.as_str(), tie.line));
    Complaint::new(path, line, "circles", &what, why, &todo)
}

/// The names that cause a cycle, a line for each pair of files.
fn ties(circle: &Circle, room: &str) -> String {
    let source = format!("{room}/src/");
    let short = |path: &str| path.strip_prefix(&source).unwrap_or(path).to_owned();
    let mut text = String::new();
    for tie in &circle.ties {
        let names = tie.names.join(", ");
        let _ = write!(text, "\n    {}:{} takes {names} from {}", short(&tie.from), tie.line, short(&tie.to));
    }
    text
}

/// How many files are in cycles.
fn members(found: &[Circle]) -> usize {
    found.iter().flat_map(|circle| &circle.files).collect::<BTreeSet<_>>().len()
}

/// The crates, each with its root files.
fn rooms(files: &[SourceFile]) -> BTreeMap<&str, Vec<&str>> {
    let mut rooms: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        let root = file.path.strip_suffix("/src/lib.rs").or_else(|| file.path.strip_suffix("/src/main.rs"));
        if let Some(room) = root.filter(|room| room.starts_with("crates/") || *room == "xtask") {
            rooms.entry(room).or_default().push(&file.path);
        }
    }
    rooms
}

/// The Rust files by their paths.
fn texts(files: &[SourceFile]) -> BTreeMap<&str, &str> {
    let rust = files.iter().filter(|file| file.is("rs"));
    rust.filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?))).collect()
}

#[cfg(test)]
mod tests;
