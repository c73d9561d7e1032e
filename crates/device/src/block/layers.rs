//! How I/O on a device reaches the devices below it, from sysfs: how much of a load above the lower devices may
//! count.
//!
//! From Documentation/ABI/testing/sysfs-block-dm (`dm/uuid` begins with the creator of the mapping),
//! Documentation/admin-guide/md.rst (`md/level`, `md/layout`, `md/consistency_policy`) and drivers/block/loop.c
//! (`loop/dio`). A device that is not known to pass I/O on in one of these ways (snapshots, thin pools, caches,
//! integrity, file systems that write elsewhere) gives `None`, and nothing is concluded from the counters of the
//! devices below it.

use std::path::{Path, PathBuf};

use drivelab_core::environment::PassesOn;
use rustix::fs::statfs;

use crate::block::folders::{backing_file, whole_of};
use crate::roots::{read_number, read_trim};

/// Magic numbers of file systems that write overwritten data to another place, with about the same amount of metadata
/// (include/uapi/linux/magic.h): btrfs, bcachefs, f2fs, nilfs2, zfs.
const WRITE_ELSEWHERE: [u64; 5] = [0x9123_683e, 0xca45_1a4e, 0xf2f5_2010, 0x3434, 0x2fc1_2fc1];

/// How the whole device in this folder passes I/O on; `None` if it lies on no device, or if this is unknown.
pub(crate) fn passes_on(whole: &Path, below: &[PathBuf]) -> Option<PassesOn> {
    if below.is_empty() {
        return None;
    }
    if let Some(file) = backing_file(whole) {
        return of_loop(whole, &file, below.len());
    }
    if let Some(level) = read_trim(&whole.join("md/level")) {
        return of_md(whole, &level);
    }
    read_trim(&whole.join("dm/uuid")).and_then(|uuid| of_mapping(whole, &uuid, below))
}

/// Whether the whole device in this folder is a mapping of dm-crypt.
pub(crate) fn encrypts(whole: &Path) -> bool {
    read_trim(&whole.join("dm/uuid")).is_some_and(|uuid| is_crypt(&uuid))
}

/// Whether this uuid is of a cryptsetup mapping that encrypts.
fn is_crypt(uuid: &str) -> bool {
    uuid.starts_with("CRYPT-") && !uuid.starts_with("CRYPT-INTEGRITY")
}

fn of_loop(whole: &Path, file: &Path, devices: usize) -> Option<PassesOn> {
    let elsewhere = statfs(file).is_ok_and(|status| WRITE_ELSEWHERE.contains(&status.f_type.cast_unsigned()));
    if elsewhere || devices > 1 {
        return None;
    }
    let direct = read_trim(&whole.join("loop/dio")).is_some_and(|text| text == "1");
    Some(if direct { PassesOn::Once } else { PassesOn::Cached })
}

fn of_md(whole: &Path, level: &str) -> Option<PassesOn> {
    // A journal and a partial parity log write each block once more, to a separate device or to the members.
    let logs = read_trim(&whole.join("md/consistency_policy")).is_some_and(|how| how == "journal" || how == "ppl");
    match level {
        _ if logs => None,
        "linear" | "raid0" => Some(PassesOn::Once),
        "raid1" => Some(PassesOn::Copies),
        "raid10" => Some(of_layout(whole)),
        "raid4" | "raid5" => Some(PassesOn::OneParity),
        "raid6" => Some(PassesOn::Parity),
        _ => None,
    }
}

/// RAID 10 keeps near copies times far copies of each block: the two lowest bytes of its layout. Except with two
/// copies in total, each member has one copy at most.
fn of_layout(whole: &Path) -> PassesOn {
    let layout: Option<u32> = read_number(&whole.join("md/layout"));
    let copies = layout.map(|layout| (layout & 0xff) * ((layout >> 8) & 0xff));
    if copies == Some(2) { PassesOn::TwoCopies } else { PassesOn::Copies }
}

/// Mappings of cryptsetup, multipath and LVM. Either a logical volume lies on devices that are not LVM mappings, or
/// it consists of parts (`_rimage_0` of a RAID; `-tpool` and `-real` of thin volumes and snapshots).
fn of_mapping(whole: &Path, uuid: &str, below: &[PathBuf]) -> Option<PassesOn> {
    let multipath = uuid.starts_with("mpath-") || uuid.starts_with("part") && uuid.contains("-mpath-");
    if is_crypt(uuid) || multipath {
        return Some(PassesOn::Once);
    }
    if !uuid.starts_with("LVM-") {
        return None;
    }
    let of_lvm = |folder: &PathBuf| {
        let uuid = read_trim(&whole_of(folder).0.join("dm/uuid"));
        uuid.is_some_and(|uuid| uuid.starts_with("LVM-"))
    };
    let part_of_raid = |folder: &PathBuf| is_part(folder, "_rimage_") || is_part(folder, "_rmeta_");
    match () {
        () if !below.iter().any(of_lvm) => Some(PassesOn::Once),
        () if below.iter().all(part_of_raid) => of_lvm_raid(whole, below),
        () => None,
    }
}

/// Whether a mapping's name shows that it is such a part of a logical volume.
fn is_part(folder: &Path, part: &str) -> bool {
    read_trim(&whole_of(folder).0.join("dm/name")).is_some_and(|name| name.contains(part))
}

