//! Plans are correct: bytes, size and time of `methods plan`, compared with what the shipped binary then does with the
//! same arguments, for every built-in methodology.
//!
//! Steps end by volume or passes on loop devices in memory, which are fast enough for hundreds of them. Each test of a
//! methodology is shortened with `--set` alone: times, ramps and rests become moments, a volume some megabytes, rounds
//! one or two. The shortened methodology is planned again, and that plan is checked. The original plan, with its rests
//! of minutes, is compared with the sum of its own steps (`planned/sum.rs`). docs/how-it-is-tested.md describes how
//! much CI does and what is done by hand, for longer than a test of the usual profile may take (`DRIVELAB_PLANS=all
//! cargo nextest run --profile long -p drivelab --test planned --no-capture`).

#[path = "planned/sum.rs"]
mod sum;
mod support;
#[path = "planned/waits.rs"]
mod waits;

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Instant;

use drivelab_core::plan::{Form, Plan, Rounds, TestPlan};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_method::{MethodTarget, Methodology, library};
use drivelab_report::format;
use drivelab_rig::{DIRECT, LoopDevice, LoopFs, Throttle, root_or_skip};
use serde_json::Value;
use sum::ends_by_amount;
use support::Lab;
use waits::Waits;

/// Share by which bytes may be off; times have bounds of their own below.
const WITHIN: f64 = 0.02;
/// Standard deviations of chance if reads and writes are drawn.
const DEVIATIONS: f64 = 5.0;
/// Share by which times may be off, and seconds in addition if something is made durable meanwhile: between two steps
/// that is what the recorder has of the first.
const TIME_WITHIN: f64 = 0.05;
const SECONDS: f64 = 2.0;
/// Seconds in addition to that share if nothing is made durable: threads that get a CPU late.
const MOMENT: f64 = 0.5;
/// Share of its time by which a step that its clock ended may be shorter.
const SHORTER: f64 = 0.01;
/// Tries if a time is too long: other work can take the CPU from a run, and nothing makes it shorter.
const TRIES: usize = 8;

/// Printed for a step that took longer than planned.
const TOO_LONG: &str = "too long:";

/// A built-in methodology in one of its profiles.
struct Subject {
    method: Methodology,
    form: Form,
}

impl Subject {
    fn name(&self) -> String {
        format!("{} {}", self.method.identity().name, self.method.profile())
    }

    fn mebibytes(&self) -> u64 {
        self.method.minimum_size(self.form).get().div_ceil(1 << 20)
    }

    /// Arguments that `methods plan` and `run` share.
    fn words(&self, target: &str, set: &[String]) -> Vec<String> {
        let mut words = vec![self.method.identity().name.clone(), target.to_owned()];
        words.extend(["--form".to_owned(), self.form.name().to_owned()]);
        if !self.method.profile().is_empty() {
            words.extend(["--profile".to_owned(), self.method.profile().to_owned()]);
        }
        // A target that is read as found is read completely.
        if !self.method.reads_as_found() {
            words.extend(["--size".to_owned(), format!("{}MiB", self.mebibytes())]);
        }
        words.extend(set.iter().flat_map(|setting| ["--set".to_owned(), setting.clone()]));
        words
    }
}

/// Where it runs: a device of exactly this size, or a folder of a file system; both in memory.
enum Ground {
    Device(LoopDevice),
    Folder(LoopFs),
}

impl Ground {
    fn of(subject: &Subject) -> Option<Ground> {
        // One profile creates a file system on a device, which takes room.
        if subject.method.target().takes_block_devices() && subject.method.profile() != "file-system" {
            return LoopDevice::in_memory_or_skip(subject.mebibytes()).map(Ground::Device);
        }
        // A scratch file takes a tenth of the free space, and a file on a file system of its own room for that too;
        // file sets in the quick form are gigabytes, and exist twice there.
        let sets =
            if subject.method.target() == MethodTarget::Directory && subject.form == Form::Quick { 10_240 } else { 0 };
        Some(Ground::Folder(LoopFs::in_memory(subject.mebibytes() * 24 + 128 + sets)))
    }

