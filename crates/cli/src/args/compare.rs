//! `drivelab compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::results::FilterArgs;

/// What the help shows behind the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  drivelab compare dac105 last                   two runs, by the last characters of their ids
  drivelab compare 970 990 -o both.html          the newest runs of two drives, as a page with all charts
  drivelab compare model=970 model=990           all runs of each: their spread tells which differences are real
  drivelab compare --method quick                all drives that ran quick
  drivelab compare tag=old tag=new --fail-if-worse
  drivelab compare last published:dillon-nvme    beside the figures of a review

Each word is a side A, B and so on: a run, a drive (its newest run that fits the others) or a selection such as \
model=970,method=quick with all its runs. The first side is the base unless --base names another. The table shows \
the headline figures, their ratios to the base, and whether a difference is shown. Several runs a side show how much \
runs of one drive differ; with one run each, differences within 5 % are not ranked. Runs that differ in methodology, \
form or conditions are in separate tables. A run that can be compared with no other is listed with the reason.";

/// What makes a side of runs that are named together or chosen by a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Every run is a side.
    Run,
    /// All runs of a drive are a side.
    Drive,
    /// All runs of a drive with one firmware are a side.
    Firmware,
    /// All runs under one arm (encryption, power state) are a side.
    Arm,
    /// All runs on one testbed are a side.
    Testbed,
}

/// `drivelab compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// What is compared: a run (the first or last characters of its id, or `last`), a drive (a part of its model, or
    /// its serial number), a selection (`model=`, `serial=`, `firmware=`, `method=`, `tag=`, joined by commas), or
    /// published figures: `published:NAME`, `published:NAME/DRIVE`.
    #[arg(value_name = "SIDE")]
    pub sides: Vec<String>,
    /// Instead of sides: the runs that match.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// What makes a side. Default: each word; with filters the drive, or the run if there is one drive.
    #[arg(long, value_enum)]
    pub by: Option<By>,
    /// The side that the others are compared with: one of the words, or its letter. Default: the first.
    #[arg(long, value_name = "SIDE")]
    pub base: Option<String>,
    /// Smallest relevant difference in per cent: a smaller one is called negligible.
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub relevant: f64,
    /// Show every figure, not only the headline figures.
    #[arg(long)]
    pub all: bool,
    /// Write the comparison to this file: .html, .md, .csv or .json.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print one JSON document (docs/formats/compare.schema.json).
    #[arg(long, conflicts_with = "output")]
    pub json: bool,
    /// End with exit code 3 if a headline figure of any side is worse than the base's.
    #[arg(long)]
    pub fail_if_worse: bool,
}

/// A share in per cent, below 100.
fn percent(text: &str) -> Result<f64, String> {
    let percent: f64 =
        text.trim_end_matches(['%', ' ']).parse().map_err(|_| "expected a number such as 1".to_owned())?;
    if (0.0..100.0).contains(&percent) { Ok(percent) } else { Err("expected 0 to 100".to_owned()) }
}
