//! `drivelab compare`.

use clap::Args;

use super::results::FilterArgs;

/// What the help shows behind the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  drivelab compare 01a2 last                     two runs, by the first characters of their ids
  drivelab compare --method quick --drive 970    every stored run of a methodology on drives of that name
  drivelab compare --tag firmware-test

The first run is A. Runs of another methodology, form or condition are named, and not compared.
`drivelab report RUN RUN -o both.html` makes a page of a few runs with all their charts.";

/// `drivelab compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Ids of the runs, their first or last characters, or `last`.
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Runs that are compared besides those that are named.
    #[command(flatten)]
    pub filter: FilterArgs,
}
