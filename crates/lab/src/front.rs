//! The front end that asks for a measurement: it shows progress, answers questions, and is told how the run ended.
//!
//! The command line implements it on a terminal; a web page could implement it in a browser.

use drivelab_analysis::Analysis;
use drivelab_core::clock::StopToken;
use drivelab_core::environment::Environment;
use drivelab_core::ids::RunId;
use drivelab_core::plan::Plan;
use drivelab_core::run::RunRecords;
use drivelab_report::DryRun;
use drivelab_session::Screen;
use drivelab_store::{Bundle, KeptDrive};

use crate::failure::Result;
use crate::order::show::Show;
use crate::run::ended::Ended;

/// What the screens show.
#[derive(Debug, Clone)]
pub enum View<'a> {
    /// A run in progress, after these events.
    Live {
        /// The events recorded before.
        history: Option<&'a Bundle>,
        /// Whether the panel may ask for confirmation before a key stops the run.
        asks: bool,
        /// Whether the run has a virtual clock, so that no time passes between events.
        virtual_time: bool,
    },
    /// One of several runs in progress.
    Part {
        /// The name of its drive.
        letter: String,
    },
    /// A stored run.
    Replay,
}

/// The front end that asks for a measurement.
pub trait Front: Sync {
    /// From now on, signals and anything else that ends a measurement stop these tokens.
    fn watch(&self, stops: Vec<StopToken>);

    /// From now on, the results are stored as this run.
    fn is_kept(&self, run: RunId);

    /// From now on, something is set up on a drive for this run, or nothing is set up any more.
    fn is_set_up(&self, run: Option<RunId>);

    /// Whether a person can be asked.
    fn can_ask(&self) -> bool;

    /// Asks a question and returns the answer.
    ///
    /// # Errors
    /// The user stopped the run while the question was open, or the terminal cannot be read.
    fn ask(&self, question: &str) -> Result<String>;

    /// Whether results are shown as one document, so that parts of it are not shown on their own.
    fn shows_a_document(&self) -> bool;

    /// Shows the findings about the environment before a run.
    fn found(&self, environment: &Environment, plan: &Plan, show: Show);

    /// The screens that show a run while it is in progress.
    fn screens(&self, stop: &StopToken, view: View<'_>) -> Vec<Screen>;

    /// Shows how a run ended; returns the exit code.
    ///
    /// # Errors
    /// The outcome as an exit code, or the reason why the result could not be shown or written.
    fn ended(&self, ended: Ended) -> Result;

    /// Shows the runs of several arms side by side.
    ///
    /// # Errors
    /// The reason why they could not be shown.
    fn arms(&self, runs: &[(RunRecords, Analysis)]) -> Result<()>;

    /// Shows the runs of a group side by side, with the names and prices that the user gave to drives.
    ///
    /// # Errors
    /// Nothing was measured together, or the comparison could not be shown.
    fn group(&self, runs: &[(RunRecords, Analysis)], kept: &[KeptDrive]) -> Result<()>;

    /// Reports why one of several runs failed.
    fn failed(&self, text: &str);

    /// Shows what a command would do.
    ///
    /// # Errors
    /// The reason why it could not be shown.
    fn show_dry_run(&self, run: &DryRun) -> Result<()>;
}

/// Asks a question; true if the answer is yes. Every other answer counts as no.
///
/// # Errors
/// As for [`Front::ask`].
pub fn yes(front: &dyn Front, question: &str) -> Result<bool> {
    Ok(is_yes(&front.ask(&format!("{question} [y/N]"))?))
}

/// Whether an answer is yes; every other answer counts as no.
#[must_use]
pub fn is_yes(answer: &str) -> bool {
    matches!(answer.trim(), "y" | "Y" | "yes")
}
