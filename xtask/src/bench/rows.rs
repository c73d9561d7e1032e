//! The rows of the engine's bench: each case, both commands, what is compared, the requirement, and how the two sides
//! differ.
//!
//! The cases, the other programs' commands and the limits come from the engine's targets (docs/performance.md). This
//! file contains no figures of machines: a limit is a ratio, an error or, for row 1 alone, nanoseconds of user time.

use super::figures::Figure;
use super::who::Who;

/// A command of a row and the figure that is taken from its output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    /// Who runs.
    pub(crate) who: Who,
    /// Its arguments, with the parts from [`PIECES`] and the placeholders that `programs` fills in.
    pub(crate) line: &'static str,
    /// The figure that is read from its output.
    pub(crate) figure: Figure,
    /// Threads that are pinned, one per CPU.
    pub(crate) threads: usize,
}

/// How the figures of a row's sides become the single value that is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    /// The first side's figure, unchanged.
    Figure,
    /// First side over second side.
    Ratio,
    /// (Second over first) over (fourth over third): how well two threads scale, compared with the peer's two.
    Scaling,
    /// How far the figure is from the requested value, as a share of it.
    Error {
        /// The requested value.
        asked: f64,
    },
}

/// The requirement for a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Limit {
    /// Higher is better.
    AtLeast { must: f64, stretch: f64 },
    /// Lower is better.
    AtMost { must: f64, stretch: f64 },
    /// Measured for information; nothing is required.
    Nothing,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The number in the list of targets, with a word if one target has several rows.
    pub(crate) id: &'static str,
    /// The case in words.
    pub(crate) case: &'static str,
    /// Drivelab first.
    pub(crate) sides: &'static [Side],
    /// What is compared.
    pub(crate) value: Value,
    /// The requirement.
    pub(crate) limit: Limit,
    /// Differences between the two sides; printed with the result.
    pub(crate) unlike: &'static str,
}

impl Row {
    /// Whether `--only ASKED` means this row.
    pub(crate) fn answers_to(&self, asked: &str) -> bool {
        self.id.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }
}

/// Parts of command lines that many rows share.
pub(crate) const PIECES: &[(&str, &str)] = &[
    ("{null}", "--filename=/dev/null --rw=randwrite"),
    ("{uring}", "--ioengine=io_uring --fixedbufs --registerfiles"),
    ("{batch}", "--iodepth_batch_submit=32 --iodepth_batch_complete_max=32"),
    ("{to-null}", "/dev/null --op write --pattern random --block 4k --size 2GiB --direct off"),
    ("{from-zero}", "/dev/zero --op read --pattern random --block 4k --size 2GiB --direct off"),
    ("{nop}", "nop: --op read --pattern random --block 4k --size 2GiB"),
    ("{ring}", "-N1 -O0 -p0 -d128 -s32 -c32"),
];

const fn drivelab(line: &'static str) -> Side {
    Side { who: Who::Drivelab, line, figure: Figure::Iops, threads: 1 }
}

const fn fio(line: &'static str) -> Side {
    Side { who: Who::Fio, line, figure: Figure::Iops, threads: 1 }
}

const fn ring(line: &'static str, threads: usize) -> Side {
    Side { who: Who::TIoUring, line, figure: Figure::Iops, threads }
}

const fn at_least(must: f64, stretch: f64) -> Limit {
    Limit::AtLeast { must, stretch }
}

const fn at_most(must: f64, stretch: f64) -> Limit {
    Limit::AtMost { must, stretch }
}

/// A row that compares operations per second: ours over the peer's.
const fn ratio(
    id: &'static str,
    case: &'static str,
    sides: &'static [Side],
    limit: Limit,
    unlike: &'static str,
) -> Row {
    Row { id, case, sides, value: Value::Ratio, limit, unlike }
}

/// A row that compares the issued rate with the requested rate.
const fn pace(id: &'static str, case: &'static str, sides: &'static [Side], asked: f64, limit: Limit) -> Row {
    Row { id, case, sides, value: Value::Error { asked }, limit, unlike: UNLIKE_PACE }
}

