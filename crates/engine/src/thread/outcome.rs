//! What an issuing thread leaves behind when its step is over.

use drivelab_core::histogram::Histogram;
use drivelab_core::record::{IoError, StopReason};

use crate::host::rusage::CpuTime;
use crate::replay::take::Counts;
use crate::verify::findings::Findings;

/// What a thread leaves behind, times in CLOCK_MONOTONIC_RAW.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) thread: usize,
    pub(crate) reason: StopReason,
    pub(crate) first_submission: Option<u64>,
    pub(crate) errors: Vec<IoError>,
    /// How often each error number occurred.
    pub(crate) errors_by_number: Vec<(i32, u64)>,
    pub(crate) touched: Touched,
    pub(crate) cpu: CpuTime,
    pub(crate) thread_ns: u64,
    /// Time in which the thread was ready to run but had no CPU.
    pub(crate) waited_for_cpu_ns: u64,
    pub(crate) work: Work,
    pub(crate) refused: Vec<String>,
    pub(crate) punted: bool,
    pub(crate) pinned: bool,
    /// Next position of the stream.
    pub(crate) cursor: u64,
    /// Arrivals of the measured part that were submitted.
    pub(crate) arrived: u64,
    /// What checks of headers found.
    pub(crate) findings: Option<Findings>,
    /// What was counted of a trace.
    pub(crate) replay: Option<Counts>,
    /// How much later than their due times operations of a trace were submitted.
    pub(crate) lateness: Option<Box<Histogram>>,
}

impl Outcome {
    /// Of a thread that never started because another one could not.
    pub(crate) fn not_started(thread: usize) -> Self {
        Outcome {
            thread,
            reason: StopReason::Stopped,
            first_submission: None,
            errors: Vec::new(),
            errors_by_number: Vec::new(),
            touched: Touched::default(),
            cpu: CpuTime::default(),
            thread_ns: 0,
            waited_for_cpu_ns: 0,
            work: Work::default(),
            refused: Vec::new(),
            punted: false,
            pinned: false,
            cursor: 0,
            arrived: 0,
            findings: None,
            replay: None,
            lateness: None,
        }
    }
}

/// Lowest and highest byte that a thread touched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touched {
    pub(crate) lowest: u64,
    pub(crate) highest_end: u64,
}

impl Default for Touched {
    fn default() -> Self {
        Touched { lowest: u64::MAX, highest_end: 0 }
    }
}

/// A number of times, their sum and the longest.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Times {
    pub(crate) count: u64,
    pub(crate) sum_ns: u64,
    pub(crate) max_ns: u64,
}

impl Times {
    #[inline]
    pub(crate) fn add(&mut self, time_ns: u64) {
        self.count += 1;
        self.sum_ns = self.sum_ns.saturating_add(time_ns);
        self.max_ns = self.max_ns.max(time_ns);
    }

    pub(crate) fn merge(&mut self, other: &Times) {
        self.count += other.count;
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    pub(crate) fn mean_ns(&self) -> Option<u64> {
        self.sum_ns.checked_div(self.count)
    }
}

/// The cost of issuing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Work {
    /// Operations submitted.
    pub(crate) operations: u64,
    pub(crate) syscalls: u64,
    /// Time between two checks for completions, outside the kernel.
    pub(crate) gaps: Times,
    /// How much later than intended operations were submitted although a slot was free.
    pub(crate) lateness: Times,
    pub(crate) short_transfers: u64,
    /// Operations submitted once more after EAGAIN.
    pub(crate) eagain_retries: u64,
}
