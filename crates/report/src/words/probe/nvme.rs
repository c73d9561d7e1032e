//! What an NVMe controller reports about itself, as sections of facts. Figures that it does not report are left out.

use drivelab_core::probe::{
    EnduranceGroup, FdpProbe, NamespaceProbe, NvmeFeatures, NvmeHealth, NvmeProbe, NvmeSecurity, OcpHealth, PowerState,
    ThermalLimits,
};
use drivelab_core::units::Bytes;

use crate::figure::format;
use crate::words::probe::section::Section;

/// Log entries that are shown; the JSON document has all of them.
const MOST_ENTRIES: usize = 5;

pub(crate) fn sections(nvme: &NvmeProbe) -> Vec<Section> {
    let mut sections = vec![controller(nvme), features(&nvme.features)];
    sections.extend(nvme.namespaces.iter().map(namespace));
    sections.push(power_states(&nvme.power_states));
    sections.push(thermal(&nvme.thermal));
    sections.push(security(&nvme.security));
    sections.extend(nvme.health.as_ref().map(health));
    sections.extend(nvme.ocp.as_ref().map(|ocp| self::ocp(ocp, nvme.health.as_ref())));
    sections.extend(nvme.endurance_groups.iter().map(endurance_group));
    sections.extend(nvme.fdp.as_ref().map(fdp));
    sections.push(logs(nvme));
    sections
}

fn controller(nvme: &NvmeProbe) -> Section {
    let controller = &nvme.controller;
    let mut section = Section::new(format!("Controller {}", controller.name));
    section
        .fact("NVMe version", controller.version.clone())
        .fact("Subsystem", controller.subsystem_nqn.clone())
        .fact("Controller number", format!("{} (vendor {:04x})", controller.controller_id, controller.vendor_id))
        .fact("Largest transfer", controller.largest_transfer.map_or("no limit".to_owned(), format::bytes))
        .fact("Namespaces", format!("{} active, {} at most", nvme.namespaces.len(), controller.namespaces_most))
        .some("Total capacity", controller.total_capacity.map(format::bytes))
        .some("Capacity in no namespace", controller.unallocated.map(format::bytes))
        .some("Queue entries, at most", controller.queue_entries_most.map(|most| most.to_string()))
        .some("Outstanding event requests, at most", controller.event_requests.map(|most| most.to_string()))
        .list("Optional commands", &controller.optional_commands);
    section
}

fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

fn features(features: &NvmeFeatures) -> Section {
    let mut section = Section::new("Current features");
    if let (Some(submission), Some(completion)) = (features.submission_queues, features.completion_queues) {
        section.fact("I/O queues granted", format!("{submission} submission, {completion} completion"));
    }
    section.fact("I/O queues requested", "unknown: the Linux driver does not report it");
    let coalescing = match (features.coalescing_entries, features.coalescing_time_us) {
        (Some(entries), Some(time)) => Some(format!("{entries} completions or {time} µs")),
        _ if features.coalescing_known => Some("off".to_owned()),
        _ => None,
    };
    let cache = match (features.write_cache_present, features.write_cache_enabled) {
        (Some(false), _) => Some("none".to_owned()),
        (Some(true), Some(on)) => Some(on_off(on).to_owned()),
        (Some(true), None) => Some("present".to_owned()),
        (None, _) => None,
    };
    let buffer = features.host_memory_buffer.map(|on| {
        let wanted =
            features.host_memory_wanted.map_or_else(String::new, |size| format!(", {} preferred", format::bytes(size)));
        format!("{}{wanted}", on_off(on))
    });
    section
        .some("Interrupt coalescing", coalescing)
        .some("Volatile write cache", cache)
        .some("Current power state", features.power_state.map(|state| state.to_string()))
        .some("Autonomous power transitions", features.autonomous_transitions.map(on_off))
        .some("Host memory buffer", buffer);
    section
}

