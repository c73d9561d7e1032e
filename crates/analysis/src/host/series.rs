//! Findings about runs of a series under several arms: the device, the conditions that were replaced, and the arms that
//! were left out.

use drivelab_core::condition::Series;
use drivelab_core::finding::Finding;

use crate::evidence::{note, warning};

/// Everything about a run's series that changes the meaning of its figures.
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
    let statement = "Every figure includes a file system and the loop driver: this was measured on a loop device on a \
                     file, not directly on a drive.";
    let cause = "A folder was named, and the methodology sets up a device.";
    let action = "For figures of the drive, name a drive that may be overwritten, with `--destroy`.";
    warning("loop_device_on_file", statement.to_owned(), cause, action).about_run(Vec::new())
}

fn arms_left_out(left_out: &[String]) -> Finding {
    let statement = format!("Conditions that the methodology requests were left out: {}.", left_out.join("; "));
    let cause = "The methodology allows leaving them out if drive or host do not support them.";
    warning("arms_left_out", statement, cause, "").about_run(Vec::new())
}

fn conditions_replaced(replaced: &[String]) -> Finding {
    let statement = format!("Flags replaced conditions of the methodology: {}.", replaced.join("; "));
    let action = "To measure as the methodology says, leave the flags out.";
    note("conditions_replaced", statement, "The command line has these flags.", action).about_run(Vec::new())
}
