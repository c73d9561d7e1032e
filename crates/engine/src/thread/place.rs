//! How far the OS threads of one logical thread are in what they share: stream, share, schedule, writes.

use std::sync::atomic::AtomicU64;

use crate::generate::arrivals::Schedule;

/// What the OS threads of one logical thread share; each number has its own cache lines.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// Position of the stream.
    pub(crate) cursor: Padded,
    /// Units counted against the thread's share.
    pub(crate) issued: Padded,
    /// Position of the schedule.
    pub(crate) arrival: Padded,
    /// Writes since the last flush.
    pub(crate) writes: Padded,
}

impl Place {
    /// At the beginning of stream and schedule.
    pub(crate) fn beginning(schedule: Option<&Schedule>) -> Self {
        let first = schedule.map_or(0, Schedule::first);
        Place { arrival: Padded(AtomicU64::new(first)), ..Place::default() }
    }
}

/// A number with its own cache lines: two, because processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Padded(pub(crate) AtomicU64);
