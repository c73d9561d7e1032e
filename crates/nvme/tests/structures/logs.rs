//! Log pages that many or all controllers have, and features.

use drivelab_nvme::{
    AutonomousTransitions, EnduranceGroup, ErrorEntry, ErrorLog, FdpMode, FirmwareSlots, HostThermalManagement,
    InterruptCoalescing, OcpSmart, PowerManagement, PowerMeasurement, PowerMeasurementSetting, QueueCount,
    SanitizeStatus, SelfTestKind, SelfTestLog, SelfTestOutcome, SmartLog, SupportedLogs, TemperatureThreshold, celsius,
};
use serde_json::{Value, json};

use crate::pages::{self, Bytes, decode};
use crate::rows::{hold, row};

/// NVMe Base 2.0, Figure 207 (bytes 232 to 243: Base 2.3).
#[test]
fn smart_is_where_the_specification_says() {
    let rows = [
        row(0, &[0b00_0010], "/critical_warning/temperature", true),
        row(0, &[0b00_0001], "/critical_warning/spare", true),
        row(0, &[0b10_1000], "/critical_warning/read_only", true),
        row(0, &[0x80], "/critical_warning/raw", 0x80),
        row(1, &[0x3E, 0x01], "/composite_temperature_k", 318),
        row(3, &[99], "/spare_percent", 99),
        row(4, &[5], "/spare_threshold_percent", 5),
        row(5, &[255], "/used_percent", 255),
        row(6, &[1], "/endurance_group_warnings", 1),
        row(32, &[0x41, 0x42, 0x0F], "/data_units_read", 1_000_001),
        row(48, &[0xFF; 16], "/data_units_written", "340282366920938463463374607431768211455"),
        row(64, &[2, 0, 0, 0], "/read_commands", 2),
        row(80, &[3, 0, 0, 0], "/write_commands", 3),
        row(96, &[4], "/busy_min", 4),
        row(112, &[5], "/power_cycles", 5),
        row(128, &[6, 0], "/power_on_h", 6),
        row(144, &[7], "/unsafe_shutdowns", 7),
        row(160, &[8], "/media_errors", 8),
        row(176, &[9], "/error_entries", 9),
        row(192, &[12, 0, 0, 0], "/warning_temperature_min", 12),
        row(196, &[13, 0, 0, 0], "/critical_temperature_min", 13),
        row(200, &[0, 0], "/sensors/0/number", 2),
        row(204, &[0x30, 0x01], "/sensors/2/temperature_k", 304),
        row(214, &[0x31, 0x01], "/sensors/2/number", 8),
        row(216, &[1, 1], "/thermal_transitions_1", 257),
        row(220, &[2], "/thermal_transitions_2", 2),
        row(224, &[3], "/thermal_1_s", 3),
        row(228, &[4], "/thermal_2_s", 4),
        row(232, &[0, 0, 0, 0, 1], "/lifetime_energy_wh", 1_u64 << 32),
        row(240, &[100, 0, 1, 0], "/interval_power_uw", 10_000),
        row(240, &[100, 0, 2, 0], "/interval_power_uw", 1_000_000),
        row(240, &[100, 0, 0, 0], "/interval_power_uw", Value::Null),
        row(240, &[100, 0, 3, 0], "/interval_power_uw", Value::Null),
    ];
    hold(&decode("smart"), 512, &pages::smart(), &rows);
}

#[test]
fn data_units_are_a_thousand_sectors() {
    let smart = SmartLog::decode(&pages::smart()).unwrap();
    assert_eq!((smart.bytes_read().get(), smart.bytes_written().get()), (512_000_000_000, 1_024_000_000_000));
    let full = SmartLog::decode(&Bytes(pages::smart()).u128(48, u128::MAX).0).unwrap();
    assert_eq!(full.bytes_written().get(), u128::MAX, "no overflow");
}

