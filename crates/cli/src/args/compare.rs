//! `drivelab compare`.

use clap::Args;

use super::results::FilterArgs;

/// What the help shows behind the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  drivelab compare dac105 last                   two runs, by the last characters of their ids
  drivelab compare --method quick --drive 970    all runs of quick on drives named like 970
  drivelab compare --tag firmware-test

The columns are the runs A, B and so on, in the order given; with filters, the oldest is A. Runs that differ in \
methodology, form or conditions are in separate tables. A run that can be compared with no other is listed with the \
reason. `drivelab report RUN RUN -o both.html` makes a page of a few runs, with all their charts.";

/// `drivelab compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Ids of the runs, their first or last characters, or `last`.
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Instead of names: the runs that match.
    #[command(flatten)]
    pub filter: FilterArgs,
}
