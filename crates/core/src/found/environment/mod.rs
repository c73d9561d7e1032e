//! Facts about the target and the testbed, as found before a run. Filled by `device`, judged by `analysis`.
//!
//! What could not be found is `None`, never a guess; `unknown` says why where that helps.

mod devices;
mod facts;
mod redact;
mod testbed;

pub use devices::{BlockDeviceFacts, LinkFacts, PassesOn, pcie_link};
pub use facts::{Environment, FileSource, FileSystemFacts, TargetFacts, TargetKind, ToolVersion};
pub use testbed::{BusyProgram, HostFacts, TestbedFacts};