const UNLIKE_PACE: &str = "fio's null engine has no system call in it; drivelab's NOP goes through the ring. \
    drivelab counts what was completed in the time it ran";
const UNLIKE_FIO: &str = "drivelab keeps every latency in a histogram per second and fresh incompressible data; fio \
    keeps its totals and scrambles its buffers a little";
const UNLIKE_RING: &str = "t/io_uring records nothing and draws no offsets for NOPs; drivelab does both. Its NOPs \
    name a registered file and buffer (newer releases), drivelab's name none";

/// The table.
pub(crate) const ROWS: &[Row] = &[
    ratio(
        "0",
        "/dev/null write, depth 128, against the very same: how far equals lie apart here",
        &[drivelab("{to-null} --qd 128"), drivelab("{to-null} --qd 128")],
        Limit::Nothing,
        "nothing is unlike; what differs from 1 is the machine",
    ),
    Row {
        id: "1",
        case: "NOP ring, depth 128: user time per operation, everything recorded",
        sides: &[Side { figure: Figure::UserNs, ..drivelab("{nop} --qd 128") }],
        value: Value::Figure,
        limit: at_most(80.0, 40.0),
        unlike: "no peer: fio has no NOP; its user time per operation on /dev/null is in the JSON of row 3",
    },
    ratio(
        "2",
        "NOP ring, depth 128, against t/io_uring: recording everything against nothing",
        &[drivelab("{nop} --qd 128"), ring("{ring}", 1)],
        at_least(0.85, 0.95),
        UNLIKE_RING,
    ),
    ratio(
        "2-tracking",
        "the same against t/io_uring with its latency tracking on",
        &[drivelab("{nop} --qd 128"), ring("{ring} -t1", 1)],
        Limit::Nothing,
        "t/io_uring stamps a batch, not an operation, when it tracks; drivelab has no mode without recording, so the \
         target's second half (recording off) has no row",
    ),
    Row {
        id: "2-threads",
        case: "two pinned threads: scaling beside t/io_uring's two",
        sides: &[
            drivelab("{nop} --qd 128"),
            Side { threads: 2, ..drivelab("{nop} --qd 128 --threads 2") },
            ring("{ring}", 1),
            ring("{ring} -n2", 2),
        ],
        value: Value::Scaling,
        limit: at_least(0.95, 1.0),
        unlike: "t/io_uring's two threads may move between the two CPUs, drivelab's stay on theirs",
    },
    ratio(
        "3",
        "/dev/null write, depth 128, against fio at its best with latency",
        &[drivelab("{to-null} --qd 128"), fio("{null} {uring} --iodepth=128 {batch}")],
        at_least(2.0, 2.3),
        UNLIKE_FIO,
    ),
    ratio(
        "4",
        "/dev/null write, depth 128, against fio without latency",
        &[drivelab("{to-null} --qd 128"), fio("{null} {uring} --iodepth=128 {batch} --gtod_reduce=1 --norandommap")],
        at_least(1.2, 1.5),
        "fio takes no time stamps and keeps no map; drivelab records everything",
    ),
    ratio(
        "5",
        "/dev/null write, depth 32, against fio as people run it",
        &[drivelab("{to-null} --qd 32"), fio("{null} {uring} --iodepth=32")],
        at_least(3.3, 4.7),
        "both without options for batches: fio then submits one by one, drivelab refills all that is free",
    ),
    ratio(
        "6",
        "/dev/null write, depth 1, io_uring",
        &[drivelab("{to-null} --qd 1"), fio("{null} {uring} --iodepth=1")],
        at_least(1.5, 1.8),
        UNLIKE_FIO,
    ),
    ratio(
        "7",
        "/dev/null write, sync backend against psync",
        &[drivelab("{to-null} --qd 1 --backend sync"), fio("{null} --ioengine=psync")],
        at_least(1.6, 2.2),
        UNLIKE_FIO,
    ),
    ratio(
        "8",
        "/dev/zero read, depth 128",
        &[drivelab("{from-zero} --qd 128"), fio("--filename=/dev/zero --rw=randread {uring} --iodepth=128 {batch}")],
        at_least(2.0, 2.2),
        "the kernel fills 4 KiB per operation on both sides, which brings them together",
    ),
    ratio(
        "9",
        "zram read, sync backend against psync",
        &[
            drivelab("{zram} --op read --pattern random --block 4k --qd 1 --backend sync"),
            fio("--filename={zram} --direct=1 --rw=randread --ioengine=psync"),
        ],
        at_least(1.1, 1.3),
        "the kernel copies 4 KiB per operation on both sides, which brings them together",
    ),
    ratio(
        "10",
        "incompressible data that never repeats, /dev/null write, depth 128",
        &[
            drivelab("{to-null} --qd 128 --data-kind incompressible"),
            fio("{null} {uring} --iodepth=128 {batch} --refill_buffers"),
        ],
        at_least(2.0, 2.7),
        "fio makes every buffer anew; drivelab stamps each 512 bytes of a random pool: both are incompressible \
         and repeat no sector (who looks back more than 1 MiB finds the pool again)",
    ),
    ratio(
        "10-compressible",
        "data that compresses to half",
        &[
            drivelab("{to-null} --qd 128 --compress-percent 50"),
            fio("{null} {uring} --iodepth=128 {batch} --refill_buffers --buffer_compress_percentage=50"),
        ],
        Limit::Nothing,
        "the two ways to reach a ratio differ",
    ),
    ratio(
        "10-dedup",
        "data of which half are repeats",
        &[
            drivelab("{to-null} --qd 128 --dedup-percent 50"),
            fio("{null} {uring} --iodepth=128 {batch} --refill_buffers --dedupe_percentage=50"),
        ],
        Limit::Nothing,
        "the two ways to repeat blocks differ",
    ),
    ratio(
        "11",
        "writes that can be verified, checksum per 4 KiB, /dev/null, depth 128",
        &[
            drivelab("{to-null} --qd 128 --verify headers"),
            fio("{null} {uring} --iodepth=128 {batch} --verify=crc32c --do_verify=0"),
        ],
        at_least(2.0, 3.0),
        "both put a header and a crc32c into each block; drivelab's tells more kinds of damage apart",
    ),
    ratio(
        "12",
        "random over 2 TiB, every block once, against plain random",
        &[
            drivelab("/dev/null --op write --pattern random-once --block 4k --size 2TiB --direct off --qd 128"),
            drivelab("/dev/null --op write --pattern random --block 4k --size 2TiB --direct off --qd 128"),
        ],
        at_least(0.90, 0.97),
        "drivelab against itself. Its state is one permutation, under 1 KiB (a unit test holds that); fio's map \
         would take 61 MiB",
    ),
    ratio(
        "13",
        "keeping a bundle against keeping nothing beyond the process",
        &[drivelab("{to-null} --qd 128 {bundle}"), drivelab("{to-null} --qd 128")],
        at_least(0.98, 0.995),
        "drivelab against itself: events, intervals and histograms written to disk against `--no-save`, which still \
         counts every operation and swaps the histograms each second",
    ),
    pace(
        "14-even-300k",
        "rate asked 300,000 per second, evenly spaced",
        &[
            drivelab("{nop} --qd 128 --rate 300000 --arrivals constant"),
            fio("--ioengine=null --rw=randread --iodepth=128 --norandommap --rate_iops=300000"),
        ],
        300_000.0,
        at_most(0.005, 0.001),
    ),
    pace(
        "14-even-500k",
        "rate asked 500,000 per second, evenly spaced",
        &[
            drivelab("{nop} --qd 128 --rate 500000 --arrivals constant"),
            fio("--ioengine=null --rw=randread --iodepth=128 --norandommap --rate_iops=500000"),
        ],
        500_000.0,
        at_most(0.005, 0.001),
    ),
    pace(
        "14-poisson-50k",
        "rate asked 50,000 per second, exponential gaps",
        &[
            drivelab("{nop} --qd 128 --rate 50000 --arrivals exponential"),
            fio("--ioengine=null --rw=randread --iodepth=128 --norandommap --rate_iops=50000 --rate_process=poisson"),
        ],
        50_000.0,
        at_most(0.01, 0.003),
    ),
    pace(
        "14-poisson-300k",
        "rate asked 300,000 per second, exponential gaps",
        &[
            drivelab("{nop} --qd 128 --rate 300000 --arrivals exponential"),
            fio("--ioengine=null --rw=randread --iodepth=128 --norandommap --rate_iops=300000 --rate_process=poisson"),
        ],
        300_000.0,
        at_most(0.01, 0.003),
    ),
    pace(
        "14-poisson-500k",
        "rate asked 500,000 per second, exponential gaps",
        &[
            drivelab("{nop} --qd 128 --rate 500000 --arrivals exponential"),
            fio("--ioengine=null --rw=randread --iodepth=128 --norandommap --rate_iops=500000 --rate_process=poisson"),
        ],
        500_000.0,
        at_most(0.01, 0.003),
    ),
    Row {
        id: "15",
        case: "shape of exponential arrivals: gaps' standard deviation over mean, from 1",
        sides: &[Side { figure: Figure::ArrivalVariation, ..drivelab(TRACED_ARRIVALS) }],
        value: Value::Error { asked: 1.0 },
        limit: at_most(0.05, 0.02),
        unlike: "no peer. From the trace: when operations were meant to start, which is what response times count from",
    },
    Row {
        id: "15-submitted",
        case: "the same of the submissions, in which every delay by the machine shows",
        sides: &[Side { figure: Figure::SubmissionVariation, ..drivelab(TRACED_ARRIVALS) }],
        value: Value::Error { asked: 1.0 },
        limit: Limit::Nothing,
        unlike: "no peer. One stall of some milliseconds outweighs a hundred thousand gaps of 20 µs; drivelab reports \
            such stalls as lateness",
    },
    Row {
        id: "17",
        case: "reported percentiles (p50 to p99.9) against an exact sort of the same latencies, the worst",
        sides: &[Side {
            figure: Figure::PercentileError,
            ..drivelab("{to-null} --qd 32 --rate 100000 --arrivals exponential {trace}")
        }],
        value: Value::Figure,
        limit: at_most(0.0078, 0.004),
        unlike: "no peer: fio's buckets allow 0.78 %",
    },
];

