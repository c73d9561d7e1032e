//! How far back the storage below a target may look for repeated data.
//!
//! Random data must stay incompressible for it, so this decides the size of the pools that random data is made from
//! ([`crate::memory::pool`]). What counts is how far apart two places of a file or device may lie and still be
//! compressed together. Whole sectors never repeat, so they need no such distance.

use std::os::fd::BorrowedFd;

use drivelab_core::units::Bytes;

const MIB: u64 = 1 << 20;
/// Block devices, and file systems that compress small units. Drives and arrays compress their own blocks, 4 to 128
/// KiB, because each must be readable by itself (dm-vdo: 4 KiB). btrfs compresses extents of at most 128 KiB
/// (`BTRFS_MAX_UNCOMPRESSED`), ntfs units of 64 KiB, f2fs clusters of at most 1 MiB (`MAX_COMPRESS_LOG_SIZE`, 2^8
/// pages).
const MOST: u64 = MIB;
/// bcachefs compresses up to `encoded_extent_max` at a time, which may be 2 MiB.
const BCACHEFS: u64 = 2 * MIB;
/// ZFS compresses record by record, of at most 16 MiB (`zfs_max_recordsize`), and zstd looks back over a whole record
/// at its higher levels.
const ZFS: u64 = 16 * MIB;
/// File systems of other hosts, of other programs, or on top of another one: what stores the data there cannot be seen,
/// and may be ZFS.
const UNSEEN: u64 = ZFS;

/// Types of file systems as statfs(2) names them (include/uapi/linux/magic.h; bcachefs and ZFS in their own sources).
const TYPES: &[(u32, u64)] = &[
    (0x2fc1_2fc1, ZFS),
    (0xca45_1a4e, BCACHEFS),
    (0x6969, UNSEEN),      // nfs
    (0xff53_4d42, UNSEEN), // cifs
    (0xfe53_4d42, UNSEEN), // smb2
    (0x6573_5546, UNSEEN), // fuse, virtiofs
    (0x0102_1997, UNSEEN), // 9p
    (0x00c3_6400, UNSEEN), // ceph
    (0x0bd0_0bd0, UNSEEN), // lustre, often on ZFS
    (0x4750_4653, UNSEEN), // gpfs (IBM Storage Scale)
    (0x1983_0326, UNSEEN), // beegfs
    (0x5346_414f, UNSEEN), // afs
    (0x2003_0528, UNSEEN), // orangefs
    (0x794c_7630, UNSEEN), // overlayfs: the folder below may be on ZFS
    (0xf15f, UNSEEN),      // ecryptfs
];

/// For the target behind an open handle; the type of the file system that holds a device node does not matter.
pub(crate) fn window(handle: BorrowedFd<'_>, is_file: bool) -> Bytes {
    let kind = is_file.then(|| rustix::fs::fstatfs(handle).ok()).flatten();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "types are numbers of 32 bits")]
    Bytes::new(kind.map_or(MOST, |stat| of_type(stat.f_type as u32)))
}

fn of_type(kind: u32) -> u64 {
    TYPES.iter().find(|(known, _)| *known == kind).map_or(MOST, |(_, window)| *window)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn a_local_file_system_looks_back_a_mebibyte_and_zfs_a_record() {
        let file = tempfile::tempfile().expect("a file");
        assert_eq!(window(file.as_fd(), true).get(), MIB);
        assert_eq!(of_type(0x2fc1_2fc1), 16 * MIB);
        // ext4, btrfs, xfs.
        for kind in [0xef53, 0x9123_683e, 0x5846_5342] {
            assert_eq!(of_type(kind), MIB, "{kind:#x}");
        }
        let unseen: Vec<u32> = TYPES.iter().filter(|(_, window)| *window == UNSEEN).map(|(kind, _)| *kind).collect();
        for kind in [0x6969, 0xfe53_4d42, 0x6573_5546, 0x0102_1997, 0x00c3_6400, 0x0bd0_0bd0, 0x794c_7630] {
            assert!(unseen.contains(&kind) && of_type(kind) == 16 * MIB, "{kind:#x}");
        }
        assert_eq!(of_type(0xca45_1a4e), 2 * MIB);
    }
}
