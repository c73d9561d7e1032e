//! Rule *folders*: a folder of sources contains no more entries than a person can survey.

use std::collections::{BTreeMap, BTreeSet};

use super::Complaint;
use super::baseline::{Baseline, Stand, lower, stand};
use crate::source::SourceFile;

/// Most entries of a folder, files and folders.
const MAX_ENTRIES: usize = 25;

/// Folders that have had more since before the rule existed.
const ALLOWED: &Baseline = &[];

/// Where that table is.
const TABLE: &str = "xtask/src/tidy/folders.rs";

/// Checks every folder at or below `crates/*/src`.
pub(super) fn check(files: &[SourceFile]) -> Vec<Complaint> {
    held_to(files, ALLOWED)
}

fn held_to(files: &[SourceFile], allowed: &Baseline) -> Vec<Complaint> {
    let mut folders = entries(files);
    for (folder, _) in allowed {
        folders.entry(folder).or_default();
    }
    let mut complaints = Vec::new();
    for (folder, entries) in folders {
        let now = entries.len();
        match stand(allowed, folder, now, MAX_ENTRIES) {
            Stand::Fits => {}
            Stand::Above => {
                let what = format!("{now} entries, at most {MAX_ENTRIES} are allowed");
                let why = "nobody sees at a look what is in it and where something new belongs";
                let todo = "give a topic of it a folder";
                complaints.push(Complaint::new(folder, 1, "folders", &what, why, todo));
            }
            Stand::Below(row) => {
                let what = format!("{folder} has {now} entries, and {row} are allowed");
                let why = "what was won would be lost again unseen";
                let todo = lower(folder, now, MAX_ENTRIES);
                complaints.push(Complaint::new(TABLE, 1, "folders", &what, why, &todo));
            }
        }
    }
    complaints
}

/// The entries of each folder of sources.
fn entries(files: &[SourceFile]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        let mut path = file.path.as_str();
        while let Some((folder, name)) = path.rsplit_once('/') {
            let mut parts = folder.split('/');
            if parts.next() != Some("crates") || parts.nth(1) != Some("src") {
                break;
            }
            folders.entry(folder).or_default().insert(name);
            path = folder;
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with this many files and one folder more, and a README, which is not a source.
    fn tree(folder: &str, count: usize) -> Vec<SourceFile> {
        let mut files: Vec<SourceFile> =
            (0..count).map(|number| SourceFile::new(&format!("{folder}/f{number}.rs"), "")).collect();
        files.push(SourceFile::new(&format!("{folder}/more/a.rs"), ""));
        files.push(SourceFile::new(&format!("{folder}/more/b.rs"), ""));
        files.push(SourceFile::new("crates/x/README.md", ""));
        files
    }

    #[test]
    fn files_and_folders_count_at_every_level() {
        assert!(held_to(&tree("crates/x/src", 24), &[]).is_empty());
        let found = held_to(&tree("crates/x/src", 25), &[]);
        assert_eq!((found.len(), found[0].what.as_str()), (1, "26 entries, at most 25 are allowed"));
        assert_eq!(held_to(&tree("crates/x/src/deep/er", 25), &[])[0].path, "crates/x/src/deep/er");
    }

    #[test]
    fn other_folders_may_be_as_full_as_they_like() {
        assert!(held_to(&tree("crates/x/tests", 40), &[]).is_empty());
        assert!(held_to(&tree("docs/src", 40), &[]).is_empty());
    }

    #[test]
    fn a_full_folder_may_only_get_emptier() {
        let whats = |count, row| -> Vec<String> {
            let found = held_to(&tree("crates/x/src", count), &[("crates/x/src", row)]);
            found.into_iter().map(|complaint| format!("{}: {}", complaint.path, complaint.todo)).collect()
        };
        assert!(whats(39, 40).is_empty());
        assert_eq!(whats(40, 40), ["crates/x/src: give a topic of it a folder"]);
        assert_eq!(whats(38, 40), [format!("{TABLE}: lower the row of crates/x/src to 39")]);
        assert_eq!(whats(20, 40), [format!("{TABLE}: remove the row of crates/x/src")]);
    }

    #[test]
    fn a_row_goes_with_its_folder() {
        assert_eq!(held_to(&[], &[("crates/gone/src", 30)])[0].todo, "remove the row of crates/gone/src");
    }
}
