//! Mounts as /proc/self/mountinfo lists them (proc(5)), and which of them a path lies on.
//!
//! The parser is lenient: a line it cannot read is skipped, an empty source field is allowed (it happens), unknown
//! optional fields are ignored. It never panics on any bytes.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

use crate::roots::{Roots, names};

/// File systems that are interfaces to the kernel or the firmware; they contain no storage.
const KERNEL_WINDOWS: [&str; 14] = [
    "proc",
    "sysfs",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "efivarfs",
    "securityfs",
    "configfs",
    "bpf",
    "pstore",
    "devpts",
    "mqueue",
    "selinuxfs",
];

/// One line of mountinfo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The kernel's number of the mount.
    pub(crate) id: u64,
    /// `major:minor` as printed.
    pub(crate) device: String,
    /// Where it is mounted.
    pub(crate) mount_point: PathBuf,
    /// Options of the mount, then those of the file system, each once.
    pub(crate) options: String,
    /// File system type.
    pub(crate) kind: String,
    /// Its source; may be empty.
    pub(crate) source: OsString,
}

/// The kernel prints space, tab, newline and backslash as three octal digits.
pub(crate) fn unescape(field: &[u8]) -> OsString {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, tail)) = rest.split_first() {
        let octal = tail.get(..3).filter(|digits| byte == b'\\' && digits.iter().all(|d| (b'0'..b'8').contains(d)));
        let value = octal.map(|digits| digits.iter().fold(0u32, |sum, digit| sum * 8 + u32::from(digit - b'0')));
        match value.and_then(|value| u8::try_from(value).ok()) {
            Some(value) => {
                plain.push(value);
                rest = &tail[3..];
            }
            None => {
                plain.push(byte);
                rest = tail;
            }
        }
    }
    OsString::from_vec(plain)
}

fn join_options(mount: &str, file_system: &str) -> String {
    let mut options: Vec<&str> = Vec::new();
    for option in mount.split(',').chain(file_system.split(',')) {
        if !option.is_empty() && !options.contains(&option) {
            options.push(option);
        }
    }
    options.join(",")
}

fn parse_line(line: &[u8]) -> Option<Mount> {
    const SEPARATOR: &[u8] = b" - ";
    let at = line.windows(SEPARATOR.len()).position(|window| window == SEPARATOR)?;
    let mut left = line[..at].split(|byte| *byte == b' ');
    let mut right = line[at + SEPARATOR.len()..].split(|byte| *byte == b' ');
    let id = std::str::from_utf8(left.next()?).ok()?.parse().ok()?;
    let device = String::from_utf8_lossy(left.nth(1)?).into_owned();
    let mount_point = PathBuf::from(unescape(left.nth(1)?));
    let mount_options = String::from_utf8_lossy(left.next()?);
    let kind = String::from_utf8_lossy(right.next()?).into_owned();
    let source = unescape(right.next().unwrap_or_default());
    let file_system_options = String::from_utf8_lossy(right.next().unwrap_or_default());
    let options = join_options(&mount_options, &file_system_options);
    Some(Mount { id, device, mount_point, options, kind, source })
}

/// All lines that can be read.
pub(crate) fn parse(text: &[u8]) -> Vec<Mount> {
    text.split(|byte| *byte == b'\n').filter_map(parse_line).collect()
}

/// The mounts of this process; empty if procfs is missing.
pub(crate) fn list(roots: &Roots) -> Vec<Mount> {
    fs::read(roots.proc.join("self/mountinfo")).map(|text| parse(&text)).unwrap_or_default()
}

/// Whether a file system is mounted at exactly this path, as far as this process sees; `None` if the table of mounts
/// cannot be read.
#[must_use]
pub fn is_mount_point(path: &Path) -> Option<bool> {
    let table = fs::read(Roots::default().proc.join("self/mountinfo")).ok()?;
    Some(parse(&table).iter().any(|mount| mount.mount_point == path))
}

/// The mounts of all processes that can be inspected, once for each mount namespace and root folder (a process in a
/// chroot sees only what is below it); mounts that several namespaces share are listed several times.
pub(crate) fn list_all(roots: &Roots) -> Vec<Mount> {
    let mut mounts = list(roots);
    let view = |process: &Path| {
        let link = |name: &str| fs::read_link(process.join(name)).ok();
        link("ns/mnt").zip(link("root"))
    };
    let mut seen = vec![view(&roots.proc.join("self"))];
    for name in names(&roots.proc) {
        let process = roots.proc.join(&name);
        let view = view(&process);
        if name.to_string_lossy().parse::<u32>().is_err() || (view.is_some() && seen.contains(&view)) {
            continue;
        }
        seen.push(view);
        mounts.extend(fs::read(process.join("mountinfo")).map(|text| parse(&text)).unwrap_or_default());
    }
    mounts
}

