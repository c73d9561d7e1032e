//! Operations that failed: the first ones are kept; and the rule for when a step must end because of errors.

use std::collections::BTreeSet;
use std::io;

use drivelab_core::backend::BackendError;
use drivelab_core::plan::OnError;
use drivelab_core::record::IoError;
use drivelab_core::units::Nanos;

/// Errors kept per step; further ones are only counted, except the first of each error number.
pub(crate) const KEPT: usize = 64;
/// Error numbers that are counted separately; a device returns a handful.
const NUMBERS: usize = 32;

/// When errors end a step: when either limit is reached, or, if so configured, at an error that no retry can cure (no
/// space, read-only, device gone, bad request).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ErrorPolicy {
    /// This many operations of one thread in a row failed.
    pub(crate) consecutive: u32,
    /// Every operation of one thread failed for this long.
    pub(crate) failing_for: Nanos,
    /// An error that no retry can cure ends the step regardless of the limits above.
    pub(crate) hopeless_ends: bool,
}

impl ErrorPolicy {
    /// The limits that a stop rule asks for.
    pub(crate) fn of(on_error: OnError) -> Self {
        let forever = Nanos::new(u64::MAX);
        match on_error {
            OnError::Tolerate => ErrorPolicy::default(),
            OnError::Stop => ErrorPolicy { consecutive: 1, failing_for: forever, hopeless_ends: true },
            OnError::Keep => ErrorPolicy { consecutive: u32::MAX, failing_for: forever, hopeless_ends: false },
        }
    }
}

impl Default for ErrorPolicy {
    /// 1,000 in a row, or nothing but errors for one second: a bad block or a short series of errors is survived and
    /// counted, a dead drive is noticed immediately.
    fn default() -> Self {
        ErrorPolicy { consecutive: 1000, failing_for: Nanos::from_secs(1), hopeless_ends: true }
    }
}

/// The errors of one thread. Its memory is allocated before the start.
#[derive(Debug)]
pub(crate) struct Faults {
    kept: Vec<IoError>,
    /// How often each error number occurred.
    by_number: Vec<(i32, u64)>,
    policy: ErrorPolicy,
    streak: u32,
    streak_since: u64,
}

impl Faults {
    pub(crate) fn new(policy: ErrorPolicy) -> Self {
        let (kept, by_number) = (Vec::with_capacity(KEPT + NUMBERS), Vec::with_capacity(NUMBERS));
        Faults { kept, by_number, policy, streak: 0, streak_since: 0 }
    }

    /// An operation succeeded.
    #[inline]
    pub(crate) const fn succeeded(&mut self) {
        self.streak = 0;
    }

    /// An operation failed; returns `true` if the step must end.
    pub(crate) fn failed(&mut self, error: IoError) -> bool {
        if self.streak == 0 {
            self.streak_since = error.at_ns;
        }
        self.streak = self.streak.saturating_add(1);
        let too_many = self.streak >= self.policy.consecutive;
        let too_long =
            self.streak > 1 && error.at_ns.saturating_sub(self.streak_since) >= self.policy.failing_for.get();
        let hopeless = self.policy.hopeless_ends && is_hopeless(error.errno);
        let is_first = self.count(error.errno);
        if self.kept.len() < KEPT || is_first {
            self.kept.push(error);
        }
        too_many || too_long || hopeless
    }

    /// Counts an error number; returns whether it is the first of a number that is counted separately.
    fn count(&mut self, errno: i32) -> bool {
        if let Some((_, count)) = self.by_number.iter_mut().find(|(number, _)| *number == errno) {
            *count += 1;
            return false;
        }
        let has_room = self.by_number.len() < NUMBERS;
        if has_room {
            self.by_number.push((errno, 1));
        }
        has_room
    }

    /// The errors kept, times in CLOCK_MONOTONIC_RAW, and how often each error number occurred.
    pub(crate) fn into_kept(self) -> (Vec<IoError>, Vec<(i32, u64)>) {
        (self.kept, self.by_number)
    }
}

/// The errors to record, by time: the first ones of all threads, and the first of each error number however late. The
/// error that ended a step, and so determines the exit code, may come after many others.
pub(crate) fn first_of_all(threads: impl Iterator<Item = Vec<IoError>>) -> Vec<IoError> {
    let mut errors: Vec<IoError> = threads.flatten().collect();
    errors.sort_by_key(|error| error.at_ns);
    let (mut place, mut seen) = (0, BTreeSet::new());
    errors.retain(|error| {
        place += 1;
        seen.insert(error.errno) || place <= KEPT
    });
    errors
}

/// Errors that the next operation would meet as well.
const fn is_hopeless(errno: i32) -> bool {
    matches!(
        errno,
        libc::ENOSPC
            | libc::EDQUOT
            | libc::EFBIG
            | libc::EROFS
            | libc::ENODEV
            | libc::ENXIO
            | libc::EBADF
            | libc::EINVAL
            | libc::EOPNOTSUPP
            | libc::EPERM
            | libc::EFAULT
            | libc::ESTALE
            | libc::ENOTCONN
            | libc::ESHUTDOWN
    )
}

/// What a thread tried besides operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    Thread,
    Buffers,
    /// Making a ring: nothing was issued yet, so the sync backend can take over.
    Ring,
    Enter,
}

impl Attempt {
    /// For messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Attempt::Thread => "making a thread for I/O",
            Attempt::Buffers => "memory for buffers",
            Attempt::Ring => "io_uring_setup",
            Attempt::Enter => "io_uring_enter",
        }
    }
}

/// A failure of something other than an operation, after which a thread cannot continue.
#[derive(Debug)]
pub(crate) struct Broken {
    /// What was tried.
    pub(crate) what: Attempt,
    /// The kernel's error.
    pub(crate) source: io::Error,
}

impl From<Broken> for BackendError {
    fn from(Broken { what, source }: Broken) -> Self {
        BackendError::System { what: what.name().to_owned(), source }
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::load::OpKind;
    use drivelab_core::units::Bytes;

    use super::*;

    fn error(at_ns: u64, errno: i32) -> IoError {
        IoError { at_ns, op: OpKind::Read, offset: 0, length: Bytes::new(4096), errno }
    }

    #[test]
    fn scattered_errors_are_survived_and_the_first_64_kept() {
        let mut faults = Faults::new(ErrorPolicy::default());
        for at in 0..5000 {
            assert!(!faults.failed(error(at, libc::EIO)));
            if at % 999 == 998 {
                faults.succeeded();
            }
        }
        assert!(!faults.failed(error(5001, libc::ENODATA)));
        let (kept, by_number) = faults.into_kept();
        assert_eq!((kept.len(), kept[63].at_ns), (KEPT + 1, 63));
        assert_eq!((kept[64].errno, by_number), (libc::ENODATA, vec![(libc::EIO, 5000), (libc::ENODATA, 1)]));
    }

    #[test]
    fn a_dead_drive_ends_the_step_by_number_or_by_time() {
        let mut faults = Faults::new(ErrorPolicy::default());
        let ended = (0..2000).position(|at| faults.failed(error(at, libc::EIO)));
        assert_eq!(ended, Some(999));
        let mut faults = Faults::new(ErrorPolicy::default());
        assert!(!faults.failed(error(5, libc::EIO)));
        assert!(faults.failed(error(1_000_000_005, libc::EIO)));
    }

    #[test]
    fn a_full_drive_ends_the_step_at_once() {
        assert!(Faults::new(ErrorPolicy::default()).failed(error(0, libc::ENOSPC)));
    }
}
