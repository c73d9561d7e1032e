//! Converts decoded pages to common words and units. Pure; a field that means "not reported" becomes absent.

use drivelab_core::probe::{
    EnduranceGroup, ErrorEntry, FdpConfiguration, FdpProbe, FirmwareSlot, LbaFormat, NamespaceProbe, NvmeController,
    NvmeHealth, NvmeSecurity, OcpHealth, PlacementHandle, PowerMeasurement, PowerState, SelfTest,
};
use drivelab_core::units::Bytes;
use drivelab_nvme as nvme;
use drivelab_nvme::celsius;

/// The smallest memory page of every machine that Linux runs on (CAP.MPSMIN is 4 KiB in practice).
const MEMORY_PAGE: u64 = 4096;

fn bytes(counter: nvme::Counter) -> Bytes {
    Bytes::new(counter.to_u64())
}

/// A size; 0 means that it is not reported.
fn reported(counter: nvme::Counter) -> Option<Bytes> {
    Some(bytes(counter)).filter(|bytes| bytes.get() > 0)
}

fn watts(microwatts: Option<u64>) -> Option<f64> {
    microwatts.map(|power| power as f64 / 1e6)
}

pub(super) fn controller(identify: &nvme::IdentifyController, name: String, transport: String) -> NvmeController {
    let commands = &identify.io_commands;
    let optional = [
        ("Compare", commands.compare),
        ("Write Uncorrectable", commands.write_uncorrectable),
        ("Dataset Management", commands.dataset_management),
        ("Write Zeroes", commands.write_zeroes),
        ("Reservations", commands.reservations),
        ("Verify", commands.verify),
        ("Copy", commands.copy),
    ];
    NvmeController {
        name,
        transport,
        model: identify.model.clone(),
        serial: identify.serial.clone(),
        firmware: identify.firmware.clone(),
        version: identify.version.to_string(),
        vendor_id: identify.pci_vendor,
        subsystem_nqn: identify.subsystem_nqn.clone(),
        controller_id: identify.controller_id,
        largest_transfer: identify.max_transfer_bytes(MEMORY_PAGE).map(Bytes::new),
        namespaces_most: identify.namespaces,
        total_capacity: reported(identify.total_capacity_bytes),
        unallocated: reported(identify.total_capacity_bytes).map(|_| bytes(identify.unallocated_capacity_bytes)),
        queue_entries_most: None,
        error_log_entries: u32::from(identify.error_log_entries),
        event_requests: Some(u32::from(identify.event_requests)),
        optional_commands: optional.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()).collect(),
    }
}

pub(super) fn power_states(identify: &nvme::IdentifyController) -> Vec<PowerState> {
    let state = |(number, state): (u8, &nvme::PowerState)| PowerState {
        number,
        operational: !state.non_operational,
        most_w: watts(state.max_power_uw),
        idle_w: watts(state.idle_power_uw),
        active_w: watts(state.active_power_uw),
        entry_us: state.entry_latency_us,
        exit_us: state.exit_latency_us,
        relative: [
            state.relative_read_throughput,
            state.relative_read_latency,
            state.relative_write_throughput,
            state.relative_write_latency,
        ],
    };
    (0_u8..).zip(&identify.power_states).map(state).collect()
}

pub(super) fn namespace(id: u32, page: &nvme::IdentifyNamespace) -> NamespaceProbe {
    let block = page.block_bytes().unwrap_or(0);
    let of_blocks = |blocks: u64| Bytes::new(blocks.saturating_mul(block));
    let format = |format: &nvme::BlockFormat| LbaFormat {
        number: format.index,
        data: Bytes::new(format.data_bytes.unwrap_or(0)),
        metadata: format.metadata_bytes,
        relative_performance: performance(format.relative_performance).to_owned(),
        in_use: format.index == page.format.index,
    };
    let preferred = page.preferred.as_ref().map(|preferred| of_blocks(u64::from(preferred.write_granularity_blocks)));
    NamespaceProbe {
        id,
        size: of_blocks(page.size_blocks),
        capacity: of_blocks(page.capacity_blocks),
        used: of_blocks(page.used_blocks),
        formats: page.formats.iter().filter(|format| format.data_bytes.is_some()).map(format).collect(),
        metadata_extended: page.format.metadata_with_data,
        protection_type: page.protection_type,
        endurance_group: page.endurance_group,
        eui64: page.eui64.clone(),
        nguid: page.nguid.clone(),
        preferred_write: preferred,
        shared: page.shared,
    }
}

