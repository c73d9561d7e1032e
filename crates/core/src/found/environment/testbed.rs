//! The machine that measures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// The host as found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestbedFacts {
    /// Kernel release.
    pub kernel: String,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// Logical CPUs online.
    pub cpus: u32,
    /// Frequency governor of CPU 0: `performance`, `powersave`.
    pub governor: Option<String>,
    /// Maker and name of the board, or of the virtual machine's product.
    pub board: Option<String>,
    /// Firmware (BIOS) version and date.
    pub firmware: Option<String>,
    /// Memory.
    pub memory: Bytes,
    /// What the host itself runs under (`kvm`, `qemu`), or `None` on bare metal as far as can be told.
    pub hypervisor: Option<String>,
    /// Runnable tasks over the last minute, before the run.
    pub load_average_1m: f64,
    /// Share of all CPUs' time, 0 to 1, that was busy ([`crate::group::CoreTime::busy_ms`]) in a look of about 0.5 s
    /// before the run. Stolen time was in it while `cpu_stolen` was not recorded yet.
    #[serde(default)]
    pub cpu_busy: Option<f64>,
    /// Share of all CPUs' time, 0 to 1, that the hypervisor gave to others in the same look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_stolen: Option<f64>,
    /// Bytes per second that others moved on the target's device in a look of about 0.5 s before the run.
    pub foreign_io: Option<f64>,
    /// What decides how exactly this host can time and how fast it can issue; absent in recordings of the first format
    /// version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostFacts>,
    /// Facts that could not be found, and why.
    pub unknown: Vec<String>,
}

/// What decides how exactly a host can time and how fast it can issue I/O.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostFacts {
    /// What the kernel keeps time with: `tsc`, `kvm-clock`, `hpet`.
    pub clock_source: Option<String>,
    /// Whether the CPU promises a time-stamp counter that ticks at one rate through all power states.
    pub constant_tsc: bool,
    /// `kernel.io_uring_disabled`: 0 for everybody, 1 for a group only, 2 for nobody; absent before Linux 6.6.
    pub io_uring_disabled: Option<u32>,
    /// Why this process gets no ring, where it does not; filled in by whoever asked for one.
    pub io_uring_refused: Option<String>,
    /// Memory that this process may lock, which registered buffers count against; `None` without a limit.
    pub memlock: Option<Bytes>,
    /// Whether the limit on locked memory does not bind this process (root).
    pub may_lock_all: bool,
    /// When the kernel gives huge pages: `always`, `madvise`, `never`.
    pub transparent_huge_pages: Option<String>,
    /// Reserved huge pages of 2 MiB that are free.
    pub huge_pages_free: Option<u64>,
    /// CPUs that this process may run on.
    pub cpus_allowed: u32,
    /// CPUs by governor, where they do not all have the same.
    pub governors: Vec<String>,
    /// Interrupts per second on all CPUs in the look before the run.
    pub interrupts_per_second: Option<f64>,
    /// Other programs that used the most CPU time in that look, most first; at most five.
    pub programs: Vec<BusyProgram>,
}

/// A program that runs beside the test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BusyProgram {
    /// Its name as the kernel has it.
    pub name: String,
    /// Its process number.
    pub pid: u32,
    /// CPU time over the time of the look: 1.0 is one CPU.
    pub cpus: f64,
}
