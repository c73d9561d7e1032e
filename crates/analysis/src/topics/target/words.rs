//! Findings about what the target did wrong in a step, and about the data it was given to write.

use crate::evidence::{FindingDef, executions, named};

pub(super) static COUNTERFEIT_CAPACITY: FindingDef = FindingDef::warning(
    "counterfeit_capacity",
    |seen| {
        format!(
            "The drive has less capacity than it claims, and writes beyond its real capacity overwrite earlier data: \
             in {}, blocks held what was written to another address of the same remainder.",
            executions(seen)
        )
    },
    "The drive is counterfeit, or a bridge cuts addresses off.",
    "Do not store anything on it. Try another cable or enclosure once, then return the drive.",
);

pub(super) static DATA_FAULTS: FindingDef = FindingDef::warning(
    "data_faults",
    |seen| {
        format!("Data was lost or damaged in {}: blocks did not hold what had been written to them.", executions(seen))
    },
    "Stale: a write was lost. Misplaced: it went elsewhere. Torn: only part of it arrived. Corrupt: bits changed. \
     Zero: it was never stored or was trimmed. Foreign: something else, or a later run, wrote there.",
    "If nothing else used the target, do not trust it with data. Check cable, memory and the drive's health, and run \
     the check again.",
);

pub(super) static IO_ERRORS: FindingDef = FindingDef::warning(
    "io_errors",
    |seen| {
        format!(
            "Operations ended in errors in {}. They are counted as errors and are in no other figure.",
            executions(seen)
        )
    },
    "The device or the path to it failed, or the file system ran out of space.",
    "Look at the kernel log (`dmesg`) and at the drive's health before you trust it with data.",
);

pub(super) static OPERATIONS_STUCK: FindingDef = FindingDef::warning(
    "operations_stuck",
    |seen| format!("In {}, operations did not complete within the watchdog's time limit.", executions(seen)),
    "The drive is busy internally, is resetting, or is gone and the kernel has not noticed yet.",
    "Look at the kernel log (`dmesg`) for time-outs and resets of the device.",
);

pub(super) static SHORT_TRANSFERS: FindingDef = FindingDef::warning(
    "short_transfers",
    |seen| {
        format!(
            "Some latencies of {} are those of several calls: at first the kernel moved only part of an operation, and \
             drivelab then issued the rest.",
            executions(seen)
        )
    },
    "The process was stopped during a transfer, or the target moves less at a time than was requested.",
    "Use smaller blocks, or do not stop the process.",
);

pub(super) static EAGAIN_RETRIES: FindingDef = FindingDef::warning(
    "eagain_retries",
    |seen| {
        format!(
            "Some latencies of {} are those of two attempts: operations ended with EAGAIN and were issued again in a \
             way that lets the kernel wait. A kernel thread did the second attempt.",
            executions(seen)
        )
    },
    "A layer below the target (device-mapper, RAID, a file system in user space) cannot do operations that must not \
     wait, and io_uring did not repeat them by itself (seen with dm-crypt and Linux 6.1).",
    "Measure again with `--backend sync`, which never issues operations that way, or with a newer kernel.",
);

pub(super) static NOTHING_CHECKED: FindingDef = FindingDef::warning(
    "nothing_checked",
    |seen| {
        format!(
            "Nothing is known about the data in {}: what was written should have been checked, and no block was.",
            executions(seen)
        )
    },
    "The step ended before a block was read, or no earlier step wrote headers with the same parameters.",
    "Write with `verify = \"headers\"` first, with the same seed and span.",
);

pub(super) static WEAK_DATA: FindingDef = FindingDef::note(
    "weak_data",
    |seen| {
        format!(
            "The drive may look faster and wear less than with a user's data: {} wrote data that a drive can store in \
             less than its size ({}), if it compresses or keeps equal blocks once.",
            executions(seen),
            named(seen)
        )
    },
    "The workload requests such data.",
    "Also write `data = \"incompressible\"` and compare. Report which data was used.",
);

#[cfg(test)]
mod tests;
