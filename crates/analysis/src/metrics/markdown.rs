//! docs/metrics.md, printed from the table of metrics and the table of invariants.

use std::fmt::Write as _;

use drivelab_core::metric::Better;

use crate::analysis::ANALYSIS_VERSION;
use crate::metrics::table::METRICS;
use crate::topics::invariants::INVARIANTS;

/// A finding of the session, which does not follow from the records of an execution.
const NOT_EMPTIED: &str = "\
    `not_emptied`, which the session reports, voids rates and latencies too: steps of a resumed run found what the \
    interrupted step had already written, because the methodology neither discards nor fills the whole target before \
    them. What they verified remains valid.";
/// Longest line of a definition.
const WIDTH: usize = 110;

const HEAD: &str = "\
<!-- Printed from the tables in crates/analysis; do not edit. A test compares the two. -->
# Metrics

This page defines every figure that drivelab shows. `drivelab explain RUN ADDRESS` traces a figure back to its
definition, its function and the records that it comes from. An address is `STEP:METRIC`, such as
`corners/seq-1m-q8t1-read:read.throughput`, or `run:METRIC` for the whole run.

## Rules for all metrics

- **Units.** MB is 10^6 bytes and GB 10^9; `us` is a microsecond.
- **Latency and response time.** Latency is the time from submission to completion. Response time is the time from the
  intended start to completion. It exists only in an open loop, where operations arrive at times fixed in advance,
  whatever the target does. No figure mixes the two, and no rank of the response times is below that of the latencies.
- **Percentiles.** A percentile needs at least 5 operations beyond it: the median needs 10 operations, p99 500, p99.9
  5,000, p99.99 50,000. With fewer, it is blank in tables and charts, `null` in JSON, empty in CSV, and left out of
  comparisons. The exact maximum is always given. A curve of latency over time shows the 99th percentile if nine of ten
  intervals have one, else the median, else the longest latency, and states which.
- **Discards.** A trim moves no data: it has operations per second and times, but no MB/s.
- **Replays.** The rate of a replayed trace is the rate over busy time. The rate that includes the pauses of the trace
  is shown beside it as *with pauses* and is never the headline.
- **The measured part.** A step's ramp is recorded but is part of no figure.
- **Kinds.** `read.*`, `write.*`, `trim.*`, `write_zeroes.*` and `flush.*` exist if the step requests that kind;
  `total.*` is reads and writes together, the operations that move data.
- **Busy.** A CPU is busy in user mode, in the kernel and in interrupts (`drivelab_core::group::CoreTime::busy_ms`).
  Time that a hypervisor gave to other machines is *stolen* and shown separately. Waiting for a drive counts as idle.
  Findings about CPU time that was not available (`busy_machine` and `host_full_together`) add the stolen time.
- **The engine's account.** `cpu_*` and `engine.*` show what the measurement itself costs. They include the ramp.
- **Lower bounds.** Rates are lower bounds, shown with `≥`, if something on the host was the limit. Latencies then
  include waiting on the host. The limit was:
  - the load generator, if the issuing threads spent more than half of their time in user mode, or if a closed loop
    without pauses had less than 90 % of the requested operations in flight;
  - the host's CPU, if they spent more than half of their time in the kernel;
  - one of these two, if user mode and kernel together took more than 90 %: the one whose mode took more;
  - other programs, if for more than a tenth of their time the issuing threads were ready to run and other programs
    used the CPU;
  - a CPU quota, if it took more than a hundredth of the step and at least half of the time that the threads waited for
    a CPU, in open and closed loops;
  - drivelab itself, if it stood still for more than a hundredth of the time (stopped, frozen, suspended: none of its
    threads ran, and none waited for a CPU). Stops shorter than 75 ms may be missed: the clock is read every 25 ms, and
    a reading must be 50 ms late;
  - perhaps the kernel's own threads (io-wq, SQPOLL), if they did part of the work: their CPU time is in no figure.

  The limit is half because a thread that spends more than half of its time on the host could not have issued twice as
  many operations. It is 90 % of the depth because refilling slots and draining at the end cost a few per cent; with a
  tenth less, the load is not what the step's name says. Kernels split CPU time by what ran at their ticks, so below
  200 ms of CPU time only the sum is judged, with half of the time as its limit. Steps below 10 ms show nothing about
  other programs or quotas.
