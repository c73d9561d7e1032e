//! A job as a load.

use super::sizes::Sizes;
use crate::draft::Table;

/// A job as a load, or its reads or its writes as one of two loads.
#[derive(Debug, Clone, Default)]
pub(in crate::fio) struct Load {
    pub(in crate::fio) table: Table,
    pub(in crate::fio) threads: u64,
    pub(in crate::fio) reads: bool,
    pub(in crate::fio) writes: bool,
    /// Percent of its operations that are writes, if reads and writes are drawn.
    pub(in crate::fio) mixed: Option<u64>,
    pub(in crate::fio) random: bool,
    /// Every block of the span comes once before any comes again.
    pub(in crate::fio) once: bool,
    /// Bytes from the start of an operation to the start of the next, if there is a gap between them.
    pub(in crate::fio) stride: Option<u64>,
    /// Each block is trimmed and written, which are two operations.
    pub(in crate::fio) twice: bool,
    pub(in crate::fio) sizes: Sizes,
    pub(in crate::fio) largest: u64,
    /// Its part of the job, if it is not the whole job.
    pub(in crate::fio) part: Option<Part>,
}

/// The part of a job that one of its two loads is.
#[derive(Debug, Clone, Copy)]
pub(in crate::fio) struct Part {
    /// Suffix of the group's name, after the job's name.
    pub(in crate::fio) name: &'static str,
    /// Share of the job's operations.
    pub(in crate::fio) operations: f64,
    /// Share of its bytes.
    pub(in crate::fio) bytes: f64,
}

impl Load {
    /// Whether it has several sizes, so that passes cannot be counted.
    pub(in crate::fio) fn several_sizes(&self) -> bool {
        self.sizes.len() > 1
    }

    /// Whether its job reads and writes in order, each kind at a place of its own.
    pub(in crate::fio) fn two_streams(&self) -> bool {
        !self.random && (self.mixed.is_some() || self.part.is_some())
    }

    /// Share of the job's bytes that the kind with more of them has, from 0.5 to 1; 1 if it is unknown.
    pub(in crate::fio) fn larger_share(&self) -> f64 {
        let writes = self.mixed.map(|percent| percent as f64 / 100.0);
        let share = writes.or(self.part.map(|part| part.bytes)).unwrap_or(1.0);
        share.max(1.0 - share)
    }

    /// Whether it may draw a block again, so that only a volume ends it.
    pub(in crate::fio) fn draws_freely(&self) -> bool {
        self.random && !self.once
    }
}

/// What `rw=` states.
pub(super) struct Direction {
    pub(super) op: &'static str,
    /// Which of three fields of an option applies.
    pub(super) field: usize,
    pub(super) random: bool,
    /// The part after the colon.
    pub(super) modifier: Option<String>,
}
