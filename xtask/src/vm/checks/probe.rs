//! probe.sh and fdp.sh: what `drivelab show` reports about drives, compared with QEMU's arguments, field by field.
//!
//! Besides the values in the script's head, QEMU's own constants are checked: hw/nvme/ctrl.c and hw/ide/core.c of
//! QEMU.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::vm::results::Results;

/// Expected values in a document.
type Expected<'a> = &'a [(&'a str, Value)];

const MIB: u64 = 1024 * 1024;

/// Checks the results of probe.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let mut told = vec![
        equal(results, "show.nvme0n1", &first_controller())?,
        equal(results, "show.nvme1n1", &second_controller())?,
        equal(
            results,
            "show.nvme1n2",
            &[("/target/nvme/namespaces/1/id", json!(5)), ("/target/identity/partitions", json!([]))],
        )?,
        equal(results, "show.spinning", &spinning())?,
        equal(results, "show.solid", &solid())?,
        equal(results, "show.vda", &virtio())?,
        equal(results, "show.dm-0", &layer())?,
        equal(results, "show.md0", &array())?,
    ];
    one_identity(results)?;
    told.push(unprivileged(results)?);
    all_listed(results)?;
    Ok(told)
}

/// Checks the results of fdp.sh.
pub(crate) fn check_fdp(results: &Results) -> Result<Vec<String>> {
    Ok(vec![equal(results, "show.nvme0n1", &placement())?])
}

/// `-device nvme,serial=PROBE-0,mdts=5,max_ioqpairs=1,aerl=5`, behind a port of 16 GT/s with four lanes.
fn first_controller() -> Vec<(&'static str, Value)> {
    vec![
        ("/target/devices/0/serial", json!("PROBE-0")),
        ("/target/devices/0/model", json!("QEMU NVMe Ctrl")),
        ("/target/devices/0/capacity", json!(64 * MIB)),
        ("/target/devices/0/transport", json!("nvme")),
        ("/target/identity/by_id", json!(["nvme-QEMU_NVMe_Ctrl_PROBE-0"])),
        ("/target/writing/with_destroy/id", json!("PROBE-0")),
        ("/target/health", json!("good")),
        ("/target/pcie/root", json!("root_port")),
        ("/target/pcie/hops/1/link/possible", json!("PCIe 4.0 x4")),
        // QEMU's controller itself has one lane of 2.5 GT/s, and so does the link between the two.
        ("/target/pcie/hops/0/link/negotiated", json!("PCIe 1.0 x1")),
        ("/target/pcie/hops/1/link/negotiated", json!("PCIe 1.0 x1")),
        ("/target/devices/0/link/negotiated", json!("PCIe 1.0 x1")),
        // 2.5 GT/s in 8b/10b.
        ("/target/pcie/bytes_per_second", json!(250e6)),
        ("/target/queues/cpus_of_queue", json!([[0, 1]])),
        ("/target/nvme/controller/name", json!("nvme0")),
        ("/target/nvme/controller/transport", json!("pcie")),
        ("/target/nvme/controller/serial", json!("PROBE-0")),
        ("/target/nvme/controller/vendor_id", json!(0x1b36)),
        ("/target/nvme/controller/version", json!("1.4")),
        ("/target/nvme/controller/subsystem_nqn", json!("nqn.2019-08.org.qemu:PROBE-0")),
        // 2^5 pages of 4 KiB.
        ("/target/nvme/controller/largest_transfer", json!(128 * 1024)),
        ("/target/nvme/controller/queue_entries_most", json!(2048)),
        // The field counts from zero.
        ("/target/nvme/controller/event_requests", json!(5 + 1)),
        ("/target/nvme/features/submission_queues", json!(1)),
        ("/target/nvme/features/completion_queues", json!(1)),
        ("/target/nvme/features/write_cache_present", json!(true)),
        ("/target/nvme/features/write_cache_enabled", json!(true)),
        ("/target/nvme/power_states/0/most_w", json!(25.0)),
        ("/target/nvme/power_states/0/entry_us", json!(16)),
        ("/target/nvme/power_states/0/exit_us", json!(4)),
        ("/target/nvme/thermal/warning_c", json!(70.0)),
        ("/target/nvme/thermal/critical_c", json!(100.0)),
        ("/target/nvme/health/composite_c", json!(50.0)),
        ("/target/nvme/health/critical_warning", json!(0)),
        ("/target/nvme/namespaces/0/id", json!(1)),
        ("/target/nvme/namespaces/0/size", json!(64 * MIB)),
        ("/target/nvme/namespaces/0/eui64", Value::Null),
        ("/target/nvme/namespaces/0/shared", json!(false)),
    ]
}

