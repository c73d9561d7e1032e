//! What may be written to: the handle that only the write guard makes, and what direct I/O needs on it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// What the kernel says about O_DIRECT on a file (statx(2), STATX_DIOALIGN).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectIo {
    /// Whether direct I/O really bypasses the page cache here.
    pub supported: bool,
    /// Alignment of buffers.
    pub memory_align: Bytes,
    /// Alignment of offsets and lengths.
    pub offset_align: Bytes,
    /// How this is known, or why there is none.
    pub reason: String,
}

/// Why the guard let a target be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardDecision {
    /// The rule that allowed it, one sentence.
    pub allowed_because: String,
    /// What the user named with `--destroy`, where that was needed.
    pub destroy_named: Option<PathBuf>,
}

/// What the guard hands over to make a [`WritableTarget`].
#[derive(Debug)]
pub struct GuardedParts {
    /// The file, for messages.
    pub path: PathBuf,
    /// Open for reading and writing with O_DIRECT; `None` where there is no direct I/O.
    pub direct: Option<OwnedFd>,
    /// Open for reading and writing through the page cache.
    pub buffered: OwnedFd,
    /// Bytes that may be written, from offset 0.
    pub length: Bytes,
    /// What direct I/O needs.
    pub direct_io: DirectIo,
    /// The decision.
    pub decision: GuardDecision,
}

/// A target that may be written. Made only by `device::guard` (the tidy test holds it); the engine accepts nothing
/// else.
#[derive(Debug)]
pub struct WritableTarget(GuardedParts);

impl WritableTarget {
    /// For `device::guard` alone.
    #[must_use]
    pub const fn from_guard(parts: GuardedParts) -> Self {
        WritableTarget(parts)
    }

    /// The file, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The handle for direct or for buffered I/O; `None` where direct I/O is asked for and not there.
    #[must_use]
    pub fn handle(&self, direct: bool) -> Option<BorrowedFd<'_>> {
        if direct { self.0.direct.as_ref().map(AsFd::as_fd) } else { Some(self.0.buffered.as_fd()) }
    }

    /// Bytes that may be written, from offset 0.
    #[must_use]
    pub const fn length(&self) -> Bytes {
        self.0.length
    }

    /// What direct I/O needs.
    #[must_use]
    pub const fn direct_io(&self) -> &DirectIo {
        &self.0.direct_io
    }

    /// Why it may be written.
    #[must_use]
    pub const fn decision(&self) -> &GuardDecision {
        &self.0.decision
    }
}
