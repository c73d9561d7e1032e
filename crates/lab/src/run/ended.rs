//! A run that is over: how it ended, and what is on record of it.

use drivelab_analysis::Analysis;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_session::Outcome;

use crate::failure::Result;
use crate::order::show::Show;
use crate::output::pages::Wish;

/// A run that is over.
pub struct Ended {
    /// Which.
    pub run: RunId,
    /// How it ended.
    pub outcome: Outcome,
    /// What is recorded of it and what that means, or why it cannot be read.
    pub recorded: Result<(RunRecords, Analysis)>,
    /// Whether it can be found again: not where its records live only here.
    pub saved: bool,
    /// How its result is shown.
    pub show: Show,
    /// Page to write.
    pub page: Option<Wish>,
}
