//! A run that was cut off in any of its tests and goes on has, before each step, what lies on the device in a run that
//! was not: by the order of the steps in the bundle, and by what lies on the device.
//!
//! The story: a drive is filled for hours, and the machine is restarted while the full drive is filled once more. What
//! is measured after `resume` must be a full drive, not one that was just discarded. What is expected here is worked
//! out from the events of the bundle alone, not by the code that decides what is made again.
//!
//! `DRIVELAB_RESUME_ALL=1` kills every built-in methodology in each of its tests, with both signals; that takes half an
//! hour.

#[path = "support/disk.rs"]
mod disk;
mod support;
#[path = "support/throttle.rs"]
mod throttle;

use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::process::Stdio;
use std::time::Duration;

use disk::Disk;
use serde_json::Value;
use support::{root_or_skip, tool};
use throttle::Throttle;

/// Of the device, in MiB: large enough for every methodology's smallest size.
const SIZE: u64 = 256;
/// Slow enough that a kill meets the step that is meant.
const BPS: u64 = 96 << 20;
/// What is left of it while a step is waiting for its kill.
const CRAWL: u64 = 1 << 20;

/// So often a run is begun that is to be cut off in a step.
const TRIES: usize = 5;

/// The methodologies in which a test finds what an earlier test wrote.
const WITH_STATE: [&str; 15] = [
    "all-aboard",
    "anandtech-2018",
    "anandtech-2021",
    "as-ssd",
    "capacity-scaling",
    "crystaldiskmark",
    "data-sheet",
    "disk-fill",
    "four-corners",
    "heat-soak",
    "load-curves",
    "power-states",
    "quick",
    "snia-pts",
    "write-amplification",
];

/// One methodology on one device.
struct Bench {
    disk: Disk,
    throttle: Throttle,
    method: &'static str,
}

impl Bench {
    fn new(method: &'static str) -> Bench {
        let disk = Disk::new(SIZE, &["--direct-io=on"]);
        let number = std::fs::read_to_string(format!("/sys/block/{}/dev", disk.name())).expect("its numbers");
        let throttle = Throttle::new(number.trim());
        let bench = Bench { disk, throttle, method };
        bench.limit(BPS);
        bench
    }

    fn limit(&self, bps: u64) {
        self.throttle.limit("write_bps", bps);
        self.throttle.limit("read_bps", bps);
    }

    fn spawn(&self, words: &[&str]) -> std::process::Child {
        let program = std::env::var("DRIVELAB_RESUME_PROGRAM").ok();
        let mut command = self.throttle.command(program.as_deref().unwrap_or(env!("CARGO_BIN_EXE_drivelab")));
        let named = ["--destroy", self.disk.name(), "--events", "json", "--telemetry", "off"];
        self.disk.lab.dress(&mut command).args(words).args(named);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("drivelab starts")
    }

    /// Begins a run and ends it by a signal in the first step of a test; `false` where the run was at its end by then.
    fn cut_off_in(&self, test: &str, signal: &str) -> bool {
        let mut child = self.spawn(&["run", self.method, &self.disk.device, "--form", "smoke"]);
        let mut heard = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
        let begin = format!("\"event\":{{\"step_started\":{{\"key\":{{\"step\":\"{test}/");
        let begun = heard.any(|line| line.contains(&begin));
        if begun {
            // A smoke step is over in a tenth of a second: at this rate it is not, however late the signal comes.
            self.limit(CRAWL);
            std::thread::sleep(Duration::from_millis(30));
            tool("kill", &[signal, &child.id().to_string()]);
            self.limit(BPS);
        }
        heard.for_each(drop);
        child.wait().expect("it ends");
        begun && self.disk.lab.runs()[0].1 == "interrupted"
    }

