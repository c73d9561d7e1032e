//! IDENTIFY DEVICE, word by word.

use drivelab_ata::{AfterTrim, Checksum, FormFactor, IdentifyDevice, LinkSpeed, Rotation, Zones};

use crate::build::Page;

/// The start of a page of an ATA device with names.
fn named() -> Page {
    Page::new().word(0, 0x0040).text(10, 10, "S3Z8NB0K").text(23, 4, "RVT04B6Q").text(27, 20, "Example 860 SSD 1TB")
}

fn decode(page: Page) -> IdentifyDevice {
    IdentifyDevice::decode(&page.0).expect("IDENTIFY DEVICE data")
}

#[test]
fn a_solid_state_drive_says_what_it_is() {
    let page = named()
        .word(48, 0x4001)
        .word(59, 1 << 12 | 1 << 13 | 1 << 15)
        .words(60, 2, 0x0FFF_FFFF)
        .word(69, 1 << 14 | 1 << 5 | 1 << 4)
        .word(75, 31)
        .word(76, 1 << 8 | 1 << 3 | 1 << 2 | 1 << 1)
        .word(77, 2 << 1)
        .word(78, 1 << 8 | 1 << 3)
        .word(80, 1 << 11 | 1 << 10 | 1 << 9 | 1 << 8)
        .word(82, 1 << 6 | 1 << 5 | 1 << 1 | 1)
        .word(83, 1 << 14 | 1 << 10 | 1 << 3)
        .word(84, 1 << 14 | 1 << 5 | 1 << 1 | 1)
        .word(85, 1 << 5 | 1)
        .word(86, 1 << 3)
        .word(87, 1 << 14 | 1 << 8)
        .word(89, 16)
        .word(90, 0x8000 | 300)
        .word(91, 0x00FE)
        .words(100, 4, 1_953_525_168)
        .word(105, 8)
        .word(106, 1 << 14 | 1 << 13 | 3)
        .word(108, 0x5002)
        .word(109, 0x538E)
        .word(110, 0x4000)
        .word(111, 0x1234)
        .word(128, 1 << 5 | 1 << 3 | 1)
        .word(168, 3)
        .word(169, 1)
        .word(209, 1 << 14 | 7)
        .word(217, 1)
        .word(255, 0x00A5)
        .sealed();
    let drive = decode(page);
    assert_eq!((drive.serial.as_str(), drive.firmware.as_str()), ("S3Z8NB0K", "RVT04B6Q"));
    assert_eq!(drive.model, "Example 860 SSD 1TB");
    assert_eq!((drive.sectors, drive.capacity_bytes()), (1_953_525_168, 1_000_204_886_016));
    assert_eq!((drive.logical_sector_bytes, drive.physical_sector_bytes, drive.alignment_sectors), (512, 4096, 7));
    assert_eq!((drive.rotation, drive.form_factor), (Rotation::SolidState, FormFactor::Inch25));
    assert_eq!((drive.link_now, drive.link_possible), (Some(LinkSpeed::Gen2), Some(LinkSpeed::Gen3)));
    assert_eq!(drive.link_possible.map(|speed| speed.to_string()).as_deref(), Some("6.0 Gb/s"));
    assert_eq!(drive.queue_depth, Some(32));
    assert_eq!((drive.trim, drive.trim_blocks_most, drive.after_trim), (true, 8, AfterTrim::Zeros));
    assert_eq!((drive.write_cache, drive.read_look_ahead), (Some(true), Some(false)));
    assert!(drive.smart_supported && drive.smart_enabled && drive.smart_error_log && drive.smart_self_test);
    assert!(drive.general_purpose_logging && drive.device_initiated_power && drive.device_sleep);
    assert_eq!(drive.power_management_level, Some(254));
    assert!(drive.trusted_computing && drive.encrypts_all);
    assert_eq!(drive.sanitize.ways(), ["block erase", "crypto scramble"]);
    assert_eq!((drive.security.erase_min, drive.security.enhanced_erase_min), (Some(32), Some(600)));
    assert!(drive.security.enhanced_erase);
    assert_eq!(drive.security.to_string(), "no password set, frozen until power-off");
    assert_eq!(drive.world_wide_name.as_deref(), Some("5002538e40001234"));
    assert_eq!(drive.newest_standard.as_deref(), Some("ACS-4"));
    assert_eq!((drive.zones, drive.checksum), (Zones::NotReported, Checksum::Right));
}

#[test]
fn an_old_drive_with_platters_says_less() {
    let drive = decode(named().words(60, 2, 156_301_488).word(80, 0x00F8).word(217, 7200).word(168, 2));
    assert_eq!((drive.sectors, drive.logical_sector_bytes, drive.physical_sector_bytes), (156_301_488, 512, 512));
    assert_eq!(drive.rotation, Rotation::PerMinute(7200));
    assert_eq!(drive.form_factor.to_string(), "3.5 inch");
    assert_eq!((drive.link_now, drive.link_possible, drive.queue_depth), (None, None, None));
    assert_eq!((drive.write_cache, drive.read_look_ahead, drive.power_management_level), (None, None, None));
    assert_eq!((drive.after_trim, drive.trim), (AfterTrim::NoTrim, false));
    assert_eq!(drive.security.to_string(), "not supported");
    assert_eq!(drive.newest_standard.as_deref(), Some("ATA/ATAPI-7"));
    assert_eq!((drive.checksum, drive.world_wide_name), (Checksum::Absent, None));
    assert!(drive.sanitize.ways().is_empty() && !drive.smart_enabled && !drive.trusted_computing);
}

