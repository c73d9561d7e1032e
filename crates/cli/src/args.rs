//! The command line: one definition, from which help, man page and completions are made.

mod check;
mod condition;
mod drives;
mod import;
mod io;
mod measure;
mod results;
mod run;
mod show;
mod telemetry;
mod trace;
mod watch;
mod words;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_lab::output::pages::PageFormat;
use drivelab_method::SpeedGuess;

pub use check::CheckArgs;
pub use condition::ConditionArgs;
pub use drives::DrivesArgs;
pub use import::{ForeignFormat, ImportArgs};
pub use io::{DATA_KINDS, IoArgs, OnOff};
pub use measure::{MeasureArgs, PrintArgs};
pub use results::{FilterArgs, OneRun, ResultsCommand};
pub use run::RunArgs;
pub use show::{ShowArgs, TargetsArgs};
pub use telemetry::TelemetryArgs;
pub use trace::{GivenTraces, TraceCheckArgs, TraceCommand, TraceInArgs};
pub use watch::WatchArgs;
use words::assumed_rate;
pub use words::{BackendArg, EventsArg, FormArg};

const EXAMPLES: &str = "\
Examples:
  drivelab review                      review the disk under this folder in about two minutes
  drivelab review /mnt/new-drive       the same for another disk (a folder on it)
  drivelab run quick . --form smoke    try everything in seconds; not for comparison
  drivelab check /dev/nvme0n1          a used drive before you pay: only reads
  drivelab io . --block 4k --qd 32     one load without a methodology
  drivelab methods plan quick .        what would be done, how long, how much is written
  drivelab results list                what has been measured
  drivelab report --last -o page.html  make the page of the newest run again

Exit codes: 0 done, 1 unexpected, 2 usage, 3 acceptance failed, 4 nothing matched, 5 refused by the write guard,
6 target unusable, 7 interrupted (resume), 8 device errors, 9 host not fit.";

