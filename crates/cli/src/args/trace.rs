//! The flags for traces: `drivelab trace`, files for a methodology's traces, and the replay of `drivelab io`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

/// Names of the formats, as in methodologies.
const FORMATS: [&str; 8] = ["fio_v2", "fio_v3", "blkparse", "msr", "alibaba", "systor17", "tencent", "spc"];

/// `drivelab trace`.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Read a whole trace: what is in it, or the first line that is wrong.
    #[command(
        after_help = "Examples:\n  drivelab trace check mds_0.csv\n  drivelab trace check all.csv --device 12\n  \
        drivelab io . --trace-in mds_0.csv --qd 32            replay it as recorded\n  \
        drivelab run application-traces . --trace mds_0.csv   with the built-in ones\n\n\
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
    /// Replays FILE instead of the methodology's trace NAME [default: its trace `own`].
    #[arg(long = "trace", value_name = "[NAME=]FILE", value_hint = ValueHint::FilePath, help_heading = "Traces")]
    pub traces: Vec<String>,
}

/// Which part of the trace `drivelab io --trace-in` replays.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trace")]
pub struct TraceInArgs {
    /// Format of the trace [default: its first line shows it].
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS, requires = "trace-in")]
    pub trace_format: Option<String>,
    /// Only operations of this device, volume or file of the trace.
    #[arg(long, value_name = "NAME", requires = "trace-in")]
    pub trace_device: Option<String>,
}