/// NVMe Base 2.0, section 5.16.1.2.
#[test]
fn an_error_is_where_the_specification_says() {
    let page = Bytes::zeros(64).u64(0, 0x1122).u16(8, 3).u16(10, 0x44).u16(12, 0xC005).u16(14, 0x0528).u64(16, 1 << 40);
    let page = page.u32(24, 7).put(28, &[0xC1, 1]).u64(32, 99).u16(40, 5).0;
    let entry = ErrorEntry::decode(&page).unwrap();
    assert_eq!((entry.count, entry.queue, entry.command, entry.parameter), (0x1122, 3, 0x44, 0x0528));
    // Bit 0 is the phase; the bits above it are C005h / 2 = 6002h: More and DNR, code 02h.
    assert_eq!((entry.status.bits(), entry.status.code(), entry.status.is_final()), (0x6002, 2, true));
    assert_eq!((entry.first_block, entry.namespace, entry.vendor_log, entry.transport), (1 << 40, 7, 0xC1, 1));
    assert_eq!((entry.command_information, entry.transport_information), (99, 5));
    assert!(ErrorEntry::decode(&page[..63]).is_err());
}

#[test]
fn unused_errors_and_the_part_of_one_are_left_out() {
    let mut page = pages::error_log();
    page.extend([0xFF; 40]);
    let log = ErrorLog::decode(&page).unwrap();
    assert_eq!(log.entries.iter().map(|entry| entry.count).collect::<Vec<_>>(), [2, 1]);
    assert!(ErrorLog::decode(&[0; 63]).is_err());
}

/// NVMe Base 2.0, section 5.16.1.7.
#[test]
fn self_tests_are_where_the_specification_says() {
    let log = SelfTestLog::decode(&pages::self_test()).unwrap();
    assert_eq!((log.running, log.done_percent, log.results.len()), (None, 0, 2));
    let [short, extended] = &log.results[..] else { panic!("two results") };
    assert_eq!((short.kind, short.outcome), (SelfTestKind::Short, SelfTestOutcome::Passed));
    assert_eq!((short.power_on_h, short.namespace, short.failing_block), (100, None, None));
    assert_eq!((extended.kind, extended.outcome), (SelfTestKind::Extended, SelfTestOutcome::SegmentFailed));
    assert_eq!((extended.segment, extended.power_on_h, extended.namespace), (3, 90, Some(1)));
    assert_eq!((extended.failing_block, extended.status_kind, extended.status_code), (Some(4096), Some(2), Some(0x81)));
    let last = Bytes(pages::self_test()).put(4 + 19 * 28, &[0xE5]).0;
    let log = SelfTestLog::decode(&last).unwrap();
    assert_eq!(log.results.last().unwrap().outcome, SelfTestOutcome::FatalError, "the twentieth");
    let running = Bytes(pages::self_test()).put(0, &[0xF2, 0x80 | 37]).0;
    let log = SelfTestLog::decode(&running).unwrap();
    assert_eq!((log.running, log.done_percent), (Some(SelfTestKind::Extended), 37));
    assert_eq!(SelfTestLog::SIZE, 564);
    assert!(SelfTestLog::decode(&running[..563]).is_err());
}

#[test]
fn a_self_test_page_that_was_never_written_has_no_results() {
    assert!(SelfTestLog::decode(&[0; 564]).unwrap().results.is_empty());
    let reserved = Bytes::zeros(564).put(4, &[0x4A]).0;
    let result = &SelfTestLog::decode(&reserved).unwrap().results[0];
    assert_eq!((result.kind, result.outcome), (SelfTestKind::Reserved(4), SelfTestOutcome::Reserved(0xA)));
}

/// NVMe Base 2.0, section 5.16.1.4.
#[test]
fn firmware_slots_are_where_the_specification_says() {
    let rows = [
        row(0, &[0x73], "/active", 3),
        row(0, &[0x73], "/next", 7),
        row(8, b"A.1     ", "/revisions/0", "A.1"),
        row(8, &[0; 8], "/revisions/0", Value::Null),
        row(56, b"ZZZZZZZZ", "/revisions/6", "ZZZZZZZZ"),
    ];
    hold(&decode("firmware_slots"), 512, &pages::firmware_slots(), &rows);
    assert_eq!(FirmwareSlots::decode(&[0; 512]).unwrap().revisions.len(), 7);
}

