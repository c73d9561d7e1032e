//! The conditions of a run: sets up partition, file system, encryption, data state and power state, and undoes them,
//! even after a kill.
//!
//! Owns: the order of setting up and tearing down, the undo log ([`ledger`]), the bytes of a partition table, the
//! check that encryption encrypts. Must not know: terminals, bundles, how a run is measured. Every write to a drive
//! goes through a target from `device::guard`, or through a system program on a drive that the guard has released and
//! holds.
#![forbid(unsafe_code)]

mod ballast;
mod controller;
mod data_state;
mod drive;
mod error;
mod file_system;
mod fit;
pub mod gpt;
mod kernel;
pub mod ledger;
mod loop_file;
mod luks;
pub mod opal;
mod power;
mod programs;
mod set_up;
mod tear_down;
pub mod uniform;

pub use data_state::with_data_state;
pub use error::{ConditionsError, Kind, LedgerTrouble};
pub use fit::check;
pub use loop_file::{LoopFile, clean_loops, left_loops};
pub use power::power_states;
pub use set_up::{SetUp, Where, Wish};
pub use tear_down::{CleanUp, Cleaned, Left, clean_up};
