//! A file that somebody appends to, a named pipe, or a serial line: what is new in it since the last look.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// At most so many bytes are taken at a look; the rest waits for the next.
const MOST: u64 = 1 << 16;

/// A followed file.
#[derive(Debug)]
pub(super) struct Tail {
    path: PathBuf,
    file: File,
    /// Which file it is, where the end was and when it was last written; only of regular files.
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
            file.seek(end).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(Tail { path, file, seen })
    }

    /// Which file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What is new.
    pub(super) fn take(&mut self) -> Result<Vec<u8>, String> {
        if let Some(before) = self.seen {
            self.follow(before)?;
        }
        let mut bytes = Vec::new();
        match (&mut self.file).take(MOST).read_to_end(&mut bytes) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(format!("{}: {error}", self.path.display())),
        }
        if let Some(seen) = &mut self.seen {
            seen.position += bytes.len() as u64;
        }
        Ok(bytes)
    }

    /// Goes to the beginning of a file that was put in the old one's place, cut off, or written over.
    fn follow(&mut self, before: Seen) -> Result<(), String> {
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
            self.file.seek(SeekFrom::Start(0)).map_err(|error| format!("{}: {error}", self.path.display()))?;
        }
        self.seen = Some(Seen { position, ..now });
        Ok(())
    }
}

/// Opens without waiting for a pipe's other end.
fn open(path: &Path) -> Result<File, String> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    file.map_err(|error| format!("{}: {error}", path.display()))
}

/// A regular file's identity, length and time of change; `None` for pipes and devices.
fn look(file: &File, path: &Path) -> Result<Option<Seen>, String> {
    let facts = file.metadata().map_err(|error| format!("{}: {error}", path.display()))?;
    if facts.is_dir() {
        return Err(format!("{}: a folder has no lines", path.display()));
    }
    let seen = Seen {
        device: facts.dev(),
        inode: facts.ino(),
        position: facts.len(),
        modified: (facts.mtime(), facts.mtime_nsec()),
    };
    Ok(facts.is_file().then_some(seen))
}
