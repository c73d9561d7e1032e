//! Findings about target and testbed: what may disturb the run, seen before it.

use drivelab_core::environment::{BlockDeviceFacts, LinkFacts};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::namespace::OtherNamespace;
use drivelab_core::plan::LeftOut;
use drivelab_core::units::Bytes;

use crate::evidence::{Words, evidence, note, warning};

pub(crate) fn busy_machine(load: f64, cpus: u32, limit: f64) -> Finding {
    let statement =
        format!("The machine was busy before the run: on average {load:.1} tasks were runnable on {cpus} CPUs.");
    let action = "Stop other work (builds, backups, indexing), wait a minute and run again.";
    warning("busy_machine", statement, "Other processes take CPU time from the load generator.", action)
        .about_run(vec![evidence("load average over 1 minute", load, Some(limit), "tasks")])
}

pub(crate) fn busy_cpus(busy: f64, cpus: u32, limit: f64) -> Finding {
    let statement = format!(
        "The machine was busy before the run: other work used {:.0} % of the time of its {cpus} CPUs.",
        100.0 * busy
    );
    let action = "Stop other work (builds, backups, indexing) and run again.";
    warning("busy_machine", statement, "Other processes take CPU time from the load generator.", action)
        .about_run(vec![evidence("CPU time of other work in half a second", 100.0 * busy, Some(100.0 * limit), "%")])
}

pub(crate) fn reads_of_holes(path: &str, holes: Bytes, length: Bytes) -> Finding {
    let how_much =
        if holes >= length { "all".to_owned() } else { format!("{} of the {}", holes.about(), length.about()) };
    let statement = format!(
        "These read figures are not those of a drive: {how_much} of {path} was never written (holes, or space that is only \
         reserved), and the file system answers reads of it with zeros from memory."
    );
    let cause = "The file is new, sparse or preallocated (truncate, fallocate, a disk image).";
    let action = "Write it first (`drivelab io FILE --fill --destroy FILE` overwrites all of it), or name its folder: \
                  drivelab then creates a scratch file and fills it.";
    warning("reads_of_holes", statement, cause, action).about_run(vec![evidence(
        "bytes that were never written",
        holes.as_f64(),
        Some(0.0),
        "B",
    )])
}

pub(crate) fn parameters_set(method: &str, set: &[String]) -> Finding {
    let statement = format!(
        "These are not the figures of '{method}' as it is defined: parameters were set on the command line ({}).",
        set.join(", ")
    );
    let action = "Compare them only with runs that set the same parameters.";
    note("parameters_set", statement, "The command has --set.", action).about_run(Vec::new())
}

pub(crate) fn tests_left_out(left_out: &[LeftOut]) -> Finding {
    let names: Vec<String> = left_out.iter().map(|one| format!("{} ({})", one.test, one.reason)).collect();
    let statement = match left_out {
        [_] => format!("A test was left out: {}.", names.join("; ")),
        _ => format!("{} tests or methodologies were left out: {}.", left_out.len(), names.join("; ")),
    };
    let cause = "Target, drive, rights or time do not allow them.";
    let count = evidence("left out", left_out.len() as f64, None, "tests");
    note("tests_left_out", statement, cause, "Nothing, or provide what they need.").about_run(vec![count])
}

pub(crate) fn other_namespace_read(other: &OtherNamespace, allocated: Option<Bytes>) -> Finding {
    let unused = allocated.is_some_and(|bytes| bytes.get() == 0);
    let held = match allocated {
        Some(_) if unused => "The drive reports that it is empty".to_owned(),
        Some(bytes) => {
            format!("The drive reports {} of its {} as allocated", bytes.about(), other.capacity.about())
        }
        None => format!("Its capacity is {}", other.capacity.about()),
    };
    let statement = format!(
        "Groups of threads read {} (namespace {}), another namespace of the same drive, which this run never writes. \
         {held}. A drive answers reads of blocks that were never written, or were deallocated, without reading its media.",
        other.words(),
        other.nsid
    );
    let cause = "The methodology measures reads of one namespace while another is written.";
    let action = "Take these read latencies as those of the media only if the whole namespace was written before.";
    let words = if unused { warning } else { note }("other_namespace_read", statement, cause, action);
    let size = evidence("bytes of the other namespace", other.capacity.as_f64(), None, "B");
    words.about_run(vec![size])
}

