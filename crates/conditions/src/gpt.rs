//! A GUID partition table with one partition, as bytes: UEFI Specification 2.10, section 5.2.3 (protective MBR) and
//! 5.3.
//!
//! Owns the place of the partition and the content and place of the tables. Must not know devices: the holder of the
//! drive writes the bytes. drivelab has its own writer because the table has fixed content here, and because not
//! every kernel reads tables itself: the partition is announced to the kernel separately (addpart(8)).

use drivelab_core::condition::Share;
use drivelab_core::units::Bytes;
use uuid::Uuid;

/// Partitions begin and end at multiples of this, as current tools place them.
const ALIGN: u64 = 1 << 20;
/// Entries in the table, and bytes of one: the minimum in section 5.3.3.
const ENTRIES: u64 = 128;
const ENTRY: usize = 128;
/// Bytes of a header (section 5.3.2, table 5.5).
const HEADER: usize = 92;
/// "Linux filesystem data", the default type of partitioning tools.
const LINUX_DATA: Uuid = Uuid::from_u128(0x0FC6_3DAF_8483_4772_8E79_3D69_D847_7DE4);
/// The partition's name in the table.
const NAME: &str = "drivelab";

/// The place of the one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of a logical block.
    pub block: u64,
    /// Logical blocks of the drive.
    pub blocks: u64,
    /// First byte of the partition.
    pub start: u64,
    /// Bytes of the partition.
    pub length: u64,
}

impl Layout {
    /// A partition of `share` of a drive, rounded down to whole MiB and limited to what the table leaves free. `None`
    /// if nothing is left, or if drives do not have this block size.
    #[must_use]
    pub fn new(drive: Bytes, block: u64, share: Share) -> Option<Layout> {
        if !block.is_power_of_two() || !(512..=ALIGN).contains(&block) {
            return None;
        }
        let blocks = drive.get() / block;
        let end_of_usable =
            Bytes::new(blocks.checked_sub(1 + table_blocks(block))? * block).align_down(Bytes::new(ALIGN));
        let length = share.of(drive, Bytes::new(ALIGN)).get().min(end_of_usable.get().checked_sub(ALIGN)?);
        (length > 0).then_some(Layout { block, blocks, start: ALIGN, length })
    }

    /// The data to write and its offsets: the protective MBR with the first table, and the second table at the end.
    #[must_use]
    pub fn tables(&self, drive: Uuid, partition: Uuid) -> [(u64, Vec<u8>); 2] {
        let last = self.blocks - 1;
        let entries = self.entries(partition);
        let entries_crc = crc32fast::hash(&entries);
        let block = self.bytes_of_block();
        let mut first = self.protective_mbr();
        first.extend(self.header(Place { own: 1, other: last, entries: 2 }, drive, entries_crc));
        first.extend(&entries);
        first.resize(first.len().next_multiple_of(block), 0);
        let second_at = last - table_blocks(self.block);
        let mut second = entries;
        second.resize(second.len().next_multiple_of(block), 0);
        second.extend(self.header(Place { own: last, other: 1, entries: second_at }, drive, entries_crc));
        [(0, first), (second_at * self.block, second)]
    }

    fn bytes_of_block(&self) -> usize {
        usize::try_from(self.block).unwrap_or(512)
    }

    /// Section 5.2.3: one entry of type EE over the whole drive, so that old tools leave it alone.
    fn protective_mbr(&self) -> Vec<u8> {
        let mut mbr = vec![0; self.bytes_of_block()];
        let size = u32::try_from(self.blocks - 1).unwrap_or(u32::MAX);
        mbr[446..454].copy_from_slice(&[0, 0, 2, 0, 0xEE, 0xFF, 0xFF, 0xFF]);
        mbr[454..458].copy_from_slice(&1_u32.to_le_bytes());
        mbr[458..462].copy_from_slice(&size.to_le_bytes());
        mbr[510..512].copy_from_slice(&[0x55, 0xAA]);
        mbr
    }

    /// Section 5.3.3.
    fn entries(&self, partition: Uuid) -> Vec<u8> {
        let mut entries = vec![0; ENTRY * usize::try_from(ENTRIES).unwrap_or(0)];
        entries[0..16].copy_from_slice(&LINUX_DATA.to_bytes_le());
        entries[16..32].copy_from_slice(&partition.to_bytes_le());
        entries[32..40].copy_from_slice(&(self.start / self.block).to_le_bytes());
        entries[40..48].copy_from_slice(&((self.start + self.length) / self.block - 1).to_le_bytes());
        for (index, unit) in NAME.encode_utf16().enumerate() {
            entries[56 + 2 * index..58 + 2 * index].copy_from_slice(&unit.to_le_bytes());
        }
        entries
    }

