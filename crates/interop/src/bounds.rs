//! Bounds of the methodology language that files of other tools are held to.
//!
//! Must not know: any tool.

/// Most operations in flight for a thread.
pub(crate) const DEEPEST: u64 = 65_535;
/// What is said of an option that asks for more.
pub(crate) const TOO_DEEP: &str = "at most 65,535 operations are in flight here for each thread";
