//! The command line: one definition, from which help, man page and completions are generated.

mod article;
mod check;
mod compare;
mod condition;
mod drives;
mod import;
mod io;
mod load;
mod measure;
mod rank;
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

pub use article::ArticleCommand;
pub use check::CheckArgs;
pub use compare::{By, CompareArgs, kind};
pub use condition::ConditionArgs;
pub use drives::{DrivesArgs, DrivesCommand};
pub use import::{ForeignFormat, ImportArgs};
pub use io::IoArgs;
pub use load::{Flag, LoadArgs, data_kinds, flags, in_flags};
pub use measure::{MeasureArgs, PrintArgs};
pub use rank::RankArgs;
pub use results::{FilterArgs, OneRun, ResultsCommand};
pub use run::RunArgs;
pub use show::{ShowArgs, TargetsArgs};
pub use telemetry::TelemetryArgs;
pub use trace::{GivenTraces, TraceCheckArgs, TraceCommand, TraceInArgs};
pub use watch::WatchArgs;
use words::assumed_rate;
pub use words::{BackendArg, EventsArg, FormArg, one_line};

const EXAMPLES: &str = "\
Examples:
  drivelab review                      review the disk under this folder in about two minutes
  drivelab review /mnt/new-drive       the same for another disk (a folder on it)
  drivelab run quick . --form smoke    try everything in seconds; not for comparison
  drivelab check /dev/nvme0n1          a used drive before you pay: only reads
  drivelab io . --block 4k --qd 32     one load without a methodology
  drivelab methods plan quick .        what would be done, how long, how much is written
  drivelab results list                what has been measured
  drivelab compare --method quick      all runs of a methodology side by side
  drivelab report --last -o page.html  make the page of the newest run again

Exit codes: 0 done, 1 unexpected, 2 usage, 3 acceptance failed, 4 nothing matched, 5 refused by the write guard,
6 target unusable, 7 interrupted (resume), 8 device errors, 9 host not fit.";

