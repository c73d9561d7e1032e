//! A used Samsung drive of 1 TB of which nothing is to be said, for tests to change.

use drivelab_core::content::{ContentSample, PlaceSample};
use drivelab_core::environment::{BlockDeviceFacts, LinkFacts};
use drivelab_core::plan::Combine;
use drivelab_core::probe::{NamespaceProbe, NvmeController, NvmeHealth, NvmeProbe, TargetProbe};
use drivelab_core::units::Bytes;
use drivelab_samples::{quiet_nvme, quiet_probe};

use crate::buyer::{Checked, Known, Place, Read, check};

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
    let (combine, wrong, held_back) = (Combine::Best, None, None);
    let place = Place { offset: offset(0), length, mb_s: 3000.0, rounds: 2, combine, left_out: 0, wrong, held_back };
    let places = (0..8).map(|index| Place { offset: offset(index), ..place }).collect();
    let sample = |index| PlaceSample { offset: offset(index), length, blocks: 16, empty: 2, unreadable: 0 };
    let content = ContentSample { places: (0..8).map(sample).collect(), repeats: Vec::new() };
    let probe = TargetProbe { devices: vec![device()], ..quiet_probe(nvme()) };
    Drive { probe, content, read: Read { places, ..Read::default() } }
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
        passes_on: None,
        encrypts: false,
        request_size: None,
    }
}

fn nvme() -> NvmeProbe {
    let quiet = quiet_nvme();
    let namespace = &quiet.namespaces[0];
    NvmeProbe {
        controller: NvmeController {
            model: "Samsung SSD 970 EVO 1TB".to_owned(),
            serial: "S467NX0K123456A".to_owned(),
            firmware: "2B2QEXE7".to_owned(),
            version: "1.3.0".to_owned(),
            vendor_id: 0x144d,
            controller_id: 4,
            error_log_entries: 64,
            ..quiet.controller.clone()
        },
        namespaces: vec![NamespaceProbe {
            size: CAPACITY,
            capacity: CAPACITY,
            used: CAPACITY,
            eui64: Some("0025385881b12345".to_owned()),
            ..namespace.clone()
        }],
        health: quiet.health.as_ref().map(used_on_a_desk),
        ..quiet
    }
}

/// For two years.
fn used_on_a_desk(new: &NvmeHealth) -> NvmeHealth {
    NvmeHealth {
        composite_c: Some(38.0),
        used_percent: 4,
        read: Bytes::new(21_000_000_000_000),
        written: Bytes::new(17_000_000_000_000),
        read_commands: 400_000_000,
        write_commands: 300_000_000,
        busy_minutes: 900,
        power_cycles: 1200,
        power_on_hours: 4100,
        unsafe_shutdowns: 40,
        ..new.clone()
    }
}
