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

/// Sensors that did not change while other sensors or the load did.
pub(crate) fn stuck_sensor(names: &[String], leads: bool, evidence: Vec<Evidence>) -> Finding {
    let figures = if leads { " The temperature figures of this run come from it." } else { "" };
    let statement = format!(
        "A stuck temperature sensor says nothing about the drive: {}. Its reading never changed, although the \
         drive's temperature must have changed.{figures}",
        names.join("; ")
    );
    let cause = "The firmware fills the field with a constant, or the drive is virtual and has no temperature.";
    let action = "Do not plot it, and do not rely on a temperature limit that uses it. Use another sensor, or a \
                  thermometer of your own (`--temperature-file`).";
    warning("stuck_sensor", statement, cause, action, evidence)
}

/// Temperatures that jump while nothing uses the drive.
pub(crate) fn jumping_temperature(names: &[String], evidence: Vec<Evidence>) -> Finding {
    let statement = format!(
        "Single readings of {} are not reliable: the temperature jumped while nothing used the drive.",
        names.join(" and ")
    );
    let cause =
        "The sensor is read coarsely or smoothed oddly: an idle drive's flash and controller do not change so fast.";
    let action =
        "Use means over minutes instead of single values, or a thermometer of your own (`--temperature-file`).";
    warning("jumping_temperature", statement, cause, action, evidence)
}

/// Hotter than its own warning temperature, and the warning is not set.
pub(crate) fn hot_not_flagged(names: &[String], evidence: Vec<Evidence>) -> Finding {
    let statement = format!(
        "The temperature warning and the minutes above the limit mean little on {}: the drive was hotter than its own \
         warning temperature and did not report it.",
        names.join(" and ")
    );
    let cause =
        "The firmware does not watch its limit, or the threshold was raised (feature 04h, `temp1_max` of hwmon).";
    let action = "Use the temperatures themselves, and set a limit of your own (`--abort-above-c`).";
    warning("hot_not_flagged", statement, cause, action, evidence)
}

/// Lifetime counters of the drive that went backwards.
pub(crate) fn counter_went_back(names: &[String], evidence: Vec<Evidence>) -> Finding {
    let statement = format!(
        "The drive's age and wear are unknown, because a lifetime counter went backwards: {}.",
        names.join("; ")
    );
    let cause =
        "The firmware loses its counters or keeps them in too few bits, or a different drive answers than before.";
    let action = "Do not read the drive's age or wear from SMART. Compare the serial number with the label.";
    warning("counter_went_back", statement, cause, action, evidence)
}

/// Counters that did not rise although the kernel counted data.
pub(crate) fn counter_stands_still(names: &[String], evidence: Vec<Evidence>) -> Finding {
    let statement = format!(
        "The drive does not count the data it moves: {} did not rise while the kernel counted gigabytes.",
        names.join(" and ")
    );
    let cause = "The firmware does not keep the counter, or updates it only now and then.";
    let action = "Do not read the drive's wear from SMART, or look at it again after a day of use.";
    warning("counter_stands_still", statement, cause, action, evidence)
}

#[cfg(test)]
mod tests;
