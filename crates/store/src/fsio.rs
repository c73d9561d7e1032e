//! The few ways in which this crate changes a disk; at each of them the tests kill the process.
//!
//! Facts: rename(2) is atomic within a file system; a new name is durable only after fsync(2) of its folder.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use drivelab_core::input;

use crate::error::StoreError;

/// Most bytes of a file that is read whole; the longest plan has a few MiB.
const MOST: u64 = 1 << 30;

/// In the crate's own tests: counts the points passed, and kills the process at the chosen one.
#[cfg(test)]
pub(crate) use crate::tests::crash::point;

/// A point at which a kill may come. Does nothing outside tests.
#[cfg(not(test))]
pub(crate) const fn point() {}

/// Appends with one `write(2)`, if the kernel takes all bytes at once.
pub(crate) fn append(file: &mut File, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    point();
    #[cfg(test)]
    let bytes = crate::tests::crash::torn(file, bytes);
    file.write_all(bytes).map_err(|error| StoreError::io("write to", path, error))
}

/// Makes a file's content durable.
pub(crate) fn sync(file: &File, path: &Path) -> Result<(), StoreError> {
    point();
    #[cfg(test)]
    crate::tests::crash::count_sync();
    file.sync_data().map_err(|error| StoreError::io("fsync", path, error))
}

/// Makes the names in a folder durable.
pub(crate) fn sync_dir(path: &Path) -> Result<(), StoreError> {
    point();
    #[cfg(test)]
    crate::tests::crash::count_sync();
    let sync = File::open(path).and_then(|folder| folder.sync_all());
    sync.map_err(|error| StoreError::io("fsync", path, error))
}

/// Makes a folder; it may already exist.
pub(crate) fn create_dir(path: &Path) -> Result<(), StoreError> {
    point();
    fs::create_dir_all(path).map_err(|error| StoreError::io("create", path, error))
}

/// Writes a whole file that is read only after a later step refers to it; durable on return.
pub(crate) fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    point();
    let file = input::open_with(OpenOptions::new().write(true).create(true).truncate(true), path);
    fill(&mut file.map_err(|error| StoreError::io("create", path, error))?, path, bytes)
}

/// Writes the whole content of a file, durably.
fn fill(file: &mut File, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    append(file, path, bytes)?;
    sync(file, path)
}

/// Replaces a file: readers see either the old or the new content, complete; the new content is durable on return.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    point();
    let (mut file, temporary) = temporary_file(path)?;
    let written = fill(&mut file, &temporary, bytes).and_then(|()| {
        point();
        fs::rename(&temporary, path).map_err(|error| StoreError::io("rename to", path, error))
    });
    if written.is_err() {
        // The first error is the one to report; no reader uses a left-over temporary file.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    path.parent().map_or(Ok(()), sync_dir)
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    input::read(path, MOST).map_err(|error| StoreError::io("read", path, error))
}

/// Whether the path exists; errors other than "not found" show when it is used.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// A new file beside `path` that only this process writes: of two processes with the same process id (in two
/// containers) the later one takes the next name.
fn temporary_file(path: &Path) -> Result<(File, PathBuf), StoreError> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}-{}.tmp", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
        let name = PathBuf::from(name);
        match input::open_with(OpenOptions::new().write(true).create_new(true), &name) {
            Ok(file) => return Ok((file, name)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StoreError::io("create", &name, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two concurrent writers, here as threads: without names of their own, one would rename or truncate the file of
    /// the other.
    #[test]
    fn writers_of_one_file_do_not_share_what_they_write_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("shared.json");
        let (first, one) = temporary_file(&path).expect("a file");
        let (second, other) = temporary_file(&path).expect("a file");
        assert_ne!(one, other);
        drop((first, second));
        std::thread::scope(|scope| {
            for writer in 0..4_u8 {
                let path = &path;
                let content = vec![b'0' + writer; 1000 * usize::from(writer + 1)];
                scope.spawn(move || (0..20).for_each(|_| write_atomically(path, &content).expect("written")));
            }
        });
        let kept = read(&path).expect("a file");
        assert!(kept.iter().all(|byte| *byte == kept[0]) && kept.len() == 1000 * usize::from(kept[0] - b'0' + 1));
        let left = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 3, "the file, and the two that were begun here");
    }
}
