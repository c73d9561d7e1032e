//! The flags of `drivelab io` that are no keys of a load: target, groups, engine, safety, output. Those that are keys
//! stand in `args::load`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
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
  drivelab io .                                              4k random reads, one at a time, for 10 s
  drivelab io /mnt/drive --qd 32 --op mix=70                 70 % reads, 30 % writes, 32 in flight
  drivelab io . --op write --pattern sequential --block 1M --qd 8 --size 4GiB --time 1min
  drivelab io . --pattern random-once --coverage 50%         every block once, until half is read
  drivelab io . --block 4k:60,64k:40 --rate 10k              sizes mixed, 10,000 IOPS in open loop
  drivelab io disk.img --op read                             an existing file is only read
  drivelab io disk.img --op write --destroy disk.img         and written where it is named twice
  drivelab io . --qd 8 --group 'name=writer op=write block_size=64k rate=\"20 MB/s\"'
  drivelab io /dev/null --op write --direct off --qd 128     what the engine itself costs
  drivelab io nop: --qd 128 --json --no-save                 the same without a kernel device below
  drivelab io . --op write --qd 32 --time 30s --steady iops  until it is steady, in at most 25 rounds
  drivelab io . --trace-in mds_0.csv --qd 32 --replay capped-idle --idle-cap 25ms
  drivelab io . --qd 32 --print-method > mine.toml           from a one-liner to a methodology

From fio:
  fio --rw=randread --bs=4k --direct=1 --ioengine=io_uring --runtime=10 --time_based ...
      drivelab io FILE
  fio --rw=randrw --rwmixread=70 --rate_iops=7000,3000 --rate_process=poisson ...
      drivelab io FILE --op mix=70 --rate 10k --arrivals exponential
  fio --rw=write --bs=1m --verify=crc32c, then --verify_only
      drivelab io FILE --op write --verify headers --destroy FILE, then --op verify --of RUN

Exit codes as for every command; 8 also where a checked block is not what was written.";

/// `drivelab io`.
#[derive(Debug, Args)]
pub struct IoArgs {
    /// A folder (a scratch file is made there and removed), a file, a file to make (with --new-file), a block device,
    /// /dev/null, /dev/zero, or nop:.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: PathBuf,
    /// What is issued, in the words of the methodology language.
    #[command(flatten)]
    pub load: LoadArgs,
    /// What stands beside it.
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

/// What a load has beside the keys of its own: an order of hot blocks, CPUs of a node, other groups, what it checks.
#[derive(Debug, Args)]
pub struct BesideArgs {
    /// The hot blocks of zipf and pareto lie together at the start of the span.
    #[arg(long, requires = "locality", help_heading = "Order")]
    pub not_scattered: bool,
    /// Pin threads to the CPUs of this NUMA node.
    #[arg(long, value_name = "NODE", help_heading = "Depth and placement")]
    pub numa: Option<u32>,
    /// Another group of threads with a load of its own, at the same time: 'key=value …', keys as in a methodology
    /// (name, op, block_size, queue_depth, rate, weight, …); what it does not say is as in the main load. Repeatable.
    #[arg(long, value_name = "KEYS", help_heading = "Depth and placement")]
    pub group: Vec<String>,
    /// With --op verify: the run that wrote (its id, or enough of its beginning or end, or last). What it wrote, and
    /// how far it came, is taken from its records; unless stated, its span is read once, in large blocks.
    #[arg(long, value_name = "RUN", help_heading = "Verify")]
    pub of: Option<String>,
}

/// By which engine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Backend")]
pub struct EngineArgs {
    /// Engine that issues the I/O.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Operations in flight for longer than this are named, and given up so long after the load should have ended
    /// [default: 30s].
    #[arg(long, value_name = "TIME")]
    pub watchdog: Option<String>,
}

/// On what, and what may be lost.
#[derive(Debug, Args)]
#[command(next_help_heading = "Target and safety")]
pub struct SafetyArgs {
    /// Size of the scratch file (at most 10 % of free space), or the addresses of nop:, /dev/null and /dev/zero
    /// [default: 1GiB].
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Write the scratch file from end to end first. Done anyway where the load reads; without it, the first write of
    /// a block also makes the file system find room for it.
    #[arg(long)]
    pub fill: bool,
    /// Permit that this is overwritten: the existing file itself, or of a block device its serial number, its name in
    /// /dev/disk/by-id, or the kernel's name where it has no serial number (loop3).
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
    /// Keep nothing: no bundle, no catalog.
    #[arg(long)]
    pub no_save: bool,
    /// Write every operation as it was issued to this new file, one a line: thread, index, op, offset, length,
    /// intended_ns, submit_ns, latency_ns, errno, placement_handle.
    #[arg(id = "trace_out", long = "trace", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Print the load as a methodology file, to go on from there; touch nothing.
    #[arg(long, conflicts_with_all = ["dry_run", "json", "events"])]
    pub print_method: bool,
}
