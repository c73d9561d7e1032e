//! Known signatures on a device: partition tables, file systems, swap, members of volumes. Reads the first and the
//! last MiB; in case of doubt it reports that something is there.
//!
//! Comparisons that need more than a few bytes at a fixed place are in this file: short magic numbers are combined
//! with the fields next to them, because random data that drivelab itself left must not look like a file system by
//! chance.

mod known;

use std::os::fd::{AsFd, BorrowedFd};

use drivelab_core::units::Bytes;
use rustix::fs::{Advice, fadvise};

use super::read_at::read_all;

/// How much is read at either end.
const LOOK: u64 = 1 << 20;

/// What the ends of a device hold.
struct Ends {
    /// From the start.
    head: Vec<u8>,
    /// Up to the end.
    tail: Vec<u8>,
    /// Length of the device.
    length: u64,
}

impl Ends {
    /// Bytes at an offset, if they were read.
    fn at(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let within = |from: u64, part: &'_ [u8]| {
            let start = usize::try_from(offset.checked_sub(from)?).ok()?;
            (start.checked_add(length)? <= part.len()).then_some(start)
        };
        if let Some(start) = within(0, &self.head) {
            return self.head.get(start..start + length);
        }
        let start = within(self.length.checked_sub(self.tail.len() as u64)?, &self.tail)?;
        self.tail.get(start..start + length)
    }

    fn is(&self, offset: u64, magic: &[u8]) -> bool {
        self.at(offset, magic.len()) == Some(magic)
    }

    fn le32(&self, offset: u64) -> Option<u32> {
        Some(u32::from_le_bytes(self.at(offset, 4)?.try_into().ok()?))
    }

    /// An offset counted from the end, for a device whose length is rounded down to whole units.
    fn before_end(&self, unit: u64, distance: u64) -> Option<u64> {
        (self.length - self.length % unit).checked_sub(distance)
    }
}

/// A known signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature {
    /// What it is, with its article.
    pub(super) what: &'static str,
    /// Where it was recognised.
    pub(super) offset: u64,
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (at byte {})", self.what, self.offset)
    }
}

/// All known signatures on the device, each kind once. The data that was read does not stay in the page cache.
///
/// # Errors
/// The device's error if it cannot be read.
pub(super) fn find_all(device: impl AsFd, length: Bytes) -> std::io::Result<Vec<Signature>> {
    let look = LOOK.min(length.get());
    let head = read(device.as_fd(), 0, look)?;
    let tail = read(device.as_fd(), length.get() - look, look)?;
    let _ = fadvise(&device, 0, None, Advice::DontNeed);
    Ok(all(&Ends { head, tail, length: length.get() }))
}

fn read(device: BorrowedFd, from: u64, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).map_err(std::io::Error::other)?];
    read_all(device, &mut bytes, from)?;
    Ok(bytes)
}