pub(crate) fn data_without_writes() -> Finding {
    let statement =
        "The settings of the data to write (data, compressibility, repeated blocks) have no effect: this load \
                     writes nothing."
            .to_owned();
    let action = "Fill the target with such data first (`--fill`), or leave these settings out.";
    note("data_without_writes", statement, "The load only reads, and nothing is filled before it.", action)
        .about_run(Vec::new())
}

pub(crate) fn headers_unread() -> Finding {
    let statement =
        "Nothing will check the headers that are written: the file with these blocks is removed at the end.".to_owned();
    let cause = "The target is a folder, in which drivelab creates a file and removes it.";
    let action = "Read each block back immediately (`--verify at-once`), or name a file or a device and check it later \
                  (`--op verify`).";
    note("headers_unread", statement, cause, action).about_run(Vec::new())
}

/// A scratch file that is smaller than requested, so that the load is not the one that was typed.
#[must_use]
pub fn scratch_file_smaller(asked: Bytes, made: Bytes) -> Finding {
    let statement = format!("The scratch file is {} instead of the requested {}.", made.about(), asked.about());
    let cause =
        "Its size is a whole number of MiB, at most a tenth of the free space, and at most the size of the memory.";
    let action = "Compare only with results on a target of the same size. Free some space for a larger file.";
    let found = vec![evidence("size of the scratch file", made.as_f64(), Some(asked.as_f64()), "B")];
    warning("scratch_file_smaller", statement, cause, action).about_run(found)
}

/// A target that is smaller than the methodology states: areas and volumes are then smaller too.
#[must_use]
pub fn target_smaller(stated: Bytes, tested: Bytes) -> Finding {
    let statement = format!(
        "Areas and volumes are smaller than the methodology states: {} of the target were tested instead of {}.",
        tested.about(),
        stated.about()
    );
    let cause = "The target is smaller, or --size limits it.";
    let action = "Compare only with results on an area of the same size.";
    let found = vec![evidence("tested size", tested.as_f64(), Some(stated.as_f64()), "B")];
    warning("target_smaller", statement, cause, action).about_run(found)
}

pub(crate) fn virtual_disk(name: &str, because: &str) -> Finding {
    let statement = format!(
        "{name} is a virtual disk ({because}): the figures include the host below it and are not those of a drive."
    );
    let action = "Compare only with results of the same virtual machine or instance type, or test on the host itself.";
    warning("virtual_disk", statement, "A hypervisor or the kernel is between this machine and the drive.", action)
        .about_run(Vec::new())
}

pub(crate) fn virtual_machine(hypervisor: &str) -> Finding {
    let statement = format!("This testbed is a virtual machine ({hypervisor}); its CPUs and clock are shared.");
    note("virtual_machine", statement, "", "State the host or the instance type with the result.").about_run(Vec::new())
}

pub(crate) fn memory_larger_than_target(memory: Bytes, target: Bytes, cached_below: bool) -> Finding {
    let statement = format!(
        "A cache below the target may hold all of it ({}), because it is no larger than this machine's memory ({}). Direct \
         I/O bypasses only the cache of this machine, not one below it (of a host, a controller or a loop device's file).",
        target.about(),
        memory.about()
    );
    let severity = if cached_below { Severity::Warning } else { Severity::Note };
    let cause = if cached_below {
        "This target has such a layer below it."
    } else {
        "The target was kept small to save time and endurance."
    };
    let action = "If reads look too fast to be true, use a target that is larger than memory.";
    Words { code: "memory_larger_than_target", severity, statement, cause, action }.about_run(vec![evidence(
        "bytes of the target",
        target.as_f64(),
        Some(memory.as_f64()),
        "B",
    )])
}

pub(crate) fn foreign_io(rate: f64, limit: f64) -> Finding {
    let statement = format!("Other programs moved {:.1} MB/s on the target's device before the run began.", rate / 1e6);
    let action = "Find them (`iotop`, or `cat /proc/diskstats` twice), stop them and run again.";
    warning("foreign_io", statement, "Other processes use the same device.", action).about_run(vec![evidence(
        "rate of other programs before the run",
        rate / 1e6,
        Some(limit / 1e6),
        "MB/s",
    )])
}

pub(crate) fn governor(governor: &str) -> Finding {
    let statement = format!(
        "Latencies at low queue depth include the time that the CPU takes to wake up and to speed up: its frequency \
         governor is '{governor}', not 'performance'."
    );
    let action = "For figures that others can reproduce, run as root: `cpupower frequency-set -g performance`.";
    warning("governor_not_performance", statement, "This is the usual setting of desktops and laptops.", action)
        .about_run(Vec::new())
}

