//! What all threads of a step on files share: its work, its progress, and whether it ends.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::files::FileLoad;
use drivelab_core::record::StopReason;

use super::set::Files;
use crate::thread::faults::ErrorPolicy;

/// What all threads of a step share.
pub(super) struct Common<'a> {
    pub(super) load: &'a FileLoad,
    pub(super) sizes: &'a [u64],
    /// First byte of each file, counted over the set.
    pub(super) starts: &'a [u64],
    pub(super) from: Option<&'a Files>,
    pub(super) to: Option<&'a Files>,
    pub(super) direct: bool,
    pub(super) policy: ErrorPolicy,
    pub(super) clock: &'a dyn RunClock,
    pub(super) stop: &'a StopToken,
    /// End of the time limit on the run clock.
    pub(super) until_ns: u64,
    pub(super) next: AtomicU32,
    /// Bytes moved so far, including those of files that fail or are cut off by the step's end.
    pub(super) moved: AtomicU64,
    /// When each thread began its current file; 0 between two files.
    pub(super) since: Vec<AtomicU64>,
    pub(super) halted: AtomicBool,
    pub(super) why: AtomicU8,
}

impl Common<'_> {
    /// Ends the step; the first reason is kept.
    pub(super) fn halt(&self, reason: StopReason) {
        let code = match reason {
            StopReason::Errors => 1,
            StopReason::Stopped => 2,
            _ => 3,
        };
        let _ = self.why.compare_exchange(0, code, Ordering::SeqCst, Ordering::SeqCst);
        self.halted.store(true, Ordering::SeqCst);
    }

    pub(super) fn reason(&self) -> StopReason {
        match self.why.load(Ordering::SeqCst) {
            0 => StopReason::Passes,
            1 => StopReason::Errors,
            2 => StopReason::Stopped,
            _ => StopReason::Cap,
        }
    }

    /// Whether a thread must stop; records why.
    pub(super) fn must_end(&self, now_ns: u64) -> bool {
        if self.stop.is_stopped() {
            self.halt(StopReason::Stopped);
        } else if now_ns >= self.until_ns {
            self.halt(StopReason::Cap);
        }
        self.halted.load(Ordering::Relaxed)
    }
}