/// NVMe Base 2.0, section 5.16.1.10.
#[test]
fn an_endurance_group_is_where_the_specification_says() {
    let rows = [
        row(0, &[0b1001], "/critical_warning", 9),
        row(1, &[1], "/rotational", true),
        row(3, &[98], "/spare_percent", 98),
        row(4, &[11], "/spare_threshold_percent", 11),
        row(5, &[3], "/used_percent", 3),
        row(6, &[2, 1], "/domain", 258),
        row(32, &[1, 1], "/endurance_estimate_gb", 257),
        row(48, &[48], "/read_gb", 48),
        row(64, &[64], "/written_gb", 64),
        row(80, &[80], "/media_written_gb", 80),
        row(96, &[96], "/read_commands", 96),
        row(112, &[112], "/write_commands", 112),
        row(128, &[128], "/media_errors", 128),
        row(144, &[144], "/error_entries", 144),
        row(160, &[1, 0, 0, 0, 0, 0], "/capacity_bytes", 1),
        row(176, &[176], "/unallocated_bytes", 176),
    ];
    hold(&decode("endurance_group"), 512, &pages::endurance_group(), &rows);
    let group = EnduranceGroup::decode(&pages::endurance_group()).unwrap();
    assert_eq!((group.bytes_written().get(), group.media_bytes_written().get()), (20_000_000_000, 30_000_000_000));
}

/// NVMe Base 2.3.
#[test]
fn the_power_measurement_is_where_the_specification_says() {
    let rows = [
        row(1, &[9], "/generation", 9),
        row(2, &[0b0000, 0], "/running", false),
        row(2, &[0b0010, 0], "/has_gaps", true),
        row(2, &[0b0100, 0], "/estimated", true),
        row(2, &[0, 0xA0], "/kind", 10),
        row(4, &[0, 1, 0, 0], "/size_bytes", 256),
        row(8, &[1, 2, 0, 0], "/intervals", 513),
        row(12, &[1, 0], "/bins/0/intervals", 3000),
        row(14, &[60, 0], "/remaining_min", 60),
        row(16, &[1, 0, 0, 0, 0, 1], "/stopped_ms", (1_u64 << 40) + 1),
        row(26, &[1, 1], "/bin_mw", 257),
        row(28, &[2, 1], "/bins_supported", 258),
        row(32, &[7, 0, 0, 0], "/above_last_bin", 7),
        row(40, &[0x0F, 0x27, 1, 0], "/average_power_uw", 999_900),
        row(44, &[0x0F, 0x27, 2, 0], "/maximum_power_uw", 99_990_000),
        row(48, &[0, 1, 0, 0, 0, 0], "/maximum_at_ms", 256),
        row(56, &[100], "/error_percent", 100),
        row(56, &[255], "/error_percent", Value::Null),
        row(64, &[1, 0, 0, 0], "/bins/0/intervals", 1),
        row(76, &[1, 0, 0, 0], "/bins/1/from_uw", Value::Null),
    ];
    let decoder = decode("power_measurement");
    let none = Bytes(pages::power_measurement()).u16(12, 0).0;
    let rows_without_bins: Vec<_> = rows.into_iter().filter(|row| row.at != 12).collect();
    hold(&decoder, 80, &pages::power_measurement(), &rows_without_bins);
    assert_eq!(decoder(&none[..64]).unwrap()["bins"], json!([]));
    let measured = PowerMeasurement::decode(&pages::power_measurement()).unwrap();
    assert_eq!((measured.average_power_uw, measured.maximum_power_uw), (Some(500_000), Some(6_000_000)));
    assert_eq!(measured.bins[1].from_uw, Some(250_000), "2,500 units of 0.1 mW");
    let small = Bytes(pages::power_measurement()).u16(24, 4).0;
    assert!(PowerMeasurement::decode(&small).unwrap_err().to_string().contains("4 bytes long"));
}

