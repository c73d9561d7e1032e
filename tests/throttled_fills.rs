//! The end of a write cache on storage with known properties: fills of throttled loop devices whose limit changes at a
//! byte that the device itself counted.
//!
//! Six courses (even, a cliff, a cliff with a decline after it, down and up, a ramp, a stall), each with and without a
//! burst: the first 4 % at four times the limit. The position and depth of a cliff are drawn by a seed that is printed
//! (`DRIVELAB_SEED=$RANDOM` draws others). Twelve fills; `DRIVELAB_FILLS=60` makes 60, which takes longer than a test
//! may, except with `cargo nextest run --profile long`. Blocks of 256 KiB, because the throttle charges twice for
//! operations that the loop device has to split (docs/how-it-is-tested.md).

mod support;

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use drivelab_rig::{LoopDevice, Throttle, root_or_skip};
use serde_json::Value;
use support::Lab;

const DRIVELAB: &str = env!("CARGO_BIN_EXE_drivelab");
const MIB: u64 = 1 << 20;
/// Size of the device.
const SPAN: u64 = 448 * MIB;
/// The limit at the start of a fill, in bytes per second.
const FAST: u64 = 100 * MIB;
/// What a burst writes before that, at its own limit.
const BURST: u64 = SPAN / 25;
/// The limit of a burst, in bytes per second.
const BURST_LIMIT: u64 = 4 * FAST;
/// Tries for a fill if the device did not have the requested course.
const TRIES: usize = 5;
/// A fill that took longer than its limits require by this factor was delayed by other work. A fill that took less by
/// this factor had more than its limits: each slice of 100 ms is granted at its beginning, including the last one, and
/// what was granted of a slice is forgotten if a limit is changed while no write waits.
const SLOWER: f64 = 1.03;
/// If no write completes for this long, the throttle is holding writes back: what it grants for a slice is used up in
/// less time.
const HELD: Duration = Duration::from_millis(6);
/// Longest wait for that, two slices: on a device that is slower than the limit, no writes are held back.
const HELD_WITHIN: Duration = Duration::from_millis(200);
/// What the device may write while a limit is being changed, in bytes; above this, the position of the change is
/// unknown.
const WHILE_CHANGING: u64 = SPAN / 200;

/// A course: the new limit when a part of the span was written, in 64ths of it.
struct Course {
    name: &'static str,
    changes: Vec<(u64, u64)>,
    /// Seconds from the first change to the second, if the second is not at a byte.
    back_after_s: Option<f64>,
}

/// The seed of a test run's share. By hand, `DRIVELAB_SEED=$RANDOM` draws others.
const SEED: u64 = 17;

/// Numbers that follow from a seed.
struct Chance(u64);

