//! Identify structures, power states, lists of namespaces, the CAP register.

use drivelab_nvme::{
    Capabilities, IdentifyController, IdentifyNamespace, NamespaceIdentifiers, NamespaceList, PowerState,
};
use serde_json::{Value, json};

use crate::pages::{self, Bytes, decode};
use crate::rows::{Row, hold, row};

/// NVMe Base 2.0, Figure 275: identity.
fn controller_rows_first() -> Vec<Row> {
    vec![
        row(0, &[0x86, 0x80], "/pci_vendor", 0x8086),
        row(2, &[0x34, 0x12], "/pci_subsystem_vendor", 0x1234),
        row(4, b"ABCDEFGHIJKLMNOPQRST", "/serial", "ABCDEFGHIJKLMNOPQRST"),
        row(24, b"0123456789012345678901234567890123456789", "/model", "0123456789012345678901234567890123456789"),
        row(64, b"FW 1.2  ", "/firmware", "FW 1.2"),
        row(72, &[6], "/arbitration_burst_log2", 6),
        row(73, &[0xE4, 0xD2, 0x5C], "/ieee_oui", "5c-d2-e4"),
        row(76, &[0b1010], "/shared_use/several_controllers", true),
        row(76, &[0b1000], "/shared_use/asymmetric_access", true),
        row(77, &[5], "/max_transfer_log2_pages", 5),
        row(78, &[0x21, 0x43], "/controller_id", 0x4321),
        row(80, &[1, 4, 1, 0], "/version", "1.4.1"),
        row(80, &[0, 0, 2, 0], "/version", "2.0"),
        row(84, &[1, 2, 0, 0], "/resume_latency_us", 513),
        row(88, &[0, 0, 1, 0], "/shutdown_latency_us", 65_536),
        row(92, &[0, 2, 0, 0], "/optional_events", 0x200),
        row(96, &[0b1_0000, 0, 0b1000, 0], "/attributes/endurance_groups", true),
        row(96, &[0, 0, 0b1000, 0], "/attributes/flexible_data_placement", true),
        row(96, &[0, 0, 0b1_0000, 0], "/attributes/power_limit", true),
        row(96, &[0, 0, 0b10_0000, 0], "/attributes/power_measurement", true),
        row(96, &[0, 0, 0, 0x80], "/attributes/raw", 0x8000_0000_u32),
        row(111, &[1], "/kind", "io"),
        row(111, &[9], "/kind/reserved", 9),
        row(112, &[0xAB; 16], "/fru_guid", "ab".repeat(16)),
    ]
}

/// NVMe Base 2.0, Figure 275 (bytes 390 to 395: Base 2.3): capabilities.
fn controller_rows_second() -> Vec<Row> {
    vec![
        row(256, &[0b1_0000, 0b100], "/admin_commands/self_test", true),
        row(256, &[0, 0b100], "/admin_commands/lockdown", true),
        row(258, &[3], "/aborts", 4),
        row(259, &[255], "/event_requests", 256),
        row(260, &[0b1_0111], "/firmware_updates/slots", 3),
        row(260, &[0b1_0000], "/firmware_updates/activates_without_reset", true),
        row(261, &[0b100], "/log_attributes/extended_data", true),
        row(262, &[63], "/error_log_entries", 64),
        row(263, &[0], "/power_states/0/max_power_uw", 6_040_000),
        row(265, &[0xFE], "/autonomous_power_states", false),
        row(266, &[0x58, 0x01], "/warning_temperature_k", 344),
        row(266, &[0, 0], "/warning_temperature_k", Value::Null),
        row(268, &[0x5D, 0x01], "/critical_temperature_k", 349),
        row(270, &[30, 0], "/firmware_pause_ms", 3000),
        row(272, &[0, 0x40, 0, 0], "/memory_buffer_preferred_bytes", 64 << 20),
        row(276, &[0, 0x10, 0, 0], "/memory_buffer_minimum_bytes", 16 << 20),
        row(280, &[1; 8], "/total_capacity_bytes", 0x0101_0101_0101_0101_u64),
        row(296, &[0, 2], "/unallocated_capacity_bytes", 512),
        row(312, &[3, 0, 0, 0], "/replay_protected_memory", 3),
        row(316, &[40, 0], "/extended_self_test_min", 40),
        row(318, &[1], "/one_self_test", true),
        row(319, &[255], "/firmware_granularity", 255),
        row(320, &[10, 0], "/keep_alive_ms", 1000),
        row(322, &[1, 0], "/host_thermal_management", true),
        row(324, &[0x2F, 0x01], "/thermal_minimum_k", 303),
        row(326, &[0x5C, 0x01], "/thermal_maximum_k", 348),
        row(328, &[0b111, 0, 0, 0x60], "/sanitize/overwrite", true),
        row(328, &[0, 0, 0, 0x20], "/sanitize/no_deallocate_inhibited", true),
        row(332, &[0, 1, 0, 0], "/memory_buffer_smallest_part_bytes", 1 << 20),
        row(336, &[8, 0], "/memory_buffer_parts", 8),
        row(338, &[2, 0], "/nvm_set_max", 2),
        row(340, &[3, 0], "/endurance_group_max", 3),
        row(356, &[4, 0], "/domain", 4),
        row(368, &[0, 0, 1], "/endurance_group_capacity_bytes", 65_536),
        row(390, &[0x39, 0x05], "/max_unlimited_power", 1337),
        row(392, &[0x0A, 0x01], "/power_sample_rate", 266),
        row(394, &[0xA0, 0x05], "/power_measurement_max_min", 1440),
        row(514, &[0, 4], "/max_outstanding_commands", 1024),
        row(516, &[0, 1, 0, 0], "/namespaces", 256),
        row(520, &[0b1000_0100, 1], "/io_commands/verify", true),
        row(520, &[0, 1], "/io_commands/copy", true),
        row(522, &[1, 0], "/fused_commands", 1),
        row(524, &[0b1100], "/format/crypto_erase", true),
        row(524, &[0b1000], "/format/all_namespaces_refused", true),
        row(525, &[0b111], "/write_cache/flushes_all", true),
        row(525, &[0b100], "/write_cache/present", false),
        row(526, &[0xFF, 0xFF], "/atomic_write_blocks", 65_536),
        row(528, &[7, 0], "/atomic_write_power_fail_blocks", 8),
        row(532, &[1, 0], "/atomic_compare_write_blocks", 2),
        row(536, &[1, 0, 2, 0], "/scatter_gather", 0x2_0001),
        row(540, &[0, 0, 1, 0], "/max_allowed_namespaces", 65_536),
        row(768, b"nqn.2020-01.example:a\0", "/subsystem_nqn", "nqn.2020-01.example:a"),
        row(2080, &[0x64, 0], "/power_states/1/max_power_uw", 10_000),
    ]
}

