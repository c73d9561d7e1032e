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
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use disk::Disk;
use drivelab_rig::{Mount, Throttle, root_or_skip, text, tool};
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

/// A step of the plan.
struct Planned {
    id: String,
    /// Its load; `None` for a wait.
    load: Option<Value>,
    /// It can change what the target holds.
    changes: bool,
    /// It prepares, and measures nothing.
    prepares: bool,
    /// Nothing that was on the target before matters after it: a preparation has discarded all of the target by then
    /// or, in a plan that never does, the very first writes cover all of it.
    empties: bool,
}

impl Planned {
    /// For a load that only writes its span in passes, so that a part of it can be repeated on a full span: order,
    /// size, data and span.
    fn fills(&self) -> Option<[Value; 4]> {
        let load = self.load.as_ref()?;
        let only_writes = share(load, "write_percent") == 100 && load["other"].is_null() && load["beside"].is_null();
        let what = || ["pattern", "block_size", "data", "span"].map(|name| load[name].clone());
        // A sample of the places is not a pass over the span.
        let passes = load["pattern"] != "random" && load["places"].is_null();
        (only_writes && passes).then(what)
    }

    fn length(&self) -> u64 {
        self.load.as_ref().map_or(0, |load| share(&load["span"], "length"))
    }
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
        // As far as the discards reach with which the test begins.
        let mut discarded = Some(0);
        for step in test["steps"].as_array().expect("steps") {
            let (io, prepares) = (&step["action"]["io"], step["role"] == "prepare");
            let load = &io["workload"];
            let groups: Vec<&Value> =
                std::iter::once(load).chain(load["beside"].as_array().into_iter().flatten()).collect();
            let changes = |load: &&Value| {
                let other = share(&load["other"], "trim_percent") + share(&load["other"], "write_zeroes_percent");
                load["on"].is_null() && load["files"].is_null() && share(load, "write_percent") + other > 0
            };
            let trims = prepares && share(&load["other"], "trim_percent") == 100;
            discarded =
                discarded.filter(|so_far| trims && share(&load["span"], "offset") == *so_far).map(|_| end(load));
            all.push(Planned {
                id: step["id"].as_str().expect("an id").to_owned(),
                load: load.is_object().then(|| load.clone()),
                changes: load.is_object() && groups.iter().any(changes),
                prepares,
                empties: discarded.is_some_and(|end| end >= most / 100 * 99),
            });
        }
    }
    if !all.iter().any(|step| step.empties)
        && let Some(first) = all.first_mut()
    {
        let prepares = tests[0]["steps"][0]["role"] == "prepare";
        first.empties = prepares && first.fills().is_some() && first.length() >= most / 100 * 99;
    }
    all
}

fn key(body: &Value) -> String {
    format!("{} {}", body["key"]["step"].as_str().unwrap_or_default(), body["key"]["round"])
}

/// What happened to the target, by the events of a bundle.
struct Went<'a> {
    plan: &'a [Planned],
    /// Steps that changed the target since it was emptied.
    found: Vec<String>,
    /// The required changes, when each step was first done.
    must: Vec<String>,
    running: Option<String>,
    done: BTreeSet<String>,
    /// The load that changed the target last, if it has written all of its span: repeating a part of it leaves the
    /// target unchanged.
    full_by: Option<[Value; 4]>,
}

impl<'a> Went<'a> {
    fn on(plan: &'a [Planned]) -> Went<'a> {
        let (found, must, done) = (Vec::new(), Vec::new(), BTreeSet::new());
        Went { plan, found, must, running: None, done, full_by: None }
    }

    fn of(&self, key: &str) -> &'a Planned {
        self.plan.iter().find(|step| key.rsplit_once(' ').is_some_and(|(id, _)| id == step.id)).expect("planned")
    }

    /// A step was interrupted that may have changed anything.
    fn cut(&mut self, key: &str) {
        let step = self.of(key);
        if step.changes && (self.full_by.is_none() || step.fills() != self.full_by) {
            self.found.push(format!("cut off: {key}"));
            self.full_by = None;
        }
    }

    fn begins(&mut self, key: &str) {
        // An interrupted step may have changed anything.
        if let Some(killed) = self.running.take() {
            self.cut(&killed);
        }
        if self.of(key).empties {
            self.found.clear();
        }
        self.running = Some(key.to_owned());
    }

