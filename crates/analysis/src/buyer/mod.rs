//! The buyer's answers: what a probe of a drive and a minute of reading show, question by question, with one verdict.
//!
//! Owns the questions, their thresholds and their words. Pure: everything comes from the probe of the drive, the known
//! facts of its model, and the records of a run that only read. What the figures mean: docs/guide/check.md.

mod answer;
mod firmware;
mod genuine;
mod healthy;
mod known;
mod life;
mod link;
mod makers;
mod old_data;
pub mod suitability;
mod verdict;

pub use answer::{Answer, Checked, Question, Standing, Sureness, Verdict};
pub use known::{Known, Place, Read, SmallReads};
pub use verdict::{check, is_check, of_run};
