//! Findings that void figures: an invariant does not hold. One function for each entry of the table of invariants.

use drivelab_core::finding::{Finding, Severity};

use super::{Words, executions};
use crate::check::Seen;

const REPORT_IT: &str = "Please report it with the bundle; an instrument must not do this.";

fn void(code: &'static str, statement: String, cause: &str, action: &str, seen: &[Seen]) -> Finding {
    Words { code, severity: Severity::Void, statement, cause, action }.about(seen)
}

pub(crate) fn time_order(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the end is recorded no later than the start, so nothing can be divided by time.",
        executions(seen)
    );
    void("time_order", statement, "The record is damaged, or the engine is at fault.", REPORT_IT, seen)
}

pub(crate) fn no_operations(seen: &[Seen]) -> Finding {
    let statement = format!("{} completed no operation of a kind that was asked for.", executions(seen));
    let cause = "The device answered every operation with an error, or the step was too short for its mix.";
    void("no_operations", statement, cause, "Look at the errors in the report and at the kernel log.", seen)
}

pub(crate) fn mass_errors(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} more than one in a hundred operations ended in errors: the rates beside them are not what the target \
         does.",
        executions(seen)
    );
    let cause = "The target is failing, gone, full, or shorter than it was.";
    let action = "Look at the errors in the report and at the kernel log (`dmesg`); mend that and run it again.";
    void("mass_errors", statement, cause, action, seen)
}

pub(crate) fn bytes_not_blocks(seen: &[Seen]) -> Finding {
    let statement =
        format!("In {} the bytes moved are not the completed operations times the block size.", executions(seen));
    let cause = "Short transfers were counted as whole ones, or the engine is at fault.";
    void("bytes_not_blocks", statement, cause, REPORT_IT, seen)
}

pub(crate) fn rate_mismatch(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the recorded rates contradict each other: MB/s must be IOPS times block size, and IOPS operations \
         divided by time.",
        executions(seen)
    );
    void("rate_mismatch", statement, "The record is damaged, or the engine is at fault.", REPORT_IT, seen)
}

pub(crate) fn not_direct(seen: &[Seen]) -> Finding {
    let statement = format!(
        "Direct I/O was asked for, but the kernel did not confirm it for {}: memory may have been measured, not the \
         drive.",
        executions(seen)
    );
    let cause = "The file system took the flag and dropped it, or the file was opened again without it.";
    void("not_direct", statement, cause, "Test on a file system with direct I/O: ext4, xfs or btrfs.", seen)
}

pub(crate) fn histogram_count(seen: &[Seen]) -> Finding {
    let statement =
        format!("In {} the latency histogram does not hold exactly the completed operations.", executions(seen));
    void("histogram_count", statement, "The record is damaged, or the engine is at fault.", REPORT_IT, seen)
}

pub(crate) fn percentile_order(seen: &[Seen]) -> Finding {
    let statement = format!("In {} a lower percentile of the latency lies above a higher one.", executions(seen));
    void("percentile_order", statement, "The record is damaged, or the engine is at fault.", REPORT_IT, seen)
}

pub(crate) fn response_below_latency(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} response times lie below latencies, although they count from an earlier moment.",
        executions(seen)
    );
    void("response_below_latency", statement, "The record is damaged, or the engine is at fault.", REPORT_IT, seen)
}

pub(crate) fn little_law(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} IOPS times mean latency differ from the measured operations in flight by more than 2 % plus one \
         operation (Little's law), so at least one of the three is wrong.",
        executions(seen)
    );
    let cause = "Operations were timed from another moment than they were counted from, or some were lost.";
    void("little_law", statement, cause, "Run the step for longer; if it stays, please report it.", seen)
}

pub(crate) fn above_depth(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} more operations were in flight on average than the queue depth times the threads, by more than 1 %: \
         either the load was not the step's, or times are wrong.",
        executions(seen)
    );
    let cause = "Operations were timed from another moment than their submission, or the engine submitted too many.";
    void("above_depth", statement, cause, REPORT_IT, seen)
}

pub(crate) fn interval_sums(seen: &[Seen]) -> Finding {
    let statement = format!("In {} the intervals do not add up to the step.", executions(seen));
    void("interval_sums", statement, "An interval was lost or counted twice.", REPORT_IT, seen)
}

pub(crate) fn group_sums(seen: &[Seen]) -> Finding {
    let statement = format!("In {} the groups of threads do not add up to the step.", executions(seen));
    void("group_sums", statement, "A group was lost or counted twice.", REPORT_IT, seen)
}

pub(crate) fn size_sums(seen: &[Seen]) -> Finding {
    let statement =
        format!("In {} the sizes of a mix do not add up to the operations of their kind.", executions(seen));
    void("size_sums", statement, "A size was lost, counted twice or never asked for.", REPORT_IT, seen)
}

pub(crate) fn mix_not_as_asked(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} kinds or sizes of operations do not have the shares that were asked for, by more than chance: the load \
         was another one than the step's name says.",
        executions(seen)
    );
    let cause = "The generator drew wrongly, or operations of one kind or size were lost.";
    void("mix_not_as_asked", statement, cause, REPORT_IT, seen)
}

pub(crate) fn schedule_missed(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the open loop had not as many arrivals as its rate says, so response times count from wrong moments.",
        executions(seen)
    );
    void("schedule_missed", statement, "The generator's schedule is wrong, or the clock is.", REPORT_IT, seen)
}

pub(crate) fn arrivals_lost(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} the operations of an open loop are not those that arrived and do not wait any more.",
        executions(seen)
    );
    void("arrivals_lost", statement, "Arrivals were skipped or issued twice.", REPORT_IT, seen)
}

pub(crate) fn streams_overlap(seen: &[Seen]) -> Finding {
    let statement = format!(
        "In {} parallel sequential streams touched the same blocks although the methodology asks for disjoint ones: \
         the second reader of a block may have been served from a cache.",
        executions(seen)
    );
    void("streams_overlap", statement, "The span was divided wrongly among the threads.", REPORT_IT, seen)
}

pub(crate) fn above_link(seen: &[Seen]) -> Finding {
    let statement = format!("In {} data moved faster than the drive's link can carry it.", executions(seen));
    let cause = "A cache in memory answered (file system, hypervisor, controller), or the data was never on the drive \
                 (holes, unwritten extents).";
    let action = "Use a larger target than any cache, direct I/O, and a target that was filled before it is read.";
    void("above_link", statement, cause, action, seen)
}