    /// A step ended; returns what it found and what it must have found if the two differ.
    fn ends(&mut self, record: &Value) -> Option<(String, String)> {
        let key = key(record);
        let step = self.of(&key);
        self.running = None;
        if record["stop_reason"] == "stopped" {
            let others = record["others"].as_array().is_some_and(|all| !all.is_empty());
            if share(record, "written_total") > 0 || others {
                self.cut(&key);
            }
            return None;
        }
        let first = self.done.insert(key.clone());
        if first && step.empties {
            self.must.clear();
        }
        let whole = share(record, "written_total") >= step.length() / 100 * 99;
        if step.prepares && step.fills().is_some() && whole {
            // A preparing fill leaves nothing of its own first try, or of its own first pass.
            self.found.retain(|change| *change != format!("cut off: {key}") && *change != key);
        }
        let differs = first && self.found != self.must;
        let differs = differs.then(|| format!("{key} found {:?}, and in one go {:?}", self.found, self.must));
        if step.changes {
            self.full_by = step.fills().filter(|load| whole || self.full_by.as_ref() == Some(load));
            self.found.push(key.clone());
            if first {
                self.must.push(key.clone());
            }
        }
        differs.map(|words| (key, words))
    }
}

/// What a bundle shows about the order of its steps: a sentence for each step that did not find what it finds in an
/// uninterrupted run, and the number of such steps that the run itself reports.
fn judged(events: &[Value]) -> (Vec<String>, usize) {
    let plan = plan(events);
    let mut went = Went::on(&plan);
    let (mut wrong, mut said) = (Vec::new(), 0);
    // Steps of which the run reports that they met data of an interrupted step.
    let mut not_emptied = BTreeSet::new();
    for event in events {
        let body = &event["event"];
        if body["finding"]["code"] == "not_emptied" {
            let steps = body["finding"]["steps"].as_array().expect("the steps that it is about");
            not_emptied.extend(steps.iter().map(|one| key(&serde_json::json!({ "key": one }))));
        }
        // A different file, which contains nothing.
        if body["run_resumed"]["target_state"].as_str().is_some_and(|text| text.contains("created and filled again")) {
            went.found.clear();
            (went.running, went.full_by) = (None, None);
        }
        for name in ["step_started", "making_again"] {
            if body[name].is_object() {
                went.begins(&key(&body[name]));
            }
        }
        for name in ["step_ended", "made_again"] {
            let record = &body[name];
            // A repeated wait has no record.
            let record = if record["record"].is_object() { &record["record"] } else { record };
            if !record.is_object() {
                continue;
            }
            let Some((key, words)) = went.ends(record) else {
                let key = key(record);
                if not_emptied.contains(&key) && record["stop_reason"] != "stopped" {
                    wrong.push(format!("{key} found what it finds in one go, and its figures are void"));
                }
                continue;
            };
            // The required data were written on top of data that cannot be removed.
            if not_emptied.contains(&key) && went.found.ends_with(&went.must) {
                said += 1;
            } else {
                wrong.push(words);
            }
        }
    }
    (wrong, said)
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

/// Bytes that random writes which end by time had written when each step began, since the target was emptied: how much
/// they write varies from run to run.
fn loose(events: &[Value]) -> BTreeMap<String, u64> {
    let plan = plan(events);
    let by_time = |id: &str| {
        let tests = events[0]["event"]["run_started"]["plan"]["tests"].as_array().expect("tests");
        let mut steps = tests.iter().flat_map(|test| test["steps"].as_array().expect("steps"));
        let io = &steps.find(|step| step["id"] == id).expect("planned")["action"]["io"];
        io["workload"]["pattern"] == "random" && io["stop"]["passes"].is_null() && io["stop"]["volume"].is_null()
    };
    let (mut loose, mut written) = (BTreeMap::new(), 0);
    for event in events {
        let (begun, ended) = (&event["event"]["step_started"]["key"]["step"], &event["event"]["step_ended"]);
        if let Some(id) = begun.as_str() {
            if plan.iter().any(|step| step.id == id && step.empties) {
                written = 0;
            }
            let most: &mut u64 = loose.entry(id.to_owned()).or_default();
            *most = written.max(*most);
        }
        let record = if ended["record"].is_object() { &ended["record"] } else { ended };
        if record["key"]["step"].as_str().is_some_and(by_time) {
            written += share(record, "written_total");
        }
    }
    loose
}

/// One sentence for each of these steps that began with another amount of data on the device than in the unbroken run:
/// more than the file system may do, and more than half of what random writes add in their time.
fn held_otherwise(measured: &[String], seen: &Held, (unbroken, loose): &(Held, BTreeMap<String, u64>)) -> Vec<String> {
    let differs = |step: &&String| {
        let (now, then) = (seen.get(*step)?, unbroken.get(*step)?);
        let own = OWN + loose.get(*step).copied().unwrap_or_default() / 2;
        let alike = now.0.abs_diff(then.0) <= own && now.1.abs_diff(then.1) <= own;
        (!alike).then(|| format!("{step} found {now:?} bytes on the device, and in one go {then:?}"))
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
    let unbroken = (held_then, loose(&unbroken.events()));
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
                wrong.extend(held_otherwise(&bench.measured(), &seen, &unbroken));
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
