//! What a thread reports for each file while it works, and for all of them when it has ended.

use std::collections::BTreeMap;

use drivelab_core::record::{IoError, Verification};

use crate::host::rusage::CpuTime;

/// A file that a thread has finished.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    pub(crate) thread: usize,
    pub(crate) end_ns: u64,
    pub(crate) latency_ns: u64,
    pub(crate) ok: bool,
}

/// What a thread leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) errors: Vec<IoError>,
    pub(crate) by_number: BTreeMap<i32, u64>,
    pub(crate) cpu: CpuTime,
    pub(crate) thread_ns: u64,
    pub(crate) syscalls: u64,
    pub(crate) operations: u64,
    pub(crate) verification: Option<Verification>,
    pub(crate) refused: Vec<String>,
}
