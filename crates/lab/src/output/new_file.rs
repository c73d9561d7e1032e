//! Files that appear whole or not at all: written without a name, and named when every byte is on the disk.
//!
//! So a full disk leaves no empty file under the name that was asked for, and a kill no draft. Facts: open(2) with
//! O_TMPFILE makes a file without a name, which goes with the process; linkat(2) of `/proc/self/fd/N` names it. File
//! systems that cannot do that (some over a network, FAT) get a draft beside the name, which a kill may leave.

use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

/// Begins the name of a draft.
const DRAFT: &str = ".drivelab-draft-";

/// A file that is being written.
pub struct NewFile {
    file: File,
    folder: PathBuf,
    /// The draft, where the file system cannot keep a file without a name.
    draft: Option<tempfile::TempPath>,
}

impl NewFile {
    /// A new file in this folder, readable by everybody as far as the umask allows.
    ///
    /// # Errors
    /// Where the folder is not there, may not be written, or has no room.
    pub fn begin(folder: &Path) -> Result<NewFile> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.to_owned();
        let mode = Mode::from_raw_mode(0o644);
        if let Ok(file) = open(&folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode) {
            return Ok(NewFile { file: file.into(), folder, draft: None });
        }
        let (file, draft) = builder().tempfile_in(&folder)?.into_parts();
        Ok(NewFile { file, folder, draft: Some(draft) })
    }

    /// What is written to.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Puts it under this name in its folder, where there is nothing yet.
    ///
    /// # Errors
    /// [`std::io::ErrorKind::AlreadyExists`], and whatever naming and making it durable can give.
    pub fn place(self, path: &Path) -> Result<()> {
        self.file.sync_all()?;
        match self.draft {
            None => link(&self.file, path),
            Some(draft) => draft.persist_noclobber(path).map_err(|error| error.error),
        }
    }

    /// Puts it under this name in its folder, in the place of what may be there.
    ///
    /// # Errors
    /// Whatever naming and making it durable can give; what was there is then still there.
    pub fn replace(self, path: &Path) -> Result<()> {
        self.file.sync_all()?;
        let draft = match self.draft {
            Some(draft) => draft,
            None => match link(&self.file, path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    // Two steps with nothing between them, as rename(2) needs a name.
                    builder().make_in(&self.folder, |name| link(&self.file, name))?.into_temp_path()
                }
                done => return done,
            },
        };
        draft.persist(path).map_err(|error| error.error)
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
}
