//! The plan: a methodology expanded for one target and form, as it will run and as it is stored.
//!
//! A plan holds tests, and a test holds steps (one workload, one stop rule, fixed parameters) with their number of
//! repetitions and their order. Everything here is resolved: spans are in bytes, sweeps are expanded.

mod grid;
mod published_unit;
mod redact;
mod repeats;
mod repetition;
mod types;
mod whole;

pub use grid::Grid;
pub use published_unit::PublishedUnit;
pub use redact::redacted_setting;
pub use repetition::{Repeats, RestAfter};
pub use types::{
    Action, Approximation, AxisValue, Combine, CoolDown, Form, LeftOut, MOST_HEADLINES, MethodIdentity, OWN_LOAD,
    OnError, Order, Plan, RateSearch, Rest, Rounds, Source, Step, StepRole, StopRule, TestPlan, Tracked,
};
