//! Helpers that the tests of the write guard share.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of this module")]

pub mod bench;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

/// A folder on the file system of the build, so that it lies on real storage.
pub fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let path = fs::canonicalize(folder.path()).expect("its path");
    (folder, path)
}

/// Runs one test at a time. A process that another test starts has all files of this process open between fork and
/// exec, and the guard would rightly report them as in use.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Names in a folder.
pub fn listed(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Everything about a file that must not change: bytes, times, identity, length.
pub fn fingerprint(path: &Path) -> (Vec<u8>, [i64; 6], [u64; 4]) {
    // Inspected before it is read: reading may change the access time.
    let s = fs::symlink_metadata(path).expect("a file");
    let times = [s.mtime(), s.mtime_nsec(), s.ctime(), s.ctime_nsec(), s.atime(), s.atime_nsec()];
    let identity = [s.dev(), s.ino(), s.len(), s.nlink()];
    (fs::read(path).expect("its bytes"), times, identity)
}
