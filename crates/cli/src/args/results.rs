//! `drivelab results`, and how a command names a stored run.

use clap::{Args, Subcommand};

/// Names one stored run.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct OneRun {
    /// Id of the run, or enough of its beginning or end, or last.
    pub run: Option<String>,
    /// The newest run that fits, as last does.
    #[arg(long)]
    pub last: bool,
}

/// `drivelab results`.
#[derive(Debug, Subcommand)]
pub enum ResultsCommand {
    /// Newest first, unfinished ones included.
    List {
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// The table of one run.
    Show {
        /// Which.
        #[command(flatten)]
        run: OneRun,
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// The folder of a run's bundle.
    Path {
        /// Which.
        #[command(flatten)]
        run: OneRun,
    },
    /// Remove a run and its bundle for good.
    Remove {
        /// Which, by id.
        run: String,
        /// Say what would be removed; touch nothing.
        #[arg(long)]
        dry_run: bool,
        /// Do not ask.
        #[arg(long, short)]
        yes: bool,
    },
    /// Make the catalog again from the bundles.
    Reindex {
        /// Say how many bundles there are; touch nothing.
        #[arg(long)]
        dry_run: bool,
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
}
