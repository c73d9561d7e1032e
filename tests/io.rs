//! `drivelab io`: one load from flags, its result, its document, its methodology, and what it says to bad flags.

mod support;

use serde_json::Value;
use support::{Done, Lab, files_of};

/// Flags that keep a load small and short.
const SMALL: &[&str] = &["--size", "32MiB", "--time", "300ms"];

fn io(lab: &Lab, flags: &[&str]) -> Done {
    lab.ok(&[&["io", "."], SMALL, flags].concat())
}

/// The document of a load, held to the published schema.
fn document(lab: &Lab, arguments: &[&str]) -> Value {
    let document = lab.json(&[arguments, &["--json"]].concat());
    let schema = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/io.schema.json"));
    let schema: Value = serde_json::from_str(&schema.expect("the published schema")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    document
}

fn kinds(document: &Value) -> Vec<&str> {
    document["operations"].as_object().expect("operations").keys().map(String::as_str).collect()
}

#[test]
fn a_load_prints_a_table_keeps_a_run_and_leaves_no_scratch_file() {
    let lab = Lab::new();
    let done = io(&lab, &["--qd", "4"]);
    for word in ["IOPS", "p99.9", "read", "limited by", "4 asked"] {
        assert!(done.stdout.contains(word), "'{word}' is missing in\n{}", done.stdout);
    }
    assert!(done.stderr.contains("written from end to end first"), "{}", done.stderr);
    assert!(lab.files().is_empty(), "{:?}", lab.files());
    let (run, state) = lab.runs().remove(0);
    assert_eq!(state, "complete");
    assert!(lab.ok(&["results", "show", &run]).stdout.contains("MB/s"));
    let report = lab.json(&["report", &run, "--format", "json"]);
    let address = report["metrics"][0]["address"].as_str().expect("an address").to_owned();
    assert!(lab.ok(&["explain", &run, &address]).stdout.contains("drivelab_analysis::"));
    assert!(lab.ok(&["replay", &run, "--speed", "0", "--plain"]).stderr.contains("4 KiB Q4T1 read"));
}

#[test]
fn the_document_holds_the_kinds_that_the_load_issues_and_the_load_itself() {
    let lab = Lab::new();
    let run = |flags: &[&str]| document(&lab, &[&["io", "."], SMALL, flags].concat());
    let read = run(&["--block", "8k", "--qd", "2", "--threads", "2", "--seed", "7"]);
    assert_eq!(kinds(&read), ["read"]);
    assert_eq!(read["workload"]["block_size"], 8192);
    assert_eq!((&read["workload"]["queue_depth"], &read["workload"]["threads"]), (&2.into(), &2.into()));
    assert_eq!(read["engine"]["depth_asked"], 4);
    let operations = &read["operations"]["read"];
    assert_eq!(operations["bytes"].as_u64(), operations["count"].as_u64().map(|count| count * 8192));
    assert_eq!(operations["errors"], 0);
    let [min, p50, p999, max] = ["min", "p50", "p999", "max"].map(|name| operations["latency_ns"][name].as_u64());
    assert!(min <= p50 && p50 <= p999 && p999 <= max && min.is_some(), "{operations:#}");
    assert!(operations["response_ns"].is_null() && read["backlog"].is_null(), "a closed loop has no schedule");
    assert_eq!(read["filled"]["bytes"], 32 << 20);

    let write = run(&["--op", "write", "--pattern", "sequential", "--block", "1M"]);
    assert_eq!(kinds(&write), ["write"]);
    assert!(write["filled"].is_null(), "a load that only writes needs no fill");
    assert!(run(&["--op", "write", "--fill"])["filled"].is_object());

    let mix = run(&["--op", "mix=70", "--backend", "sync", "--qd", "2"]);
    assert_eq!(kinds(&mix), ["read", "write"]);
    assert_eq!(mix["workload"]["write_percent"], 30);
    assert_eq!(mix["engine"]["backend"], "sync");
    let count = |kind: &str| mix["operations"][kind]["count"].as_u64().expect("a count");
    // Drawn by a seeded generator: within the few per cent that some thousand draws leave.
    let share = count("read") * 100 / (count("read") + count("write"));
    assert!((60..=80).contains(&share), "{share} % reads");
}

#[test]
fn a_load_ends_by_bytes_and_rounds_stand_together_and_for_themselves() {
    let lab = Lab::new();
    let arguments = ["io", ".", "--size", "16MiB", "--pattern", "sequential", "--block", "64k", "--rounds", "3"];
    let done = document(&lab, &[&arguments[..], &["--bytes", "4MiB"]].concat());
    assert_eq!(done["stop_reason"], "volume");
    assert_eq!(done["rounds"].as_array().map(Vec::len), Some(3));
    assert_eq!(done["operations"]["read"]["bytes"], 3 * (4 << 20));
    let passes = document(&lab, &[&arguments[..], &["--passes", "1"]].concat());
    assert_eq!(passes["stop_reason"], "passes");
    assert_eq!(passes["operations"]["read"]["bytes"], 3 * (16 << 20));
}

#[test]
fn without_saving_nothing_is_written_to_the_data_folder() {
    let lab = Lab::new();
    let saved = document(&lab, &[&["io", "."], SMALL].concat());
    assert!(saved["run"].is_string());
    std::fs::remove_dir_all(lab.data()).expect("a data folder that is there");
    let done = document(&lab, &[&["io", "."], SMALL, &["--no-save"]].concat());
    assert!(done["run"].is_null(), "there is no run to name");
    let table = io(&lab, &["--no-save"]);
    assert!(table.stdout.contains("IOPS") && !table.stderr.contains("drivelab report"), "{}", table.stderr);
    assert!(!lab.data().exists(), "{:?}", files_of(&lab.data()));
    assert!(lab.files().is_empty(), "{:?}", lab.files());
}

#[test]
fn events_are_one_object_a_line_also_without_saving() {
    let lab = Lab::new();
    for more in [&[][..], &["--no-save"]] {
        let done = io(&lab, &[&["--events", "json"], more].concat());
        let events: Vec<Value> = done.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(events.iter().enumerate().all(|(index, event)| event["seq"] == index));
        assert!(events.iter().any(|event| event["event"]["interval"].is_object()));
        assert!(events.last().is_some_and(|event| event["event"]["run_ended"]["state"] == "complete"));
    }
}

#[test]
fn the_printed_methodology_runs_and_is_the_same_load() {
    let lab = Lab::new();
    let flags = ["--op", "mix=70", "--block", "8k", "--qd", "3", "--pattern", "random", "--span", "50%", "--seed", "9"];
    let printed = lab.ok(&[&["io", "."], SMALL, &flags, &["--print-method"]].concat());
    assert!(lab.files().is_empty() && !lab.data().exists(), "printing touches nothing");
    lab.write("mine.toml", &printed.stdout);
    assert!(lab.ok(&["methods", "check", "mine.toml"]).stdout.contains("is fine"));
    let by_flags = document(&lab, &[&["io", "."], SMALL, &flags].concat());
    let by_file = lab.json(&["run", "mine.toml", ".", "--json"]);
    let step =
        by_file["steps"].as_array().expect("steps").iter().find(|step| step["test"] == "load").expect("the load");
    assert_eq!(step["step"]["action"]["io"]["workload"], by_flags["workload"]);
    assert_eq!(by_file["run"]["method"]["name"], "io");
}

#[test]
fn an_existing_file_is_written_only_where_it_is_named_twice() {
    let lab = Lab::new();
    let file = lab.write("disk.img", vec![7u8; 16 << 20]);
    let done = lab.run(&["io", "disk.img", "--op", "write", "--time", "200ms"]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert_eq!(std::fs::read(&file).expect("content"), vec![7u8; 16 << 20]);
    lab.ok(&["io", "disk.img", "--op", "write", "--time", "200ms", "--destroy", "disk.img"]);
    assert_ne!(std::fs::read(&file).expect("content"), vec![7u8; 16 << 20]);
    assert_eq!(std::fs::metadata(&file).expect("metadata").len(), 16 << 20);
}

#[test]
fn a_dry_run_touches_nothing() {
    let lab = Lab::new();
    let done = io(&lab, &["--dry-run"]);
    assert!(done.stdout.contains("nothing was made"), "{}", done.stdout);
    assert!(lab.files().is_empty() && !lab.data().join("runs").exists());
}

/// Flags, and words that the one message must hold: the flag as typed, and what to do.
const MUSEUM: &[(&[&str], &[&str])] = &[
    (&["--block", "3q"], &["--block 3q: ", "'q'", "4k"]),
    (&["--block", "0"], &["--block 0: ", "at least one byte"]),
    (&["--block", "700"], &["--block 700: ", "multiple", "--direct off"]),
    (&["--block", "4k,64k"], &["--block 4k,64k: ", "4k:60"]),
    (&["--qd", "0"], &["--qd 0: ", "1 to 65535"]),
    (&["--qd", "70000"], &["--qd 70000: ", "65535"]),
    (&["--threads", "5000"], &["--threads 5000: ", "1024"]),
    (&["--op", "raed"], &["--op raed: ", "did you mean `read`"]),
    (&["--op", "mix=170"], &["--op mix=170: ", "mix=70"]),
    (&["--op", "read", "--write-percent", "30"], &["--write-percent", "--op", "cannot be used"]),
    (&["--write-percent", "130"], &["--write-percent 130: ", "0 to 100"]),
    (&["--pattern", "zigzag"], &["--pattern", "random-once"]),
    (&["--span", "150%"], &["--span 150%: ", "100 %"]),
    (&["--span", "2GiB"], &["--span 2GiB: ", "larger than the target"]),
    (&["--time", "fast"], &["--time fast: ", "5 s"]),
    (&["--time", "0s"], &["--time 0s: ", "more than 0 s"]),
    (&["--time", "3h", "--cap", "1h"], &["--time 3h: ", "--cap", "at most 1 h"]),
    (&["--passes", "2"], &["--passes 2: ", "random"]),
    (&["--threads", "64", "--pattern", "sequential", "--block", "1M"], &["--streams overlapping", "64"]),
    (&["--cpus", "3-1"], &["--cpus 3-1: ", "0,2-3"]),
    (&["--numa", "99"], &["--numa 99: ", "no such node"]),
    (&["--rate", "fast"], &["--rate fast: ", "50MB/s"]),
    (&["--arrivals", "constant"], &["--rate"]),
    (&["--locality", "zipf"], &["--locality zipf: ", "zipf:1.1"]),
    (&["--bursts", "1s"], &["--bursts 1s: ", "1s/2s"]),
    (&["--group", "name"], &["--group 'name': ", "op=write"]),
    (&["--data-file", "missing"], &["--data-file missing: ", "No such file"]),
    (&["--size", "many"], &["--size many: ", "128 KiB"]),
    (&["--size", "1k", "--block", "64k"], &["--block 64k: ", "larger"]),
];

#[test]
fn each_bad_flag_is_named_with_what_to_do() {
    let lab = Lab::new();
    for (flags, words) in MUSEUM {
        let size: &[&str] = if flags.contains(&"--size") { &[] } else { &["--size", "32MiB"] };
        let done = lab.run(&[&["io", "."], size, *flags].concat());
        assert_eq!(done.code, 2, "{flags:?}\n{}", done.stderr);
        for word in *words {
            assert!(done.stderr.contains(word), "{flags:?}: '{word}' is missing in\n{}", done.stderr);
        }
        for word in ["panicked", "toml", "the flags:", "[[tests]]"] {
            assert!(
                !done.stderr.contains(word),
                "{flags:?}: '{word}' says nothing to who typed flags\n{}",
                done.stderr
            );
        }
        assert!(done.stdout.is_empty() && lab.files().is_empty(), "{flags:?} left something behind");
    }
    assert!(!lab.data().exists());
}
