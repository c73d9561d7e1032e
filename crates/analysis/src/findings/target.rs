//! Findings about what the target did wrong in a step, and about what it was given to write.

use drivelab_core::finding::Finding;

use super::{executions, named, note, warning};
use crate::check::Seen;

pub(crate) fn counterfeit_capacity(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} blocks held what was written to another address of the same remainder: the drive has less capacity than \
         it says, and what is written beyond it overwrites what was there.",
        executions(seen)
    );
    let cause = "A counterfeit drive, or a bridge that cuts addresses off.";
    let action = "Do not store anything on it. Try another cable or enclosure once, then return the drive.";
    warning("counterfeit_capacity", statement, cause, action).about(seen)
}

pub(crate) fn data_faults(seen: &[Seen]) -> Finding {
    let statement = format!("In {} blocks did not hold what had been written to them.", executions(seen));
    let cause = "Stale: a write was lost. Misplaced: it went elsewhere. Torn: only part of it arrived. Corrupt: bits \
                 changed. Zero: it was never stored or was trimmed. Foreign: something else, or a later run, wrote there.";
    let action = "Where nothing else used the target, do not trust it with data: check cable, memory and the drive's \
                  health, and run the check again.";
    warning("data_faults", statement, cause, action).about(seen)
}

pub(crate) fn io_errors(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} operations ended in errors; they are counted as errors and are in no other figure.",
        executions(seen)
    );
    let cause = "The device or the way to it failed, or the file system ran out of space.";
    let action = "Look at the kernel log (`dmesg`) and at the drive's health; do not trust it with data before.";
    warning("io_errors", statement, cause, action).about(seen)
}

pub(crate) fn operations_stuck(seen: &[Seen]) -> Finding {
    let statement = format!("In {} operations did not come back for longer than the watchdog waits.", executions(seen));
    let cause = "The drive is busy with itself, resets, or is gone without the kernel knowing yet.";
    let action = "Look at the kernel log (`dmesg`) for time-outs and resets of the device.";
    warning("operations_stuck", statement, cause, action).about(seen)
}

pub(crate) fn short_transfers(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the kernel moved a part of an operation at first, and was asked for the rest: the latency of such an \
         operation is that of several calls.",
        executions(seen)
    );
    let cause =
        "The process was stopped in the middle of a transfer, or the target moves less at a time than was asked.";
    warning("short_transfers", statement, cause, "Take smaller blocks, or leave the process alone.").about(seen)
}

pub(crate) fn eagain_retries(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} operations ended with EAGAIN and were asked for once more where the kernel may wait: the latency of such \
         an operation is that of both, and a thread of the kernel did the second.",
        executions(seen)
    );
    let cause = "A layer below the target (device-mapper, RAID, a file system in user space) cannot do operations that \
                 must not wait, and io_uring did not repeat them by itself (seen with dm-crypt and Linux 6.1).";
    let action = "Measure again with `--backend sync`, which never asks in that way, or with a newer kernel.";
    warning("eagain_retries", statement, cause, action).about(seen)
}

pub(crate) fn nothing_checked(seen: &[Seen]) -> Finding {
    let statement = format!(
        "{} should have checked what was written and checked nothing: nothing is known about the data.",
        executions(seen)
    );
    let cause = "The step ended before a block was read, or no step wrote headers with the same parameters before.";
    warning(
        "nothing_checked",
        statement,
        cause,
        "Write with `verify = \"headers\"` first, with the same seed and span.",
    )
    .about(seen)
}

pub(crate) fn weak_data(seen: &[Seen]) -> Finding {
    let statement = format!(
        "{} wrote data that a drive can store in less than its size ({}): a drive that compresses or keeps equal blocks \
         once looks faster and wears less than with data of a user.",
        executions(seen),
        named(seen)
    );
    let action = "Write `data = \"incompressible\"` as well and compare; report which data it was.";
    note("weak_data", statement, "The workload asks for such data.", action).about(seen)
}
