//! Files that appear complete or not at all: written without a name, and named when every byte is on the disk.
//!
//! A full disk therefore leaves no empty file under the requested name, and a kill leaves no draft. Facts: open(2)
//! with O_TMPFILE creates a file without a name, which disappears with the process; linkat(2) of `/proc/self/fd/N`
//! names it. File systems without O_TMPFILE (some network file systems, FAT) get a draft next to the name, and so does
//! a file that replaces another, for a moment. A kill may leave such a draft behind; the next file in the folder
//! removes it.

use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

/// Prefix of a draft's name.
const DRAFT: &str = ".drivelab-draft-";
/// A draft that nobody has written to for this long was left behind.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// A file that is being written.
pub struct NewFile {
    file: File,
    folder: PathBuf,
    /// The draft, if the file system cannot hold a file without a name.
    draft: Option<tempfile::TempPath>,
}

impl NewFile {
    /// A new file in this folder, readable by everybody whom the umask allows.
    ///
    /// # Errors
    /// The folder does not exist, may not be written, or is full.
    pub fn begin(folder: &Path) -> Result<NewFile> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.to_owned();
        let mode = Mode::from_raw_mode(0o644);
        if let Ok(file) = open(&folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode) {
            return Ok(NewFile { file: file.into(), folder, draft: None });
        }
        let (file, draft) = builder().tempfile_in(&folder)?.into_parts();
        Ok(NewFile { file, folder, draft: Some(draft) })
    }

    /// The file to write to.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file this name in its folder; the name must not exist yet.
    ///
    /// # Errors
    /// [`std::io::ErrorKind::AlreadyExists`], and any error of naming the file or making it durable.
    pub fn place(self, path: &Path) -> Result<()> {
        self.file.sync_all()?;
        remove_left_behind(&self.folder);
        match self.draft {
            None => link(&self.file, path),
            Some(draft) => draft.persist_noclobber(path).map_err(|error| error.error),
        }
    }

    /// Gives the file this name in its folder and replaces an existing file.
    ///
    /// # Errors
    /// Any error of naming the file or making it durable; an existing file is then unchanged.
    pub fn replace(self, path: &Path) -> Result<()> {
        self.file.sync_all()?;
        remove_left_behind(&self.folder);
        let draft = match self.draft {
            Some(draft) => draft,
            None => match link(&self.file, path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    // Two steps, because rename(2) needs a name.
                    builder().make_in(&self.folder, |name| link(&self.file, name))?.into_temp_path()
                }
                done => return done,
            },
        };
        draft.persist(path).map_err(|error| error.error)
    }
}

/// Removes the drafts that an earlier drivelab left in this folder. What cannot be removed stays.
fn remove_left_behind(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(DRAFT)) {
        let modified = entry.metadata().ok().filter(std::fs::Metadata::is_file).and_then(|facts| facts.modified().ok());
        if modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_BEHIND) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn builder() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(DRAFT).permissions(std::fs::Permissions::from_mode(0o644));
    builder
}

fn link(file: &File, path: &Path) -> Result<()> {
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW).map_err(Error::from)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_appears_whole_and_nothing_else_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let names = || -> Vec<String> {
            let entries = std::fs::read_dir(folder.path()).expect("the folder").flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        };
        let path = folder.path().join("page.html");
        let new = NewFile::begin(folder.path()).expect("a file");
        new.file().write_all(b"one").expect("room");
        assert!(names().is_empty(), "a kill now leaves nothing: {:?}", names());
        new.place(&path).expect("a name");
        let second = NewFile::begin(folder.path()).expect("a file");
        assert_eq!(second.place(&path).expect_err("it is there").kind(), std::io::ErrorKind::AlreadyExists);
        let other = NewFile::begin(folder.path()).expect("a file");
        other.file().write_all(b"another").expect("room");
        other.replace(&path).expect("in its place");
        assert_eq!(std::fs::read_to_string(&path).expect("the file"), "another");
        assert_eq!(names(), ["page.html"]);
    }

    #[test]
    fn a_draft_that_a_kill_left_is_removed_and_one_in_use_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let [old, new, other] =
            [".drivelab-draft-1", ".drivelab-draft-2", "notes"].map(|name| folder.path().join(name));
        for path in [&old, &new, &other] {
            std::fs::write(path, "half a page").expect("room");
        }
        let long_ago = std::time::SystemTime::now() - 2 * LEFT_BEHIND;
        for path in [&old, &other] {
            let file = File::options().write(true).open(path).expect("the file");
            file.set_modified(long_ago).expect("a time");
        }
        NewFile::begin(folder.path()).expect("a file").place(&folder.path().join("page.html")).expect("a name");
        assert!(!old.exists() && new.exists() && other.exists());
    }
}