    fn target(&self) -> String {
        match self {
            Ground::Device(disk) => disk.device.clone(),
            Ground::Folder(system) => system.mount_point().display().to_string(),
        }
    }

    fn permission(&self, writes: bool) -> Vec<String> {
        match self {
            Ground::Device(disk) if writes => vec!["--destroy".to_owned(), disk.name().to_owned()],
            _ => Vec::new(),
        }
    }
}

/// The profile that is tested instead of the first one, whose hundreds of replays only repeat those of this profile.
const OTHER_PROFILE: (&str, &str) = ("application-traces", "applications");

/// Every methodology; by hand in all its profiles, otherwise in one. File sets are gigabytes, which `--set` does not
/// change: by hand they also run in the quick form, otherwise in the smoke form.
fn subjects(all: bool) -> Vec<Subject> {
    let mut subjects = Vec::new();
    // A condition first sets something up on the device, and the remaining size is known only then.
    for built_in in library::all().iter().filter(|one| one.name != "encryption-cost") {
        let first = drivelab_method::parse("a built-in one", built_in.text).expect("a built-in methodology");
        let mut profiles: Vec<Methodology> = first
            .profiles()
            .iter()
            .map(|profile| first.with_profile(&profile.name).expect("a profile of its own"))
            .collect();
        if profiles.is_empty() {
            profiles.push(first);
        }
        if built_in.name == OTHER_PROFILE.0 && !all {
            profiles.retain(|method| method.profile() == OTHER_PROFILE.1);
        }
        profiles.truncate(if all { usize::MAX } else { 1 });
        for method in profiles {
            let files = method.target() == MethodTarget::Directory;
            let form = if files && !all { Form::Smoke } else { Form::Quick };
            subjects.push(Subject { method, form });
        }
    }
    subjects
}

/// The plan as a document and as people see it. Its totals must be the sum of its steps and rounds: by its own
/// estimates of each step, and by what each step is told to do.
fn plan(lab: &Lab, words: &[String]) -> Value {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = [&["methods", "plan"], &words[..]].concat();
    let planned = lab.json(&[&words[..], &["--json"]].concat());
    let plan: Plan = serde_json::from_value(planned["plan"].clone()).expect("a plan");
    let (time, written) = added_up(&plan);
    assert_eq!(planned["estimated_written"].as_u64(), Some(written), "{words:?}: bytes of all steps and rounds");
    let said = planned["estimated_time_s"].as_f64().expect("seconds");
    assert!((said - time as f64 / 1e9).abs() < 1e-6 * said.max(1.0), "{words:?}: {said} s, and {time} ns added up");
    let set = sum::without_waits(&planned);
    let waits: Vec<&str> = set.iter().flat_map(|setting| ["--set", setting.as_str()]).collect();
    let at_once = lab.json(&[&words[..], &waits[..], &["--json"]].concat());
    let due = sum::time(&planned, &at_once) as f64 / 1e9;
    assert!((said - due).abs() < 1e-6 * said.max(1.0), "{words:?}: {said} s planned, and its steps add up to {due} s");
    let text = lab.ok(&words).stdout;
    let together = text.lines().find(|line| line.starts_with("In total: ")).expect("the totals");
    let about = format!("about {}", format::duration(Nanos::new(time)));
    let writes = match written {
        0 => "writes nothing".to_owned(),
        _ => format!("writes about {} (", format::bytes(Bytes::new(written))),
    };
    assert!(together.contains(&about) && together.contains(&writes), "{about}, {writes}: {together}");
    planned
}

