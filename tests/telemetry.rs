//! What is watched during the I/O, through the whole program: a meter of known power, a thermometer that rises, the
//! kernel's own counters, and a live view around another program.
//!
//! The meters are files that a thread of the test writes in the documented protocol (docs/telemetry.md), because no
//! drive here has a sensor; everything else is real.

#[path = "support/schema.rs"]
mod schema;
mod support;

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use drivelab_rig::{LoopDevice, root_or_skip, tool};
use serde_json::Value;
use support::Lab;

/// A meter: every 50 ms a line with UNIX time and the result of `value` for the seconds since it began and for that
/// time.
struct Meter {
    path: PathBuf,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

fn unix_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs_f64()
}

impl Meter {
    fn start(lab: &Lab, name: &str, value: impl Fn(f64, f64) -> f64 + Send + 'static) -> Meter {
        let path = lab.write(name, "0 999\n");
        let over = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (path, over) = (path.clone(), Arc::clone(&over));
            move || {
                let mut file = OpenOptions::new().append(true).open(path).expect("the meter's file");
                let began = unix_s();
                while !over.load(Ordering::SeqCst) {
                    let now = unix_s();
                    writeln!(file, "{now:.6} {:.3}", value(now - began, now)).expect("a line");
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
        });
        Meter { path, over, thread: Some(thread) }
    }