/// Few enough operations for a trace of each.
const TRACED_ARRIVALS: &str = "{nop} --qd 128 --rate 50000 --arrivals exponential {trace}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_names_of_their_own_and_say_what_is_unlike() {
        for (at, row) in ROWS.iter().enumerate() {
            assert!(ROWS[..at].iter().all(|other| other.id != row.id), "{} twice", row.id);
            assert!(row.unlike.len() > 20, "{}", row.id);
            assert_eq!(row.sides[0].who, Who::Drivelab, "{}", row.id);
        }
    }

    #[test]
    fn each_value_has_the_sides_that_it_needs() {
        for row in ROWS {
            let fits = match row.value {
                Value::Figure => row.sides.len() == 1,
                Value::Ratio => row.sides.len() == 2,
                Value::Scaling => row.sides.len() == 4,
                Value::Error { .. } => !row.sides.is_empty(),
            };
            assert!(fits, "{}", row.id);
        }
    }

    #[test]
    fn a_stretch_is_harder_than_a_must() {
        for row in ROWS {
            match row.limit {
                Limit::AtLeast { must, stretch } => assert!(stretch > must, "{}", row.id),
                Limit::AtMost { must, stretch } => assert!(stretch < must, "{}", row.id),
                Limit::Nothing => {}
            }
        }
    }

    #[test]
    fn the_rate_in_the_command_is_the_rate_that_is_judged() {
        for row in ROWS {
            if let Value::Error { asked } = row.value
                && row.id.starts_with("14")
            {
                let words: Vec<&str> = row.sides[0].line.split_whitespace().collect();
                let at = words.iter().position(|word| *word == "--rate").expect("a rate");
                assert_eq!(words[at + 1].parse::<f64>().expect("a number"), asked, "{}", row.id);
                assert!(row.sides[1].line.contains(&format!("--rate_iops={asked}")), "{}", row.id);
            }
        }
    }
}
