//! The largest readable file below a folder: a substitute for a drive that this user may not open.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

/// Most entries that are inspected, so that a folder of millions does not take minutes.
const MOST_ENTRIES: usize = 50_000;
/// Smaller files are too small for the methodology `check`.
const LEAST: u64 = 32 << 20;

/// The largest regular file on the same file system that this user may read and that is not mostly holes.
#[must_use]
pub fn file_below(folder: &Path) -> Option<PathBuf> {
    among(folder, MOST_ENTRIES)
}

/// As [`file_below`], inspecting at most `left` entries, in the file system's order.
fn among(folder: &Path, mut left: usize) -> Option<PathBuf> {
    let device = fs::metadata(folder).ok()?.dev();
    let mut folders = vec![folder.to_owned()];
    let mut best: Option<(u64, PathBuf)> = None;
    'looking: while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if left == 0 {
                break 'looking;
            }
            left -= 1;
            let Ok(facts) = entry.metadata() else { continue };
            let on_it = facts.dev() == device;
            if on_it && facts.is_dir() {
                folders.push(entry.path());
            }
            // st_blocks counts units of 512 bytes (stat(2)); a tenth may be holes.
            let is_full = facts.blocks().saturating_mul(512) >= facts.len() / 10 * 9;
            let is_larger = best.as_ref().is_none_or(|(length, _)| facts.len() > *length);
            let fits = facts.is_file() && on_it && is_full && is_larger && facts.len() >= LEAST;
            if fits && accessat(CWD, entry.path(), Access::READ_OK, AtFlags::EACCESS).is_ok() {
                best = Some((facts.len(), entry.path()));
            }
        }
    }
    best.map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_and_small_files_are_not_taken_for_the_largest() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("small"), vec![1; 1 << 20]).expect("room");
        assert_eq!(file_below(folder.path()), None);
        fs::create_dir(path("deeper")).expect("a folder");
        fs::write(path("deeper/film"), vec![1; 33 << 20]).expect("room");
        fs::File::create(path("hole")).and_then(|file| file.set_len(1 << 30)).expect("a sparse file");
        assert_eq!(file_below(folder.path()), Some(path("deeper/film")));
    }

    #[test]
    fn no_more_entries_are_looked_at_than_the_bound_even_in_one_folder() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder");
        for (name, mebibytes) in [("one", 33), ("two", 34), ("three", 35)] {
            fs::write(folder.path().join(name), vec![1; mebibytes << 20]).expect("room");
        }
        let given = fs::read_dir(folder.path()).expect("a folder").flatten();
        let sizes: Vec<(u64, PathBuf)> =
            given.map(|entry| (entry.metadata().expect("a file").len(), entry.path())).collect();
        for bound in 0..=sizes.len() {
            let largest = sizes.iter().take(bound).max().map(|(_, path)| path.clone());
            assert_eq!(among(folder.path(), bound), largest, "{bound} entries");
        }
    }
}