/// A comparison with code of its own; returns where it matched.
type Special = (&'static str, fn(&Ends) -> Option<u64>);

const SPECIAL: [Special; 4] = [
    ("an ext2, ext3 or ext4 file system", is_ext),
    ("a member of a Linux RAID (md)", is_md),
    ("a member of a ZFS pool", is_zfs),
    ("a Minix file system", is_minix),
];
/// Signatures that stand in front of a more specific one: a GPT has an MBR, a FAT a boot sector.
const IN_FRONT: [Special; 2] = [("an MBR partition table", is_mbr), ("a boot sector", is_boot_sector)];

fn all(ends: &Ends) -> Vec<Signature> {
    let mut found: Vec<Signature> = Vec::new();
    let mut add = |what, offset| {
        if !found.iter().any(|known| known.what == what) {
            found.push(Signature { what, offset });
        }
    };
    for known in known::KNOWN {
        let from_end = known.before_end.iter().filter_map(|distance| ends.length.checked_sub(*distance));
        let place = known.at.iter().copied().chain(from_end).find(|offset| ends.is(*offset, known.magic));
        place.into_iter().for_each(|place| add(known.what, place));
    }
    for (what, is) in SPECIAL {
        is(ends).into_iter().for_each(|place| add(what, place));
    }
    if found.is_empty() {
        let in_front = IN_FRONT.iter().find_map(|(what, is)| is(ends).map(|offset| Signature { what, offset }));
        found.extend(in_front);
    }
    found
}

/// Documentation/filesystems/ext4/super.rst: the super block at 1024 has its magic, of only two bytes, at 0x38; next
/// to it are the block size as a power of two from 1 KiB to 64 KiB (0x18) and the revision (0x4c).
fn is_ext(ends: &Ends) -> Option<u64> {
    const SUPER: u64 = 1024;
    let at_most = |offset, most| ends.le32(SUPER + offset).is_some_and(|value| value <= most);
    (ends.is(SUPER + 0x38, &[0x53, 0xef]) && at_most(0x18, 6) && at_most(0x4c, 1)).then_some(SUPER)
}

/// include/uapi/linux/raid/md_p.h: format 1.1 at the start, 1.2 at 4 KiB, 1.0 between 8 and 12 KiB before the end,
/// 0.90 (in the byte order of its host) between 64 and 128 KiB before the end.
fn is_md(ends: &Ends) -> Option<u64> {
    const MAGIC: u32 = 0xa92b_4efc;
    let places = [Some(0), Some(4096), ends.before_end(4096, 8192), ends.before_end(1 << 16, 1 << 16)];
    let magic = |offset: &u64| ends.is(*offset, &MAGIC.to_le_bytes()) || ends.is(*offset, &MAGIC.to_be_bytes());
    places.into_iter().flatten().find(magic)
}

/// OpenZFS, include/sys/vdev_impl.h and uberblock_impl.h: four labels of 256 KiB, two at either end; in the second
/// half of each the uberblocks, at least 1 KiB apart, in the byte order of their host.
fn is_zfs(ends: &Ends) -> Option<u64> {
    const MAGIC: u64 = 0x00ba_b10c;
    const LABEL: u64 = 256 << 10;
    let labels = [Some(0), Some(LABEL), ends.before_end(LABEL, 2 * LABEL), ends.before_end(LABEL, LABEL)];
    let mut places = labels.into_iter().flatten().flat_map(|label| (128..256).map(move |kib| label + (kib << 10)));
    places.find(|place| ends.is(*place, &MAGIC.to_le_bytes()) || ends.is(*place, &MAGIC.to_be_bytes()))
}

/// include/uapi/linux/minix_fs.h and magic.h: the super block at 1024. Versions 1 and 2 have their magic at 16, a
/// zone size of 0 (10) and a small state (18); version 3 has its magic at 24, no zone size (12) and zeros next to it.
fn is_minix(ends: &Ends) -> Option<u64> {
    const SUPER: u64 = 1024;
    let le16 = |offset: u64| Some(u16::from_le_bytes(ends.at(SUPER + offset, 2)?.try_into().ok()?));
    let old = matches!(le16(16), Some(0x137f | 0x138f | 0x2468 | 0x2478)) && le16(10) == Some(0);
    let third = le16(24) == Some(0x4d5a) && le16(4) == Some(0) && le16(12) == Some(0);
    ((old && le16(18).is_some_and(|state| state <= 3)) || third).then_some(SUPER)
}

const BOOT_MARK: &[u8] = &[0x55, 0xaa];

/// UEFI specification, legacy MBR: four entries of 16 bytes from byte 446 on, each beginning with a status that is 0
/// or 0x80. An empty table counts too.
fn is_mbr(ends: &Ends) -> Option<u64> {
    let status = |entry: u64| ends.at(446 + 16 * entry, 1).is_some_and(|byte| matches!(byte, [0 | 0x80]));
    (ends.is(510, BOOT_MARK) && (0..4).all(status)).then_some(446)
}

/// A jump over the parameters: FAT, NTFS and boot loaders begin with it.
fn is_boot_sector(ends: &Ends) -> Option<u64> {
    let jumps = matches!(ends.at(0, 3), Some([0xeb, _, 0x90] | [0xe9, _, _]));
    (jumps && ends.is(510, BOOT_MARK)).then_some(0)
}

#[cfg(test)]
mod tests;
