//! The permit that every command that destroys data requires.
//!
//! Formatting and sanitizing bypass the block layer, so the guard's writable handle cannot stop them. They need this
//! permit instead, and only `device::guard` makes one (tidy's rule *guard*).

/// Proves that the write guard permitted the destruction of this drive's data.
#[derive(Debug)]
pub struct DestroyPermit(());

impl DestroyPermit {
    /// Only `device::guard` calls this, after it has checked the drive and the user's confirmation.
    #[must_use]
    pub fn from_guard() -> Self {
        DestroyPermit(())
    }
}