pub(crate) fn scheduler(device: &str, scheduler: &str) -> Finding {
    let statement = format!("The I/O scheduler of {device} is '{scheduler}': it adds work to every operation.");
    let action = "For a fast drive, write 'none' to /sys/block/DEVICE/queue/scheduler, as root.";
    note("scheduler_not_none", statement, "This is the setting of the distribution.", action).about_run(Vec::new())
}

pub(crate) fn no_direct_io(reason: &str) -> Finding {
    let statement = format!("Every figure includes the page cache: this target has no direct I/O ({reason}).");
    let action = "Choose a folder on a file system with direct I/O: ext4, xfs or btrfs on a block device.";
    warning("no_direct_io", statement, "The file system does not support O_DIRECT.", action).about_run(Vec::new())
}

pub(crate) fn memory_file_system(kind: &str) -> Finding {
    let statement = format!("No drive is measured: the target is on {kind}, which is in memory.");
    warning("memory_file_system", statement, "Temporary folders are often kept in memory.", "Choose another folder.")
        .about_run(Vec::new())
}

pub(crate) fn stores_nothing(target: &str) -> Finding {
    let statement = format!(
        "{target} stores nothing: the figures show what drivelab and this host can generate, and nothing about a drive."
    );
    let cause = "This target is for measuring the tool itself.";
    note("stores_nothing", statement, cause, "For figures of a drive, name a folder, a file or a block device on it.")
        .about_run(Vec::new())
}

pub(crate) fn used_by_others(users: &[String]) -> Finding {
    let statement = format!(
        "Other programs may have moved data on the target at any time: it was in use when the run began ({}).",
        users.join("; ")
    );
    let cause = "Reading a device that is in use is allowed, because nothing is lost.";
    warning(
        "target_in_use",
        statement,
        cause,
        "For undisturbed figures, first unmount the target or stop what uses it.",
    )
    .about_run(Vec::new())
}

pub(crate) fn no_block_device(kind: &str, source: &str) -> Finding {
    let statement = format!(
        "It is unknown which drive was measured: the target ({kind} from {source}) has no block device below it."
    );
    let cause = "It is a network, overlay or pooled file system.";
    note("no_block_device", statement, cause, "State the storage behind it with the result.").about_run(Vec::new())
}

/// The bundle is on the target's device, and the recording of the run wrote this many bytes to it.
#[must_use]
pub fn bundle_on_target_device(written: Bytes) -> Finding {
    bundle_on_target(Some(written))
}

/// [`bundle_on_target_device`]; the number of bytes may be unknown.
pub(crate) fn bundle_on_target(written: Option<Bytes>) -> Finding {
    let size = written.map_or_else(String::new, |written| format!(" ({})", written.about()));
    let statement = format!("The record of the run{size} is written to the device that is measured.");
    let found = written.map(|written| evidence("bytes in the bundle", written.as_f64(), None, "B"));
    let action = "If that matters, keep results on another device: `--data DIR`.";
    note("bundle_on_target_device", statement, "The data folder is on the same device as the target.", action)
        .about_run(found.into_iter().collect())
}

pub(crate) fn debug_build(profile: &str) -> Finding {
    let statement = format!(
        "This drivelab is a {profile} build: each operation takes several times the CPU time of a release build."
    );
    warning("debug_build", statement, "It was started with `cargo run`.", "Use `cargo run --release`.")
        .about_run(Vec::new())
}

pub(crate) fn stacked_device(device: &BlockDeviceFacts) -> Finding {
    let below = if device.lies_on.is_empty() { "other storage".to_owned() } else { device.lies_on.join(", ") };
    let statement = format!(
        "{} ({}) is on {below}: every figure includes its layer (mapping, encryption, parity or a file).",
        device.name, device.transport
    );
    note("stacked_device", statement, "", "State the layer with the result, or test the device below it.")
        .about_run(Vec::new())
}

pub(crate) fn link_below_possible(device: &str, link: &LinkFacts, possible: &str) -> Finding {
    let statement = format!("The link of {device} runs at {}, but {possible} is possible.", link.negotiated);
    let cause = "The slot has fewer lanes or an older generation, shares lanes with another device, or saves power.";
    let action = "Look in the board's manual for a slot wired to the CPU, and check the power settings of the link.";
    let rate = link.bytes_per_second.map(|rate| evidence("negotiated link", rate / 1e6, None, "MB/s"));
    warning("link_below_possible", statement, cause, action).about_run(rate.into_iter().collect())
}
