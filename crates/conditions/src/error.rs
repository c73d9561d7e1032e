//! Why a condition cannot be set up or undone, each in one sentence chain: what, where, why likely, what to do.
//!
//! Must not know exit codes; [`ConditionsError::kind`] says which sort of trouble it is.

use std::io;
use std::path::{Path, PathBuf};

use drivelab_core::ids::RunId;
use drivelab_device::DeviceError;
use drivelab_device::guard::GuardError;

/// What sort of trouble an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What was asked for makes no sense together.
    Usage,
    /// The write guard or the device room said no.
    Device(drivelab_device::ErrorKind),
    /// The target cannot do it.
    Target,
    /// The host lacks a program or an ability of the kernel.
    Host,
    /// Told to stop.
    Stopped,
    /// Anything else.
    Other,
}

/// Why a ledger cannot be used, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct LedgerTrouble {
    /// The file.
    pub path: PathBuf,
    /// The run that it is of, by its name.
    pub run: Option<RunId>,
    /// What is wrong with it, and what to do.
    pub why: String,
    /// What the reader said, where it is no JSON of a ledger.
    pub source: Option<serde_json::Error>,
}

/// Why a condition cannot be set up or undone.
#[derive(Debug, thiserror::Error)]
pub enum ConditionsError {
    /// Wishes that contradict each other.
    #[error("{0}")]
    Wish(String),
    /// The target cannot do what the condition needs.
    #[error("{0}")]
    Target(String),
    /// The host cannot.
    #[error("{0}")]
    Host(String),
    /// A program is not there.
    #[error("{program} is not on this machine, and {needed_for} needs it; on Debian it is in the package {package}")]
    NoProgram {
        /// Its name.
        program: &'static str,
        /// What for.
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
    /// Told to stop while it was being set up.
    #[error("stopped by the user while it was being set up; what had been set up was undone, and nothing was measured")]
    Stopped,
    /// The system said no.
    #[error("{what} {path}: {source}")]
    System {
        /// What was tried, `cannot mount`.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The write guard refused.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// The controller refused, or could not be asked.
    #[error("{source}; {known}")]
    Controller {
        /// What it said, or why it could not be asked.
        source: drivelab_nvme::NvmeError,
        /// What is known of its state now.
        known: &'static str,
    },
    /// What failed on the way, and what failed when what had been done by then was undone.
    #[error("{source}. What had been set up could not be undone either: {left}; `drivelab resume --last` tries again")]
    NotUndone {
        /// What failed first.
        source: Box<ConditionsError>,
        /// What is still there, and why.
        left: Box<ConditionsError>,
    },
    /// What could not be undone: the first that failed, then everything else.
    #[error("{source}{rest}")]
    StillThere {
        /// Why the first one stays.
        source: Box<ConditionsError>,
        /// The others, and what to do.
        rest: String,
    },
    /// A ledger that cannot be used.
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
    /// The sort of trouble.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            ConditionsError::Wish(_) => Kind::Usage,
            ConditionsError::Target(_)
            | ConditionsError::NotEncrypted(_)
            | ConditionsError::Controller { .. }
            | ConditionsError::Wipe(_) => Kind::Target,
            // A stop that leaves something behind is no clean stop.
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

    /// For `map_err`: what is known of a controller after a command that failed.
    pub(crate) fn controller(known: &'static str) -> impl FnOnce(drivelab_nvme::NvmeError) -> ConditionsError {
        move |source| ConditionsError::Controller { source, known }
    }

    /// For `map_err`: what was tried and where.
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
        assert_eq!(error.kind(), Kind::Host, "the sort of what failed first");
        assert!(error.source().is_some_and(|first| first.to_string() == "no such thing"), "{error:?}");
        for part in ["no such thing. What", "cannot unmount /x", "resume --last"] {
            assert!(error.to_string().contains(part), "{error}");
        }
        assert_eq!(failed(ConditionsError::Stopped).kind(), Kind::Other, "what is left behind is no clean stop");
    }
}
