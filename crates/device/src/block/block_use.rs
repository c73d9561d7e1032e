//! What uses a block device now: mounts in every namespace that is visible, swap, devices on top, loop devices.
//!
//! From /proc/PID/mountinfo, /proc/swaps, and in sysfs the folders `holders/` (dm, md, bcache), `fs/btrfs/*/devices`
//! and `loop/backing_file`. External journals of mounted file systems are in `/proc/fs/jbd2` (ext3, ext4: the name of
//! a journal inside the file system ends with its inode number) and in mountinfo (XFS: the options `logdev=` and, for
//! its real-time files, `rtdev=`). A claim that leaves no trace there (ZFS) is found by opening the device
//! exclusively, which only the write guard does. Must not know what follows from being in use.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use crate::block::folders::{backing_file, name_of, whole_of};
use crate::block::node::BlockNode;
use crate::place::mounts::{self, Mount};
use crate::proc_text::swap_paths;
use crate::roots::{Roots, names, read_trim};

/// Number of mount points that are named if a device is mounted at many (containers do that).
const MOST_PLACES: usize = 3;

/// The device itself or a partition of it.
struct Part {
    name: String,
    /// `major:minor`, as sysfs and mountinfo print it.
    number: String,
    folder: PathBuf,
}

impl Part {
    fn of(folder: &Path) -> Part {
        let number = read_trim(&folder.join("dev")).unwrap_or_default();
        Part { name: name_of(folder), number, folder: folder.to_owned() }
    }

    /// Whether this path leads to this device's node, whatever the node is called.
    fn is_at(&self, path: &Path) -> bool {
        let number = |status: fs::Metadata| format!("{}:{}", major(status.rdev()), minor(status.rdev()));
        let node = fs::metadata(path).ok().filter(|status| status.file_type().is_block_device());
        node.is_some_and(|status| number(status) == self.number)
    }
}

/// Folders of the partitions of a whole device; none for a partition.
pub(crate) fn partitions(folder: &Path) -> Vec<PathBuf> {
    names(folder).into_iter().map(|name| folder.join(name)).filter(|path| path.join("partition").exists()).collect()
}

/// Everything that uses the device or a partition of it, as sentence fragments such as `vda1 is mounted at / (ext4)`.
/// For a partition, users of the whole device too.
pub(crate) fn users(roots: &Roots, node: &BlockNode) -> Vec<String> {
    let mut parts = vec![Part::of(&node.folder)];
    parts.extend(partitions(&node.folder).iter().map(|folder| Part::of(folder)));
    let mounts = mounts::list_all(roots);
    let swaps = swap_paths(&fs::read(roots.proc.join("swaps")).unwrap_or_default());
    let mut found = Vec::new();
    for part in &parts {
        mounted(part, &mounts, &mut found);
        held(part, &part.folder, &mut found);
        if swaps.iter().any(|swap| part.is_at(Path::new(swap))) {
            found.push(format!("{} is active swap space", part.name));
        }
        btrfs_member(roots, part, &mut found);
        external_journal(roots, part, &mut found);
        part_of_xfs(part, &mounts, &mut found);
        under_loops(roots, part, &mut found);
    }
    if let (whole, Some(_)) = whole_of(&node.folder) {
        held(&Part::of(whole), whole, &mut found);
    }
    found
}