    /// Goes on to the end; bytes of the image that were allocated when each step began.
    fn resume(&self) -> Vec<(String, u64)> {
        let mut child = self.spawn(&["resume", "--last"]);
        let heard = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
        let mut seen = Vec::new();
        for line in heard {
            let event: Value = serde_json::from_str(&line).expect("every line is JSON");
            if let Some(key) = event["event"]["step_started"]["key"]["step"].as_str() {
                let image = std::fs::metadata(&self.disk.image).expect("the image");
                seen.push((key.to_owned(), image.blocks() * 512));
            }
        }
        let mut said = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().expect("its words"), &mut said).expect("text");
        assert!(child.wait().expect("it ends").success(), "{}: {said}", self.method);
        seen
    }

    fn events(&self) -> Vec<Value> {
        let run = self.disk.lab.runs()[0].0.clone();
        let events = self.disk.lab.ok(&["replay", &run, "--events", "json", "--speed", "0"]).stdout;
        events.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
    }
}

/// A step of the plan.
struct Planned {
    id: String,
    /// It can change what the target holds.
    changes: bool,
    /// It is the first of a preparation and discards all of the target.
    empties: bool,
}

fn share(load: &Value, name: &str) -> u64 {
    load[name].as_u64().unwrap_or(0)
}

fn plan(events: &[Value]) -> Vec<Planned> {
    let tests = events[0]["event"]["run_started"]["plan"]["tests"].as_array().expect("tests");
    let end = |load: &Value| share(&load["span"], "offset") + share(&load["span"], "length");
    let steps = || tests.iter().flat_map(|test| test["steps"].as_array().expect("steps"));
    let most = steps().map(|step| end(&step["action"]["io"]["workload"])).max().unwrap_or(0);
    let mut all = Vec::new();
    for test in tests {
        for (at, step) in test["steps"].as_array().expect("steps").iter().enumerate() {
            let (io, prepares) = (&step["action"]["io"], step["role"] == "prepare");
            let load = &io["workload"];
            let groups: Vec<&Value> =
                std::iter::once(load).chain(load["beside"].as_array().into_iter().flatten()).collect();
            let changes = |load: &&Value| {
                let other = share(&load["other"], "trim_percent") + share(&load["other"], "write_zeroes_percent");
                load["on"].is_null() && load["files"].is_null() && share(load, "write_percent") + other > 0
            };
            let trims = at == 0 && prepares && share(&load["other"], "trim_percent") == 100;
            all.push(Planned {
                id: step["id"].as_str().expect("an id").to_owned(),
                changes: load.is_object() && groups.iter().any(changes),
                empties: trims && share(&load["span"], "length") >= most / 100 * 99,
            });
        }
    }
    all
}

fn key(body: &Value) -> String {
    format!("{} {}", body["key"]["step"].as_str().unwrap_or_default(), body["key"]["round"])
}

/// What is wrong with the order of the steps in a bundle: a sentence for each measured step that did not find what it
/// finds in one go.
fn wrong(events: &[Value]) -> Vec<String> {
    let plan = plan(events);
    let of = |key: &str| {
        plan.iter().find(|step| key.rsplit_once(' ').is_some_and(|(id, _)| id == step.id)).expect("planned")
    };
    // What changed the target since it was emptied, and what must have, by the first time that each step was done.
    let (mut found, mut must): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut running, mut done): (Option<String>, Vec<String>) = (None, Vec::new());
    let mut wrong = Vec::new();
    let begin = |key: &str, running: &mut Option<String>, found: &mut Vec<String>| {
        // Whoever was killed in a step may have changed anything.
        if let Some(cut) = running.take().filter(|cut| of(cut).changes) {
            found.push(format!("cut off: {cut}"));
        }
        if of(key).empties {
            found.clear();
        }
        *running = Some(key.to_owned());
    };
    for event in events {
        let body = &event["event"];
        for name in ["step_started", "making_again"] {
            if body[name].is_object() {
                begin(&key(&body[name]), &mut running, &mut found);
            }
        }
        let (ended, again) = (&body["step_ended"], &body["made_again"]);
        let record = if ended.is_object() { ended } else { again };
        if record.is_object() {
            let key = key(record);
            running = None;
            let stopped = record["stop_reason"] == "stopped";
            let wrote = !stopped
                || share(record, "written_total") > 0
                || record["others"].as_array().is_some_and(|all| !all.is_empty());
            if stopped {
                if of(&key).changes && wrote {
                    found.push(format!("cut off: {key}"));
                }
                continue;
            }
            let first = !done.contains(&key);
            if first {
                if of(&key).empties {
                    must.clear();
                }
                done.push(key.clone());
                if found != must {
                    wrong.push(format!("{key} found {found:?}, and in one go {must:?}"));
                }
            }
            if of(&key).changes {
                found.push(key.clone());
                if first {
                    must.push(key.clone());
                }
            }
        }
    }
    wrong
}

