//! The mounts that /etc/fstab lists (fstab(5)), and which of them are missing: a folder at a missing mount is an
//! empty folder of another file system, usually the system's.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::place::mounts::{self, Mount, unescape};
use crate::roots::Roots;

/// Where the table is.
const FSTAB: &str = "/etc/fstab";

/// A line of fstab whose file system is not mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotMounted {
    /// The source as fstab names it: `UUID=…`, `/dev/sdb1`.
    pub source: String,
    /// Its mount point.
    pub mount_point: PathBuf,
    /// The mount point that the path lies on instead.
    pub instead: PathBuf,
}

/// The file system that fstab lists at the path or above it and that is not mounted there; the path need not exist.
/// `None` if there is no fstab or no table of mounts.
#[must_use]
pub fn not_mounted(path: &Path) -> Option<NotMounted> {
    let table = fs::read(FSTAB).ok()?;
    missing(&table, &mounts::list(&Roots::default()), &resolved(path))
}

/// The deepest fstab mount point above the path, if it is deeper than the mount that the path lies on.
fn missing(table: &[u8], mounts: &[Mount], path: &Path) -> Option<NotMounted> {
    let mounted = mounts.iter().map(|mount| &mount.mount_point).filter(|point| path.starts_with(point));
    let instead = mounted.max_by_key(|point| point.as_os_str().len())?;
    let wanted = table.split(|byte| *byte == b'\n').filter_map(line).filter(|(_, point)| path.starts_with(point));
    let (source, mount_point) = wanted.max_by_key(|(_, point)| point.as_os_str().len())?;
    let is_deeper = mount_point.starts_with(instead) && mount_point != *instead;
    is_deeper.then(|| NotMounted { source, mount_point, instead: instead.clone() })
}

/// Source and mount point of a line; `None` for comments, swap and truncated lines.
fn line(line: &[u8]) -> Option<(String, PathBuf)> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let source = fields.next().filter(|source| !source.starts_with(b"#"))?;
    let mount_point = PathBuf::from(unescape(fields.next()?));
    // `none` and `swap` are used if there is no mount point.
    let source = unescape(source).to_string_lossy().into_owned();
    mount_point.as_os_str().as_bytes().starts_with(b"/").then(|| (source, resolved(&mount_point)))
}

/// The path without symbolic links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    match there {
        Some((above, real)) => match path.strip_prefix(above) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            _ => real,
        },
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[u8] = b"# a comment /nowhere\n\
        UUID=1-2 / ext4 defaults 0 1\n\
        /dev/sdb1\t/nowhere/data xfs noauto 0 0\n\
        LABEL=my\\040disk /nowhere/my\\040disk ext4 defaults 0 2\n\
        tmpfs /nowhere/data/deep tmpfs\n\
        /dev/sdc1 none swap sw 0 0\n\
        cut\n";

    fn look(mounted: &[&str], path: &str) -> Option<(String, String, String)> {
        let mounts: String = (1..)
            .zip(mounted)
            .map(|(id, point)| format!("{id} 1 8:{id} / {} rw - ext4 /dev/x rw\n", point.replace(' ', "\\040")))
            .collect();
        let found = missing(TABLE, &mounts::parse(mounts.as_bytes()), Path::new(path))?;
        let text = |path: &Path| path.display().to_string();
        Some((found.source, text(&found.mount_point), text(&found.instead)))
    }

    fn says(source: &str, point: &str, instead: &str) -> Option<(String, String, String)> {
        Some((source.to_owned(), point.to_owned(), instead.to_owned()))
    }

    #[test]
    fn a_mount_point_that_is_not_mounted_is_named_for_itself_and_all_below_it() {
        for path in ["/nowhere/data", "/nowhere/data/a/file"] {
            assert_eq!(look(&["/"], path), says("/dev/sdb1", "/nowhere/data", "/"), "{path}");
        }
        assert_eq!(look(&["/"], "/nowhere/my disk"), says("LABEL=my disk", "/nowhere/my disk", "/"));
        let deep = look(&["/", "/nowhere/data"], "/nowhere/data/deep/x");
        assert_eq!(deep, says("tmpfs", "/nowhere/data/deep", "/nowhere/data"), "the one above is mounted");
    }

    #[test]
    fn what_is_mounted_and_what_only_begins_alike_is_not_named() {
        assert_eq!(look(&["/", "/nowhere/data"], "/nowhere/data/a"), None);
        assert_eq!(look(&["/"], "/nowhere/database"), None);
        assert_eq!(look(&["/"], "/nowhere"), None, "a comment is not an entry");
        assert_eq!(look(&["/", "/nowhere/data/mine"], "/nowhere/data/mine/x"), None, "it lies on another mount there");
        assert_eq!(look(&[], "/nowhere/data"), None, "no table of mounts, no answer");
    }

    #[test]
    fn a_path_is_followed_as_far_as_it_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let real = fs::canonicalize(folder.path()).expect("a path");
        fs::create_dir(real.join("there")).expect("a folder");
        std::os::unix::fs::symlink("there", real.join("link")).expect("a link");
        assert_eq!(resolved(&real.join("link/not/yet")), real.join("there/not/yet"));
        assert_eq!(resolved(&real.join("link")), real.join("there"));
    }
}
