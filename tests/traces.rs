//! Recorded traces through the shipped binary: the issued operations are those of the trace, a broken trace starts
//! nothing, and a long one takes no memory.
//!
//! Places, sizes and intended times are compared exactly; the times of the actual submissions are only checked in the
//! direction that always holds.

mod support;

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::process::Command;

use drivelab_rig::{LoopDevice, root_or_skip, tool};
use support::{Lab, peak_kib};

/// Kind, offset, length, and microseconds since the operation before.
type Recorded = (&'static str, u64, u64, u64);

/// Reads and writes of 4 to 64 KiB over 4 MiB, with a pause of 2 ms after every tenth.
fn recorded() -> Vec<Recorded> {
    (0..400)
        .map(|number| {
            let kind = if number % 3 == 0 { "write" } else { "read" };
            (kind, number * 7919 % 1000 * 4096, (1 + number % 16) * 4096, if number % 10 == 0 { 2000 } else { 20 })
        })
        .collect()
}

/// As fio's log, version 2.
fn as_fio(operations: &[Recorded]) -> String {
    let mut text = "fio version 2 iolog\ndisk add\ndisk open\n".to_owned();
    for (number, (kind, offset, length, wait)) in operations.iter().enumerate() {
        if number > 0 {
            let _ = writeln!(text, "disk wait {wait}");
        }
        let _ = writeln!(text, "disk {kind} {offset} {length}");
    }
    text.push_str("disk close\n");
    text
}

/// As a CSV file of Alibaba.
fn as_csv(operations: &[Recorded]) -> String {
    let mut at = 1_577_808_000_000_000_u64;
    let line = |(kind, offset, length, wait): &Recorded| {
        at += wait;
        format!("7,{},{offset},{length},{at}\n", if *kind == "read" { "R" } else { "W" })
    };
    operations.iter().map(line).collect()
}

/// Kind, offset, length, intended and submitted nanoseconds.
type Issued = (String, u64, u64, u64, u64);

/// The issued operations, by number.
fn issued(lab: &Lab, name: &str) -> Vec<Issued> {
    let text = std::fs::read_to_string(lab.folder().join(name)).expect("what was issued");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().expect("a head").split('\t').collect();
    let column = |name: &str| head.iter().position(|one| *one == name).expect("a column");
    let columns = ["index", "op", "offset", "length", "intended_ns", "submit_ns", "errno"].map(column);
    let mut all: Vec<(u64, Issued)> = lines
        .map(|line| {
            let words: Vec<&str> = line.split('\t').collect();
            let number = |column: usize| words[columns[column]].parse::<u64>().expect("a number");
            assert_eq!(number(6), 0, "an operation failed: {line}");
            (number(0), (words[columns[1]].to_owned(), number(2), number(3), number(4), number(5)))
        })
        .collect();
    all.sort_unstable();
    all.into_iter().map(|(_, one)| one).collect()
}

#[test]
fn each_mode_issues_what_the_trace_holds_at_the_times_that_it_means() {
    let operations = recorded();
    let gap = |number: usize| if number == 0 { 0 } else { operations[number].3 * 1000 };
    let sum = |of: &dyn Fn(u64) -> u64| -> Vec<u64> {
        (0..operations.len())
            .scan(0, |at, number| {
                *at += of(gap(number));
                Some(*at)
            })
            .collect()
    };
    let modes: [(&[&str], Vec<u64>); 3] = [
        (&["timed"], sum(&|gap| gap)),
        (&["scaled", "--replay-scale", "50"], sum(&|gap| gap / 2)),
        (&["capped-idle", "--idle-cap", "500us"], sum(&|gap| gap.min(500_000))),
    ];
    let lab = Lab::new();
    std::fs::write(lab.folder().join("t.log"), as_fio(&operations)).expect("a trace");
    std::fs::write(lab.folder().join("t.csv"), as_csv(&operations)).expect("a trace");
    for (at, (trace, backend)) in [("t.log", "uring"), ("t.csv", "sync")].into_iter().enumerate() {
        for (mode, due) in &modes {
            let out = format!("{}-{at}.tsv", mode[0]);
            let load =
                ["io", ".", "--size", "8MiB", "--trace-in", trace, "--qd", "8", "--backend", backend, "--no-save"];
            let done = lab.ok(&[&load[..], &["--json", "--trace", &out, "--replay"], mode].concat());
            let document: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
            let replay = &document["replay"];
            assert_eq!((replay["taken"].as_u64(), replay["complete"].as_bool()), (Some(400), Some(true)), "{replay:#}");
            let issued = issued(&lab, &out);
            assert_eq!(issued.len(), operations.len());
            for (number, (one, asked)) in issued.iter().zip(&operations).enumerate() {
                let (kind, offset, length, intended, submitted) = one;
                assert_eq!((kind.as_str(), *offset, *length), (asked.0, asked.1, asked.2), "{mode:?} {number}");
                assert_eq!(*intended, due[number], "{mode:?} operation {number}");
                assert!(submitted >= intended, "{mode:?} operation {number} before its time");
            }
        }
    }
}

#[test]
fn a_small_loop_device_gets_a_large_trace_wrapped_and_trims_only_where_they_are_asked_for() {
    if !root_or_skip("loop devices") {
        return;
    }
    let lab = Lab::new();
    let disk = LoopDevice::new(&lab.folder(), "image", 16);
    let text = "fio version 2 iolog\nd add\nd open\nd write 33554432 8192\nd trim 0 65536\nd read 4096 4096\nd sync\n";
    std::fs::write(lab.folder().join("t.log"), text).expect("a trace");
    let load = [
        "io",
        &disk.device,
        "--destroy",
        disk.name(),
        "--yes",
        "--trace-in",
        "t.log",
        "--qd",
        "1",
        "--no-save",
        "--json",
    ];
    let run = |more: &[&str]| -> serde_json::Value {
        serde_json::from_str(&lab.ok(&[&load[..], more].concat()).stdout).expect("JSON")
    };
    let skipped = run(&["--trace", "skip.tsv", "--replay", "closed-loop"]);
    let sent = run(&["--trace", "send.tsv", "--replay", "closed-loop", "--trace-trims", "send"]);
    let shown =
        |name: &str| issued(&lab, name).into_iter().map(|(op, at, length, ..)| (op, at, length)).collect::<Vec<_>>();
    let one = |op: &str, at: u64, length: u64| (op.to_owned(), at, length);
    // 32 MiB are two whole devices of 16 MiB.
    let (write, read, flush) = (one("write", 0, 8192), one("read", 4096, 4096), one("flush", 0, 0));
    assert_eq!(shown("skip.tsv"), [write.clone(), read.clone(), flush.clone()]);
    assert_eq!(shown("send.tsv"), [write, one("trim", 0, 65_536), read, flush]);
    let counts = |document: &serde_json::Value| {
        ["skipped_trims", "moved"].map(|key| document["replay"][key].as_u64().expect("a count"))
    };
    assert_eq!((counts(&skipped), counts(&sent)), ([1, 1], [0, 1]));
}

#[test]
fn a_broken_line_is_named_and_nothing_is_half_run() {
    let lab = Lab::new();
    let mut text = as_csv(&recorded());
    text.push_str("7,R,4096\n");
    std::fs::write(lab.folder().join("t.csv"), text).expect("a trace");
    for command in [
        vec!["io", ".", "--trace-in", "t.csv", "--qd", "1"],
        vec!["trace", "check", "t.csv"],
        vec!["run", "application-traces", ".", "--form", "smoke", "--yes", "--trace", "t.csv"],
        vec!["methods", "plan", "application-traces", ".", "--trace", "own=t.csv"],
    ] {
        let done = lab.run(&command);
        assert_eq!(done.code, 2, "{command:?}: {}", done.stderr);
        assert!(done.stderr.contains("t.csv', line 401: only 3 fields; expected 5: device_id"), "{}", done.stderr);
    }
    let left: Vec<_> =
        std::fs::read_dir(lab.folder()).expect("the folder").flatten().map(|one| one.file_name()).collect();
    assert_eq!(left, ["t.csv"], "something was made");
    assert_eq!(lab.run(&["trace", "check", "nothing.csv"]).code, 4);
    let unknown = lab.run(&["run", "application-traces", ".", "--trace", "mine=t.csv"]);
    assert!(unknown.stderr.contains("has no trace 'mine': its traces are: photoshop-light"), "{}", unknown.stderr);
}

#[test]
fn a_trace_whose_times_go_back_says_how_many_operations_go_out_at_once() {
    let lab = Lab::new();
    let line = |number: u64| format!("7,R,{},4096,{}\n", number * 4096, 1_577_808_000_000_000 + number * 10);
    let mut lines: Vec<String> = (0..2000).map(line).collect();
    // The last one is in the place of number 200: what follows comes before the latest time seen by then.
    lines.swap(199, 1999);
    std::fs::write(lab.folder().join("t.csv"), lines.concat()).expect("a trace");
    let says = "1800 of 2000 operations have a time before the latest one so far and count as arriving with it: a \
                timed replay issues them immediately";
    let plan = lab.ok(&["methods", "plan", "application-traces", ".", "--trace", "t.csv", "--form", "smoke"]);
    assert!(plan.stderr.contains(&format!("Trace     own: {says}\n")), "{}", plan.stderr);
    let checked = lab.ok(&["trace", "check", "t.csv"]).stdout;
    assert!(checked.contains(&format!("  oddities     {says}\n")), "{checked}");
    let load = ["io", ".", "--size", "8MiB", "--trace-in", "t.csv", "--qd", "8", "--no-save"];
    let run = lab.ok(&[&load[..], &["--trace", "out.tsv", "--replay", "timed"]].concat());
    assert!(run.stderr.contains(says), "{}", run.stderr);
    let issued = issued(&lab, "out.tsv");
    assert!(issued[199..].iter().all(|(.., intended, _)| *intended == 19_990_000), "all at the latest time");
    assert!(issued[198].3 < 19_990_000);
}

#[test]
fn oddities_of_a_trace_are_those_that_it_has() {
    let lab = Lab::new();
    let odd = |text: &str| {
        std::fs::write(lab.folder().join("t.csv"), text).expect("a trace");
        let checked = lab.ok(&["trace", "check", "t.csv"]).stdout;
        checked.lines().find_map(|line| line.trim().strip_prefix("oddities").map(|odd| odd.trim().to_owned()))
    };
    assert_eq!(odd("1,R,0,4096,10\n1,R,4096,4096,20\n"), None);
    let empty = "1 operation of no bytes, which is left out";
    assert_eq!(odd("1,R,0,4096,10\n1,R,4096,0,20\n").as_deref(), Some(empty));
    let late = "1 of 2 operations has a time before the latest one so far and counts as arriving with it: a timed \
                replay issues it immediately";
    assert_eq!(odd("1,R,0,4096,20\n1,R,4096,4096,10\n").as_deref(), Some(late));
    let unknown = "1 operation of an unknown kind, which is left out";
    let queued = "8,0 1 1 0.000000000 7 Q W 8 + 8 [a]\n8,0 1 2 0.000001000 7 Q XX 8 + 8 [a]\n";
    assert_eq!(odd(queued).as_deref(), Some(unknown));
    let both = format!("2 operations of no bytes, which are left out; {late}");
    assert_eq!(odd("1,R,0,4096,20\n1,R,0,0,20\n1,R,0,0,20\n1,R,4096,4096,10\n"), Some(both));
}

#[test]
fn a_trace_of_the_user_s_own_fills_the_slot_that_is_left_out_without_it() {
    let lab = Lab::new();
    std::fs::write(lab.folder().join("t.csv"), as_csv(&recorded())).expect("a trace");
    let steps = |more: &[&str]| -> Vec<String> {
        let plan = ["methods", "plan", "application-traces", ".", "--form", "smoke", "--json"];
        let document: serde_json::Value =
            serde_json::from_str(&lab.ok(&[&plan[..], more].concat()).stdout).expect("JSON");
        let tests = document["plan"]["tests"].as_array().expect("tests").clone();
        let ids = tests.iter().flat_map(|test| test["steps"].as_array().expect("steps").clone());
        ids.map(|step| step["id"].as_str().expect("an id").to_owned()).collect()
    };
    let (without, with) = (steps(&[]), steps(&["--trace", "t.csv"]));
    let more: Vec<&String> = with.iter().filter(|id| !without.contains(id)).collect();
    assert_eq!(more, ["own-trace/own-q16-timed"]);
    let replaced =
        lab.ok(&["methods", "plan", "application-traces", ".", "--form", "quick", "--json", "--trace", "word=t.csv"]);
    assert!(replaced.stdout.contains("\"format\": \"alibaba\""), "the trace 'word' is a file now");
}

#[test]
fn a_run_goes_on_with_the_trace_it_began_with_and_with_no_other() {
    let lab = Lab::new();
    let trace = lab.folder().join("t.log");
    let text = "fio version 2 iolog\nd add\nd open\nd read 0 4096\nd wait 4000000\nd read 4096 4096\nd close\n";
    std::fs::write(&trace, text).expect("a trace");
    let flags = ["io", "nop:", "--trace-in", "t.log", "--qd", "1", "--quiet"];
    let mut child = lab.command(&flags).spawn().expect("drivelab starts");
    while lab.runs().is_empty() {
        assert!(child.try_wait().expect("a process").is_none(), "it ended before it was stopped");
    }
    tool("kill", &["-INT", &child.id().to_string()]);
    child.wait().expect("drivelab ends");
    let refused = |code: i32, says: &str| {
        let done = lab.run(&["resume", "--last"]);
        assert!((done.code, done.stderr.contains(says)) == (code, true), "{}: {}", done.code, done.stderr);
        assert_eq!(lab.runs()[0].1, "interrupted", "a refusal ends no run");
    };
    std::fs::write(&trace, text.replace("read 0", "write 0")).expect("a trace");
    refused(2, "is not the one that the plan was made for");
    std::fs::write(&trace, text.replace("d wait", "d weight")).expect("a trace");
    refused(2, "t.log', line 5: the action 'weight' is unknown");
    std::fs::remove_file(&trace).expect("a trace");
    refused(4, "t.log' cannot be read");
    std::fs::write(&trace, text).expect("a trace");
    lab.ok(&["resume", "--last"]);
    assert_eq!(lab.runs()[0].1, "complete");
}

#[test]
fn a_long_trace_takes_no_more_memory_than_a_short_one() {
    let lab = Lab::new();
    let long = lab.folder().join("long.csv");
    let mut out = BufWriter::new(std::fs::File::create(&long).expect("a file"));
    for number in 0..1_500_000_u64 {
        writeln!(out, "7,R,{},4096,{}", number % 4000 * 4096, 1_577_808_000_000_000 + number).expect("a line");
    }
    out.flush().expect("a file");
    std::fs::write(lab.folder().join("short.csv"), as_csv(&recorded())).expect("a trace");
    let peak = |file: &str| {
        let path = lab.folder().join(file);
        peak_kib(
            Command::new(env!("CARGO_BIN_EXE_drivelab"))
                .args(["trace", "check"])
                .arg(path)
                .stdout(std::process::Stdio::null()),
        )
    };
    // A late look sees too small a peak, and never too large a one.
    let (long, short) = (peak("long.csv"), (0..5).map(|_| peak("short.csv")).max().unwrap_or(0));
    println!("peak resident: {long} KiB for 60 MB, {short} KiB for 20 KB");
    assert!(long < short + 16 * 1024, "{long} KiB for the long one, {short} KiB for the short one");
}