- **Disturbed figures.** The kernel counts the I/O of every device, whoever issued it. If other I/O moved more than 5 %
  of the execution's own bytes and more than 1 MB/s, on the measured device or on one below it (the disk of a loop
  device's file, the devices below LUKS, LVM, md, a partition or multipath), every figure of the step is marked, except
  the rates of a schedule that was kept to 2 %: these are as requested. Undisturbed, a figure marked `▲` would be
  higher, `▼` lower, and `◆` different (figures for which neither direction is better). In JSON the mark is
  `spoiled_by` with the codes of the findings and `wrong` (`too_low`, `too_high`, `either_way`), in CSV two columns. It
  voids nothing.

  I/O that the target's own stack causes does not count as other I/O:

  - encryption, linear and striped volumes, loop devices with direct I/O: each byte once. Below a loop device also 16
    KiB of the file system's journal for each flush of the load, for at most 250 flushes a second;
  - mirrors: a write for each copy (two in RAID 10), and the pages of the array's bitmap;
  - arrays with parity: two writes and up to two reads for each write with one parity, three of each with two, because
    writes of whole stripes cannot be recognised; and the bitmap;
  - the page cache (a buffered load, a loop device without direct I/O): each byte once, earlier writes that had not yet
    reached the disk, and whole pages for blocks below 4 KiB;
  - copy-on-write file systems (btrfs, bcachefs, f2fs, nilfs2): 28 KiB written and 8 KiB read for each random write,
    which is seven times a block of 4 KiB and 3 % of 1 MiB, and a quarter of the bytes of sequential writes;
  - a load that trims on a file system: all writes.

  Some stacks may move more. In that range the cause is unknown, and every figure is marked `◆` (`others_perhaps`): up
  to twice the bytes for random blocks below 128 KiB through a page cache, which may read ahead; with parity, a read of
  each member for a write and of all other members for a read; eight times the bytes written, on copy-on-write file
  systems; 16 KiB for every flush, below a loop device. Anything beyond that is other I/O.

  Operations are judged as well, because few bytes can be many seeks. Other operations count if they were more than 5 %
  of the execution's own, more than 20 a second and more than 100. In short steps and beside slow loads a lower limit
  applies: more than half of the execution's own operations and more than 25. This needs a stack in which one operation
  above is one operation below: the measured device with direct I/O; and encryption, a linear volume or a loop device
  with direct I/O on a single device; never copy-on-write file systems. Operations above the device's `request_size`
  (64 KiB if that is not on record, and below encryption and volumes) may be split, and flushes of the load may be
  counted as reads or writes. Beside a load that writes through a file system only reads are judged, because the
  journal writes too.

  Not judged: writes beside loads on sets of files, and layers whose I/O to their devices is unknown (thin pools,
  snapshots, caches, dm-integrity, md arrays with a journal, loop devices on btrfs or ZFS). A finding reports both
  (`others_not_watched`). I/O of the host below a virtual disk cannot be seen.
- **Overload.** An open loop is overloaded if its backlog grew by more than 1 % of the requested rate (least squares
  over the intervals), by more operations than the slots hold and, with random gaps, by more than three standard
  deviations of the number of arrivals. It must also have grown throughout: the line explains 70 % of the growth, which
  a stall just before the end of a step of 8 s or more does not reach. The response times of an overloaded step grow
  with its length and are void; the growth per second is the result.
- **Rounds.** A test states how its rounds become one figure: mean, best or median. Best is the largest round if higher
  is better and the smallest if lower is better, chosen for each metric separately; figures without a better direction
  use the mean. With mean, percentiles and maxima come from the merged histogram of all rounds. The best of many rounds
  improves with their number: compare it only with the best of as many. If a test runs its rounds in sets, best and
  median are taken of each set, and the value is the mean of the sets.
- **Spread.** From two rounds on: smallest, largest, mean, median, sample standard deviation. Seconds within a round
  are never treated as independent samples.
- **Interval.** From three rounds on, the 95 % interval of the mean of the rounds by Student's t: mean ± t × standard
  deviation / √n, with t = 4.303 for three rounds and 2.776 for five. It is given only beside a value that is this
  mean. A median, a best round, a sum and a percentile from the merged histogram have none, because the interval is not
  about them. It is also left out if it would reach below zero, as happens for few rounds that differ much (such as
  tails of latency): no figure here can be negative, so Student's t does not describe such rounds. Cut off at zero it
  would not be a 95 % interval, and on the logarithmic scale it would be about the geometric mean, which is not the
  value. The rounds and their smallest and largest are always given. Example: rounds of 40, 50 and 60 have the mean 50,
  the deviation 10, and 50 ± 4.303 × 10 / √3 = 25.2 … 74.8; rounds of 10, 20 and 30 would give -4.8 … 44.8 and have no
  interval.
