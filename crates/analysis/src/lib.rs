//! Pure functions from records to metrics and findings: the meaning of the measured facts of a run.
//!
//! Owns: the table of metrics, the invariants, the verdict on steadiness, the statistics over rounds, every finding's
//! text, the data of charts. Must not know files, clocks, threads, terminals, or how a page looks. The same records
//! always give the same result, so an old bundle can be analysed again with a newer version of this crate.

#![forbid(unsafe_code)]

mod acceptance;
mod across;
mod analyse;
mod analysis;
pub mod buyer;
mod by_position;
mod check;
pub mod classes;
pub mod digest;
mod evidence;
pub mod explain;
pub mod findings;
pub mod host;
mod metrics;
pub mod rate;
mod reach;
pub mod series;
pub mod stats;
pub mod steady;
mod topics;
mod values;

pub use acceptance::{AcceptanceLimit, LIMITS_BROKEN};
pub use across::{arms, bridge, families, price, rank, ratios, side_by_side, together};
pub use analyse::{analyse, lies, silent_meters};
pub use analysis::{ANALYSIS_VERSION, Analysis};
pub use buyer::suitability;
pub use drivelab_core::tails;
pub use host::{conditions, probe};
pub use metrics::{METRICS, metric_def, metrics_markdown};
pub use reach::{not_measured, tested};
pub use topics::capacity::map;
pub use topics::heat::throttle;
pub use topics::limits::{
    CpuRule, GeneratorLimit, Limit, LimitKind, LimitedBy, StepLimit, limit, limited_by, overloaded,
};
pub use topics::others::{Disturbed, LiveOthers};
pub use topics::telemetry::smart;
pub use topics::{curve, data_sheet, fill, scores, search};
