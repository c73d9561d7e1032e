//! How answers are handled that the test machines' drives never give, on pages recorded for this purpose.

use std::path::{Path, PathBuf};

use drivelab_ata::{RecordedTransport, Registers};
use drivelab_core::probe::{TargetIdentity, WriteOutlook};

use super::*;
use crate::probe::temperatures::sensors_for_test;

/// IDENTIFY DEVICE with SMART as words 82 and 85 state (ACS-4), and a rotation of 7200.
fn identify(supported: bool, enabled: bool) -> Vec<u8> {
    let mut page = vec![0; 512];
    page[0] = 0x40;
    (page[164], page[170]) = (u8::from(supported), u8::from(enabled));
    page[434..436].copy_from_slice(&7200_u16.to_le_bytes());
    page
}

/// SMART data with attribute 5, a pre-failure attribute, at this value and with this count.
fn smart(value: u8, count: u8) -> Vec<u8> {
    let mut page = vec![0; 512];
    page[2..8].copy_from_slice(&[5, 1, 0, value, value, count]);
    page[14..20].copy_from_slice(&[194, 2, 0, 60, 50, 38]);
    let sum = page.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    page[511] = sum.wrapping_neg();
    page
}

fn registers(count: u8, lba: u32) -> Registers {
    Registers { status: 0x50, error: 0, count, lba, device: 0 }
}

/// A drive that is awake, with thresholds of 36 and no verdict.
fn awake() -> RecordedTransport {
    let mut thresholds = vec![0; 512];
    thresholds[2..4].copy_from_slice(&[5, 36]);
    RecordedTransport::default()
        .with_page(AtaCommand::IdentifyDevice, &identify(true, true))
        .with_page(AtaCommand::SmartThresholds, &thresholds)
        .with_registers(AtaCommand::PowerMode, registers(0xFF, 0))
}

fn looked(transport: RecordedTransport, depth: Depth, is_own_wire: bool) -> (TargetProbe, Asking) {
    looked_with(transport, depth, is_own_wire, &Sensors::default())
}

fn looked_with(
    transport: RecordedTransport,
    depth: Depth,
    is_own_wire: bool,
    sensors: &Sensors,
) -> (TargetProbe, Asking) {
    let mut asking = Asking { raw: Vec::new(), not_known: Vec::new(), barred: false, is_own_wire };
    let mut probe = TargetProbe {
        path: PathBuf::from("/dev/sdx"),
        identity: TargetIdentity::default(),
        devices: Vec::new(),
        used_by: Vec::new(),
        writing: WriteOutlook::WithDestroy { id: String::new() },
        health: Health::Unknown,
        warnings: Vec::new(),
        temperatures: Vec::new(),
        queues: None,
        pcie: None,
        nvme: None,
        ata: None,
        contradictions: Vec::new(),
        not_known: Vec::new(),
        raw: Vec::new(),
    };
    look(&mut probe, &AtaDrive::new(transport), Path::new("/nowhere"), depth, sensors, &mut asking);
    (probe, asking)
}

fn missing(asking: &Asking) -> Vec<(&str, &str)> {
    asking.not_known.iter().map(|missing| (missing.what.as_str(), missing.why.as_str())).collect()
}

#[test]
fn a_drive_that_expects_to_fail_is_a_warning_with_its_reason() {
    let verdict = registers(0, 0x002C_F400);
    let drive = awake().with_page(AtaCommand::SmartData, &smart(30, 200));
    let (probe, asking) = looked(drive.with_registers(AtaCommand::SmartStatus, verdict), Depth::Full, true);
    assert_eq!((probe.health, missing(&asking)), (Health::Warning, Vec::new()));
    assert!(probe.warnings[0].contains("attribute 5 (Reallocated sectors)"), "{:?}", probe.warnings);
    assert!(probe.warnings[1].contains("replaced by spare ones: 200"), "{:?}", probe.warnings);
    assert_eq!(probe.temperature_c(), Some(38.0));
    let ata = probe.ata.expect("a drive");
    assert_eq!((ata.smart_failing, ata.attributes.len(), ata.attributes[0].threshold), (Some(true), 2, 36));
    assert!(probe.contradictions.is_empty(), "{:?}", probe.contradictions);
    let names: Vec<_> = asking.raw.iter().map(|page| page.name.as_str()).collect();
    assert_eq!(names, ["ata identify device", "ata smart data", "ata smart thresholds"]);
}

#[test]
fn a_list_asks_for_health_and_temperature_only() {
    let verdict = registers(0, 0x00C2_4F00);
    let drive = awake().with_page(AtaCommand::SmartData, &smart(100, 0));
    let (probe, asking) = looked(drive.with_registers(AtaCommand::SmartStatus, verdict), Depth::Brief, true);
    assert_eq!((probe.health, probe.temperature_c(), probe.ata), (Health::Good, Some(38.0), None));
    assert!(asking.raw.iter().all(|page| page.name != "ata identify device"));
}

