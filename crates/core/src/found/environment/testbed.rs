//! The host that measures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// The host as found before the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestbedFacts {
    /// What its user calls it (`drivelab testbed set`): `Testbed-v1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// What its user states about it (`drivelab testbed set --note`): memory timings, cooling, power supply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Kernel release.
    pub kernel: String,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// Logical CPUs online.
    pub cpus: u32,
    /// Frequency governor of CPU 0: `performance`, `powersave`.
    pub governor: Option<String>,
    /// Manufacturer and name of the board, or of the virtual machine's product.
    pub board: Option<String>,
    /// Firmware (BIOS) version and date.
    pub firmware: Option<String>,
    /// Memory.
    pub memory: Bytes,
    /// Hypervisor under which the host runs (`kvm`, `qemu`), or `None` on bare metal as far as can be detected.
    pub hypervisor: Option<String>,
    /// Runnable tasks, averaged over the last minute before the run.
    pub load_average_1m: f64,
    /// Share of the time of all CPUs, 0 to 1, that was busy ([`crate::group::CoreTime::busy_ms`]) in a sample of
    /// about 0.5 s before the run. It includes stolen time in recordings without `cpu_stolen`.
    #[serde(default)]
    pub cpu_busy: Option<f64>,
    /// Share of the time of all CPUs, 0 to 1, that the hypervisor gave to other guests in the same sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_stolen: Option<f64>,
    /// Bytes per second that other programs moved on the target's device in a sample of about 0.5 s before the run.
    pub foreign_io: Option<f64>,
    /// Facts that decide how exactly this host can time I/O and how fast it can issue it; absent in recordings of the
    /// first format version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostFacts>,
    /// Facts that could not be found, with the reasons.
    pub unknown: Vec<String>,
}

/// Facts that decide how exactly a host can time I/O and how fast it can issue it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostFacts {
    /// Clock source of the kernel: `tsc`, `kvm-clock`, `hpet`.
    pub clock_source: Option<String>,
    /// Whether the CPU reports a time-stamp counter with a constant rate in all power states.
    pub constant_tsc: bool,
    /// `kernel.io_uring_disabled`: 0 for all users, 1 for one group only, 2 for nobody; absent before Linux 6.6.
    pub io_uring_disabled: Option<u32>,
    /// Why this process cannot create a ring; absent if it can. Set by the code that tried to create one.
    pub io_uring_refused: Option<String>,
    /// Memory that this process may lock, including registered buffers; `None` without a limit.
    pub memlock: Option<Bytes>,
    /// Whether this process may exceed the limit on locked memory (root).
    pub may_lock_all: bool,
    /// When the kernel uses huge pages: `always`, `madvise`, `never`.
    pub transparent_huge_pages: Option<String>,
    /// Reserved huge pages of 2 MiB that are free.
    pub huge_pages_free: Option<u64>,
    /// CPUs that this process may run on.
    pub cpus_allowed: u32,
    /// Number of CPUs for each governor, if they do not all have the same.
    pub governors: Vec<String>,
    /// Interrupts per second on all CPUs, in the sample before the run.
    pub interrupts_per_second: Option<f64>,
    /// Other programs with the most CPU time in that sample, most first; at most five.
    pub programs: Vec<BusyProgram>,
}

/// A program that runs at the same time as the test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BusyProgram {
    /// Its name in the kernel.
    pub name: String,
    /// Its process number.
    pub pid: u32,
    /// CPU time divided by the time of the sample: 1.0 is one CPU.
    pub cpus: f64,
}
