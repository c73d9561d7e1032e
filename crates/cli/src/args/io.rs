//! The flags of `drivelab io` that are not keys of a load: target, groups, engine, safety, output. Those that are keys
//! are in `args::load`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use drivelab_core::environment::TargetKind;
use drivelab_method::SpeedGuess;

use super::load::LoadArgs;
use super::measure::PrintArgs;
use super::telemetry::TelemetryArgs;
use super::trace::TraceInArgs;
use super::words::BackendArg;
use super::words::assumed_rate;

/// Shown below the help: by task.
pub(super) const EXAMPLES: &str = "\
Examples:
  drivelab io .                                              4k random reads, QD1, for 10 s
  drivelab io /mnt/drive --qd 32 --op mix=70                 70 % reads, 30 % writes, 32 in flight
  drivelab io . --op write --pattern sequential --block 1M --qd 8 --size 4GiB --time 1min
  drivelab io . --pattern random-once --coverage 50%         every block once, until half is read
  drivelab io . --block 4k:60,64k:40 --rate 10k              sizes mixed, 10,000 IOPS in open loop
  drivelab io disk.img --op read                             reads of an existing file
  drivelab io disk.img --op write --destroy disk.img         writes: the file is named twice
  drivelab io . --qd 8 --group 'name=writer op=write block_size=64k rate=\"20 MB/s\"'
  drivelab io /dev/null --op write --direct off --qd 128     the cost of the engine itself
  drivelab io nop: --qd 128 --json --no-save                 the same, without any device
  drivelab io . --op write --qd 32 --time 30s --steady iops  until steady, 25 rounds at most
  drivelab io . --trace-in mds_0.csv --qd 32 --replay capped-idle --idle-cap 25ms
  drivelab io . --qd 32 --print-method > mine.toml           a methodology from a load

From fio:
  fio --rw=randread --bs=4k --direct=1 --ioengine=io_uring --runtime=10 --time_based ...
      drivelab io FILE
  fio --rw=randrw --rwmixread=70 --rate_iops=7000,3000 --rate_process=poisson ...
      drivelab io FILE --op mix=70 --rate 10k --arrivals exponential
  fio --rw=write --bs=1m --verify=crc32c, then --verify_only
      drivelab io FILE --op write --verify headers --destroy FILE, then --op verify --of RUN

Exit codes are those of every command (docs/exit-codes.md). 8 also means that a checked block does not hold what was \
written.";

/// `drivelab io`.
#[derive(Debug, Args)]
pub struct IoArgs {
    /// What the load runs on.
    #[arg(value_hint = ValueHint::AnyPath, help = format!(
        "A folder (a scratch file is made there and removed), a file, a file to create (with --new-file), a block device, {}",
        TargetKind::STORING_NOTHING
    ))]
    pub target: PathBuf,
    /// What is issued, in the words of the methodology language.
    #[command(flatten)]
    pub load: LoadArgs,
    /// What the keys of a load do not state.
    #[command(flatten)]
    pub beside: BesideArgs,
    /// Which part of the trace is replayed.
    #[command(flatten)]
    pub trace: TraceInArgs,
    /// By which engine.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// On what.
    #[command(flatten)]
    pub safety: SafetyArgs,
    /// What is watched beside it.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
    /// What comes out.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What the keys of a load do not state: the order of hot blocks, CPUs of a node, other groups, the run to check.
#[derive(Debug, Args)]
pub struct BesideArgs {
    /// Put the hot blocks of zipf and pareto together at the start of the span.
    #[arg(long, requires = "locality", help_heading = "Order")]
    pub not_scattered: bool,
    /// Pin threads to the CPUs of this NUMA node.
    #[arg(long, value_name = "NODE", help_heading = "Depth and placement")]
    pub numa: Option<u32>,
    /// Another group of threads with a load of its own, at the same time: 'key=value …', keys as in a methodology
    /// (name, op, block_size, queue_depth, rate, weight, …). Keys that it does not state are as in the main load. Can
    /// be repeated.
    #[arg(long, value_name = "KEYS", help_heading = "Depth and placement")]
    pub group: Vec<String>,
    /// With --op verify: the run whose writes are checked (its id, its first or last characters, or last). Its records
    /// state what it wrote, and how far it got. Unless stated otherwise, its span is read once, in large blocks.
    #[arg(long, value_name = "RUN", help_heading = "Verify")]
    pub of: Option<String>,
}

/// By which engine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Backend")]
pub struct EngineArgs {
    /// How the I/O is issued.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Report operations that are in flight for longer than this, and give them up when the load should have ended this
    /// long ago [default: 30s].
    #[arg(long, value_name = "TIME")]
    pub watchdog: Option<String>,
}

/// On what, and what may be lost.
#[derive(Debug, Args)]
#[command(next_help_heading = "Target and safety")]
pub struct SafetyArgs {
    /// Size of the scratch file (at most 10 % of free space), or the addresses of a target that stores nothing
    /// [default: 1GiB].
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Write the whole scratch file first. This is always done if the load reads. Without it, the first write of a
    /// block includes the time in which the file system allocates it.
    #[arg(long)]
    pub fill: bool,
    /// Allow the target to be overwritten. For a file: its path. For a block device: its serial number, its name in
    /// /dev/disk/by-id, or its kernel name (loop3) if it has no serial number.
    #[arg(long, value_name = "ID", value_hint = ValueHint::FilePath)]
    pub destroy: Option<PathBuf>,
    /// Do not ask. This alone allows nothing: a block device also needs --destroy.
    #[arg(long)]
    pub yes: bool,
    /// Create the target as a scratch file, in an existing folder, and remove it at the end. Without this flag, a
    /// target that does not exist is an error.
    #[arg(long)]
    pub new_file: bool,
    /// Print what would be done, how long it takes and how much it writes, without doing it.
    #[arg(long)]
    pub dry_run: bool,
    /// Estimate time and bytes for a drive with this sequential rate, such as 3.5GB/s, and random rates in proportion
    /// [default: 500MB/s].
    #[arg(long, value_name = "RATE", requires = "dry_run", value_parser = assumed_rate)]
    pub assume_rate: Option<SpeedGuess>,
}

/// What comes out.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Result or events as JSON.
    #[command(flatten)]
    pub print: PrintArgs,
    /// Do not store the result.
    #[arg(long)]
    pub no_save: bool,
    /// Write every operation as it was issued to this new file, one per line: thread, index, op, offset, length,
    /// intended_ns, submit_ns, latency_ns, errno, placement_handle.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Print the load as a methodology file, as a start for one of your own; touch nothing.
    #[arg(long, conflicts_with_all = ["dry_run", "json", "events"])]
    pub print_method: bool,
}
