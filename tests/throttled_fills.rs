//! The end of a write cache on storage of which the truth is known: fills of throttled loop devices whose limit changes
//! at a byte that the device itself counted.
//!
//! Five courses (even, a cliff, down and up, a ramp, a stall), each with and without a burst: the first 4 % at four times
//! the limit. Ten fills; `DRIVELAB_FILLS=60` makes as many as that. Blocks of 256 KiB, since the throttle charges twice
//! for what the loop device has to split (docs/how-it-is-tested.md).

#[path = "support/ramdisk.rs"]
mod ramdisk;
mod support;
#[path = "support/throttle.rs"]
mod throttle;

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use ramdisk::RamDisk;
use serde_json::Value;
use support::{Lab, root_or_skip};
use throttle::Throttle;

const DRIVELAB: &str = env!("CARGO_BIN_EXE_drivelab");
const MIB: u64 = 1 << 20;
/// Size of the device.
const SPAN: u64 = 448 * MIB;
/// The limit that a fill begins with, bytes per second.
const FAST: u64 = 100 * MIB;
/// What a burst writes at its own limit before that.
const BURST: u64 = SPAN / 25;
/// The limit of a burst, bytes per second.
const BURST_LIMIT: u64 = 4 * FAST;
/// How often a course is drawn again where only a busy machine can have changed it.
const TRIES: usize = 3;

/// A course: what the limit becomes when so much of the span was written, in 64ths of it.
struct Course {
    name: &'static str,
    changes: Vec<(u64, u64)>,
    /// Seconds from the first change to the second, where the second is not at a byte.
    back_after_s: Option<f64>,
}

fn courses() -> Vec<Course> {
    let course = |name, changes: &[(u64, u64)], back_after_s| Course { name, changes: changes.to_vec(), back_after_s };
    let ramp: Vec<(u64, u64)> = (1..16).map(|step| (4 * step, FAST - FAST * step / 24)).collect();
    vec![
        course("even", &[], None),
        course("cliff", &[(40, FAST / 4)], None),
        course("down and up", &[(20, FAST / 4), (32, FAST)], None),
        course("ramp", &ramp, None),
        course("stall", &[(30, MIB / 4)], Some(0.6)),
    ]
}

/// The method: one fill, in blocks that the throttle charges once.
fn method() -> String {
    r#"
format = 1
name = "known-fill"
title = "Known fill"
version = "1.0.0"
summary = "One fill under a throttle."
good_for = "Testing drivelab."
cannot_tell = "Anything about a drive."
[[sources]]
id = "own"
citation = "Written for drivelab's own tests."
[target]
kind = "block_device"
size = "100 %"
minimum_size = "8 MiB"
[forms.quick]
[[tests]]
name = "fill"
title = "Fill"
purpose = "A known course."
sources = ["own"]
op = "write"
pattern = "sequential"
block_size = "256 KiB"
queue_depth = 4
passes = 1
cap = "5 min"
data = "zero"
approximation = { op = "given", pattern = "given", block_size = "given", queue_depth = "given", passes = "given", cap = "given", data = "given" }
"#
    .to_owned()
}

/// Bytes that the device has counted as written.
fn written(disk: &RamDisk) -> u64 {
    let stat = std::fs::read_to_string(format!("/sys/block/{}/stat", disk.name())).expect("the device's counters");
    let sectors = stat.split_whitespace().nth(6).and_then(|field| field.parse::<u64>().ok());
    512 * sectors.expect("sectors written")
}