#[test]
fn identify_controller_is_where_the_specification_says() {
    let rows: Vec<Row> = controller_rows_first().into_iter().chain(controller_rows_second()).collect();
    hold(&decode("identify_controller"), 4096, &pages::identify_controller(), &rows);
}

#[test]
fn a_controller_of_any_number_of_power_states_is_read() {
    for count in 0..=u8::MAX {
        let page = Bytes(pages::identify_controller()).put(263, &[count]).0;
        let states = IdentifyController::decode(&page).unwrap().power_states.len();
        assert_eq!(states, usize::from(count).min(31) + 1);
    }
}

#[test]
fn the_largest_transfer_counts_pages_as_powers_of_two_and_zero_is_no_limit() {
    let of = |exponent: u8| {
        let page = Bytes(pages::identify_controller()).put(77, &[exponent]).0;
        IdentifyController::decode(&page).unwrap().max_transfer_bytes(4096)
    };
    assert_eq!((of(0), of(5), of(9)), (None, Some(128 << 10), Some(2 << 20)));
    assert_eq!((of(63), of(255)), (None, None), "implausible");
}

#[test]
fn a_serial_number_cannot_send_control_signs_to_a_terminal() {
    let page = Bytes(pages::identify_controller()).put(4, b"\x1b[2Jevil\xFF").0;
    let serial = IdentifyController::decode(&page).unwrap().serial;
    assert!(serial.starts_with("?[2Jevil?"), "{serial}");
}

/// NVMe Base 2.0, Power State Descriptor.
#[test]
fn a_power_state_is_where_the_specification_says() {
    let rows = [
        row(0, &[0x5C, 0x02, 0, 0], "/max_power_uw", 6_040_000),
        row(0, &[50, 0, 0, 1], "/max_power_uw", 5_000),
        row(0, &[0, 0, 0, 1], "/max_power_uw", Value::Null),
        row(3, &[0b10], "/non_operational", true),
        row(4, &[0xB0, 4, 0, 0], "/entry_latency_us", 1200),
        row(8, &[0x40, 0x1F, 0, 0], "/exit_latency_us", 8000),
        row(12, &[0xE3], "/relative_read_throughput", 3),
        row(13, &[4], "/relative_read_latency", 4),
        row(14, &[5], "/relative_write_throughput", 5),
        row(15, &[31], "/relative_write_latency", 31),
        row(16, &[30, 0, 0x40], "/idle_power_uw", 3_000),
        row(16, &[30, 0, 0x80], "/idle_power_uw", 300_000),
        row(16, &[30, 0, 0x00], "/idle_power_uw", Value::Null),
        row(16, &[30, 0, 0xC0], "/idle_power_uw", Value::Null),
        row(20, &[0xFF, 0xFF, 0x82], "/active_power_uw", 655_350_000),
        row(22, &[0x82], "/active_power_workload", "workload2"),
        row(22, &[0x07], "/active_power_workload/reserved", 7),
    ];
    hold(&decode("power_state"), PowerState::SIZE, &[0; 32], &rows);
}