fn performance(relative: nvme::RelativePerformance) -> &'static str {
    match relative {
        nvme::RelativePerformance::Best => "best",
        nvme::RelativePerformance::Better => "better",
        nvme::RelativePerformance::Good => "good",
        nvme::RelativePerformance::Degraded => "degraded",
    }
}

/// The critical warning bits and the wear as text, one phrase each.
pub(super) fn warnings(smart: &nvme::SmartLog) -> Vec<String> {
    let warning = &smart.critical_warning;
    let spare =
        format!("spare is {} %, below its threshold of {} %", smart.spare_percent, smart.spare_threshold_percent);
    [
        (warning.spare, spare.as_str()),
        (warning.temperature, "a temperature is above or below its threshold"),
        (warning.reliability, "its reliability is degraded by media or internal errors"),
        (warning.read_only, "its media is read-only now"),
        (warning.volatile_backup, "the backup of its volatile memory has failed"),
        (warning.persistent_memory, "its persistent memory region is unreliable or read-only"),
    ]
    .into_iter()
    .filter(|(is_set, _)| *is_set)
    .map(|(_, text)| text.to_owned())
    .collect()
}

pub(super) fn health(smart: &nvme::SmartLog) -> NvmeHealth {
    let degrees = |kelvin: u16| f64::from(celsius(kelvin));
    NvmeHealth {
        composite_c: Some(smart.composite_temperature_k).filter(|kelvin| *kelvin != 0).map(degrees),
        sensors_c: smart.sensors.iter().map(|sensor| (sensor.number, degrees(sensor.temperature_k))).collect(),
        critical_warning: smart.critical_warning.raw,
        spare_percent: smart.spare_percent,
        spare_threshold_percent: smart.spare_threshold_percent,
        used_percent: smart.used_percent,
        read: bytes(smart.bytes_read()),
        written: bytes(smart.bytes_written()),
        read_commands: smart.read_commands.to_u64(),
        write_commands: smart.write_commands.to_u64(),
        busy_minutes: smart.busy_min.to_u64(),
        power_cycles: smart.power_cycles.to_u64(),
        power_on_hours: smart.power_on_h.to_u64(),
        unsafe_shutdowns: smart.unsafe_shutdowns.to_u64(),
        media_errors: smart.media_errors.to_u64(),
        error_entries: smart.error_entries.to_u64(),
        warning_minutes: smart.warning_temperature_min,
        critical_minutes: smart.critical_temperature_min,
        light_throttle_count: smart.thermal_transitions_1,
        heavy_throttle_count: smart.thermal_transitions_2,
        light_throttle_s: smart.thermal_1_s,
        heavy_throttle_s: smart.thermal_2_s,
    }
}

pub(super) fn firmware_slots(page: &nvme::FirmwareSlots) -> Vec<FirmwareSlot> {
    let slot = |(slot, revision): (u8, &Option<String>)| {
        Some(FirmwareSlot { slot, revision: revision.clone()?, active: slot == page.active })
    };
    (1_u8..).zip(&page.revisions).filter_map(slot).collect()
}

/// Used entries: unused ones have a count of 0.
pub(super) fn errors(page: &nvme::ErrorLog) -> Vec<ErrorEntry> {
    let entry = |entry: &nvme::ErrorEntry| ErrorEntry {
        count: entry.count,
        status: entry.status.to_string(),
        lba: entry.first_block,
        namespace: entry.namespace,
    };
    page.entries.iter().filter(|entry| entry.count > 0).map(entry).collect()
}

