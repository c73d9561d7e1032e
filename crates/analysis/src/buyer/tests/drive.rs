//! A used Samsung drive of 1 TB of which nothing is to be said, for tests to change.

use std::path::PathBuf;

use drivelab_core::content::{ContentSample, PlaceSample};
use drivelab_core::environment::{BlockDeviceFacts, LinkFacts};
use drivelab_core::probe::{
    Health, NamespaceProbe, NvmeController, NvmeFeatures, NvmeHealth, NvmeProbe, NvmeSecurity, TargetIdentity,
    TargetProbe, ThermalLimits, WriteOutlook,
};
use drivelab_core::units::Bytes;

use super::super::{Checked, Known, Place, Read, check};

const CAPACITY: Bytes = Bytes::new(1_000_204_886_016);

/// Everything that a check looks at.
pub(super) struct Drive {
    pub(super) probe: TargetProbe,
    pub(super) content: ContentSample,
    read: Read<'static>,
}

impl Drive {
    pub(super) fn check(&self) -> Checked {
        let read = Read { content: Some(&self.content), ..self.read.clone() };
        check(&Known { probe: Some(&self.probe), facts: None, read: Some(&read), not_read: None })
    }

    pub(super) fn read(&mut self) -> &mut Read<'static> {
        &mut self.read
    }

    pub(super) fn device(&mut self) -> &mut BlockDeviceFacts {
        &mut self.probe.devices[0]
    }

    pub(super) fn link(&mut self) -> &mut LinkFacts {
        self.device().link.as_mut().expect("a link")
    }

    pub(super) fn nvme(&mut self) -> &mut NvmeProbe {
        self.probe.nvme.as_mut().expect("an NVMe drive")
    }

    pub(super) fn log(&mut self) -> &mut NvmeHealth {
        self.nvme().health.as_mut().expect("a log")
    }
}

pub(super) fn good() -> Drive {
    let offset = |index: u64| Bytes::new((100 * index) << 30);
    let length = Bytes::new(512 << 20);
    let places = (0..8).map(|index| Place { offset: offset(index), length, mb_s: 3000.0 }).collect();
    let sample = |index| PlaceSample { offset: offset(index), length, blocks: 16, empty: 2, unreadable: 0 };
    let content = ContentSample { places: (0..8).map(sample).collect(), repeats: Vec::new() };
    Drive { probe: probe(), content, read: Read { places, ..Read::default() } }
}

fn probe() -> TargetProbe {
    TargetProbe {
        path: PathBuf::from("/dev/nvme0n1"),
        identity: TargetIdentity::default(),
        devices: vec![device()],
        used_by: Vec::new(),
        writing: WriteOutlook::WithDestroy { id: String::new() },
        health: Health::Good,
        warnings: Vec::new(),
        temperatures: Vec::new(),
        queues: None,
        pcie: None,
        nvme: Some(nvme()),
        ata: None,
        contradictions: Vec::new(),
        not_known: Vec::new(),
        raw: Vec::new(),
    }
}

fn device() -> BlockDeviceFacts {
    BlockDeviceFacts {
        name: "nvme0n1".to_owned(),
        partition: None,
        model: Some("Samsung SSD 970 EVO 1TB".to_owned()),
        serial: Some("S467NX0K123456A".to_owned()),
        firmware: Some("2B2QEXE7".to_owned()),
        capacity: CAPACITY,
        transport: "nvme".to_owned(),
        link: Some(LinkFacts {
            negotiated: "PCIe 3.0 x4".to_owned(),
            possible: Some("PCIe 3.0 x4".to_owned()),
            bytes_per_second: Some(3.938e9),
        }),
        rotational: Some(false),
        logical_block_size: Bytes::new(512),
        physical_block_size: Bytes::new(512),
        scheduler: None,
        nr_requests: None,
        write_cache: None,
        virtual_because: None,
        lies_on: Vec::new(),
    }
}

fn nvme() -> NvmeProbe {
    NvmeProbe {
        controller: controller(),
        features: NvmeFeatures::default(),
        power_states: Vec::new(),
        thermal: ThermalLimits::default(),
        security: NvmeSecurity::default(),
        namespaces: vec![NamespaceProbe {
            id: 1,
            size: CAPACITY,
            capacity: CAPACITY,
            used: CAPACITY,
            formats: Vec::new(),
            metadata_extended: false,
            protection_type: 0,
            endurance_group: 0,
            eui64: Some("0025385881b12345".to_owned()),
            nguid: None,
            preferred_write: None,
            shared: false,
        }],
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

fn controller() -> NvmeController {
    NvmeController {
        name: "nvme0".to_owned(),
        transport: "pcie".to_owned(),
        model: "Samsung SSD 970 EVO 1TB".to_owned(),
        serial: "S467NX0K123456A".to_owned(),
        firmware: "2B2QEXE7".to_owned(),
        version: "1.3.0".to_owned(),
        event_requests: None,
        vendor_id: 0x144d,
        subsystem_nqn: String::new(),
        controller_id: 4,
        largest_transfer: None,
        namespaces_most: 1,
        total_capacity: None,
        unallocated: None,
        queue_entries_most: None,
        error_log_entries: 64,
        optional_commands: Vec::new(),
    }
}

/// Of a drive that was used for two years on a desk.
fn health() -> NvmeHealth {
    NvmeHealth {
        composite_c: Some(38.0),
        sensors_c: Vec::new(),
        critical_warning: 0,
        spare_percent: 100,
        spare_threshold_percent: 10,
        used_percent: 4,
        read: Bytes::new(21_000_000_000_000),
        written: Bytes::new(17_000_000_000_000),
        read_commands: 400_000_000,
        write_commands: 300_000_000,
        busy_minutes: 900,
        power_cycles: 1200,
        power_on_hours: 4100,
        unsafe_shutdowns: 40,
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