/// Time in nanoseconds and written bytes of all executions that a run of the plan makes, one by one in the plan's
/// order; for a steady test, the executions until it has written its limit. There is no rest where the run has none.
fn added_up(plan: &Plan) -> (u64, u64) {
    let once = |test: &TestPlan| test.steps.iter().map(|step| step.estimated_written.get()).sum::<u64>();
    let has_written_all = |test: &TestPlan, round: u32| match &test.rounds {
        Rounds::Steady { written: Some(most), .. } => once(test) * u64::from(round - 1) >= most.get(),
        _ => false,
    };
    let (mut time, mut written) = (0, 0);
    for (key, step) in plan.schedule() {
        let test = plan.test_of(&key.step).expect("the test of a step");
        if key.round > 1 && has_written_all(test, key.round) {
            continue;
        }
        let rests = plan.rests_after(test, &key, step);
        time += if rests { step.estimated_time } else { step.estimated_active() }.get();
        written += step.estimated_written.get();
    }
    (time, written)
}

fn steps(plan: &Value) -> impl Iterator<Item = &Value> {
    plan["plan"]["tests"].as_array().expect("tests").iter().flat_map(|test| test["steps"].as_array().expect("steps"))
}

/// Most steps of a test whose rounds become two instead of one.
const FEW_STEPS: usize = 12;

/// Settings that shorten each test. A ramp stays if a clock ends the steps; otherwise it would add to their bytes. A
/// share of the active time stays that share, up to its cap.
fn cuts(plan: &Value, volume: &str) -> Vec<String> {
    let mut set = Vec::new();
    for test in sum::tests(plan).iter().filter(|test| sum::can_be_set(test)) {
        let steps = sum::steps_of(test);
        let io: Vec<&Value> = steps.iter().map(|step| &step["action"]["io"]).filter(|io| io.is_object()).collect();
        let replays = io.iter().any(|io| io["workload"]["replay"].is_object());
        let ends_by = |rule: &str| io.iter().any(|io| io["stop"][rule].is_number());
        let by_clock = ends_by("time") && !steps.iter().any(ends_by_amount);
        let count = test["rounds"]["fixed"]["count"].as_u64();
        let two_rounds = by_clock && count.is_some() && steps.len() <= FEW_STEPS;
        let shares = steps.iter().all(|step| step["rest"]["duty_cycle"].is_object());
        let cut = [
            ("time=50ms", by_clock),
            ("at_least=50ms", ends_by("at_least")),
            (volume, ends_by("volume") && !ends_by("passes")),
            ("operations=100", replays),
            (if by_clock { "ramp=5ms" } else { "ramp=0s" }, io.iter().any(|io| io["ramp"].as_u64() > Some(0))),
            (if shares { "rest_cap=20ms" } else { "rest=20ms" }, steps.iter().any(sum::has_rest)),
            (if two_rounds { "rounds=2" } else { "rounds=1" }, count.is_none_or(|count| count > 1)),
        ];
        let name = test["name"].as_str().expect("a name");
        set.extend(cut.iter().filter(|(_, cut)| *cut).map(|(setting, _)| format!("{name}.{setting}")));
    }
    set
}

/// What a run did.
struct Ran {
    started: Value,
    ended: Vec<Value>,
    /// Start of each execution, by its step and round: the start of its first interval, in nanoseconds.
    began: BTreeMap<String, f64>,
    waits: Waits,
    /// Seconds on the run's own clock.
    took: f64,
}

impl Ran {
    /// Seconds from the start of an execution to its end; its first operation may come later.
    fn seconds(&self, ended: &Value) -> Option<f64> {
        let began = self.began.get(&ended["key"].to_string())?;
        Some((ended["end_ns"].as_f64()? - began) / 1e9)
    }
}

fn run(mut command: Command) -> Ran {
    let done = support::done(command.output().expect("the program starts"));
    assert_eq!(done.code, 0, "{command:?}\n{}", done.stderr);
    ran(&events_of(&done.stdout))
}

