//! What all threads of a step on files look at: its work, how far it is, and whether it ends.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::files::FileLoad;
use drivelab_core::record::StopReason;

use super::set::Files;
use crate::thread::faults::ErrorPolicy;

/// What all threads of a step look at.
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
    /// End of the cap on the run clock.
    pub(super) until_ns: u64,
    pub(super) next: AtomicU32,
    /// Bytes moved so far, of files that fail or are cut off by the step's end too.
    pub(super) moved: AtomicU64,
    /// When each thread began its present file; 0 between two.
    pub(super) since: Vec<AtomicU64>,
    pub(super) halted: AtomicBool,
    pub(super) why: AtomicU8,
}

impl Common<'_> {
    /// Ends the step; the first reason stays.
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

    /// Whether a thread must not go on; notes why.
    pub(super) fn must_end(&self, now_ns: u64) -> bool {
        if self.stop.is_stopped() {
            self.halt(StopReason::Stopped);
        } else if now_ns >= self.until_ns {
            self.halt(StopReason::Cap);
        }
        self.halted.load(Ordering::Relaxed)
    }
}
