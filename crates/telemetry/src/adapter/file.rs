//! A file that another program appends to, a named pipe, or a serial line: the new content since the last call.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Most bytes per call; the rest is read by the next call.
const MOST: u64 = 1 << 16;

/// A followed file.
#[derive(Debug)]
pub(super) struct Tail {
    path: PathBuf,
    file: File,
    /// For regular files only: the file's identity, its end, and when it was last written.
    seen: Option<Seen>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    device: u64,
    inode: u64,
    position: u64,
    modified: (i64, i64),
}

impl Tail {
    /// Opens it at its end.
    pub(super) fn open(path: PathBuf) -> Result<Self, String> {
        let mut file = open(&path)?;
        let seen = look(&file, &path)?;
        if let Some(seen) = seen {
            let end = SeekFrom::Start(seen.position);
            file.seek(end).map_err(|error| wrong(&path, &error))?;
        }
        Ok(Tail { path, file, seen })
    }

    /// Path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The new content.
    pub(super) fn take(&mut self) -> Result<Vec<u8>, String> {
        self.follow()?;
        self.read_on()
    }

    /// Continues reading after the last position.
    fn read_on(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        match (&mut self.file).take(MOST).read_to_end(&mut bytes) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(wrong(&self.path, &error)),
        }
        if let Some(seen) = self.seen.as_mut().filter(|_| !bytes.is_empty()) {
            seen.position += bytes.len() as u64;
            // A line that was appended after `follow` has been read too. With the earlier modification time, the file
            // would look overwritten at the next call.
            seen.modified = modified(&self.file.metadata().map_err(|error| wrong(&self.path, &error))?);
        }
        Ok(bytes)
    }

    /// Goes to the beginning of a file that was replaced, truncated or overwritten.
    fn follow(&mut self) -> Result<(), String> {
        let Some(before) = self.seen else { return Ok(()) };
        let file = open(&self.path)?;
        let Some(now) = look(&file, &self.path)? else { return Ok(()) };
        let length = now.position;
        let other = (now.device, now.inode) != (before.device, before.inode);
        let over = length < before.position || (length == before.position && now.modified != before.modified);
        let mut position = before.position;
        if other || over {
            self.file = file;
            position = 0;
        }
        if over && !other {
            self.file.seek(SeekFrom::Start(0)).map_err(|error| wrong(&self.path, &error))?;
        }
        self.seen = Some(Seen { position, ..now });
        Ok(())
    }
}

/// Opens without waiting for the other end of a pipe.
fn open(path: &Path) -> Result<File, String> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    file.map_err(|error| wrong(path, &error))
}

/// A regular file's identity, length and modification time; `None` for pipes and devices.
fn look(file: &File, path: &Path) -> Result<Option<Seen>, String> {
    let facts = file.metadata().map_err(|error| wrong(path, &error))?;
    if facts.is_dir() {
        return Err(format!("{}: a folder has no lines", path.display()));
    }
    let seen = Seen { device: facts.dev(), inode: facts.ino(), position: facts.len(), modified: modified(&facts) };
    Ok(facts.is_file().then_some(seen))
}

/// When it was last written.
fn modified(facts: &Metadata) -> (i64, i64) {
    (facts.mtime(), facts.mtime_nsec())
}

fn wrong(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_line_that_is_appended_between_the_look_and_the_read_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("power");
        std::fs::write(&path, "1 99\n").unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        // So long ago that the append changes the time, however coarse the file system's times are.
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let mut tail = Tail::open(path.clone()).unwrap();
        tail.follow().unwrap();
        file.write_all(b"2 5\n").unwrap();
        assert_eq!(tail.read_on().unwrap(), b"2 5\n");
        assert_eq!(tail.take().unwrap(), b"", "nothing is read again");
        file.write_all(b"3 6\n").unwrap();
        assert_eq!(tail.take().unwrap(), b"3 6\n");
        // A file that is overwritten, here with the same number of bytes, is still read from its beginning.
        std::fs::write(&path, "4 7\n5 8\n6 99\n").unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(tail.take().unwrap(), b"4 7\n5 8\n6 99\n");
    }
}