    /// Section 5.3.2, one block with its own checksum.
    fn header(&self, place: Place, drive: Uuid, entries_crc: u32) -> Vec<u8> {
        let tables = table_blocks(self.block);
        let mut header = vec![0; self.bytes_of_block()];
        header[0..8].copy_from_slice(b"EFI PART");
        header[8..12].copy_from_slice(&0x0001_0000_u32.to_le_bytes());
        header[12..16].copy_from_slice(&92_u32.to_le_bytes());
        for (at, value) in [(24, place.own), (32, place.other), (40, 2 + tables), (48, self.blocks - 2 - tables)] {
            header[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        header[56..72].copy_from_slice(&drive.to_bytes_le());
        header[72..80].copy_from_slice(&place.entries.to_le_bytes());
        header[80..84].copy_from_slice(&128_u32.to_le_bytes());
        header[84..88].copy_from_slice(&128_u32.to_le_bytes());
        header[88..92].copy_from_slice(&entries_crc.to_le_bytes());
        let crc = crc32fast::hash(&header[..HEADER]);
        header[16..20].copy_from_slice(&crc.to_le_bytes());
        header
    }
}

/// The blocks of a header, of the other header, and of its entries.
#[derive(Clone, Copy)]
struct Place {
    own: u64,
    other: u64,
    entries: u64,
}

/// Blocks that the entries of one table take.
const fn table_blocks(block: u64) -> u64 {
    (ENTRIES * ENTRY as u64).div_ceil(block)
}

/// The drive's GUID in a header read from block 1, if the header is valid: to recognise drivelab's own table.
#[must_use]
pub fn drive_guid(header: &[u8]) -> Option<Uuid> {
    let header = header.get(..HEADER)?;
    if &header[0..8] != b"EFI PART" {
        return None;
    }
    let mut without = header.to_vec();
    without[16..20].fill(0);
    let sound = crc32fast::hash(&without).to_le_bytes() == header[16..20];
    let guid: [u8; 16] = header[56..72].try_into().ok()?;
    sound.then(|| Uuid::from_bytes_le(guid))
}

/// Whether the first block is a protective MBR as written here: one entry of type EE and no other.
pub(crate) fn is_protective(start: &[u8]) -> bool {
    let kind = |entry: usize| start.get(446 + 16 * entry + 4).copied();
    kind(0) == Some(0xEE) && (1..4).all(|entry| kind(entry) == Some(0))
}

/// How many partitions the table at the start of a drive has.
pub(crate) fn partitions(start: &[u8], block: usize) -> usize {
    let entries = start.get(2 * block..).unwrap_or_default();
    let most = usize::try_from(ENTRIES).unwrap_or_default();
    entries.chunks_exact(ENTRY).take(most).filter(|entry| entry.iter().take(16).any(|byte| *byte != 0)).count()
}

#[cfg(test)]
mod tests {
    //! Sizes by hand; that other programs read the table is tested on a real device (tests/loop_devices.rs).

    use proptest::prelude::*;

    use super::*;

    const GUID: Uuid = Uuid::from_u128(0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10);

    fn layout(drive: u64, block: u64, share: &str) -> Option<Layout> {
        Layout::new(Bytes::new(drive), block, share.parse().expect("a share"))
    }

    #[test]
    fn a_share_is_of_the_drive_and_leaves_room_for_both_tables() {
        let mib = 1 << 20;
        let of = |share: &str| layout(100 * mib, 512, share).map(|layout| (layout.start / mib, layout.length / mib));
        assert_eq!(of("90%"), Some((1, 90)));
        assert_eq!(of("100%"), Some((1, 98)));
        assert_eq!(of("10 MiB"), Some((1, 10)));
        assert_eq!(layout(2 * mib, 512, "100%"), None);
        assert_eq!(layout(0, 512, "100%"), None);
        assert_eq!(layout(100 * mib, 520, "90%"), None);
    }

    #[test]
    fn the_table_says_where_everything_is() {
        let layout = layout(100 << 20, 512, "90%").expect("a layout");
        let [(at, first), (second_at, second)] = layout.tables(GUID, Uuid::from_u128(7));
        assert_eq!((at, first.len(), second_at, second.len()), (0, 34 * 512, 204_800 * 512 - 33 * 512, 33 * 512));
        assert_eq!(&first[510..520], b"\x55\xAAEFI PART");
        let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        assert_eq!([24, 32, 40, 48].map(|at| number(&first, 512 + at)), [1, 204_799, 34, 204_766]);
        assert_eq!([32, 40].map(|at| number(&first, 1024 + at)), [2048, 2048 + 90 * 2048 - 1]);
        // The GUID as the specification mixes it (appendix A): the first three groups little endian.
        assert_eq!(first[512 + 56..512 + 64], [4, 3, 2, 1, 6, 5, 8, 7]);
        assert_eq!(drive_guid(&first[512..]), Some(GUID));
        assert_eq!(drive_guid(&second[32 * 512..]), Some(GUID));
        let mut broken = first[512..].to_vec();
        broken[60] ^= 1;
        assert_eq!(drive_guid(&broken), None);
    }

    proptest! {
        #[test]
        fn no_partition_reaches_into_a_table(drive in 0_u64..1 << 50, shift in 9_u32..13, percent in 1_u8..=100) {
            let block = 1 << shift;
            if let Some(layout) = layout(drive, block, &format!("{percent}%")) {
                let tables = layout.tables(GUID, GUID);
                prop_assert!(layout.start >= tables[0].1.len() as u64);
                prop_assert!(layout.start + layout.length <= tables[1].0);
                prop_assert_eq!(tables[1].0 + tables[1].1.len() as u64, drive / block * block);
            }
        }

        #[test]
        fn any_bytes_are_looked_at_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = drive_guid(&bytes);
        }
    }
}
