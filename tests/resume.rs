//! A run that was interrupted in any of its tests and resumed has, before each step, the same data on the device as an
//! uninterrupted run: by the order of the steps in the bundle, and for the fill of a full drive also by the data on
//! the device.
//!
//! The scenario: a drive is filled for hours, and the machine is restarted while the full drive is filled once more.
//! What is measured after `resume` must be a full drive, not one that was just discarded. The expectation is computed
//! from the events of the bundle alone, not by the code that decides what is done again.
//!
//! `DRIVELAB_RESUME_ALL=1 cargo nextest run --profile long -p drivelab --test resume --no-capture` kills every
//! built-in methodology that docs/guide/resume.md lists in each of its tests, with both signals, which takes hours;
//! `DRIVELAB_RESUME_ONLY=quick,genuine` selects some of them, `DRIVELAB_RESUME_TESTS=prepare,iops` some of their tests.

#[path = "support/disk.rs"]
mod disk;
#[path = "resume/order.rs"]
mod order;
mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use disk::Disk;
use drivelab_rig::{Mount, Throttle, root_or_skip, text, tool};
use order::{judged, plan, share};
use serde_json::Value;

/// Size of the device in MiB: large enough for every methodology's smallest size.
const SIZE: u64 = 256;
/// Slow enough that a kill meets the intended step.
const BPS: u64 = 96 << 20;
/// The remaining rate while a step waits for its kill: its blocks still complete within an eighth of a second.
const CRAWL: u64 = 8 << 20;
/// A step moves its first byte within this time, or it moves none. Before that, its beginning is made durable, which a
/// busy disk delays by seconds.
const FIRST_BYTE: Duration = Duration::from_secs(20);

/// Tries for a run that is to be interrupted in a step.
const TRIES: usize = 5;

/// Methodologies that state that they run on folders only.
const ON_FOLDERS: [&str; 2] = ["as-ssd", "crystaldiskmark"];
/// A run under conditions that are set up for it cannot be resumed: the conditions are undone with the process.
const NEVER_RESUMED: [&str; 2] = ["encryption-cost", "power-states"];

/// The methodologies in which a test uses what an earlier test wrote, as the guide lists them; the test `lives_on`
/// compares that list with the code.
fn with_state() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/resume.md");
    let page = std::fs::read_to_string(path).expect("the guide");
    let named = page.lines().filter_map(|line| line.strip_prefix("### "));
    named.map(str::to_owned).filter(|name| !NEVER_RESUMED.contains(&name.as_str())).collect()
}

/// One methodology on one device, or on a folder of a file system on it.
struct Bench {
    disk: Disk,
    throttle: Throttle,
    method: String,
    folder: Option<PathBuf>,
}

impl Bench {
    fn new(method: &str) -> Bench {
        Bench::of_bytes(method, SIZE << 20)
    }