- **By size and by group.** If sizes are mixed or several groups of threads ran, tables show the same figures for the
  operations of each size or group (`drivelab_analysis::classes`). Operations and times of all rounds are added up and
  distributions are merged, whatever the test says about rounds.
- **Steady tests.** Only the rounds of the reported window count: the last five. They are steady if (max - min) / mean
  is at most 20 % and the least-squares line moves by at most 10 % of the mean.
- **Searches.** A test that searches for the rate at which the response time reaches a bound has a different rate in
  each round. Its figures are those of the round with the highest rate that kept the bound; if none did, of the round
  with the lowest rate, whose rates are void. A round kept the bound if the percentile over everything that arrived is
  within it and the backlog did not grow. Arrivals that were not served by the end, and those that ended in errors,
  count as longer than any bound. The finding `rate_found` names the two rates that enclose the limit.
- **Curves.** A load runs at full speed (a closed loop), then at shares of the rate that it reached (open loops). Each
  point has the figures of a step, and also those of reads and writes together: `total.latency_*` counts from
  submission to completion, which load generators with a bounded number of threads show as response time, and
  `total.response_*` from the intended start. Above full speed the latency hardly grows, because no more operations
  than the load's slots are in flight, and the response time has no steady value: the growth of the backlog is the
  result. From 100 % on, that is what a curve is meant to show (finding `curve_overloaded`, a note). An overloaded
  point below 100 % is treated like any overloaded step (finding `open_loop_overloaded`).
- **The knee of a curve** is the point from which more load mostly adds waiting (`drivelab_analysis::curve::knee`).
  Mean latency is plotted over operations per second for the points (without full speed, which is a closed loop), both
  scaled to 0 at the lowest share and 1 at the highest. The knee is the point that is furthest below the straight line
  from the first to the last. A curve with fewer than four points has none, nor one in which the latency of the last
  point is not twice that of the first, or in which no point is a tenth below the line. Example: with 10, 40, 70, 90
  and 100 operations per second in 1, 1, 2, 4 and 11 µs, the scaled points are (0, 0), (1/3, 0), (2/3, 0.1), (8/9, 0.3)
  and (1, 1); they are 0, 0.33, 0.57, 0.59 and 0 below the line, so the knee is at 90.
- **The end of a write cache.** A fill is cut into 200 parts of equal size, and the logarithm of the rate of each part
  is used. Of all positions with at least 3 % of the span before and 5 % after them, the one at which two levels leave
  the least squares is the candidate. It is the end of a cache if all of this holds:
  - the rate falls by a fifth or more;
  - the two levels are six standard errors apart (more for few intervals) and have two recorded intervals each;
  - in pieces of 2 % of the span, three quarters of what comes before are faster than the middle of both levels (on the
    logarithmic scale), and three fifths of what follows are slower, as is half of its last quarter;
  - the fall is a step: two thirds of it happen within 5 % (and eight intervals) to each side, and two levels explain
    the rate better than a line does; or 85 % of it happen there, and they explain it nearly as well;
  - noise in a slow decline cannot be the reason: the rates right beside the step are seven standard errors apart, or
    two levels explain the fill better than a line at odds of e^10 to one.

  If no such position is found, the search is repeated with each part limited to three standard deviations around the
  median of the nine intervals around it, so that short gaps do not hide the end. If the stretch before the end has
  such an end itself, with a rate that is 1.5 times as high before as after it or more, the earlier one counts, with
  the levels before and after that step. A fast start of at most 3 % of the span, or of at most half a second and a
  tenth of the span, is a burst (`write_burst`) and is left out before the search. Noise is rarely mistaken for an end:
  of 60,000 simulated fills at a constant rate, with noise of a third in each of 20 to 600 intervals and, in half of
  them, a first interval twice as fast, none had one (29 November 2026); one such fill is known from another draw.

  Without such an end, a rate that sinks along a line by a fifth or more is a slow decline (`write_ramp`). If it falls
  at one position by a fifth more than the lines before and after that position explain, six standard errors high, that
  is the end of a cache too: the middle is then between the ends of these lines, and `fill.late_decline` shows what
  came after it. If all else holds but the levels are only half as many standard errors apart or more, or if there are
  fewer than 20 recorded intervals, too little was written to tell (`write_cache_too_little`). A small fall that is
  hidden by a varying rate is therefore not seen. In all other cases no end was *seen* (`write_cache_not_seen`), also
  if the rate fell and recovered.

  A gap (`write_stalled`) is a time in which next to nothing was written and that cost a quarter of a second or more
  beyond what the rate around it explains (at the end of a cache, the slower rate). More than five gaps, in more than a
  twentieth of the intervals, are the usual way in which the drive writes and are not reported.
