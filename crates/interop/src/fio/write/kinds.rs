//! Which of a load's operations a fio job issues, and how many they are.
//!
//! Facts: fio's HOWTO (`rw=`, `rwmixwrite=`): a job reads and writes, or it trims, or it trims each block and then
//! writes it; for the last kind it counts the writes, as observed in fio 3.33. Must not know: sizes, places, when a
//! job ends.

use drivelab_core::workload::Workload;

use super::super::number::fraction;

/// What a fio job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kinds {
    Reads,
    Writes,
    /// Reads and writes, drawn.
    Mix,
    Trims,
    /// Each block is trimmed and then written.
    TrimsAndWrites,
}

impl Kinds {
    /// The nearest kind to a load; `None` if fio has no word for any of it.
    pub(super) fn of(load: &Workload) -> Option<Kinds> {
        match (load.read_percent(), load.write_percent.get(), load.other.trim_percent.get()) {
            (.., 100) => Some(Kinds::Trims),
            (0, 50, 50) => Some(Kinds::TrimsAndWrites),
            (0, 0, _) => None,
            (0, ..) => Some(Kinds::Writes),
            (_, 0, _) => Some(Kinds::Reads),
            _ => Some(Kinds::Mix),
        }
    }

    /// The word of `rw=`, without the prefix for random order.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Kinds::Reads => "read",
            Kinds::Writes => "write",
            Kinds::Mix => "rw",
            Kinds::Trims => "trim",
            Kinds::TrimsAndWrites => "trimwrite",
        }
    }

    /// What fio does not issue, or issues in another way; `None` if it issues all of the load unchanged.
    pub(super) fn difference(self, load: &Workload) -> Option<String> {
        let other = load.other;
        match self {
            Kinds::Trims => None,
            Kinds::TrimsAndWrites => Some(
                "drivelab draws trims and writes, half of each; fio trims each block and then writes it".to_owned(),
            ),
            _ if other.percent() > 0 => Some(format!(
                "of the operations, {} % trim, {} % write zeroes and {} % flush; fio issues the reads and writes only",
                other.trim_percent, other.write_zeroes_percent, other.flush_percent
            )),
            _ => None,
        }
    }

    /// Of a hundred operations of the load, the number that fio issues and counts.
    fn counted(self, load: &Workload) -> u64 {
        match self {
            Kinds::Trims => 100,
            Kinds::TrimsAndWrites => 50,
            _ => u64::from(load.write_percent.get() + load.read_percent()),
        }
    }

    /// How many of the load's operations fio counts, at least one.
    pub(super) fn operations(self, load: &Workload, all: u64) -> u64 {
        fraction(all, self.counted(load), 100).max(1)
    }

    /// How many of the load's bytes fio counts: a flush moves none.
    pub(super) fn bytes(self, load: &Workload, all: u64) -> u64 {
        let moving = 100 - u64::from(load.other.flush_percent.get());
        fraction(all, self.counted(load).min(moving), moving)
    }

    /// Share of the writes among the operations that fio issues, in whole per cent.
    pub(super) fn write_percent(self, load: &Workload) -> u64 {
        let all = self.counted(load).max(1);
        ((u64::from(load.write_percent.get()) * 100 + all / 2) / all).clamp(1, 99)
    }
}

/// The operations of a load for which fio has no job, in words.
pub(super) fn no_job_for(load: &Workload) -> String {
    let other = load.other;
    let kinds =
        [(other.trim_percent, "trims"), (other.write_zeroes_percent, "zeroing"), (other.flush_percent, "flushes")];
    let words: Vec<&str> = kinds.iter().filter(|(share, _)| !share.is_zero()).map(|(_, word)| *word).collect();
    format!("{}, for which fio has no job", words.join(" and "))
}