fn namespace(namespace: &NamespaceProbe) -> Section {
    let mut section = Section::new(format!("Namespace {}", namespace.id));
    section
        .fact("Size", format::bytes(namespace.size))
        .fact("Allocated", format!("{} of {}", format::bytes(namespace.used), format::bytes(namespace.capacity)))
        .some("EUI-64", namespace.eui64.as_deref())
        .some("NGUID", namespace.nguid.as_deref())
        .some("Preferred write granularity", namespace.preferred_write.map(format::bytes));
    for format in &namespace.formats {
        let mark = if format.in_use { ", in use" } else { "" };
        let metadata =
            if format.metadata == 0 { "no metadata".to_owned() } else { format!("{} B of metadata", format.metadata) };
        let value =
            format!("{} blocks, {metadata}, relative performance {}{mark}", format.data, format.relative_performance);
        section.fact(format!("LBA format {}", format.number), value);
    }
    if namespace.protection_type != 0 {
        section.fact("End-to-end protection", format!("type {}", namespace.protection_type));
    }
    if namespace.endurance_group != 0 {
        section.fact("Endurance group", namespace.endurance_group.to_string());
    }
    if namespace.shared {
        section.fact("Shared", "between several controllers");
    }
    section
}

fn power_states(states: &[PowerState]) -> Section {
    let mut section = Section::new("Power states");
    for state in states {
        let watts = |name: &str, value: Option<f64>| value.map(|watts| format!("{name} {}", trimmed(watts)));
        let draws: Vec<String> =
            [watts("at most", state.most_w), watts("active", state.active_w), watts("idle", state.idle_w)]
                .into_iter()
                .flatten()
                .collect();
        let draws = if draws.is_empty() { "power not reported".to_owned() } else { draws.join(", ") };
        let kind = if state.operational { "operational" } else { "non-operational" };
        let value = format!("{draws}; {kind}; {} µs to enter, {} µs to leave", state.entry_us, state.exit_us);
        section.fact(format!("State {}", state.number), value);
    }
    section
}

/// Watts with at most four decimals: `8.25 W`, `0.0035 W`.
fn trimmed(watts: f64) -> String {
    let text = format!("{watts:.4}");
    format!("{} W", text.trim_end_matches('0').trim_end_matches('.'))
}

fn degrees(celsius: f64) -> String {
    format!("{celsius:.0} °C")
}

fn thermal(thermal: &ThermalLimits) -> Section {
    let mut section = Section::new("Thermal limits");
    section
        .some("Warning", thermal.warning_c.map(degrees))
        .some("Critical", thermal.critical_c.map(degrees))
        .some("Warning threshold in use", thermal.over_threshold_c.map(degrees))
        .some("Light throttling from", thermal.light_throttle_c.map(degrees))
        .some("Heavy throttling from", thermal.heavy_throttle_c.map(degrees));
    if let (Some(lowest), Some(highest)) = (thermal.host_lowest_c, thermal.host_highest_c) {
        section.fact("Range the host may set", format!("{lowest:.0} to {highest:.0} °C"));
    }
    if !thermal.host_managed {
        section.fact("Host-managed throttling", "not supported");
    }
    section
}

fn security(security: &NvmeSecurity) -> Section {
    let mut section = Section::new("Erase, locking, encryption");
    let yes = |value: bool| if value { "yes" } else { "no" };
    section.fact("Sanitize", if security.sanitize.is_empty() { "no".to_owned() } else { security.sanitize.join(", ") });
    section
        .some("Sanitize status", security.sanitize_status.as_deref())
        .fact("Format", yes(security.format))
        .list("Format notes", &security.format_notes)
        .fact("Security commands", yes(security.security_commands))
        .fact("TCG", if security.tcg.is_empty() { "none reported".to_owned() } else { security.tcg.join(", ") })
        .some(
            "Locking",
            security.locking_supported.map(|supported| if supported { "supported" } else { "not supported" }),
        )
        .some("Locking enabled", security.locking_enabled.map(yes))
        .some("Locked now", security.locked.map(yes))
        .some("IEEE 1667", security.ieee_1667.map(yes));
    section
}

