//! Facts about the target and the testbed before a run. Collected by `device`, judged by `analysis`.
//!
//! Facts that could not be found are `None`, never a guess; `unknown` gives the reason if it helps.

mod devices;
mod facts;
mod redact;
mod testbed;

pub use devices::{BlockDeviceFacts, LinkFacts, PassesOn, pcie_link};
pub use facts::{Content, Environment, FileSource, FileSystemFacts, TargetFacts, TargetKind, ToolVersion};
pub use testbed::{BusyProgram, HostFacts, TestbedFacts};
