//! Measured facts: what happened in an interval and in a whole step. Never edited afterwards.
//!
//! Metrics and findings are made from these by `analysis`, and can be made again by a newer version.

mod condensed;
mod records;

pub use records::{
    BadBlock, BurstsDone, CPU_SPLIT_FROM, Condensed, DataFault, Effort, EngineReport, GroupRecord, IntervalRecord,
    IoError, IssueMode, MAP_PARTS, OpRecord, OpenLoop, OtherRecord, Response, SizeRecord, StepRecord, StopReason,
    StreamExtent, Stuck, Verification, map_part,
};
