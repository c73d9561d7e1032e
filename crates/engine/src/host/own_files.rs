//! A separate table of open files for a thread that issues system calls on one file.
//!
//! If threads share a table, the kernel counts a reference to the file up and down in every call, atomically
//! (`__fdget`, fs/file.c). With a table of its own a thread avoids this, which saves a tenth of a call that does
//! nothing else. Unsafe because a handle that is closed by another thread stays open in this thread's table until
//! this thread ends.
#![expect(unsafe_code, reason = "unshare(2) with CLONE_FILES is declared unsafe")]

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Copies the table for the calling thread. If a sandbox forbids it, everything works as before.
pub(crate) fn take() {
    // SAFETY: the thread continues to use the handles that it has: they are the same files under the same numbers in
    // the copy. It hands no handle that it opens to another thread, and it ends with the step, which closes its
    // table.
    let _ = unsafe { unshare_unsafe(UnshareFlags::FILES) };
}
