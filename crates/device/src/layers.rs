//! How the bytes of a device come to the devices below it, from sysfs: what those may count of a load above.
//!
//! From Documentation/ABI/testing/sysfs-block-dm (`dm/uuid` begins with who made the mapping),
//! Documentation/admin-guide/md.rst (`md/level`) and drivers/block/loop.c (`loop/dio`). What is not known to pass its
//! bytes on in one of these ways (snapshots, thin pools, caches, integrity, file systems that write elsewhere) gives
//! `None`, and nothing is concluded from what the devices below it count.

use std::path::{Path, PathBuf};

use drivelab_core::environment::PassesOn;
use rustix::fs::statfs;

use crate::block::{backing_file, whole_of};
use crate::roots::read_trim;

/// Magic numbers of file systems that write what is overwritten to another place, with metadata of about its own
/// amount (include/uapi/linux/magic.h): btrfs, bcachefs, f2fs, nilfs2, zfs.
const WRITE_ELSEWHERE: [u64; 5] = [0x9123_683e, 0xca45_1a4e, 0xf2f5_2010, 0x3434, 0x2fc1_2fc1];

/// How the whole device in this folder passes on what it is asked; `None` where it lies on nothing or cannot be told.
pub(crate) fn passes_on(whole: &Path, below: &[PathBuf]) -> Option<PassesOn> {
    if below.is_empty() {
        return None;
    }
    if let Some(file) = backing_file(whole) {
        return of_loop(whole, &file, below.len());
    }
    if let Some(level) = read_trim(&whole.join("md/level")) {
        return of_md(&level);
    }
    read_trim(&whole.join("dm/uuid")).and_then(|uuid| of_mapping(&uuid, below))
}

fn of_loop(whole: &Path, file: &Path, devices: usize) -> Option<PassesOn> {
    let elsewhere = statfs(file).is_ok_and(|status| WRITE_ELSEWHERE.contains(&status.f_type.cast_unsigned()));
    if elsewhere || devices > 1 {
        return None;
    }
    let direct = read_trim(&whole.join("loop/dio")).is_some_and(|text| text == "1");
    Some(if direct { PassesOn::Once } else { PassesOn::Cached })
}

fn of_md(level: &str) -> Option<PassesOn> {
    match level {
        "linear" | "raid0" => Some(PassesOn::Once),
        "raid1" | "raid10" => Some(PassesOn::Copies),
        "raid4" | "raid5" | "raid6" => Some(PassesOn::Parity),
        _ => None,
    }
}

/// Mappings of cryptsetup, multipath and LVM. A logical volume lies on devices that are no mappings of LVM's own, or it
/// is made of parts (`_rimage_0` of a RAID; `-tpool` and `-real` of thin volumes and snapshots).
fn of_mapping(uuid: &str, below: &[PathBuf]) -> Option<PassesOn> {
    if uuid.starts_with("CRYPT-INTEGRITY") {
        return None;
    }
    let multipath = uuid.starts_with("mpath-") || uuid.starts_with("part") && uuid.contains("-mpath-");
    if uuid.starts_with("CRYPT-") || multipath {
        return Some(PassesOn::Once);
    }
    if !uuid.starts_with("LVM-") {
        return None;
    }
    let of_lvm = |folder: &PathBuf| {
        let uuid = read_trim(&whole_of(folder).0.join("dm/uuid"));
        uuid.is_some_and(|uuid| uuid.starts_with("LVM-"))
    };
    let part_of_raid = |folder: &PathBuf| {
        let name = read_trim(&whole_of(folder).0.join("dm/name")).unwrap_or_default();
        name.contains("_rimage_") || name.contains("_rmeta_")
    };
    match () {
        () if !below.iter().any(of_lvm) => Some(PassesOn::Once),
        () if below.iter().all(part_of_raid) => Some(PassesOn::Parity),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn device(root: &Path, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = root.join(name);
        for (file, text) in files {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
            fs::write(file, text).expect("a file");
        }
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn layers_are_told_by_what_sysfs_says_of_them() {
        let root = tempfile::tempdir().expect("a folder");
        let of =
            |name: &str, files: &[(&str, &str)], below: &[PathBuf]| passes_on(&device(root.path(), name, files), below);
        let disk = device(root.path(), "sda", &[]);
        let one = [disk.clone()];
        let two = [disk.clone(), device(root.path(), "sdb", &[])];
        assert_eq!(of("loop0", &[("loop/backing_file", "/x\n"), ("loop/dio", "1\n")], &one), Some(PassesOn::Once));
        assert_eq!(of("loop1", &[("loop/backing_file", "/x\n"), ("loop/dio", "0\n")], &one), Some(PassesOn::Cached));
        assert_eq!(of("loop2", &[("loop/backing_file", "/x\n"), ("loop/dio", "1\n")], &two), None, "a pool of disks");
        for (level, expected) in [
            ("raid0", Some(PassesOn::Once)),
            ("raid1", Some(PassesOn::Copies)),
            ("raid10", Some(PassesOn::Copies)),
            ("raid6", Some(PassesOn::Parity)),
            ("faulty", None),
        ] {
            assert_eq!(of(&format!("md-{level}"), &[("md/level", level)], &two), expected, "{level}");
        }
        for (uuid, expected) in [
            ("CRYPT-LUKS2-0123-crypt", Some(PassesOn::Once)),
            ("CRYPT-INTEGRITY-0123-crypt", None),
            ("mpath-3600", Some(PassesOn::Once)),
            ("part1-mpath-3600", Some(PassesOn::Once)),
            ("LVM-aaaabbbb", Some(PassesOn::Once)),
            ("VDO-0123", None),
        ] {
            assert_eq!(of(&format!("dm-{uuid}"), &[("dm/uuid", uuid)], &one), expected, "{uuid}");
        }
        let image = device(root.path(), "dm-7", &[("dm/uuid", "LVM-x"), ("dm/name", "vg-lv_rimage_0\n")]);
        let pool = device(root.path(), "dm-8", &[("dm/uuid", "LVM-x-tpool"), ("dm/name", "vg-pool-tpool\n")]);
        assert_eq!(of("dm-10", &[("dm/uuid", "LVM-y")], &[image]), Some(PassesOn::Parity));
        assert_eq!(of("dm-11", &[("dm/uuid", "LVM-y")], &[pool]), None);
        assert_eq!(of("loop3", &[("loop/backing_file", "/x\n")], &[]), None, "a file in memory");
    }
}
