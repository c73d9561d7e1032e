//! Findings from what was watched during the I/O.

use drivelab_core::finding::Finding;

use crate::evidence::{FindingDef, executions, warning};

pub(crate) fn silent_meters(names: &[String]) -> Finding {
    let statement = format!("There are no figures from {}, because no reading arrived.", names.join(" and "));
    let cause = "The command ended or prints something else, or the file is not the one that the meter writes.";
    let action = "Make it print lines of `seconds value` (docs/telemetry.md), and try it with `drivelab watch` first.";
    warning("silent_meter", statement, cause, action).about_run(Vec::new())
}

pub(super) static DRIVE_THROTTLED: FindingDef = FindingDef::warning(
    "drive_throttled",
    |seen| format!("The drive throttled in {}, as its own counters report.", executions(seen)),
    "It became as warm as its thermal management allows.",
    "Read these figures as those of a hot drive. To compare, cool it (heat sink, air), lower the load or let it cool \
     down before the step (`start_below`).",
);

pub(super) static DRIVE_HOT: FindingDef = FindingDef::warning(
    "drive_hot",
    |seen| format!("The drive reached one of its own warning temperatures in {}.", executions(seen)),
    "There is too little cooling for this load, or the sensor always reports this (some drives have one).",
    "Look at the temperatures over time. If rates fall while they are high, the drive throttles.",
);

pub(super) static LINK_CHANGED: FindingDef = FindingDef::warning(
    "link_changed",
    |seen| format!("The drive's link changed its speed or width in {}.", executions(seen)),
    "Power management of the link, or errors after which both ends agreed on less.",
    "Look at the PCIe errors and at slot and contacts. Some platforms slow down an idle link; a ramp before the step \
     then shows the full speed.",
);

pub(super) static PCIE_ERRORS: FindingDef = FindingDef::warning(
    "pcie_errors",
    |seen| format!("The drive's PCIe link had errors in {}.", executions(seen)),
    "A contact, riser or slot is bad, or the link runs at the edge of its speed. Corrected errors only cost time.",
    "Reseat the drive, try another slot or a lower link speed. If errors were not corrected, do not trust the drive \
     with data.",
);

pub(super) static MEDIA_ERRORS: FindingDef = FindingDef::warning(
    "media_errors_rose",
    |seen| format!("The drive counted errors of its media or its data in {}.", executions(seen)),
    "Cells could not be read or written, even if the drive repaired the data or the host saw nothing.",
    "Look at its error log (`drivelab show`), back up what is on it, and do not publish figures of a failing drive.",
);

pub(super) static MEMORY_PRESSURE: FindingDef = FindingDef::warning(
    "memory_pressure",
    |seen| format!("The host was short of memory in {}: its programs waited for it.", executions(seen)),
    "Pages are dropped, read again or swapped, which uses CPU time and perhaps this disk.",
    "Stop what uses the memory, and measure again.",
);

pub(super) static CPU_STOLEN: FindingDef = FindingDef::warning(
    "cpu_stolen",
    |seen| {
        format!(
            "The latencies of {} include time in which this machine did not run: the hypervisor gave its CPU time to \
             other machines.",
            executions(seen)
        )
    },
    "The host of this virtual machine is busy with other virtual machines.",
    "Measure on a less busy host or on bare metal.",
);

pub(super) static MACHINE_SUSPENDED: FindingDef = FindingDef::warning(
    "machine_suspended",
    |seen| {
        format!(
            "Do not use the figures of {}: the machine was suspended, and the run's clock stood still.",
            executions(seen)
        )
    },
    "The lid, a timer or a person suspended it. The drive lost power or its state meanwhile, and woke up cold.",
    "Keep the machine awake and run the step again.",
);

pub(super) static FEW_READINGS: FindingDef = FindingDef::note(
    "few_readings",
    |seen| {
        format!(
            "Temperature or power figures of {} are coarse: they are computed from fewer than three readings, joined by \
             straight lines to the readings before and after.",
            executions(seen)
        )
    },
    "The step is short compared with the rate at which the source is read.",
    "For power figures, request longer steps, or use a meter that prints more often.",
);

#[cfg(test)]
mod tests;
