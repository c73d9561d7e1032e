//! A run that is over: how it ended, what is on record of it, and the page that was wanted of it.

use std::path::PathBuf;

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
    /// The page of it, and whether it could be written; only a complete run has one.
    pub page: Option<(PathBuf, Result<()>)>,
}

impl Ended {
    /// Writes the page that is wanted of it, where it is complete.
    #[must_use]
    pub fn with_page(mut self, page: Option<Wish>) -> Ended {
        if let (Outcome::Complete { .. }, Ok(recorded), Some(page)) = (&self.outcome, &self.recorded, page) {
            let written = page.write(recorded);
            self.page = Some((page.path, written));
        }
        self
    }
}