- **Heat over minutes.** In an execution that runs as fast as it can (no schedule, no pauses), a fall is a rate that
  stays at least a tenth below the rate before it for 5 s or longer, after the first 30 s
  (`drivelab_analysis::throttle::falls`). The rate before it is the mean of the first 30 s, of the last fall, or of a
  recovery by a tenth that lasted as long. A fall counts as throttling (finding `throttled_by_heat`) only if the drive
  was no cooler in these seconds than when the rate fell: a full write cache lowers the rate too, but lets the drive
  cool. Sequential fills are left out, because their falls are those of the write cache. For executions of two minutes
  and more, the last minute is compared with the first, and the time at or above the drive's warning temperature is
  given (finding `first_and_last_minute`). `heat.*` are the same as figures, for executions of two minutes and more.
- **Recovery of a load.** If a test names an earlier test to whose rate it has to recover (`recovers_to`), its first
  round is cut into minutes (into tenths if it is shorter than ten minutes,
  `drivelab_analysis::topics::state::recovery`). It has recovered in the first part whose rate is at least the mean of
  the earlier test's first round, and the time is that until this part begins (finding `load_recovered`, or
  `load_not_recovered`).
- **Points of a response test.** In a test with a cell for each pair of threads and queue depths, MAX is the cell with
  the highest rate and a mean latency below 5 ms, MIN the one with the fewest operations in flight, and MID the one
  whose rate is nearest to the mean of these two rates (`drivelab_analysis::topics::state::demand`, finding
  `demand_points`). If a cell did not run, no point is named.
- **Printed and measured.** A test may be the twin of a figure of the drive's data sheet
  (`drivelab_analysis::data_sheet::sheet`): the metric of its best step (the highest rate, the shortest mean latency,
  the highest mean power, the largest cache) is compared with the printed figure, in MB/s, IOPS, µs, W or GB; idle
  power is the mean over the longest idle step. The ratio is measured over printed. A rate or size is met from 95 % of
  the printed figure, a latency or power up to 105 %, because vendors print two or three digits. A figure that is worse
  is missed, or undecided if the host limited the step, so that the drive may be able to do more. Nothing is judged in
  the smoke form. Example: 2,108 of 3,300 thousand IOPS are 63.9 %, missed; 7,696 of 7,500 MB/s are 102.6 %, met.
- **Likely causes** of a missed figure are named if the records show them: the host (the step's limit); the link (it
  carries less than the printed figure, for random operations times their size; or it runs below what is possible and
  the measured rate is at least 80 % of it); heat (finding `throttled_by_heat`); the write cache (a fill was within 5 %
  of the printed rate until the cache ended); the drive's state (a test or preparation did not become steady, or the
  drive was not in the state that the test needs); a filled drive (a write on a target of which half holds data, if the
  test does not request that); too few threads or too low a queue depth (from the last step but one to the last, which
  was the best, the rate grew by more than 5 %); a layer in between (a file, a virtual disk). If the records show no
  cause, the page says so.
- **Endurance** (`drivelab_analysis::data_sheet::tbw`, `dwpd`). Rated bytes are drive writes per day × capacity × 365 ×
  years of warranty, and vice versa; the capacity is the one sold. Examples: 1,432 TB on 1.8 TB over five years are
  1,432 / (1.8 × 365 × 5) = 0.436 drive writes a day; 1 DWPD on 7.68 TB over five years are 14,016 TB. Shares of the
  rated bytes are given for what this run has written (`run.bytes_written`) and for what hosts wrote before, as the
  drive reports it. What the drive can endure by its own count is those earlier bytes divided by the endurance that it
  reports as used, from 3 % on, because it counts in whole per cent. Days at the full rate are the rest of the rated
  bytes divided by the measured sequential write rate.
