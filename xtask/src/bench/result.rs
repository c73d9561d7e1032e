//! The result of measuring a row.

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
    /// All facts that the runs reported, one per round.
    pub(crate) readings: Vec<Reading>,
}

/// A row that was measured.
#[derive(Debug)]
pub(crate) struct Measured {
    /// Drivelab first.
    pub(crate) sides: Vec<Runs>,
    /// The value of the medians.
    pub(crate) value: f64,
    /// The value of the medians for the peer, if the row is about an error.
    pub(crate) peer_value: Option<f64>,
    /// Lowest and highest value of a single round.
    pub(crate) spread: (f64, f64),
    /// The middle half of the rounds' values.
    pub(crate) middle: (f64, f64),
    /// Rounds measured, including disturbed ones.
    pub(crate) rounds_taken: usize,
    /// Rounds among the counted ones that other programs disturbed.
    pub(crate) rounds_disturbed: usize,
    /// The worst disturbance among the counted rounds.
    pub(crate) disturbance: Disturbance,
    /// The conclusion.
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

/// The conclusion of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// More than required.
    Stretch,
    /// As required.
    Must,
    /// Less than required.
    Missed,
    /// The rounds allow no conclusion; why.
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
