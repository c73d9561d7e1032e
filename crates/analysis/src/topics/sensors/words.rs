//! Findings about a drive that contradicts itself over time.

use drivelab_core::finding::{Evidence, Finding, Severity};

use crate::evidence::Words;

fn warning(
    code: &'static str,
    statement: String,
    cause: &'static str,
    action: &'static str,
    evidence: Vec<Evidence>,
) -> Finding {
    Words { code, severity: Severity::Warning, statement, cause, action }.about_run(evidence)
}

/// Sensors that stood still while others moved, or while the load changed.
pub(crate) fn stuck_sensor(names: &[String], leads: bool, evidence: Vec<Evidence>) -> Finding {
    let figures = if leads { ", and the temperature figures of this run are made of it" } else { "" };
    let statement = format!(
        "A temperature stood still although the drive's temperature must have changed: {}. It says nothing about the \
         drive{figures}.",
        names.join("; ")
    );
    let cause = "Firmware that fills the field with a constant, or a virtual drive, which has no temperature.";
    let action = "Do not draw it, and do not rely on a temperature limit that is held against it; take another \
                  sensor, or a thermometer of your own (`--temperature-file`).";
    warning("stuck_sensor", statement, cause, action, evidence)
}

/// Temperatures that jump while nothing uses the drive.
pub(crate) fn jumping_temperature(names: &[String], evidence: Vec<Evidence>) -> Finding {
    let statement = format!(
        "The temperature of {} jumped while nothing used the drive: a single reading is no better than that.",
        names.join(" and ")
    );
    let cause =
        "A sensor that is read coarsely or smoothed oddly; flash and controller do not change so fast by themselves.";
    let action =
        "Read means over minutes and no single values; a thermometer of your own tells more (`--temperature-file`).";
    warning("jumping_temperature", statement, cause, action, evidence)
}

/// Hotter than its own warning temperature, and the warning is not set.
pub(crate) fn hot_not_flagged(names: &[String], evidence: Vec<Evidence>) -> Finding {
    let statement = format!(
        "{} was hotter than its own warning temperature and did not say so: its warning and its minutes above the \
         limit mean little.",
        names.join(" and ")
    );
    let cause =
        "Firmware that does not watch its limit; or somebody raised the threshold (feature 04h, `temp1_max` of hwmon).";
    let action = "Go by the temperatures themselves, and give a limit of your own (`--abort-above-c`).";
    warning("hot_not_flagged", statement, cause, action, evidence)
}

/// Counters of the drive's life that went back.
pub(crate) fn counter_went_back(names: &[String], evidence: Vec<Evidence>) -> Finding {
    let statement = format!("A counter of the drive's life went back, which it never does: {}.", names.join("; "));
    let cause = "Firmware that loses its counters or keeps them in too few bits; or another drive answers than before.";
    let action = "Do not read the drive's age or wear from SMART; compare the serial number with the label.";
    warning("counter_went_back", statement, cause, action, evidence)
}

/// Counters that stood still although the kernel saw data move.
pub(crate) fn counter_stands_still(names: &[String], evidence: Vec<Evidence>) -> Finding {
    let statement = format!(
        "The drive does not count what it moves: {} stood still while the kernel counted gigabytes.",
        names.join(" and ")
    );
    let cause = "Firmware that does not keep the counter, or brings it up to date only once in a while.";
    let action = "Do not read the drive's wear from SMART; look at it again after a day of use.";
    warning("counter_stands_still", statement, cause, action, evidence)
}