#[test]
fn large_sectors_and_large_counts_are_counted_right() {
    // 4 KiB logical sectors: words 117 and 118 count words of 16 bits.
    let page = named().word(106, 1 << 14 | 1 << 12).words(117, 2, 2048).word(83, 1 << 14 | 1 << 10).words(100, 4, 1000);
    let drive = decode(page);
    assert_eq!((drive.logical_sector_bytes, drive.physical_sector_bytes), (4096, 4096));
    assert_eq!(drive.capacity_bytes(), 4_096_000);
    // Words 230 to 233 if word 69 bit 3 says so; an implausible product does not overflow.
    let page = named().word(69, 1 << 3).words(230, 4, u64::MAX).word(106, 1 << 14 | 1 << 12).words(117, 2, 0xFFFF_FFFF);
    let drive = decode(page);
    assert_eq!((drive.sectors, drive.capacity_bytes()), (u64::MAX, u64::MAX));
}

#[test]
fn words_that_say_they_mean_nothing_mean_nothing() {
    // Bits 15:14 of words 48, 83, 84, 87, 106 and 209 are not 01; word 76 is FFFFh.
    let page = [48, 83, 84, 87, 106, 209].into_iter().fold(named(), |page, number| page.word(number, 0xFFFF));
    let drive = decode(page.word(76, 0xFFFF).word(77, 0x000E).words(60, 2, 5).words(100, 4, 9).words(108, 4, 1));
    assert!(!drive.trusted_computing && !drive.smart_error_log && !drive.general_purpose_logging);
    assert_eq!((drive.sectors, drive.physical_sector_bytes, drive.alignment_sectors), (5, 512, 0));
    assert_eq!(
        (drive.link_now, drive.link_possible, drive.queue_depth, drive.world_wide_name),
        (None, None, None, None)
    );
}

#[test]
fn reserved_values_are_kept() {
    let drive = decode(named().word(217, 0x0300).word(168, 0xFFFE).word(76, 2).word(77, 7 << 1).word(69, 3));
    assert_eq!(drive.rotation, Rotation::Reserved(0x0300));
    assert_eq!(drive.form_factor, FormFactor::Reserved(14));
    assert_eq!(drive.form_factor.to_string(), "reserved value 14");
    assert_eq!((drive.link_now, drive.link_possible), (Some(LinkSpeed::Later(7)), Some(LinkSpeed::Gen1)));
    assert_eq!(drive.zones, Zones::Reserved);
}

#[test]
fn a_locked_drive_says_so() {
    let drive = decode(named().word(128, 1 << 4 | 1 << 2 | 1 << 1 | 1));
    assert!(drive.security.locked && drive.security.attempts_used_up);
    assert_eq!(drive.security.to_string(), "password set, locked, not frozen, too many wrong passwords");
}

#[test]
fn trim_promises_are_told_apart() {
    let after = |word: u16| decode(named().word(169, 1).word(69, word)).after_trim;
    assert_eq!(after(0), AfterTrim::Undefined);
    // RZAT without DRAT guarantees nothing.
    assert_eq!(after(1 << 5), AfterTrim::Undefined);
    assert_eq!(after(1 << 14), AfterTrim::Deterministic);
}

#[test]
fn a_page_that_was_changed_on_its_way_is_noticed() {
    let page = named().word(255, 0x00A5).sealed().word(100, 1);
    assert_eq!(decode(page).checksum, Checksum::Wrong);
}

#[test]
fn what_is_no_ata_drive_is_refused_with_the_reason() {
    let said = |page: &[u8]| IdentifyDevice::decode(page).unwrap_err().to_string();
    assert!(said(&named().word(0, 0x85C0).0).contains("packet device"));
    assert!(said(&[0; 512]).contains("without asking the drive"));
    assert!(said(&[0xFF; 512]).contains("without asking the drive"));
    assert!(IdentifyDevice::decode(&named().word(0, 0x848A).0).is_ok(), "a CompactFlash card is an ATA device");
}

#[test]
fn text_cannot_reach_a_terminal_as_control_signs() {
    let drive = decode(named().text(27, 20, "\u{1b}[2Jred\u{7}"));
    assert_eq!(drive.model, "?[2Jred?");
}

#[test]
fn the_kernels_copy_in_sysfs_is_the_same_page() {
    let page = named().0;
    let mut vpd = vec![0_u8; 572];
    (vpd[1], vpd[2], vpd[3], vpd[56]) = (0x89, 0x02, 0x38, 0xEC);
    vpd[60..].copy_from_slice(&page);
    let (drive, raw) = IdentifyDevice::decode_vpd(&vpd).unwrap();
    assert_eq!((drive, raw), (IdentifyDevice::decode(&page).unwrap(), page.to_vec()));
    vpd[56] = 0xA1;
    assert!(IdentifyDevice::decode_vpd(&vpd).unwrap_err().to_string().contains("a command other than"));
    assert!(IdentifyDevice::decode_vpd(&vpd[..571]).unwrap_err().to_string().contains("572 bytes are needed"));
}