/// NVM Command Set 1.0, Figure 97.
#[test]
fn identify_namespace_is_where_the_specification_says() {
    let rows = [
        row(0, &[0, 0, 0, 0, 1], "/size_blocks", 1_u64 << 32),
        row(8, &[9, 0, 0], "/capacity_blocks", 9),
        row(16, &[7, 1], "/used_blocks", 263),
        row(24, &[0b1_1001], "/features/preferences", true),
        row(24, &[0b0_0100], "/features/deallocated_error", true),
        row(24, &[0b1_0000], "/preferred/write_granularity_blocks", 1),
        row(25, &[0], "/formats/0/data_bytes", 512),
        row(25, &[4], "/formats/4/data_bytes", Value::Null),
        row(26, &[0b0101_0001], "/format/index", 33),
        row(26, &[0b0001_0000], "/format/metadata_with_data", true),
        row(27, &[0b01], "/metadata_with_data_possible", true),
        row(27, &[0b10], "/metadata_apart_possible", true),
        row(28, &[0b1_0010], "/protection_possible/type_2", true),
        row(28, &[0b1_0000], "/protection_possible/last_bytes", true),
        row(29, &[0b1010], "/protection_type", 2),
        row(29, &[0b1000], "/protection_first_bytes", true),
        row(30, &[1], "/shared", true),
        row(31, &[0x81], "/reservations", 0x81),
        row(32, &[0x80 | 42], "/format_remaining_percent", 42),
        row(32, &[42], "/format_remaining_percent", Value::Null),
        row(33, &[0b1001], "/deallocated_reads_as", 1),
        row(33, &[0b1000], "/write_zeroes_deallocates", true),
        row(34, &[3, 0], "/atomic_write_zero_based", 3),
        row(36, &[4, 0], "/atomic_write_power_fail_zero_based", 4),
        row(46, &[0, 1], "/io_boundary_blocks", 256),
        row(48, &[0; 16], "/nvm_capacity_bytes", 0),
        row(64, &[7, 0], "/preferred", Value::Null),
        row(74, &[0x80, 0], "/copy_range_blocks", 128),
        row(76, &[0, 1, 0, 0], "/copy_blocks", 256),
        row(99, &[1], "/write_protected", true),
        row(100, &[2, 0], "/nvm_set", 2),
        row(102, &[1, 0], "/endurance_group", 1),
        row(104, &[0x11; 16], "/nguid", "11".repeat(16)),
        row(120, &[0, 0x25, 0x38, 1, 2, 3, 4, 5], "/eui64", "0025380102030405"),
        row(128, &[0x40, 0, 9, 3], "/formats/0/metadata_bytes", 64),
        row(128, &[0, 0, 12, 3], "/formats/0/relative_performance", "degraded"),
        row(132, &[0, 0, 8, 0], "/formats/1/data_bytes", Value::Null),
        row(132, &[0, 0, 200, 1], "/formats/1/data_bytes", Value::Null),
    ];
    hold(&decode("identify_namespace"), 4096, &pages::identify_namespace(), &rows);
    let page = Bytes(pages::identify_namespace()).put(24, &[0b1_0000]);
    let page = page.u16(64, 7).u16(66, 15).u16(68, 31).u16(70, 63).u16(72, 127).0;
    let preferred = IdentifyNamespace::decode(&page).unwrap().preferred.unwrap();
    assert_eq!(preferred.write_granularity_blocks, 8, "NPWG");
    assert_eq!(preferred.write_alignment_blocks, 16, "NPWA");
    assert_eq!(preferred.deallocate_granularity_blocks, 32, "NPDG");
    assert_eq!(preferred.deallocate_alignment_blocks, 64, "NPDA");
    assert_eq!(preferred.optimal_write_blocks, 128, "NOWS");
}

#[test]
fn a_namespace_knows_its_block() {
    let namespace = IdentifyNamespace::decode(&pages::identify_namespace()).unwrap();
    assert!(namespace.is_active());
    assert_eq!(namespace.block_bytes(), Some(512));
    let large = Bytes(pages::identify_namespace()).put(26, &[1]).0;
    assert_eq!(IdentifyNamespace::decode(&large).unwrap().block_bytes(), Some(4096));
    let missing = Bytes(pages::identify_namespace()).put(26, &[9]).0;
    assert_eq!(IdentifyNamespace::decode(&missing).unwrap().block_bytes(), None, "a format that is not listed");
}

