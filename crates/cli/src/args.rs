//! The command line: one definition, from which help, man page and completions are made.

mod condition;
mod drives;
mod io;
mod show;
mod telemetry;
mod watch;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use drivelab_core::plan::Form;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_engine::BackendChoice;

pub use condition::{ConditionArgs, PowerStates};
pub use drives::DrivesArgs;
pub use io::{DATA_KINDS, IoArgs, OnOff};
pub use show::{ShowArgs, TargetsArgs};
pub use telemetry::{TelemetryArgs, TelemetryChoice};
pub use watch::WatchArgs;

const EXAMPLES: &str = "\
Examples:
  drivelab review                      review the disk under this folder in about two minutes
  drivelab review /mnt/new-drive       the same for another disk (a folder on it)
  drivelab run quick . --form smoke    try everything in seconds; not for comparison
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

/// Form on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormArg {
    /// As published.
    Faithful,
    /// Shortened, same shape.
    Quick,
    /// A moment per step, for tests only: unusable for comparison.
    Smoke,
}

impl From<FormArg> for Form {
    fn from(form: FormArg) -> Self {
        match form {
            FormArg::Faithful => Form::Faithful,
            FormArg::Quick => Form::Quick,
            FormArg::Smoke => Form::Smoke,
        }
    }
}

/// Engine on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendArg {
    /// io_uring where the kernel permits it, otherwise sync, said so.
    Auto,
    /// io_uring.
    Uring,
    /// Threads with pread and pwrite.
    Sync,
    /// io_uring with a kernel thread that submits; not yet tried on hardware.
    UringSqpoll,
    /// io_uring that polls for completions (needs a driver with poll queues); not yet tried on hardware.
    UringPolled,
}

impl From<BackendArg> for BackendChoice {
    fn from(backend: BackendArg) -> Self {
        match backend {
            BackendArg::Auto => BackendChoice::Auto,
            BackendArg::Uring => BackendChoice::Uring,
            BackendArg::Sync => BackendChoice::Sync,
            BackendArg::UringSqpoll => BackendChoice::UringSqpoll,
            BackendArg::UringPolled => BackendChoice::UringPolled,
        }
    }
}

/// How events are printed while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EventsArg {
    /// One JSON object a line on stdout, nothing else there.
    Json,
}

/// What every command that measures takes.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Form of the methodology [default: quick, or the only form it has].
    #[arg(long, value_enum)]
    pub form: Option<FormArg>,
    /// Permit that this is overwritten: the existing file itself, or of a block device its serial number, its name in
    /// /dev/disk/by-id, or the kernel's name where it has no serial number.
    /// Once for each target that is written.
    #[arg(long, value_name = "ID", value_hint = ValueHint::FilePath)]
    pub destroy: Vec<PathBuf>,
    /// Ask nothing. Alone it permits nothing: a block device is written only where --destroy names it.
    #[arg(long, short)]
    pub yes: bool,
    /// Size of the scratch file; default what the methodology wants, at most 10 % of free space.
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Bytes>,
    /// Engine that issues the I/O.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Leave serial numbers and folder names out of the page, for one that is published.
    #[arg(long)]
    pub redact: bool,
    /// Say what would be done, how long it takes and how much it writes; touch nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// How the run and its result are printed.
    #[command(flatten)]
    pub print: PrintArgs,
    /// What is watched beside the I/O.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
}

/// How a run and its result are printed.
#[derive(Debug, Args)]
pub struct PrintArgs {
    /// Print every event while it happens.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub events: Option<EventsArg>,
    /// Print the result as one JSON document instead of the table.
    #[arg(long)]
    pub json: bool,
}

/// `drivelab review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// A folder on the disk to review, a file to make there, or a block device that --destroy names; default the
    /// current folder.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// The page to write; an existing file that drivelab did not write is never replaced.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "review.html")]
    pub output: PathBuf,
    /// How to measure.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// `drivelab run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Name of a built-in methodology, or a TOML file.
    pub method: String,
    /// A folder, a file to make, or a block device (with --destroy). Several: each alone, then all at once, and how
    /// much each lost.
    #[arg(required = true, value_name = "TARGET", value_hint = ValueHint::AnyPath)]
    pub targets: Vec<PathBuf>,
    /// With several targets: only all at once, without each alone before.
    #[arg(long)]
    pub together_only: bool,
    /// Also write a page; an existing file that drivelab did not write is never replaced.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// How to measure.
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What is set up before and undone afterwards.
    #[command(flatten)]
    pub conditions: ConditionArgs,
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
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print the expanded steps with an estimate of time and bytes; touch nothing.
    Plan {
        /// Name or file.
        method: String,
        /// A folder, or a file to make.
        #[arg(value_hint = ValueHint::AnyPath)]
        target: PathBuf,
        /// Form of the methodology [default: quick, or the only form it has].
        #[arg(long, value_enum)]
        form: Option<FormArg>,
        /// Size of the scratch file.
        #[arg(long, value_name = "SIZE")]
        size: Option<Bytes>,
        /// As one JSON document.
        #[arg(long)]
        json: bool,
    },
}

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

/// Format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// One page that opens offline.
    Html,
    /// Markdown.
    Md,
    /// One tidy row a value.
    Csv,
    /// docs/formats/results.schema.json.
    Json,
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
pub struct ExplainArgs {
    /// Id of the run (or last, or --last), then the address of the figure.
    #[arg(required = true, num_args = 1..=2, value_names = ["RUN", "METRIC"])]
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