fn events_of(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

/// What the events of one run show.
fn ran(events: &[Value]) -> Ran {
    let of = |kind: &str| events.iter().filter_map(|event| event["event"].get(kind)).cloned().collect::<Vec<_>>();
    let took = events.last().and_then(|event| event["at_ns"].as_f64()).expect("a time") / 1e9;
    let mut began = BTreeMap::new();
    for interval in of("interval").iter().filter(|interval| interval["index"] == 0) {
        began.insert(interval["key"].to_string(), interval["start_ns"].as_f64().expect("a time"));
    }
    Ran { started: of("run_started").remove(0), ended: of("step_ended"), began, waits: Waits::of(events), took }
}

/// The plan's arguments, for a run.
fn command(lab: &Lab, ground: &Ground, words: &[String], planned: &Value) -> Command {
    let mut command = lab.command(&["run"]);
    let writes = steps(planned).any(|step| {
        let load = &step["action"]["io"]["workload"];
        load["write_percent"].as_u64() > Some(0) || load["other"]["trim_percent"].as_u64() > Some(0)
    });
    command.args(words).args(ground.permission(writes)).args(["--yes", "--events", "json", "--telemetry", "off"]);
    command
}

/// A condition takes a part of the device, so a plan made before does not know how much is left: each run is compared
/// with the plan that it recorded.
#[test]
fn runs_under_conditions_write_what_their_own_plans_say() {
    if !root_or_skip("a loop device") {
        return;
    }
    let (lab, disk) = (Lab::new(), LoopDevice::sparse("/dev/shm", 1 << 30, DIRECT).expect("a loop device"));
    let arms = ["--form", "smoke", "--arm", "none", "--arm", "none", "--repeats", "1"];
    let mut command = lab.command(&["run", "encryption-cost", &disk.device, "--destroy", &disk.device, "--yes"]);
    let done = support::done(command.args(arms).args(["--events", "json", "--telemetry", "off"]).output().expect("it"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let events = events_of(&done.stdout);
    let begins: Vec<usize> = (0..events.len()).filter(|at| events[*at]["event"]["run_started"].is_object()).collect();
    assert_eq!(begins.len(), 2, "a run for each arm");
    for (begin, end) in begins.iter().zip(begins.iter().skip(1).chain([&events.len()])) {
        let ran = ran(&events[*begin..*end]);
        let found = differences(&serde_json::json!({ "plan": ran.started["plan"] }), &ran);
        let wrong: Vec<&String> = found.wrong.iter().filter(|words| !words.contains(TOO_LONG)).collect();
        assert!(wrong.is_empty() && found.compared[0] > 0, "{wrong:#?}, {:?} compared", found.compared);
    }
}

/// How far the bytes of a step may be from the plan: the share, a block per thread, and the variation of chance if the
/// writing operations are drawn.
fn spare(step: &Value, written: f64) -> f64 {
    let load = &step["action"]["io"]["workload"];
    let sizes =
        load["block_size_mix"].as_array().into_iter().flatten().filter_map(|share| share["block_size"].as_f64());
    let block = sizes.fold(load["block_size"].as_f64().unwrap_or(0.0), f64::max);
    let threads = load["threads"].as_f64().unwrap_or(1.0);
    let writes = load["write_percent"].as_f64().unwrap_or(100.0) / 100.0;
    let operations = written / block.max(1.0) / writes.max(0.01);
    WITHIN * written + block * threads + DEVIATIONS * (operations * writes * (1.0 - writes)).sqrt() * block
}

/// Differences between a run and its plan.
#[derive(Default)]
struct Differences {
    wrong: Vec<String>,
    /// What took longer than planned, perhaps because threads got a CPU late, by its name.
    late: BTreeMap<String, String>,
    /// How many steps were compared by bytes and by time, and how many waits.
    compared: [usize; 3],
}

impl Differences {
    /// Something took longer than planned and longer than the allowance; `by_threads` if threads that got a CPU late
    /// may be the reason.
    fn too_long(&mut self, what: String, planned_s: f64, seconds: f64, by_threads: bool) {
        let words = format!("{what}: {planned_s} s planned, {TOO_LONG} {seconds} s");
        if by_threads {
            self.late.insert(what, words);
        } else {
            self.wrong.push(words);
        }
    }
}

fn differences(planned: &Value, ran: &Ran) -> Differences {
    let said: BTreeMap<&str, &Value> = steps(planned).map(|step| (sum::id(step), step)).collect();
    let mut found = Differences::default();
    if planned["plan"]["capacity"] != ran.started["plan"]["capacity"] {
        let sizes = (&planned["plan"]["capacity"], &ran.started["plan"]["capacity"]);
        found.wrong.push(format!("{} bytes are planned with, {} tested", sizes.0, sizes.1));
    }
    for ended in &ran.ended {
        let id = ended["key"]["step"].as_str().expect("a step");
        let Some(step) = said.get(id) else {
            found.wrong.push(format!("{id} is not in the plan"));
            continue;
        };
        let stop = &step["action"]["io"]["stop"];
        let (why, time) = (ended["stop_reason"].as_str().unwrap_or_default(), stop["time"].as_f64());
        let seconds = (ended["end_ns"].as_f64().unwrap_or(0.0) - ended["start_ns"].as_f64().unwrap_or(0.0)) / 1e9;
        let planned_s = step["estimated_time"].as_f64().unwrap_or(0.0) / 1e9;
        if ends_by_amount(step) {
            // If a time may also end it, plan and run must have ended it the same way. The smoke form caps its steps
            // at a moment, which a busy machine may need.
            let same_end = time.is_none_or(|time| planned_s * 1e9 < time && why != "time") && why != "cap";
            // A part of a trace is planned as that share of the whole trace; the trace itself contains the exact
            // amount.
            let load = &step["action"]["io"]["workload"];
            let exact = !load["replay"].is_object() && !stop["at_least"].is_number();
            if same_end && exact {
                let bytes = |value: &Value| value.as_f64().expect("bytes");
                let (said, is) = (bytes(&step["estimated_written"]), bytes(&ended["write"]["bytes"]));
                if (said - is).abs() > spare(step, said) {
                    found.wrong.push(format!("{id}: {said} bytes planned, {is} written (ended by {why})"));
                }
                found.compared[0] += 1;
            }
        } else if let Some(time) = time {
            if why != "time" {
                found.wrong.push(format!("{id}: {} s planned, ended by {why} after {seconds} s", time / 1e9));
            } else if let Some(seconds) = ran.seconds(ended) {
                // The time around it is checked with the waits.
                let due = (time + step["action"]["io"]["ramp"].as_f64().unwrap_or(0.0)) / 1e9;
                if seconds > due * (1.0 + TIME_WITHIN) + MOMENT {
                    found.too_long(ended["key"].to_string(), due, seconds, true);
                }
            }
            found.compared[1] += 1;
        }
        found.wrong.extend(too_short(id, step, ended, ran));
    }
    ran.waits.compare(planned, &mut found);
    let ran: Vec<&str> = ran.ended.iter().filter_map(|ended| ended["key"]["step"].as_str()).collect();
    for (id, step) in said.iter().filter(|(_, step)| step["action"]["io"].is_object()) {
        if !ran.contains(id) {
            found.wrong.push(format!("{id} is planned ({}) and never ran", step["estimated_time"]));
        }
    }
    found
}

/// A step that its clock ended before its time, including its ramp. Its threads may get a CPU late, so the time counts
/// from the start of the step and not from the first operation; then nothing makes it shorter.
fn too_short(id: &str, step: &Value, ended: &Value, ran: &Ran) -> Option<String> {
    let io = &step["action"]["io"];
    let time = io["stop"]["time"].as_f64().filter(|_| ended["stop_reason"] == "time")?;
    let due = (time + io["ramp"].as_f64().unwrap_or(0.0)) / 1e9;
    let Some(seconds) = ran.seconds(ended) else {
        return Some(format!("{id}: ended by its clock without an interval"));
    };
    (seconds < due * (1.0 - SHORTER)).then(|| format!("{id}: {due} s planned, its clock ended it after {seconds} s"))
}

/// Compares plan and run for a share of the subjects; returns how many steps were compared by bytes and by time, and
/// how many waits.
fn hold(share: impl Fn(usize) -> bool, all: bool) -> [usize; 3] {
    let mut compared = [0; 3];
    let volume = if all { "volume=64MB" } else { "volume=16MB" };
    for (_, subject) in subjects(all).into_iter().enumerate().filter(|(at, _)| share(*at)) {
        let Some(ground) = Ground::of(&subject) else { return compared };
        let lab = Lab::new();
        let whole = plan(&lab, &subject.words(&ground.target(), &[]));
        let set = if subject.form == Form::Smoke { Vec::new() } else { cuts(&whole, volume) };
        let words = subject.words(&ground.target(), &set);
        let planned = plan(&lab, &words);
        let counts = same(&subject.name(), &planned, || {
            // Nothing is known about what an earlier try left on the device, so its preparation runs again.
            let lab = Lab::new();
            run(command(&lab, &ground, &words, &planned))
        });
        compared.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
    }
    compared
}

/// Demands that a run does what its plan states. Bytes do not depend on the machine: the run is only repeated if every
/// difference is something that took too long. A step that took too long must have been in time in one of the runs:
/// nothing makes it shorter, so the shortest time is the least disturbed one.
fn same(name: &str, planned: &Value, run: impl Fn() -> Ran) -> [usize; 3] {
    let mut late: Option<BTreeMap<String, String>> = None;
    let mut wrong = Vec::new();
    for _ in 0..TRIES {
        let begun = Instant::now();
        let found = differences(planned, &run());
        let (counts, took) = (found.compared, begun.elapsed().as_secs_f64());
        println!("{name}: {counts:?} compared, {took:.1} s, {:?}, {:?}", found.wrong, found.late.values());
        let still = match late.take() {
            None => found.late,
            Some(before) => before.into_iter().filter(|(what, _)| found.late.contains_key(what)).collect(),
        };
        if found.wrong.is_empty() && still.is_empty() {
            return counts;
        }
        let too_long = found.wrong.iter().all(|line| line.contains(TOO_LONG));
        wrong = found.wrong.into_iter().chain(still.values().cloned()).collect();
        late = Some(still);
        if !too_long {
            break;
        }
    }
    panic!("{name}, set {}:\n{}", planned["plan"]["set"], wrong.join("\n"));
}

/// By hand: every profile, `DRIVELAB_PLANS=all`.
fn by_hand() -> bool {
    std::env::var_os("DRIVELAB_PLANS").is_some()
}

#[test]
fn what_plans_say_is_what_runs_do_in_one_half_of_the_methodologies() {
    if root_or_skip("a loop device in memory") {
        let [bytes, times, waits] = hold(|at| at % 2 == 0, by_hand());
        assert!(bytes > 70 && times > 50 && waits > 50, "{bytes} and {times} steps and {waits} waits were compared");
    }
}

#[test]
fn what_plans_say_is_what_runs_do_in_the_other_half() {
    if root_or_skip("a loop device in memory") {
        let [bytes, times, waits] = hold(|at| at % 2 == 1, by_hand());
        assert!(bytes > 70 && times > 50 && waits > 50, "{bytes} and {times} steps and {waits} waits were compared");
    }
}

/// A whole run, its steps as long as the methodology states them.
#[test]
fn a_plan_of_steps_that_end_by_time_takes_its_time() {
    if !root_or_skip("a loop device in memory") {
        return;
    }
    let wanted: &[&str] = if by_hand() {
        &["random-read-sweep", "gpu-feed", "all-aboard", "capacity-scaling"]
    } else {
        &["random-read-sweep"]
    };
    for subject in subjects(true).iter().filter(|it| wanted.contains(&it.method.identity().name.as_str())) {
        if subject.method.profile() == "raw" {
            continue;
        }
        let Some(ground) = Ground::of(subject) else { return };
        let lab = Lab::new();
        let words = subject.words(&ground.target(), &[]);
        let planned = plan(&lab, &words);
        let said = planned["estimated_time_s"].as_f64().expect("seconds");
        let mut took = 0.0;
        for attempt in 1..=TRIES {
            took = run(command(&lab, &ground, &words, &planned)).took;
            println!("{}: {said:.1} s planned, {took:.1} s (attempt {attempt})", subject.name());
            assert!(took >= said * (1.0 - TIME_WITHIN) - SECONDS, "{}: {said} s planned, {took} s", subject.name());
            if took <= said * (1.0 + TIME_WITHIN) + SECONDS {
                break;
            }
        }
        assert!(took <= said * (1.0 + TIME_WITHIN) + SECONDS, "{}: {said} s planned, {took} s", subject.name());
    }
}

/// Rate of the device and of the plan, and the size of the device: 6.7 s per pass.
const RATE: u64 = 20_000_000;
const MEBIBYTES: u64 = 128;

/// With the drive's real rate, the time of steps that end by passes is right as well.
#[test]
fn given_the_rate_of_a_throttled_loop_device_a_plan_of_passes_takes_its_time() {
    if !root_or_skip("a throttled loop device") || !Throttle::possible_or_skip() {
        return;
    }
    let Some(disk) = LoopDevice::in_memory_or_skip(MEBIBYTES) else { return };
    let lab = Lab::new();
    let throttle = Throttle::new(&disk.numbers());
    throttle.limit("read_bps", RATE);
    throttle.limit("write_bps", RATE);
    let size = format!("{MEBIBYTES}MiB");
    // Loads that the throttle serves evenly.
    let words = ["disk-fill", &disk.device, "--form", "quick", "--size", &size, "--set", "block_size=128KiB"];
    let at = ["--assume-rate", "20MB/s"];
    let planned = lab.json(&[&["methods", "plan"], &words[..], &at, &["--json"]].concat());
    assert_eq!((&planned["assumed_rate"], &planned["timed_by_rate"]), (&20e6.into(), &true.into()));
    assert_eq!(planned["written_by_time"], false);
    let dry = [&["run"], &words[..], &["--destroy", disk.name(), "--dry-run"]].concat();
    let dry_run = lab.json(&[&dry[..], &at, &["--json"]].concat());
    assert_eq!((&dry_run["assumed_rate"], &dry_run["estimated_time_s"]), (&20e6.into(), &planned["estimated_time_s"]));
    let said = planned["estimated_time_s"].as_f64().expect("seconds");
    let mut took = 0.0;
    for attempt in 1..=TRIES {
        let mut command = throttle.command(env!("CARGO_BIN_EXE_drivelab"));
        lab.dress(&mut command).arg("run").args(words);
        command.args(["--destroy", disk.name(), "--yes", "--events", "json", "--telemetry", "off"]);
        took = run(command).took;
        println!("{said:.2} s planned, {took:.2} s (attempt {attempt})");
        assert!(took >= said * (1.0 - TIME_WITHIN), "{said} s planned, {took} s");
        if took <= said * (1.0 + TIME_WITHIN) {
            return;
        }
    }
    panic!("{said} s planned, {took} s {TRIES} times");
}

/// The rate is printed beside every time that depends on it, also for reads, and nowhere else.
#[test]
fn the_rate_that_a_time_assumes_stands_beside_it() {
    let lab = Lab::new();
    let file = lab.write("some", vec![0x5a; 64 << 20]);
    let file = file.to_str().expect("a text path");
    let said = |words: &[&str]| lab.ok(words).stdout;
    let fill = said(&["methods", "plan", "disk-fill", ".", "--size", "64MiB"]);
    let check = said(&["methods", "plan", "check", file]);
    for text in [&fill, &check] {
        assert!(text.contains("(at 500 MB/s for steps that end by volume or passes)"), "{text}");
    }
    let faster = said(&["methods", "plan", "disk-fill", ".", "--size", "64MiB", "--assume-rate", "5 GB/s"]);
    assert!(faster.contains("(at 5 GB/s for steps that end by volume or passes)"), "{faster}");
    let read = ["io", file, "--op", "read", "--dry-run"];
    let by_volume = said(&[&read[..], &["--volume", "32MiB", "--assume-rate", "32MiB/s"]].concat());
    assert!(by_volume.contains("MiB/s for steps") || by_volume.contains("MB/s for steps"), "{by_volume}");
    let by_time = said(&[&read[..], &["--time", "3s"]].concat());
    assert!(by_time.contains("Time     about 3") && !by_time.contains("MB/s"), "{by_time}");
    // Only values known beforehand can be assumed.
    for (words, code) in [
        (&["io", file, "--op", "read", "--time", "1s", "--assume-rate", "1GB/s"][..], 2),
        (&["methods", "plan", "disk-fill", ".", "--assume-rate", "0 B/s"], 2),
        (&["review", ".", "--time", "10min", "--dry-run", "--assume-rate", "1GB/s"], 2),
    ] {
        assert_eq!(lab.run(words).code, code, "{words:?}");
    }
}

/// Three rounds of three arms.
const RUNS: u64 = 9;

/// The figures of a plan under conditions are those of one run; beside them are those of all arms and rounds.
#[test]
fn the_plan_of_encryption_costs_counts_time_and_bytes_of_every_run() {
    let lab = Lab::new();
    let words = ["encryption-cost".to_owned(), ".".to_owned()];
    let planned = plan(&lab, &words);
    assert_eq!(planned["runs"], RUNS);
    let (time, written) = added_up(&serde_json::from_value(planned["plan"].clone()).expect("a plan"));
    assert!(time > 0 && written > 0, "{time} ns and {written} bytes in one run");
    let (all_time, all_bytes) = (Nanos::new(RUNS * time), Bytes::new(RUNS * written));
    let about =
        format!(": {RUNS} runs, about {}, writes about {},", format::duration(all_time), format::bytes(all_bytes));
    let text = lab.ok(&["methods", "plan", "encryption-cost", "."]).stdout;
    assert!(text.lines().any(|line| line.starts_with("That is one run. ") && line.contains(&about)), "{about}: {text}");
}

#[test]
fn a_plan_of_sets_of_files_is_for_a_folder_and_names_no_size() {
    let lab = Lab::new();
    let text = lab.ok(&["methods", "plan", "file-transfer", "."]).stdout;
    let first = text.lines().find(|line| line.contains("file-transfer")).expect("a title");
    assert!(first.contains("in a folder") && !text.contains("on 1 MiB"), "{text}");
}

/// A size that a plan names is the size that will be used.
#[test]
fn the_size_that_a_plan_names_is_the_size_that_is_tested() {
    let lab = Lab::new();
    let words = ["quick", ".", "--form", "smoke"];
    let planned = lab.json(&[&["methods", "plan"], &words[..], &["--json"]].concat());
    let dry_run = lab.json(&[&["run"], &words[..], &["--dry-run", "--json"]].concat());
    let mut command = lab.command(&["run"]);
    command.args(words).args(["--events", "json"]);
    let target = &run(command).started["environment"]["target"];
    assert_eq!(planned["plan"]["capacity"], target["length"]);
    assert_eq!(dry_run["length"], target["length"]);
    assert!(target["length"].as_u64() >= Some(Bytes::MIB.get()), "{target:#}");
}
