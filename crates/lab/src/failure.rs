//! The one error type of the lab and of the command line: a message for a person and an exit code for a script. The
//! tables that map the error kinds of the other crates to exit codes are in this file only; docs/exit-codes.md says
//! what the codes mean.

use drivelab_core::exit::ExitCode;

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The exit code of the process.
    pub code: ExitCode,
    /// What failed, where, the likely cause, and what to do.
    pub message: String,
    /// The user's word that the message is about, so that a caller can point at its place in a file.
    pub about: Option<String>,
}

/// What a command returns: the exit code of a command that did its work is not always 0 (an interrupted run is 7).
pub type Result<T = ExitCode> = std::result::Result<T, Failure>;

impl Failure {
    /// A failure with this code and message.
    pub fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Failure { code, message: message.into(), about: None }
    }

    /// The same about a word of the user.
    #[must_use]
    pub fn about(self, word: &str) -> Self {
        Failure { about: Some(word.to_owned()), ..self }
    }

    /// The command line or a user's file is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::new(ExitCode::Usage, message)
    }

    /// Nothing matches the given name.
    pub fn nothing(message: impl Into<String>) -> Self {
        Failure::new(ExitCode::NothingSelected, message)
    }

    /// The target, or the named file, cannot be used for this purpose.
    pub fn unusable(message: impl Into<String>) -> Self {
        Failure::new(ExitCode::TargetUnusable, message)
    }

    /// A bug, or a fault of the host.
    pub fn unexpected(message: impl Into<String>) -> Self {
        Failure::new(ExitCode::Unexpected, message)
    }
}

/// Exit code of an error of the store.
#[must_use]
pub const fn store_code(kind: drivelab_store::StoreErrorKind) -> ExitCode {
    use drivelab_store::StoreErrorKind as Kind;
    match kind {
        Kind::NotFound | Kind::Ambiguous => ExitCode::NothingSelected,
        Kind::Sealed => ExitCode::Usage,
        Kind::Live | Kind::Full | Kind::ReadOnly => ExitCode::TargetUnusable,
        Kind::Damaged | Kind::Newer | Kind::Other => ExitCode::Unexpected,
    }
}

/// Exit code for an input file (a trace, a job file, a methodology, drive facts, data to write) that does not exist
/// or cannot be used.
#[must_use]
pub fn input_code(error: &std::io::Error) -> ExitCode {
    use std::io::ErrorKind as Kind;
    match error.kind() {
        Kind::NotFound => ExitCode::NothingSelected,
        Kind::InvalidInput | Kind::InvalidData | Kind::NotADirectory => ExitCode::Usage,
        _ => ExitCode::TargetUnusable,
    }
}

impl From<drivelab_store::StoreError> for Failure {
    fn from(error: drivelab_store::StoreError) -> Self {
        Failure::new(store_code(error.kind()), error.to_string())
    }
}

impl From<drivelab_report::ReportError> for Failure {
    fn from(error: drivelab_report::ReportError) -> Self {
        match error {
            drivelab_report::ReportError::NotCrystalDiskMark(_) => Failure::usage(error.to_string()),
            _ => Failure::unexpected(error.to_string()),
        }
    }
}

/// Exit code of a refusal by the device crate.
#[must_use]
pub const fn device_code(kind: drivelab_device::ErrorKind) -> ExitCode {
    use drivelab_device::ErrorKind as Kind;
    match kind {
        Kind::Refused | Kind::BlockDevice => ExitCode::GuardRefused,
        Kind::Missing
        | Kind::Busy
        | Kind::NotPermitted
        | Kind::ReadOnly
        | Kind::NoSpace
        | Kind::NoDirectIo
        | Kind::Unfit => ExitCode::TargetUnusable,
        Kind::Other => ExitCode::Unexpected,
    }
}

/// Exit code of an error while conditions are set up or undone.
#[must_use]
pub const fn conditions_code(kind: drivelab_conditions::Kind) -> ExitCode {
    use drivelab_conditions::Kind;
    match kind {
        Kind::Usage => ExitCode::Usage,
        Kind::Device(kind) => device_code(kind),
        Kind::Target => ExitCode::TargetUnusable,
        Kind::Host => ExitCode::HostNotFit,
        Kind::Stopped => ExitCode::Interrupted,
        Kind::Other => ExitCode::Unexpected,
    }
}

impl From<drivelab_conditions::ConditionsError> for Failure {
    fn from(error: drivelab_conditions::ConditionsError) -> Self {
        Failure::new(conditions_code(error.kind()), error.to_string())
    }
}

/// Exit code of a failed wipe, by the block layer or by a command of the drive: not supported, or failed.
#[must_use]
pub const fn wipe_code(is_unsupported: bool) -> ExitCode {
    if is_unsupported { ExitCode::TargetUnusable } else { ExitCode::DeviceErrors }
}

/// Exit code of the check after a wipe; `None` means that the wipe was stopped before the check.
#[must_use]
pub const fn wiped_code(wrong: Option<u64>) -> ExitCode {
    match wrong {
        None => ExitCode::Interrupted,
        Some(0) => ExitCode::Ok,
        Some(_) => ExitCode::DeviceErrors,
    }
}

/// Exit code of a failed run: the host could not do it, the device had errors, or the target cannot be used (a full
/// file system is not an error of the device).
#[must_use]
pub const fn failed_run_code(host_unfit: bool, device_errors: bool, full: bool) -> ExitCode {
    match (host_unfit, device_errors, full) {
        (true, _, _) => ExitCode::HostNotFit,
        (false, true, false) => ExitCode::DeviceErrors,
        _ => ExitCode::TargetUnusable,
    }
}

impl From<drivelab_device::DeviceError> for Failure {
    fn from(error: drivelab_device::DeviceError) -> Self {
        Failure::new(device_code(error.kind()), error.to_string())
    }
}

impl From<drivelab_device::guard::GuardError> for Failure {
    fn from(error: drivelab_device::guard::GuardError) -> Self {
        Failure::new(device_code(error.kind()), error.to_string())
    }
}
