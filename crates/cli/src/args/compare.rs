//! `drivelab compare`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Command, FromArgMatches, ValueEnum};
use drivelab_analysis::ratios::Limits;
use drivelab_analysis::side_by_side::Kind;

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
the headline figures, their ratios to the base, and whether a difference is shown. Several runs a side show the \
run-to-run spread; with one run each, differences within 5 % (--close) are not ranked. Runs that differ in \
methodology, form or conditions are in separate tables. A run that can be compared with no other is listed with the \
reason.

Runs that differ in more than the drive, such as arm, tested size or testbed, are refused (exit code 2), because a \
ratio would not show the cause: --by compares by that difference, --allow compares anyway. Runs of the same \
drive may differ in one thing.";

/// How runs are grouped into sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Every run is a side.
    Run,
    /// All runs of a drive are a side.
    Drive,
    /// All runs of a drive with one firmware are a side.
    Firmware,
    /// All runs of a drive under one arm (encryption, power state) are a side.
    Arm,
    /// All runs of a drive on one testbed are a side.
    Testbed,
    /// All runs of a drive with one profile (an empty or a full drive, say) are a side.
    Profile,
    /// All runs of a drive in one data state (--data-state: fresh, filled) are a side.
    State,
    /// All runs of a drive with one tested size are a side.
    Capacity,
    /// Every run is a side, the oldest first.
    Time,
}

/// The difference of this name.
pub fn kind(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name() == name)
}

/// The names of these differences, which can be allowed.
pub(super) fn kinds(of: &[Kind]) -> impl TypedValueParser<Value = Kind> + use<> {
    let kind = |name: String| kind(&name).ok_or("not a difference");
    let values = of.iter().map(|kind| PossibleValue::new(kind.name()).help(about(*kind)));
    PossibleValuesParser::new(values.collect::<Vec<_>>()).try_map(kind)
}

const fn about(kind: Kind) -> &'static str {
    match kind {
        Kind::Drive => "The drive, with --by arm, firmware, testbed, profile or state",
        Kind::Arm => "Encryption or power state",
        Kind::Profile => "Profile of the methodology, such as an empty and a full drive",
        Kind::State => "What the drive held before the tests (--data-state)",
        Kind::Target => "A file and a device",
        Kind::Size => "Tested size",
        Kind::Firmware => "Firmware of drives of one model",
        Kind::Statistic => "How the rounds of a test are combined: mean, best of 9",
        Kind::Engine => "Engine that issued the I/O: io_uring or threads",
        Kind::Testbed => "CPU, board or name of the testbed",
        Kind::FileSystem => "File system",
        Kind::Traces => "Replayed traces",
        Kind::Source => "Source of sets of files",
        Kind::Company => "A drive measured alone and together with others",
    }
}

/// `drivelab compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// What is compared: a run (the first or last characters of its id, or `last`), a drive (a part of its model or of
    /// the name you gave it, or its serial number), a selection (`model=`, `serial=`, `firmware=`, `method=`,
    /// `profile=`, `tag=`, joined by commas), or published figures: `published:NAME`, `published:NAME/DRIVE`.
    #[arg(value_name = "SIDE")]
    pub sides: Vec<String>,
    /// Instead of sides: the runs that match.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Groups runs into sides. Default: a side for each word; with filters one for each drive, or for each run if all
    /// are of one drive.
    #[arg(long, value_enum)]
    pub by: Option<By>,
    /// The side that the others are compared with: one of the words, its letter, or another side. Default: the first.
    #[arg(long, value_name = "SIDE")]
    pub base: Option<String>,
    /// Compare runs that differ in this; their ratios are marked †. Can be repeated.
    #[arg(long, value_parser = kinds(&Kind::ALL), value_name = "WHAT")]
    pub allow: Vec<Kind>,
    /// Which differences count.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Show every figure, not only the headline figures.
    #[arg(long)]
    pub all: bool,
    /// Write the comparison to this file: .html, .md, .csv or .json.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print one JSON document (docs/formats/compare.schema.json).
    #[arg(long, conflicts_with = "output")]
    pub json: bool,
    /// Leave serial numbers and folder names out.
    #[arg(long)]
    pub redact: bool,
    /// Exit with code 3 if a headline figure is worse than the base's, or missing.
    #[arg(long)]
    pub fail_if_worse: bool,
    /// Also write this file for CI systems: JUnit XML with a test case for each headline figure.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

impl CompareArgs {
    /// The arguments of a comparison that no command line asked for.
    ///
    /// # Errors
    /// An argument that `compare` does not accept, as clap's error.
    pub fn of(sides: &[String], base: Option<&str>, allow: &[String]) -> Result<CompareArgs, clap::Error> {
        let command = CompareArgs::augment_args(Command::new("compare").no_binary_name(true));
        let flags = allow.iter().map(|kind| format!("--allow={kind}")).chain(base.map(|base| format!("--base={base}")));
        let words = flags.chain(std::iter::once("--".to_owned())).chain(sides.iter().cloned());
        CompareArgs::from_arg_matches(&command.try_get_matches_from(words)?)
    }
}

/// Which differences between sides count.
#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Differences below this (per cent) are called negligible, even if they are certain.
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub relevant: f64,
    /// With one run a side, differences up to this (per cent) are too close to rank.
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = percent)]
    pub close: f64,
}

impl From<&LimitArgs> for Limits {
    fn from(asked: &LimitArgs) -> Limits {
        Limits { relevant: asked.relevant / 100.0, one_run: asked.close / 100.0 }
    }
}

/// A share in per cent, below 100.
fn percent(text: &str) -> Result<f64, String> {
    let percent: f64 =
        text.trim_end_matches(['%', ' ']).parse().map_err(|_| "expected a number such as 1".to_owned())?;
    if (0.0..100.0).contains(&percent) { Ok(percent) } else { Err("expected 0 or more, and less than 100".to_owned()) }
}
