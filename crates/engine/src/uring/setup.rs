//! How a ring is set up: flags from the best set to the plainest, and the explicit modes.
//!
//! io_uring_setup(2) says what each flag needs and does.

use std::io;

use io_uring::{Builder, IoUring};

use crate::host::errno;

/// How the ring is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Mode {
    /// Submissions and completions through system calls of the issuing thread.
    #[default]
    Plain,
    /// A kernel thread submits (`IORING_SETUP_SQPOLL`).
    SubmissionPolled,
    /// Completions are polled for, without interrupts (`IORING_SETUP_IOPOLL`).
    CompletionPolled,
}

/// Milliseconds without work after which the kernel's submitting thread sleeps.
const SQ_THREAD_IDLE_MS: u32 = 100;

/// Name of a set-up flag, and how it is set.
type Flag = (&'static str, fn(&mut Builder));

/// Set-up flags; those dropped first come last.
const FLAGS: [Flag; 5] = [
    ("IORING_SETUP_SUBMIT_ALL", |builder| {
        builder.setup_submit_all();
    }),
    ("IORING_SETUP_COOP_TASKRUN", |builder| {
        builder.setup_coop_taskrun();
    }),
    ("IORING_SETUP_SINGLE_ISSUER", |builder| {
        builder.setup_single_issuer();
    }),
    ("IORING_SETUP_DEFER_TASKRUN", |builder| {
        builder.setup_defer_taskrun();
    }),
    ("IORING_SETUP_NO_SQARRAY", |builder| {
        builder.setup_no_sqarray();
    }),
];

/// Makes the ring, dropping one flag after another while the kernel answers EINVAL. The flag that an explicit mode
/// needs is never dropped.
pub(crate) fn build(depth: u32, mode: Mode, refused: &mut Vec<String>) -> io::Result<IoUring> {
    // A submitting kernel thread runs no deferred work of this program.
    let flags = if mode == Mode::SubmissionPolled { &FLAGS[..1] } else { &FLAGS[..] };
    // It may publish completions before it gives back the places of their submissions: with room for both, a slot
    // that is used again never finds the ring full.
    let entries = if mode == Mode::SubmissionPolled { depth.saturating_mul(2) } else { depth };
    for keep in (0..=flags.len()).rev() {
        let mut builder = IoUring::builder();
        builder.dontfork().setup_cqsize(depth.next_power_of_two().saturating_mul(2));
        match mode {
            Mode::Plain => {}
            Mode::SubmissionPolled => {
                builder.setup_sqpoll(SQ_THREAD_IDLE_MS);
            }
            Mode::CompletionPolled => {
                builder.setup_iopoll();
            }
        }
        flags.iter().take(keep).for_each(|(_, set)| set(&mut builder));
        match builder.build(entries) {
            Ok(io) => return Ok(io),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) && keep > 0 => {
                refused.push(format!("{} (EINVAL)", flags[keep - 1].0));
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from_raw_os_error(libc::EINVAL))
}

/// Whether the call succeeded; if not, adds it to `refused`.
pub(crate) fn note(result: io::Result<()>, what: &str, refused: &mut Vec<String>) -> bool {
    match result {
        Ok(()) => true,
        Err(error) => {
            refused.push(format!("{what} ({})", errno::describe(&error)));
            false
        }
    }
}
