//! The user behind `sudo`: whose folders are used, and who owns the written files.
//!
//! A run as root through sudo stores results in the caller's data folder and gives the files to the caller, so that
//! they can be read, resumed and removed later without root. Only files that this process created change their owner:
//! files that existed before keep theirs, even if it is root.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{Gid, Uid};

/// File times come from the kernel's coarse clock, which lags by up to a timer tick (10 ms at 100 Hz).
const CLOCK_TICK: Duration = Duration::from_millis(10);

/// The user who called sudo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    uid: u32,
    gid: u32,
    /// Home folder, from the system's user list.
    pub home: PathBuf,
}

/// The caller, if this process is root through sudo and the caller is another user.
#[must_use]
pub fn behind_sudo() -> Option<Caller> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    let (uid, gid) = (number("SUDO_UID")?, number("SUDO_GID")?);
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    (uid != 0).then_some(())?;
    Some(Caller { uid, gid, home: home_of(uid, &users)? })
}

/// Sixth field of the user's line in passwd(5).
fn home_of(uid: u32, users: &str) -> Option<PathBuf> {
    let uid = uid.to_string();
    let line = users.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()))?;
    line.split(':').nth(5).filter(|home| home.starts_with('/')).map(PathBuf::from)
}

impl Caller {
    /// Gives a file, or a folder with its contents, to the caller if root owns it and it was created since `since`.
    /// Whatever cannot be given stays root's: the results are stored in any case.
    pub fn give(&self, path: &Path, since: SystemTime) {
        let Ok(metadata) = path.symlink_metadata() else { return };
        let made = metadata.created().or_else(|_| metadata.modified());
        if metadata.uid() == 0 && made.is_ok_and(|made| made + CLOCK_TICK >= since) {
            let owner = (Some(Uid::from_raw(self.uid)), Some(Gid::from_raw(self.gid)));
            // Symbolic links are not followed: the files that they point to are not drivelab's to give away.
            let _ = rustix::fs::chownat(rustix::fs::CWD, path, owner.0, owner.1, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
        }
        if metadata.is_dir() {
            std::fs::read_dir(path).into_iter().flatten().flatten().for_each(|entry| self.give(&entry.path(), since));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_of_a_user_is_read_from_the_user_list() {
        let users = "root:x:0:0:root:/root:/bin/sh\n# comment\nann:x:1000:1000:Ann,,,:/users/ann:/bin/sh\nbad:x:7\n";
        assert_eq!(home_of(1000, users), Some(PathBuf::from("/users/ann")));
        assert_eq!(home_of(7, users), None);
        assert_eq!(home_of(42, users), None);
    }
}
