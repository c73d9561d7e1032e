//! Findings that void figures because an invariant does not hold: one for each row of the table.

use crate::evidence::{FindingDef, executions};

const REPORT_IT: &str = "Please report this with the bundle; it must never happen.";

pub(super) static TIME_ORDER: FindingDef = FindingDef::void(
    "time_order",
    |seen| {
        format!(
            "Figures of {} that are divided by time are void: the recorded end is no later than the start.",
            executions(seen)
        )
    },
    "The record is damaged, or drivelab's engine has a fault.",
    REPORT_IT,
);

pub(super) static NO_OPERATIONS: FindingDef = FindingDef::void(
    "no_operations",
    |seen| {
        format!(
            "There are no figures for a kind of operation in {}: it was requested, and none was completed.",
            executions(seen)
        )
    },
    "The device answered every operation with an error, or the step was too short for its mix.",
    "Look at the errors in the report and at the kernel log (`dmesg`).",
);

pub(super) static MASS_ERRORS: FindingDef = FindingDef::void(
    "mass_errors",
    |seen| {
        format!(
            "The rates of {} are void: more than one in a hundred operations ended in an error, so the rates are not \
             what the target can do.",
            executions(seen)
        )
    },
    "The target is failing, gone, full, or shorter than it was.",
    "Look at the errors in the report and at the kernel log (`dmesg`), fix the cause and run it again.",
);

pub(super) static BYTES_NOT_BLOCKS: FindingDef = FindingDef::void(
    "bytes_not_blocks",
    |seen| {
        format!(
            "The rates of {} are void: the bytes moved do not equal the completed operations times the block size.",
            executions(seen)
        )
    },
    "Short transfers were counted as full ones, or drivelab's engine has a fault.",
    REPORT_IT,
);

pub(super) static RATE_MISMATCH: FindingDef = FindingDef::void(
    "rate_mismatch",
    |seen| {
        format!(
            "The rates of {} are void because they contradict each other: MB/s must be IOPS times block size, and IOPS \
             must be operations divided by time.",
            executions(seen)
        )
    },
    "The record is damaged, or drivelab's engine has a fault.",
    REPORT_IT,
);

pub(super) static NOT_DIRECT: FindingDef = FindingDef::void(
    "not_direct",
    |seen| {
        format!(
            "The results of {} are void, because memory may have been measured instead of the drive: direct I/O was \
             requested, but the kernel did not confirm it.",
            executions(seen)
        )
    },
    "The file system accepted the flag and ignored it, or the file was reopened without it.",
    "Test on a file system with direct I/O: ext4, xfs or btrfs.",
);

pub(super) static HISTOGRAM_COUNT: FindingDef = FindingDef::void(
    "histogram_count",
    |seen| {
        format!(
            "Latencies or response times of {} are void: the histogram does not hold exactly the completed operations.",
            executions(seen)
        )
    },
    "The record is damaged, or drivelab's engine has a fault.",
    REPORT_IT,
);

pub(super) static PERCENTILE_ORDER: FindingDef = FindingDef::void(
    "percentile_order",
    |seen| {
        format!(
            "Percentiles of latency or response time of {} are void: a lower percentile lies above a higher one.",
            executions(seen)
        )
    },
    "The record is damaged, or drivelab's engine has a fault.",
    REPORT_IT,
);

pub(super) static RESPONSE_BELOW_LATENCY: FindingDef = FindingDef::void(
    "response_below_latency",
    |seen| {
        format!(
            "The response times of {} are void: they lie below latencies, although they count from an earlier moment.",
            executions(seen)
        )
    },
    "The record is damaged, or drivelab's engine has a fault.",
    REPORT_IT,
);

pub(super) static LITTLE_LAW: FindingDef = FindingDef::void(
    "little_law",
    |seen| {
        format!(
            "The results of {} are void: IOPS times mean latency differs from the measured operations in flight by more \
             than 2 % plus one operation (Little's law), so at least one of the three is wrong.",
            executions(seen)
        )
    },
    "Operations were timed and counted from different moments, or some were lost.",
    "Run the step for longer. If it happens again, please report it.",
);

pub(super) static ABOVE_DEPTH: FindingDef = FindingDef::void(
    "above_depth",
    |seen| {
        format!(
            "The results of {} are void: on average more operations were in flight than the queue depth times the \
             threads, by more than 1 %. Either the load was not that of the step, or times are wrong.",
            executions(seen)
        )
    },
    "Operations were timed from a moment other than their submission, or the engine submitted too many.",
    REPORT_IT,
);

pub(super) static INTERVAL_SUMS: FindingDef = FindingDef::void(
    "interval_sums",
    |seen| format!("Figures of {} are void: the intervals do not add up to the step.", executions(seen)),
    "An interval was lost or counted twice.",
    REPORT_IT,
);

pub(super) static GROUP_SUMS: FindingDef = FindingDef::void(
    "group_sums",
    |seen| format!("Figures of {} are void: the groups of threads do not add up to the step.", executions(seen)),
    "A group was lost or counted twice.",
    REPORT_IT,
);

pub(super) static SIZE_SUMS: FindingDef = FindingDef::void(
    "size_sums",
    |seen| {
        format!(
            "Figures of {} are void: the sizes of a mix do not add up to the operations of their kind.",
            executions(seen)
        )
    },
    "A size was lost, counted twice or never requested.",
    REPORT_IT,
);

pub(super) static MIX_NOT_AS_ASKED: FindingDef = FindingDef::void(
    "mix_not_as_asked",
    |seen| {
        format!(
            "The results of {} are void: the shares of kinds or sizes of operations differ from those requested by \
             more than chance, so the load was not what the step's name says.",
            executions(seen)
        )
    },
    "drivelab drew the wrong shares, or operations of one kind or size were lost.",
    REPORT_IT,
);

pub(super) static SCHEDULE_MISSED: FindingDef = FindingDef::void(
    "schedule_missed",
    |seen| {
        format!(
            "Response times and arrivals of {} are void: the open loop did not have as many arrivals as its rate \
             requires, so response times count from wrong moments.",
            executions(seen)
        )
    },
    "The generator's schedule or the clock is wrong.",
    REPORT_IT,
);

pub(super) static ARRIVALS_LOST: FindingDef = FindingDef::void(
    "arrivals_lost",
    |seen| {
        format!(
            "Response times and arrivals of {} are void: the operations that an open loop completed do not match those \
             that arrived and no longer wait.",
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
            "The results of {} are void: parallel sequential streams touched the same blocks, although the methodology \
             requests disjoint ones. The second reader of a block may have been served from a cache.",
            executions(seen)
        )
    },
    "The span was divided wrongly among the threads.",
    REPORT_IT,
);

pub(super) static ABOVE_LINK: FindingDef = FindingDef::void(
    "above_link",
    |seen| format!("Figures of {} are void: data moved faster than the drive's link can carry it.", executions(seen)),
    "A cache in memory answered (file system, hypervisor, controller), or the data was never on the drive (holes, \
     unwritten extents).",
    "Use direct I/O and a target that is larger than any cache and was filled before it is read.",
);

#[cfg(test)]
mod tests;
