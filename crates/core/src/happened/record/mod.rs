//! Measured facts: what happened in an interval and in a whole step. They are never edited afterwards.
//!
//! `analysis` derives metrics and findings from them, and a newer version can derive them again.

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
