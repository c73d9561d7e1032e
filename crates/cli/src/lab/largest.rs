//! The largest file below a folder that may be read: what stands for a drive where the drive itself is closed.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

/// Entries that are looked at, so that a folder of millions does not take minutes.
const MOST_ENTRIES: usize = 50_000;
/// Smaller ones are no target of the methodology `check`.
const LEAST: u64 = 32 << 20;

/// The largest regular file on the same file system that this user may read and that is no hole for the most part.
#[must_use]
pub fn file_below(folder: &Path) -> Option<PathBuf> {
    let device = fs::metadata(folder).ok()?.dev();
    let (mut folders, mut left) = (vec![folder.to_owned()], MOST_ENTRIES);
    let mut best: Option<(u64, PathBuf)> = None;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            left = left.saturating_sub(1);
            let Ok(facts) = entry.metadata() else { continue };
            let on_it = facts.dev() == device;
            if on_it && facts.is_dir() && left > 0 {
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
        if left == 0 {
            break;
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
}
