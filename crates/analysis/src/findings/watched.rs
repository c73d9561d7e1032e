//! Findings from what was watched beside the I/O.

use std::collections::BTreeSet;

use drivelab_core::finding::{Finding, Severity};

use super::{Words, executions, warning};
use crate::check::Seen;

pub(crate) fn silent_meters(names: &[String]) -> Finding {
    let statement = format!("Nothing was read from {}: there are no figures of it.", names.join(" and "));
    let cause = "The command ended or prints something else, or the file is not the one that the meter writes.";
    let action = "Let it print lines of `seconds value` (docs/telemetry.md) and try it with `drivelab watch` first.";
    warning("silent_meter", statement, cause, action).about_run(Vec::new())
}

pub(crate) fn drive_throttled(seen: &[Seen]) -> Finding {
    let statement = format!("In {} the drive throttled itself, as its own counters say.", executions(seen));
    let cause = "It got as warm as its thermal management allows.";
    let action = "Read these figures as those of a hot drive: cool it (heat sink, air), lower the load or let it cool \
                  down before the step (`start_below`), and compare.";
    warning("drive_throttled", statement, cause, action).about(seen)
}

pub(crate) fn drive_hot(seen: &[Seen]) -> Finding {
    let statement =
        format!("In {} a temperature of the drive reached the limit from which it warns.", executions(seen));
    let cause = "Too little cooling for this load; or a sensor that always says so (some drives have one).";
    let action = "Look at the temperatures over time; where rates fall with them, the drive throttles.";
    warning("drive_hot", statement, cause, action).about(seen)
}

pub(crate) fn others_used_disk(seen: &[Seen]) -> Finding {
    let names: BTreeSet<&str> = seen.iter().flat_map(|one| &one.notes).map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let statement = format!(
        "In {} other I/O used {}: the kernel counted more than drivelab asked for, so the figures are marked.",
        executions(seen),
        names.join(", ")
    );
    let cause = "Another program, an array that resyncs, the file system's own work (journal, discards, metadata), or \
                 writes that were still on their way to the disk when the step began.";
    let action = "Stop what uses the disk (`iotop`, `lsof`) and measure again.";
    warning("others_used_disk", statement, cause, action).about(seen)
}

pub(crate) fn others_perhaps(seen: &[Seen]) -> Finding {
    let names: BTreeSet<&str> = seen.iter().flat_map(|one| &one.notes).map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let statement = format!(
        "In {} the kernel counted more bytes on {} than drivelab asked for. Either what lies between moved them (page \
         cache, file system, array) or other I/O used the disk.",
        executions(seen),
        names.join(", ")
    );
    let cause = "Another program used the disk. Or the page cache read ahead between nearby blocks, a copy-on-write file \
                 system (btrfs, f2fs) moved old data, or an array with parity lacks a device.";
    let action = "Check with `iotop` that nothing else uses the disk, and measure again. With direct I/O (`losetup \
                  --direct-io=on`, `mount -o loop,direct-io`) or on the device itself the two can be told apart.";
    warning("others_perhaps", statement, cause, action).about(seen)
}

/// Beside loads on files the reads of others are judged only.
pub(crate) fn writes_not_judged(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} only the reads of other programs were checked. Their writes cannot be separated from those of the file \
         system itself.",
        executions(seen)
    );
    let action = "See that nothing else uses the disk meanwhile (`iotop`).";
    Words { code: "others_not_watched", severity: Severity::Note, statement, cause: "", action }.about(seen)
}

/// Layers below which nothing is judged.
pub(crate) fn layers_not_judged(names: &[&str]) -> Finding {
    let statement = format!(
        "Other I/O on the devices below {} was not checked: how much this layer itself reads and writes there is \
         unknown.",
        names.join(" and ")
    );
    let cause = "A thin pool, a snapshot, a cache, dm-integrity, an array that logs its writes, or a loop device whose file \
                 lies on btrfs or ZFS.";
    let action = "Check with `iotop` that nothing else uses these devices, or measure on the device itself.";
    Words { code: "others_not_watched", severity: Severity::Note, statement, cause, action }.about_run(Vec::new())
}

/// Other I/O was not watched in the run, or in the part of it that the statement names.
pub(crate) fn not_watched(statement: &str) -> Finding {
    let words = Words {
        code: "others_not_watched",
        severity: Severity::Note,
        statement: statement.to_owned(),
        cause: "Telemetry was switched off.",
        action: "Leave `--telemetry off` out, or see that nothing else uses the disk meanwhile (`iotop`).",
    };
    words.about_run(Vec::new())
}

pub(crate) fn link_changed(seen: &[Seen]) -> Finding {
    let statement = format!("In {} the drive's link changed its speed or width.", executions(seen));
    let cause = "Power management of the link, or errors after which both ends agreed on less.";
    let action = "Look at the PCIe errors beside it and at slot and contacts; some platforms slow an idle link down, and a \
                  ramp before the step then shows the full speed.";
    warning("link_changed", statement, cause, action).about(seen)
}

pub(crate) fn pcie_errors(seen: &[Seen]) -> Finding {
    let statement = format!("In {} PCIe counted errors of the drive's link.", executions(seen));
    let cause = "A bad contact, riser or slot, or a link at the edge of its speed; corrected ones cost time only.";
    let action = "Seat the drive again, try another slot or a lower link speed; with errors that were not corrected, do not \
                  trust it with data.";
    warning("pcie_errors", statement, cause, action).about(seen)
}

pub(crate) fn media_errors(seen: &[Seen]) -> Finding {
    let statement = format!("In {} the drive counted errors of its media or its data.", executions(seen));
    let cause = "Cells that could not be read or written, also where the drive repaired it or the host saw nothing.";
    let action = "Look at its error log (`drivelab show`), back up what is on it, and do not publish figures of a failing \
                  drive.";
    warning("media_errors_rose", statement, cause, action).about(seen)
}

pub(crate) fn memory_pressure(seen: &[Seen]) -> Finding {
    let statement = format!("In {} programs of this machine waited for memory.", executions(seen));
    let cause = "Memory is short: pages are dropped, read again or swapped, which uses CPU and maybe this disk.";
    let action = "Stop what needs the memory, and measure again.";
    warning("memory_pressure", statement, cause, action).about(seen)
}

pub(crate) fn cpu_stolen(seen: &[Seen]) -> Finding {
    let statement = format!("In {} the hypervisor gave CPU time of this machine to others.", executions(seen));
    let cause = "The host below is busy with other virtual machines.";
    let action = "Latencies contain time in which this machine did not run; measure on a calmer host or on bare metal.";
    warning("cpu_stolen", statement, cause, action).about(seen)
}

pub(crate) fn machine_suspended(seen: &[Seen]) -> Finding {
    let statement = format!("In {} the machine was suspended: the run's clock stood still.", executions(seen));
    let cause = "The lid, a timer or a person sent it to sleep; the drive lost power or state meanwhile.";
    let action = "Do not use these figures: the drive was cold and woken in the middle. Keep the machine awake and run the \
                  step again.";
    warning("machine_suspended", statement, cause, action).about(seen)
}

pub(crate) fn few_readings(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} temperature or power of the drive was read less than three times: its figures there are those few \
         readings and the lines to their neighbours.",
        executions(seen)
    );
    let cause = "The step is short beside the rate at which the source is read.";
    let action = "For figures of power, ask for longer steps, or use a meter that prints more often.";
    Words { code: "few_readings", severity: Severity::Note, statement, cause, action }.about(seen)
}
