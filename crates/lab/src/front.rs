//! Who asks for a measurement: shows what goes on, answers questions, and hears how it ended.
//!
//! The command line implements it on a terminal; a web page would on a browser.

use drivelab_analysis::Analysis;
use drivelab_core::clock::StopToken;
use drivelab_core::environment::Environment;
use drivelab_core::ids::RunId;
use drivelab_core::plan::Plan;
use drivelab_core::run::RunRecords;
use drivelab_report::DryRun;
use drivelab_session::Screen;
use drivelab_store::Bundle;

use crate::failure::Result;
use crate::order::show::Show;
use crate::run::ended::Ended;

/// What the screens will show.
#[derive(Debug, Clone)]
pub enum View<'a> {
    /// A run that goes on now, after these events.
    Live {
        /// What was recorded before.
        history: Option<&'a Bundle>,
        /// Whether the panel may ask before a key stops the run.
        asks: bool,
    },
    /// One of several runs that go on now.
    Part {
        /// The name of its drive.
        letter: String,
    },
    /// A stored run.
    Replay,
}

/// Who asks for a measurement.
pub trait Front: Sync {
    /// Signals, or whatever else ends a measurement, stop these from now on.
    fn watch(&self, stops: Vec<StopToken>);

    /// What is measured from now on is kept as this run.
    fn is_kept(&self, run: RunId);

    /// Something is set up on a drive for this run from now on, or for none.
    fn is_set_up(&self, run: Option<RunId>);

    /// Whether there is a person who can be asked.
    fn can_ask(&self) -> bool;

    /// The answer to a question.
    ///
    /// # Errors
    /// A stop while the question stood; a terminal that cannot be read.
    fn ask(&self, question: &str) -> Result<String>;

    /// Whether results are shown as one document, so that parts of one are not shown by themselves.
    fn shows_a_document(&self) -> bool;

    /// Shows what was found before a run.
    fn found(&self, environment: &Environment, plan: &Plan, show: Show);

    /// The screens that show a run while it goes on.
    fn screens(&self, stop: &StopToken, view: View<'_>) -> Vec<Screen>;

    /// Shows how a run ended; the exit code that follows.
    ///
    /// # Errors
    /// What the outcome means for the exit code, and what kept the result from being shown or written.
    fn ended(&self, ended: Ended) -> Result;

    /// Shows runs under conditions beside each other.
    ///
    /// # Errors
    /// What kept them from being shown.
    fn arms(&self, runs: &[(RunRecords, Analysis)]) -> Result<()>;

    /// Shows the runs of a group beside each other.
    ///
    /// # Errors
    /// Nothing was measured together; what kept it from being shown.
    fn group(&self, runs: &[(RunRecords, Analysis)]) -> Result<()>;

    /// Says what one of several runs failed of.
    fn failed(&self, text: &str);

    /// Shows what would be done.
    ///
    /// # Errors
    /// What kept it from being shown.
    fn show_dry_run(&self, run: &DryRun) -> Result<()>;
}

/// Whether the answer is yes; everything else is no.
///
/// # Errors
/// As for [`Front::ask`].
pub fn yes(front: &dyn Front, question: &str) -> Result<bool> {
    Ok(is_yes(&front.ask(&format!("{question} [y/N]"))?))
}

/// Whether an answer is yes; everything else is no.
#[must_use]
pub fn is_yes(answer: &str) -> bool {
    matches!(answer.trim(), "y" | "Y" | "yes")
}