    fn of_bytes(method: &str, length: u64) -> Bench {
        let mut disk = Disk::of_bytes(length, &["--direct-io=on"]);
        let throttle = Throttle::new(&disk.numbers());
        let folder = ON_FOLDERS.contains(&method).then(|| {
            let folder = disk.folder().join("mounted");
            tool("mkfs.ext4", &["-q", &disk.device]);
            disk.mounts.push(Mount::new(&[&disk.device], &folder).expect("mounted"));
            folder
        });
        let bench = Bench { disk, throttle, method: method.to_owned(), folder };
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
        self.disk.lab.dress(&mut command).args(words).args(["--events", "json", "--telemetry", "off"]);
        if self.folder.is_none() {
            command.args(["--destroy", self.disk.name()]);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("drivelab starts")
    }

    fn begin(&self) -> std::process::Child {
        let target = self.folder.as_deref().map_or(self.disk.device.as_str(), text);
        self.spawn(&["run", &self.method, target, "--form", "smoke"])
    }

    fn cut_off_in(&self, test: &str, signal: &str) -> bool {
        self.cut_off(test, signal, self.begin())
    }

    /// Sectors that the device has read, written and discarded, as the kernel counts them.
    fn moved(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/sys/block/{}/stat", self.disk.name())).expect("its counters");
        let counts: Vec<u64> = stat.split_whitespace().filter_map(|count| count.parse().ok()).collect();
        [2, 6, 13].iter().filter_map(|at| counts.get(*at)).sum()
    }

    /// Waits until the step that has just begun has moved something.
    fn wait_for_a_byte(&self) {
        let (before, since) = (self.moved(), Instant::now());
        while self.moved() == before && since.elapsed() < FIRST_BYTE {
            std::thread::sleep(Duration::from_micros(500));
        }
    }

    /// Begins a run and ends it by a signal in this step, or in the first step of this test, after that step has moved something if it
    /// writes; `false` if the run had ended by then.
    fn cut_off(&self, test: &str, signal: &str, mut child: std::process::Child) -> bool {
        let mut heard = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
        let first: Vec<Value> = heard.by_ref().take(1).filter_map(|line| serde_json::from_str(&line).ok()).collect();
        let plan = if first.is_empty() { Vec::new() } else { plan(&first) };
        let end = if test.contains('/') { "\"" } else { "/" };
        let begin = format!("\"event\":{{\"step_started\":{{\"key\":{{\"step\":\"{test}{end}");
        let begun = heard.find(|line| line.contains(&begin));
        if let Some(line) = &begun {
            // A smoke step takes a tenth of a second: at this rate it takes longer.
            self.limit(CRAWL);
            if plan.iter().any(|step| step.changes && line.contains(&format!("\"{}\"", step.id))) {
                self.wait_for_a_byte();
            }
            tool("kill", &[signal, &child.id().to_string()]);
            self.limit(BPS);
        }
        heard.for_each(drop);
        child.wait().expect("it ends");
        begun.is_some() && self.disk.lab.runs()[0].1 == "interrupted"
    }

    /// Resumes the run to its end; returns what the device held when each step began.
    fn resume(&self) -> Vec<(String, u64)> {
        self.to_its_end(self.spawn(&["resume", "--last"]))
    }

    /// Waits for the end of a run; returns the bytes of the image that were allocated when each step began.
    fn to_its_end(&self, mut child: std::process::Child) -> Vec<(String, u64)> {
        let heard = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
        let (mut seen, mut before) = (Vec::new(), None);
        for line in heard {
            let event: Value = serde_json::from_str(&line).expect("every line is JSON");
            let now = std::fs::metadata(&self.disk.image).expect("the image").blocks() * 512;
            if let Some(key) = event["event"]["step_started"]["key"]["step"].as_str() {
                // A busy machine reads this late, when the step has written; nothing is written between two steps.
                seen.push((key.to_owned(), before.map_or(now, |before: u64| before.min(now))));
            }
            before = Some(now);
        }
        let mut said = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().expect("its words"), &mut said).expect("text");
        assert!(child.wait().expect("it ends").success(), "{}: {said}", self.method);
        seen
    }

    /// The steps of the newest run that measure.
    fn measured(&self) -> Vec<String> {
        plan(&self.events()).into_iter().filter(|step| !step.prepares).map(|step| step.id).collect()
    }

    fn events(&self) -> Vec<Value> {
        let run = self.disk.lab.runs()[0].0.clone();
        let events = self.disk.lab.ok(&["replay", &run, "--events", "json", "--speed", "0"]).stdout;
        events.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
    }
}

fn tests_of(method: &str) -> Vec<String> {
    let steps = steps_of(method);
    let mut tests: Vec<String> = steps.iter().map(|step| step.split('/').next().expect("a test").to_owned()).collect();
    tests.dedup();
    tests
}

/// A run that was interrupted in a test. On a busy machine the step may have ended when its event is read: then it is
/// tried again.
fn cut(method: &str, test: &str, signal: &str) -> Option<Bench> {
    let mut benches = std::iter::repeat_with(|| Bench::new(method)).take(TRIES);
    benches.find(|bench| bench.cut_off_in(test, signal))
}

/// Bytes that the device holds when each step begins: the least and the most of its rounds.
type Held = BTreeMap<String, (u64, u64)>;

fn held(seen: &[(String, u64)]) -> Held {
    let mut held = Held::new();
    for (step, bytes) in seen {
        let (least, most) = held.entry(step.clone()).or_insert((*bytes, *bytes));
        (*least, *most) = ((*least).min(*bytes), (*most).max(*bytes));
    }
    held
}

/// By how much the file system below the device may change the allocation by itself, in bytes.
const OWN: u64 = 64 << 10;

/// Bytes that random writes which end by time had written since the target was emptied, when each step began: how much
/// they write varies from run to run. Of several rounds the last.
fn timed_writes(events: &[Value]) -> BTreeMap<String, u64> {
    let plan = plan(events);
    let tests = events[0]["event"]["run_started"]["plan"]["tests"].as_array().expect("tests");
    let steps = || tests.iter().flat_map(|test| test["steps"].as_array().expect("steps"));
    let is_timed = |id: &str| {
        let io = &steps().find(|step| step["id"] == id).expect("planned")["action"]["io"];
        // The smoke form also gives a volume, which a throttled device may not reach in time.
        io["workload"]["pattern"] == "random" && io["stop"]["passes"].is_null() && io["stop"]["time"].is_number()
    };
    let (mut when_begun, mut written): (BTreeMap<String, u64>, u64) = (BTreeMap::new(), 0);
    for event in events {
        let body = &event["event"];
        let begun = ["step_started", "making_again"].iter().find_map(|name| body[*name]["key"]["step"].as_str());
        if let Some(id) = begun {
            if plan.iter().any(|step| step.id == id && step.empties) {
                written = 0;
            }
            when_begun.insert(id.to_owned(), written);
        }
        for name in ["step_ended", "made_again"] {
            let record = if body[name]["record"].is_object() { &body[name]["record"] } else { &body[name] };
            if record["key"]["step"].as_str().is_some_and(is_timed) {
                written += share(record, "written_total");
            }
        }
    }
    when_begun
}