#[test]
fn every_number_of_formats_is_read_up_to_the_last_that_fits() {
    for (formats, unique) in [(0, 0), (15, 0), (15, 16), (63, 0), (63, 255), (255, 255)] {
        let page = Bytes(pages::identify_namespace()).put(25, &[formats]).put(82, &[unique]).0;
        let count = IdentifyNamespace::decode(&page).unwrap().formats.len();
        assert_eq!(count, (usize::from(formats) + 1 + usize::from(unique)).min(64));
    }
}

#[test]
fn a_list_of_namespaces_ends_at_zero_and_must_rise() {
    assert_eq!(NamespaceList::decode(&pages::namespace_list()).unwrap().namespaces, [1, 2, 7]);
    let full = (1..=1024_u32).fold(Bytes::zeros(4096), |page, nsid| page.u32((nsid as usize - 1) * 4, nsid)).0;
    assert_eq!(NamespaceList::decode(&full).unwrap().namespaces.len(), 1024);
    let error = NamespaceList::decode(&Bytes::zeros(4096).u32(0, 5).u32(4, 5).0).unwrap_err().to_string();
    assert!(error.contains("identifier 5 follows 5"), "{error}");
    assert!(NamespaceList::decode(&full[..4095]).is_err());
}

#[test]
fn identifiers_of_a_namespace_are_told_apart_and_unknown_ones_passed_over() {
    let page = pages::namespace_identifiers();
    let found = NamespaceIdentifiers::decode(&page).unwrap();
    assert_eq!(found.eui64.as_deref(), Some("0025385b61b02a4c"));
    assert_eq!((found.uuid, found.command_set, found.nguid), (Some("ab".repeat(16)), Some(0), None));
    let unknown = Bytes::zeros(4096).put(0, &[0x77, 4, 0, 0, 1, 2, 3, 4, 4, 1, 0, 0, 2]).0;
    assert_eq!(NamespaceIdentifiers::decode(&unknown).unwrap().command_set, Some(2));
    let over = (0..)
        .map(|number| number * 20)
        .take_while(|at| at + 20 <= 4096)
        .fold(Bytes::zeros(4096), |page, at| page.put(at, &[2, 16]));
    let error = NamespaceIdentifiers::decode(&over.put(4080, &[2, 16]).0).unwrap_err().to_string();
    assert!(error.contains("runs past the end"), "{error}");
}

/// NVMe Base 2.0, section 3.1.3.1.
#[test]
fn the_cap_register_is_where_the_specification_says() {
    let rows = [
        row(0, &[0xFF, 0x03], "/max_queue_entries", 1024),
        row(2, &[0b01], "/contiguous_queues", true),
        row(2, &[0b10], "/weighted_round_robin", true),
        row(3, &[60], "/ready_timeout_ms", 30_000),
        row(4, &[0x01], "/doorbell_stride_bytes", 8),
        row(4, &[0b1_0000], "/subsystem_reset", true),
        row(4, &[0x20, 0], "/command_sets", 1),
        row(4, &[0xE0, 0x1F], "/command_sets", 255),
        row(6, &[0x21], "/page_min_bytes", 8192),
        row(6, &[0x20], "/page_max_bytes", 16_384),
        row(7, &[1], "/persistent_memory", true),
        row(7, &[2], "/memory_buffer", true),
    ];
    hold(&decode("capabilities"), 8, &[0; 8], &rows);
}

/// What seven real drives report, and how many entries the author's system made of it (review 004).
#[test]
fn the_cap_registers_of_seven_drives_say_what_seed_004_printed() {
    let drives = [
        (0x00F0_0020_3C01_3FFF, 16_384),
        (0x00F0_0020_3C03_3FFF, 16_384),
        (0x0010_0030_7801_00FF, 256),
        (0x0000_0030_2803_FFFF, 65_536),
        (0x0000_0020_2C01_03FF, 1024),
        (0x0000_0020_3C03_FFFF, 65_536),
        (0x0030_0030_2803_03FF, 1024),
    ];
    for (cap, entries) in drives {
        let cap = Capabilities::of(cap).unwrap();
        assert_eq!(cap.max_queue_entries, entries);
        assert!(cap.contiguous_queues && cap.command_sets & 1 == 1 && cap.doorbell_stride_bytes == 4, "{cap:?}");
        assert_eq!(cap.page_min_bytes, 4096);
    }
}

#[test]
fn json_has_words_for_enums_and_numbers_for_units() {
    let value = (decode("identify_controller"))(&pages::identify_controller()).unwrap();
    assert_eq!(value["power_states"][1]["max_power_uw"], json!(5_000), "0.1 mW units are not lost");
    assert_eq!(value["power_states"][1]["non_operational"], json!(true));
    assert_eq!(value["power_states"].as_array().unwrap().len(), 2);
}