- **Cut-off executions.** A round that was stopped early counts only if the step has no other.
- **Preparation.** Steps that prepare the target have the same figures, but these describe the preparation and are not
  results.
- **Void.** If an invariant (see the end of this page) does not hold, the figures concerned have no value and name it.

## Comparisons

`drivelab compare` compares the figures of each side with those of a base (`drivelab_analysis::ratios`). A side is one
drive, arm or state with one run or several.

- **Ratio.** The geometric mean of the side's values divided by that of the base's; a table shows these means.
  Values that are not above zero have no ratio. If the side's value is a lower bound, so is the ratio; if the base's
  is, the ratio is an upper bound; if both are, there is none.
- **Replication.** If any side has several runs, each run is one value, and a side with one run is taken to scatter like
  the other. If both have one run and the figure is the mean of three rounds or more, each round (or each set of rounds)
  is one value. These do not show how much two runs of one drive differ. Best rounds, medians and percentiles of merged
  histograms have no interval then, and seconds within a round are never values.
- **Interval.** The 95 % interval of the difference of the mean logarithms by Welch's t test: standard error
  √(s₁²/n₁ + s₂²/n₂), degrees of freedom by Welch and Satterthwaite, or the smaller number of values minus one if the
  numbers differ. If only one side has several values, its variance s² is used for both: s √(1/n + 1), with n - 1
  degrees of freedom. If neither has, but another side of the comparison has several runs, their common variance is
  used. The error of response times and tail latencies is at least that of a bucket of the histogram (0.78 % / √12 for
  a value). Example: logarithms of 16, 18, 20, 22, 24 and of 23, 24, 25, 26, 27 differ by 5 with a standard error of
  1.58 and 5.9 degrees of freedom: 5 ± 2.46 × 1.58. Bounds and disturbed figures have no interval.
- **Headline figures.** Verdicts are for the throughput of each step; for operations per second if it moves no data; for
  the 99th percentile of the response time if operations arrive on a schedule; for the rate that a
  search found; and for scores, in their own direction. Points of a load curve have none: each is at a share of its
  side's own full speed.
- **Shown.** A difference is shown if its p value passes Holm's method at 5 % over all verdicts of the comparison: among
  all of them, at least one difference that does not exist is shown in some 5 of 100 comparisons. Simulated with equal
  drives whose runs scatter by 2 %, it was at most 10 of 100, with 1 and 40 figures and equal or unequal numbers of
  runs. If one drive scatters far more than the other, it can be more.
- **Negligible** is a difference that is shown and smaller than `--relevant` (1 %).
- **Not shown** comes with the smallest detectable ratio: exp((t₁ + t₂) × error), where t₁ is the
  quantile of the level at which Holm's method tested the figure, t₂ the 95 % quantile, both of Student's t, and the
  error is the standard error times √(f / χ²), with f degrees of freedom and the 10 % quantile of χ²: the observed error
  may be too small by chance. Simulated, a gap of 3 % was shown in at least 88 of 100 comparisons in which the stated
  ratio was at most 1.03. With one run of each it is at least 1.05.
- **Incomplete**: a run of a side has no value, or a void one. The ratio of the others is given, without a verdict.
- **One run of each.** Without several runs, differences up to 5 % (`--close`) are not ranked, and larger ones only if
  the rounds, where they count, show them.
- **Best** is a side that is shown to be better than every other side that has a value.
- **Bridge.** Across testbeds: of a drive (by model and serial number) with runs on both, in one state, the geometric
  mean of the ratios of its headline figures of which more is better, with the smallest and the largest ratio
  (`drivelab_analysis::bridge`). Bounds and disturbed figures are left out. A testbed is its name, or CPU and board.
- **Ranking** (`drivelab rank`, `drivelab_analysis::rank`). Sides are sorted by their values. Each is compared with the
  first side of the place above, by the rules here; a new place begins where it is shown to be worse. Sides of one place
  may still differ.
- **Disturbed** figures (marked `▲`, `▼` or `◆`) have a ratio but neither win nor lose. Void figures have no ratio.
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
        "These rules hold in every valid execution. A violation is a finding with this code and voids the figures concerned.",
    );
    out.push_str("\n| Code | Rule |\n|---|---|\n");
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
