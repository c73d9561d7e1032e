//! Findings about runs of a series under several arms: on what device, with what in the methodology's place, without
//! what.

use drivelab_core::condition::Series;
use drivelab_core::finding::Finding;

use crate::evidence::{note, warning};

/// Everything that a run's place in a series means for its figures.
pub(crate) fn all(series: &Series) -> Vec<Finding> {
    let Series { replaced, left_out, loop_on_file, .. } = series;
    let findings = [
        loop_on_file.then(loop_device_on_file),
        (!left_out.is_empty()).then(|| arms_left_out(left_out)),
        (!replaced.is_empty()).then(|| conditions_replaced(replaced)),
    ];
    findings.into_iter().flatten().collect()
}

fn loop_device_on_file() -> Finding {
    let statement = "This was measured on a loop device on a file, not on a drive of its own: a file system and the loop \
                     driver are part of every figure.";
    let cause = "A folder was named, and the methodology sets up a device.";
    let action = "For figures of the drive, name a drive whose content may go, with `--destroy`.";
    warning("loop_device_on_file", statement.to_owned(), cause, action).about_run(Vec::new())
}

fn arms_left_out(left_out: &[String]) -> Finding {
    let statement = format!("Not everything that the methodology asks for could be had: {}.", left_out.join("; "));
    let cause = "The methodology says that it may be left out where drive or host cannot do it.";
    warning("arms_left_out", statement, cause, "").about_run(Vec::new())
}

fn conditions_replaced(replaced: &[String]) -> Finding {
    let statement = format!("Flags replaced what the methodology asks for: {}.", replaced.join("; "));
    let action = "Leave the flags out to measure as the methodology says.";
    note("conditions_replaced", statement, "The command said so.", action).about_run(Vec::new())
}