/// Waits until the device has counted so many bytes more than before, and gives how many they are; `None` where the
/// program ended first.
fn wait_for(disk: &RamDisk, before: u64, bytes: u64, child: &mut Child) -> Option<u64> {
    loop {
        let now = written(disk) - before;
        if now >= bytes {
            return Some(now);
        }
        if child.try_wait().expect("a child").is_some() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What one fill showed.
struct Fill {
    report: Value,
    /// Bytes written when the burst ended, by the device's own counter; 0 without a burst.
    burst: u64,
    /// Bytes written at each later change of the limit.
    changed: Vec<u64>,
    /// Share of the time that the fill's limits ask for, that it took.
    slower: f64,
}

impl Fill {
    fn code(&self, code: &str) -> bool {
        let findings = self.report["findings"].as_array().expect("findings");
        findings.iter().any(|finding| finding["code"] == code)
    }

    fn metric(&self, id: &str) -> Option<f64> {
        let metrics = self.report["metrics"].as_array().expect("metrics");
        metrics.iter().find(|metric| metric["id"] == id).and_then(|metric| metric["value"].as_f64())
    }
}

/// Fills the device while its limit follows the course. Without a burst the throttle has just served its limit and has
/// nothing saved up.
fn fill(course: &Course, burst: bool) -> Option<Fill> {
    let disk = RamDisk::new_or_skip((SPAN / MIB) as usize)?;
    let lab = Lab::new();
    lab.write("fill.toml", method());
    let throttle = Throttle::new(&disk.numbers());
    // Half of the limit for the first slices is what takes the burst away: what is let through twice is then the limit.
    throttle.limit("write_bps", if burst { BURST_LIMIT } else { FAST / 2 });
    let mut command = throttle.command(DRIVELAB);
    let arguments = ["run", "fill.toml", &disk.device, "--destroy", &disk.device, "--yes", "--json"];
    lab.dress(&mut command).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let before = written(&disk);
    let mut child = command.spawn().expect("drivelab starts");
    let mut changed = Vec::new();
    let mut burst_ended = 0;
    if burst {
        burst_ended = wait_for(&disk, before, BURST, &mut child)?;
    } else {
        wait_for(&disk, before, 1, &mut child)?;
        std::thread::sleep(Duration::from_millis(100));
    }
    throttle.limit("write_bps", FAST);
    for (at, limit) in &course.changes {
        let Some(bytes) = wait_for(&disk, before, at * (SPAN / 64), &mut child) else { break };
        throttle.limit("write_bps", *limit);
        changed.push(bytes);
        if let Some(seconds) = course.back_after_s {
            let since = Instant::now();
            std::thread::sleep(Duration::from_secs_f64(seconds));
            throttle.limit("write_bps", FAST);
            println!("stalled for {:.2} s", since.elapsed().as_secs_f64());
        }
    }
    let done = support::done(child.wait_with_output().expect("an end"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let report: Value = serde_json::from_str(&done.stdout).expect("one JSON document");
    let fill = Fill { report, burst: burst_ended, changed, slower: 0.0 };
    let due = due_s(course, &fill);
    let took = fill.metric("duration").expect("a duration");
    Some(Fill { slower: took / due, ..fill })
}

/// Seconds that the limits ask for.
fn due_s(course: &Course, fill: &Fill) -> f64 {
    let (mut from, mut limit, mut seconds) = (fill.burst, FAST, fill.burst as f64 / BURST_LIMIT as f64);
    for ((_, next), at) in course.changes.iter().zip(&fill.changed) {
        seconds += at.saturating_sub(from) as f64 / limit as f64;
        (from, limit) = (*at, if course.back_after_s.is_some() { FAST } else { *next });
    }
    seconds + (SPAN - from) as f64 / limit as f64 + course.back_after_s.unwrap_or(0.0)
}

/// What is wrong with the answer; `None` where it is the truth.
fn wrong(course: &Course, fill: &Fill) -> Option<String> {
    let cache = fill.metric("fill.cache_size").map(|gb| gb * 1e9);
    let ended = fill.code("write_cache_ended");
    // A ramp has no level that its start could be a burst above.
    if course.name != "ramp" && fill.code("write_burst") != (fill.burst > 0) {
        return Some(format!("a burst of {} bytes, told: {}", fill.burst, fill.code("write_burst")));
    }
    if course.name != "cliff" {
        let wanted = if course.name == "ramp" { "write_ramp" } else { "write_cache_not_seen" };
        let stall = course.name == "stall" && !fill.code("write_stalled");
        return match (cache, ended) {
            (None, false) if !fill.code(wanted) => Some(format!("no {wanted}")),
            (None, false) if stall => Some("no write_stalled".to_owned()),
            (None, false) => None,
            _ => Some(format!("a cache of {cache:?} bytes")),
        };
    }
    let truth = *fill.changed.first()? as f64;
    let near = f64::max(0.02 * truth, 0.25 * FAST as f64);
    match cache {
        Some(cache) if ended && (cache - truth).abs() <= near => None,
        Some(cache) => Some(format!("the cliff at {cache:.0}, not {truth:.0} (ended: {ended})")),
        None => Some("no cliff".to_owned()),
    }
}

/// A course that is judged wrongly is so each time; a machine whose other work takes the CPU from the fill has another
/// course, which the time tells: only then it is drawn again.
fn assert_course(course: &Course, burst: bool) {
    let mut why = String::new();
    for attempt in 1..=TRIES {
        let Some(fill) = fill(course, burst) else { return };
        let (said, changed) = (wrong(course, &fill), &fill.changed);
        let cache = fill.metric("fill.cache_size");
        println!(
            "{}, burst {burst}: changed at {changed:?}, cache {cache:?} GB, {:.2} of the time, burst told {}: {said:?} \
             (attempt {attempt})",
            course.name,
            fill.slower,
            fill.code("write_burst"),
        );
        let Some(said) = said else { return };
        why = said;
        assert!(fill.slower > 1.03, "{}, burst {burst}: {why}, and the fill kept to its limits", course.name);
    }
    panic!("{}, burst {burst}: {why} {TRIES} times", course.name);
}

#[test]
fn the_end_of_a_cache_is_where_the_throttle_fell_for_good_and_nowhere_else() {
    if !root_or_skip("a throttled loop device") || !Throttle::possible_or_skip() {
        return;
    }
    let wanted = std::env::var("DRIVELAB_FILLS").ok().and_then(|count| count.parse::<usize>().ok()).unwrap_or(10);
    let all: Vec<(Course, bool)> = courses()
        .into_iter()
        .map(|course| (course, false))
        .chain(courses().into_iter().map(|course| (course, true)))
        .collect();
    for (course, burst) in all.iter().cycle().take(wanted) {
        assert_course(course, *burst);
    }
}
