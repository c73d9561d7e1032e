//! docs/metrics.md, printed from the table of metrics and the table of invariants.

use std::fmt::Write as _;

use drivelab_core::metric::Better;

use crate::analysis::ANALYSIS_VERSION;
use crate::metrics::table::METRICS;
use crate::topics::invariants::INVARIANTS;

/// What the session finds, of which the records of an execution say nothing.
const NOT_EMPTIED: &str = "\
    `not_emptied`, which the session notes, voids rates and latencies too: steps of a resumed run found what the step \
    that was cut off had already written, because the methodology neither discards nor fills the whole target before \
    them. What they verified stands.";
/// Longest line of a definition.
const WIDTH: usize = 110;

const HEAD: &str = "\
<!-- Printed from the tables in crates/analysis; do not edit. A test compares the two. -->
# Metrics

Every figure that drivelab shows is one of these. `drivelab explain RUN ADDRESS` follows a figure back to its
definition, its function and the records it comes from. An address is `STEP:METRIC`, such as
`corners/seq-1m-q8t1-read:read.throughput`, or `run:METRIC` for the whole run.

## What holds for all of them

- **Units.** MB is 10^6 bytes and GB 10^9; `us` is a microsecond.
- **Latency and response time.** Latency is the time from submission to completion. Response time is the time from the
  intended start to completion and exists only in an open loop, where operations arrive at times fixed in advance
  whatever the target does. The two are never mixed in one figure; no rank of the one is below that of the other.
- **Percentiles.** One with fewer than 5 operations beyond it is no figure: it is blank in tables and charts, `null` in
  JSON, empty in CSV, and in no comparison. The median takes 10 operations, p99 500, p99.9 5,000, p99.99 50,000; the
  exact maximum is always there. A curve of latency over time shows the 99th percentile where nine of ten intervals
  have one, else the median, else the longest, and says which.
- **Discards.** A trim moves no data: it has operations per second and times, and no MB/s.
- **Replays.** The rate of a replayed trace is the one over busy time; the rate with the pauses of the trace stands
  beside it as *with pauses*, and is no headline.
- **The measured part.** A step's ramp is recorded but is in no figure.
- **Kinds.** `read.*`, `write.*`, `trim.*`, `write_zeroes.*` and `flush.*` exist where the step asks for that kind;
  `total.*` is reads and writes together, the operations that move data.
- **Busy.** A CPU is busy in user mode, in the kernel and in interrupts (`drivelab_core::group::CoreTime::busy_ms`).
  Time that a hypervisor gave to others is stolen and shown beside it, waiting for a drive is idle. What asks whether a
  CPU had anything left (findings `busy_machine` and `host_full_together`) adds what was stolen.
- **The engine's account.** `cpu_*` and `engine.*` say what the measuring itself took. They contain the ramp.
- **Lower bounds.** Where user time of the issuing threads passes half of their time, or a closed loop without pauses
  had less than 90 % of the asked operations in flight, the load generator was the limit; where kernel time passes half
  (or both together 90 %), the host's CPU was. Half, because with more than that gone on this side the target could not
  have been asked for twice as much; 90 % of the depth, because refilling slots and draining at the end cost a few per
  cent and a tenth less is another load than the step's name says. Rates of such a step are lower bounds, shown with
  `≥`, and its latencies contain waiting on this side. Kernels split CPU
  time by what ran at their ticks, so that below 200 ms of it only the sum is judged, by half of the time. Where threads
  were ready to run for more than a tenth of their time and other programs had the CPU, those were the limit. Where a
  CPU quota took more than a hundredth of the step, and at least half of what they waited, that was, in open and closed
  loops. Steps below 10 ms say nothing about either. Where drivelab itself stood still for more than a hundredth of the
  time (stopped, frozen, suspended: none of its threads ran, and none waited for a CPU), that was. Stops
  shorter than 75 ms may be missed: the clock is read every 25 ms, and a reading must be 50 ms late.
