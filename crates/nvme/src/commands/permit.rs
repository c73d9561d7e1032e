//! The permit without which no command that destroys data can be built.
//!
//! Formatting and sanitising go past the block layer, so the guard's writable handle cannot hold them back. They ask
//! for this permit instead, and only `device::guard` makes one (tidy's rule *guard*).

/// Says that the write guard let the destruction of this drive's data through.
#[derive(Debug)]
pub struct DestroyPermit(());

impl DestroyPermit {
    /// Only `device::guard` calls this, after it has checked the drive and the user's confirmation.
    #[must_use]
    pub fn from_guard() -> Self {
        DestroyPermit(())
    }
}
