//! What measuring a row came to.

use super::figures::{Figure, Reading};
use super::rows::Row;
use super::watch::Disturbance;

/// A side's runs.
#[derive(Debug)]
pub(crate) struct Runs {
    /// The command as shown to people.
    pub(crate) command: String,
    /// What is compared.
    pub(crate) figure: Figure,
    /// That figure, one per round.
    pub(crate) figures: Vec<f64>,
    /// All that the runs said, one per round.
    pub(crate) readings: Vec<Reading>,
}

/// A row that was measured.
#[derive(Debug)]
pub(crate) struct Measured {
    /// Drivelab first.
    pub(crate) sides: Vec<Runs>,
    /// The value of the medians.
    pub(crate) value: f64,
    /// The same for the peer, where the row is about an error.
    pub(crate) peer_value: Option<f64>,
    /// Lowest and highest value of a single round.
    pub(crate) spread: (f64, f64),
    /// The middle half of the rounds' values.
    pub(crate) middle: (f64, f64),
    /// Rounds taken, the spoilt ones included.
    pub(crate) rounds_taken: usize,
    /// Rounds among the counted ones that others disturbed.
    pub(crate) rounds_disturbed: usize,
    /// The worst disturbance among the counted rounds.
    pub(crate) disturbance: Disturbance,
    /// What it comes to.
    pub(crate) verdict: Verdict,
}

/// How a row ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// With figures.
    Measured(Box<Measured>),
    /// Not tried, and why.
    LeftOut(String),
    /// Tried, and what went wrong.
    Failed(String),
}

/// A row and how it ended.
#[derive(Debug)]
pub(crate) struct RowResult {
    /// The row.
    pub(crate) row: &'static Row,
    /// How it ended.
    pub(crate) outcome: Outcome,
}

/// What a row comes to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// More than was required.
    Stretch,
    /// What was required.
    Must,
    /// Less than was required.
    Missed,
    /// The rounds do not allow one; why.
    NoConclusion(String),
    /// Nothing was required.
    Information,
}

impl Verdict {
    /// In words.
    pub(crate) fn words(&self) -> String {
        match self {
            Verdict::Stretch => "stretch reached".to_owned(),
            Verdict::Must => "must reached".to_owned(),
            Verdict::Missed => "MISSED".to_owned(),
            Verdict::NoConclusion(why) => format!("no conclusion: {why}"),
            Verdict::Information => "for information".to_owned(),
        }
    }
}