- **Disturbed figures.** The kernel counts what every device moves, whoever asked for it. Where others moved more than
  5 % of the execution's own bytes and more than 1 MB/s, on the device that is measured or on one below it (the disk of
  a loop device's file, what LUKS, LVM, md, a partition or multipath lies on), every figure of the step is marked but
  the rates of a schedule that was kept to 2 %, which are those that were asked for:
  `▲` alone it would be higher, `▼` lower, `◆` another (figures of which neither direction is better). In JSON it is
  `spoiled_by` with the codes of the findings and `wrong` (`too_low`, `too_high`, `either_way`), in CSV two columns. It
  voids nothing.
  What the target's own stack moves is not counted as I/O of others:
  - encryption, linear and striped volumes, loop devices with direct I/O: each byte once. Below a loop device also
    16 KiB of the file system's journal for each flush of the load, at most 250 a second;
  - mirrors: a write for each copy (two in RAID 10), and the pages of the array's bitmap;
  - arrays with parity: two writes and up to two reads for a write with one parity, three and three with two, because
    writes of whole stripes cannot be recognised; and the bitmap;
  - the page cache (a buffered load, a loop device without direct I/O): each byte once, what was still on its way, and
    whole pages for blocks below 4 KiB;
  - copy-on-write file systems (btrfs, bcachefs, f2fs, nilfs2): 28 KiB written and 8 KiB read for each write at a random
    place, which is seven times a block of 4 KiB and 3 % of 1 MiB, and a quarter of the bytes written in order;
  - a load that trims on a file system: all writes.

  Some stacks may move more. In that range the cause is unknown and every figure is marked `◆` (`others_perhaps`): up
  to twice the bytes for random blocks below 128 KiB through a page cache, which may read ahead; a read of each
  member for a write and of all other members for a read, with parity; eight times the bytes written, on
  copy-on-write file systems; 16 KiB for every flush, below a loop device. Anything beyond is I/O of others.

  Operations are judged as well, because few bytes can be many seeks: others are marked where they did more than 5 % of
  the execution's own operations, more than 20 a second and more than 100. In short steps and beside slow loads another
  limit is lower: more than half of the execution's own operations and more than 25. This needs a stack in which one
  operation above is one below: the measured device with direct I/O, and encryption, a linear volume or a loop device
  with direct I/O on a single device; not copy-on-write file systems. Operations above the device's `request_size`
  (64 KiB where that is not on record, and below encryption and volumes) may be split, and flushes of the load may be
  counted as reads or writes. Beside a load that writes through a file system only reads are judged, because the journal
  writes too.

  Not judged: writes beside loads on sets of files, and layers whose I/O to their devices is unknown (thin pools,
  snapshots, caches, dm-integrity, md arrays with a journal, loop devices on btrfs or ZFS). A finding says both
  (`others_not_watched`). What a hypervisor's host does below a virtual disk cannot be seen.
- **Overload.** An open loop is overloaded where its backlog grew by more than 1 % of the asked rate (least squares over
  the intervals), by more than the slots hold and, with random gaps, by more than three standard deviations of the
  number of arrivals, and did so throughout: the line explains 70 % of the growth, which a stall just before the end of
  a step of 8 s or more does not reach. Its response times grow with the length of the step and are void; the growth
  per second is the result.
- **Rounds.** A test says how its rounds become one figure: mean, best or median. Best is the largest round where
  higher is better and the smallest where lower is better, chosen for each metric by itself; figures without a better
  direction take the mean. Percentiles and maxima under mean come from the merged histogram of all rounds. The best
  of many rounds grows with their number: compare it only with the best of as many. Where a test runs its rounds in
  sets, best and median are taken of each set, and the value is the mean of the sets.
- **Spread.** From two rounds on: smallest, largest, mean, median, sample standard deviation. Seconds within a round
  are never treated as independent samples.
- **Interval.** From three rounds on, the 95 % interval of the mean of the rounds by Student's t: mean ± t × standard
  deviation / √n, with t = 4.303 for three rounds and 2.776 for five. It is given only beside a value that is this
  mean. A median, a best round, a sum and a percentile from the merged histogram have none: the interval would not be
  theirs. It is left out too where it would reach below zero, as it does for few rounds that lie far apart (tails of
  latency do): no figure here can be negative, so Student's t does not describe such rounds; cutting it off at zero
  would not be 95 %, and an interval on the logarithmic scale would be of the geometric mean, which is not the value.
  The rounds and their smallest and largest are always there. Worked by hand: rounds of 40, 50 and 60 have the mean
  50, the deviation 10, and 50 ± 4.303 × 10 / √3 = 25.2 … 74.8; rounds of 10, 20 and 30 would give -4.8 … 44.8 and
  have none.
- **By size and by group.** Where sizes are mixed or several groups of threads ran, tables show the same figures of the
  operations of one size or one group (`drivelab_analysis::classes`): operations and times of all rounds are added up,
  distributions are merged, whatever the test says about rounds.
- **Steady tests.** Only the rounds of the reported window count: the last five, steady where (max - min) / mean is at
  most 20 % and the least-squares line moves by at most 10 % of the mean.
- **Searches.** A test that searches the rate at which the response time reaches a bound has another rate in each
  round. Its figures are those of the one round with the highest rate that kept the bound (where none did, with the
  lowest rate, whose rates are void). A round has kept it where the percentile over everything that arrived is within
  the bound; arrivals that were not served by the end, and those that ended in errors, count as longer than any bound;
  and where the backlog did not grow. The finding `rate_found` names the two rates that enclose the limit.
