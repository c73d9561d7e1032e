//! Findings about what the target did wrong in a step, and about what it was given to write.

use crate::evidence::{FindingDef, executions, named};

pub(super) static COUNTERFEIT_CAPACITY: FindingDef = FindingDef::warning(
    "counterfeit_capacity",
    |seen| {
        format!(
            "In {} blocks held what was written to another address of the same remainder: the drive has less \
             capacity than it says, and what is written beyond it overwrites what was there.",
            executions(seen)
        )
    },
    "A counterfeit drive, or a bridge that cuts addresses off.",
    "Do not store anything on it. Try another cable or enclosure once, then return the drive.",
);

pub(super) static DATA_FAULTS: FindingDef = FindingDef::warning(
    "data_faults",
    |seen| format!("In {} blocks did not hold what had been written to them.", executions(seen)),
    "Stale: a write was lost. Misplaced: it went elsewhere. Torn: only part of it arrived. Corrupt: bits changed. \
     Zero: it was never stored or was trimmed. Foreign: something else, or a later run, wrote there.",
    "Where nothing else used the target, do not trust it with data: check cable, memory and the drive's health, and \
     run the check again.",
);

pub(super) static IO_ERRORS: FindingDef = FindingDef::warning(
    "io_errors",
    |seen| {
        format!(
            "In {} operations ended in errors; they are counted as errors and are in no other figure.",
            executions(seen)
        )
    },
    "The device or the way to it failed, or the file system ran out of space.",
    "Look at the kernel log (`dmesg`) and at the drive's health; do not trust it with data before.",
);

pub(super) static OPERATIONS_STUCK: FindingDef = FindingDef::warning(
    "operations_stuck",
    |seen| format!("In {} operations did not come back for longer than the watchdog waits.", executions(seen)),
    "The drive is busy with itself, resets, or is gone without the kernel knowing yet.",
    "Look at the kernel log (`dmesg`) for time-outs and resets of the device.",
);

pub(super) static SHORT_TRANSFERS: FindingDef = FindingDef::warning(
    "short_transfers",
    |seen| {
        format!(
            "In {} the kernel moved a part of an operation at first, and was asked for the rest: the latency of such \
             an operation is that of several calls.",
            executions(seen)
        )
    },
    "The process was stopped in the middle of a transfer, or the target moves less at a time than was asked.",
    "Take smaller blocks, or leave the process alone.",
);

pub(super) static EAGAIN_RETRIES: FindingDef = FindingDef::warning(
    "eagain_retries",
    |seen| {
        format!(
            "In {} operations ended with EAGAIN and were asked for once more where the kernel may wait: the latency \
             of such an operation is that of both, and a thread of the kernel did the second.",
            executions(seen)
        )
    },
    "A layer below the target (device-mapper, RAID, a file system in user space) cannot do operations that must not \
     wait, and io_uring did not repeat them by itself (seen with dm-crypt and Linux 6.1).",
    "Measure again with `--backend sync`, which never asks in that way, or with a newer kernel.",
);

pub(super) static NOTHING_CHECKED: FindingDef = FindingDef::warning(
    "nothing_checked",
    |seen| {
        format!(
            "{} should have checked what was written and checked nothing: nothing is known about the data.",
            executions(seen)
        )
    },
    "The step ended before a block was read, or no step wrote headers with the same parameters before.",
    "Write with `verify = \"headers\"` first, with the same seed and span.",
);

pub(super) static WEAK_DATA: FindingDef = FindingDef::note(
    "weak_data",
    |seen| {
        format!(
            "{} wrote data that a drive can store in less than its size ({}): a drive that compresses or keeps equal \
             blocks once looks faster and wears less than with data of a user.",
            executions(seen),
            named(seen)
        )
    },
    "The workload asks for such data.",
    "Write `data = \"incompressible\"` as well and compare; report which data it was.",
);
