//! The few ways in which this crate changes a disk, each of them a place where the tests kill the process.
//!
//! Facts: rename(2) is atomic within a file system; a new name is durable only after fsync(2) of its folder.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use drivelab_core::input;

use crate::error::StoreError;

/// Most bytes of a file that is read whole; the longest plan has some MiB.
const MOST: u64 = 1 << 30;

/// In the crate's own tests: counts the places passed, and dies at the chosen one.
#[cfg(test)]
pub(crate) use crate::tests::crash::point;

/// A place where a kill may come. Nothing, outside of tests.
#[cfg(not(test))]
pub(crate) const fn point() {}

/// Appends with one `write(2)`, as far as the kernel takes it in one.
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

/// Makes a folder; one that exists is fine.
pub(crate) fn create_dir(path: &Path) -> Result<(), StoreError> {
    point();
    fs::create_dir_all(path).map_err(|error| StoreError::io("create", path, error))
}

/// Writes a whole file that nobody reads before a later step says so; durable when it returns.
pub(crate) fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    point();
    let file = input::open_with(OpenOptions::new().write(true).create(true).truncate(true), path);
    let mut file = file.map_err(|error| StoreError::io("create", path, error))?;
    append(&mut file, path, bytes)?;
    sync(&file, path)
}

/// Replaces a file: readers see the old or the new content, whole; the new one is durable when it returns.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let temporary = temporary_name(path);
    let written = write_durably(&temporary, bytes).and_then(|()| {
        point();
        fs::rename(&temporary, path).map_err(|error| StoreError::io("rename to", path, error))
    });
    if written.is_err() {
        // The first error is the one to tell; a left-over temporary file means nothing to any reader.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    path.parent().map_or(Ok(()), sync_dir)
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    input::read(path, MOST).map_err(|error| StoreError::io("read", path, error))
}

/// Whether something is there; other errors than "not found" come out when it is used.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    PathBuf::from(name)
}