pub(super) fn self_tests(page: &nvme::SelfTestLog) -> Vec<SelfTest> {
    let kind = |kind: nvme::SelfTestKind| match kind {
        nvme::SelfTestKind::Short => "short",
        nvme::SelfTestKind::Extended => "extended",
        nvme::SelfTestKind::HostInitiated => "by the host",
        nvme::SelfTestKind::VendorSpecific => "of the vendor",
        nvme::SelfTestKind::Reserved(_) => "of a kind that the specification does not name",
    };
    let result = |outcome: nvme::SelfTestOutcome| match outcome {
        nvme::SelfTestOutcome::Passed => "passed",
        nvme::SelfTestOutcome::AbortedByCommand => "stopped by a command",
        nvme::SelfTestOutcome::AbortedByReset => "stopped by a reset",
        nvme::SelfTestOutcome::AbortedByNamespaceRemoval => "stopped because a namespace was removed",
        nvme::SelfTestOutcome::AbortedByFormat => "stopped by a format",
        nvme::SelfTestOutcome::FatalError => "ended by a fatal error",
        nvme::SelfTestOutcome::UnknownSegmentFailed | nvme::SelfTestOutcome::SegmentFailed => "failed",
        nvme::SelfTestOutcome::AbortedUnknown => "stopped for a reason that it does not give",
        nvme::SelfTestOutcome::AbortedBySanitize => "stopped by a sanitize",
        nvme::SelfTestOutcome::Reserved(_) => "ended in a way that the specification does not name",
    };
    let failed = |outcome: nvme::SelfTestOutcome| {
        use nvme::SelfTestOutcome::{FatalError, SegmentFailed, UnknownSegmentFailed};
        matches!(outcome, FatalError | UnknownSegmentFailed | SegmentFailed)
    };
    let test = |one: &nvme::SelfTestResult| SelfTest {
        kind: kind(one.kind).to_owned(),
        result: result(one.outcome).to_owned(),
        failed: failed(one.outcome),
        at_hours: one.power_on_h,
    };
    page.results.iter().map(test).collect()
}

pub(super) fn endurance_group(id: u16, page: &nvme::EnduranceGroup) -> EnduranceGroup {
    EnduranceGroup {
        id,
        used_percent: page.used_percent,
        written: bytes(page.bytes_written()),
        media_written: bytes(page.media_bytes_written()),
    }
}

pub(super) fn ocp(page: &nvme::OcpSmart) -> OcpHealth {
    // OCP 2.0, SMART-16: bit 0 is the first of several levels of throttling; 0 is no throttling.
    let status = match page.thermal_status {
        0 => "none".to_owned(),
        level => format!("level {level}"),
    };
    OcpHealth {
        media_written: bytes(page.media_bytes_written),
        media_read: bytes(page.media_bytes_read),
        bad_user_blocks: page.bad_user_blocks,
        throttle_events: page.thermal_events,
        throttle_status: status,
        pcie_correctable: page.pcie_corrected_errors,
        incomplete_shutdowns: page.incomplete_shutdowns,
        // FFFFh: there is no capacitor to measure.
        capacitor_percent: Some(page.capacitor_percent).filter(|percent| *percent != u16::MAX),
    }
}

pub(super) fn power_measurement(page: &nvme::PowerMeasurement) -> PowerMeasurement {
    PowerMeasurement {
        average_w: watts(page.average_power_uw),
        most_w: watts(page.maximum_power_uw),
        error_percent: page.error_percent.unwrap_or(0),
    }
}

