//! The flags of `drivelab io`, under the headings by which its help is organised.
//!
//! Where a flag's value is more than a word or a number it stays text here: `commands::io` turns it into the value of
//! the methodology key of the same name, and the methodology language's own checker judges it.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use drivelab_method::SpeedGuess;

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

/// An answer of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    /// Yes.
    On,
    /// No.
    Off,
}

impl OnOff {
    /// As a truth value.
    #[must_use]
    pub const fn is_on(self) -> bool {
        matches!(self, OnOff::On)
    }
}

/// `drivelab io`.
#[derive(Debug, Args)]
pub struct IoArgs {
    /// A folder (a scratch file is made there and removed), a file, a file to make (with --new-file), a block device,
    /// /dev/null, /dev/zero, or nop:.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub target: PathBuf,
    /// What is issued.
    #[command(flatten)]
    pub what: WhatArgs,
    /// Where it goes.
    #[command(flatten)]
    pub order: OrderArgs,
    /// How much at a time, and on which CPUs.
    #[command(flatten)]
    pub depth: DepthArgs,
    /// How often.
    #[command(flatten)]
    pub rate: RateArgs,
    /// The trace that is replayed instead.
    #[command(flatten)]
    pub trace: TraceInArgs,
    /// What is written.
    #[command(flatten)]
    pub data: DataArgs,
    /// Whether it is checked.
    #[command(flatten)]
    pub verify: VerifyArgs,
    /// Past the page cache or through it.
    #[command(flatten)]
    pub buffered: BufferedArgs,
    /// How long.
    #[command(flatten)]
    pub duration: DurationArgs,
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

/// Operations and sizes.
#[derive(Debug, Args)]
#[command(next_help_heading = "What")]
pub struct WhatArgs {
    /// read, write, trim, write-zeroes, flush, verify, or mix=70 for 70 % reads and 30 % writes [default: read].
    #[arg(long, value_name = "OP", conflicts_with = "write_percent")]
    pub op: Option<String>,
    /// Share of operations that write, per cent; the rest reads.
    #[arg(long, value_name = "PERCENT")]
    pub write_percent: Option<u64>,
    /// Share of operations that trim (discard; a hole in a file), per cent.
    #[arg(long, value_name = "PERCENT")]
    pub trim_percent: Option<u64>,
    /// Share of operations that write zeroes, per cent.
    #[arg(long, value_name = "PERCENT")]
    pub write_zeroes_percent: Option<u64>,
    /// Share of operations that flush (fdatasync), per cent.
    #[arg(long, value_name = "PERCENT")]
    pub flush_percent: Option<u64>,
    /// A flush after every so many writes of a thread.
    #[arg(long, value_name = "WRITES")]
    pub sync_every: Option<u64>,
    /// Bytes of one operation (k is binary), or sizes with their shares: 4k:60,64k:40 [default: 4k].
    #[arg(long, visible_alias = "block-size", value_name = "SIZE")]
    pub block: Option<String>,
    /// What the shares of mixed sizes are of.
    #[arg(long, value_name = "WHAT", value_parser = ["operations", "bytes"])]
    pub block_shares_of: Option<String>,
}

/// Where operations go, and in which order.
#[derive(Debug, Args)]
#[command(next_help_heading = "Order")]
pub struct OrderArgs {
    /// Order of offsets; random repeats blocks, random-once touches each once before any again [default: random].
    #[arg(long, value_name = "ORDER", value_parser = ["sequential", "reverse", "random", "random-once"])]
    pub pattern: Option<String>,
    /// Distance between the starts of sequential operations, such as 64k.
    #[arg(long, value_name = "SIZE")]
    pub stride: Option<String>,
    /// Only so many blocks of the span in sequential order: its ends, both sides of powers of two, a run and a grid,
    /// and drawn ones.
    #[arg(long, value_name = "N")]
    pub places: Option<u64>,
    /// Share of sequential operations that jump to a random block and go on from there, per cent.
    #[arg(long, value_name = "PERCENT")]
    pub seek_percent: Option<u64>,
    /// Where random operations go: uniform, zipf:1.1, pareto:0.2, normal:10 (deviation in per cent of the span),
    /// zones:50/5,30/15,20/80 (accesses/span), hot-band:70/0-20 (accesses/from-to).
    #[arg(long, value_name = "SPREAD")]
    pub locality: Option<String>,
    /// The hot blocks of zipf and pareto lie together at the start of the span.
    #[arg(long, requires = "locality")]
    pub not_scattered: bool,
    /// How threads share the span: a stretch each, the whole span each, one stream for all, or the whole span each
    /// with reads and writes from a place of their own.
    #[arg(long, value_name = "HOW", value_parser = ["disjoint", "overlapping", "shared", "by-kind"])]
    pub streams: Option<String>,
    /// Part of the target that is touched: a size, a share such as 50%, or OFFSET+LENGTH such as 10%+1GiB.
    #[arg(long, value_name = "PART")]
    pub span: Option<String>,
}

/// Depth and placement.
#[derive(Debug, Args)]
#[command(next_help_heading = "Depth and placement")]
pub struct DepthArgs {
    /// Operations in flight per thread, 1 to 65535 [default: 1].
    #[arg(long = "qd", visible_alias = "queue-depth", value_name = "COUNT")]
    pub queue_depth: Option<u64>,
    /// Threads that issue I/O, 1 to 1024, each with a ring of its own.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub threads: u64,
    /// CPUs that threads are pinned to in turn, such as 0,2-3.
    #[arg(long, value_name = "LIST", conflicts_with = "numa")]
    pub cpus: Option<String>,
    /// Pin threads to the CPUs of this NUMA node.
    #[arg(long, value_name = "NODE")]
    pub numa: Option<u32>,
    /// Ceiling mode: wait for so many completions at a time; latencies then contain that waiting, and are marked.
    #[arg(long, value_name = "COUNT")]
    pub batch: Option<u64>,
    /// Place writes by this placement handle of an NVMe namespace with Flexible Data Placement, 0 to 127; as root.
    #[arg(long, value_name = "HANDLE")]
    pub placement_handle: Option<u64>,
    /// Share of the main load among the groups, as weight= is of a group: of --rate, or, without one, of the numbers
    /// of operations, which are kept in that proportion.
    #[arg(long, value_name = "COUNT", requires = "group")]
    pub weight: Option<u64>,
    /// Another group of threads with a load of its own, at the same time: 'key=value …', keys as in a methodology
    /// (name, op, block_size, queue_depth, rate, weight, …); what it does not say is as in the main load. Repeatable.
    #[arg(long, value_name = "KEYS")]
    pub group: Vec<String>,
}

/// When operations are issued.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rate")]
pub struct RateArgs {
    /// Open loop: this many operations or bytes per second over all threads, whatever the target does: 10k, 50MB/s.
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    /// Spacing of an open loop's arrivals [default: constant].
    #[arg(long, value_name = "SPACING", value_parser = ["constant", "exponential", "uniform"])]
    pub arrivals: Option<String>,
    /// Find the highest rate at which a percentile of the response time keeps a bound: p99=1ms, or between two rates,
    /// p99.9=5ms,1k..200k. Each round (12 at most, or --rounds) tries another rate for --time.
    #[arg(long, value_name = "PERCENTILE=TIME", conflicts_with = "rate")]
    pub find_rate: Option<String>,
    /// Active and idle in turn: by time, such as 1s/2s, or by volume with pauses for a duty cycle, such as 32MB/20%.
    /// (--duty-cycle is one of whole rounds.)
    #[arg(long, value_name = "ON/OFF")]
    pub bursts: Option<String>,
    /// In a closed loop, time between the end of an operation and the next one of its slot.
    #[arg(long, value_name = "TIME")]
    pub think_time: Option<String>,
}

/// The words of `--data-kind`.
pub const DATA_KINDS: [&str; 5] = ["incompressible", "zero", "one-block", "pattern", "file"];

/// What is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Data")]
pub struct DataArgs {
    /// What is written; one-block repeats one random block per thread [default: incompressible]. (--data is the folder
    /// for results.)
    #[arg(long, value_name = "KIND", value_parser = DATA_KINDS)]
    pub data_kind: Option<String>,
    /// Share of each block that compresses away, per cent.
    #[arg(long, value_name = "PERCENT")]
    pub compress_percent: Option<u64>,
    /// Share of the blocks that repeat one written before, per cent.
    #[arg(long, value_name = "PERCENT")]
    pub dedup_percent: Option<u64>,
    /// How far back a compressor may look and find nothing [default: 1 MiB, more on ZFS and where the storage is out of
    /// sight].
    #[arg(long, value_name = "SIZE")]
    pub data_window: Option<String>,
    /// Bytes that are repeated, in hexadecimal: deadbeef. Means --data-kind pattern.
    #[arg(long, value_name = "HEX")]
    pub data_pattern: Option<String>,
    /// File whose bytes are written again and again. Means --data-kind file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "data_pattern")]
    pub data_file: Option<PathBuf>,
}

/// Whether what was written is checked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Verify")]
pub struct VerifyArgs {
    /// Writes carry a header per block; headers are checked later by --op verify --of RUN, or at once
    /// [default: off].
    #[arg(long, value_name = "HOW", value_parser = ["off", "headers", "at-once"])]
    pub verify: Option<String>,
    /// With --op verify: the run that wrote (its id, or enough of its beginning or end, or last). What it wrote, and
    /// how far it came, is taken from its records; unless stated, its span is read once, in large blocks.
    #[arg(long, value_name = "RUN")]
    pub of: Option<String>,
}

/// Past the page cache or through it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Buffered")]
pub struct BufferedArgs {
    /// Direct I/O past the page cache, or through it (caches are dropped first, and the result is marked)
    /// [default: on; off for /dev/null and /dev/zero].
    #[arg(long, value_enum, value_name = "ON/OFF")]
    pub direct: Option<OnOff>,
}

/// When it ends.
#[derive(Debug, Args)]
#[command(next_help_heading = "Duration")]
pub struct DurationArgs {
    /// Measured time; the ramp is not counted [default: 10s, where nothing else says when to end].
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Time at the start that is left out of the results.
    #[arg(long, value_name = "TIME")]
    pub ramp: Option<String>,
    /// Stop after so many bytes, reads and writes together.
    #[arg(long, visible_alias = "volume", value_name = "SIZE")]
    pub bytes: Option<String>,
    /// Stop after so many operations.
    #[arg(long, value_name = "COUNT")]
    pub operations: Option<u64>,
    /// Stop when the whole span was touched so many times; not for --pattern random.
    #[arg(long, value_name = "COUNT")]
    pub passes: Option<u64>,
    /// Stop when this share of the span was touched, such as 50%; not for --pattern random.
    #[arg(long, value_name = "PERCENT")]
    pub coverage: Option<String>,
    /// Never last longer than this [default: 1 h, or twice --time].
    #[arg(long, value_name = "TIME")]
    pub cap: Option<String>,
    /// Measure so many times; with --find-rate and --steady, at most so many [default: 1; 12; 25].
    #[arg(long, value_name = "COUNT")]
    pub rounds: Option<u64>,
    /// Repeat until this figure is steady: in five rounds in turn it keeps within 20 % of its mean and its trend within
    /// 10 % (SNIA). The result is of these rounds. Each lasts for --time; --rounds is the most there may be.
    #[arg(long, value_name = "FIGURE", value_parser = ["iops", "throughput", "latency-mean"], conflicts_with = "find_rate")]
    pub steady: Option<String>,
    /// Active share of the time, per cent: after each round, a rest so long that this is met, of 10 min at most. For
    /// pauses within a round: --bursts.
    #[arg(long, value_name = "PERCENT")]
    pub duty_cycle: Option<u64>,
}

/// By which engine, and what it does with errors.
#[derive(Debug, Args)]
#[command(next_help_heading = "Backend")]
pub struct EngineArgs {
    /// Engine that issues the I/O.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// What errors of single operations do: scattered ones are survived, the first stops, or none stops
    /// [default: tolerate].
    #[arg(long, value_name = "WHAT", value_parser = ["tolerate", "stop", "keep"])]
    pub errors: Option<String>,
    /// Operations in flight for longer than this are named, and given up so long after the load should have ended
    /// [default: 30s].
    #[arg(long, value_name = "TIME")]
    pub watchdog: Option<String>,
    /// Seed of offsets, operation draws and data.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
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
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Print the load as a methodology file, to go on from there; touch nothing.
    #[arg(long, conflicts_with_all = ["dry_run", "json", "events"])]
    pub print_method: bool,
}
