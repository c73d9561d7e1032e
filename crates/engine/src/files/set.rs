//! The files of a set in a folder: their names, their subfolders, making and removing all of them.
//!
//! `SET/dNNN/fNNNNNNNN`, and `SET.copy` for a copy made on the drive. Names are resolved from open folders and never
//! follow a link. Must not know: content, time.

use std::path::Path;

use drivelab_core::backend::BackendError;
use drivelab_core::files::{FILES_PER_FOLDER, FilePlace, FileSet};
use drivelab_core::target::WritableFolder;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Advice, AtFlags, Mode, OFlags, fadvise, fsync, mkdirat, openat, unlinkat};
use rustix::io::Errno;

/// The open folders of one copy of a set.
#[derive(Debug)]
pub(crate) struct Files {
    root: OwnedFd,
    folders: Vec<OwnedFd>,
}

/// The name of a file, built without allocation: `f`, eight digits, a zero byte.
pub(crate) struct Name([u8; 10]);

impl Name {
    pub(crate) const fn of(file: u32) -> Self {
        let mut bytes = *b"f00000000\0";
        let (mut left, mut at) = (file, 8);
        while at > 0 {
            bytes[at] = b'0' + (left % 10) as u8;
            left /= 10;
            at -= 1;
        }
        Name(bytes)
    }

    pub(crate) fn text(&self) -> &std::ffi::CStr {
        std::ffi::CStr::from_bytes_with_nul(&self.0).unwrap_or_default()
    }
}

/// For `map_err`: what was tried, and in which folder.
pub(crate) fn failed(what: &str, path: &Path, error: Errno) -> BackendError {
    BackendError::System { what: format!("{what} in {}", path.display()), source: error.into() }
}

/// The folder of a copy of a set.
fn folder_name(set: &FileSet, place: FilePlace) -> String {
    match place {
        FilePlace::Source | FilePlace::Original => set.name.clone(),
        FilePlace::Copy => format!("{}.copy", set.name),
    }
}

fn part_name(part: u32) -> String {
    format!("d{part:03}")
}

fn open_folder(at: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    openat(at, name, OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

/// Something that does not exist counts as removed.
fn gone(done: Result<(), Errno>) -> Result<(), Errno> {
    if done == Err(Errno::NOENT) { Ok(()) } else { done }
}

impl Files {
    /// Makes the empty folders of a copy.
    pub(crate) fn make(folder: &WritableFolder, set: &FileSet, place: FilePlace) -> Result<Self, BackendError> {
        let name = folder_name(set, place);
        let made = || {
            mkdirat(folder.handle(), &name, Mode::RWXU)?;
            let root = open_folder(folder.handle(), &name)?;
            (0..set.count.div_ceil(FILES_PER_FOLDER)).try_for_each(|part| mkdirat(&root, part_name(part), Mode::RWXU))
        };
        made().map_err(|error| failed("making folders", folder.path(), error))?;
        Files::open(folder, set, place)
    }

    /// Opens the folders of an existing copy.
    pub(crate) fn open(folder: &WritableFolder, set: &FileSet, place: FilePlace) -> Result<Self, BackendError> {
        let name = folder_name(set, place);
        let opened = || {
            let root = open_folder(folder.handle(), &name)?;
            let parts = 0..set.count.div_ceil(FILES_PER_FOLDER);
            let folders: Result<Vec<OwnedFd>, Errno> =
                parts.map(|part| open_folder(root.as_fd(), &part_name(part))).collect();
            Ok((root, folders?))
        };
        let (root, folders) = opened().map_err(|error| failed("opening folders", folder.path(), error))?;
        Ok(Files { root, folders })
    }

    /// Removes a copy with all its files, if it exists.
    pub(crate) fn remove(folder: &WritableFolder, set: &FileSet, place: FilePlace) -> Result<(), BackendError> {
        let name = folder_name(set, place);
        let removed = || {
            let root = match open_folder(folder.handle(), &name) {
                Err(Errno::NOENT) => return Ok(()),
                root => root?,
            };
            for part in 0..set.count.div_ceil(FILES_PER_FOLDER) {
                let Ok(files) = open_folder(root.as_fd(), &part_name(part)) else { continue };
                let first = part * FILES_PER_FOLDER;
                for file in first..(first + FILES_PER_FOLDER).min(set.count) {
                    gone(unlinkat(&files, Name::of(file).text(), AtFlags::empty()))?;
                }
                gone(unlinkat(&root, part_name(part), AtFlags::REMOVEDIR))?;
            }
            gone(unlinkat(folder.handle(), &name, AtFlags::REMOVEDIR))
        };
        removed().map_err(|error| failed("removing the files of an earlier step", folder.path(), error))
    }

    /// Opens one file.
    pub(crate) fn file(&self, file: u32, flags: OFlags) -> Result<OwnedFd, Errno> {
        let folder = self.folders.get((file / FILES_PER_FOLDER) as usize).ok_or(Errno::NOENT)?;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(folder, Name::of(file).text(), flags, Mode::RUSR | Mode::WUSR)
    }

    /// Removes one file.
    pub(crate) fn unlink(&self, file: u32) -> Result<(), Errno> {
        let folder = self.folders.get((file / FILES_PER_FOLDER) as usize).ok_or(Errno::NOENT)?;
        unlinkat(folder, Name::of(file).text(), AtFlags::empty())
    }

    /// Makes the names durable.
    pub(crate) fn sync_folders(&self) -> Result<(), Errno> {
        self.folders.iter().chain([&self.root]).try_for_each(fsync)
    }

    /// Removes the folders, whose files are gone; the outermost folder stays, empty.
    pub(crate) fn remove_folders(&self) -> Result<(), Errno> {
        let parts = 0..u32::try_from(self.folders.len()).unwrap_or(u32::MAX);
        parts.map(part_name).try_for_each(|part| gone(unlinkat(&self.root, part, AtFlags::REMOVEDIR)))
    }

    /// Drops what the page cache holds of the files; returns what was done, for the record.
    pub(crate) fn drop_cached(&self, count: u32) -> String {
        let dropped = (0..count).try_for_each(|file| {
            let file = self.file(file, OFlags::RDONLY)?;
            fadvise(&file, 0, None, Advice::DontNeed)
        });
        match dropped {
            Ok(()) => "written back and dropped before the step (syncfs, POSIX_FADV_DONTNEED)".to_owned(),
            Err(error) => {
                format!("could not be dropped before the step ({error}): cached data is measured too")
            }
        }
    }

    /// Whether the first file can be opened with direct I/O.
    pub(crate) fn takes_direct(&self) -> bool {
        let opened = self.file(0, OFlags::RDONLY | OFlags::DIRECT);
        opened.and_then(|file| rustix::fs::fcntl_getfl(&file)).is_ok_and(|flags| flags.contains(OFlags::DIRECT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_eight_digits() {
        assert_eq!(Name::of(0).text().to_str(), Ok("f00000000"));
        assert_eq!(Name::of(199_999).text().to_str(), Ok("f00199999"));
    }
}
