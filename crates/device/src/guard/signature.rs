//! Whether a device holds something that is known by its bytes: partition tables, file systems, swap, members of
//! volumes. Looks at the first and the last MiB; where it is not sure, it says that there is something.
//!
//! Comparisons that need more than a few bytes at a fixed place are here: short magics are taken together with fields
//! beside them, since content that drivelab itself left (random data) must not look like a file system by chance.

mod known;

use std::os::fd::AsFd;

use drivelab_core::units::Bytes;
use rustix::fs::{Advice, fadvise};
use rustix::io::pread;

/// How much is looked at, at either end.
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
    /// Bytes at an offset, where they were looked at.
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

    /// An offset counted from the end, of a device whose length is cut to whole units.
    fn before_end(&self, unit: u64, distance: u64) -> Option<u64> {
        (self.length - self.length % unit).checked_sub(distance)
    }
}

/// What the device holds, with its article, where something is known; `None` where nothing is. What was read does not
/// stay in the page cache.
///
/// # Errors
/// The device's, where it cannot be read.
pub(super) fn find(device: impl AsFd, length: Bytes) -> std::io::Result<Option<&'static str>> {
    let look = LOOK.min(length.get());
    let head = read(&device, 0, look)?;
    let tail = read(&device, length.get() - look, look)?;
    let _ = fadvise(&device, 0, None, Advice::DontNeed);
    Ok(known(&Ends { head, tail, length: length.get() }))
}

/// How many kinds of content are told apart, for the record.
pub(super) fn kinds() -> usize {
    let mut kinds: Vec<&str> = known::KNOWN.iter().map(|known| known.what).collect();
    kinds.extend(SPECIAL.map(|(what, _)| what));
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len()
}

fn read(device: impl AsFd, from: u64, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).map_err(std::io::Error::other)?];
    let mut done = 0;
    while done < bytes.len() {
        match pread(&device, &mut bytes[done..], from + done as u64)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(bytes)
}

/// A comparison of its own.
type Special = (&'static str, fn(&Ends) -> bool);

const SPECIAL: [Special; 6] = [
    ("an ext2, ext3 or ext4 file system", is_ext),
    ("a member of a Linux RAID (md)", is_md),
    ("a member of a ZFS pool", is_zfs),
    ("a Minix file system", is_minix),
    ("an MBR partition table", is_mbr),
    ("a boot sector", is_boot_sector),
];

fn known(ends: &Ends) -> Option<&'static str> {
    let table = known::KNOWN.iter().find(|known| {
        let from_end = known.before_end.iter().filter_map(|distance| ends.length.checked_sub(*distance));
        known.at.iter().copied().chain(from_end).any(|offset| ends.is(offset, known.magic))
    });
    // A GPT has an MBR in front, a FAT a boot sector: what says more comes first.
    table.map(|known| known.what).or_else(|| SPECIAL.iter().find(|(_, is)| is(ends)).map(|(what, _)| *what))
}

/// Documentation/filesystems/ext4/super.rst: the super block at 1024 has its magic, of two bytes only, at 0x38; beside
/// it the block size as a power of two from 1 KiB to 64 KiB (0x18) and the revision (0x4c).
fn is_ext(ends: &Ends) -> bool {
    const SUPER: u64 = 1024;
    let at_most = |offset, most| ends.le32(SUPER + offset).is_some_and(|value| value <= most);
    ends.is(SUPER + 0x38, &[0x53, 0xef]) && at_most(0x18, 6) && at_most(0x4c, 1)
}

/// include/uapi/linux/raid/md_p.h: format 1.1 at the start, 1.2 at 4 KiB, 1.0 between 8 and 12 KiB before the end,
/// 0.90 (in the byte order of its host) between 64 and 128 KiB before the end.
fn is_md(ends: &Ends) -> bool {
    const MAGIC: u32 = 0xa92b_4efc;
    let places = [Some(0), Some(4096), ends.before_end(4096, 8192), ends.before_end(1 << 16, 1 << 16)];
    let any = |bytes: [u8; 4]| places.into_iter().flatten().any(|offset| ends.is(offset, &bytes));
    any(MAGIC.to_le_bytes()) || any(MAGIC.to_be_bytes())
}

/// OpenZFS, include/sys/vdev_impl.h and uberblock_impl.h: four labels of 256 KiB, two at either end; in the second half
/// of each the uberblocks, 1 KiB apart at least, in the byte order of their host.
fn is_zfs(ends: &Ends) -> bool {
    const MAGIC: u64 = 0x00ba_b10c;
    const LABEL: u64 = 256 << 10;
    let labels = [Some(0), Some(LABEL), ends.before_end(LABEL, 2 * LABEL), ends.before_end(LABEL, LABEL)];
    let mut places = labels.into_iter().flatten().flat_map(|label| (128..256).map(move |kib| label + (kib << 10)));
    places.any(|place| ends.is(place, &MAGIC.to_le_bytes()) || ends.is(place, &MAGIC.to_be_bytes()))
}

/// include/uapi/linux/minix_fs.h and magic.h: the super block at 1024. Versions 1 and 2 have their magic at 16, a zone
/// size of 0 (10) and a small state (18); version 3 has its magic at 24, no zone size (12) and zeros beside.
fn is_minix(ends: &Ends) -> bool {
    const SUPER: u64 = 1024;
    let le16 = |offset: u64| Some(u16::from_le_bytes(ends.at(SUPER + offset, 2)?.try_into().ok()?));
    let old = matches!(le16(16), Some(0x137f | 0x138f | 0x2468 | 0x2478)) && le16(10) == Some(0);
    let third = le16(24) == Some(0x4d5a) && le16(4) == Some(0) && le16(12) == Some(0);
    (old && le16(18).is_some_and(|state| state <= 3)) || third
}

const BOOT_MARK: &[u8] = &[0x55, 0xaa];

/// UEFI specification, legacy MBR: four entries of 16 bytes from byte 446 on, each beginning with a status that is 0
/// or 0x80. An empty table counts too.
fn is_mbr(ends: &Ends) -> bool {
    let status = |entry: u64| ends.at(446 + 16 * entry, 1).is_some_and(|byte| matches!(byte, [0 | 0x80]));
    ends.is(510, BOOT_MARK) && (0..4).all(status)
}

/// A jump over the parameters, as FAT, NTFS and boot loaders begin.
fn is_boot_sector(ends: &Ends) -> bool {
    let jumps = matches!(ends.at(0, 3), Some([0xeb, _, 0x90] | [0xe9, _, _]));
    jumps && ends.is(510, BOOT_MARK)
}

#[cfg(test)]
mod tests;
