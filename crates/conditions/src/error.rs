//! Why a condition cannot be set up or undone. Each text states in this order: what failed, where, the likely cause,
//! what to do.
//!
//! Must not know exit codes; [`ConditionsError::kind`] gives the kind of the error.

use std::io;
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;
use drivelab_device::DeviceError;
use drivelab_device::guard::GuardError;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The requested options contradict each other.
    Usage,
    /// The write guard or the device crate refused.
    Device(drivelab_device::ErrorKind),
    /// The target cannot do it.
    Target,
    /// The host lacks a program or a kernel feature.
    Host,
    /// The user stopped it.
    Stopped,
    /// Anything else.
    Other,
}

/// Why an undo log cannot be used, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct LedgerTrouble {
    /// Its file.
    pub path: PathBuf,
    /// The run in its file name.
    pub run: Option<RunId>,
    /// What is wrong with it, and what to do.
    pub why: String,
    /// The parser's error, if it is not the JSON of an undo log.
    pub source: Option<serde_json::Error>,
}

/// Why a condition cannot be set up or undone.
#[derive(Debug, thiserror::Error)]
pub enum ConditionsError {
    /// Requested options that contradict each other.
    #[error("{0}")]
    Wish(String),
    /// The target cannot do what the condition needs.
    #[error("{0}")]
    Target(String),
    /// The host does not support it.
    #[error("{0}")]
    Host(String),
    /// A program is missing.
    #[error("{program} is not on this machine, and {needed_for} needs it; on Debian it is in the package {package}")]
    NoProgram {
        /// Its name.
        program: &'static str,
        /// What needs it.
        needed_for: &'static str,
        /// Debian's package.
        package: &'static str,
    },
    /// A program failed.
    #[error("{command} failed: {said}")]
    Program {
        /// Name and arguments.
        command: String,
        /// What it wrote to stderr, or how it ended.
        said: String,
    },
    /// The encryption does not encrypt.
    #[error("{0}")]
    NotEncrypted(String),
    /// The user stopped it while it was being set up.
    #[error("stopped by the user while it was being set up; what had been set up was undone, and nothing was measured")]
    Stopped,
    /// A system call failed.
    #[error("{what} {path}: {source}")]
    System {
        /// What was tried, such as `cannot mount`.
        what: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The write guard refused.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// The controller refused, or could not be asked.
    #[error("{source}; {known}")]
    Controller {
        /// Its error, or why it could not be asked.
        source: drivelab_nvme::NvmeError,
        /// The known state of the controller.
        known: &'static str,
    },
    /// The error while setting up, and the error while undoing what had been set up by then.
    #[error("{source}. What had been set up could not be undone either: {left}; `drivelab resume --last` tries again")]
    NotUndone {
        /// The first error.
        source: Box<ConditionsError>,
        /// What still exists, and why.
        left: Box<ConditionsError>,
    },
    /// What could not be undone: the first error, then the others.
    #[error("{source}{rest}")]
    StillThere {
        /// Why the first item remains.
        source: Box<ConditionsError>,
        /// The others, and what to do.
        rest: String,
    },
    /// An undo log that cannot be used.
    #[error("{path}: {why}", path = .0.path.display(), why = .0.why)]
    Ledger(#[from] LedgerTrouble),
    /// The data state could not be set up.
    #[error(transparent)]
    Wipe(#[from] drivelab_device::wipe::WipeError),
    /// Facts could not be read.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl ConditionsError {
    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            ConditionsError::Wish(_) => Kind::Usage,
            ConditionsError::Target(_)
            | ConditionsError::NotEncrypted(_)
            | ConditionsError::Controller { .. }
            | ConditionsError::Wipe(_) => Kind::Target,
            // A stop that leaves something behind is not a clean stop.
            ConditionsError::NotUndone { source, left } => match source.kind() {
                Kind::Stopped => left.kind(),
                kind => kind,
            },
            ConditionsError::StillThere { source, .. } => source.kind(),
            ConditionsError::Host(_) | ConditionsError::NoProgram { .. } => Kind::Host,
            ConditionsError::Stopped => Kind::Stopped,
            ConditionsError::Guard(error) => Kind::Device(error.kind()),
            ConditionsError::Device(error) => Kind::Device(error.kind()),
            ConditionsError::Program { .. } | ConditionsError::System { .. } | ConditionsError::Ledger(_) => {
                Kind::Other
            }
        }
    }

    /// For `map_err`: the known state of a controller after a failed command.
    pub(crate) fn controller(known: &'static str) -> impl FnOnce(drivelab_nvme::NvmeError) -> ConditionsError {
        move |source| ConditionsError::Controller { source, known }
    }

    /// For `map_err`: what was tried, and the path.
    pub(crate) fn system<E: Into<io::Error>>(what: &'static str, path: &Path) -> impl FnOnce(E) -> ConditionsError {
        let path = path.to_owned();
        move |source| ConditionsError::System { what, path, source: source.into() }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[test]
    fn what_failed_first_is_kept_beside_what_could_not_be_undone() {
        let failed = |first: ConditionsError| {
            let left = ConditionsError::system("cannot unmount", Path::new("/x"))(io::Error::from_raw_os_error(16));
            ConditionsError::NotUndone { source: Box::new(first), left: Box::new(left) }
        };
        let error = failed(ConditionsError::Host("no such thing".to_owned()));
        assert_eq!(error.kind(), Kind::Host, "the kind of the first error");
        assert!(error.source().is_some_and(|first| first.to_string() == "no such thing"), "{error:?}");
        for part in ["no such thing. What", "cannot unmount /x", "resume --last"] {
            assert!(error.to_string().contains(part), "{error}");
        }
        assert_eq!(
            failed(ConditionsError::Stopped).kind(),
            Kind::Other,
            "leaving something behind is not a clean stop"
        );
    }
}