/// One sentence for each of these steps that began with another amount of data on the device than in the unbroken run.
/// Random writes that end by time may explain a difference, but only up to as much as they wrote more or less: blocks
/// that they meet again, or that were written before, are not allocated twice.
fn held_otherwise(
    measured: &[String],
    (seen, timed_now): (&Held, &BTreeMap<String, u64>),
    (unbroken, timed_then): &(Held, BTreeMap<String, u64>),
) -> Vec<String> {
    let signed = |bytes: u64| i64::try_from(bytes).expect("a small device");
    let differs = |step: &&String| {
        let (now, then) = (seen.get(*step)?, unbroken.get(*step)?);
        let timed = |of: &BTreeMap<String, u64>| signed(of.get(*step).copied().unwrap_or_default());
        let more = timed(timed_now) - timed(timed_then);
        let explained = (more.min(0) - signed(OWN))..=(more.max(0) + signed(OWN));
        let alike = |now: u64, then: u64| explained.contains(&(signed(now) - signed(then)));
        let words = || format!("{step} found {now:?} bytes on the device, and in one go {then:?}; {more} written more");
        (!(alike(now.0, then.0) && alike(now.1, then.1))).then(words)
    };
    measured.iter().filter_map(|step| differs(&step)).collect()
}

/// The result of the interruptions.
#[derive(Debug, Default)]
struct Tally {
    cut: usize,
    /// Runs in which a step did not find what it finds in an uninterrupted run, and the run reports it.
    said: usize,
    wrong: Vec<String>,
    /// Tests that were never interrupted.
    never: Vec<String>,
}

/// Interrupts a methodology in these tests (all if none is named), resumes it, and checks what each step found.
fn tally(method: &str, tests: &[&str], signals: &[&str]) -> Tally {
    let tests = match tests {
        [] => tests_of(method),
        named => named.iter().map(|name| (*name).to_owned()).collect(),
    };
    let mut tally = Tally::default();
    let unbroken = Bench::new(method);
    let held_then = held(&unbroken.to_its_end(unbroken.begin()));
    let unbroken = (held_then, timed_writes(&unbroken.events()));
    for test in &tests {
        let before = tally.cut;
        for signal in signals {
            let Some(bench) = cut(method, test, signal) else {
                println!("{method} {test} {signal}: was at its end before");
                continue;
            };
            let seen = held(&bench.resume());
            let (mut wrong, said) = judged(&bench.events());
            if bench.folder.is_none() && said == 0 {
                let timed = timed_writes(&bench.events());
                wrong.extend(held_otherwise(&bench.measured(), (&seen, &timed), &unbroken));
            }
            let word = match (wrong.is_empty(), said) {
                (true, 0) => "right",
                (true, _) => "said",
                (false, _) => "WRONG",
            };
            println!("{method} {test} {signal}: {word}");
            wrong.first().into_iter().for_each(|first| println!("  {first}; {} more", wrong.len() - 1));
            tally.cut += 1;
            tally.said += usize::from(said > 0);
            // Every later step finds what the first one found.
            let (more, first) = (wrong.len().saturating_sub(1), wrong.first());
            let words = |first| format!("{method} cut off in {test} by {signal}: {first}; {more} more steps");
            tally.wrong.extend(first.map(words));
        }
        // A test that had always ended when it was to be interrupted shows nothing.
        if tally.cut == before {
            tally.never.push(format!("{method} {test}"));
        }
    }
    tally
}

/// The same check, in which no step may be wrong, and no run may only report it instead of repeating the steps;
/// returns how many interruptions there were.
fn cut_off(method: &str, tests: &[&str], signals: &[&str]) -> usize {
    let tally = tally(method, tests, signals);
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert_eq!(tally.said, 0, "{method}: what steps rest on can be made again here, and was not");
    tally.cut
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
    let bench = cut("disk-fill", "full", "-KILL").expect("a run that is cut off");
    let seen = bench.resume();
    let (_, held) = seen.iter().rfind(|(step, _)| step.starts_with("full/")).expect("it was filled");
    // A smoke run writes 8 MiB of it.
    assert!(*held >= 8 << 20, "{held} bytes on the device when the full drive was filled: {seen:?}");
}

