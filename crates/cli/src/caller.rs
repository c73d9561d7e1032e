//! The user behind `sudo`: whose folders are used and who owns what is written.
//!
//! A run as root through sudo keeps results in the caller's data folder and gives the files to the caller, so that
//! they can be read, resumed and removed later without root.

use std::path::{Path, PathBuf};

use rustix::fs::{Gid, Uid};

/// The user who called sudo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    uid: u32,
    gid: u32,
    /// Home folder by the system's user list.
    pub home: PathBuf,
}

/// The caller, where this process is root by way of sudo and the caller is somebody else.
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
    /// Gives a file, or a folder with all that is in it, to the caller. What cannot be given stays root's: the results
    /// are there all the same.
    pub fn give(&self, path: &Path) {
        let owner = (Some(Uid::from_raw(self.uid)), Some(Gid::from_raw(self.gid)));
        // Links are not followed: what they point to is not ours to give away.
        let _ = rustix::fs::chownat(rustix::fs::CWD, path, owner.0, owner.1, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
        if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            std::fs::read_dir(path).into_iter().flatten().flatten().for_each(|entry| self.give(&entry.path()));
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