fn health(health: &NvmeHealth) -> Section {
    let mut section = Section::new("SMART / health");
    let sensors: Vec<String> =
        health.sensors_c.iter().map(|(number, celsius)| format!("{number}: {celsius:.0} °C")).collect();
    let minutes = |minutes: u32| format!("{minutes} min");
    section
        .some("Composite temperature", health.composite_c.map(degrees))
        .list("Sensors", &sensors)
        .fact("Endurance used", format!("{} %", health.used_percent))
        .fact("Spare", format!("{} % (warns below {} %)", health.spare_percent, health.spare_threshold_percent))
        .fact("Written", format::bytes(health.written))
        .fact("Read", format::bytes(health.read))
        .fact("Commands", format!("{} reads, {} writes", health.read_commands, health.write_commands))
        .fact("Power on", format!("{} h, {} cycles", health.power_on_hours, health.power_cycles))
        .fact("Unsafe shutdowns", format!("{} times", health.unsafe_shutdowns))
        .fact("Busy", format!("{} min", health.busy_minutes))
        .fact("Media errors", health.media_errors.to_string())
        .fact("Above the warning temperature", minutes(health.warning_minutes))
        .fact("Above the critical temperature", minutes(health.critical_minutes))
        .fact("Light throttling", format!("{} times, {} s", health.light_throttle_count, health.light_throttle_s))
        .fact("Heavy throttling", format!("{} times, {} s", health.heavy_throttle_count, health.heavy_throttle_s));
    section
}

fn ocp(ocp: &OcpHealth, health: Option<&NvmeHealth>) -> Section {
    let mut section = Section::new("OCP health log (C0h)");
    section
        .fact("Written to the media", format::bytes(ocp.media_written))
        .fact("Read from the media", format::bytes(ocp.media_read));
    if let Some(host) = health.map(|health| health.written.as_f64()).filter(|host| *host > 0.0) {
        section.fact("Lifetime write amplification", format!("{:.2}", ocp.media_written.as_f64() / host));
    }
    section
        .fact("Bad user blocks", ocp.bad_user_blocks.to_string())
        .fact("Throttled", format!("{} times; now {}", ocp.throttle_events, ocp.throttle_status))
        .fact("Corrected PCIe errors", ocp.pcie_correctable.to_string())
        .fact("Incomplete shutdowns", ocp.incomplete_shutdowns.to_string())
        .some("Capacitor", ocp.capacitor_percent.map(|percent| format!("{percent} %")));
    section
}

fn endurance_group(group: &EnduranceGroup) -> Section {
    let mut section = Section::new(format!("Endurance group {}", group.id));
    section.fact("Endurance used", format!("{} %", group.used_percent)).fact("Written", format::bytes(group.written));
    if group.media_written.get() > 0 {
        section.fact("Written to the media", format::bytes(group.media_written));
    }
    section
}

fn fdp(fdp: &FdpProbe) -> Section {
    let mut section = Section::new("Flexible data placement");
    section
        .fact("Endurance group", fdp.endurance_group.to_string())
        .some("State", fdp.enabled.map(on_off))
        .some("Active configuration", fdp.active.map(|number| number.to_string()));
    for one in &fdp.configurations {
        let value = format!(
            "{} of {}, {}, reclaim units of {} ({})",
            format::counted(usize::from(one.handles), "reclaim unit handle"),
            one.handle_types.first().map_or("a type that is not reported", String::as_str),
            format::counted(one.reclaim_groups as usize, "reclaim group"),
            format::bytes(one.reclaim_unit),
            if one.valid { "can be used" } else { "cannot be used" },
        );
        section.fact(format!("Configuration {}", one.number), value);
    }
    let bytes = |bytes: Option<u64>| bytes.map(|bytes| format::bytes(Bytes::new(bytes)));
    section
        .some("Written by the host", bytes(fdp.host_written))
        .some("Written to the media", bytes(fdp.media_written))
        .some("Erased on the media", bytes(fdp.media_erased));
    for (number, used) in fdp.handle_use.iter().enumerate() {
        section.fact(format!("Reclaim unit handle {number}"), used.clone());
    }
    for one in &fdp.placement {
        let left = one.time_left_s.map_or_else(String::new, |seconds| format!(", open for {seconds} s at most"));
        let room = format::counted(usize::try_from(one.available_blocks).unwrap_or(usize::MAX), "block");
        section.fact(
            format!("Placement identifier {}", one.identifier),
            format!("of namespace {}: handle {}, room for {room}{left}", one.namespace, one.handle),
        );
    }
    section
}

