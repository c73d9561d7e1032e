//! Made-up facts about a target and a testbed: a quiet machine with a physical PCIe 4.0 drive.

use std::path::PathBuf;

use drivelab_core::environment::{
    BlockDeviceFacts, Environment, FileSystemFacts, LinkFacts, TargetFacts, TargetKind, TestbedFacts,
};
use drivelab_core::target::{DirectIo, GuardDecision};
use drivelab_core::units::Bytes;

use crate::plan::CAPACITY;

/// An environment without findings.
#[must_use]
pub fn sample_environment() -> Environment {
    Environment {
        ceilings: None,
        watching_cost: None,
        probe: None,
        drive_facts: None,
        condition: None,
        source: None,
        content: None,
        data_sheet: None,
        target: TargetFacts {
            path: PathBuf::from("/data/drivelab-scratch.bin"),
            kind: TargetKind::ScratchFile,
            length: CAPACITY,
            file_system: Some(FileSystemFacts {
                kind: "ext4".to_owned(),
                mount_point: PathBuf::from("/data"),
                source: "/dev/nvme0n1p2".to_owned(),
                options: "rw,relatime".to_owned(),
                total: Bytes::new(983_349_346_304),
                free: Bytes::new(812_000_000_000),
            }),
            devices: vec![sample_drive()],
            direct_io: DirectIo {
                supported: true,
                memory_align: Bytes::new(512),
                offset_align: Bytes::new(512),
                reason: "statx reports alignments of 512 bytes".to_owned(),
            },
            used_by: Vec::new(),
            holes: None,
        },
        testbed: TestbedFacts {
            tag: None,
            note: None,
            kernel: "6.12.48".to_owned(),
            cpu_model: Some("Example CPU 8-Core".to_owned()),
            cpus: 16,
            governor: Some("performance".to_owned()),
            board: Some("Example Board X1".to_owned()),
            firmware: Some("1.20 (2025-11-03)".to_owned()),
            memory: Bytes::new(16 << 30),
            hypervisor: None,
            load_average_1m: 0.2,
            cpu_busy: Some(0.02),
            cpu_stolen: None,
            foreign_io: Some(0.0),
            host: None,
            unknown: Vec::new(),
        },
        guard: Some(GuardDecision {
            allowed_because: "drivelab made this scratch file for the run".to_owned(),
            destroy_named: None,
            device: None,
        }),
        bundle_on_same_device: false,
    }
}

fn sample_drive() -> BlockDeviceFacts {
    BlockDeviceFacts {
        name: "nvme0n1".to_owned(),
        partition: Some("nvme0n1p2".to_owned()),
        model: Some("Example NVMe 1TB".to_owned()),
        serial: Some("EX0000000001".to_owned()),
        firmware: Some("EXF10001".to_owned()),
        capacity: Bytes::new(1_000_204_886_016),
        transport: "nvme".to_owned(),
        link: Some(LinkFacts {
            negotiated: "PCIe 4.0 x4".to_owned(),
            possible: Some("PCIe 4.0 x4".to_owned()),
            bytes_per_second: Some(7.877e9),
        }),
        rotational: Some(false),
        logical_block_size: Bytes::new(512),
        physical_block_size: Bytes::new(512),
        scheduler: Some("none".to_owned()),
        nr_requests: Some(1023),
        write_cache: Some("write back".to_owned()),
        virtual_because: None,
        lies_on: Vec::new(),
        passes_on: None,
        encrypts: false,
        request_size: None,
    }
}