/// Erase and encryption capabilities, from its identify page.
pub(super) fn security(identify: &nvme::IdentifyController) -> NvmeSecurity {
    let chosen = |ways: &[(&str, bool)]| -> Vec<String> {
        ways.iter().filter(|(_, has)| *has).map(|(way, _)| (*way).to_owned()).collect()
    };
    let sanitize = &identify.sanitize;
    let format = &identify.format;
    let scope = [
        ("applies to every namespace", format.formats_all),
        ("applies to one namespace", !format.formats_all),
        ("erases every namespace", format.erases_all),
        ("can erase cryptographically", format.crypto_erase),
    ];
    NvmeSecurity {
        sanitize: chosen(&[
            ("block erase", sanitize.block_erase),
            ("cryptographic erase", sanitize.crypto_erase),
            ("overwrite", sanitize.overwrite),
        ]),
        format: identify.admin_commands.format,
        format_notes: if identify.admin_commands.format { chosen(&scope) } else { Vec::new() },
        security_commands: identify.admin_commands.security,
        ..NvmeSecurity::default()
    }
}

pub(super) fn sanitize_status(page: &nvme::SanitizeStatus) -> String {
    match page.outcome {
        nvme::SanitizeOutcome::Never => "never sanitised".to_owned(),
        nvme::SanitizeOutcome::Completed => "the last one completed".to_owned(),
        nvme::SanitizeOutcome::CompletedDeallocated => "the last one completed, all blocks deallocated".to_owned(),
        nvme::SanitizeOutcome::InProgress => format!("in progress, {:.0} % done", page.done_percent()),
        nvme::SanitizeOutcome::Failed => "the last one failed".to_owned(),
        nvme::SanitizeOutcome::Reserved(value) => format!("a state that the specification does not name ({value})"),
    }
}

pub(super) fn fdp(
    group: u16,
    page: &nvme::FdpConfigurations,
    mode: Option<nvme::FdpMode>,
    statistics: Option<&nvme::FdpStatistics>,
    usage: Option<&nvme::FdpHandleUsage>,
) -> FdpProbe {
    let kind = |handle: &nvme::HandleKind| match handle {
        nvme::HandleKind::InitiallyIsolated => "initially isolated".to_owned(),
        nvme::HandleKind::PersistentlyIsolated => "persistently isolated".to_owned(),
        nvme::HandleKind::Reserved(value) => format!("a type that the specification does not name ({value})"),
    };
    let configuration = |(number, one): (u8, &nvme::FdpConfiguration)| FdpConfiguration {
        number,
        valid: one.attributes.valid,
        reclaim_groups: one.reclaim_groups,
        handles: u16::try_from(one.handles.len()).unwrap_or(u16::MAX),
        reclaim_unit: Bytes::new(one.reclaim_unit_bytes),
        handle_types: one.handles.iter().map(kind).collect(),
    };
    FdpProbe {
        endurance_group: group,
        enabled: mode.map(|mode| mode.enabled),
        active: mode.filter(|mode| mode.enabled).map(|mode| mode.configuration),
        configurations: (0_u8..).zip(&page.configurations).map(configuration).collect(),
        host_written: statistics.map(|statistics| statistics.host_bytes_written.to_u64()),
        media_written: statistics.map(|statistics| statistics.media_bytes_written.to_u64()),
        media_erased: statistics.map(|statistics| statistics.media_bytes_erased.to_u64()),
        handle_use: usage.map(|usage| usage.handles.iter().map(handle_use).collect()).unwrap_or_default(),
        placement: Vec::new(),
    }
}

fn handle_use(one: &nvme::HandleUse) -> String {
    match one {
        nvme::HandleUse::Unused => "unused".to_owned(),
        nvme::HandleUse::ByHost => "named by the host".to_owned(),
        nvme::HandleUse::ByController => "chosen by the controller".to_owned(),
        nvme::HandleUse::Reserved(value) => format!("a use that the specification does not name ({value})"),
    }
}

pub(super) fn placement(namespace: u32, page: &nvme::HandleStatusList) -> Vec<PlacementHandle> {
    let one = |status: &nvme::HandleStatus| PlacementHandle {
        namespace,
        identifier: status.placement_identifier,
        handle: status.handle,
        available_blocks: status.available_blocks,
        time_left_s: (status.time_left_s != 0).then_some(status.time_left_s),
    };
    page.handles.iter().map(one).collect()
}