#[test]
fn without_a_verdict_the_thresholds_decide_and_else_nobody() {
    let (probe, _) = looked(awake().with_page(AtaCommand::SmartData, &smart(36, 0)), Depth::Full, false);
    assert_eq!(probe.ata.expect("a drive").smart_failing, Some(true));
    assert_eq!(probe.health, Health::Warning);
    let (probe, asking) = looked(awake().with_page(AtaCommand::SmartData, &smart(37, 0)), Depth::Full, true);
    assert_eq!(probe.ata.expect("a drive").smart_failing, None);
    assert_eq!((probe.health, missing(&asking)[0].0), (Health::Good, "SMART verdict"));
}

#[test]
fn platters_that_stand_still_are_left_so() {
    let drive =
        awake().with_page(AtaCommand::SmartData, &smart(100, 0)).with_registers(AtaCommand::PowerMode, registers(0, 0));
    let (probe, asking) = looked(drive, Depth::Full, true);
    assert!(probe.ata.expect("a drive").attributes.is_empty() && probe.health == Health::Unknown);
    assert!(missing(&asking)[0].1.contains("would start it"), "{:?}", asking.not_known);
    assert_eq!(asking.raw.len(), 1);
}

#[test]
fn the_kernels_sensor_is_read_only_of_a_drive_that_says_that_it_does_not_stand_still() {
    let (_tree, sensors) = sensors_for_test(&[("name", "drivetemp\n"), ("temp1_input", "33000\n")]);
    let read = |transport, depth| {
        let (probe, asking) = looked_with(transport, depth, true, &sensors);
        let missing = missing(&asking).iter().any(|(what, _)| *what == "its temperature");
        (probe.temperatures.iter().map(|one| (one.celsius, one.source.clone())).collect::<Vec<_>>(), missing)
    };
    let by_kernel = (vec![(33.0, "hwmon".to_owned())], false);
    for depth in [Depth::Brief, Depth::Full] {
        assert_eq!(read(awake().with_page(AtaCommand::SmartData, &smart(100, 0)), depth), by_kernel, "{depth:?}");
        let standby = awake().with_registers(AtaCommand::PowerMode, registers(0, 0));
        assert_eq!(read(standby, depth), (Vec::new(), false), "{depth:?}");
    }
    // SMART that is off does not affect the sensor: the kernel may read it from SCT.
    let off = awake().with_page(AtaCommand::IdentifyDevice, &identify(true, false));
    assert_eq!(read(off, Depth::Full), by_kernel);
    // The drive does not report whether it is in standby: its SMART data is read as usual, the kernel's sensor is
    // not.
    assert_eq!(read(RecordedTransport::default(), Depth::Brief), (Vec::new(), true));
    let silent = awake().with_page(AtaCommand::SmartData, &smart(100, 0)).with_abort(AtaCommand::PowerMode);
    assert_eq!(read(silent, Depth::Brief), (vec![(38.0, SMART.to_owned())], false));
    let (_, asking) = looked(RecordedTransport::default(), Depth::Brief, true);
    assert!(missing(&asking).iter().all(|(what, _)| *what != "its temperature"), "there is no sensor");
}

#[test]
fn smart_that_is_off_or_missing_is_told_from_smart_that_failed() {
    let why = |supported, enabled| {
        let drive = awake().with_page(AtaCommand::IdentifyDevice, &identify(supported, enabled));
        let (probe, asking) = looked(drive.with_abort(AtaCommand::SmartData), Depth::Full, true);
        assert_eq!(probe.health, Health::Unknown);
        asking.not_known[0].clone()
    };
    assert_eq!(why(true, false).how, "smartctl --smart=on /dev/sdx");
    assert!(why(false, false).why.contains("does not have SMART"));
    assert!(why(true, true).why.contains("aborts SMART READ DATA"));
}

#[test]
fn a_page_with_a_wrong_checksum_is_a_contradiction() {
    let mut page = smart(100, 0);
    page[300] = 1;
    let (probe, _) = looked(awake().with_page(AtaCommand::SmartData, &page), Depth::Full, true);
    assert!(probe.contradictions[0].evidence.contains("do not add up"), "{:?}", probe.contradictions);
}

#[test]
fn a_bridge_that_answers_nothing_is_nothing_to_speak_of() {
    let (probe, asking) = looked(RecordedTransport::default(), Depth::Full, false);
    assert_eq!((probe.ata, probe.health), (None, Health::Unknown));
    assert!(asking.not_known.is_empty() && asking.raw.is_empty(), "{:?}", asking.not_known);
}