fn mounted(part: &Part, mounts: &[Mount], found: &mut Vec<String>) {
    // btrfs shows a number of its own, and the device as its source.
    let is_it = |mount: &&Mount| {
        let source = Path::new(&mount.source);
        mount.device == part.number || (source.is_absolute() && part.is_at(source))
    };
    let places: BTreeSet<String> =
        mounts.iter().filter(is_it).map(|mount| format!("{} ({})", mount.mount_point.display(), mount.kind)).collect();
    if places.is_empty() {
        return;
    }
    let more = places.len().saturating_sub(MOST_PLACES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more places") };
    let named: Vec<String> = places.into_iter().take(MOST_PLACES).collect();
    found.push(format!("{} is mounted at {}{more}", part.name, named.join(", ")));
}

fn held(part: &Part, folder: &Path, found: &mut Vec<String>) {
    for holder in names(&folder.join("holders")) {
        found.push(format!("{} lies on {}", holder.to_string_lossy(), part.name));
    }
}

/// Members of a mounted btrfs other than its source.
fn btrfs_member(roots: &Roots, part: &Part, found: &mut Vec<String>) {
    let systems = roots.sys.join("fs/btrfs");
    let member = |id: &std::ffi::OsString| systems.join(id).join("devices").join(&part.name).exists();
    let named = found.iter().any(|text| text.starts_with(&format!("{} is mounted", part.name)));
    if !named && names(&systems).iter().any(member) {
        found.push(format!("{} belongs to a btrfs file system that is mounted", part.name));
    }
}

/// The journal of a mounted ext3 or ext4 that lies on another device.
fn external_journal(roots: &Roots, part: &Part, found: &mut Vec<String>) {
    if roots.proc.join("fs/jbd2").join(&part.name).exists() {
        found.push(format!("{} holds the journal of a mounted file system", part.name));
    }
}

/// Other devices of a mounted XFS than the mounted one, by the names that it was mounted with.
fn part_of_xfs(part: &Part, mounts: &[Mount], found: &mut Vec<String>) {
    // A name from another root folder than this process's may lead nowhere here.
    let is_it = |path: &Path| part.is_at(path) || (!path.exists() && path == Path::new("/dev").join(&part.name));
    for (key, what) in [("logdev=", "the journal"), ("rtdev=", "the real-time files")] {
        let holds = |mount: &Mount| {
            let named = mount.options.split(',').filter_map(|option| option.strip_prefix(key));
            mount.kind == "xfs"
                && named.map(|name| mounts::unescape(name.as_bytes())).any(|name| is_it(Path::new(&name)))
        };
        if let Some(mount) = mounts.iter().find(|mount| holds(mount)) {
            let place = mount.mount_point.display();
            found.push(format!("{} holds {what} of the file system that is mounted at {place} (xfs)", part.name));
        }
    }
}

fn under_loops(roots: &Roots, part: &Part, found: &mut Vec<String>) {
    let block = roots.sys.join("block");
    for name in names(&block) {
        if backing_file(&block.join(&name)).is_some_and(|file| part.is_at(&file)) {
            found.push(format!("{} (a loop device) lies on {}", name.to_string_lossy(), part.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// sysfs and procfs of a disk with one partition, with the given files.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Roots) {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = [
            ("sys/devices/sdx/dev", "8:96\n"),
            ("sys/devices/sdx/sdx1/dev", "8:97\n"),
            ("sys/devices/sdx/sdx1/partition", "1\n"),
        ];
        for (name, text) in disk.iter().chain(files) {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().join("proc") };
        fs::create_dir_all(roots.sys.join("dev/block")).expect("a folder");
        symlink(roots.sys.join("devices/sdx"), roots.sys.join("dev/block/8:96")).expect("a link");
        symlink(roots.sys.join("devices/sdx/sdx1"), roots.sys.join("dev/block/8:97")).expect("a link");
        (folder, roots)
    }

    fn users_of(files: &[(&str, &str)], minor: u32) -> Vec<String> {
        let (_folder, roots) = tree(files);
        let node = BlockNode::of(&roots, Path::new("/dev/node"), (8, minor)).expect("a device");
        users(&roots, &node)
    }

    const MOUNTED: &str = "30 1 8:97 / /data rw - xfs /dev/sdx1 rw\n";

    #[test]
    fn a_mounted_partition_counts_for_its_disk_in_every_namespace() {
        assert!(users_of(&[], 96).is_empty());
        let found = users_of(&[("proc/77/mountinfo", MOUNTED), ("proc/self/mountinfo", "")], 96);
        assert_eq!(found, ["sdx1 is mounted at /data (xfs)"]);
        let many: String = (0..5).map(|n| format!("3{n} 1 8:97 / /c{n} rw - xfs /dev/sdx1 rw\n")).collect();
        let found = users_of(&[("proc/77/mountinfo", &many)], 97);
        assert_eq!(found, ["sdx1 is mounted at /c0 (xfs), /c1 (xfs), /c2 (xfs) and 2 more places"]);
    }

    #[test]
    fn an_external_journal_is_named_and_one_of_its_own_is_not() {
        let of = |journal: &str| users_of(&[(format!("proc/fs/jbd2/{journal}/info").as_str(), "")], 96);
        assert_eq!(of("sdx1"), ["sdx1 holds the journal of a mounted file system"]);
        assert!(of("sdx1-8").is_empty(), "that file system is mounted, and its mount says so");
        assert!(of("sdy").is_empty());
    }

    #[test]
    fn the_journal_and_the_real_time_device_of_an_xfs_are_named() {
        let of = |options: &str| {
            let line = format!("30 1 8:1 / /data rw - xfs /dev/sda1 rw,attr2,{options},noquota\n");
            users_of(&[("proc/77/mountinfo", &line)], 96)
        };
        assert_eq!(
            of("logdev=/dev/sdx1"),
            ["sdx1 holds the journal of the file system that is mounted at /data (xfs)"]
        );
        let real_time = "sdx1 holds the real-time files of the file system that is mounted at /data (xfs)";
        assert_eq!(of("logbufs=8,rtdev=/dev/sdx1"), [real_time]);
        assert!(of("logdev=/dev/sdx2").is_empty() && of("logbsize=32k").is_empty());
    }

    #[test]
    fn devices_on_top_are_named_for_the_disk_and_for_its_partition() {
        assert_eq!(users_of(&[("sys/devices/sdx/sdx1/holders/dm-3/x", "")], 96), ["dm-3 lies on sdx1"]);
        assert_eq!(users_of(&[("sys/devices/sdx/holders/dm-0/x", "")], 97), ["dm-0 lies on sdx"]);
        let member = users_of(&[("sys/fs/btrfs/6a-b/devices/sdx1/size", "")], 96);
        assert_eq!(member, ["sdx1 belongs to a btrfs file system that is mounted"]);
    }
}
