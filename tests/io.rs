//! `drivelab io`: one load from flags, its result, its document, its methodology, and the messages for wrong flags.

#[path = "support/schema.rs"]
mod schema;
mod support;

use drivelab_rig::{DIRECT, LoopDevice, root_or_skip, tool};
use serde_json::Value;
use support::{Done, Lab, files_of};

/// Flags that keep a load small and short.
const SMALL: &[&str] = &["--size", "32MiB", "--time", "300ms"];

fn io(lab: &Lab, flags: &[&str]) -> Done {
    lab.ok(&[&["io", "."], SMALL, flags].concat())
}

/// The document of a load, checked against the published schema.
fn document(lab: &Lab, arguments: &[&str]) -> Value {
    let document = lab.json(&[arguments, &["--json"]].concat());
    schema::fits("io", &document);
    document
}

fn kinds(document: &Value) -> Vec<&str> {
    document["operations"].as_object().expect("operations").keys().map(String::as_str).collect()
}

#[test]
fn a_load_prints_a_table_keeps_a_run_and_leaves_no_scratch_file() {
    let lab = Lab::new();
    let done = io(&lab, &["--qd", "4"]);
    for word in ["IOPS", "p99.9", "read", "limited by", "4 requested"] {
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

/// Nothing but drivelab limits a target that takes no time.
#[test]
fn rates_that_are_lower_bounds_have_their_sign_in_the_table() {
    let lab = Lab::new();
    let table = lab.ok(&["io", "nop:", "--time", "200ms", "--no-save"]).stdout;
    let row = table.lines().find(|line| line.trim_start().starts_with("read ")).expect("the row of reads");
    assert_eq!(row.matches('≥').count(), 2, "IOPS and MB/s, and no time: {table}");
}

#[test]
fn the_document_holds_the_kinds_that_the_load_issues_and_the_load_itself() {
    let lab = Lab::new();
    let run = |flags: &[&str]| document(&lab, &[&["io", "."], SMALL, flags].concat());
    // Enough operations for p99.9, which needs five above it, however slow the machine is.
    let flags = ["--block", "8k", "--qd", "2", "--threads", "2", "--seed", "7", "--operations", "6000"];
    let read = document(&lab, &[&["io", ".", "--size", "32MiB"], &flags[..]].concat());
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

    let flags = ["--op", "mix=70", "--backend", "sync", "--qd", "2", "--operations", "2000"];
    let mix = document(&lab, &[&["io", ".", "--size", "32MiB"], &flags[..]].concat());
    assert_eq!(kinds(&mix), ["read", "write"]);
    assert_eq!(mix["workload"]["write_percent"], 30);
    assert_eq!(mix["engine"]["backend"], "sync");
    let count = |kind: &str| mix["operations"][kind]["count"].as_u64().expect("a count");
    // Drawn by a seeded generator: within the few per cent that two thousand draws leave.
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
    let mut asked = by_flags["workload"].clone();
    assert_eq!(asked["seed"], 9);
    asked["seed"] = by_flags["derived_seed"].clone();
    assert_eq!(step["step"]["action"]["io"]["workload"], asked);
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
fn an_existing_file_is_read_without_permission_and_stays_as_it_is() {
    let lab = Lab::new();
    let file = lab.write("disk.img", vec![7u8; 4 << 20]);
    let read = document(&lab, &["io", "disk.img", "--pattern", "sequential", "--block", "64k", "--passes", "1"]);
    assert_eq!(read["operations"]["read"]["bytes"], 4 << 20);
    assert!(read["filled"].is_null() && read["target"]["guard"].is_null(), "{:#}", read["target"]);
    assert_eq!(std::fs::read(&file).expect("content"), vec![7u8; 4 << 20]);
    let size = lab.run(&["io", "disk.img", "--size", "1MiB"]);
    assert_eq!(size.code, 2);
    assert!(size.stderr.contains("--size 1MiB: ") && size.stderr.contains("--span"), "{}", size.stderr);
}

#[test]
fn targets_that_store_nothing_measure_drivelab_itself() {
    let lab = Lab::new();
    for (target, op, backend) in [
        ("nop:", "read", "auto"),
        ("/dev/null", "write", "uring"),
        ("/dev/zero", "read", "sync"),
        ("nop:", "mix=50", "auto"),
    ] {
        let flags = ["io", target, "--op", op, "--qd", "4", "--operations", "5000", "--backend", backend, "--no-save"];
        let done = document(&lab, &flags);
        let count: u64 = done["operations"]
            .as_object()
            .expect("kinds")
            .values()
            .map(|o| o["count"].as_u64())
            .sum::<Option<_>>()
            .expect("counts");
        assert_eq!((count, &done["stop_reason"]), (5000, &"operations".into()), "{target}");
        assert_eq!(done["workload"]["direct"], false, "{target}");
        assert_eq!(done["target"]["length"], 1 << 30, "{target}");
        assert!(done["engine"]["user_ns_per_io"].is_null(), "5,000 take too little: {:#}", done["engine"]);
    }
    // This many take longer than the judged time (200 ms) on any CPU, however little of it they get in a second.
    let longer = document(&lab, &["io", "nop:", "--qd", "4", "--operations", "5000000", "--no-save"]);
    assert!(longer["engine"]["user_ns_per_io"].as_f64().is_some_and(|ns| ns > 0.0), "{:#}", longer["engine"]);
    let refused = lab.run(&["io", "/dev/null", "--op", "read"]);
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    assert!(refused.stderr.contains("/dev/zero"), "{}", refused.stderr);
    let printed = lab.ok(&["io", "nop:", "--operations", "1000", "--print-method"]).stdout;
    lab.write("nop.toml", printed);
    lab.ok(&["run", "nop.toml", "nop:"]);
    let on_a_folder = lab.run(&["run", "nop.toml", "."]);
    assert_eq!(on_a_folder.code, 2, "{}", on_a_folder.stderr);
    assert!(on_a_folder.stderr.contains("as_found"), "{}", on_a_folder.stderr);
}

/// The lines of a trace as columns, without the head.
fn trace_of(lab: &Lab, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(lab.folder().join(name)).expect("a trace");
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().expect("a head");
    assert_eq!(head.join(" "), "thread index op offset length intended_ns submit_ns latency_ns errno placement_handle");
    lines.collect()
}

#[test]
fn a_trace_holds_every_measured_operation_as_it_was_issued() {
    let lab = Lab::new();
    let flags = ["--pattern", "random-once", "--passes", "1", "--threads", "2", "--trace", "trace.tsv"];
    let done = document(&lab, &[&["io", ".", "--size", "4MiB"], &flags[..]].concat());
    let trace = trace_of(&lab, "trace.tsv");
    assert_eq!(done["operations"]["read"]["count"], trace.len(), "the fill is not in it");
    let mut offsets: Vec<u64> = trace.iter().map(|line| line[3].parse().expect("a number")).collect();
    offsets.sort_unstable();
    assert_eq!(offsets, (0..1024).map(|block| block * 4096).collect::<Vec<_>>(), "each block once");
    assert!(trace.iter().all(|line| line[2] == "read" && line[4] == "4096" && line[8] == "0"));
    let again = lab.run(&["io", ".", "--trace", "trace.tsv"]);
    assert_eq!(again.code, 6, "{}", again.stderr);
    assert!(again.stderr.contains("--trace trace.tsv: it exists"), "{}", again.stderr);
    assert_eq!(trace_of(&lab, "trace.tsv"), trace, "left alone");
    let refused = lab.run(&["io", "/dev/full-of-nothing", "--trace", "other.tsv"]);
    assert!(refused.code != 0 && !lab.folder().join("other.tsv").exists(), "a load that is refused leaves no trace");
}

#[test]
fn an_open_loop_says_response_times_and_backlog() {
    let lab = Lab::new();
    let flags = ["--rate", "4000", "--arrivals", "exponential", "--qd", "8"];
    // Enough operations for p99, which needs five above it, however slow the machine is. Without a disk: one that others
    // keep busy falls behind the schedule, and then there are no response times.
    let enough = ["io", "nop:", "--operations", "1000"];
    // Nor are there any if other programs take the CPU from such a short load just before its end. That is repeated, and
    // the document has to say why they are missing.
    let measured = || document(&lab, &[&enough[..], &flags].concat());
    let mut done = measured();
    for _ in 0..7 {
        if done["operations"]["read"]["response_ns"].is_object() {
            break;
        }
        let codes = |list: &Value| {
            list.as_array().is_some_and(|all| all.iter().any(|one| one["code"] == "open_loop_overloaded"))
        };
        assert!(codes(&done["findings"]), "{done:#}");
        done = measured();
    }
    assert_eq!(done["workload"]["pace"]["rate"]["per_1000_s"], 4_000_000);
    assert!(done["operations"]["read"]["response_ns"]["p99"].is_u64(), "{:#}", done["operations"]);
    assert!(done["backlog"]["asked_iops"] == 4000.0, "{:#}", done["backlog"]);
    let table = io(&lab, &flags);
    for word in ["response time", "schedule", "backlog"] {
        assert!(table.stdout.contains(word), "{}", table.stdout);
    }
}

#[test]
fn groups_and_sizes_stand_for_themselves() {
    let lab = Lab::new();
    let group = "name=writer op=write block=64k rate=\"20 MB/s\"";
    let done = document(&lab, &[&["io", "."], SMALL, &["--block", "4k:50,8k:50", "--group", group]].concat());
    let sizes = done["operations"]["read"]["sizes"].as_array().expect("sizes").len();
    assert_eq!(sizes, 2);
    let names: Vec<&str> =
        done["groups"].as_array().expect("groups").iter().filter_map(|g| g["name"].as_str()).collect();
    assert!(names.contains(&"writer") && names.len() == 2, "{names:?}");
    let writer = &done["workload"]["beside"][0];
    assert_eq!((&writer["block_size"], &writer["write_percent"]), (&(64 << 10).into(), &100.into()));
}

#[test]
fn every_kind_of_operation_and_every_order_runs() {
    let lab = Lab::new();
    for op in ["trim", "write-zeroes", "flush"] {
        let done = document(&lab, &["io", ".", "--size", "4MiB", "--op", op, "--operations", "64", "--no-save"]);
        assert_eq!(done["operations"][op.replace('-', "_")]["count"], 64, "{op}");
    }
    for more in [
        &["--pattern", "reverse"][..],
        &["--pattern", "sequential", "--stride", "16k", "--seek-percent", "10"],
        &["--pattern", "sequential", "--places", "50"],
        &["--locality", "zipf:1.1", "--not-scattered"],
        &["--locality", "pareto:0.2"],
        &["--locality", "normal:10"],
        &["--locality", "zones:50/5,30/15,20/80"],
        &["--locality", "hot-band:70/0-20"],
        &["--span", "25%+1MiB", "--threads", "2", "--cpus", "0"],
        &["--op", "write", "--data-kind", "one-block", "--sync-every", "8"],
        &["--op", "write", "--data-pattern", "deadbeef"],
        &["--op", "write", "--compress-percent", "50"],
        &["--bursts", "20ms/10ms", "--direct", "off"],
        &["--think-time", "100us", "--batch", "1", "--errors", "stop", "--watchdog", "5s"],
    ] {
        let base = ["io", ".", "--size", "4MiB", "--operations", "128", "--no-save"];
        let done = document(&lab, &[&base[..], more].concat());
        assert_eq!(done["stop_reason"], "operations", "{more:?}");
    }
}

#[test]
fn a_loop_device_is_read_by_anybody_who_may_and_written_where_it_is_named() {
    if !root_or_skip("a loop device") {
        return;
    }
    let lab = Lab::new();
    let image = lab.write("image", vec![0u8; 16 << 20]);
    let disk = LoopDevice::on(&image, DIRECT).expect("a loop device");
    let name = disk.name();
    let read = document(&lab, &["io", &disk.device, "--operations", "100"]);
    assert_eq!(read["target"]["kind"], "block_device");
    assert_eq!(read["target"]["length"], 16 << 20);
    let refused = lab.run(&["io", &disk.device, "--op", "write", "--operations", "100"]);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert!(refused.stderr.contains(&format!("--destroy {name}")), "{}", refused.stderr);
    assert!(std::fs::read(&image).expect("the image").iter().all(|byte| *byte == 0), "nothing was written");
    let write = ["io", &disk.device, "--op", "write", "--pattern", "sequential", "--passes", "1", "--destroy", name];
    assert_eq!(document(&lab, &write)["operations"]["write"]["bytes"], 16 << 20);
    assert!(std::fs::read(&image).expect("the image").chunks(4096).all(|block| block.iter().any(|byte| *byte != 0)));
}

/// Waits until the trace has this many bytes: it is written interval by interval. Also ends when the load does.
fn wait_for_trace(lab: &Lab, child: &mut std::process::Child, bytes: u64) {
    let is_long = || std::fs::metadata(lab.folder().join("trace.tsv")).is_ok_and(|trace| trace.len() > bytes);
    while !is_long() && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(is_long(), "it ended before its load began");
}

/// Starts a load of one minute, waits for its first interval, and returns the process.
fn started(lab: &Lab, flags: &[&str]) -> std::process::Child {
    let flags = [&["io", ".", "--size", "32MiB", "--time", "60s", "--trace", "trace.tsv"], flags].concat();
    let mut command = lab.command(&flags);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("drivelab starts");
    wait_for_trace(lab, &mut child, 10_000);
    child
}

#[test]
fn ctrl_c_shows_what_was_measured_until_then() {
    let lab = Lab::new();
    for (flags, words) in [(&["--json"][..], "drivelab resume"), (&["--json", "--no-save"], "nothing is kept")] {
        let child = started(&lab, flags);
        tool("kill", &["-INT", &child.id().to_string()]);
        let done = support::done(child.wait_with_output().expect("drivelab ends"));
        assert_eq!(done.code, 7, "{}", done.stderr);
        assert!(done.stderr.contains(words), "{}", done.stderr);
        let document: Value = serde_json::from_str(&done.stdout).expect("one document");
        assert_eq!((&document["state"], &document["stop_reason"]), (&"interrupted".into(), &"stopped".into()));
        assert!(document["operations"]["read"]["count"].as_u64().is_some_and(|count| count > 0));
        std::fs::remove_file(lab.folder().join("trace.tsv")).expect("a trace");
        assert!(lab.files().is_empty(), "{:?}", lab.files());
    }
}

#[test]
fn errors_of_the_target_are_counted_with_their_addresses_and_end_with_code_8() {
    let lab = Lab::new();
    let child = started(&lab, &["--errors", "stop", "--json", "--no-save"]);
    // Another program truncates the file while it is being read.
    let scratch = lab.files().into_iter().find(|name| name.starts_with(".drivelab-scratch")).expect("a scratch file");
    let file = std::fs::OpenOptions::new().write(true).open(lab.folder().join(scratch)).expect("the scratch file");
    file.set_len(0).expect("cut off");
    let done = support::done(child.wait_with_output().expect("drivelab ends"));
    assert_eq!(done.code, 8, "{}", done.stderr);
    let document: Value = serde_json::from_str(&done.stdout).expect("one document");
    assert_eq!(document["stop_reason"], "errors");
    assert!(document["operations"]["read"]["errors"].as_u64().is_some_and(|errors| errors > 0));
    let first = &document["errors"][0];
    assert!(first["offset"].is_u64() && first["op"] == "read", "{first:#}");
    let by_errno = document["errors_by_errno"].as_object().expect("counts by number");
    let counted: u64 = by_errno.values().filter_map(Value::as_u64).sum();
    assert_eq!(Some(counted), document["operations"]["read"]["errors"].as_u64(), "{by_errno:?}");
}

#[test]
fn a_search_finds_a_rate_and_says_what_every_round_did() {
    let lab = Lab::new();
    let flags = ["io", "nop:", "--find-rate", "p90=1s,200..400", "--time", "200ms", "--rounds", "3", "--qd", "32"];
    // A machine that is too busy for 400 operations a second keeps none of them: then the load is run again.
    let search = (0..5).map(|_| document(&lab, &flags)).find(|done| done["rate_search"]["held_iops"] == 400.0);
    let done = search.expect("nothing takes a second there: the highest rate holds");
    let search = &done["rate_search"];
    assert!(search["missed_iops"].is_null(), "{search:#}");
    assert_eq!((&search["percentile"], &search["bound_ns"]), (&"p90".into(), &1_000_000_000.into()));
    let asked: Vec<f64> =
        done["rounds"].as_array().expect("rounds").iter().filter_map(|round| round["asked_iops"].as_f64()).collect();
    assert_eq!(asked, [200.0, 400.0]);
    assert_eq!(done["backlog"]["asked_iops"], 400.0, "the figures are those of the round that is reported");
    assert_eq!(done["workload"]["pace"]["rate"]["per_1000_s"], 400_000, "and so is the load");
}

/// A file of 4 MiB that a run wrote with headers, and the id of that run.
fn with_headers(lab: &Lab, flags: &[&str]) -> (std::path::PathBuf, String) {
    let file = lab.write("disk.img", vec![0u8; 4 << 20]);
    let write = ["io", "disk.img", "--op", "write", "--verify", "headers", "--destroy", "disk.img", "--qd", "4"];
    let done = document(lab, &[&write[..], flags].concat());
    (file, done["run"].as_str().expect("a run").to_owned())
}

#[test]
fn a_fill_too_short_for_its_course_has_its_time_and_a_strided_write_is_no_fill() {
    let lab = Lab::new();
    let write = ["io", ".", "--size", "16MiB", "--op", "write", "--pattern", "sequential", "--passes", "1", "--quiet"];
    let page = |more: &[&str]| {
        lab.ok(&[&write[..], more].concat());
        lab.ok(&["report", "--last", "--format", "md"]).stdout
    };
    let told = "There are too few recorded intervals to see whether a write cache ended.";
    assert!(page(&["--block", "1M"]).contains(told));
    assert!(!page(&["--block", "64k", "--stride", "1M"]).contains(told));
}

#[test]
fn what_an_earlier_run_left_is_stale_or_torn() {
    let lab = Lab::new();
    let flags = ["--pattern", "random-once", "--passes", "1"];
    let (file, _) = with_headers(&lab, &flags);
    let before = std::fs::read(&file).expect("the file");
    let (file, run) = with_headers(&lab, &flags);
    // One write never arrived, and of another the second half did not.
    let mut bytes = std::fs::read(&file).expect("the file");
    bytes[100 * 4096..101 * 4096].copy_from_slice(&before[100 * 4096..101 * 4096]);
    bytes[200 * 4096 + 2048..201 * 4096].copy_from_slice(&before[200 * 4096 + 2048..201 * 4096]);
    std::fs::write(&file, &bytes).expect("damaged");
    let done = lab.run(&["io", "disk.img", "--op", "verify", "--of", &run, "--json"]);
    let document: Value = serde_json::from_str(&done.stdout).expect("one document");
    assert_eq!(document["verification"]["faults"], serde_json::json!({"stale": 1, "torn": 1}), "{}", done.stderr);
}

#[test]
fn what_one_process_wrote_another_checks() {
    let lab = Lab::new();
    let orders: [&[&str]; 2] =
        [&["--pattern", "random-once", "--passes", "1"], &["--operations", "3000", "--threads", "2"]];
    for flags in orders {
        let (file, run) = with_headers(&lab, flags);
        let done = document(&lab, &["io", "disk.img", "--op", "verify", "--of", &run]);
        let found = &done["verification"];
        assert!(found["faults"].as_object().is_some_and(serde_json::Map::is_empty), "{found:#}");
        assert!(found["checked"].as_u64().is_some_and(|checked| checked > 500), "{found:#}");
        assert_eq!(done["operations"]["read"]["bytes"], 4 << 20, "the span is read once");

        // A byte is flipped, a block is lost, and two blocks are swapped.
        let mut bytes = std::fs::read(&file).expect("the file");
        bytes[100 * 4096 + 2000] ^= 1;
        let written: Vec<usize> =
            (200..1000).filter(|block| bytes[block * 4096..][..4096].iter().any(|b| *b != 0)).collect();
        let [lost, one, other] = [written[0], written[1], written[2]];
        bytes[lost * 4096..][..4096].fill(0);
        let (low, high) = bytes.split_at_mut(other * 4096);
        low[one * 4096..][..4096].swap_with_slice(&mut high[..4096]);
        std::fs::write(&file, &bytes).expect("damaged");
        let done = lab.run(&["io", "disk.img", "--op", "verify", "--of", "last", "--json"]);
        assert_eq!(done.code, 2, "the last run is a check: {}", done.stderr);
        let done = lab.run(&["io", "disk.img", "--op", "verify", "--of", &run, "--json"]);
        assert_eq!(done.code, 8, "{}", done.stderr);
        assert!(done.stderr.contains("do not hold what was written there"), "{}", done.stderr);
        let document: Value = serde_json::from_str(&done.stdout).expect("one document");
        let faults = &document["verification"]["faults"];
        assert_eq!((&faults["zero"], &faults["misplaced"]), (&1.into(), &2.into()), "{faults:#}");
        let first = document["verification"]["first"].as_array().expect("bad blocks");
        assert!(first.iter().any(|bad| bad["offset"] == lost as u64 * 4096 && bad["fault"] == "zero"), "{first:#?}");
    }
}

#[test]
fn what_a_killed_process_wrote_is_found_and_checked() {
    let lab = Lab::new();
    lab.write("disk.img", vec![0u8; 16 << 20]);
    let flags = ["io", "disk.img", "--op", "write", "--verify", "headers", "--destroy", "disk.img", "--time", "60s"];
    let more = ["--qd", "8", "--quiet", "--trace", "trace.tsv"];
    let mut child = lab.command(&[&flags[..], &more].concat()).spawn().expect("drivelab starts");
    // Looking into the file itself would make the guard refuse it, because it would be open.
    wait_for_trace(&lab, &mut child, 50_000);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let done = lab.ok(&["io", "disk.img", "--op", "verify", "--of", "last", "--json"]);
    assert!(done.stderr.contains("was killed"), "{}", done.stderr);
    let document: Value = serde_json::from_str(&done.stdout).expect("one document");
    assert!(document["verification"]["checked"].as_u64().is_some_and(|checked| checked > 400), "{document:#}");
}

#[test]
fn blocks_are_read_back_at_once_where_that_is_asked() {
    let lab = Lab::new();
    let flags = ["io", ".", "--size", "4MiB", "--op", "write", "--verify", "at-once", "--operations", "500"];
    let done = document(&lab, &flags);
    assert_eq!(done["verification"]["checked"], 500);
    let table = lab.ok(&flags).stdout;
    assert!(table.contains("500 blocks checked: all as written"), "{table}");
}

#[test]
fn an_interrupted_load_can_be_resumed_on_what_it_ran_on() {
    let lab = Lab::new();
    lab.write("disk.img", vec![7u8; 4 << 20]);
    for target in ["disk.img", "nop:", "."] {
        let size: &[&str] = if target == "." { &["--size", "4MiB"] } else { &[] };
        let flags = [&["io", target, "--time", "1s", "--trace", "trace.tsv", "--quiet"], size].concat();
        // On a busy machine a second may pass before the signal comes: then the load is started again.
        let interrupted = (0..10).any(|_| {
            let mut child = lab.command(&flags).spawn().expect("drivelab starts");
            wait_for_trace(&lab, &mut child, 10_000);
            tool("kill", &["-INT", &child.id().to_string()]);
            let code = child.wait_with_output().expect("drivelab ends").status.code();
            std::fs::remove_file(lab.folder().join("trace.tsv")).expect("a trace");
            assert!(code == Some(7) || lab.runs()[0].1 == "complete", "{target}: {code:?}");
            code == Some(7)
        });
        assert!(interrupted, "{target}");
        assert_eq!(lab.runs()[0].1, "interrupted", "{target}");
        lab.ok(&["resume", "--last"]);
        assert_eq!(lab.runs()[0].1, "complete", "{target}");
    }
    assert_eq!(lab.files(), ["disk.img"]);
}

#[test]
fn a_check_says_what_it_lacks() {
    let lab = Lab::new();
    let (_, run) = with_headers(&lab, &["--operations", "100"]);
    lab.ok(&["io", "disk.img", "--op", "write", "--operations", "100", "--destroy", "disk.img"]);
    for (flags, words) in [
        (&["disk.img", "--op", "verify"][..], &["--op verify: ", "--of RUN"][..]),
        (&["disk.img", "--op", "verify", "--of", "last"], &["--of last: ", "no headers", "--verify headers"]),
        (&["disk.img", "--of", &run], &["--of ", "--op verify"]),
        (&[".", "--op", "verify", "--of", &run], &["--op verify: ", "holds nothing"]),
        (&["disk.img", "--op", "verify", "--of", &run, "--block", "2k"], &["multiple", "4096"]),
    ] {
        let done = lab.run(&[&["io"], flags].concat());
        assert!(done.code == 2 || done.code == 6, "{flags:?}: {}", done.stderr);
        for word in words {
            assert!(done.stderr.contains(word), "{flags:?}: '{word}' is missing in\n{}", done.stderr);
        }
    }
    assert_eq!(lab.run(&["io", "disk.img", "--op", "verify", "--of", "no-such-run"]).code, 4);
}

#[test]
fn a_dry_run_touches_nothing() {
    let lab = Lab::new();
    let done = io(&lab, &["--dry-run"]);
    assert!(done.stdout.contains("nothing was created"), "{}", done.stdout);
    assert!(lab.files().is_empty() && !lab.data().join("runs").exists());
}

/// Flags, and words that the single message must contain: the flag as typed, and what to do.
const MUSEUM: &[(&[&str], &[&str])] = &[
    (&["--block", "3q"], &["--block 3q: ", "'q'", "4k"]),
    (&["--block", "0"], &["--block 0: ", "at least one byte"]),
    (&["--block", "700"], &["--block 700: ", "multiple", "--direct off"]),
    (&["--block", "4k,64k"], &["--block 4k,64k: ", "4k:60"]),
    (&["--qd", "0"], &["--qd 0: ", "1 to 65535"]),
    (&["--qd", "70000"], &["--qd 70000: ", "65535"]),
    (&["--qd", "thirty"], &["--qd thirty: ", "not a whole number", "1 to 65535"]),
    (&["--threads", "1.5"], &["--threads 1.5: ", "not a whole number", "1 to 1024"]),
    (&["--threads", "5000"], &["--threads 5000: ", "1024"]),
    (&["--op", "raed"], &["--op raed: ", "did you mean `read`"]),
    (&["--op", "randrw"], &["--op randrw: ", "--op mix=50 --pattern random"]),
    (&["--qd", "-1"], &["--qd -1: ", "must not be negative"]),
    (&["--time", "-5s"], &["--time -5s: ", "must not be negative"]),
    (&["--qd=-5"], &["--qd -5: ", "must not be negative", "1 to 65535"]),
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
    (&["--size", "1MiB", "--block", "2MiB"], &["--block 2MiB: ", "larger"]),
    (&["--size", "4097"], &["--size 4097: ", "whole number of MiB"]),
    (&["--pattern", "sequential", "--locality", "zipf:1.1"], &["--locality zipf:1.1: ", "--pattern"]),
    (&["--rate", "10k", "--think-time", "1ms"], &["--rate", "--think-time"]),
    (&["--data", "zero"], &["--data zero: ", "--data-kind zero"]),
    (&["--data-pattern", "xyz"], &["--data-pattern xyz: ", "hex"]),
    (&["--stride", "6k", "--pattern", "sequential"], &["--stride 6k: ", "multiple"]),
    (&["--places", "50"], &["--places 50: ", "sequential"]),
    (&["--group", "name=w opp=read"], &["--group 'name=w opp=read': ", "did you mean"]),
    (&["--find-rate", "99=1ms"], &["--find-rate 99=1ms: ", "p99=1ms"]),
    (&["--find-rate", "p99=1ms,200k..1k"], &["--find-rate p99=1ms,200k..1k: ", "more than"]),
    (&["--find-rate", "p99=1ms", "--rate", "1k"], &["--find-rate", "--rate"]),
    (&["--watchdog", "long"], &["--watchdog long: ", "5 s"]),
];

#[test]
fn each_bad_flag_is_named_with_what_to_do() {
    let lab = Lab::new();
    for (flags, words) in MUSEUM {
        let size: &[&str] = if flags.contains(&"--size") { &[] } else { &["--size", "32MiB"] };
        let done = lab.run(&[&["io", "."], size, *flags].concat());
        // What the host lacks and what does not exist have codes of their own (docs/exit-codes.md).
        let code = match flags[0] {
            "--numa" => 9,
            "--data-file" => 4,
            _ => 2,
        };
        assert_eq!(done.code, code, "{flags:?}\n{}", done.stderr);
        for word in *words {
            assert!(done.stderr.contains(word), "{flags:?}: '{word}' is missing in\n{}", done.stderr);
        }
        let lines: Vec<&str> = done.stderr.lines().collect();
        assert!(!lines.windows(2).any(|pair| pair[0] == pair[1]), "{flags:?} says it twice\n{}", done.stderr);
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
