//! The loop makes no system calls except those of the ring (or one pread or pwrite per operation), and counts its
//! calls correctly.
//!
//! strace sees every call of every thread. It slows the calls down, which changes none of the checked counts.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use drivelab_rig::{LoopDevice, root_or_skip, skip};
use serde_json::Value;
use support::{Lab, done};

/// What one load did, by its own count and by strace's.
struct Watched {
    operations: u64,
    /// Calls that submitted or awaited operations, as the engine counted them.
    counted: u64,
    intervals: usize,
    threads: Vec<Thread>,
}

/// The calls of one thread.
struct Thread {
    /// Whether it is one of the threads that issue operations.
    issues: bool,
    /// Names of its calls, in order.
    calls: Vec<String>,
}

impl Watched {
    /// Runs a load of this many operations under strace.
    fn run(disk: &LoopDevice, backend: &str, op: &str, operations: u64) -> Watched {
        let lab = Lab::new();
        let logs = lab.folder().join("calls");
        std::fs::create_dir(&logs).expect("a folder for the logs");
        let mut command = Command::new("strace");
        lab.dress(&mut command).args(["-f", "-ff", "-qq", "-s", "4", "-o"]).arg(logs.join("thread"));
        command.arg(env!("CARGO_BIN_EXE_drivelab")).args(["io", &disk.device, "--destroy", disk.name(), "--op", op]);
        command.args(["--backend", backend, "--qd", "4", "--operations", &operations.to_string()]);
        let done = done(command.args(["--no-save", "--events", "json"]).output().expect("strace starts"));
        assert_eq!(done.code, 0, "{}", done.stderr);
        let events: Vec<Value> = done.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let intervals = events.iter().filter(|event| event["event"]["interval"].is_object()).count();
        let ended = events.iter().find_map(|event| event["event"].get("step_ended")).expect("a step that ended");
        let effort = &ended["engine"]["effort"];
        let [operations, counted] = ["operations", "syscalls"].map(|name| effort[name].as_u64().expect("a count"));
        let logs = std::fs::read_dir(&logs).expect("logs").map(|entry| entry.expect("an entry").path());
        let threads = logs.map(|log| thread(&std::fs::read_to_string(log).expect("a log"))).collect();
        Watched { operations, counted, intervals, threads }
    }

    /// Calls of the whole process by name.
    fn counts(&self) -> BTreeMap<&str, u64> {
        let mut counts = BTreeMap::new();
        for name in self.threads.iter().flat_map(|thread| &thread.calls) {
            *counts.entry(name.as_str()).or_default() += 1;
        }
        counts
    }
}

/// The content of a thread's log, without signals and the thread's end.
fn thread(log: &str) -> Thread {
    let calls = log.lines().filter(|line| !line.starts_with(['<', '+', '-']));
    let calls = calls.filter_map(|line| line.split_once('(')).map(|(name, _)| name.trim().to_owned()).collect();
    Thread { issues: log.contains("prctl(PR_SET_NAME, \"io-"), calls }
}

/// What each issuing thread calls from its first to its last operation: the ring's calls, and now and then a wake-up
/// for the session's thread, when an interval is handed over.
fn assert_nothing_else_in_the_loop(watched: &Watched, call: &str) {
    let mut seen = 0;
    for thread in watched.threads.iter().filter(|thread| thread.issues) {
        let first = thread.calls.iter().position(|name| name == call).expect("a first");
        let last = thread.calls.iter().rposition(|name| name == call).expect("a last");
        let (own, others): (Vec<&String>, Vec<&String>) =
            thread.calls[first..=last].iter().partition(|name| *name == call);
        println!("{} {call}, {} others, {} intervals", own.len(), others.len(), watched.intervals);
        let strange: BTreeSet<&&String> = others.iter().filter(|name| **name != "futex").collect();
        assert!(strange.is_empty(), "between two {call}: {strange:?}");
        assert!(others.len() <= watched.intervals + 1, "{} wake-ups", others.len());
        seen += own.len() as u64;
    }
    assert!(seen > 0, "no thread called {call}");
    assert_eq!(seen, watched.counted, "{call} as seen, and as the record says");
}

/// Ten times the operations: no call may become more frequent except the loop's own.
fn assert_only_one_call_grows(few: &Watched, many: &Watched, call: &str) {
    let more = many.operations - few.operations;
    let before = few.counts();
    for (name, count) in many.counts() {
        let grown = count.saturating_sub(before.get(name).copied().unwrap_or(0));
        // Waiting threads wake up some times a second, and more operations take longer.
        assert!(name == call || grown < more / 20, "{name} grew by {grown} with {more} operations");
    }
}

#[test]
fn the_loop_makes_no_system_call_but_those_that_move_data_and_counts_them_rightly() {
    if !root_or_skip("a loop device") {
        return;
    }
    if Command::new("strace").arg("-V").output().is_err() {
        skip("strace is not installed (cargo xtask setup)");
        return;
    }
    let Some(disk) = LoopDevice::in_memory_or_skip(32) else { return };
    for (backend, op, call) in [
        ("uring", "read", "io_uring_enter"),
        ("uring", "write", "io_uring_enter"),
        ("sync", "read", "pread64"),
        ("sync", "write", "pwrite64"),
    ] {
        let [few, many] = [2_000, 20_000].map(|operations| Watched::run(&disk, backend, op, operations));
        for watched in [&few, &many] {
            assert_nothing_else_in_the_loop(watched, call);
        }
        if backend == "sync" {
            assert_eq!(many.counted, many.operations, "one call for each operation");
        } else {
            assert!(many.counted <= many.operations, "a call brings at least one completion");
        }
        assert_only_one_call_grows(&few, &many, call);
    }
}