/// `-device nvme,serial=PROBE-1,mdts=0,max_ioqpairs=7,use-intel-id=on` in a subsystem, with namespaces 3 and 5, behind
/// a port of 8 GT/s with two lanes.
fn second_controller() -> Vec<(&'static str, Value)> {
    vec![
        ("/target/devices/0/serial", json!("PROBE-1")),
        ("/target/devices/0/capacity", json!(48 * MIB)),
        ("/target/devices/0/logical_block_size", json!(4096)),
        ("/target/devices/0/physical_block_size", json!(4096)),
        // QEMU's defaults.
        ("/target/nvme/controller/event_requests", json!(3 + 1)),
        ("/target/pcie/hops/1/link/negotiated", json!("PCIe 1.0 x1")),
        ("/target/pcie/hops/1/link/possible", json!("PCIe 3.0 x2")),
        ("/target/nvme/controller/vendor_id", json!(0x8086)),
        ("/target/nvme/controller/subsystem_nqn", json!("nqn.2019-08.org.qemu:probe-one")),
        // MDTS 0: no limit.
        ("/target/nvme/controller/largest_transfer", Value::Null),
        ("/target/nvme/features/submission_queues", json!(7)),
        ("/target/nvme/namespaces/0/id", json!(3)),
        ("/target/nvme/namespaces/0/size", json!(48 * MIB)),
        ("/target/nvme/namespaces/0/eui64", json!("0011223344556677")),
        ("/target/nvme/namespaces/0/formats/4/data", json!(4096)),
        ("/target/nvme/namespaces/0/formats/4/in_use", json!(true)),
        ("/target/nvme/namespaces/0/shared", json!(true)),
        ("/target/nvme/namespaces/1/id", json!(5)),
        ("/target/nvme/namespaces/1/formats/1/metadata", json!(8)),
        ("/target/nvme/namespaces/1/formats/1/in_use", json!(true)),
        ("/target/nvme/namespaces/1/metadata_extended", json!(true)),
        ("/target/nvme/namespaces/1/protection_type", json!(1)),
    ]
}

/// `-device ide-hd,serial=SPIN-7200,ver=VMFW01,rotation_rate=7200,wwn=0x5000c50012345678`.
fn spinning() -> Vec<(&'static str, Value)> {
    vec![
        ("/target/devices/0/serial", json!("SPIN-7200")),
        ("/target/devices/0/capacity", json!(32 * MIB)),
        ("/target/devices/0/transport", json!("sata")),
        ("/target/devices/0/rotational", json!(true)),
        ("/target/identity/wwid", json!("naa.5000c50012345678")),
        ("/target/ata/model", json!("QEMU HARDDISK")),
        ("/target/ata/serial", json!("SPIN-7200")),
        ("/target/ata/firmware", json!("VMFW01")),
        ("/target/ata/capacity", json!(32 * MIB)),
        ("/target/ata/rotations_per_minute", json!(7200)),
        ("/target/ata/solid_state", json!(false)),
        ("/target/ata/logical_sector", json!(512)),
        ("/target/ata/smart_enabled", json!(true)),
        ("/target/ata/smart_failing", json!(false)),
    ]
}

/// `-device ide-hd,serial=SOLID-1,ver=VMFW02,rotation_rate=1,physical_block_size=4096`.
fn solid() -> Vec<(&'static str, Value)> {
    vec![
        ("/target/devices/0/serial", json!("SOLID-1")),
        ("/target/devices/0/rotational", json!(false)),
        ("/target/devices/0/physical_block_size", json!(4096)),
        ("/target/ata/firmware", json!("VMFW02")),
        ("/target/ata/solid_state", json!(true)),
        ("/target/ata/rotations_per_minute", Value::Null),
        ("/target/ata/physical_sector", json!(4096)),
        ("/target/ata/capacity", json!(16 * MIB)),
    ]
}

