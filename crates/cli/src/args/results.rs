//! `drivelab results`, and how a command names a stored run.

use clap::{Args, Subcommand, ValueEnum};
use drivelab_core::event::RunState;
use drivelab_core::units::Nanos;
use drivelab_store::Filter;

use super::words::{FormArg, condition, title};

/// Most bytes of a tag.
const LONGEST_TAG: usize = 64;

/// Names one stored run.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct OneRun {
    /// Id of the run, its first or last characters, or `last`.
    pub run: Option<String>,
    /// The newest run.
    #[arg(long)]
    pub last: bool,
}

/// Which runs are listed.
#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Only drives whose model, serial number or firmware contains this.
    #[arg(long, value_name = "WORD")]
    pub drive: Option<String>,
    /// Only this methodology.
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Only this form.
    #[arg(long, value_enum)]
    pub form: Option<FormArg>,
    /// Only runs in this state.
    #[arg(long, value_enum)]
    pub state: Option<StateArg>,
    /// Only runs with this tag; if repeated, with all of them.
    #[arg(long, value_name = "TAG", value_parser = tag)]
    pub tag: Vec<String>,
    /// Only runs since this time: a date in UTC (2026-11-01, 2026-11-01T12:00) or a time ago (90 min, 24 h).
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub since: Option<String>,
}

impl From<&FilterArgs> for Filter {
    fn from(asked: &FilterArgs) -> Self {
        Filter {
            drive: asked.drive.clone(),
            method: asked.method.clone(),
            form: asked.form.map(Into::into),
            state: asked.state.map(Into::into),
            tags: asked.tag.clone(),
            since: asked.since.clone(),
        }
    }
}

/// State of a run, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StateArg {
    /// Finished.
    Complete,
    /// Stopped or killed; can be resumed.
    Interrupted,
    /// Ended by errors.
    Failed,
}

impl From<StateArg> for RunState {
    fn from(state: StateArg) -> Self {
        match state {
            StateArg::Complete => RunState::Complete,
            StateArg::Interrupted => RunState::Interrupted,
            StateArg::Failed => RunState::Failed,
        }
    }
}

/// A tag.
///
/// # Errors
/// Characters that a tag cannot have.
pub(super) fn tag(text: &str) -> Result<String, String> {
    let good = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '=');
    if text.is_empty() || text.len() > LONGEST_TAG || !text.chars().all(good) {
        return Err(format!(
            "a tag has 1 to {LONGEST_TAG} letters, digits, '-', '_', '.', ':' or '=', such as heatsink=none"
        ));
    }
    Ok(text.to_owned())
}

/// The time from which on runs are listed, in the form in which their start is stored: RFC 3339 in UTC.
///
/// # Errors
/// The text is neither a date nor a length of time.
fn since(text: &str) -> Result<String, String> {
    if let Ok(ago) = text.parse::<Nanos>() {
        let ago = i64::try_from(ago.get()).map_err(|_| format!("'{text}' is longer ago than any run can be"))?;
        let then = jiff::Timestamp::now() - jiff::SignedDuration::from_nanos(ago);
        return Ok(then.to_string());
    }
    let date = text.trim_end_matches('Z').parse::<jiff::civil::DateTime>();
    let expected = "expected a date such as 2026-11-01 or 2026-11-01T12:00, or a length of time such as 24 h";
    date.map(|date| date.to_string()).map_err(|why| format!("'{text}' is not a date ({why}); {expected}"))
}

/// `drivelab results`.
#[derive(Debug, Subcommand)]
pub enum ResultsCommand {
    /// List runs, the newest first.
    List {
        /// Which.
        #[command(flatten)]
        filter: FilterArgs,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Add tags to a run, or remove them.
    Tag {
        /// Id of the run, its first or last characters, or `last`.
        run: String,
        /// Tags, of letters, digits, '-', '_', '.', ':' and '='.
        #[arg(required = true, value_parser = tag)]
        tags: Vec<String>,
        /// Remove them instead.
        #[arg(long)]
        remove: bool,
    },
    /// Print the title, the conditions and the note of a run, or set them.
    Note {
        /// Id of the run, its first or last characters, or `last`.
        run: String,
        /// The new note.
        note: Option<String>,
        /// The new title, for lists and comparisons.
        #[arg(long, value_name = "TEXT", value_parser = title)]
        title: Option<String>,
        /// A condition that drivelab cannot detect: cooling=heatsink; cooling= removes it. Can be repeated.
        #[arg(long, value_name = "NAME=TEXT", value_parser = condition)]
        condition: Vec<(String, String)>,
        /// Remove title, conditions and note.
        #[arg(long, conflicts_with_all = ["note", "title", "condition"])]
        remove: bool,
    },
    /// Print the tables of one run.
    Show {
        /// Which.
        #[command(flatten)]
        run: OneRun,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print the folder of a run.
    Path {
        /// Which.
        #[command(flatten)]
        run: OneRun,
    },
    /// Delete a run for good.
    Remove {
        /// Id of the run, or its first or last characters.
        #[arg(required_unless_present = "last")]
        run: Option<String>,
        /// Refused: what cannot be restored is named by its id.
        #[arg(long, hide = true, conflicts_with = "run")]
        last: bool,
        /// Print what would be deleted, without deleting it.
        #[arg(long)]
        dry_run: bool,
        /// Do not ask.
        #[arg(long, short)]
        yes: bool,
    },
    /// Rebuild the catalog from the stored runs.
    Reindex {
        /// Print the number of runs, without rebuilding.
        #[arg(long)]
        dry_run: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_one_of_the_calendar_and_a_length_of_time_counts_back() {
        assert_eq!(since("2026-11-01").as_deref(), Ok("2026-11-01T00:00:00"));
        for text in ["2026-11-01T12:00", "2026-11-01T12:00Z", "2026-11-01T12:00:00"] {
            assert_eq!(since(text).as_deref(), Ok("2026-11-01T12:00:00"), "{text}");
        }
        for text in ["2026-02-30", "2026-13-01", "yesterday", "2026-1-1"] {
            let wrong = since(text).expect_err("no date");
            assert!(wrong.contains("expected a date such as 2026-11-01"), "{wrong}");
        }
        let ago = since("24 h").expect("a time");
        assert!(ago < jiff::Timestamp::now().to_string(), "{ago}");
    }
}
