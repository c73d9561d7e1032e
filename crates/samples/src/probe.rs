//! A made-up probe of a new NVMe drive without findings; tests modify it.

use std::path::PathBuf;

use drivelab_core::probe::{
    Health, NamespaceProbe, NvmeController, NvmeFeatures, NvmeHealth, NvmeProbe, NvmeSecurity, TargetIdentity,
    TargetProbe, ThermalLimits, WriteOutlook,
};
use drivelab_core::units::Bytes;

/// The drive as a target: healthy, not in use, with no information besides that of its controller.
#[must_use]
pub fn quiet_probe(nvme: NvmeProbe) -> TargetProbe {
    TargetProbe {
        path: PathBuf::from("/dev/nvme0n1"),
        identity: TargetIdentity::default(),
        devices: Vec::new(),
        used_by: Vec::new(),
        writing: WriteOutlook::WithDestroy { id: String::new() },
        health: Health::Good,
        warnings: Vec::new(),
        temperatures: Vec::new(),
        queues: None,
        pcie: None,
        nvme: Some(nvme),
        ata: None,
        contradictions: Vec::new(),
        not_known: Vec::new(),
        raw: Vec::new(),
    }
}

/// The controller with one namespace of 1 GiB.
#[must_use]
pub fn quiet_nvme() -> NvmeProbe {
    NvmeProbe {
        controller: controller(),
        features: NvmeFeatures::default(),
        power_states: Vec::new(),
        thermal: ThermalLimits::default(),
        security: NvmeSecurity::default(),
        namespaces: vec![namespace()],
        health: Some(health()),
        firmware_slots: Vec::new(),
        errors: Vec::new(),
        self_tests: Vec::new(),
        endurance_groups: Vec::new(),
        fdp: None,
        ocp: None,
        power_measurement: None,
    }
}

fn namespace() -> NamespaceProbe {
    let size = Bytes::new(1 << 30);
    NamespaceProbe {
        id: 1,
        size,
        capacity: size,
        used: size,
        formats: Vec::new(),
        metadata_extended: false,
        protection_type: 0,
        endurance_group: 0,
        eui64: None,
        nguid: None,
        preferred_write: None,
        shared: false,
    }
}

fn health() -> NvmeHealth {
    NvmeHealth {
        composite_c: Some(40.0),
        sensors_c: Vec::new(),
        critical_warning: 0,
        spare_percent: 100,
        spare_threshold_percent: 10,
        used_percent: 3,
        read: Bytes::new(1 << 30),
        written: Bytes::new(1 << 30),
        read_commands: 1,
        write_commands: 1,
        busy_minutes: 1,
        power_cycles: 1,
        power_on_hours: 1,
        unsafe_shutdowns: 0,
        media_errors: 0,
        error_entries: 0,
        warning_minutes: 0,
        critical_minutes: 0,
        light_throttle_count: 0,
        heavy_throttle_count: 0,
        light_throttle_s: 0,
        heavy_throttle_s: 0,
    }
}

fn controller() -> NvmeController {
    NvmeController {
        name: "nvme0".to_owned(),
        transport: "pcie".to_owned(),
        model: "A drive".to_owned(),
        serial: String::new(),
        firmware: String::new(),
        version: "1.4".to_owned(),
        event_requests: None,
        vendor_id: 0,
        subsystem_nqn: String::new(),
        controller_id: 0,
        largest_transfer: None,
        namespaces_most: 1,
        total_capacity: None,
        unallocated: None,
        queue_entries_most: None,
        error_log_entries: 1,
        optional_commands: Vec::new(),
    }
}