fn virtio() -> Vec<(&'static str, Value)> {
    vec![
        ("/target/devices/0/serial", json!("VIRTIO-1")),
        ("/target/devices/0/transport", json!("virtio")),
        ("/target/devices/0/capacity", json!(8 * MIB)),
        ("/target/queues/cpus_of_queue", json!([[0], [1]])),
    ]
}

fn layer() -> Vec<(&'static str, Value)> {
    vec![
        ("/target/devices/0/transport", json!("device-mapper")),
        ("/target/devices/0/lies_on", json!(["loop0"])),
        ("/target/devices/1/transport", json!("loop")),
        ("/target/used_by", json!(["md0 lies on dm-0"])),
    ]
}

fn array() -> Vec<(&'static str, Value)> {
    vec![
        ("/target/devices/0/transport", json!("md")),
        ("/target/devices/0/lies_on/0", json!("dm-0")),
        ("/target/devices/2/serial", json!("SPIN-7200")),
    ]
}

/// `-device nvme-subsys,fdp=on,fdp.runs=8M,fdp.nrg=2,fdp.nruh=4 -device nvme,ocp=on,mqes=127,max_ioqpairs=4
/// -device nvme-ns,fdp.ruhs=1;3;0`.
fn placement() -> Vec<(&'static str, Value)> {
    vec![
        ("/target/devices/0/serial", json!("FDP-0")),
        ("/target/nvme/controller/subsystem_nqn", json!("nqn.2019-08.org.qemu:fdp0")),
        ("/target/nvme/controller/queue_entries_most", json!(128)),
        ("/target/nvme/features/submission_queues", json!(4)),
        ("/target/nvme/namespaces/0/endurance_group", json!(1)),
        ("/target/nvme/namespaces/0/nguid", json!("00112233445566778899aabbccddeeff")),
        ("/target/nvme/endurance_groups/0/id", json!(1)),
        ("/target/nvme/fdp/endurance_group", json!(1)),
        ("/target/nvme/fdp/enabled", json!(true)),
        ("/target/nvme/fdp/active", json!(0)),
        ("/target/nvme/fdp/configurations/0/valid", json!(true)),
        ("/target/nvme/fdp/configurations/0/reclaim_groups", json!(2)),
        ("/target/nvme/fdp/configurations/0/handles", json!(4)),
        ("/target/nvme/fdp/configurations/0/reclaim_unit", json!(8 * MIB)),
        // Of 4 KiB each, the script wrote 256 to an empty drive; with FDP the emulator counts the same for the media.
        ("/target/nvme/fdp/host_written", json!(MIB)),
        ("/target/nvme/fdp/media_written", json!(MIB)),
        // The namespace's three placement identifiers lead to the handles 1, 3 and 0, so the host named these three.
        (
            "/target/nvme/fdp/handle_use",
            json!(["named by the host", "named by the host", "unused", "named by the host"]),
        ),
        // Each of them in both reclaim groups, for which QEMU uses the identifier's two highest bits. Writes without
        // an identifier go by the first.
        ("/target/nvme/fdp/placement/0", place(0, 1, (8 * MIB - MIB) / 512)),
        ("/target/nvme/fdp/placement/1", place(1 << 14, 1, 8 * MIB / 512)),
        ("/target/nvme/fdp/placement/2", place(1, 3, 8 * MIB / 512)),
        ("/target/nvme/fdp/placement/3", place(1 | 1 << 14, 3, 8 * MIB / 512)),
        ("/target/nvme/fdp/placement/4", place(2, 0, 8 * MIB / 512)),
        ("/target/nvme/fdp/placement/5", place(2 | 1 << 14, 0, 8 * MIB / 512)),
        ("/target/nvme/fdp/placement/6", Value::Null),
        ("/target/nvme/ocp/media_written", json!(MIB)),
        ("/target/nvme/health/write_commands", json!(256)),
    ]
}