/// A storage test lab in one program: measures a drive with published methods and hands over a page.
#[derive(Debug, Parser)]
#[command(name = "drivelab", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// Settings for every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Settings for every command.
#[derive(Debug, Args)]
pub struct Global {
    /// Folder for results (bundles and catalog); default $DRIVELAB_DATA, then $XDG_DATA_HOME/drivelab.
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// Print nothing but the result and errors: no progress, no warnings.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Say also how things were done.
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Plain lines instead of the live panel.
    #[arg(long, global = true)]
    pub plain: bool,
    /// When to colour: NO_COLOR and CLICOLOR_FORCE are honoured.
    #[arg(long, global = true, value_enum, value_name = "WHEN")]
    pub color: Option<Color>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Review a disk in about two minutes and write review.html.
    #[command(after_help = "Examples:\n  drivelab review\n  drivelab review /mnt/drive -o drive.html\n  \
        drivelab review --dry-run\n\nWithout PATH a scratch file is made in the current folder and removed at the end. \
        An existing file that drivelab did not make is refused unless --destroy names it too.")]
    Review(ReviewArgs),
    /// Run a methodology on a target.
    #[command(after_help = "Examples:\n  drivelab run quick /mnt/drive\n  drivelab run my-method.toml . --dry-run\n  \
        drivelab run quick /dev/nvme1n1 --destroy SERIAL --partition 90% --file-system ext4\n  \
        drivelab run quick /dev/nvme1n1 --destroy SERIAL --arm none --arm luks2 --arm none\n  \
        drivelab run quick /mnt/a /mnt/b -o both.html   two drives: each alone, then both at once\n  \
        drivelab run quick . --events json | jq 'select(.event.step_ended) | .event.step_ended.key'")]
    Run(Box<RunArgs>),
    /// Answer a buyer's questions about a drive: healthy, genuine, link, firmware, old data, use. Only reads.
    #[command(after_help = check::EXAMPLES)]
    Check(Box<CheckArgs>),
    /// Issue one load without a methodology, and say what came of it.
    #[command(after_help = io::EXAMPLES)]
    Io(Box<IoArgs>),
    /// List the disks of this machine: what each is, who uses it, whether it may be written.
    #[command(after_help = "Examples:\n  drivelab targets\n  drivelab targets --json | jq '.targets[].path'\n\n\
        Nothing is opened for writing; without root less can be known, and what is missing is said.")]
    Targets(TargetsArgs),
    /// Show everything that can be told of one target.
    #[command(after_help = "Examples:\n  drivelab show /dev/nvme0n1\n  drivelab show /dev/nvme0\n  \
        drivelab show S4EWNX0R123456      by serial number\n  \
        drivelab show /mnt/drive          the drive below a folder\n\n\
        Only reads: sysfs, and the pages that the drive gives (root, or the rights of its node).")]
    Show(ShowArgs),
    /// Say what this host can generate and what keeps it from more.
    #[command(
        after_help = "Examples:\n  drivelab doctor\n  drivelab doctor /dev/nvme0n1      also how that drive's queue \
        is set up\n  drivelab doctor --no-measure      facts only\n  drivelab doctor --json | jq .findings\n\n\
        No drive is touched: operations go to nop:, /dev/null and /dev/zero. What was measured is kept in the data \
        folder,\nand every run on this host records it."
    )]
    Doctor(DoctorArgs),
    /// Empty a block device: everything on it is lost.
    #[command(after_help = "Examples:\n  drivelab wipe /dev/nvme0n1 --how discard --destroy S7XNNX0R123456\n  \
        drivelab wipe /dev/sdb --how overwrite --dry-run --destroy S3Z8NB0K\n\nThe write guard decides as for every \
        command that writes: a mounted, used or locked device and the disks of the\nrunning system are refused, \
        whatever is named. On a terminal, without --destroy, model and serial number are asked for.")]
    Wipe(WipeArgs),
    /// Watch a drive's temperature, power and load live, alone or beside another program.
    #[command(after_help = watch::EXAMPLES)]
    Watch(WatchArgs),
    /// Look at methodologies: built in and your own.
    Methods {
        /// What to do with them.
        #[command(subcommand)]
        command: MethodsCommand,
    },
    /// Look at recorded traces of I/O.
    Trace {
        /// What to do with them.
        #[command(subcommand)]
        command: TraceCommand,
    },
    /// What is known of drives beside what they say themselves: data sheet, cells, endurance, warranty.
    #[command(after_help = drives::EXAMPLES)]
    Drives(DrivesArgs),
    /// Look at stored results.
    Results {
        /// What to do with them.
        #[command(subcommand)]
        command: ResultsCommand,
    },
    /// Make a report of stored runs.
    Report(ReportArgs),
    /// Go on with an interrupted run.
    Resume(ResumeArgs),
    /// Show a stored run through the live view.
    Replay(ReplayArgs),
    /// From a figure back to its definition, its function and its records.
    #[command(after_help = "Example:\n  drivelab explain --last corners/seq-1m-q8t1-read:read.throughput\n\n\
        Addresses are in the JSON report (`address`); a wrong one is answered with near matches.")]
    Explain(ExplainArgs),
    /// Say which drivelab this is.
    Version {
        /// Also the commit, the profile and the machine it was built for.
        #[arg(long)]
        build: bool,
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show every setting, its value and where it comes from.
    Config {
        /// Name the source of each value.
        #[arg(long)]
        explain: bool,
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print completions for a shell.
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a folder, made where it is missing.
    Man {
        /// The folder.
        #[arg(value_hint = ValueHint::DirPath)]
        folder: PathBuf,
        /// Say what would be written; touch nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

/// `drivelab review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// A folder on the disk to review, a file to make there (with --new-file), or a block device that --destroy names;
    /// default the current folder.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// The page to write; an existing file that drivelab did not write is never replaced.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "review.html")]
    pub output: PathBuf,
    /// Review in so much time (`10 min`, `1 h`, `24 h`): the methodology `review`, which picks by priority what fits
    /// time and target, and says what it leaves out. Each of its tests writes, or reads what was written before: a
    /// block device needs --destroy.
    #[arg(long, value_name = "TIME", conflicts_with = "assume_rate")]
    pub time: Option<Nanos>,
    /// How to measure.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// How a device is emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WipeHow {
    /// Tell the drive that it may forget everything: quick, and most drives then read as zeros.
    Discard,
    /// Have everything read as zeros: by a command of the drive where it has one, else zeros are sent.
    WriteZeroes,
    /// NVMe: have the drive format the namespace with an erase of user data.
    Format,
    /// NVMe: have the drive sanitize itself, by block erase where it can, else crypto erase, else zeros.
    Sanitize,
    /// Write every block with data that cannot be compressed.
    Overwrite,
}

/// `drivelab wipe`.
#[derive(Debug, Args)]
pub struct WipeArgs {
    /// The block device, by any path that leads to it.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: PathBuf,
    /// How.
    #[arg(long, value_enum)]
    pub how: WipeHow,
    /// Permit it: the drive's serial number, its name in /dev/disk/by-id, or the kernel's name where it has no serial
    /// number.
    #[arg(long, value_name = "ID", value_hint = ValueHint::FilePath)]
    pub destroy: Option<PathBuf>,
    /// Ask nothing. Alone it permits nothing.
    #[arg(long, short)]
    pub yes: bool,
    /// Say what would be done and what would be lost; touch nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// As one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// `drivelab doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// A folder, file or device whose drive is looked at too.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: Option<PathBuf>,
    /// Length of each of the measurements.
    #[arg(long, value_name = "TIME", default_value = "500 ms")]
    pub time: Nanos,
    /// Facts only: issue nothing.
    #[arg(long)]
    pub no_measure: bool,
    /// Do not keep the ceilings for the runs that come.
    #[arg(long)]
    pub no_save: bool,
    /// As one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// `drivelab methods`.
#[derive(Debug, Subcommand)]
pub enum MethodsCommand {
    /// Name every built-in methodology.
    List {
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show a methodology: what it asks, what it cannot tell, its sources, its file.
    Show {
        /// Name or file.
        method: String,
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Check a methodology file.
    Check {
        /// Name or file.
        method: String,
        /// Set a parameter, as for `run`.
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of methodologies, by which an editor completes and checks them.
    Schema,
    /// Write a commented methodology to begin with, NAME.toml in the current folder.
    New {
        /// Its name: lower-case letters, digits, hyphens.
        name: String,
        /// Derive it from this one: everything comes from there but what the new file states.
        #[arg(long, value_name = "METHOD")]
        from: Option<String>,
    },
    /// Say in which parameters two methodologies differ, test by test and form by form; texts do not count. Exit code 0
    /// where they are the same, 1 where they differ.
    Diff {
        /// Name or file.
        first: String,
        /// Name or file.
        second: String,
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print the expanded steps with an estimate of time and bytes; touch nothing.
    Plan {
        /// Name or file.
        method: String,
        /// Profile of the methodology [default: its first].
        #[arg(long, value_name = "NAME")]
        profile: Option<String>,
        /// A folder, or a file to make (with --new-file).
        #[arg(value_hint = ValueHint::AnyPath)]
        target: PathBuf,
        /// Plan for a scratch file of the name that the target has, which is not there yet.
        #[arg(long)]
        new_file: bool,
        /// Form of the methodology [default: quick, or the only form it has].
        #[arg(long, value_enum)]
        form: Option<FormArg>,
        /// Size of the scratch file.
        #[arg(long, value_name = "SIZE")]
        size: Option<Bytes>,
        /// Set a parameter, as for `run`.
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// Reckon time and bytes with a drive of this sequential rate, such as 3.5GB/s, and random operations in
        /// proportion to it [default: 500MB/s].
        #[arg(long, value_name = "RATE", value_parser = assumed_rate)]
        assume_rate: Option<SpeedGuess>,
        /// Files for its traces.
        #[command(flatten)]
        traces: GivenTraces,
        /// As one JSON document.
        #[arg(long)]
        json: bool,
        /// As a fio job file that issues the same loads, with comments for what fio cannot say.
        #[arg(long, conflicts_with = "json")]
        as_fio: bool,
    },
    /// Make a methodology of a fio job file or a Vdbench parameter file.
    #[command(after_help = "Examples:\n  drivelab methods import nightly.fio -o nightly.toml\n  \
        SIZE=8g drivelab methods import with-variables.fio > with-variables.toml\n  \
        drivelab methods import curves.parm --from vdbench -o curves.toml\n\nEvery option that is not simply carried \
        over is listed with its line and why, on stderr and at the head\nof the methodology. Nothing is run.")]
    Import(ImportArgs),
}

/// Format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// One page that opens offline.
    Html,
    /// Markdown.
    Md,
    /// Markdown in short: one figure a test, the tables that are not long, findings in a sentence.
    Brief,
    /// One tidy row a value.
    Csv,
    /// docs/formats/results.schema.json.
    Json,
    /// CrystalDiskMark's own layout; for runs of the methodology crystaldiskmark.
    Cdm,
}

impl From<FormatArg> for PageFormat {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Html => PageFormat::Html,
            FormatArg::Md => PageFormat::Md,
            FormatArg::Brief => PageFormat::Brief,
            FormatArg::Csv => PageFormat::Csv,
            FormatArg::Json => PageFormat::Json,
            FormatArg::Cdm => PageFormat::Cdm,
        }
    }
}

/// `drivelab report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Ids of the runs, or enough of their beginnings or ends; last is the newest.
    #[arg(required_unless_present = "last")]
    pub runs: Vec<String>,
    /// The newest run.
    #[arg(long, conflicts_with = "runs")]
    pub last: bool,
    /// The result of several drives at once: one of its runs leads to all.
    #[arg(long)]
    pub group: bool,
    /// Where to write; default stdout. An existing file that drivelab did not write is never replaced.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Format; default by the ending of the output file, otherwise html with -o and md without.
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Leave out serial numbers and folder names, for a report that is published.
    #[arg(long)]
    pub redact: bool,
    /// Say what would be written; touch nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `drivelab resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Which; --last is the newest interrupted one.
    #[command(flatten)]
    pub run: OneRun,
    /// Permit again that the run's block device is overwritten: its serial number, its name in /dev/disk/by-id, or the
    /// kernel's name where it has no serial number. A run on a file needs none.
    #[arg(long, value_name = "ID")]
    pub destroy: Option<PathBuf>,
    /// Engine that issues the I/O.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Say what is left to do; touch nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// How the run and its result are printed.
    #[command(flatten)]
    pub print: PrintArgs,
    /// What is watched beside the I/O; it is not remembered from the first process.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
}

/// `drivelab replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Which.
    #[command(flatten)]
    pub run: OneRun,
    /// How many times faster than it happened; 0 is without waiting.
    #[arg(long, default_value_t = 10.0, value_name = "FACTOR")]
    pub speed: f64,
    /// Print every event instead of the view.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub events: Option<EventsArg>,
    /// Print the result as one JSON document at the end.
    #[arg(long)]
    pub json: bool,
}

/// `drivelab explain`.
#[derive(Debug, Args)]
#[command(override_usage = "drivelab explain <RUN> <METRIC>\n       drivelab explain --last <METRIC>")]
pub struct ExplainArgs {
    /// Id of the run (or last, or --last), then the address of the figure.
    #[arg(num_args = 0..=2, value_names = ["RUN", "METRIC"])]
    pub words: Vec<String>,
    /// The newest run.
    #[arg(long)]
    pub last: bool,
    /// As one JSON document.
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
