//! The measured limits of a host as a load generator: `drivelab doctor` measures them, the data folder keeps them,
//! and every later run records them with its own figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::TestbedFacts;

/// Result of one kind of load that needs no drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ceiling {
    /// The load: operations, target, queue depth, number of threads.
    pub name: String,
    /// Median of the rounds, operations per second; absent if the load could not be issued.
    pub iops: Option<f64>,
    /// Largest round minus smallest round, as a share of the median.
    pub spread: f64,
    /// CPU time of the issuing threads in user mode, per operation.
    pub user_ns_per_io: f64,
    /// CPU time of the issuing threads in the kernel, per operation.
    pub system_ns_per_io: f64,
    /// Operations per system call.
    pub operations_per_syscall: f64,
    /// Whether it is the upper limit of what one thread can ask of a real drive.
    pub is_bound: bool,
    /// Why the load could not be issued.
    pub error: Option<String>,
}

/// The measured limits of a host as a load generator, and the host that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostCeilings {
    /// Time of the measurement, by the host's clock (RFC 3339).
    pub measured: String,
    /// Release of drivelab that measured.
    pub version: String,
    /// Kernel release at that time.
    pub kernel: String,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// Logical CPUs online.
    pub cpus: u32,
    /// The results.
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
