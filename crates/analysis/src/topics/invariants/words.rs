//! Findings that void figures because an invariant does not hold: one for each row of the table.

use crate::evidence::{FindingDef, executions};

const REPORT_IT: &str = "Please report it with the bundle; an instrument must not do this.";

pub(super) static TIME_ORDER: FindingDef = FindingDef::void(
    "time_order",
    |seen| {
        format!(
            "In {} the end is recorded no later than the start, so nothing can be divided by time.",
            executions(seen)
        )
    },
    "The record is damaged, or the engine is at fault.",
    REPORT_IT,
);

pub(super) static NO_OPERATIONS: FindingDef = FindingDef::void(
    "no_operations",
    |seen| format!("{} completed no operation of a kind that was asked for.", executions(seen)),
    "The device answered every operation with an error, or the step was too short for its mix.",
    "Look at the errors in the report and at the kernel log.",
);

pub(super) static MASS_ERRORS: FindingDef = FindingDef::void(
    "mass_errors",
    |seen| {
        format!(
            "In {} more than one in a hundred operations ended in errors: the rates beside them are not what the \
             target does.",
            executions(seen)
        )
    },
    "The target is failing, gone, full, or shorter than it was.",
    "Look at the errors in the report and at the kernel log (`dmesg`); mend that and run it again.",
);

pub(super) static BYTES_NOT_BLOCKS: FindingDef = FindingDef::void(
    "bytes_not_blocks",
    |seen| format!("In {} the bytes moved are not the completed operations times the block size.", executions(seen)),
    "Short transfers were counted as whole ones, or the engine is at fault.",
    REPORT_IT,
);

pub(super) static RATE_MISMATCH: FindingDef = FindingDef::void(
    "rate_mismatch",
    |seen| {
        format!(
            "In {} the recorded rates contradict each other: MB/s must be IOPS times block size, and IOPS operations \
             divided by time.",
            executions(seen)
        )
    },
    "The record is damaged, or the engine is at fault.",
    REPORT_IT,
);

pub(super) static NOT_DIRECT: FindingDef = FindingDef::void(
    "not_direct",
    |seen| {
        format!(
            "Direct I/O was asked for, but the kernel did not confirm it for {}: memory may have been measured, not \
             the drive.",
            executions(seen)
        )
    },
    "The file system took the flag and dropped it, or the file was opened again without it.",
    "Test on a file system with direct I/O: ext4, xfs or btrfs.",
);

pub(super) static HISTOGRAM_COUNT: FindingDef = FindingDef::void(
    "histogram_count",
    |seen| format!("In {} the latency histogram does not hold exactly the completed operations.", executions(seen)),
    "The record is damaged, or the engine is at fault.",
    REPORT_IT,
);

pub(super) static PERCENTILE_ORDER: FindingDef = FindingDef::void(
    "percentile_order",
    |seen| format!("In {} a lower percentile of the latency lies above a higher one.", executions(seen)),
    "The record is damaged, or the engine is at fault.",
    REPORT_IT,
);

pub(super) static RESPONSE_BELOW_LATENCY: FindingDef = FindingDef::void(
    "response_below_latency",
    |seen| {
        format!(
            "In {} response times lie below latencies, although they count from an earlier moment.",
            executions(seen)
        )
    },
    "The record is damaged, or the engine is at fault.",
    REPORT_IT,
);

pub(super) static LITTLE_LAW: FindingDef = FindingDef::void(
    "little_law",
    |seen| {
        format!(
            "In {} IOPS times mean latency differ from the measured operations in flight by more than 2 % plus one \
             operation (Little's law), so at least one of the three is wrong.",
            executions(seen)
        )
    },
    "Operations were timed from another moment than they were counted from, or some were lost.",
    "Run the step for longer; if it stays, please report it.",
);

pub(super) static ABOVE_DEPTH: FindingDef = FindingDef::void(
    "above_depth",
    |seen| {
        format!(
            "In {} more operations were in flight on average than the queue depth times the threads, by more than 1 \
             %: either the load was not the step's, or times are wrong.",
            executions(seen)
        )
    },
    "Operations were timed from another moment than their submission, or the engine submitted too many.",
    REPORT_IT,
);

pub(super) static INTERVAL_SUMS: FindingDef = FindingDef::void(
    "interval_sums",
    |seen| format!("In {} the intervals do not add up to the step.", executions(seen)),
    "An interval was lost or counted twice.",
    REPORT_IT,
);

pub(super) static GROUP_SUMS: FindingDef = FindingDef::void(
    "group_sums",
    |seen| format!("In {} the groups of threads do not add up to the step.", executions(seen)),
    "A group was lost or counted twice.",
    REPORT_IT,
);

pub(super) static SIZE_SUMS: FindingDef = FindingDef::void(
    "size_sums",
    |seen| format!("In {} the sizes of a mix do not add up to the operations of their kind.", executions(seen)),
    "A size was lost, counted twice or never asked for.",
    REPORT_IT,
);

pub(super) static MIX_NOT_AS_ASKED: FindingDef = FindingDef::void(
    "mix_not_as_asked",
    |seen| {
        format!(
            "In {} kinds or sizes of operations do not have the shares that were asked for, by more than chance: the \
             load was another one than the step's name says.",
            executions(seen)
        )
    },
    "The generator drew wrongly, or operations of one kind or size were lost.",
    REPORT_IT,
);

pub(super) static SCHEDULE_MISSED: FindingDef = FindingDef::void(
    "schedule_missed",
    |seen| {
        format!(
            "In {} the open loop had not as many arrivals as its rate says, so response times count from wrong \
             moments.",
            executions(seen)
        )
    },
    "The generator's schedule is wrong, or the clock is.",
    REPORT_IT,
);

pub(super) static ARRIVALS_LOST: FindingDef = FindingDef::void(
    "arrivals_lost",
    |seen| {
        format!(
            "In {} the operations of an open loop are not those that arrived and do not wait any more.",
            executions(seen)
        )
    },
    "Arrivals were skipped or issued twice.",
    REPORT_IT,
);

pub(super) static STREAMS_OVERLAP: FindingDef = FindingDef::void(
    "streams_overlap",
    |seen| {
        format!(
            "In {} parallel sequential streams touched the same blocks although the methodology asks for disjoint \
             ones: the second reader of a block may have been served from a cache.",
            executions(seen)
        )
    },
    "The span was divided wrongly among the threads.",
    REPORT_IT,
);

pub(super) static ABOVE_LINK: FindingDef = FindingDef::void(
    "above_link",
    |seen| format!("In {} data moved faster than the drive's link can carry it.", executions(seen)),
    "A cache in memory answered (file system, hypervisor, controller), or the data was never on the drive (holes, \
     unwritten extents).",
    "Use a larger target than any cache, direct I/O, and a target that was filled before it is read.",
);