/// The device is not a multiple of the discard's block, and all of it is discarded, in a run and after a resume.
#[test]
fn an_odd_device_is_discarded_to_its_end_and_no_figure_is_void_for_that() {
    if !possible() {
        return;
    }
    // What is after the last 64 MiB does not belong to what comes before it.
    const LENGTH: u64 = (200 << 20) + 5 * 512;
    let bench = Bench::of_bytes("disk-fill", LENGTH);
    let begin = ["run", "disk-fill", &bench.disk.device, "--form", "faithful"];
    let device = std::fs::OpenOptions::new().write(true).open(&bench.disk.device).expect("the device");
    let all = vec![0xa5; usize::try_from(LENGTH).expect("a length")];
    std::io::Write::write_all(&mut &device, &all).and_then(|()| device.sync_all()).expect("full");
    drop(device);
    assert!(bench.cut_off("empty", "-KILL", bench.spawn(&begin)), "the run was at its end before");
    let seen = bench.resume();
    let (_, held) = seen.iter().rfind(|(step, _)| step.starts_with("empty/")).expect("it was filled");
    // The file system below keeps its last, partial block, and the space for itself.
    assert!(*held < 256 << 10, "{held} bytes lie on a device that was discarded");
    let (wrong, said) = judged(&bench.events());
    assert!(wrong.is_empty() && said == 0, "{wrong:?}");
    let run = bench.disk.lab.runs()[0].0.clone();
    let summary = bench.disk.lab.ok(&["report", &run, "--format", "json"]).stdout;
    assert!(!summary.contains("not_emptied"), "{summary}");
}

/// The steps of a plan, as a run that is killed at its beginning shows them.
fn steps_of(method: &str) -> Vec<String> {
    let bench = Bench::new(method);
    let mut child = bench.begin();
    let heard = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    let first: Vec<Value> = heard.take(1).map(|line| serde_json::from_str(&line).expect("JSON")).collect();
    child.kill().and_then(|()| child.wait()).expect("it ends");
    assert!(!first.is_empty(), "{method} does not begin on this target");
    plan(&first).into_iter().map(|step| step.id).collect()
}

/// Four preparations in a plan that never empties the target: no figure is void for what the repeated fill covers.
#[test]
fn a_preparing_fill_that_was_cut_off_is_done_once_more_and_leaves_nothing_of_its_first_try() {
    if !possible() {
        return;
    }
    let steps = steps_of("random-read-sweep");
    let preparing: Vec<&String> = steps.iter().filter(|step| step.starts_with("prepare/")).collect();
    assert!(preparing.len() > 2, "{steps:?}");
    for signal in BOTH {
        let bench = cut("random-read-sweep", preparing[1], signal).expect("a run that is cut off");
        bench.resume();
        let (wrong, said) = judged(&bench.events());
        assert!(wrong.is_empty() && said == 0, "{signal}: {wrong:?}");
    }
}

#[test]
fn what_cannot_be_emptied_is_said_of_the_steps_that_meet_it() {
    if possible() {
        let tally = tally("genuine", &["whole"], &["-KILL"]);
        assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
        assert_eq!((tally.cut, tally.said), (1, 1));
    }
}

#[test]
fn every_built_in_methodology_cut_off_in_each_of_its_tests() {
    if std::env::var_os("DRIVELAB_RESUME_ALL").is_none() {
        println!("skipped: takes hours; DRIVELAB_RESUME_ALL=1 runs it (under nextest with --profile long)");
        return;
    }
    if !possible() {
        return;
    }
    let only = std::env::var("DRIVELAB_RESUME_ONLY").ok();
    let tests = std::env::var("DRIVELAB_RESUME_TESTS").unwrap_or_default();
    let chosen = |name: &String| only.as_ref().is_none_or(|only| only.split(',').any(|one| one == name));
    let tallies = with_state().into_iter().filter(chosen).map(|name| {
        let tally = tally(&name, &tests.split(',').filter(|test| !test.is_empty()).collect::<Vec<_>>(), &BOTH);
        println!("{name}: {} cut off, {} of them said, {} wrong", tally.cut, tally.said, tally.wrong.len());
        (name, tally)
    });
    let tallies: Vec<(String, Tally)> = tallies.collect();
    println!("{} in all", tallies.iter().map(|(_, tally)| tally.cut).sum::<usize>());
    let never: Vec<&str> = tallies.iter().flat_map(|(_, tally)| &tally.never).map(String::as_str).collect();
    let wrong: Vec<&str> = tallies.iter().flat_map(|(_, tally)| &tally.wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!tallies.is_empty() && never.is_empty(), "never cut off: {never:?}, of {} methodologies", tallies.len());
}