/// OCP Datacenter NVMe SSD Specification 2.0 (bytes 222 to 269: 2.6).
#[test]
fn the_ocp_page_is_where_the_specification_says() {
    let rows = [
        row(0, &[1], "/media_bytes_written", (3_u64 << 40) + 1),
        row(16, &[2], "/media_bytes_read", (2_u64 << 40) + 2),
        row(32, &[1, 0, 0, 0, 0, 1], "/bad_user_blocks", (1_u64 << 40) + 1),
        row(38, &[100, 0], "/bad_user_blocks_normalized", 100),
        row(40, &[5], "/bad_system_blocks", 5),
        row(46, &[99, 0], "/bad_system_blocks_normalized", 99),
        row(48, &[6], "/xor_recoveries", 6),
        row(56, &[7], "/uncorrectable_reads", 7),
        row(64, &[8], "/soft_ecc_errors", 8),
        row(72, &[9], "/end_to_end_detected", 9),
        row(76, &[10], "/end_to_end_corrected", 10),
        row(80, &[11], "/system_used_percent", 11),
        row(81, &[1, 0, 0, 0, 0, 0, 1], "/refreshes", (1_u64 << 48) + 1),
        row(88, &[13], "/erases_max", 13),
        row(92, &[14], "/erases_min", 14),
        row(96, &[15], "/thermal_events", 15),
        row(97, &[3], "/thermal_status", 3),
        row(101, &[5, 0], "/specification_minor", 5),
        row(103, &[2], "/specification_major", 2),
        row(104, &[16], "/pcie_corrected_errors", 16),
        row(112, &[17], "/incomplete_shutdowns", 17),
        row(120, &[18], "/free_blocks_percent", 18),
        row(128, &[0xFF, 0xFF], "/capacitor_percent", 65_535),
        row(136, &[19], "/unaligned_writes", 19),
        row(144, &[20], "/security_version", 20),
        row(152, &[21], "/used_blocks", 21),
        row(160, &[22], "/power_loss_starts", 22),
        row(176, &[23], "/endurance_bytes", 23),
        row(192, &[24], "/link_retrains", 24),
        row(200, &[25], "/power_state_changes", 25),
        row(222, &[71], "/temperature_max_c", 71),
        row(224, &[26], "/erases_mean", 26),
        row(260, &[27, 1], "/peak_power", 283),
        row(262, &[28, 1], "/average_power_limit", 284),
        row(264, &[1, 0, 0, 0, 0, 1], "/lifetime_energy", (1_u64 << 40) + 1),
        row(494, &[4, 0], "/page_version", 4),
    ];
    hold(&decode("ocp_smart"), 512, &pages::ocp_smart(), &rows);
}

#[test]
fn page_c0h_of_another_vendor_is_not_believed() {
    let page = Bytes(pages::ocp_smart()).put(511, &[0]).0;
    let error = OcpSmart::decode(&page).unwrap_err().to_string();
    assert!(error.contains("c5af1028eabff2a49c4f6f7cc914d500") && error.contains("something else"), "{error}");
}

