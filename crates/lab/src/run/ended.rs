//! A run that has ended: its outcome, its records, and its page.

use std::path::PathBuf;

use drivelab_analysis::Analysis;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_session::Outcome;

use crate::failure::Result;
use crate::order::show::Show;
use crate::output::pages::Wish;

/// A run that has ended.
pub struct Ended {
    /// Its id.
    pub run: RunId,
    /// Its outcome.
    pub outcome: Outcome,
    /// Its records and their analysis, or why they cannot be read.
    pub recorded: Result<(RunRecords, Analysis)>,
    /// Whether it is stored; false if its records exist in memory only.
    pub saved: bool,
    /// How its result is shown.
    pub show: Show,
    /// Its page, and whether it could be written; only a complete run has one.
    pub page: Option<(PathBuf, Result<()>)>,
}

impl Ended {
    /// Writes the page that is wanted, if the run is complete.
    #[must_use]
    pub fn with_page(mut self, page: Option<Wish>) -> Ended {
        if let (Outcome::Complete { .. }, Ok(recorded), Some(page)) = (&self.outcome, &self.recorded, page) {
            let written = page.write(recorded);
            self.page = Some((page.path, written));
        }
        self
    }
}
