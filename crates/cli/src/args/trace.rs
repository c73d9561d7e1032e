//! The flags about traces: `drivelab trace`, what replaces the traces of a methodology, and the replay of `drivelab
//! io`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

/// Words of the formats, as in methodologies.
const FORMATS: [&str; 8] = ["fio_v2", "fio_v3", "blkparse", "msr", "alibaba", "systor17", "tencent", "spc"];

/// `drivelab trace`.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Read a whole trace: what is in it, or the first line that is wrong.
    #[command(
        after_help = "Examples:\n  drivelab trace check mds_0.csv\n  drivelab trace check all.csv --device 12\n  \
        drivelab io . --trace-in mds_0.csv --qd 32            replay it as recorded\n  \
        drivelab run application-traces . --trace mds_0.csv   beside the built-in ones\n\n\
        Formats: fio's logs of I/O (versions 2 and 3), the text of blkparse, and the CSV files of MSR Cambridge,\n\
        Alibaba, Systor '17, Tencent CBS and the Storage Performance Council. Nothing is held in memory."
    )]
    Check(TraceCheckArgs),
}

/// `drivelab trace check`.
#[derive(Debug, Args)]
pub struct TraceCheckArgs {
    /// The file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Its format [default: its first line shows it].
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS)]
    pub format: Option<String>,
    /// Only operations of this device, volume or file of the trace.
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
}

/// Files for the traces of a methodology.
#[derive(Debug, Args)]
pub struct GivenTraces {
    /// Replay this file where the methodology replays the trace NAME; without a name, its trace "own".
    #[arg(long = "trace", value_name = "[NAME=]FILE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<String>,
}

/// A trace as the load of `drivelab io`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trace")]
pub struct TraceInArgs {
    /// Replay this recorded trace: operations, sizes, places and times are its own (see `drivelab trace check`).
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = CONFLICTS)]
    pub trace_in: Option<PathBuf>,
    /// Format of the trace [default: its first line shows it].
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS, requires = "trace_in")]
    pub trace_format: Option<String>,
    /// Only operations of this device, volume or file of the trace.
    #[arg(long, value_name = "NAME", requires = "trace_in")]
    pub trace_device: Option<String>,
    /// When its operations are issued [default: timed].
    #[arg(long, value_name = "MODE", value_parser = ["timed", "scaled", "capped-idle", "closed-loop"], requires = "trace_in")]
    pub replay: Option<String>,
    /// Gaps of a scaled replay as per cent of the recorded ones: 50 is twice as fast.
    #[arg(long, value_name = "PERCENT", requires = "trace_in")]
    pub replay_scale: Option<u64>,
    /// Longest gap of a capped-idle replay.
    #[arg(long, value_name = "TIME", requires = "trace_in")]
    pub idle_cap: Option<String>,
    /// Where operations go that lie outside the span [default: wrap].
    #[arg(long, value_name = "HOW", value_parser = ["wrap", "scale"], requires = "trace_in")]
    pub trace_fit: Option<String>,
    /// What is done with trims of the trace [default: skip].
    #[arg(long, value_name = "HOW", value_parser = ["skip", "send"], requires = "trace_in")]
    pub trace_trims: Option<String>,
}

/// What a trace has of its own.
const CONFLICTS: [&str; 23] = [
    "op",
    "write_percent",
    "trim_percent",
    "write_zeroes_percent",
    "flush_percent",
    "sync_every",
    "block",
    "pattern",
    "stride",
    "places",
    "seek_percent",
    "locality",
    "streams",
    "rate",
    "arrivals",
    "find_rate",
    "bursts",
    "think_time",
    "verify",
    "passes",
    "coverage",
    "ramp",
    "group",
];
