//! Scores: figures computed from figures of several steps.

mod figures;
mod values;
mod words;

pub use figures::{ScoreFigure, ScoreTerm, scores};
pub(crate) use figures::{findings, metrics};
pub(crate) use values::{weighted_mean, weighted_sum};