    fn path(&self) -> &str {
        self.path.to_str().expect("a text path")
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// All events of the newest run.
fn events(lab: &Lab) -> Vec<Value> {
    let done = lab.ok(&["replay", "last", "--speed", "0", "--events", "json"]);
    done.stdout.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

/// The descriptions of the newest run's sources.
fn sources(events: &[Value]) -> Vec<Value> {
    let described = events.iter().find_map(|event| event["event"].get("telemetry_described"));
    described.expect("what is watched is described")["sources"].as_array().expect("sources").clone()
}

/// Run times in seconds and the first values of the source with this id.
fn samples(events: &[Value], id: &str) -> Vec<(f64, f64)> {
    let source =
        sources(events).iter().position(|source| source["id"] == id).unwrap_or_else(|| panic!("no source {id}"));
    let batches = events.iter().filter_map(|event| event["event"]["telemetry"]["sources"].as_array());
    let of_source = batches.flatten().filter(|one| one["source"] == source);
    let samples = of_source.filter_map(|one| one["samples"].as_array()).flatten();
    samples
        .map(|sample| (sample["at_ns"].as_f64().expect("a time") / 1e9, sample["values"][0].as_f64().expect("a value")))
        .collect()
}

/// From and until when a source was not read because the step was not to be disturbed: run times in seconds.
fn quiet_gap(events: &[Value], id: &str) -> [f64; 2] {
    let source = sources(events).iter().position(|source| source["id"] == id).expect("the source");
    let batches = events.iter().filter_map(|event| event["event"]["telemetry"]["sources"].as_array());
    let gaps =
        batches.flatten().filter(|one| one["source"] == source).filter_map(|one| one["gaps"].as_array()).flatten();
    let quiet: Vec<&Value> = gaps.filter(|gap| gap["cause"] == "quiet").collect();
    assert_eq!(quiet.len(), 1, "one step, one gap: {quiet:?}");
    ["from_ns", "to_ns"].map(|name| quiet[0][name].as_f64().expect("a time") / 1e9)
}

/// Metrics of the newest run by address.
fn metric(report: &Value, address: &str) -> f64 {
    let metrics = report["metrics"].as_array().expect("metrics");
    let one = metrics.iter().find(|metric| metric["address"] == address);
    one.and_then(|one| one["value"].as_f64()).unwrap_or_else(|| panic!("no value at {address}"))
}

const LOAD: &str = "load/rnd-4k-q8t1-read";

#[test]
fn a_constant_meter_gives_its_watts_and_joules_and_a_thermometer_its_degrees_at_the_right_second() {
    let lab = Lab::new();
    // The first line is skipped: it existed before.
    let power = Meter::start(&lab, "power", |_, _| 5.0);
    let temperature = Meter::start(&lab, "celsius", |_, now| now % 100.0);
    let io = ["io", ".", "--size", "16MiB", "--qd", "8", "--time", "3s", "--quiet"];
    lab.ok(&[&io[..], &["--power-file", power.path(), "--temperature-file", temperature.path()]].concat());
    let report = lab.json(&["report", "last", "--json"]);
    let of = |id: &str| metric(&report, &format!("{LOAD}:{id}"));
    assert!((of("power.mean") - 5.0).abs() < 1e-9, "{}", of("power.mean"));
    assert!(
        (of("power.energy") - 5.0 * of("duration")).abs() < 1e-6,
        "{} J in {} s",
        of("power.energy"),
        of("duration")
    );
    assert!((of("power.throughput_per_watt") - of("total.throughput") / 5.0).abs() < 1e-6);
    assert!((of("power.iops_per_watt") - of("total.iops") / 5.0).abs() < 1e-6);
    assert!((0.0..=100.0).contains(&of("host_cpu.busy")) && metric(&report, "run:run.telemetry_cpu") > 0.0);
    let events = events(&lab);
    let started = &events[0]["event"]["run_started"]["started"];
    let began: f64 =
        started.as_str().expect("a time").rsplit(':').next().expect("seconds")[..2].parse().expect("seconds");
    let celsius = samples(&events, "temperature:adapter");
    assert!(celsius.len() >= 5, "{} samples", celsius.len());
    for (at, value) in &celsius {
        // The start is recorded to the second; both clocks are known modulo 60 or 100. How long after that the run's
        // own clock begins, and how late the first line is read, depends on the machine: some seconds at most.
        let off = (began + at - value).rem_euclid(20.0);
        assert!(off.min(20.0 - off) < 4.0, "{value} at {at} s of a run that began at second {began}");
    }
    // The line with the smallest delay connects the two clocks: a later line may show that the earlier ones were
    // placed too late, and nothing else moves them.
    let pairs = celsius.windows(2).map(|pair| (pair[1].0 - pair[0].0, (pair[1].1 - pair[0].1).rem_euclid(100.0)));
    let pairs: Vec<(f64, f64)> = pairs.collect();
    assert!(
        pairs.iter().all(|(time, value)| *time > 0.0 && *time < value + 0.002),
        "seconds, and by the meter: {pairs:?}"
    );
    let exact = pairs.iter().filter(|(time, value)| (time - value).abs() < 0.002).count();
    assert!(2 * exact >= pairs.len(), "{exact} of {} as the meter has them: {pairs:?}", pairs.len());
    assert!(
        samples(&events, "power:adapter").iter().all(|(_, watts)| *watts == 5.0),
        "what was there before is no reading"
    );
}

#[test]
fn a_drive_above_its_limit_ends_the_run_in_order_and_resume_goes_on_when_it_is_cool() {
    let lab = Lab::new();
    lab.write("hot.toml", HOT);
    let rising = Meter::start(&lab, "celsius", |s, _| 40.0 + 10.0 * s);
    let run = ["run", "hot.toml", ".", "--quiet", "--temperature-file", rising.path(), "--abort-above-c", "60"];
    let done = lab.run(&run);
    assert_eq!(done.code, 7, "{}", done.stderr);
    assert!(done.stderr.contains("more than the limit of 60 °C") && done.stderr.contains("resume"), "{}", done.stderr);
    let seen = events(&lab);
    let cause = seen.iter().find_map(|event| event["event"]["interrupted"]["cause"].as_str()).expect("a cause");
    assert!(cause.contains("°C"), "{cause}");
    let highest = samples(&seen, "temperature:adapter").into_iter().map(|(_, celsius)| celsius).fold(0.0, f64::max);
    assert!(highest > 60.0, "the reading that ended it is on record: {highest}");
    assert_eq!(lab.runs()[0].1, "interrupted");
    drop(rising);
    let cool = Meter::start(&lab, "celsius", |_, _| 35.0);
    let resume = ["resume", "last", "--quiet", "--temperature-file", cool.path(), "--abort-above-c", "60"];
    lab.ok(&resume);
    assert_eq!(lab.runs()[0].1, "complete");
}

const HOT: &str = r#"
format = 1
name = "hot"
title = "Gets hot"
version = "1.0.0"
summary = "A load beside a thermometer."
good_for = "Testing drivelab."
cannot_tell = "Anything about a drive."
[[sources]]
id = "own"
citation = "Written for drivelab's own tests."
[target]
kind = "file"
size = "16 MiB"
minimum_size = "8 MiB"
[forms.quick]
[[prepare]]
action = "fill"
sources = ["own"]
[[tests]]
name = "warm"
title = "Warm"
purpose = "Time for a thermometer."
sources = ["own"]
op = "read"
pattern = "random"
block_size = "4 KiB"
queue_depth = [2, 4, 8]
time = "3 s"
approximation = { op = "given", pattern = "given", block_size = "given", queue_depth = "given", time = "given" }
"#;

#[test]
fn the_kernels_counters_are_recorded_with_their_cost_and_are_off_in_latency_critical_steps() {
    let lab = Lab::new();
    let io = ["io", ".", "--size", "8MiB", "--qd", "1", "--time", "2s", "--quiet", "--telemetry", "0.1"];
    lab.ok(&io);
    let quiet = events(&lab);
    let described = sources(&quiet);
    let kinds: Vec<&str> = described.iter().filter_map(|source| source["kind"].as_str()).collect();
    assert!(kinds.contains(&"cpu") && kinds.contains(&"disk_stats") && kinds.contains(&"suspend"), "{kinds:?}");
    let cpu = described.iter().find(|source| source["kind"] == "cpu").expect("CPU times");
    assert!(cpu["cost"]["time_mean"].as_u64().expect("a cost") > 0, "{cpu}");
    let step = quiet.iter().find(|event| event["event"]["step_ended"]["key"]["step"] == "load/rnd-4k-q1t1-read");
    let step = &step.expect("the load")["event"]["step_ended"];
    let bounds = [&step["start_ns"], &step["end_ns"]].map(|ns| ns.as_f64().expect("a time") / 1e9);
    // Nothing is read except at the border: there the reader is waited for, half a second at most, so on a machine
    // that gives it no CPU that one reading may come after it. Twenty would come if reading continued.
    let inside = samples(&quiet, "cpu").iter().filter(|(at, _)| *at > bounds[0] && *at < bounds[1]).count();
    assert!(inside <= 1, "one operation in flight is not disturbed: {inside} readings");
    let gap = quiet_gap(&quiet, "cpu");
    assert!(gap[0] < bounds[1] && gap[1] >= bounds[1], "the gap {gap:?} ends with the step {bounds:?}");
    let in_gap = samples(&quiet, "cpu").iter().filter(|(at, _)| *at > gap[0] && *at < gap[1]).count();
    assert_eq!(in_gap, 0, "a gap holds no readings: {gap:?}");
    lab.ok(&[&io[..], &["--telemetry-always"]].concat());
    let always = events(&lab);
    let step = always.iter().find(|event| event["event"]["step_ended"]["key"]["step"] == "load/rnd-4k-q1t1-read");
    let step = &step.expect("the load")["event"]["step_ended"];
    let bounds = [&step["start_ns"], &step["end_ns"]].map(|ns| ns.as_f64().expect("a time") / 1e9);
    let inside = samples(&always, "cpu").iter().filter(|(at, _)| *at > bounds[0] && *at < bounds[1]).count();
    assert!(inside > 0, "none in 2 s at 10 a second");
}

/// The lock against suspends, through the whole program, with the test's own `systemd-inhibit` in PATH: requested with
/// and without telemetry, and gone with a killed program.
#[test]
fn suspends_are_inhibited_without_telemetry_too_until_the_run_ends_in_whatever_way() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Lab::new();
    let held = lab.folder().join("../held");
    let programs = lab.folder().join("../programs");
    std::fs::create_dir(&programs).expect("a folder");
    let script = format!(
        "#!/bin/sh\nwhile [ \"${{1#--}}\" != \"$1\" ]; do shift; done\n: > {0}\n\"$@\"\nrm {0}\n",
        held.display()
    );
    let program = programs.join("systemd-inhibit");
    std::fs::write(&program, script).expect("a program");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let until = |there: bool| {
        while held.exists() != there {
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    for telemetry in ["off", "1"] {
        for signal in ["-INT", "-KILL"] {
            let io = ["io", ".", "--size", "8MiB", "--qd", "4", "--time", "60s", "--telemetry", telemetry];
            let mut command = lab.command(&io);
            command.env("PATH", &path).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().expect("drivelab starts");
            until(true);
            tool("kill", &[signal, &child.id().to_string()]);
            let code = child.wait().expect("it ends").code();
            assert_eq!(code, (signal == "-INT").then_some(7), "{telemetry} {signal}");
            if signal == "-KILL" {
                until(false);
            } else {
                let _ = std::fs::remove_file(&held);
            }
        }
    }
    // A refusal is printed; with telemetry it is in the record instead.
    std::fs::write(&program, "#!/bin/sh\nexit 1\n").expect("a program");
    let mut command = lab.command(&["io", ".", "--size", "8MiB", "--qd", "4", "--time", "60s", "--telemetry", "off"]);
    let child = command.env("PATH", &path).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = child.spawn().expect("drivelab starts");
    let mut said = String::new();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().expect("a pipe")));
    while !said.contains("suspends of the machine are not inhibited") {
        said += &lines.next().unwrap_or_else(|| panic!("it was not said:\n{said}")).expect("text");
    }
    tool("kill", &["-INT", &child.id().to_string()]);
    lines.for_each(drop);
    child.wait().expect("it ends");
}

/// SIGTERM reaches only drivelab. The command must not continue without it, and drivelab must not wait until it ends
/// by itself.
#[test]
fn sigterm_ends_watch_and_the_command_that_it_started() {
    let lab = Lab::new();
    let mut watch = lab.command(&["watch", ".", "--quiet", "--", "sh", "-c", "echo $$; exec sleep 30"]);
    let mut watch = watch.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("drivelab starts");
    let mut lines = BufReader::new(watch.stdout.take().expect("a pipe")).lines();
    let command: u32 = lines.next().expect("a line").expect("text").parse().expect("a process id");
    tool("kill", &["-TERM", &watch.id().to_string()]);
    assert_eq!(watch.wait().expect("it ends").code(), Some(7));
    assert!(!std::path::Path::new(&format!("/proc/{command}")).exists(), "the command still runs");
}

#[test]
fn a_run_resumed_without_telemetry_says_that_others_were_not_watched_any_more() {
    let lab = Lab::new();
    let (mut child, mut lines) = lab.start_with_events(&[".", "--size", "64 MiB", "--form", "smoke"]);
    assert!(lines.any(|line| line.contains("\"step_ended\"")), "a step is measured");
    tool("kill", &["-INT", &child.id().to_string()]);
    lines.for_each(drop);
    child.wait().expect("it ends");
    lab.ok(&["resume", "--last", "--telemetry", "off"]);
    let report = lab.json(&["report", "last", "--format", "json"]);
    let findings = report["findings"].as_array().expect("findings");
    let said = findings.iter().any(|finding| {
        let statement = finding["statement"].as_str().unwrap_or_default();
        finding["code"] == "others_not_watched" && statement.contains("resumed")
    });
    let on_a_disk = report["environment"]["target"]["devices"].as_array().is_some_and(|devices| !devices.is_empty());
    assert_eq!(said, on_a_disk, "{findings:#?}");
}

#[test]
fn off_is_off_and_a_meter_that_is_not_there_or_not_wanted_is_an_error_before_anything_is_made() {
    let lab = Lab::new();
    let io = ["io", ".", "--size", "8MiB", "--qd", "4", "--time", "300ms", "--quiet"];
    lab.ok(&[&io[..], &["--telemetry", "off"]].concat());
    assert!(events(&lab).iter().all(|event| event["event"].get("telemetry_described").is_none()));
    // If there is a disk, it is reported that other programs on it were not watched; with telemetry it is not.
    let not_watched = || {
        let report = lab.json(&["report", "last", "--format", "json"]);
        let findings = report["findings"].as_array().expect("findings");
        let said = findings.iter().any(|finding| finding["code"] == "others_not_watched");
        let devices = report["environment"]["target"]["devices"].as_array().cloned().unwrap_or_default();
        let is_unknown = |device: &Value| {
            device["lies_on"].as_array().is_some_and(|below| !below.is_empty()) && device["passes_on"].is_null()
        };
        (said, !devices.is_empty(), devices.iter().any(is_unknown))
    };
    let (said, on_a_disk, _) = not_watched();
    assert_eq!(said, on_a_disk, "without telemetry others on the disk are not watched");
    lab.ok(&io);
    let (said, _, on_an_unknown_layer) = not_watched();
    assert_eq!(said, on_an_unknown_layer, "with telemetry others on the disk are watched");
    let before = lab.files();
    for (flags, code, said) in [
        (vec!["--power-file", "/nonexistent/meter"], 4, "/nonexistent/meter"),
        (vec!["--temperature-file", "/"], 2, "a folder has no lines"),
        (vec!["--telemetry", "off", "--abort-above-c", "60"], 2, "--abort-above-c"),
        (vec!["--telemetry", "off", "--power-log"], 2, "--power-log"),
        (vec!["--telemetry", "sometimes"], 2, "sometimes"),
        (vec!["--abort-above-c", "hot"], 2, "hot"),
    ] {
        let done = lab.run(&[&io[..], &flags].concat());
        assert_eq!(done.code, code, "{flags:?}: {}", done.stderr);
        assert!(done.stderr.contains(said), "{flags:?}: {}", done.stderr);
        assert_eq!(lab.files(), before, "{flags:?} left something behind");
    }
    File::open(lab.folder()).expect("the folder is still there");
}

#[test]
fn a_power_log_that_no_drive_here_has_is_refused_before_anything_is_made() {
    if std::fs::read_dir("/sys/class/nvme").is_ok_and(|mut drives| drives.next().is_some()) {
        eprintln!("skipped: this machine has an NVMe drive, which may measure its power");
        return;
    }
    let lab = Lab::new();
    let before = lab.files();
    let load = ["io", ".", "--size", "8MiB", "--time", "300ms"];
    for command in [load.to_vec(), [&load[..], &["--dry-run"]].concat(), vec!["watch", ".", "--time", "300ms"]] {
        let done = lab.run(&[&command[..], &["--power-log"]].concat());
        assert!(!done.stderr.contains("powercap"), "the host's counters have nothing to do with it: {}", done.stderr);
        assert_eq!(done.code, 6, "{command:?}: {}", done.stderr);
        let said = ["--power-log is not available", "only NVMe drives", "--power-command"];
        assert!(said.iter().all(|said| done.stderr.contains(said)), "{command:?}: {}", done.stderr);
        assert_eq!(lab.files(), before, "{command:?} left something behind");
    }
}

#[test]
fn watch_shows_lines_and_a_summary_and_json_says_the_same_for_machines() {
    let lab = Lab::new();
    let power = Meter::start(&lab, "power", |_, _| 7.5);
    let watch = ["watch", ".", "--time", "2500ms", "--power-file", power.path()];
    let plain = lab.ok(&watch);
    assert!(plain.stdout.contains("power, by your meter: 7.50 W"), "{}", plain.stdout);
    assert!(plain.stdout.contains("min") && plain.stdout.contains("CPU busy"), "{}", plain.stdout);
    // Words, and no names of sources.
    assert!(!plain.stdout.contains("adapter") && !plain.stdout.contains("diskstats:"), "{}", plain.stdout);
    let json = lab.ok(&[&watch[..], &["--json"]].concat());
    let lines: Vec<Value> = json.stdout.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(lines[0]["schema"], "drivelab.watch");
    lines.iter().for_each(|line| schema::fits("watch", line));
    assert!(lines[1]["now"].is_array() && lines.len() >= 3, "{} lines", lines.len());
    let summary = lines.last().expect("a summary")["summary"].as_array().expect("rows");
    let row = summary.iter().find(|row| row["name"] == "power:adapter power").expect("the meter");
    assert_eq!((row["min"].as_f64(), row["max"].as_f64()), (Some(7.5), Some(7.5)));
    assert!((row["mean"].as_f64().expect("a mean") - 7.5).abs() < 1e-9);
    let findings = lines.last().expect("a summary")["findings"].as_array().expect("what the drive contradicted");
    assert!(findings.is_empty(), "this drive says nothing that cannot be true: {findings:?}");
    assert!(lab.runs().is_empty(), "nothing is kept");
}

#[test]
fn a_meter_that_gives_only_rubbish_is_told_with_its_first_line_by_watch_and_by_a_run() {
    let lab = Lab::new();
    let meter = ["--power-command", "echo bad line; exec sleep 30"];
    let plain = lab.ok(&[&["watch", ".", "--time", "3s"], &meter[..]].concat());
    assert!(
        plain.stdout.contains("warning: There are no figures from") && plain.stdout.contains("'bad line'"),
        "{}",
        plain.stdout
    );
    let json = lab.ok(&[&["watch", ".", "--time", "3s", "--json"], &meter[..]].concat());
    let last: Value = serde_json::from_str(json.stdout.lines().last().expect("a summary")).expect("an object");
    schema::fits("watch", &last);
    assert_eq!(last["findings"][0]["code"], "silent_meter", "{last}");
    let io = ["io", ".", "--size", "8MiB", "--time", "2s", "--quiet"];
    lab.ok(&[&io[..], &meter[..]].concat());
    let document = lab.json(&["report", "last", "--json"]);
    let findings = document["findings"].as_array().expect("findings");
    let silent = findings.iter().find(|finding| finding["code"] == "silent_meter").expect("it is told");
    assert!(silent["statement"].as_str().is_some_and(|text| text.contains("'bad line'")), "{silent}");
}

#[test]
fn watch_runs_around_another_program_whose_output_and_exit_code_stay_its_own() {
    let lab = Lab::new();
    let done = lab.run(&["watch", ".", "--", "sh", "-c", "echo mine; sleep 1.5; exit 42"]);
    assert_eq!((done.code, done.stdout.as_str()), (42, "mine\n"), "{}", done.stderr);
    assert!(done.stderr.contains("CPU busy"), "{}", done.stderr);
    let done = lab.run(&["watch", ".", "--json", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!((done.code, done.stdout.as_str()), (137, ""), "{}", done.stderr);
    let last: Value = serde_json::from_str(done.stderr.lines().last().expect("a summary")).expect("an object");
    assert_eq!(last["command_exit_code"], 137);
    schema::fits("watch", &last);
    assert_eq!(lab.ok(&["watch", ".", "--quiet", "--", "true"]).stdout, "");
    assert_eq!(lab.run(&["watch", ".", "--", "/nonexistent/program"]).code, 2);
    assert_eq!(lab.run(&["watch", "/nonexistent/drive"]).code, 6);
}

#[test]
fn watch_refuses_what_it_could_not_do() {
    let lab = Lab::new();
    for (flags, code, said) in [
        (&["--telemetry", "off"][..], 2, "leave the flag out"),
        (&["--telemetry", "off", "--cost"], 2, "leave the flag out"),
        (&["--abort-above-c", "60", "--", "touch", "begun"], 6, "--temperature-file"),
    ] {
        let refused = lab.run(&[&["watch", "."], flags].concat());
        assert_eq!(refused.code, code, "{flags:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(said) && refused.stdout.is_empty(), "{flags:?}: {}", refused.stderr);
    }
    assert!(lab.files().is_empty(), "the program was begun");
}

#[test]
fn what_watching_costs_keeps_to_its_schema_and_is_on_record_and_report_of_later_runs_on_that_drive_alone() {
    if !root_or_skip("a loop device") {
        return;
    }
    let Some(disk) = LoopDevice::in_memory_or_skip(16) else { return };
    let Some(other) = LoopDevice::in_memory_or_skip(16) else { return };
    let lab = Lab::new();
    // What the newest run contains of it: in the record, and in the sentence of the report.
    let read = |disk: &str, flags: &[&str]| {
        lab.ok(&["io", disk, "--op", "read", "--time", "200ms", "--quiet"]);
        let report = lab.ok(&[&["report", "last", "--format", "md"], flags].concat()).stdout;
        let recorded = lab.json(&["report", "last", "--format", "json"])["environment"]["watching_cost"].clone();
        (recorded, report)
    };
    let missing = format!("`drivelab watch {} --cost` measures", disk.device);
    let (recorded, report) = read(&disk.device, &[]);
    assert!(recorded.is_null() && report.contains("was not measured") && report.contains(&missing), "{report}");
    let document = lab.json(&["watch", &disk.device, "--cost", "--json"]);
    schema::fits("watch-cost", &document);
    assert!(document["without"]["reads"].as_u64() > Some(0) && document["with"]["reads"].as_u64() > Some(0));
    let (recorded, report) = read(&disk.device, &[]);
    assert_eq!((&recorded["without"], &recorded["with"]), (&document["without"], &document["with"]));
    assert_eq!(recorded["device"]["name"], disk.name());
    let stated = format!("`drivelab watch {} --cost`, ", disk.device);
    assert!(report.contains("µs without watching and ") && report.contains(&stated), "{report}");
    assert!(!report.contains("sampling rates that differ"), "sources and rates are the run's own: {report}");
    // A new measurement replaces the stored one; another drive has none.
    let again = lab.json(&["watch", &disk.device, "--cost", "--json", "--telemetry", "0.5"]);
    let (recorded, report) = read(&disk.device, &["--redact"]);
    assert_eq!((&recorded["without"], &recorded["with"]), (&again["without"], &again["with"]));
    assert!(report.contains("sampling rates that differ"), "{report}");
    let (recorded, report) = read(&other.device, &[]);
    assert!(recorded.is_null() && report.contains("was not measured"), "{report}");
}

#[test]
fn a_program_is_ended_where_the_drive_gets_too_hot() {
    let lab = Lab::new();
    let rising = Meter::start(&lab, "celsius", |s, _| 50.0 + 20.0 * s);
    let watch = ["watch", ".", "--temperature-file", rising.path(), "--abort-above-c", "70", "--"];
    let done = lab.run(&[&watch[..], &["sleep", "60"]].concat());
    assert_eq!(done.code, 7, "{}", done.stderr);
    assert!(done.stderr.contains("limit of 70 °C"), "{}", done.stderr);
}

#[test]
fn a_methodology_waits_for_a_cool_drive_and_is_refused_where_nothing_tells_its_temperature() {
    let lab = Lab::new();
    lab.write("cool.toml", HOT.replace("time = \"3 s\"", "time = \"300 ms\"\nstart_below = \"50 C\""));
    let before = lab.files();
    let refused = lab.run(&["run", "cool.toml", ".", "--telemetry", "off"]);
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    assert!(refused.stderr.contains("--temperature-file"), "{}", refused.stderr);
    assert_eq!(lab.files(), before, "nothing was made");
    // It cools down from the time when the run reports that it waits: until then the run may take any time.
    let since: Arc<OnceLock<f64>> = Arc::new(OnceLock::new());
    let cooling = Meter::start(&lab, "celsius", {
        let since = Arc::clone(&since);
        move |_, now| since.get().map_or(58.0, |since| (58.0 - 2.0 * (now - since)).max(40.0))
    });
    let mut run = lab.command(&["run", "cool.toml", ".", "--plain", "--temperature-file", cooling.path()]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("drivelab starts");
    let mut said = String::new();
    for line in BufReader::new(run.stderr.take().expect("a pipe")).lines().map_while(Result::ok) {
        if line.contains("waiting until it is below 50 °C") {
            since.get_or_init(unix_s);
        }
        said += &line;
        said.push('\n');
    }
    assert!(run.wait().expect("it ends").success(), "{said}");
    assert!(since.get().is_some() && said.contains("cool enough"), "{said}");
    let seen = events(&lab);
    let place = |name: &str| {
        seen.iter().position(|event| event["event"].get(name).is_some()).unwrap_or_else(|| panic!("no {name}"))
    };
    assert!(place("cool_down_started") < place("cooling_down") && place("cooling_down") < place("cool_down_ended"));
    let ended = &seen[place("cool_down_ended")]["event"]["cool_down_ended"];
    assert!(ended["reached"] == true && ended["celsius"].as_f64().expect("a temperature") < 50.0, "{ended}");
}

#[test]
fn a_meter_that_says_nothing_is_told_and_a_limit_without_a_thermometer_is_refused() {
    let lab = Lab::new();
    let folder = lab.folder();
    let folder = folder.to_str().expect("a text path");
    lab.ok(&["run", "quick", folder, "--form", "smoke", "--power-command", "exit 3"]);
    let document = lab.json(&["report", "last", "--json"]);
    let findings = document["findings"].as_array().expect("findings").clone();
    let silent = findings.iter().find(|finding| finding["code"] == "silent_meter").expect("it is told");
    assert!(silent["statement"].as_str().is_some_and(|text| text.contains("power")), "{silent}");
    // A published page names no command of the user.
    let page = lab.ok(&["report", "last", "--redact", "--format", "html"]).stdout;
    assert!(!page.contains("exit 3") && page.contains("left out"), "the command is on the page");
    for more in [&[][..], &["--dry-run"]] {
        let refused = lab.run(&[&["run", "quick", folder, "--form", "smoke", "--abort-above-c", "60"], more].concat());
        assert_eq!(refused.code, 6, "{more:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("--temperature-file"), "{more:?}: {}", refused.stderr);
        assert!(refused.stdout.is_empty(), "{more:?}: {}", refused.stdout);
        assert_eq!(refused.stderr.lines().count(), 1, "{more:?}: nothing is measured before it: {}", refused.stderr);
    }
}
