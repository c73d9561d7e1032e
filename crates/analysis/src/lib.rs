//! Pure functions from records to metrics and findings: what the measured facts of a run mean.
//!
//! Owns: the table of metrics, the invariants, the verdict on steadiness, the statistics over rounds, every finding's
//! text, the shapes of charts. Must not know: files, clocks, threads, terminals, how a page looks. The same records
//! always give the same answer, so an old bundle can be studied again with a newer version of this crate.

#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod testing;
