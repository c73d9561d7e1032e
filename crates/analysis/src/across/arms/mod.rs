//! Runs of one methodology under several arms.

mod beside;
mod rounds;
mod table;

pub use beside::{Rate, arms, cost_off_percent, cost_percent};
pub use rounds::paired_cost;
pub use table::{ArmCell, ArmColumn, ArmOverRounds, ArmRow, Arms, PairedCost, StepOverRounds};

pub use crate::topics::telemetry::spent::{cpu_s_per_gb, idle_watts};
pub use crate::topics::telemetry::values::LEAST_CPU_MS;
