//! What a machine lacks: a reason to skip, and no failure, except in CI where it could be had.

use std::fmt;

use anyhow::anyhow;

/// Why something cannot be tested on this machine: no failure, except in CI.
#[derive(Debug)]
pub(crate) struct Lacking {
    pub(super) what: String,
    /// It is nobody's duty to have it, so that it is no failure in CI either.
    pub(super) optional: bool,
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Lacking {}

/// An error that says what the machine lacks, and could have.
pub(crate) fn lacking(what: impl Into<String>) -> anyhow::Error {
    anyhow!(Lacking { what: what.into(), optional: false })
}

/// An error that says what cannot be had here; never a failure.
pub(crate) fn unavailable(what: impl Into<String>) -> anyhow::Error {
    anyhow!(Lacking { what: what.into(), optional: true })
}
