//! Measured facts: what happened in an interval and in a whole step. Never edited afterwards.
//!
//! Metrics and findings are made from these by `analysis`, and can be made again by a newer version.

mod condensed;
mod io_error;
mod origin;
mod records;

pub use io_error::IoError;
pub use origin::Origin;
pub use records::{
    BadBlock, BurstsDone, CPU_SPLIT_FROM, Condensed, DataFault, Effort, EngineReport, GroupRecord, IntervalRecord,
    IssueMode, MAP_PARTS, OpRecord, OpenLoop, OtherRecord, Response, SizeRecord, StepRecord, StopReason, StreamExtent,
    Stuck, Verification, map_part,
};
