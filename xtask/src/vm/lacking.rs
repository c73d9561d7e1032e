//! What a machine lacks: a reason to skip, and not a failure, except in CI if it could be available.

use std::fmt;

use anyhow::anyhow;

/// Why something cannot be tested on this machine: not a failure, except in CI.
#[derive(Debug)]
pub(crate) struct Lacking {
    pub(super) what: String,
    /// Nobody has to provide it, so it is not a failure in CI either.
    pub(super) optional: bool,
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Lacking {}

/// An error that names what the machine lacks, but could have.
pub(crate) fn lacking(what: impl Into<String>) -> anyhow::Error {
    anyhow!(Lacking { what: what.into(), optional: false })
}

/// An error that names what is impossible here; never a failure.
pub(crate) fn unavailable(what: impl Into<String>) -> anyhow::Error {
    anyhow!(Lacking { what: what.into(), optional: true })
}