/// The RAID level of a logical volume is not in sysfs. It follows from the share of its images that holds data: one
/// image's size for a mirror, half for RAID 10, all but one or two images with parity. (RAID 6 of LVM has five images
/// or more.)
fn of_lvm_raid(whole: &Path, below: &[PathBuf]) -> Option<PassesOn> {
    let sectors = |folder: &Path| read_number::<u64>(&folder.join("size")).filter(|sectors| *sectors > 0);
    let images: Option<Vec<u64>> =
        below.iter().filter(|folder| is_part(folder, "_rimage_")).map(|folder| sectors(folder)).collect();
    let (volume, images) = sectors(whole).zip(images)?;
    let (image, number) = (*images.first()?, u64::try_from(images.len()).ok()?);
    if images.iter().any(|other| *other != image) || volume % image != 0 {
        return None;
    }
    match volume / image {
        1 => Some(PassesOn::Copies),
        data if data == number => Some(PassesOn::Once),
        data if 2 * data == number => Some(PassesOn::TwoCopies),
        data if data + 1 == number => Some(PassesOn::OneParity),
        data if data + 2 == number => Some(PassesOn::Parity),
        _ => None,
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
            ("raid5", Some(PassesOn::OneParity)),
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
        for (uuid, expected) in [("CRYPT-LUKS2-0-x", true), ("CRYPT-INTEGRITY-0-x", false), ("LVM-a", false)] {
            let mapping = device(root.path(), &format!("dm-e-{uuid}"), &[("dm/uuid", uuid)]);
            assert_eq!(encrypts(&mapping), expected, "{uuid}");
        }
        assert!(!encrypts(&disk));
        let pool = device(root.path(), "dm-8", &[("dm/uuid", "LVM-x-tpool"), ("dm/name", "vg-pool-tpool\n")]);
        assert_eq!(of("dm-11", &[("dm/uuid", "LVM-y")], &[pool]), None);
        assert_eq!(of("loop3", &[("loop/backing_file", "/x\n")], &[]), None, "a file in memory");
    }

    #[test]
    fn copies_of_md_follow_from_its_layout_and_what_logs_its_writes_is_not_judged() {
        let root = tempfile::tempdir().expect("a folder");
        let disks = ["sda", "sdb", "sdc", "sdd"].map(|name| device(root.path(), name, &[]));
        let of = |name: &str, files: &[(&str, &str)]| passes_on(&device(root.path(), name, files), &disks);
        let raid10 = |name: &str, layout: &str| of(name, &[("md/level", "raid10"), ("md/layout", layout)]);
        assert_eq!(raid10("md0", "258"), Some(PassesOn::TwoCopies), "two near copies");
        assert_eq!(raid10("md1", "513"), Some(PassesOn::TwoCopies), "two far copies");
        assert_eq!(raid10("md2", "259"), Some(PassesOn::Copies), "three near copies");
        let bitmap = Some(PassesOn::OneParity);
        for (policy, expected) in [("resync", bitmap), ("bitmap", bitmap), ("ppl", None), ("journal", None)] {
            let files = [("md/level", "raid5"), ("md/consistency_policy", policy)];
            assert_eq!(of(&format!("md-{policy}"), &files), expected, "{policy}");
        }
    }

    /// Regression: a mirror of LVM was taken for an array with parity, which allowed three times its writes and a
    /// read of each leg.
    #[test]
    fn the_raid_of_a_logical_volume_follows_from_its_size_and_that_of_its_images() {
        let root = tempfile::tempdir().expect("a folder");
        let volume = |name: &str, sectors: u64, images: u64, each: u64| {
            let part = |kind: &str, number: u64, sectors: u64| {
                let called = format!("vg-{name}_{kind}_{number}\n");
                let sectors = sectors.to_string();
                let files = [("dm/uuid", "LVM-x"), ("dm/name", &called), ("size", &sectors)];
                device(root.path(), &format!("{name}-{kind}-{number}"), &files)
            };
            let parts = (0..images).flat_map(|number| [part("rmeta", number, 8192), part("rimage", number, each)]);
            let below: Vec<PathBuf> = parts.collect();
            let sectors = sectors.to_string();
            passes_on(&device(root.path(), name, &[("dm/uuid", "LVM-y"), ("size", &sectors)]), &below)
        };
        assert_eq!(volume("mirror", 1 << 20, 2, 1 << 20), Some(PassesOn::Copies));
        assert_eq!(volume("three", 1 << 20, 3, 1 << 20), Some(PassesOn::Copies));
        assert_eq!(volume("raid10", 2 << 20, 4, 1 << 20), Some(PassesOn::TwoCopies));
        assert_eq!(volume("raid5", 2 << 20, 3, 1 << 20), Some(PassesOn::OneParity));
        assert_eq!(volume("raid6", 3 << 20, 5, 1 << 20), Some(PassesOn::Parity));
        assert_eq!(volume("raid0", 2 << 20, 2, 1 << 20), Some(PassesOn::Once));
        assert_eq!(volume("odd", (2 << 20) + 8192, 4, 1 << 20), None, "being reshaped");
        assert_eq!(volume("unknown", 0, 2, 1 << 20), None, "no size");
    }
}
