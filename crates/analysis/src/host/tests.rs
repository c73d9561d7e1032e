//! The words of each finding.

use drivelab_core::condition::{ConditionFacts, Series};
use drivelab_core::environment::{BusyProgram, Environment, HostFacts};
use drivelab_core::finding::Finding;
use drivelab_core::namespace::OtherNamespace;
use drivelab_core::plan::LeftOut;
use drivelab_core::probe::{
    Contradiction, LbaFormat, NamespaceProbe, NvmeFeatures, NvmeHealth, NvmeProbe, NvmeSecurity, PciePath, QueueFacts,
    TargetProbe, ThermalLimits, UplinkRoot,
};
use drivelab_core::units::Bytes;
use drivelab_samples::{quiet_nvme, quiet_probe, sample_environment};

use super::*;
use crate::check::testing::in_words;

/// What the method asks for, beside what is there.
fn of_requests() -> Vec<Finding> {
    let left_out =
        |test: &str, reason: &str| LeftOut { test: test.to_owned(), title: test.to_owned(), reason: reason.to_owned() };
    let left_out = [
        left_out("discards", "it needs a block device, and the target is a file"),
        left_out("power", "no source reports the drive's power"),
    ];
    let other =
        OtherNamespace { name: "nvme0n2".to_owned(), nsid: 2, capacity: Bytes::GIB, logical_block: Bytes::new(512) };
    let set = ["size=4 GiB", "depth=32"].map(str::to_owned);
    vec![
        words::reads_of_holes("/data/disk.img", Bytes::GIB, Bytes::GIB),
        words::reads_of_holes("/data/disk.img", Bytes::new(4096), Bytes::GIB),
        words::parameters_set("quick", &set[..1]),
        words::parameters_set("quick", &set),
        words::tests_left_out(&left_out[..1]),
        words::tests_left_out(&left_out),
        words::other_namespace_read(&other, None),
        words::other_namespace_read(&other, Some(Bytes::new(1 << 20))),
        words::other_namespace_read(&other, Some(Bytes::new(0))),
        words::data_without_writes(),
        words::headers_unread(),
        scratch_file_smaller(Bytes::new(32 << 30), Bytes::new(8 << 30)),
        target_smaller(Bytes::new(1_000_204_886_016), Bytes::new(64 << 30)),
        bundle_on_target_device(Bytes::new(123_456)),
        words::bundle_on_target(None),
        words::debug_build("debug"),
    ]
}

/// What a change of the quiet environment gives rise to.
fn with(change: impl FnOnce(&mut Environment)) -> Vec<Finding> {
    let mut environment = sample_environment();
    change(&mut environment);
    conditions::disturbances(&environment)
}

fn of_environments() -> Vec<Finding> {
    let busy = with(|e| {
        (e.testbed.cpu_busy, e.testbed.foreign_io) = (Some(0.42), Some(25e6));
        (e.testbed.governor, e.testbed.hypervisor) = (Some("powersave".to_owned()), Some("kvm".to_owned()));
    });
    let by_load = with(|e| (e.testbed.cpu_busy, e.testbed.load_average_1m) = (None, 9.0));
    let small = with(|e| e.target.length = Bytes::GIB);
    let below = with(|e| {
        e.target.length = Bytes::GIB;
        let device = &mut e.target.devices[0];
        (device.virtual_because, device.scheduler) = (Some("virtio".to_owned()), Some("bfq".to_owned()));
        device.link.as_mut().expect("a link").negotiated = "PCIe 3.0 x2".to_owned();
    });
    let looped = with(|e| {
        let device = &mut e.target.devices[0];
        (device.name, device.transport) = ("loop0".to_owned(), "loop".to_owned());
    });
    let stacked = with(|e| {
        let device = &mut e.target.devices[0];
        (device.name, device.transport) = ("md0".to_owned(), "md".to_owned());
        device.lies_on = vec!["sda".to_owned(), "sdb".to_owned()];
    });
    let of_targets = with(|e| {
        e.target.devices.clear();
        e.target.direct_io.supported = false;
        e.target.direct_io.reason = "the file system refuses O_DIRECT".to_owned();
        e.target.used_by = ["/dev/nvme0n1p1 is mounted at /", "/dev/nvme0n1p2 is swap space"].map(str::to_owned).into();
    });
    let in_memory = with(|e| e.target.file_system.as_mut().expect("one").kind = "tmpfs".to_owned());
    let nothing = with(|e| e.target.kind = drivelab_core::environment::TargetKind::NullDevice);
    [busy, by_load, small, below, looped, stacked, of_targets, in_memory, nothing].concat()
}

fn of_series() -> Vec<Finding> {
    let phrases = |some: [&str; 2]| some.map(str::to_owned).to_vec();
    let series = Series {
        loop_on_file: true,
        left_out: phrases(["LUKS (cryptsetup is not installed)", "OPAL (the drive has none)"]),
        replaced: phrases(["partition 50 % instead of 90 %", "xfs instead of ext4"]),
        ..Series::default()
    };
    with(|e| e.condition = Some(ConditionFacts { series: Some(series), ..ConditionFacts::default() }))
}

