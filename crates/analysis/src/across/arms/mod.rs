//! Runs of one methodology under several arms.

mod beside;
mod rounds;
mod table;

pub use beside::{ArmRun, LEAST_CPU_MS, Rate, arms, cost_off_percent, cost_percent, cpu_s_per_gb, idle_watts};
pub use rounds::paired_cost;
pub use table::{ArmCell, ArmColumn, ArmOverRounds, ArmRow, Arms, PairedCost, StepOverRounds};