/// Of the mounts whose mount point is above `path`: those on `device` first, then the longest mount point, then the
/// last one listed (a later mount hides an earlier one at the same place).
pub(crate) fn best_match<'a>(mounts: &'a [Mount], path: &Path, device: &str) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.mount_point))
        .max_by_key(|mount| (mount.device == device, mount.mount_point.as_os_str().as_bytes().len()))
}

/// The mount that `path` lies on: by the mount's number if the kernel reports it (statx STATX_MNT_ID, Linux 5.8),
/// which is exact for bind mounts and stacked mounts too; otherwise by the longest mount point.
pub(crate) fn of_path(roots: &Roots, path: &Path) -> Option<Mount> {
    let mounts = list(roots);
    let wanted = StatxFlags::MNT_ID | StatxFlags::BASIC_STATS;
    let Ok(status) = statx(CWD, path, AtFlags::empty(), wanted) else {
        return best_match(&mounts, path, "").cloned();
    };
    let by_id = (status.stx_mask & StatxFlags::MNT_ID.bits() != 0)
        .then(|| mounts.iter().find(|mount| mount.id == status.stx_mnt_id))
        .flatten();
    let device = format!("{}:{}", status.stx_dev_major, status.stx_dev_minor);
    by_id.or_else(|| best_match(&mounts, path, &device)).cloned()
}

/// The type of the file system that a path lies on, if it is a kernel interface.
pub(crate) fn kernel_window(roots: &Roots, path: &Path) -> Option<String> {
    of_path(roots, path).map(|mount| mount.kind).filter(|kind| KERNEL_WINDOWS.contains(&kind.as_str()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REAL: &[u8] = b"\
27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
30 27 0:26 /@home /home rw,noatime shared:5 master:2 - btrfs /dev/sda3 rw,space_cache=v2,subvol=/@home
41 27 0:44 / /mnt/my\\040disk rw - fuse  rw,user_id=0
42 27 8:1 /sub /mnt/bind ro - xfs /dev/sda1 rw
garbage
43 27 0:50 / /tmp rw,nosuid - tmpfs tmp\\134fs rw,size=1g
";

    #[test]
    fn real_lines_are_read_and_garbage_is_skipped() {
        let mounts = parse(REAL);
        assert_eq!(mounts.len(), 5);
        assert_eq!(mounts[0].options, "rw,relatime,errors=remount-ro");
        assert_eq!(mounts[1].kind, "btrfs");
        assert_eq!(mounts[1].source, "/dev/sda3");
        assert_eq!(mounts[2].mount_point, PathBuf::from("/mnt/my disk"));
        assert_eq!(mounts[2].source, "", "an empty source field is not the next field");
        assert_eq!(mounts[2].options, "rw,user_id=0");
        assert_eq!(mounts[4].source, "tmp\\fs");
    }

    #[test]
    fn names_are_read_with_their_blanks_and_need_not_be_text() {
        let plain = |field: &[u8]| unescape(field).into_vec();
        assert_eq!(plain(br"/a\040b\134c"), br"/a b\c");
        assert_eq!(plain(br"/a\x"), br"/a\x");
        assert_eq!(plain(b"/a\xff\\040"), b"/a\xff ");
        assert_eq!(is_mount_point(Path::new("/proc")), Some(true));
        assert_eq!(is_mount_point(Path::new("/proc/self")), Some(false));
    }

    #[test]
    fn the_longest_mount_point_wins_and_a_name_that_only_begins_alike_does_not() {
        let mounts = parse(REAL);
        let at = |path: &str| best_match(&mounts, Path::new(path), "").map(|mount| mount.id);
        assert_eq!(at("/home/ann/x"), Some(30));
        assert_eq!(at("/homework"), Some(27));
        assert_eq!(at("/mnt/bind/deep"), Some(42));
        let stacked = parse(b"1 0 8:1 / /a rw - ext4 x rw\n2 0 8:2 / /a rw - xfs y rw\n");
        assert_eq!(best_match(&stacked, Path::new("/a/b"), "8:2").map(|mount| mount.id), Some(2));
        assert_eq!(best_match(&stacked, Path::new("/a/b"), "8:1").map(|mount| mount.id), Some(1));
    }

    #[test]
    fn the_mount_of_this_source_file_is_found() {
        let mount = of_path(&Roots::default(), Path::new(env!("CARGO_MANIFEST_DIR"))).expect("a mount");
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).starts_with(&mount.mount_point));
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let mounts = parse(&bytes);
            best_match(&mounts, Path::new("/x"), "0:1");
            unescape(&bytes);
        }

        #[test]
        fn any_path_survives_the_kernels_escapes(path in "[ -~\t\n]{1,40}") {
            let escaped: String = path.chars().map(|c| match c {
                ' ' | '\t' | '\n' | '\\' => format!("\\{:03o}", c as u32),
                other => other.to_string(),
            }).collect();
            prop_assert_eq!(unescape(escaped.as_bytes()), OsString::from(path));
        }
    }
}
