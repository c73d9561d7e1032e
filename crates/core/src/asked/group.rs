//! Groups of drives measured at the same time: which run belongs to which group. Also the time of the host's CPUs,
//! which runs under conditions record too.
//!
//! A group consists of whole runs with one bundle each: every drive alone, and every drive while the others run the
//! same plan. Each run records at its start which group it is in and which runs the others are, so that any run leads
//! to all of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{RunId, StepKey};

mod drives;

pub use drives::MethodDrives;

/// Whether a run of a group was measured alone or together with the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroupRole {
    /// Nothing else of the group ran.
    Alone,
    /// All drives of the group ran the same steps, and started each step together.
    Together,
}

/// A run of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroupRun {
    /// The run.
    pub run: RunId,
    /// Its role.
    pub role: GroupRole,
    /// Index of the drive, from 0, in the order in which the user named the drives.
    pub drive: u32,
}

/// What a run records about its group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Its own role.
    pub role: GroupRole,
    /// Index of its own drive, from 0.
    pub drive: u32,
    /// All runs planned for the group, including this one. Runs measured together share one run clock.
    pub runs: Vec<GroupRun>,
}

impl Group {
    /// Number of drives.
    #[must_use]
    pub fn drives(&self) -> u32 {
        self.runs.iter().map(|one| one.drive + 1).max().unwrap_or(0)
    }
}

/// The letter of a drive (or of a run among several) in tables: A, B, … Z, AA, AB, …
#[must_use]
pub fn letter(drive: usize) -> String {
    let before = (drive / 26).checked_sub(1).map(letter).unwrap_or_default();
    let last = ('A'..='Z').nth(drive % 26).unwrap_or_default();
    format!("{before}{last}")
}

/// Time that one CPU spent, by kind, in milliseconds (proc_stat(5), in ticks of the kernel, mostly 10 ms).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CoreTime {
    /// Number of the CPU.
    pub cpu: u32,
    /// In programs, including those with low priority.
    pub user_ms: u64,
    /// In the kernel.
    pub system_ms: u64,
    /// In interrupts, including soft interrupts.
    pub interrupt_ms: u64,
    /// Taken by the hypervisor for other guests.
    pub steal_ms: u64,
    /// Idle while an operation that this CPU had issued was in flight (iowait).
    pub wait_ms: u64,
    /// Idle.
    pub idle_ms: u64,
}

impl CoreTime {
    /// The names of the kinds in series and tables, in the order of [`CoreTime::kinds_ms`].
    pub const KINDS: [&str; 6] = ["user", "system", "interrupts", "iowait", "steal", "idle"];

    /// Its time by kind, in the order of [`CoreTime::KINDS`], milliseconds.
    #[must_use]
    pub const fn kinds_ms(&self) -> [u64; 6] {
        [self.user_ms, self.system_ms, self.interrupt_ms, self.wait_ms, self.steal_ms, self.idle_ms]
    }

    /// Whether time of this kind (a name of [`CoreTime::KINDS`]) counts as busy: programs, the kernel and interrupts.
    /// Time waiting for a drive is idle, and stolen time is work of other guests.
    #[must_use]
    pub fn is_busy(kind: &str) -> bool {
        matches!(kind, "user" | "system" | "interrupts")
    }

    /// Time of all kinds.
    #[must_use]
    pub const fn all_ms(&self) -> u64 {
        self.taken_ms().saturating_add(self.wait_ms).saturating_add(self.idle_ms)
    }

    /// Busy time: the kinds of [`CoreTime::is_busy`].
    #[must_use]
    pub const fn busy_ms(&self) -> u64 {
        self.user_ms.saturating_add(self.system_ms).saturating_add(self.interrupt_ms)
    }

    /// Time that was not available for more work: busy, or taken by the hypervisor for other guests.
    #[must_use]
    pub const fn taken_ms(&self) -> u64 {
        self.busy_ms().saturating_add(self.steal_ms)
    }

    /// The sum of its time and that of another CPU, with its own CPU number.
    #[must_use]
    pub const fn plus(&self, other: &CoreTime) -> CoreTime {
        CoreTime {
            cpu: self.cpu,
            user_ms: self.user_ms.saturating_add(other.user_ms),
            system_ms: self.system_ms.saturating_add(other.system_ms),
            interrupt_ms: self.interrupt_ms.saturating_add(other.interrupt_ms),
            steal_ms: self.steal_ms.saturating_add(other.steal_ms),
            wait_ms: self.wait_ms.saturating_add(other.wait_ms),
            idle_ms: self.idle_ms.saturating_add(other.idle_ms),
        }
    }

    /// Time spent since an earlier reading of the same CPU.
    #[must_use]
    pub const fn since(&self, before: &CoreTime) -> CoreTime {
        CoreTime {
            cpu: self.cpu,
            user_ms: self.user_ms.saturating_sub(before.user_ms),
            system_ms: self.system_ms.saturating_sub(before.system_ms),
            interrupt_ms: self.interrupt_ms.saturating_sub(before.interrupt_ms),
            steal_ms: self.steal_ms.saturating_sub(before.steal_ms),
            wait_ms: self.wait_ms.saturating_sub(before.wait_ms),
            idle_ms: self.idle_ms.saturating_sub(before.idle_ms),
        }
    }
}

/// Time of the host's CPUs during an execution of a step, over all programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostCpu {
    /// The execution.
    pub key: StepKey,
    /// First reading, nanoseconds on the run clock.
    pub from_ns: u64,
    /// Second reading, nanoseconds on the run clock.
    pub to_ns: u64,
    /// Time between the two readings, one entry for each CPU.
    pub cores: Vec<CoreTime>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_told_apart_and_never_below_zero() {
        let before = CoreTime { cpu: 3, user_ms: 10, idle_ms: 100, wait_ms: 50, ..CoreTime::default() };
        let after = CoreTime { cpu: 3, user_ms: 40, system_ms: 20, idle_ms: 110, wait_ms: 40, ..CoreTime::default() };
        let spent = after.since(&before);
        assert_eq!((spent.user_ms, spent.system_ms, spent.wait_ms), (30, 20, 0), "iowait may go backwards");
        assert_eq!((spent.busy_ms(), spent.all_ms()), (50, 60));
    }

    #[test]
    fn stolen_time_is_taken_but_not_busy_and_every_kind_has_its_name() {
        let core =
            CoreTime { cpu: 3, user_ms: 1, system_ms: 2, interrupt_ms: 4, steal_ms: 8, wait_ms: 16, idle_ms: 32 };
        assert_eq!((core.busy_ms(), core.taken_ms(), core.all_ms()), (7, 15, 63));
        let by_name: u64 = CoreTime::KINDS
            .iter()
            .zip(core.kinds_ms())
            .filter(|(kind, _)| CoreTime::is_busy(kind))
            .map(|(_, ms)| ms)
            .sum();
        assert_eq!(by_name, core.busy_ms());
        assert_eq!(core.kinds_ms(), [1, 2, 4, 16, 8, 32]);
        let twice = core.plus(&CoreTime { cpu: 9, ..core });
        assert_eq!((twice.cpu, twice.kinds_ms()), (3, [2, 4, 8, 32, 16, 64]));
    }

    #[test]
    fn drives_are_lettered() {
        let letters = [0, 25, 26, 51, 52, 26 * 27].map(letter);
        assert_eq!(letters, ["A", "Z", "AA", "AZ", "BA", "AAA"]);
    }
}