fn logs(nvme: &NvmeProbe) -> Section {
    let mut section = Section::new("Logs");
    for slot in &nvme.firmware_slots {
        let active = if slot.active { ", running" } else { "" };
        section.fact(format!("Firmware slot {}", slot.slot), format!("{}{active}", slot.revision));
    }
    if nvme.errors.is_empty() {
        section.fact("Errors", "none");
    }
    for error in nvme.errors.iter().take(MOST_ENTRIES) {
        section.fact(format!("Error {}", error.count), format!("{}, namespace {}", error.status, error.namespace));
    }
    for test in nvme.self_tests.iter().take(MOST_ENTRIES) {
        section.fact(format!("Self-test at {} h", test.at_hours), format!("{}: {}", test.kind, test.result));
    }
    let measures =
        nvme.power_measurement.as_ref().map(|_| "the drive can measure its own power (`--power-log`)".to_owned());
    section
        .some("Power log 25h", measures)
        .some("Power, mean", nvme.power_measurement.as_ref().and_then(|power| power.average_w).map(trimmed))
        .some("Power, highest", nvme.power_measurement.as_ref().and_then(|power| power.most_w).map(trimmed));
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A controller with or without a power log.
    fn drive(power: &serde_json::Value) -> NvmeProbe {
        let text = serde_json::json!({
            "controller": {
                "name": "nvme0", "transport": "pcie", "model": "M", "serial": "S", "firmware": "F", "version": "2.3",
                "vendor_id": 1, "subsystem_nqn": "nqn", "controller_id": 1, "largest_transfer": null,
                "namespaces_most": 1, "total_capacity": null, "unallocated": null, "queue_entries_most": null,
                "error_log_entries": 1, "optional_commands": [],
            },
            "features": {}, "power_states": [], "thermal": {}, "security": {}, "namespaces": [],
            "power_measurement": power,
        });
        serde_json::from_value(text).expect("a probe")
    }

    #[test]
    fn handles_of_flexible_data_placement_are_told_with_their_use_and_what_leads_to_them() {
        let placement: FdpProbe = serde_json::from_value(serde_json::json!({
            "endurance_group": 1, "enabled": true, "active": 0, "configurations": [], "host_written": null,
            "media_written": null, "media_erased": null, "handle_use": ["named by the host", "unused"],
            "placement": [
                { "namespace": 1, "identifier": 2, "handle": 0, "available_blocks": 14336, "time_left_s": 30 },
            ],
        }))
        .expect("a probe");
        let told: Vec<String> = fdp(&placement).facts.into_iter().map(|fact| format!("{fact:?}")).collect();
        let told = told.join("\n");
        assert!(told.contains("Reclaim unit handle 1") && told.contains("unused"), "{told}");
        assert!(told.contains("Placement identifier 2"), "{told}");
        assert!(told.contains("of namespace 1: handle 0, room for 14"), "{told}");
        assert!(told.contains("open for 30 s at most"), "{told}");
    }

    #[test]
    fn a_power_log_is_named_with_the_flag_that_uses_it_where_there_is_one() {
        let shown = |power| {
            let facts = logs(&drive(&power)).facts;
            facts.into_iter().map(|fact| format!("{fact:?}")).collect::<Vec<_>>().join("\n")
        };
        let with = shown(serde_json::json!({ "average_w": 4.5, "most_w": null, "error_percent": 5 }));
        assert!(with.contains("Power log 25h") && with.contains("--power-log") && with.contains("4.5"), "{with}");
        assert!(!shown(serde_json::Value::Null).contains("Power log"), "only where there is one");
    }
}
