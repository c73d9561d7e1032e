//! Everything that can be told of a target without changing it: for `drivelab targets`, `drivelab show` and the record
//! of a run.
//!
//! Puts together what the files beside it find: names and numbers, queues and interrupts, the way through PCIe,
//! temperatures, and the pages of the drive itself. What is refused or missing becomes a
//! [`drivelab_core::probe::NotKnown`] and never an error: a user without rights gets what can be known. Must not know
//! how it is laid out.

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
