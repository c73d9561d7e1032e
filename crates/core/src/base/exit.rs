//! Exit codes of the `drivelab` program, documented in docs/exit-codes.md and tested one by one.

/// Meaning of the program's exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Everything that was asked for was done.
    Ok = 0,
    /// Something unexpected: a bug, or a machine in trouble. Also damaged stored results.
    Unexpected = 1,
    /// The command line or a methodology file is wrong.
    Usage = 2,
    /// The run finished, but an acceptance limit was missed.
    AcceptanceFailed = 3,
    /// Nothing matched: no such run, method or metric.
    NothingSelected = 4,
    /// The write guard refused the target.
    GuardRefused = 5,
    /// The target is missing, busy, not permitted, read-only, full, or cannot do what the methodology needs.
    TargetUnusable = 6,
    /// Interrupted; `drivelab resume` continues.
    Interrupted = 7,
    /// The run ended early or lost figures because the device reported errors.
    DeviceErrors = 8,
    /// The host does not meet a requirement.
    HostNotFit = 9,
}