/// A placement identifier of namespace 1.
fn place(identifier: u16, handle: u16, available_blocks: u64) -> Value {
    json!({
        "namespace": 1, "identifier": identifier, "handle": handle, "available_blocks": available_blocks,
        "time_left_s": null,
    })
}

/// Demands that a document of `show` contains all of this; every difference is named.
fn equal(results: &Results, name: &str, expected: Expected<'_>) -> Result<String> {
    let code = results.text(&format!("{name}.code"))?;
    let said = results.text(&format!("{name}.said"))?;
    ensure!(code == "0", "{name}: exit code {code}; it said:\n{said}");
    let document = results.json(&format!("{name}.out"))?;
    let wrong = differences(&document, expected);
    ensure!(wrong.is_empty(), "{name} is not what QEMU was told:\n{}", wrong.join("\n"));
    Ok(format!("{name}: {} fields as QEMU was told", expected.len()))
}

/// What is not as expected. A field that is absent counts as null.
fn differences(document: &Value, expected: Expected<'_>) -> Vec<String> {
    let found = |pointer: &str| document.pointer(pointer).unwrap_or(&Value::Null);
    let wrong = expected.iter().filter(|(pointer, wanted)| found(pointer) != wanted);
    wrong.map(|(pointer, wanted)| format!("  {pointer}: {} instead of {wanted}", found(pointer))).collect()
}

/// Demands that all names of a drive lead to the same facts: its controller, its generic node, its link and its serial
/// number.
fn one_identity(results: &Results) -> Result<()> {
    let number = |name: &str| -> Result<Value> {
        let document = results.json(&format!("{name}.out"))?;
        document.pointer("/target/identity/number").cloned().with_context(|| format!("{name} has no number"))
    };
    let drive = number("show.nvme0n1")?;
    for name in ["show.nvme0", "show.ng0n1", "show.by-id", "show.serial"] {
        let other = number(name)?;
        ensure!(other == drive, "{name} is {other}, and the drive is {drive}");
    }
    Ok(())
}

/// Demands that a user without privileges sees the facts from sysfs, and the missing facts by name, each with why and
/// how.
fn unprivileged(results: &Results) -> Result<String> {
    let told = equal(
        results,
        "user.nvme0n1",
        &[("/target/devices/0/serial", json!("PROBE-0")), ("/target/devices/0/capacity", json!(64 * MIB))],
    )?;
    let document = results.json("user.nvme0n1.out")?;
    let missing =
        document.pointer("/target/not_known").and_then(Value::as_array).context("no list of what is missing")?;
    ensure!(!missing.is_empty(), "without privileges nothing is missing");
    for one in missing {
        for key in ["what", "why", "how"] {
            let text = one.get(key).and_then(Value::as_str).unwrap_or_default();
            ensure!(!text.is_empty(), "without privileges: {one} lacks `{key}`");
        }
    }
    ensure!(document.pointer("/target/nvme/health").is_none(), "a user without privileges read the SMART log");
    Ok(format!("{told}, without privileges; {} things are named as missing", missing.len()))
}

/// Demands that `targets` lists every disk, with and without privileges.
fn all_listed(results: &Results) -> Result<()> {
    for name in ["targets", "user.targets"] {
        let document = results.json(&format!("{name}.out"))?;
        let list = document.pointer("/targets").and_then(Value::as_array).context("no list of targets")?;
        let path = |target: &Value| target.pointer("/path").and_then(Value::as_str).unwrap_or_default().to_owned();
        let listed: Vec<String> = list.iter().map(path).collect();
        for node in ["nvme0n1", "nvme1n1", "nvme1n2", "sda", "sdb", "vda", "dm-0", "md0"] {
            ensure!(listed.contains(&format!("/dev/{node}")), "{name} does not list {node}: {listed:?}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_named_and_absent_is_null() {
        let document = json!({ "a": { "b": [1, 2] }, "c": "x" });
        assert_eq!(differences(&document, &[("/a/b/1", json!(2)), ("/c", json!("x")), ("/d", Value::Null)]), [""; 0]);
        let wrong = differences(&document, &[("/a/b/0", json!(2)), ("/d", json!(1))]);
        assert_eq!(wrong, ["  /a/b/0: 1 instead of 2", "  /d: null instead of 1"]);
    }
}
