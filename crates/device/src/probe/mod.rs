//! Everything that is known about a target without changing it: for `drivelab targets`, `drivelab show` and the
//! record of a run.
//!
//! Combines the results of the other files in this folder: names and numbers, queues and interrupts, the path through
//! PCIe, temperatures, and the pages of the drive itself. Anything refused or missing becomes a
//! [`drivelab_core::probe::NotKnown`] and never an error: a user without permissions gets what is accessible. Must
//! not know how it is displayed.

mod ata;
mod depth;
mod disks;
mod find;
mod names;
mod nvme;
mod pcie;
mod queues;
mod rights;
mod temperatures;
mod whole;

pub use depth::Depth;
pub use disks::disks;
pub use find::{Found, find};
pub use whole::{drive_below, probe};