/// Test a drive with published methods, explain the results, and write a report page.
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
    /// Folder for results [default: $DRIVELAB_DATA, then $XDG_DATA_HOME/drivelab].
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// Print only the result and errors, no progress and no warnings.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print more details.
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Print plain lines instead of the live panel.
    #[arg(long, global = true)]
    pub plain: bool,
    /// When to use colour. NO_COLOR and CLICOLOR_FORCE are respected.
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
        drivelab run quick /mnt/a /mnt/b -o both.html   each drive alone, then both together\n  \
        drivelab run quick . --events json | jq 'select(.event.step_ended) | .event.step_ended.key'")]
    Run(Box<RunArgs>),
    /// Check a used drive before you buy it: health, genuineness, link, firmware, old data, wear. Only reads.
    #[command(after_help = check::EXAMPLES)]
    Check(Box<CheckArgs>),
    /// Run one load without a methodology and print the result.
    #[command(after_help = io::EXAMPLES)]
    Io(Box<IoArgs>),
    /// List the disks of this machine, what uses them, and whether they may be written.
    #[command(after_help = "Examples:\n  drivelab targets\n  drivelab targets --json | jq '.targets[].path'\n\n\
        Nothing is opened for writing. Without root less is known, and the list states what is missing.")]
    Targets(TargetsArgs),
    /// Show everything that can be read from one drive.
    #[command(after_help = "Examples:\n  drivelab show /dev/nvme0n1\n  drivelab show /dev/nvme0\n  \
        drivelab show S4EWNX0R123456      by serial number\n  \
        drivelab show /mnt/drive          the drive below a folder\n\n\
        Only reads: sysfs, and the drive's own pages (these need root, or access to its node).")]
    Show(ShowArgs),
    /// Measure what load this host can generate, and what limits it.
    #[command(
        after_help = "Examples:\n  drivelab doctor\n  drivelab doctor /dev/nvme0n1      also how that drive's queue \
        is set up\n  drivelab doctor --no-measure      facts only\n  drivelab doctor --json | jq .findings\n\n\
        No drive is touched: operations go to nop:, /dev/null and /dev/zero. What was measured is kept in the data \
        folder,\nand every run on this host records it."
    )]
    Doctor(DoctorArgs),
    /// Erase a block device. Everything on it is lost.
    #[command(after_help = "Examples:\n  drivelab wipe /dev/nvme0n1 --how discard --destroy S7XNNX0R123456\n  \
        drivelab wipe /dev/sdb --how overwrite --dry-run --destroy S3Z8NB0K\n\nThe write guard decides as for every \
        command that writes: a mounted, used or locked device and the disks of the\nrunning system are always \
        refused. On a terminal, without --destroy, it asks you to type the model and serial number.")]
    Wipe(WipeArgs),
    /// Watch a drive's temperature, power and load, alone or while another program runs.
    #[command(after_help = watch::EXAMPLES)]
    Watch(WatchArgs),
    /// List, show, check, plan and write methodologies.
    Methods {
        /// What to do with them.
        #[command(subcommand)]
        command: MethodsCommand,
    },
    /// Inspect recorded I/O traces.
    Trace {
        /// What to do with them.
        #[command(subcommand)]
        command: TraceCommand,
    },
    /// Show or set the name of this testbed, which every run records.
    Testbed {
        /// What to do with it [default: show it].
        #[command(subcommand)]
        command: Option<TestbedCommand>,
    },
    /// Look up data sheets of drives; give drives a name and a price.
    #[command(after_help = drives::EXAMPLES)]
    Drives(DrivesArgs),
    /// List, tag, show and remove stored runs.
    Results {
        /// What to do with them.
        #[command(subcommand)]
        command: ResultsCommand,
    },
    /// Compare stored runs: their figures side by side, and what differs between them.
    #[command(after_help = compare::EXAMPLES)]
    Compare(CompareArgs),
    /// Rank all drives that ran a methodology by one of its figures.
    #[command(after_help = rank::EXAMPLES)]
    Rank(RankArgs),
    /// Write a report of one or more stored runs.
    Report(ReportArgs),
    /// Write an article about runs: a draft with charts by reference, the page, charts for a site of your own.
    #[command(after_help = article::EXAMPLES)]
    Article {
        /// What to do with it.
        #[command(subcommand)]
        command: ArticleCommand,
    },
    /// Resume an interrupted run.
    Resume(ResumeArgs),
    /// Play a stored run in the live panel.
    Replay(ReplayArgs),
    /// Show how a figure was computed: definition, function and records.
    #[command(after_help = "Example:\n  drivelab explain --last corners/seq-1m-q8t1-read:read.throughput\n\n\
        Addresses are in the JSON report (`address`); for a wrong one, similar addresses are listed.")]
    Explain(ExplainArgs),
    /// Print the version.
    Version {
        /// Add the commit, the build profile and the platform.
        #[arg(long)]
        build: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show all settings.
    Config {
        /// Add where each value comes from.
        #[arg(long)]
        explain: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print the completion script for a shell. It also completes runs, methodologies, tags and drives.
    #[command(after_help = "To use them, add a line to your shell's start-up file, such as\n  \
        source <(drivelab completions bash)      ~/.bashrc\n  \
        source <(drivelab completions zsh)       ~/.zshrc\n  \
        drivelab completions fish | source       ~/.config/fish/config.fish")]
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a folder, which is created if it does not exist.
    Man {
        /// The folder.
        #[arg(value_hint = ValueHint::DirPath)]
        folder: PathBuf,
        /// Print what would be written, without writing it.
        #[arg(long)]
        dry_run: bool,
    },
}

/// `drivelab review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// A folder on the disk, a file to create (with --new-file), or a block device (with --destroy) [default: the
    /// current folder].
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// The page to write. An existing file is only replaced if drivelab wrote it.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "review.html")]
    pub output: PathBuf,
    /// Run as many tests as fit into this time (`10 min`, `1 h`, `24 h`), by priority, and list what is left out. This
    /// is the methodology `review`. Its tests write, so a block device needs --destroy.
    #[arg(long, value_name = "TIME", conflicts_with = "assume_rate")]
    pub time: Option<Nanos>,
    /// How to measure.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// How a device is emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WipeHow {
    /// Discard all blocks. Quick, and most drives then read as zeros.
    Discard,
    /// Write zeros, by a command of the drive if it has one.
    WriteZeroes,
    /// NVMe: format the namespace and erase user data.
    Format,
    /// NVMe: sanitize, by block erase if the drive can, else crypto erase, else zeros.
    Sanitize,
    /// Write every block with data that cannot be compressed.
    Overwrite,
}