- **Curves.** A load is run at full speed (a closed loop), then at shares of the rate that it reached (open loops). Each
  point has the figures of a step, and beside them those of reads and writes together: `total.latency_*` counts from
  submission to completion, which is what load generators with a bounded number of threads show as response time, and
  `total.response_*` from the intended start. Above full speed the first hardly grows, since no more than the load's
  slots are in flight, and the second has no steady value: the growth of the backlog is the result. From 100 % on that
  is what a curve asks for (finding `curve_overloaded`, a note); an overloaded point below is one like any other
  (finding `open_loop_overloaded`).
- **The knee of a curve** is the point from which on more load buys mostly waiting (`drivelab_analysis::curve::knee`).
  Mean latency is drawn over operations per second for the points (full speed itself is a closed loop and left out),
  both scaled to 0 at the lowest share and 1 at the highest; the knee is the point that lies furthest below the
  straight line from the first to the last. There is none with fewer than four points, where the latency of the last is
  not twice that of the first, or where no point lies a tenth below the line. Worked by hand: with 10, 40, 70, 90 and
  100 operations per second in 1, 1, 2, 4 and 11 µs, the scaled points are (0, 0), (1/3, 0), (2/3, 0.1), (8/9, 0.3)
  and (1, 1); they lie 0, 0.33, 0.57, 0.59 and 0 below the line: the knee is at 90.
- **The end of a write cache.** A fill is cut into 200 parts of equal size, and of each the logarithm of its rate is
  taken. Of all places with at least 3 % of the span before them and 5 % behind them, the one is looked for at which
  two levels leave the least squares. It is the end of a cache where the rate falls by a fifth or more; the two levels
  are six standard errors apart (more for few intervals), with two recorded intervals each; by pieces of 2 % of the
  span, three quarters of what came before are faster than the middle of both levels (half of the way from one to the
  other by factors), three fifths of what follows slower, and half of its last quarter; and the fall is a step: two
  thirds of it are done within 5 % (and eight intervals) to each side and two levels explain the rate better than a
  line does, or 85 % of it are and they explain it nearly as well. A step must be more than noise can make of a slow
  decline: the rates right beside it are seven standard errors apart, or two levels explain the fill better than a
  line at odds of e^10 to one. Where no such place is found, it is looked for once more with each part held to three
  standard deviations around the median of the nine intervals around it, so that short gaps do not hide it. Where what
  lies before it has such an end itself, by half as much again or more, the first is the end, and its levels are those
  before and behind that step. A fast start of at most 3 % of the span, or of half a second and at most a tenth, is a
  burst (`write_burst`) and left out before that. Without such an end, a rate that sinks by a fifth or more along a
  line is a slow decline (`write_ramp`), unless it falls at one place by a fifth more than the lines before and behind
  that place explain, six standard errors high: that is the end of a cache too, the
  middle is then between the ends of these lines, and `fill.late_decline` says what came behind it. What has every
  mark of an end, but lies only half as many standard errors apart or more, is too little to tell
  (`write_cache_too_little`), as are fewer than 20 recorded intervals; so a small fall hidden by a rate that varies is
  not seen. All else is *not seen* (`write_cache_not_seen`), also where the rate fell and recovered. A gap
  (`write_stalled`) is a time in which next to nothing was written, that cost a quarter of a second or more beyond
  what the rate around it explains (at the end of a cache the slower one); more than five gaps, in more than a
  twentieth of the intervals, are how the drive writes.
- **Heat over minutes.** In an execution that runs as fast as it can (no schedule, no pauses), a fall is a rate that
  stays at least a tenth below the rate before it for 5 s or longer, after the first 30 s
  (`drivelab_analysis::throttle::falls`); the rate before it is the mean of the first 30 s, of the last fall, or of a
  recovery by a tenth that lasted as long. A fall counts as throttling (finding `throttled_by_heat`) only where the
  drive was no cooler in these seconds than when the rate fell: a write cache that is full lowers the rate too, and lets
  the drive cool; a fill in order is left out, since its falls are those of the cache. Executions of two minutes and
  more hold their last minute against the first, with the time at or above the drive's limit of warning beside it
  (finding `first_and_last_minute`). `heat.*` are the same as figures, of executions of two minutes and more.
- **Recovery of a load.** Where a test says to which earlier one it has to come back (`recovers_to`), its first round is
  cut into minutes (into tenths where it is shorter than ten of them, `drivelab_analysis::topics::state::recovery`); it
  has recovered with the first of them whose rate is at least the mean of the earlier test's first round, and the time
  is that until this part begins (finding `load_recovered`, or `load_not_recovered`).
