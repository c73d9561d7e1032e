//! Limits of the methodology language that apply to files of other tools.
//!
//! Must not know: any tool.

/// Most operations in flight per thread.
pub(crate) const DEEPEST: u64 = 65_535;
/// The note on an option that asks for more.
pub(crate) const TOO_DEEP: &str = "drivelab has at most 65,535 operations in flight per thread";