/// A host with every fault, and two that differ in what their findings say.
fn of_hosts() -> Vec<Finding> {
    let program = |name: &str, pid, cpus| BusyProgram { name: name.to_owned(), pid, cpus };
    let bad = HostFacts {
        clock_source: Some("hpet".to_owned()),
        constant_tsc: true,
        io_uring_disabled: Some(2),
        io_uring_refused: Some("io_uring_setup: operation not permitted (EPERM)".to_owned()),
        memlock: Some(Bytes::new(64 << 10)),
        transparent_huge_pages: Some("never".to_owned()),
        cpus_allowed: 4,
        governors: ["8 powersave", "8 performance"].map(str::to_owned).into(),
        programs: vec![program("rustc", 4711, 1.5), program("firefox", 815, 0.3)],
        ..HostFacts::default()
    };
    let other = HostFacts {
        constant_tsc: false,
        io_uring_refused: Some("io_uring_setup: operation not permitted (EPERM)".to_owned()),
        programs: vec![program("rustc", 4711, 1.5)],
        ..HostFacts::default()
    };
    let mut environment = sample_environment();
    environment.target.devices[0].nr_requests = Some(2);
    environment.testbed.host = Some(bad);
    let first = host_findings(&environment.testbed, &environment.target.devices);
    environment.testbed.host = Some(other);
    [first, host_findings(&environment.testbed, &[])].concat()
}

fn queues(of: &[&[u32]], cpus_online: u32) -> Option<QueueFacts> {
    let cpus_of_queue = of.iter().map(|cpus| cpus.to_vec()).collect();
    Some(QueueFacts { cpus_of_queue, cpus_online, entries_each: None, polled: None, interrupts: Vec::new() })
}

fn path(root: UplinkRoot, others: &[&str]) -> Option<PciePath> {
    let shares_uplink_with = others.iter().map(|other| (*other).to_owned()).collect();
    Some(PciePath { hops: Vec::new(), root, shares_uplink_with, numa_node: None, bytes_per_second: None })
}

/// A drive with every fault.
fn bad_drive() -> NvmeProbe {
    let quiet = quiet_nvme();
    let format = |number, data: u64, performance: &str, in_use| LbaFormat {
        number,
        data: Bytes::new(data),
        metadata: 0,
        relative_performance: performance.to_owned(),
        in_use,
    };
    let formats = vec![format(0, 512, "good", true), format(1, 4096, "best", false)];
    let health = quiet.health.clone().expect("a log");
    NvmeProbe {
        features: NvmeFeatures {
            submission_queues: Some(4),
            coalescing_entries: Some(8),
            coalescing_time_us: Some(100),
            ..NvmeFeatures::default()
        },
        thermal: ThermalLimits { warning_c: Some(80.0), ..ThermalLimits::default() },
        security: NvmeSecurity { sanitize_status: Some("in progress, 12 %".to_owned()), ..NvmeSecurity::default() },
        namespaces: quiet
            .namespaces
            .iter()
            .map(|one| NamespaceProbe { formats: formats.clone(), ..one.clone() })
            .collect(),
        health: Some(NvmeHealth { used_percent: 93, media_errors: 7, composite_c: Some(70.0), ..health }),
        ..quiet
    }
}

fn of_probes() -> Vec<Finding> {
    let contradiction = Contradiction { what: "Sensor 2".into(), evidence: "105 °C beside 60 °C".into() };
    let network = "0000:07:00.0 (network controller)";
    let bad = TargetProbe {
        queues: queues(&[&[0, 1, 2, 3], &[4, 5, 6, 7]], 8),
        warnings: ["spare is low", "read-only"].map(str::to_owned).into(),
        pcie: path(UplinkRoot::Chipset, &[network, "0000:08:00.0 (SATA controller)"]),
        contradictions: vec![contradiction],
        ..quiet_probe(bad_drive())
    };
    let mut hot = quiet_nvme();
    hot.thermal.warning_c = Some(80.0);
    hot.features.submission_queues = Some(1);
    let health = hot.health.as_mut().expect("a log");
    (health.composite_c, health.media_errors) = (Some(83.0), 1);
    let other = TargetProbe {
        queues: queues(&[&[0, 1], &[]], 2),
        pcie: path(UplinkRoot::Switch, &[network]),
        warnings: vec!["spare is low".to_owned()],
        ..quiet_probe(hot)
    };
    let one_queue = TargetProbe { queues: queues(&[&[0, 1]], 2), ..quiet_probe(quiet_nvme()) };
    [bad, other, one_queue].iter().flat_map(probe::probe_findings).collect()
}

#[test]
fn each_finding_in_its_words() {
    let all = [of_requests(), of_environments(), of_series(), of_hosts(), of_probes()];
    insta::assert_snapshot!(in_words(&all.concat()));
}
