//! SMART data, thresholds and register answers, byte by byte.

use drivelab_ata::{Checksum, PowerMode, Registers, SmartData, SmartThresholds, Verdict};

use crate::build::Page;

/// An entry of the attribute table.
fn entry(id: u8, flags: u16, value: u8, worst: u8, raw: [u8; 6]) -> [u8; 12] {
    let flags = flags.to_le_bytes();
    [id, flags[0], flags[1], value, worst, raw[0], raw[1], raw[2], raw[3], raw[4], raw[5], 0]
}

fn data(entries: &[[u8; 12]]) -> Page {
    let page = Page::new().bytes(0, &[0x10, 0x00]);
    entries.iter().enumerate().fold(page, |page, (at, entry)| page.bytes(2 + at * 12, entry))
}

fn temperature(entries: &[[u8; 12]]) -> Option<i8> {
    SmartData::decode(&data(entries).0).ok()?.temperature_c()
}

#[test]
fn attributes_are_read_with_their_raw_values() {
    let page = data(&[
        entry(5, 0x0033, 98, 97, [12, 0, 0, 0, 0, 0]),
        [0; 12],
        entry(9, 0x0032, 95, 95, [0x39, 0x30, 0, 0, 0, 0x01]),
        entry(173, 0x0001, 100, 99, [1, 2, 3, 4, 5, 6]),
    ])
    .bytes(363, &[0xF4, 0x2C, 0x01])
    .bytes(372, &[2, 0xFF, 0, 0x2C, 0x01])
    .sealed();
    let smart = SmartData::decode(&page.0).unwrap();
    assert_eq!((smart.revision, smart.attributes.len()), (16, 3));
    let relocated = smart.attribute(5).unwrap();
    assert_eq!((relocated.name, relocated.value, relocated.worst), ("Reallocated sectors", 98, 97));
    assert_eq!((relocated.raw, relocated.count()), (12, 12));
    assert!(relocated.is_prefail && relocated.is_online);
    let hours = smart.attribute(9).unwrap();
    assert_eq!((hours.raw, hours.count()), (0x0100_0000_3039, 12_345));
    assert!(!hours.is_prefail && hours.is_online);
    let vendors = smart.attribute(173).unwrap();
    assert_eq!((vendors.name, vendors.raw, vendors.is_online), ("", 0x0605_0403_0201, false));
    assert_eq!((smart.self_test, smart.self_test_left_percent, smart.offline_s), ("in progress", 40, 300));
    assert_eq!((smart.short_self_test_min, smart.extended_self_test_min), (2, 300));
    assert_eq!(smart.checksum, Checksum::Right);
    assert!(smart.attribute(1).is_none());
}

#[test]
fn the_last_of_thirty_entries_is_read_and_nothing_behind_it() {
    let page = Page::new().bytes(2 + 29 * 12, &entry(194, 2, 60, 50, [40, 0, 0, 0, 0, 0])).bytes(362, &[0xFF; 12]);
    let smart = SmartData::decode(&page.0).unwrap();
    assert_eq!(smart.attributes.len(), 1);
    assert_eq!(smart.temperature_c(), Some(40));
    assert_eq!(smart.checksum, Checksum::Wrong);
}

#[test]
fn a_temperature_is_taken_where_there_is_one() {
    let at = |id: u8, raw: [u8; 6]| entry(id, 0x0022, 100, 100, raw);
    // Now, lowest and highest packed into one value.
    assert_eq!(temperature(&[at(194, [36, 0, 18, 0, 52, 0])]), Some(36));
    // Airflow only; both, of which 194 counts.
    assert_eq!(temperature(&[at(190, [31, 0, 31, 31, 0, 0])]), Some(31));
    assert_eq!(temperature(&[at(190, [31, 0, 0, 0, 0, 0]), at(194, [33, 0, 0, 0, 0, 0])]), Some(33));
    // Below zero, with sign extension.
    assert_eq!(temperature(&[at(194, [0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])]), Some(-5));
    // No sensor, tenths of degrees, an implausible value.
    assert_eq!(temperature(&[at(194, [0; 6])]), None);
    assert_eq!(temperature(&[at(194, [0x6D, 0x01, 0, 0, 0, 0])]), None);
    assert_eq!(temperature(&[at(194, [126, 0, 0, 0, 0, 0])]), None);
    assert_eq!(temperature(&[]), None);
}

#[test]
fn thresholds_belong_to_their_attributes() {
    let page =
        Page::new().bytes(0, &[0x10, 0]).bytes(2, &[5, 10, 0]).bytes(14, &[194, 0]).bytes(26, &[9, 0xFF]).sealed();
    let thresholds = SmartThresholds::decode(&page.0).unwrap();
    assert_eq!((thresholds.of(5), thresholds.of(194), thresholds.of(9), thresholds.of(77)), (10, 0, 255, 0));
    assert_eq!((thresholds.thresholds.len(), thresholds.checksum), (3, Checksum::Right));
    let empty = SmartThresholds::decode(&[0; 512]).unwrap();
    assert!(empty.thresholds.is_empty() && empty.checksum == Checksum::Absent);
}

#[test]
fn the_registers_tell_the_verdict_and_whether_it_sleeps() {
    let registers = |count, lba| Registers { status: 0x50, error: 0, count, lba, device: 0xA0 };
    assert_eq!(Verdict::of(&registers(0, 0x00C2_4F00)), Ok(Verdict::Passed));
    assert_eq!(Verdict::of(&registers(0, 0x002C_F401)), Ok(Verdict::Failing));
    let made_up = Verdict::of(&registers(0, 0)).unwrap_err().to_string();
    assert!(made_up.contains("0000h, neither passed"), "{made_up}");
    let mode = |count| PowerMode::of(&registers(count, 0));
    assert_eq!((mode(0x00), mode(0x01), mode(0x82)), (PowerMode::Standby, PowerMode::Standby, PowerMode::Idle));
    assert_eq!((mode(0xFF), mode(0x41)), (PowerMode::Active, PowerMode::Other(0x41)));
}