- **Points of a response test.** Of a test with a cell for each pair of threads and queue depths, MAX is the one with
  the highest rate and a mean latency below 5 ms, MIN the one with the fewest operations in flight, MID the one whose
  rate is nearest to the middle of both (`drivelab_analysis::topics::state::demand`, finding `demand_points`). A table
  of which a cell did not run names none.
- **Printed and measured.** A test may be the twin of a figure of the drive's data sheet
  (`drivelab_analysis::data_sheet::sheet`): the metric of its best step (the highest rate, the shortest mean latency,
  the highest mean power, the largest cache) is held against the printed figure, in MB/s, IOPS, µs, W or GB; idle power
  is the mean over the longest idle step. The ratio is measured over printed. A rate or size counts as met from 95 % of
  the printed one on, a latency or power up to 105 %, since makers print two or three digits. One that is worse is
  missed, or undecided where the step was limited on this side, so that the drive may be able to do it. In the smoke
  form nothing is judged. Worked by hand: 2,108 of 3,300 thousand IOPS are 63.9 %, missed; 7,696 of 7,500 MB/s are 102.6
  %, met.
- **Likely causes** of a missed figure are named where the records speak for them: this host (the step's limit); the
  link (what is printed, random operations times their size, is more than it carries; or it is below what is possible
  and the measured rate is at least 80 % of it); heat (finding `throttled_by_heat`); the write cache (a fill was within
  5 % of the printed rate until it ended); the drive's state (a test or preparation did not become steady, or the state
  that the test asks for was not there); a filled drive (a write on a target of which half holds data, where the test
  does not ask for that); too few threads or too little in flight (from the last step but one to the last, which was the
  best, the rate grew by more than 5 %); a layer between (a file, a virtual disk). Where none speaks, that is said.
- **Endurance** (`drivelab_analysis::data_sheet::tbw`, `dwpd`). Rated bytes are drive writes per day × capacity × 365 ×
  years of the warranty, and the other way round; the capacity is the one sold. Worked by hand: 1,432 TB on 1.8 TB over
  five years are 1,432 / (1.8 × 365 × 5) = 0.436 drive writes a day; 1 DWPD on 7.68 TB over five years are 14,016 TB.
  Shares of the rated bytes are what this run has written (`run.bytes_written`) and what the drive says hosts wrote in
  its life before. What a drive bears by its own count is those bytes over the endurance that it says is used, from 3 %
  on, since it counts in whole per cents. Days at the full rate are what is left of the rated bytes over the measured
  sequential write rate.
- **Cut-off executions.** A round that was stopped early counts only where the step has no other.
- **Preparation.** Steps that prepare the target have the same figures; they describe the preparation and are no
  results.
- **Void.** Where an invariant (see the end of this page) does not hold, the figures concerned have no value and name
  it.
";

/// The text of docs/metrics.md.
#[must_use]
pub fn metrics_markdown() -> String {
    let mut out = HEAD.to_owned();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "\nAnalysis version {ANALYSIS_VERSION}.\n\n## The metrics");
    for metric in METRICS {
        let (unit, better) = (unit(metric.unit), better(metric.better));
        let _ = writeln!(out, "\n### `{}`\n\n**{}**, unit: {unit}; {better}.\n", metric.id, metric.title);
        wrap(&mut out, metric.definition);
        let _ = writeln!(out, "\nFunction: `{}`.", metric.function);
    }
    out.push_str("\n## Invariants\n\n");
    wrap(
        &mut out,
        "What must hold in every execution. A violation is a finding with this code and voids the figures it concerns.",
    );
    out.push_str("\n| Code | What must hold |\n|---|---|\n");
    for invariant in INVARIANTS {
        let _ = writeln!(out, "| `{}` | {} |", invariant.finding.code, invariant.rule);
    }
    out.push('\n');
    wrap(&mut out, NOT_EMPTIED);
    out
}

/// Adds a paragraph in lines of at most [`WIDTH`] characters.
fn wrap(out: &mut String, text: &str) {
    let mut width = 0;
    for word in text.split_whitespace() {
        if width > 0 && width + 1 + word.len() > WIDTH {
            out.push('\n');
            width = 0;
        }
        if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += word.len();
    }
    out.push('\n');
}

fn unit(unit: &str) -> &str {
    match unit {
        "us" => "microseconds (us)",
        "%" => "per cent",
        "s" => "seconds",
        "ns" => "nanoseconds",
        other => other,
    }
}

const fn better(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher is better",
        Better::Lower => "lower is better",
        Better::Neutral => "neither direction is better",
    }
}
