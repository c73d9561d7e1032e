//! The shipped binary issues what was asked, checked in its own trace: shares of kinds and sizes, where random
//! operations go, order and separation of threads. The kernel's view of it is compared in the test machine (`cargo
//! xtask vm-test tracepoints`).
//!
//! The sequence follows from the load and its seed alone, so the results do not depend on the machine: they are the
//! same on every host, however busy. Limits are four to five standard deviations of random variation.

mod support;

use drivelab_rig::tool;
use support::Lab;

const BLOCK: u64 = 4096;
const GIB: u64 = 1 << 30;

/// One line of a trace.
struct Line {
    thread: u32,
    kind: String,
    offset: u64,
    length: u64,
}

/// What a load on `nop:` (1 GiB of addresses) issued, each thread's operations in order.
fn issued(load: &[&str]) -> Vec<Line> {
    let lab = Lab::new();
    lab.ok(&[&["io", "nop:", "--no-save", "--json", "--trace", "trace.tsv", "--size", "1GiB"], load].concat());
    let text = std::fs::read_to_string(lab.folder().join("trace.tsv")).expect("a trace");
    let mut lines = text.lines();
    assert!(lines.next().is_some_and(|head| head.starts_with("thread\tindex\top\toffset\tlength\t")), "another head");
    let number = |word: &str| word.parse::<u64>().expect("a number");
    let mut all: Vec<(u64, u64, Line)> = lines
        .map(|line| {
            let words: Vec<&str> = line.split('\t').collect();
            let (offset, length) = (number(words[3]), number(words[4]));
            let thread = u32::try_from(number(words[0])).expect("a small number");
            (number(words[0]), number(words[1]), Line { thread, kind: words[2].to_owned(), offset, length })
        })
        .collect();
    all.sort_by_key(|(thread, index, _)| (*thread, *index));
    all.into_iter().map(|(.., line)| line).collect()
}

/// This many of `total` are a share of `due`, as far as chance allows.
fn assert_share(what: &str, count: usize, total: usize, due: f64) {
    let (share, deviation) = (count as f64 / total as f64, (due * (1.0 - due) / total as f64).sqrt());
    println!("{what}: {share:.4}, due {due}, one standard deviation is {deviation:.4}");
    assert!((share - due).abs() <= 4.5 * deviation, "{what}: {count} of {total}, not {due}");
}

#[test]
fn kinds_and_sizes_have_the_shares_that_were_asked_and_do_not_hang_together() {
    let flags = ["--op", "mix=70", "--block", "4k:60,64k:40", "--qd", "16", "--operations", "100000"];
    let lines = issued(&flags);
    let of = |keep: &dyn Fn(&Line) -> bool| lines.iter().filter(|line| keep(line)).count();
    let total = lines.len();
    assert_eq!(total, 100_000);
    assert_share("reads", of(&|line| line.kind == "read"), total, 0.7);
    assert_share("4 KiB", of(&|line| line.length == BLOCK), total, 0.6);
    assert_share("reads of 4 KiB", of(&|line| line.kind == "read" && line.length == BLOCK), total, 0.42);
    assert!(lines.iter().all(|line| line.offset % line.length == 0 && line.offset + line.length <= GIB));
}

#[test]
fn shares_of_bytes_are_shares_of_bytes() {
    let flags = ["--block", "4k:50,16k:50", "--block-shares-of", "bytes", "--qd", "16", "--operations", "50000"];
    let lines = issued(&flags);
    // Half of the bytes in blocks four times as large: one of five operations.
    assert_share("16 KiB", lines.iter().filter(|line| line.length == 4 * BLOCK).count(), lines.len(), 0.2);
}

/// Chi-square over 64 equal parts: 63 degrees of freedom; 124 is exceeded once in 200,000 times.
#[test]
fn random_operations_go_everywhere_alike() {
    let lines = issued(&["--pattern", "random", "--qd", "16", "--operations", "128000"]);
    let mut parts = [0_u32; 64];
    lines.iter().for_each(|line| parts[usize::try_from(line.offset / (GIB / 64)).expect("small")] += 1);
    let due = lines.len() as f64 / 64.0;
    let chi_square: f64 = parts.iter().map(|count| (f64::from(*count) - due).powi(2) / due).sum();
    println!("chi-square {chi_square:.1} with 63 degrees of freedom");
    assert!((24.0..124.0).contains(&chi_square), "chi-square {chi_square}: {parts:?}");
}

