//! What a host was found able to generate: `drivelab doctor` measures it, the data folder keeps it, every later run
//! records it beside its own figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::TestbedFacts;

/// What one kind of load that costs no drive anything came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ceiling {
    /// What was issued, where to, how deep, on how many threads.
    pub name: String,
    /// Median of the rounds, operations per second; absent where it could not be issued.
    pub iops: Option<f64>,
    /// Largest less smallest round, as a share of the median.
    pub spread: f64,
    /// CPU time of the issuing threads in user mode, by operations.
    pub user_ns_per_io: f64,
    /// The same in the kernel.
    pub system_ns_per_io: f64,
    /// Operations by system calls.
    pub operations_per_syscall: f64,
    /// It bounds what one thread can ask of a real drive.
    pub is_bound: bool,
    /// Why it could not be issued.
    pub error: Option<String>,
}

/// What a host was found able to generate, and which host that was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostCeilings {
    /// When, by the host's clock (RFC 3339).
    pub measured: String,
    /// Release of the drivelab that measured.
    pub version: String,
    /// Kernel release then.
    pub kernel: String,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// Logical CPUs online.
    pub cpus: u32,
    /// What was measured.
    pub ceilings: Vec<Ceiling>,
}

impl HostCeilings {
    /// Whether they were measured on a host like this one: the same kernel, CPU model and number of CPUs.
    #[must_use]
    pub fn are_of(&self, testbed: &TestbedFacts) -> bool {
        self.kernel == testbed.kernel && self.cpu_model == testbed.cpu_model && self.cpus == testbed.cpus
    }

    /// The most that one thread can ask of a real drive, operations per second.
    #[must_use]
    pub fn bound_iops(&self) -> Option<f64> {
        self.ceilings.iter().find(|ceiling| ceiling.is_bound).and_then(|ceiling| ceiling.iops)
    }
}
