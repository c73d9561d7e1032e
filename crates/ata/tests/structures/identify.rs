//! IDENTIFY DEVICE (ACS-4, section 7.13.6), word by word.

use drivelab_ata::{IdentifyDevice, Rotation};
use serde_json::Value;

use crate::pages::{self, Page, decode, swapped};
use crate::rows::{Row, hold, row};

/// Word `number` holds `value`.
fn word(number: usize, value: u16, field: &'static str, says: impl Into<Value>) -> Row {
    row(number * 2, &value.to_le_bytes(), field, says)
}

fn rows() -> Vec<Row> {
    vec![
        row(20, &swapped("ABCDEFGHIJKLMNOPQRST"), "/serial", "ABCDEFGHIJKLMNOPQRST"),
        row(46, &swapped("FW 1.2  "), "/firmware", "FW 1.2"),
        row(54, &swapped(&"0123456789".repeat(4)), "/model", "0123456789".repeat(4)),
        word(48, 0x4000, "/trusted_computing", false),
        word(48, 0x8001, "/trusted_computing", false),
        word(59, 0xF000, "/sanitize/block_erase", true),
        word(59, 0x3000, "/sanitize/crypto_scramble", true),
        word(59, 0x5000, "/sanitize/overwrite", true),
        word(59, 0xE000, "/sanitize/supported", false),
        word(59, 0xE000, "/sanitize/block_erase", false),
        word(69, 0x4000, "/trim/reads_zeros", false),
        word(69, 0x0020, "/trim/reads_zeros", false),
        word(69, 0x4000, "/trim/deterministic", true),
        word(69, 0x4028, "/sectors", 0),
        word(75, 0, "/link/queue_entries", 1),
        word(76, 0x0106, "/link/possible_100mbps", 30),
        word(76, 0x000E, "/link/queueing", false),
        word(76, 0xFFFF, "/link/possible_100mbps", Value::Null),
        word(77, 0x0006, "/link/current_100mbps", 60),
        word(77, 0x0000, "/link/current_100mbps", Value::Null),
        word(80, 0x0FF0, "/major_versions", 0x0FF0),
        word(80, 0xFFFF, "/major_versions", 0),
        word(82, 0x0000, "/write_cache/supported", false),
        word(82, 0x0000, "/read_ahead/supported", false),
        word(82, 0x0000, "/smart/supported", false),
        word(83, 0x7101, "/sectors", 0x0FFF_FFFF),
        word(83, 0x0400, "/smart/supported", false),
        word(83, 0x0400, "/write_cache/supported", false),
        word(83, 0x0400, "/read_ahead/supported", false),
        word(84, 0x4143, "/general_purpose_logs", false),
        word(85, 0x0040, "/write_cache/enabled", false),
        word(85, 0x0020, "/read_ahead/enabled", false),
        word(85, 0x0020, "/smart/enabled", false),
        word(87, 0x0163, "/smart/enabled", false),
        word(87, 0x0163, "/write_cache/enabled", false),
        word(87, 0x0163, "/read_ahead/enabled", false),
        word(89, 0x00FF, "/security/erase_min", 510),
        word(89, 0, "/security/erase_min", Value::Null),
        word(90, 0x8100, "/security/enhanced_erase_min", 512),
        row(200, &[0, 0, 0, 0, 1, 0, 0, 0], "/sectors", 1_u64 << 32),
        word(106, 0x6003, "/physical_sector_bytes", 4096),
        word(106, 0x2003, "/physical_sector_bytes", 512),
        word(108, 0xABCD, "/world_wide_name", "abcd5388a07b1234"),
        word(111, 0xABCD, "/world_wide_name", "50025388a07babcd"),
        word(128, 0x0101, "/security/level_maximum", true),
        word(128, 0x0016, "/security/locked", true),
        word(128, 0x0012, "/security/attempts_used_up", true),
        word(128, 0x0008, "/security/frozen", true),
        word(128, 0x0002, "/security/enabled", true),
        word(128, 0x0020, "/security/enhanced_erase", true),
        word(168, 7, "/form_factor", "m2"),
        word(168, 15, "/form_factor/reserved", 15),
        word(169, 0, "/trim/supported", false),
        word(209, 0x4007, "/alignment_sectors", 7),
        word(209, 0x0007, "/alignment_sectors", Value::Null),
        word(217, 7200, "/rotation/rpm", 7200),
        word(217, 0x0400, "/rotation", "not_reported"),
        row(234, &[0, 0], "/logical_sector_bytes", 512),
        row(510, &[0xA5, 0], "/checksum_right", false),
    ]
}

#[test]
fn every_field_is_where_the_standard_says() {
    // Words 108 and 111 hold one name; the page's own is written from its first word on.
    hold(&decode("ata_identify"), 512, &pages::identify().0, &rows());
}

#[test]
fn sectors_of_any_size_are_read() {
    let large = pages::identify().word(106, 0x5000).word(117, 2048).word(118, 0).0;
    let large = IdentifyDevice::decode(&large).unwrap();
    assert_eq!((large.logical_sector_bytes, large.physical_sector_bytes), (4096, 4096));
    assert_eq!(large.capacity_bytes(), Some(488_397_168 * 4096));
    let emulated = pages::identify().word(106, 0x6003).0;
    let emulated = IdentifyDevice::decode(&emulated).unwrap();
    assert_eq!((emulated.logical_sector_bytes, emulated.physical_sector_bytes), (512, 4096));
    let nonsense = pages::identify().word(106, 0x7FFF).word(117, 0xFFFF).word(118, 0xFFFF).0;
    let nonsense = IdentifyDevice::decode(&nonsense).unwrap();
    assert_eq!(nonsense.physical_sector_bytes, 8_589_934_590 << 15);
}

#[test]
fn a_capacity_beyond_48_bits_has_words_of_its_own() {
    let page = pages::identify().word(69, 0x4028).quad(230, 1 << 50).0;
    assert_eq!(IdentifyDevice::decode(&page).unwrap().sectors, 1 << 50);
    let huge = pages::identify().word(69, 0x4028).quad(230, u64::MAX).0;
    assert_eq!(IdentifyDevice::decode(&huge).unwrap().capacity_bytes(), None, "more than numbers hold");
}

#[test]
fn the_checksum_is_held() {
    let page = pages::identify().put(510, &[0xA5]).sealed();
    assert_eq!(IdentifyDevice::decode(&page).unwrap().checksum_right, Some(true));
    let broken = Page(page).put(30, &[0xFF]).0;
    assert_eq!(IdentifyDevice::decode(&broken).unwrap().checksum_right, Some(false));
    assert_eq!(IdentifyDevice::decode(&pages::identify().0).unwrap().checksum_right, None);
}

#[test]
fn an_optical_drive_is_refused_and_a_serial_number_cannot_send_control_signs() {
    let error = IdentifyDevice::decode(&pages::identify().word(0, 0x8580).0).unwrap_err().to_string();
    assert!(error.contains("no ATA disk"), "{error}");
    let page = pages::identify().put(20, &swapped("\u{1b}[2Jevil")).0;
    assert!(IdentifyDevice::decode(&page).unwrap().serial.starts_with("?[2Jevil"));
}

#[test]
fn a_page_of_zeros_claims_nothing() {
    let nothing = IdentifyDevice::decode(&[0; 512]).unwrap();
    assert_eq!((nothing.rotation, nothing.sectors, nothing.world_wide_name), (Rotation::NotReported, 0, None));
    assert!(!nothing.smart.supported && !nothing.trim.supported && !nothing.security.supported);
    assert_eq!(nothing.link.possible_100mbps, None);
}