#[test]
fn zones_get_their_shares() {
    let flags = ["--locality", "zones:50/5,30/15,20/80", "--qd", "16", "--operations", "100000"];
    let lines = issued(&flags);
    let below = |part: f64| lines.iter().filter(|line| (line.offset as f64) < part * GIB as f64).count();
    assert_share("the first 5 %", below(0.05), lines.len(), 0.5);
    assert_share("the first 20 %", below(0.2), lines.len(), 0.8);
}

#[test]
fn threads_that_go_through_a_span_in_order_keep_to_stretches_of_their_own() {
    let lines = issued(&["--pattern", "sequential", "--threads", "3", "--qd", "4", "--operations", "30000"]);
    let mut stretches = Vec::new();
    for thread in 0..3 {
        let offsets: Vec<u64> = lines.iter().filter(|line| line.thread == thread).map(|line| line.offset).collect();
        assert!(offsets.windows(2).all(|pair| pair[1] == pair[0] + BLOCK), "thread {thread} jumped");
        stretches.push((offsets[0], offsets[offsets.len() - 1] + BLOCK));
    }
    stretches.sort_unstable();
    assert!(stretches.windows(2).all(|pair| pair[0].1 <= pair[1].0), "they overlap: {stretches:?}");
    assert!(stretches[0].0 == 0 && stretches[2].1 <= GIB, "{stretches:?}");
}

#[test]
fn one_pass_in_random_order_by_several_threads_is_every_block_once() {
    let flags = ["--pattern", "random-once", "--passes", "1", "--threads", "3", "--qd", "8", "--span", "25%"];
    let mut offsets: Vec<u64> = issued(&flags).iter().map(|line| line.offset).collect();
    let in_order = offsets.windows(2).filter(|pair| pair[1] == pair[0] + BLOCK).count();
    assert!(in_order < 10, "{in_order} operations follow their predecessors");
    offsets.sort_unstable();
    assert!(offsets.iter().copied().eq((0..GIB / 4 / BLOCK).map(|block| block * BLOCK)), "not every block once");
}

/// A process that is stopped in the middle of a memory transfer gets a part of it; the rest is requested again, and
/// the result counts as one whole operation. If it got no CPU between the stops, no stop met a transfer, and it is
/// stopped again.
#[test]
fn a_transfer_that_was_interrupted_goes_on() {
    for backend in ["sync", "uring"] {
        assert!((0..8).any(|_| interrupted(backend) > 0), "{backend}: no transfer was interrupted");
    }
}

/// How many transfers were interrupted in a load that was stopped fifty times.
fn interrupted(backend: &str) -> u64 {
    let lab = Lab::new();
    let flags = ["/dev/zero", "--block", "1M", "--qd", "1", "--time", "60s", "--backend", backend, "--trace", "t.tsv"];
    let mut command = lab.command(&[&["io", "--no-save", "--json"], &flags[..]].concat());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("drivelab starts");
    let signal = |name: &str| tool("kill", &[name, &child.id().to_string()]);
    let begun = || std::fs::metadata(lab.folder().join("t.tsv")).is_ok_and(|trace| trace.len() > 10_000);
    while !begun() {
        std::thread::yield_now();
    }
    for _ in 0..50 {
        signal("-STOP");
        signal("-CONT");
    }
    signal("-INT");
    let done = support::done(child.wait_with_output().expect("drivelab ends"));
    let document: serde_json::Value = serde_json::from_str(&done.stdout).expect("one document");
    let (reads, engine) = (&document["operations"]["read"], &document["engine"]);
    let count = reads["count"].as_u64().expect("a count");
    assert_eq!((&reads["errors"], reads["bytes"].as_u64()), (&0.into(), Some(count << 20)), "{backend}: {reads:#}");
    println!("{backend}: {} of {count} reads in parts", engine["short_transfers"]);
    engine["short_transfers"].as_u64().expect("a count")
}