impl Chance {
    /// From the setting; printed.
    fn new() -> Chance {
        let given = std::env::var("DRIVELAB_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
        let seed = given.unwrap_or(SEED) | 1;
        println!("DRIVELAB_SEED={seed}");
        Chance(seed)
    }

    /// One of `from..=to`.
    fn between(&mut self, from: u64, to: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        from + (self.0 >> 11) % (to - from + 1)
    }
}

/// All courses once. A cliff falls to between a fifth and three quarters; a cliff with a decline after it falls to
/// between a third and a half, and then to two fifths of that.
fn courses(chance: &mut Chance) -> Vec<Course> {
    let course = |name, changes: &[(u64, u64)], back_after_s| Course { name, changes: changes.to_vec(), back_after_s };
    let ramp: Vec<(u64, u64)> = (1..16).map(|step| (4 * step, FAST - FAST * step / 24)).collect();
    let cliff = (chance.between(14, 56), FAST * chance.between(20, 75) / 100);
    let (at, level) = (chance.between(14, 36), FAST * chance.between(33, 50) / 100);
    let declining: Vec<(u64, u64)> =
        (at..64).map(|now| (now, level - level * 3 * (now - at) / (5 * (64 - at)))).collect();
    let (down, stalls) = (chance.between(14, 30), chance.between(14, 50));
    vec![
        course("even", &[], None),
        course("cliff", &[cliff], None),
        course("cliff, then a decline", &declining, None),
        course("down and up", &[(down, FAST / 4), (down + 12, FAST)], None),
        course("ramp", &ramp, None),
        course("stall", &[(stalls, MIB / 4)], Some(0.6)),
    ]
}

/// The methodology: one fill, in blocks that the throttle charges once.
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
fn written(disk: &LoopDevice) -> u64 {
    let stat = std::fs::read_to_string(format!("/sys/block/{}/stat", disk.name())).expect("the device's counters");
    let sectors = stat.split_whitespace().nth(6).and_then(|field| field.parse::<u64>().ok());
    512 * sectors.expect("sectors written")
}

/// Waits until the device has counted this many more bytes than before; `false` if the program ended first.
fn wait_for(disk: &LoopDevice, before: u64, bytes: u64, child: &mut Child) -> bool {
    loop {
        if written(disk) - before >= bytes {
            return true;
        }
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until the throttle holds writes back. Then it keeps account of a slice when its limit is changed, and lets
/// through no more than both limits allow.
fn wait_until_held(disk: &LoopDevice) {
    let (mut last, since) = (written(disk), Instant::now());
    while since.elapsed() < HELD_WITHIN {
        std::thread::sleep(HELD);
        let now = written(disk);
        if now == last {
            return;
        }
        last = now;
    }
}

/// What one fill showed.
struct Fill {
    report: Value,
    /// Bytes written when the burst ended, by the device's own counter; 0 without a burst.
    burst: u64,
    /// Bytes written at each later change of the limit.
    changed: Vec<u64>,
    /// Bytes per second from the first of these changes to the end of the device, by its own counter.
    behind: Option<f64>,
    /// Why the device did not have the requested course: something that only a busy machine causes.
    other_course: Option<String>,
    /// The time that it took, as a share of the time that the fill's limits require.
    slower: f64,
    /// The time that it took, as a share of the shortest time that they require.
    at_least: f64,
}

impl Fill {
    /// Whether the device had the requested course.
    fn is_as_asked(&self) -> bool {
        self.slower <= SLOWER && self.at_least >= 1.0 / SLOWER && self.other_course.is_none()
    }

    fn code(&self, code: &str) -> bool {
        let findings = self.report["findings"].as_array().expect("findings");
        findings.iter().any(|finding| finding["code"] == code)
    }

    fn metric(&self, id: &str) -> Option<f64> {
        let metrics = self.report["metrics"].as_array().expect("metrics");
        metrics.iter().find(|metric| metric["id"] == id).and_then(|metric| metric["value"].as_f64())
    }
}

/// The limit of a device, and what it has counted when the limit was changed.
struct Limits<'a> {
    throttle: &'a Throttle,
    disk: &'a LoopDevice,
    before: u64,
    other_course: Option<String>,
}

impl Limits<'_> {
    /// Changes the limit, and returns how much the device had written then.
    fn change(&mut self, limit: u64) -> u64 {
        let at = written(self.disk) - self.before;
        self.throttle.limit("write_bps", limit);
        let since = written(self.disk) - self.before;
        if since - at > WHILE_CHANGING {
            self.wrong(format!("{} bytes were written while the limit was changed", since - at));
        }
        at
    }

    fn wrong(&mut self, why: String) {
        self.other_course.get_or_insert(why);
    }
}

/// Fills the device while its limit follows the course. Without a burst, the throttle has just served its limit and
/// has nothing saved up.
fn fill(course: &Course, burst: bool) -> Option<Fill> {
    let disk = LoopDevice::in_memory_or_skip(SPAN / MIB)?;
    let lab = Lab::new();
    lab.write("fill.toml", method());
    let throttle = Throttle::new(&disk.numbers());
    // Half of the limit for the first slices removes the burst: what is let through twice is then the limit.
    throttle.limit("write_bps", if burst { BURST_LIMIT } else { FAST / 2 });
    let mut command = throttle.command(DRIVELAB);
    let arguments = ["run", "fill.toml", &disk.device, "--destroy", &disk.device, "--yes", "--json"];
    lab.dress(&mut command).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let before = written(&disk);
    let mut limits = Limits { throttle: &throttle, disk: &disk, before, other_course: None };
    let mut child = command.spawn().expect("drivelab starts");
    let (mut changed, mut changed_at) = (Vec::new(), None);
    wait_for(&disk, before, 1, &mut child);
    let burst_ended = if burst { bursts(&mut limits, &mut child) } else { 0 };
    if !burst {
        std::thread::sleep(Duration::from_millis(100));
        throttle.limit("write_bps", FAST);
    }
    for (at, limit) in &course.changes {
        if !wait_for(&disk, before, at * (SPAN / 64), &mut child) {
            break;
        }
        // Fifteen forgotten slices would make a ramp 6 to 9 % faster than its limits, in steps. Its limits are so
        // close together that what is accounted for is paid within a moment; after a cliff that would be a stall.
        if course.name == "ramp" {
            wait_until_held(&disk);
        }
        changed.push(limits.change(*limit));
        changed_at.get_or_insert_with(Instant::now);
        if let Some(seconds) = course.back_after_s {
            let since = Instant::now();
            std::thread::sleep(Duration::from_secs_f64(seconds));
            throttle.limit("write_bps", FAST);
            println!("stalled for {:.2} s", since.elapsed().as_secs_f64());
        }
    }
    let mut other_course = limits.other_course;
    let full = wait_for(&disk, before, SPAN, &mut child);
    let behind = changed_at.filter(|_| full).map(|at| (SPAN - changed[0]) as f64 / at.elapsed().as_secs_f64());
    let done = support::done(child.wait_with_output().expect("an end"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let report: Value = serde_json::from_str(&done.stdout).expect("one JSON document");
    if burst && !shows_burst(&report) {
        other_course.get_or_insert("no recorded interval shows the burst".to_owned());
    }
    let fill = Fill { report, burst: burst_ended, changed, behind, other_course, slower: 0.0, at_least: 0.0 };
    let took = fill.metric("duration").expect("a duration");
    // A burst may take the time of its limit. It need not: it is less than the throttle grants for its first slice.
    let due = [burst_ended as f64 / BURST_LIMIT as f64, 0.0].map(|burst_s| due_s(course, &fill, burst_s));
    Some(Fill { slower: took / due[0], at_least: took / due[1], ..fill })
}

/// Whether one of the first recorded intervals is clearly faster than the limit after the burst. If drivelab had no
/// CPU for a part of the first 100 ms, the burst has ended before an interval can show it.
fn shows_burst(report: &Value) -> bool {
    first_rates(report).iter().take(2).any(|rate| *rate > 1.6 * FAST as f64)
}

/// Rates of the first recorded intervals, in bytes per second.
fn first_rates(report: &Value) -> Vec<f64> {
    let rate = |interval: &Value| {
        let length = interval["end_ns"].as_f64()? - interval["start_ns"].as_f64()?;
        Some(interval["write"]["bytes"].as_f64()? / length * 1e9)
    };
    let steps = report["steps"].as_array().expect("steps");
    let first = steps.iter().filter_map(|step| step["intervals"].as_array()).flat_map(|all| all.iter().take(4));
    first.filter_map(rate).collect()
}

/// Waits for the end of the burst, and returns how much was written until then. It lasts 45 ms: a program without the
/// CPU for that long has no burst, and a test without the CPU makes it longer than a burst is.
fn bursts(limits: &mut Limits<'_>, child: &mut Child) -> u64 {
    let (from, since) = (written(limits.disk) - limits.before, Instant::now());
    wait_for(limits.disk, limits.before, BURST, child);
    let seconds = since.elapsed().as_secs_f64();
    let ended = limits.change(FAST);
    let rate = ended.saturating_sub(from) as f64 / seconds;
    if from < BURST && rate < 2.0 * FAST as f64 {
        limits.wrong(format!("the burst went at {:.0} MB/s", rate / 1e6));
    }
    if ended > BURST + SPAN / 50 {
        limits.wrong(format!("the burst went on to {ended} bytes"));
    }
    ended
}

/// Seconds that the limits require, with this many for the burst. Without a burst the first 100 ms move what the first
/// limit requires: its half, twice.
fn due_s(course: &Course, fill: &Fill, burst_s: f64) -> f64 {
    let (mut from, mut limit, mut seconds) = (fill.burst, FAST, burst_s);
    for ((_, next), at) in course.changes.iter().zip(&fill.changed) {
        seconds += at.saturating_sub(from) as f64 / limit as f64;
        (from, limit) = (*at, if course.back_after_s.is_some() { FAST } else { *next });
    }
    seconds + (SPAN - from) as f64 / limit as f64 + course.back_after_s.unwrap_or(0.0)
}

/// What is wrong with the rates before and after a cliff to this limit: the page shows both beside its position. The
/// rate after it is the new limit within 4 %, or up to what the device did from the change on, by its own counter: the
/// throttle may still pass on the rest of a slice at the old limit, or be late.
fn wrong_rates(limit: u64, fill: &Fill) -> Option<String> {
    let off = |id: &str, [least, most]: [f64; 2]| {
        let rate = fill.metric(id).map(|mb_s| mb_s * 1e6);
        let near = rate.is_some_and(|rate| rate >= least && rate <= most);
        (!near).then(|| format!("{id} is {rate:?}, due are {least:.0} to {most:.0}"))
    };
    let Some(behind) = fill.behind else { return Some("the end of the device was not seen".to_owned()) };
    let around = |rate: u64, share: f64| [rate as f64 * (1.0 - share), rate as f64 * (1.0 + share)];
    let [least, most] = around(limit, 0.04);
    // There are at least 10 intervals before it, of which the first may contain the rest of a burst.
    let peak = off("fill.peak", around(FAST, 0.08));
    peak.or_else(|| off("fill.sustained", [least.min(behind), most.max(behind)]))
}

/// What is wrong with the answer; `None` if it is right.
fn wrong(course: &Course, fill: &Fill) -> Option<String> {
    let cache = fill.metric("fill.cache_size").map(|gb| gb * 1e9);
    let ended = fill.code("write_cache_ended");
    // A ramp has no level above which its start could be a burst, and before an early cliff with a decline after it a
    // burst of 45 ms hardly exceeds the variation: there it may go unreported, but none may be invented.
    let (is, told) = (fill.burst > 0, fill.code("write_burst"));
    let may_be_unsaid = is && course.name == "cliff, then a decline";
    if course.name != "ramp" && told != is && !may_be_unsaid {
        return Some(format!("a burst of {} bytes, told: {}", fill.burst, told));
    }
    if !course.name.starts_with("cliff") {
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
    // A quarter of a second at the limit before it: 6 to 26 % of the byte at which a cliff is on this device.
    let near = 0.25 * FAST as f64;
    if course.name == "cliff"
        && let Some(rates) = wrong_rates(course.changes[0].1, fill)
    {
        return Some(rates);
    }
    match cache {
        Some(cache) if ended && (cache - truth).abs() <= near => None,
        Some(cache) => Some(format!("the cliff at {cache:.0}, not {truth:.0} (ended: {ended})")),
        None => Some("no cliff".to_owned()),
    }
}

/// A wrong answer fails immediately if the device had the requested course. The fill is repeated if the device had a
/// different course, by its own counter, by the harness's clock or by the time that the fill took: only other work
/// makes it longer, and only a throttle that let through more than its limits makes it shorter. Such a fill shows
/// nothing about the rule. It is repeated once if the answer is that too little is known. No wrong answer passes: the
/// fill is repeated, `TRIES` times.
fn assert_course(course: &Course, burst: bool) -> Option<usize> {
    let (mut why, mut undecided) = (String::new(), 0);
    for attempt in 1..=TRIES {
        let fill = fill(course, burst)?;
        let (said, changed) = (wrong(course, &fill), &fill.changed);
        let too_little = fill.code("write_cache_too_little");
        let cache = fill.metric("fill.cache_size");
        println!(
            "{} {:?}, burst {burst}: changed at {changed:?}, then {:.0?} B/s and sustained {:?} MB/s, cache {cache:?} GB, \
             {:.3} of the time, first intervals {:?} MB/s, burst told {}, too little {too_little}, {:?}: {said:?} (attempt {attempt})",
            course.name,
            course.changes.first(),
            fill.behind,
            fill.metric("fill.sustained"),
            fill.slower,
            first_rates(&fill.report).iter().map(|rate| (rate / 1e6).round()).collect::<Vec<_>>(),
            fill.code("write_burst"),
            fill.other_course,
        );
        // If other work during the fill hides a drop, too little is known.
        let hidden = too_little && fill.slower > SLOWER;
        let Some(said) = said.filter(|_| !hidden) else { return Some(attempt) };
        why = said;
        let as_asked = fill.is_as_asked();
        undecided += usize::from(as_asked && too_little);
        let once = too_little && undecided == 1;
        assert!(!as_asked || once, "{}, burst {burst}: {why}, and the device had the course", course.name);
    }
    panic!("{}, burst {burst}: {why} {TRIES} times", course.name);
}

#[test]
fn the_end_of_a_cache_is_where_the_throttle_fell_for_good_and_nowhere_else() {
    if !root_or_skip("a throttled loop device") || !Throttle::possible_or_skip() {
        return;
    }
    let wanted = std::env::var("DRIVELAB_FILLS").ok().and_then(|count| count.parse::<usize>().ok()).unwrap_or(12);
    let mut chance = Chance::new();
    // By course: fills that were requested, and fills that were made.
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for number in 0..wanted {
        let (all, burst) = (courses(&mut chance), number % 12 >= 6);
        let course = &all[number % 6];
        let Some(attempts) = assert_course(course, burst) else { return };
        let (asked, made) = counts.entry(course.name).or_default();
        (*asked, *made) = (*asked + 1, *made + attempts);
    }
    println!("{counts:?}");
}
