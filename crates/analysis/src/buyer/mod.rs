//! The buyer's answer: what a look at a drive and a minute of reading say, question by question, and one line above.
//!
//! Owns the questions, their thresholds and their words. Pure: everything comes from the probe of the drive, the facts
//! known of its model, and the records of a run that only read. What the figures mean: docs/guide/check.md.

mod answer;
mod firmware;
mod genuine;
mod healthy;
mod known;
mod life;
mod link;
mod makers;
mod old_data;
mod verdict;

pub use answer::{Answer, Checked, Question, Standing, Sureness, Verdict};
pub use known::{Known, Place, Read, SmallReads};
pub use verdict::{check, is_check, of_run};
