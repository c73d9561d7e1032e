//! Every row of the table is found at its place, and meaningless content is not recognised as anything.

use proptest::prelude::*;

use super::*;

const LENGTH: u64 = 8 << 20;

/// The ends of a device of that length with these bytes at their offsets.
fn ends_of(length: u64, parts: &[(u64, &[u8])]) -> Ends {
    let mut device = vec![0u8; usize::try_from(length).expect("a size")];
    for (offset, bytes) in parts {
        let start = usize::try_from(*offset).expect("an offset");
        device[start..start + bytes.len()].copy_from_slice(bytes);
    }
    let look = usize::try_from(LOOK.min(length)).expect("a size");
    Ends { head: device[..look].to_vec(), tail: device[device.len() - look..].to_vec(), length }
}

/// The first signature that is found.
fn known(ends: &Ends) -> Option<&'static str> {
    all(ends).first().map(|found| found.what)
}

fn found(parts: &[(u64, &[u8])]) -> Option<&'static str> {
    known(&ends_of(LENGTH, parts))
}

#[test]
fn every_row_is_found_at_every_place_it_names() {
    for row in known::KNOWN {
        assert!(row.magic.len() >= 4, "{}: too short to exclude chance", row.what);
        let places = row.at.iter().copied().chain(row.before_end.iter().map(|distance| LENGTH - distance));
        for place in places {
            assert_eq!(found(&[(place, row.magic)]), Some(row.what), "at {place}");
            assert_eq!(found(&[(place + 1, row.magic)]), None, "{} next to its place {place}", row.what);
        }
    }
    assert!(known::KNOWN.len() > 40);
}

#[test]
fn raid_members_of_every_format_and_byte_order_are_found() {
    let magic = 0xa92b_4efc_u32;
    for place in [0, 4096, LENGTH - 8192, LENGTH - (1 << 16)] {
        for bytes in [magic.to_le_bytes(), magic.to_be_bytes()] {
            assert_eq!(found(&[(place, &bytes)]), Some("a member of a Linux RAID (md)"), "at {place}");
        }
    }
    // 0.90 and 1.0 count from the end, rounded down to their units.
    let odd = LENGTH + 5 * 512;
    assert_eq!(known(&ends_of(odd, &[(LENGTH - 8192, &magic.to_le_bytes())])), Some("a member of a Linux RAID (md)"));
}

#[test]
fn a_zfs_label_is_found_at_either_end() {
    for (place, bytes) in [
        (132u64 << 10, 0x00ba_b10c_u64.to_le_bytes()),
        ((256 + 255) << 10, 0x00ba_b10c_u64.to_be_bytes()),
        (LENGTH - (512 << 10) + (128 << 10), 0x00ba_b10c_u64.to_le_bytes()),
    ] {
        assert_eq!(found(&[(place, &bytes)]), Some("a member of a ZFS pool"), "at {place}");
    }
}

#[test]
fn partition_tables_count_with_and_without_entries_and_gpt_says_more_than_its_mbr() {
    let table = |status: u8, kind: u8| {
        let mut sector = [0u8; 512];
        (sector[446], sector[450]) = (status, kind);
        sector[510..].copy_from_slice(BOOT_MARK);
        sector
    };
    assert_eq!(found(&[(0, &table(0x80, 0x83))]), Some("an MBR partition table"));
    assert_eq!(found(&[(0, &table(0, 0))]), Some("an MBR partition table"), "an empty one");
    assert_eq!(found(&[(0, &table(0, 0xee)), (512, b"EFI PART")]), Some("a GPT partition table"));
    assert_eq!(found(&[(0, &table(0x12, 0x83))]), None, "a boot mark by chance");
    let mut boot = table(0x12, 0x83);
    boot[..3].copy_from_slice(&[0xeb, 0x3c, 0x90]);
    assert_eq!(found(&[(0, &boot)]), Some("a boot sector"));
}

#[test]
fn an_ext_magic_alone_is_chance_and_with_its_fields_it_is_not() {
    let mut block = [0xa5u8; 256];
    block[0x38..0x3a].copy_from_slice(&[0x53, 0xef]);
    assert_eq!(found(&[(1024, &block)]), None);
    block[0x18..0x1c].copy_from_slice(&2u32.to_le_bytes());
    block[0x4c..0x50].copy_from_slice(&1u32.to_le_bytes());
    assert_eq!(found(&[(1024, &block)]), Some("an ext2, ext3 or ext4 file system"));
}

#[test]
fn minix_is_known_by_its_magic_with_the_fields_beside_it() {
    let mut block = [0u8; 32];
    block[16..18].copy_from_slice(&0x138f_u16.to_le_bytes());
    block[18] = 1;
    assert_eq!(found(&[(1024, &block)]), Some("a Minix file system"));
    block[10] = 7;
    assert_eq!(found(&[(1024, &block)]), None);
    let third = 0x4d5a_u16.to_le_bytes();
    assert_eq!(found(&[(1024 + 24, &third)]), Some("a Minix file system"));
}

#[test]
fn an_empty_device_holds_nothing_and_a_tiny_one_is_read_within_its_bounds() {
    assert_eq!(found(&[]), None);
    for length in [0, 1, 511, 512, 4096, 70_000] {
        assert_eq!(known(&ends_of(length, &[])), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What a run with incompressible data leaves behind must not keep the next run out.
    #[test]
    fn random_content_is_not_taken_for_something(seed in any::<u64>()) {
        let mut state = seed | 1;
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()
        })
        .take(1 << 17)
        .flatten()
        .collect();
        let ends = Ends { head: bytes.clone(), tail: bytes, length: LENGTH };
        prop_assert_eq!(known(&ends), None);
    }

    #[test]
    fn any_bytes_and_lengths_never_panic(head in proptest::collection::vec(any::<u8>(), 0..2000), length in any::<u64>()) {
        known(&Ends { tail: head.clone(), head, length });
    }
}
