//! `drivelab rank`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use drivelab_analysis::side_by_side::Kind;

use super::compare::{LimitArgs, kinds};
use super::results::tag;
use super::words::FormArg;

/// What the help shows behind the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  drivelab rank quick                                        by the first score or headline figure
  drivelab rank quick --by corners/rnd-4k-q1t1-read:read.latency_p99
  drivelab rank anandtech-2018 -o ranking.html               as bars
  drivelab rank four-corners published:beeler-sn861          with the figures of a review

Each drive has one entry per profile (an empty and a full drive, say): the geometric mean of its complete runs of \
METHOD. A new place begins with a drive that is shown to be worse than the first drive of the place before. Runs made \
while other drives were measured are left out (--allow company includes them).";

/// The differences that a ranking refuses unless they are allowed: it ranks drives, profiles and data states.
fn of_rankings() -> Vec<Kind> {
    let ranked = [Kind::Drive, Kind::Profile, Kind::State];
    Kind::ALL.into_iter().filter(|kind| !ranked.contains(kind)).collect()
}

/// `drivelab rank`.
#[derive(Debug, Args)]
pub struct RankArgs {
    /// Name of the methodology.
    pub method: String,
    /// Published figures to show beside them: `published:NAME`, `published:NAME/DRIVE`.
    #[arg(value_name = "PUBLISHED")]
    pub published: Vec<String>,
    /// The figure to rank by: an address (`STEP:METRIC`), or a part of an address or of a headline figure's name
    /// [default: the first score or headline figure].
    #[arg(long, value_name = "FIGURE")]
    pub by: Option<String>,
    /// Form of the runs [default: that of most drives].
    #[arg(long, value_enum)]
    pub form: Option<FormArg>,
    /// Only runs with this tag; if repeated, with all of them.
    #[arg(long, value_name = "TAG", value_parser = tag)]
    pub tag: Vec<String>,
    /// Rank runs that differ in this; their ratios are marked †. Can be repeated.
    #[arg(long, value_parser = kinds(&of_rankings()), value_name = "WHAT")]
    pub allow: Vec<Kind>,
    /// Highlight the bars of drives whose name contains this, such as the drive under review.
    #[arg(long, value_name = "DRIVE")]
    pub mark: Option<String>,
    /// Leave serial numbers and folder names out.
    #[arg(long)]
    pub redact: bool,
    /// Which differences count.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Write the ranking to this file: .html, .md, .csv or .json.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Print one JSON document (docs/formats/rank.schema.json).
    #[arg(long, conflicts_with = "output")]
    pub json: bool,
}
