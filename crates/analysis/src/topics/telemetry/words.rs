//! Findings from what was watched beside the I/O.

use drivelab_core::finding::Finding;

use crate::evidence::{FindingDef, executions, warning};

pub(crate) fn silent_meters(names: &[String]) -> Finding {
    let statement = format!("Nothing was read from {}: there are no figures of it.", names.join(" and "));
    let cause = "The command ended or prints something else, or the file is not the one that the meter writes.";
    let action = "Let it print lines of `seconds value` (docs/telemetry.md) and try it with `drivelab watch` first.";
    warning("silent_meter", statement, cause, action).about_run(Vec::new())
}

pub(super) static DRIVE_THROTTLED: FindingDef = FindingDef::warning(
    "drive_throttled",
    |seen| format!("In {} the drive throttled itself, as its own counters say.", executions(seen)),
    "It got as warm as its thermal management allows.",
    "Read these figures as those of a hot drive: cool it (heat sink, air), lower the load or let it cool down before \
     the step (`start_below`), and compare.",
);

pub(super) static DRIVE_HOT: FindingDef = FindingDef::warning(
    "drive_hot",
    |seen| format!("In {} a temperature of the drive reached the limit from which it warns.", executions(seen)),
    "Too little cooling for this load; or a sensor that always says so (some drives have one).",
    "Look at the temperatures over time; where rates fall with them, the drive throttles.",
);

pub(super) static LINK_CHANGED: FindingDef = FindingDef::warning(
    "link_changed",
    |seen| format!("In {} the drive's link changed its speed or width.", executions(seen)),
    "Power management of the link, or errors after which both ends agreed on less.",
    "Look at the PCIe errors beside it and at slot and contacts; some platforms slow an idle link down, and a ramp \
     before the step then shows the full speed.",
);

pub(super) static PCIE_ERRORS: FindingDef = FindingDef::warning(
    "pcie_errors",
    |seen| format!("In {} PCIe counted errors of the drive's link.", executions(seen)),
    "A bad contact, riser or slot, or a link at the edge of its speed; corrected ones cost time only.",
    "Seat the drive again, try another slot or a lower link speed; with errors that were not corrected, do not trust \
     it with data.",
);

pub(super) static MEDIA_ERRORS: FindingDef = FindingDef::warning(
    "media_errors_rose",
    |seen| format!("In {} the drive counted errors of its media or its data.", executions(seen)),
    "Cells that could not be read or written, also where the drive repaired it or the host saw nothing.",
    "Look at its error log (`drivelab show`), back up what is on it, and do not publish figures of a failing drive.",
);

pub(super) static MEMORY_PRESSURE: FindingDef = FindingDef::warning(
    "memory_pressure",
    |seen| format!("In {} programs of this machine waited for memory.", executions(seen)),
    "Memory is short: pages are dropped, read again or swapped, which uses CPU and maybe this disk.",
    "Stop what needs the memory, and measure again.",
);

pub(super) static CPU_STOLEN: FindingDef = FindingDef::warning(
    "cpu_stolen",
    |seen| format!("In {} the hypervisor gave CPU time of this machine to others.", executions(seen)),
    "The host below is busy with other virtual machines.",
    "Latencies contain time in which this machine did not run; measure on a calmer host or on bare metal.",
);

pub(super) static MACHINE_SUSPENDED: FindingDef = FindingDef::warning(
    "machine_suspended",
    |seen| format!("In {} the machine was suspended: the run's clock stood still.", executions(seen)),
    "The lid, a timer or a person sent it to sleep; the drive lost power or state meanwhile.",
    "Do not use these figures: the drive was cold and woken in the middle. Keep the machine awake and run the step \
     again.",
);

pub(super) static FEW_READINGS: FindingDef = FindingDef::note(
    "few_readings",
    |seen| {
        format!(
            "In {} temperature or power of the drive was read less than three times: its figures there are those few \
             readings and the lines to their neighbours.",
            executions(seen)
        )
    },
    "The step is short beside the rate at which the source is read.",
    "For figures of power, ask for longer steps, or use a meter that prints more often.",
);