fn tests_of(bench: &Bench) -> Vec<String> {
    let mut child = bench.spawn(&["run", bench.method, &bench.disk.device, "--form", "smoke"]);
    let heard = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    let first: Vec<Value> = heard.take(1).map(|line| serde_json::from_str(&line).expect("JSON")).collect();
    child.kill().and_then(|()| child.wait()).expect("it ends");
    let mut tests: Vec<String> =
        plan(&first).iter().map(|step| step.id.split('/').next().expect("a test").to_owned()).collect();
    tests.dedup();
    tests
}

/// Cuts a methodology off in these tests (all where none is named), goes on, and looks at what each step found; says
/// how often.
fn cut_off(method: &'static str, tests: &[&str], signals: &[&str]) -> usize {
    let tests = match tests {
        [] => tests_of(&Bench::new(method)),
        named => named.iter().map(|name| (*name).to_owned()).collect(),
    };
    let mut cut = 0;
    for test in &tests {
        for signal in signals {
            // A busy machine may hear of the last step when it is over: then it is tried again.
            let mut benches = std::iter::repeat_with(|| Bench::new(method)).take(TRIES);
            let Some(bench) = benches.find(|bench| bench.cut_off_in(test, signal)) else {
                println!("{method} {test} {signal}: was at its end before");
                continue;
            };
            bench.resume();
            let wrong = wrong(&bench.events());
            println!("{method} {test} {signal}: {}", if wrong.is_empty() { "right" } else { "WRONG" });
            assert!(wrong.is_empty(), "{method} cut off in {test} by {signal}:\n{}", wrong.join("\n"));
            cut += 1;
        }
    }
    cut
}

const BOTH: [&str; 2] = ["-KILL", "-INT"];

fn possible() -> bool {
    root_or_skip("a loop device") && Throttle::possible_or_skip()
}

#[test]
fn a_fill_of_the_full_drive_finds_it_full_wherever_the_run_was_cut_off() {
    if possible() {
        assert_eq!(cut_off("disk-fill", &["prepare", "empty", "full", "read-back"], &BOTH), 8);
    }
}

#[test]
fn what_a_recovery_recovers_from_is_written_again() {
    if possible() {
        assert_eq!(cut_off("snia-pts", &["xsr-after"], &["-KILL"]), 1);
        assert_eq!(cut_off("snia-pts", &["xsr-random"], &["-INT"]), 1);
    }
}

#[test]
fn the_device_holds_what_the_full_drive_is_to_hold() {
    if !possible() {
        return;
    }
    let bench = Bench::new("disk-fill");
    assert!(bench.cut_off_in("full", "-KILL"));
    let seen = bench.resume();
    let (_, held) = seen.iter().rfind(|(step, _)| step.starts_with("full/")).expect("it was filled");
    // A smoke run writes 8 MiB of it.
    assert!(*held >= 8 << 20, "{held} bytes on the device when the full drive was filled: {seen:?}");
}

#[test]
fn every_built_in_methodology_cut_off_in_each_of_its_tests() {
    if std::env::var_os("DRIVELAB_RESUME_ALL").is_none() {
        println!("skipped: takes an hour; DRIVELAB_RESUME_ALL=1 runs it");
        return;
    }
    if possible() {
        let only = std::env::var("DRIVELAB_RESUME_ONLY").ok();
        let chosen =
            WITH_STATE.iter().filter(|name| only.as_ref().is_none_or(|only| only.split(',').any(|one| one == **name)));
        let counts: Vec<(&str, usize)> = chosen.map(|name| (*name, cut_off(name, &[], &BOTH))).collect();
        println!("{counts:?}, {} in all", counts.iter().map(|(_, count)| count).sum::<usize>());
    }
}