/// NVMe Base 2.0, section 5.16.1.25.
#[test]
fn the_sanitize_status_is_where_the_specification_says() {
    let rows = [
        row(0, &[1, 2], "/progress_65536ths", 513),
        row(2, &[0b0000_0011, 0], "/outcome", "failed"),
        row(2, &[0b0000_0111, 0], "/outcome/reserved", 7),
        row(2, &[0b1001_1010, 0], "/passes_done", 19),
        row(2, &[2, 1], "/nothing_written_since", true),
        row(4, &[4, 0, 0, 0], "/command_dword10", 4),
        row(8, &[1, 0, 0, 0], "/overwrite_s", 1),
        row(12, &[2, 0, 0, 0], "/block_erase_s", 2),
        row(16, &[0xFF; 4], "/crypto_erase_s", Value::Null),
        row(20, &[4, 0, 0, 0], "/overwrite_kept_s", 4),
        row(24, &[5, 0, 0, 0], "/block_erase_kept_s", 5),
        row(28, &[6, 0, 0, 0], "/crypto_erase_kept_s", 6),
    ];
    hold(&decode("sanitize_status"), 512, &pages::sanitize_status(), &rows);
    let half = SanitizeStatus::decode(&pages::sanitize_status()).unwrap();
    assert!((half.done_percent() - 50.0).abs() < 1e-9);
    let done = SanitizeStatus::decode(&Bytes(pages::sanitize_status()).u16(0, 0xFFFF).u16(2, 1).0).unwrap();
    assert!((done.done_percent() - 100.0).abs() < 1e-9);
}

#[test]
fn supported_pages_are_those_whose_lowest_bit_is_set() {
    let page = Bytes(pages::supported_logs()).u32(0xC0 * 4, 1).u32(0x81 * 4, 2).u32(255 * 4, 0x8000_0001).0;
    let logs = SupportedLogs::decode(&page).unwrap();
    assert!(logs.has(0) && logs.has(0xC0) && logs.has(0xFF) && !logs.has(0x81) && !logs.has(4));
    assert!(SupportedLogs::decode(&page[..1023]).is_err());
}

/// NVMe Base 2.0, section 5.27.1.
#[test]
fn features_are_where_the_specification_says() {
    let power = PowerManagement::of(0xFFFF_FF44);
    assert_eq!((power.state, power.workload_hint, power.bits()), (4, 2, 0x44));
    assert_eq!(TemperatureThreshold::of(0x0035_0156).threshold_k, Some(342));
    assert_eq!(TemperatureThreshold::of(0).threshold_k, None);
    assert_eq!(TemperatureThreshold::argument(3, true), 0x0013_0000);
    let queues = QueueCount::of(0x0007_0006);
    assert_eq!((queues.submission, queues.completion), (7, 8));
    assert_eq!(QueueCount::of(u32::MAX).completion, 65_536);
    // Seed 004 prints "100uS / 4 qentries" for what is TIME 1, THR 3.
    let coalescing = InterruptCoalescing::of(0x0103);
    assert_eq!((coalescing.entries, coalescing.delay_us, coalescing.in_use), (4, 100, true));
    assert!(!InterruptCoalescing::of(0x0100).in_use && !InterruptCoalescing::of(0x0003).in_use);
    let thermal = HostThermalManagement::of(0x0157_015C);
    assert_eq!((thermal.light_k, thermal.heavy_k), (Some(343), Some(348)));
    let placement = FdpMode::of(0x0301);
    assert_eq!((placement.enabled, placement.configuration), (true, 3));
    let measuring = PowerMeasurementSetting::of(0x003C_0021);
    assert_eq!((measuring.action, measuring.kind, measuring.stop_after_min), (1, 2, 60));
    assert_eq!(measuring.bits(), 0x003C_0021);
}

#[test]
fn transitions_between_power_states_are_entries_of_eight_bytes() {
    let table = AutonomousTransitions::decode(&pages::autonomous_transitions()).unwrap();
    let found: Vec<_> = table.transitions.iter().map(|it| (it.from, it.to, it.idle_ms)).collect();
    assert_eq!(found, [(0, 3, 100), (3, 4, 2000)]);
    assert!(AutonomousTransitions::decode(&[0; 255]).is_err());
}

#[test]
fn the_host_memory_buffer_is_where_the_specification_says() {
    let rows = [row(0, &[1, 0, 1, 0], "/pages", 65_537), row(12, &[8, 0, 0, 0], "/parts", 8)];
    hold(&decode("host_memory_buffer"), 16, &[0; 16], &rows);
}

#[test]
fn kelvin_are_whole() {
    assert_eq!((celsius(273), celsius(0), celsius(318), celsius(u16::MAX)), (0, -273, 45, 65_262));
}