/// `drivelab wipe`.
#[derive(Debug, Args)]
pub struct WipeArgs {
    /// The block device, by any of its paths.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: PathBuf,
    /// How to erase it.
    #[arg(long, value_enum)]
    pub how: WipeHow,
    /// Allow it: the drive's serial number, its name in /dev/disk/by-id, or its kernel name if it has no serial number.
    #[arg(long, value_name = "ID", value_hint = ValueHint::FilePath)]
    pub destroy: Option<PathBuf>,
    /// Do not ask. This alone allows nothing.
    #[arg(long, short)]
    pub yes: bool,
    /// Print what would be done and what would be lost, without doing it.
    #[arg(long)]
    pub dry_run: bool,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// `drivelab doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// A folder, file or device whose drive is inspected too.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: Option<PathBuf>,
    /// Length of each measurement.
    #[arg(long, value_name = "TIME", default_value = "500 ms")]
    pub time: Nanos,
    /// Print facts only, without measuring.
    #[arg(long)]
    pub no_measure: bool,
    /// Do not store the result for later runs.
    #[arg(long)]
    pub no_save: bool,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// `drivelab testbed`.
#[derive(Debug, Subcommand)]
pub enum TestbedCommand {
    /// Name this testbed; runs before keep what they recorded.
    Set {
        /// Its name, such as Testbed-v1.
        #[arg(long, value_name = "NAME", value_parser = results::tag)]
        tag: String,
        /// What no probe shows: cooling, power supply, memory timings.
        /// Without this flag, a testbed that keeps its name keeps its note.
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
}

/// `drivelab methods`.
#[derive(Debug, Subcommand)]
pub enum MethodsCommand {
    /// List the built-in methodologies.
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show a methodology: its questions, its limits, its sources and its file.
    Show {
        /// Name or file.
        method: String,
        /// Print one JSON document.
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
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of methodologies, for completion and checks in an editor.
    Schema,
    /// Write a commented example methodology, NAME.toml, into the current folder.
    New {
        /// Its name, of lower-case letters, digits and hyphens.
        name: String,
        /// Derive it from this methodology, so that the new file only states what is different.
        #[arg(long, value_name = "METHOD")]
        from: Option<String>,
    },
    /// List the parameters in which two methodologies differ, by test and form. Texts do not count. Exit code 0 if
    /// there are none, 1 if there are.
    Diff {
        /// Name or file.
        first: String,
        /// Name or file.
        second: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Print all steps with an estimate of time and bytes, without running them.
    Plan {
        /// Name or file.
        method: String,
        /// Profile of the methodology [default: its first].
        #[arg(long, value_name = "NAME")]
        profile: Option<String>,
        /// A folder, a file to create (with --new-file), or a block device.
        #[arg(value_hint = ValueHint::AnyPath)]
        target: PathBuf,
        /// Plan for a scratch file with the name of the target, which does not exist yet.
        #[arg(long)]
        new_file: bool,
        /// Form (length) of the methodology [default: quick, or the only one it has].
        #[arg(long, value_enum)]
        form: Option<FormArg>,
        /// Size of the scratch file.
        #[arg(long, value_name = "SIZE")]
        size: Option<Bytes>,
        /// Set a parameter, as for `run`.
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// Estimate time and bytes for a drive with this sequential rate, such as 3.5GB/s, and random rates in
        /// proportion [default: 500MB/s].
        #[arg(long, value_name = "RATE", value_parser = assumed_rate)]
        assume_rate: Option<SpeedGuess>,
        /// Files for its traces.
        #[command(flatten)]
        traces: GivenTraces,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
        /// Print a fio job file that issues the same loads, with comments for what fio cannot do.
        #[arg(long, conflicts_with = "json")]
        as_fio: bool,
    },
    /// Convert a fio job file or a Vdbench parameter file into a methodology.
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
    /// Short Markdown: one figure per test, only short tables, each finding in one sentence.
    Brief,
    /// One row per value.
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
    /// Id of the run, its first or last characters, or `last`; several for CSV and JSON.
    #[arg(required_unless_present = "last")]
    pub runs: Vec<String>,
    /// The newest run.
    #[arg(long, conflicts_with = "runs")]
    pub last: bool,
    /// Report the whole group of runs on several drives; name any run of it.
    #[arg(long)]
    pub group: bool,
    /// File to write [default: stdout]. An existing file is only replaced if drivelab wrote it.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Format [default: by the file's ending, else html with -o and md without].
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Leave serial numbers and folder names out.
    #[arg(long)]
    pub redact: bool,
    /// Print what would be written, without writing it.
    #[arg(long)]
    pub dry_run: bool,
}

/// `drivelab resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Which run; --last is the newest interrupted one.
    #[command(flatten)]
    pub run: OneRun,
    /// Allow the block device to be overwritten again: its serial number, its name in /dev/disk/by-id, or its kernel
    /// name if it has no serial number. Not needed for files.
    #[arg(long, value_name = "ID")]
    pub destroy: Option<PathBuf>,
    /// How the I/O is issued.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Print what is left to do, without doing it.
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
    /// Speed, as a multiple of real time; 0 does not wait.
    #[arg(long, default_value_t = 10.0, value_name = "FACTOR")]
    pub speed: f64,
    /// Print every event instead of the panel.
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
    /// Print one JSON document.
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
