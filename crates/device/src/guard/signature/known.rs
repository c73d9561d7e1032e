//! The table of signatures of a few bytes at a fixed place: what it is, where, which bytes, and the source.
//!
//! Sources are the headers of Linux and of the formats' own tools; all of them agree with the probes of libblkid
//! (util-linux), which the rest of the system uses. Signatures that need more than one comparison are in the parent
//! module.

/// A few bytes at one of several places.
pub(super) struct Known {
    /// What it is, with its article.
    pub(super) what: &'static str,
    /// The bytes.
    pub(super) magic: &'static [u8],
    /// Offsets from the start of the device.
    pub(super) at: &'static [u64],
    /// Distances of the first byte from its end.
    pub(super) before_end: &'static [u64],
    /// The header or specification that defines it.
    #[expect(dead_code, reason = "the source is for the reader of this table")]
    pub(super) source: &'static str,
}

const fn start(what: &'static str, magic: &'static [u8], at: &'static [u64], source: &'static str) -> Known {
    Known { what, magic, at, before_end: &[], source }
}

const fn end(what: &'static str, magic: &'static [u8], before_end: &'static [u64], source: &'static str) -> Known {
    Known { what, magic, at: &[], before_end, source }
}

/// The last ten bytes of the first page, for pages of 4, 8, 16, 32 and 64 KiB.
const PAGE_ENDS: &[u64] = &[0xff6, 0x1ff6, 0x3ff6, 0x7ff6, 0xfff6];
/// Volume descriptors: sectors of 2 KiB from the sixteenth on; the identifier is one byte into each.
const DESCRIPTORS: &[u64] = &[0x8001, 0x8801, 0x9001, 0x9801, 0xa001, 0xa801, 0xb001];
/// Super blocks at 8, 64 and 256 KiB; the magic is near the end of each.
const UFS_PLACES: &[u64] = &[8192 + 1372, 65536 + 1372, 262_144 + 1372];
/// The first sixteen blocks of 512 bytes.
const AMIGA_BLOCKS: &[u64] =
    &[0, 512, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 4608, 5120, 5632, 6144, 6656, 7168, 7680];
const SWAP: &str = "swap space";
const HIBERNATED: &str = "the image of a hibernated system";
const UDF: &str = "a UDF file system";
const DRBD: &str = "a DRBD device";

