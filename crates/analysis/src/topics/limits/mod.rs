//! What limited a step.

mod judge;
mod of_steps;

pub(crate) use judge::{
    BUSY_SHARE, GENERATOR_SHARE, KERNEL_SHARE, OVERLOAD_SHARE, QUOTA_SHARE, STARVED_SHARE, fell_behind, is_overloaded,
    of_rounds,
};
pub use judge::{CpuRule, GeneratorLimit, Limit, LimitKind, LimitedBy, limit, limited_by, overloaded};
pub use of_steps::StepLimit;
pub(crate) use of_steps::all;