/// All signatures that are known by these bytes alone.
pub(super) const KNOWN: &[Known] = &[
    // Partition tables and boot sectors.
    Known {
        what: "a GPT partition table",
        magic: b"EFI PART",
        at: &[512, 4096],
        before_end: &[512, 4096],
        source: "UEFI specification, GPT header (first and last logical block)",
    },
    start("an Apple partition map", b"PM\0\0", &[512], "Inside Macintosh: Devices, partition map entry"),
    start("a BSD disk label", &[0x57, 0x45, 0x56, 0x82], &[0, 64, 512], "sys/disklabel.h, DISKMAGIC"),
    start("an SGI disk label", &[0x0b, 0xe5, 0xa9, 0x41], &[0], "util-linux, include/pt-sgi.h, SGI_MAGIC"),
    start("a Sun disk label", &[0x60, 0x0d, 0xde, 0xee], &[188], "util-linux, include/pt-sun.h, SUN_VTOC_SANITY"),
    start("an Amiga partition table", b"RDSK", AMIGA_BLOCKS, "include/uapi/linux/affs_hardblocks.h, IDNAME_RIGIDDISK"),
    start("a LUKS header", b"LUKS\xba\xbe", &[0], "LUKS2 On-Disk Format Specification, binary header"),
    start(
        "a LUKS2 secondary header",
        b"SKUL\xba\xbe",
        &[0x4000, 0x8000, 0x10000, 0x20000, 0x40000, 0x80000],
        "LUKS2 On-Disk Format Specification, binary header",
    ),
    start("a BitLocker volume", b"-FVE-FS-", &[3], "libbde, BitLocker Drive Encryption format"),
    // File systems.
    start("an XFS file system", b"XFSB", &[0], "fs/xfs/libxfs/xfs_format.h, XFS_SB_MAGIC"),
    start("a btrfs file system", b"_BHRfS_M", &[0x1_0040], "include/uapi/linux/btrfs_tree.h, BTRFS_MAGIC"),
    start("a FAT file system", b"FAT12   ", &[54], "FAT: General Overview of On-Disk Format, BS_FilSysType"),
    start("a FAT file system", b"FAT16   ", &[54], "FAT: General Overview of On-Disk Format, BS_FilSysType"),
    start("a FAT file system", b"FAT     ", &[54], "FAT: General Overview of On-Disk Format, BS_FilSysType"),
    start("a FAT file system", b"FAT32   ", &[82], "FAT: General Overview of On-Disk Format, BS_FilSysType"),
    start("an exFAT file system", b"EXFAT   ", &[3], "exFAT file system specification, FileSystemName"),
    start("an NTFS file system", b"NTFS    ", &[3], "fs/ntfs3/ntfs.h, boot sector"),
    start("a ReFS file system", b"ReFS\0\0\0\0", &[3], "libfsrefs, Resilient File System format"),
    start("an ISO 9660 file system", b"CD001", DESCRIPTORS, "ECMA-119, volume descriptors"),
    start(UDF, b"NSR02", DESCRIPTORS, "ECMA-167, volume structure descriptors"),
    start(UDF, b"NSR03", DESCRIPTORS, "ECMA-167, volume structure descriptors"),
    start(UDF, b"BEA01", DESCRIPTORS, "ECMA-167, volume structure descriptors"),
    start("a SquashFS file system", b"hsqs", &[0], "include/uapi/linux/magic.h, SQUASHFS_MAGIC"),
    start(
        "an F2FS file system",
        &[0x10, 0x20, 0xf5, 0xf2],
        &[1024, 5120],
        "include/uapi/linux/magic.h, F2FS_SUPER_MAGIC",
    ),
    start(
        "an EROFS file system",
        &[0xe2, 0xe1, 0xf5, 0xe0],
        &[1024],
        "include/uapi/linux/magic.h, EROFS_SUPER_MAGIC_V1",
    ),
    start("a JFS file system", b"JFS1", &[0x8000], "fs/jfs/jfs_superblock.h, JFS_MAGIC"),
    start(
        "a ReiserFS file system",
        b"ReIsEr",
        &[0x1_0034, 0x2034],
        "include/uapi/linux/magic.h, REISERFS_SUPER_MAGIC_STRING",
    ),
    start(
        "a NILFS2 file system",
        &[2, 0, 0, 0, 0, 0, 0x34, 0x34],
        &[1024],
        "include/uapi/linux/nilfs2_ondisk.h, super block",
    ),
    start(
        "an OCFS2 file system",
        b"OCFSV2",
        &[1024, 2048, 4096, 8192],
        "fs/ocfs2/ocfs2_fs.h, OCFS2_SUPER_BLOCK_SIGNATURE",
    ),
    start(
        "a GFS2 file system",
        &[0x01, 0x16, 0x19, 0x70, 0, 0, 0, 1],
        &[0x1_0000],
        "include/uapi/linux/gfs2_ondisk.h, GFS2_MAGIC",
    ),
    start("an HFS+ file system", b"H+\0\x04", &[1024], "Apple Technical Note TN1150, volume header"),
    start("an HFS+ file system", b"HX\0\x05", &[1024], "Apple Technical Note TN1150, volume header"),
    start("an APFS container", b"NXSB", &[32], "Apple File System Reference, nx_superblock_t"),
    start("a cramfs file system", &[0x45, 0x3d, 0xcd, 0x28], &[0, 512], "include/uapi/linux/magic.h, CRAMFS_MAGIC"),
    start("a romfs file system", b"-rom1fs-", &[0], "include/uapi/linux/romfs_fs.h, ROMSB_WORD0"),
    start("a BFS file system", &[0xce, 0xfa, 0xad, 0x1b], &[0], "include/uapi/linux/bfs_fs.h, BFS_MAGIC"),
    start("a BeFS file system", b"1SFB", &[544], "fs/befs/befs_fs_types.h, BEFS_SUPER_MAGIC1_LE"),
    start("a VxFS file system", &[0xf5, 0xfc, 0x01, 0xa5], &[1024], "fs/freevxfs/vxfs.h, VXFS_SUPER_MAGIC"),
    start("a UFS file system", &[0x54, 0x19, 0x01, 0x00], UFS_PLACES, "fs/ufs/ufs_fs.h, UFS_MAGIC at byte 1372 of it"),
    start("a UFS file system", &[0x19, 0x01, 0x54, 0x19], UFS_PLACES, "fs/ufs/ufs_fs.h, UFS2_MAGIC at byte 1372 of it"),
    start("a zonefs file system", b"SFOZ", &[0], "fs/zonefs/zonefs.h, ZONEFS_MAGIC"),
    start("a UBI image", b"UBI#", &[0], "drivers/mtd/ubi/ubi-media.h, UBI_EC_HDR_MAGIC"),
    // Swap and hibernation.
    start(SWAP, b"SWAPSPACE2", PAGE_ENDS, "include/linux/swap.h, union swap_header"),
    start(SWAP, b"SWAP-SPACE", PAGE_ENDS, "include/linux/swap.h, union swap_header (the first version)"),
    start(HIBERNATED, b"S1SUSPEND", PAGE_ENDS, "kernel/power/swap.c, HIBERNATE_SIG"),
    start(HIBERNATED, b"S2SUSPEND", PAGE_ENDS, "suspend-utils, swsusp.h"),
    start(HIBERNATED, b"ULSUSPEND", PAGE_ENDS, "suspend-utils, swsusp.h"),
    start(HIBERNATED, b"LINHIB0001", PAGE_ENDS, "libblkid, swap.c"),
    start(HIBERNATED, &[0xed, 0xc3, 0x02, 0xe9, 0x98, 0x56, 0xe5, 0x0c], &[0], "libblkid, swap.c (TuxOnIce)"),
    // Layers below file systems.
    start("an LVM physical volume", b"LABELONE", &[0, 512, 1024, 1536], "lvm2, lib/label/label.h, LABEL_ID"),
    start(
        "a bcache device",
        &[0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81],
        &[4096 + 24],
        "drivers/md/bcache/bcache_ondisk.h, magic of struct cache_sb",
    ),
    start(
        "a bcachefs file system",
        &[0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef],
        &[4096 + 24],
        "bcachefs, bcachefs_format.h, BCHFS_MAGIC",
    ),
    start("a dm-snapshot store", b"SnAp", &[0], "drivers/md/dm-snap-persistent.c, SNAP_MAGIC"),
    start("a dm-verity hash tree", b"verity\0\0", &[0], "cryptsetup, lib/verity/verity.c, VERITY_SIGNATURE"),
    start("a dm-integrity device", b"integrt\0", &[0], "drivers/md/dm-integrity.c, SB_MAGIC"),
    start("a VDO volume", b"dmvdo001", &[0], "drivers/md/dm-vdo/encodings.c, the geometry block's magic"),
    start("a Stratis member", b"!Stra0tis\x86\xff\x02^\x41rh", &[516, 4612], "Stratis Software Design, static header"),
    start("a Ceph BlueStore", b"bluestore block device", &[0], "ceph, src/os/bluestore/BlueStore.cc"),
    end(DRBD, &[0x83, 0x74, 0x02, 0x6b], &[4096 - 60], "drbd-utils, drbdmeta.c, DRBD_MD_MAGIC_08"),
    end(DRBD, &[0x83, 0x74, 0x02, 0x6c], &[4096 - 60], "drbd-utils, drbdmeta.c, DRBD_MD_MAGIC_84_UNCLEAN"),
    end(DRBD, &[0x83, 0x74, 0x02, 0x6d], &[4096 - 60], "drbd-utils, drbdmeta.c, DRBD_MD_MAGIC_09"),
    end("a member of an Intel RAID", b"Intel Raid ISM Cfg Sig. ", &[1024, 8192], "mdadm, super-intel.c, MPB_SIGNATURE"),
    end(
        "a member of a DDF RAID",
        &[0xde, 0x11, 0xde, 0x11],
        &[512, 131_584],
        "SNIA Common RAID DDF specification, header",
    ),
];
