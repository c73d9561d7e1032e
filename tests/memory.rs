//! Memory over the length of a run: recording and reading a run four times as long may take only little more.
//!
//! The run is made up, because a test cannot take a day: session, recorder and bundle are the real ones, in a separate
//! process; the I/O and the samples are not, and time is virtual. Its intervals have distributions with some hundred
//! buckets, like those of a real drive. `drivelab` then reads the bundle. A whole day, with figures:
//! `DRIVELAB_MEMORY_SECONDS=86400 cargo nextest run --profile long --release -p drivelab --test memory four_times`.

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use drivelab_core::backend::{Backend, BackendError, StepRequest};
use drivelab_core::clock::{RunClock as _, StopToken, VirtualClock};
use drivelab_core::event::{EVENT_VERSION, RunStarted};
use drivelab_core::finding::Finding;
use drivelab_core::group::CoreTime;
use drivelab_core::histogram::Histogram;
use drivelab_core::ids::StepId;
use drivelab_core::plan::{Action, Plan};
use drivelab_core::record::{IntervalRecord, OpRecord, Origin, StepRecord};
use drivelab_core::telemetry::{
    About, Disturbs, Observer, Phase, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind,
    SourceSamples, TelemetryBatch, TelemetryDescribed,
};
use drivelab_core::truth::GroundTruth;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::wall::{SetTime, WallClock as _};
use drivelab_samples::{Pace, sample_environment, sample_plan, sample_tool, step_events};
use drivelab_session::{Fanout, Outcome, Session, Start, TargetCare};
use drivelab_store::{DataDir, NewBundle, Recorder};
use support::{Lab, peak_kib};

/// Seconds of the made-up run.
const SECONDS: &str = "DRIVELAB_MEMORY_SECONDS";
/// Data folder of the made-up run.
const DATA: &str = "DRIVELAB_MEMORY_DATA";
/// CPUs that it watches.
const CPUS: &str = "DRIVELAB_MEMORY_CPUS";
/// Length of a step, seconds.
const STEP: u64 = 300;
const SECOND_NS: u64 = 1_000_000_000;
/// 2026-03-01T10:00:00Z.
const STARTED_MS: u64 = 1_772_359_200_000;

/// A drive of some 100,000 operations per second, a third of them writes.
struct Drive {
    clock: Arc<VirtualClock>,
    random: u64,
    template: StepRecord,
    truths: Vec<GroundTruth>,
}

impl Drive {
    /// From 0 to 1.
    fn draw(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Latencies of one second, most of them about 150 us and some up to 20 ms.
    fn second(&mut self, operations: u64) -> Histogram {
        let mut histogram = Histogram::default();
        for _ in 0..operations / 50 {
            let doublings = self.draw() + self.draw() + self.draw();
            let tail = if self.draw() < 0.02 { 5.0 * self.draw() } else { 0.0 };
            histogram.record_many((50_000.0 * (doublings + tail).exp2()) as u64, 50);
        }
        histogram
    }
}

fn op(histogram: &Histogram, elapsed_ns: u64) -> OpRecord {
    let count = histogram.count();
    OpRecord::new(count, Bytes::new(count * 4096), 0, histogram.sparse(), Nanos::new(elapsed_ns))
}

impl Backend for Drive {
    fn describe(&self) -> String {
        "made up".to_owned()
    }

    fn run_step(
        &mut self,
        request: StepRequest<'_>,
        interval: &mut dyn FnMut(IntervalRecord),
    ) -> Result<StepRecord, BackendError> {
        let seconds = request.stop_rule.time.map_or(0, Nanos::get) / SECOND_NS;
        let (mut read, mut write) = (Histogram::default(), Histogram::default());
        let start_ns = self.clock.now_ns();
        for second in 0..seconds {
            let (reads, writes) = (self.second(66_000), self.second(33_000));
            read.merge(&reads);
            write.merge(&writes);
            let start_ns = self.clock.advance(SECOND_NS);
            let (reads, writes) = (op(&reads, SECOND_NS), op(&writes, SECOND_NS));
            let busy = reads.histogram.sum.get() + writes.histogram.sum.get();
            interval(IntervalRecord {
                key: request.key.clone(),
                index: u32::try_from(second).expect("few intervals"),
                start_ns,
                end_ns: start_ns + SECOND_NS,
                ramp: false,
                read: reads,
                write: writes,
                others: Vec::new(),
                backlog: None,
                stuck: None,
                origin: Origin::Simulated,
                condensed: None,
                in_flight_mean: busy as f64 / SECOND_NS as f64,
            });
        }
        self.truths.push(GroundTruth {
            key: Some(request.key.clone()),
            from_ns: start_ns,
            written: Bytes::new(0),
            regime: "steady".to_owned(),
            cause: "the step began".to_owned(),
        });
        let elapsed_ns = seconds * SECOND_NS;
        let (read, write) = (op(&read, elapsed_ns), op(&write, elapsed_ns));
        let busy = read.histogram.sum.get() + write.histogram.sum.get();
        Ok(StepRecord {
            key: request.key.clone(),
            start_ns,
            end_ns: start_ns + elapsed_ns,
            written_total: write.bytes,
            in_flight_mean: busy as f64 / elapsed_ns as f64,
            origin: Origin::Simulated,
            read,
            write,
            ..self.template.clone()
        })
    }

    fn truths(&mut self) -> Vec<GroundTruth> {
        std::mem::take(&mut self.truths)
    }

    fn sync(&mut self) -> Result<(), BackendError> {
        Ok(())
    }
}

/// Samples of one second: the times of every CPU, and five temperatures.
struct Beside {
    clock: Arc<VirtualClock>,
    cpus: usize,
    next_ns: u64,
}

impl Observer for Beside {
    fn described(&self) -> TelemetryDescribed {
        let source = |id: &str, kind, about, series| SourceDescription {
            id: SourceId::new(id),
            kind,
            about,
            origin: "made up".to_owned(),
            accuracy: "exact".to_owned(),
            disturbs: Disturbs::Host,
            every: Nanos::from_secs(1),
            cost: None,
            series,
        };
        let of_cpu = |cpu| CoreTime::KINDS.map(|kind| format!("cpu{cpu}.{kind}"));
        let times = (0..self.cpus).flat_map(of_cpu).map(|name| SeriesDescription::new(name, Quantity::CpuTime));
        let warm = (0..5).map(|at| SeriesDescription::new(format!("sensor{at}"), Quantity::Temperature));
        let drive = About::Drive("nvme0n1".to_owned());
        let sources = vec![
            source("cpu", SourceKind::Cpu, About::Host, times.collect()),
            source("hwmon:nvme0", SourceKind::Hwmon, drive, warm.collect()),
        ];
        TelemetryDescribed { sources, ..TelemetryDescribed::default() }
    }

    fn enter(&mut self, _: Phase) {}

    fn collect(&mut self) -> Option<TelemetryBatch> {
        let mut batch = TelemetryBatch::default();
        let kinds = CoreTime::KINDS.len();
        let (mut times, mut warm) = (Vec::new(), Vec::new());
        while self.next_ns <= self.clock.now_ns() {
            let (at_ns, second) = (self.next_ns, (self.next_ns / SECOND_NS) as f64);
            // Some kinds of CPU time change within a second, and most do not.
            let values = (0..self.cpus * kinds).map(|at| match at % kinds {
                0 => Some(second * 0.21),
                1 => Some(second * 0.13),
                5 => Some(second * 0.66),
                _ => Some(1.25),
            });
            times.push(Sample { at_ns, read_ns: 60_000, values: values.collect() });
            warm.push(Sample { at_ns, read_ns: 9_000, values: (0..5).map(|at| Some(40.0 + f64::from(at))).collect() });
            self.next_ns += SECOND_NS;
        }
        for (source, samples) in [(0, times), (1, warm)] {
            batch.sources.push(SourceSamples { source, samples, gaps: Vec::new() });
        }
        batch.sources.iter().any(|source| !source.samples.is_empty()).then_some(batch)
    }

    fn drive_temperature(&mut self) -> Option<(String, f64)> {
        None
    }

    fn too_hot(&self) -> Option<String> {
        None
    }

    fn finish(&mut self) -> Option<TelemetryBatch> {
        None
    }
}

struct Nothing;

impl TargetCare for Nothing {
    fn preparation_begins(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn preparation_done(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn closing_findings(&mut self) -> Vec<Finding> {
        Vec::new()
    }
}

/// A test of as many steps of five minutes as it takes.
fn plan(seconds: u64) -> Plan {
    let mut plan = sample_plan();
    plan.tests.retain(|test| test.name == "mixes");
    let test = &mut plan.tests[0];
    let one = test.steps[1].clone();
    test.steps = (0..seconds.div_ceil(STEP))
        .map(|at| {
            let time = Nanos::from_secs(STEP.min(seconds - at * STEP));
            let mut step = one.clone();
            step.id = StepId::new("mixes", &format!("stretch-{at:04}"));
            step.axes.clear();
            step.estimated_time = time;
            if let Action::Io { stop, .. } = &mut step.action {
                stop.time = Some(time);
            }
            step
        })
        .collect();
    plan
}

/// The made-up run of this length, played by this process.
fn play(data: &Path, seconds: u64, cpus: usize) {
    let wall = SetTime::new(STARTED_MS, 1);
    let (run, plan, tool) = (wall.run_id(), plan(seconds), sample_tool());
    let (started, environment) = ("2026-03-01T10:00:00Z".to_owned(), sample_environment());
    let data = DataDir::open(data).expect("a data folder");
    let (started_at, methodology_toml) = (started.as_str(), "# made up\n");
    let new =
        NewBundle { run, started: started_at, tool: &tool, plan: &plan, environment: &environment, methodology_toml };
    let recorder = Recorder::create(&data, &new).expect("a bundle").in_virtual_time();
    let clock = Arc::new(VirtualClock::default());
    let mut short = plan.tests[0].steps[0].clone();
    short.estimated_time = Nanos::from_secs(1);
    let pace = Pace { bytes_per_second: 1e9, cliff_at: u64::MAX, after: 1e9 };
    let template = step_events(&short, 1, 0, pace).1;
    let mut drive = Drive { clock: clock.clone(), random: 88_172_645_463_325_252, template, truths: Vec::new() };
    let beside = Beside { clock: clock.clone(), cpus, next_ns: 0 };
    let stop = StopToken::default();
    let start = Start::New(RunStarted { event_version: EVENT_VERSION, run, started, tool, plan, environment });
    let fanout = Fanout::start(Box::new(recorder), Vec::new(), stop.clone());
    let mut care = Nothing;
    let session = Session::begin(start, &mut drive, &mut care, clock, stop, fanout).expect("a session");
    let outcome = session.observed(Some(Box::new(beside))).run();
    assert_eq!(outcome, Outcome::Complete { device_errors: 0 });
}

/// The part that runs in a separate process, started by the other test; does nothing by itself.
#[test]
fn the_made_up_run() {
    let (Some(seconds), Some(data)) = (number(SECONDS), std::env::var_os(DATA)) else { return };
    play(Path::new(&data), seconds, usize::try_from(number(CPUS).unwrap_or(4)).expect("few CPUs"));
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a whole number"))
}

/// The peak memory in KiB that each consumer of one made-up run took.
fn peaks(seconds: u64, cpus: u64) -> Vec<(&'static str, u64)> {
    let lab = Lab::new();
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "the_made_up_run", "--quiet"]).stdout(Stdio::null());
    child.env(SECONDS, seconds.to_string()).env(DATA, lab.data()).env(CPUS, cpus.to_string());
    let mut found = vec![("recording", peak_kib(&mut child))];
    for (what, arguments) in [
        ("page", &["report", "--last", "-o", "page.html"][..]),
        ("JSON", &["report", "--last", "--json", "-o", "run.json"]),
        ("Markdown", &["report", "--last", "-o", "run.md"]),
        ("replay", &["replay", "--last", "--speed", "0", "--events", "json"]),
        ("reindex", &["results", "reindex"]),
    ] {
        found.push((what, peak_kib(lab.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()))));
    }
    for name in ["page.html", "run.json", "run.md"] {
        let bytes = std::fs::metadata(lab.folder().join(name)).expect("a report").len();
        println!("{seconds} s: {name} has {} KiB", bytes >> 10);
    }
    println!("{seconds} s, {cpus} CPUs, peak resident KiB: {found:?}");
    found
}

/// Every file of the only bundle in a data folder, by name.
fn files(data: &Path) -> Vec<(String, Vec<u8>)> {
    let bundle = std::fs::read_dir(data.join("runs")).expect("runs").flatten().next().expect("a bundle").path();
    let mut files = Vec::new();
    for folder in [bundle.clone(), bundle.join("events"), bundle.join("notes")] {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten().filter(|entry| entry.path().is_file()) {
            let name = entry.path().strip_prefix(&bundle).expect("within").display().to_string();
            files.push((name, std::fs::read(entry.path()).expect("a file")));
        }
    }
    files.sort();
    files
}

#[test]
fn two_virtual_runs_of_one_seed_are_equal_byte_for_byte() {
    let (one, other) = (Lab::new(), Lab::new());
    play(&one.data(), 1500, 4);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    play(&other.data(), 1500, 4);
    let (one, other) = (files(&one.data()), files(&other.data()));
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    assert!(one.iter().any(|(name, _)| name == "seal.json"), "{:?}", names(&one));
    let differ: Vec<&str> = one.iter().zip(&other).filter(|(a, b)| a.1 != b.1).map(|(a, _)| a.0.as_str()).collect();
    assert_eq!(differ, Vec::<&str>::new());
}

#[test]
fn records_of_a_virtual_drive_say_so_and_what_it_knows_is_on_record_and_no_figure() {
    let lab = Lab::new();
    play(&lab.data(), 600, 4);
    let events = lab.command(&["replay", "--last", "--speed", "0", "--events", "json"]).output().expect("events");
    let events: Vec<serde_json::Value> = String::from_utf8_lossy(&events.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("an event"))
        .collect();
    let of = |name: &str| events.iter().filter_map(|event| event["event"].get(name)).cloned().collect::<Vec<_>>();
    assert_eq!(of("interval").len(), 600);
    assert!(of("interval").iter().chain(&of("step_ended")).all(|one| one["origin"] == "simulated"));
    let truths = of("ground_truth");
    assert_eq!(truths.len(), 2);
    assert_eq!((truths[1]["regime"].as_str(), truths[1]["from_ns"].as_u64()), (Some("steady"), Some(300 * SECOND_NS)));
    let found = lab.command(&["results", "show", "--last", "--json"]).output().expect("results");
    let document: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let text = document.to_string();
    assert!(!text.contains("the step began") && !text.contains("ground_truth"), "no result may rest on it");
    let codes: Vec<&str> =
        document["findings"].as_array().expect("findings").iter().filter_map(|one| one["code"].as_str()).collect();
    for of_host in ["virtual_disk", "busy_machine", "virtual_machine", "governor_not_performance", "debug_build"] {
        assert!(!codes.contains(&of_host), "{codes:?}");
    }
}

#[test]
fn four_times_as_long_a_run_takes_hardly_more_memory() {
    // A day, or the requested time.
    if let Some(seconds) = number(SECONDS) {
        for (what, peak) in peaks(seconds, number(CPUS).unwrap_or(4)) {
            assert!(peak < 300 * 1024, "{what}: {peak} KiB");
        }
        return;
    }
    let (mut short, long) = (peaks(300, 4), peaks(1200, 4));
    // The additional 900 seconds take 5 to 6 MiB; keeping their distributions would take at least 10 MiB more.
    let fits = |short: u64, long: u64| long < short + 9 * 1024;
    for _ in 0..3 {
        if short.iter().zip(&long).all(|(short, long)| fits(short.1, long.1)) {
            break;
        }
        // A late look sees too small a peak, and never too large a one.
        short.iter_mut().zip(peaks(300, 4)).for_each(|(short, again)| short.1 = short.1.max(again.1));
    }
    for ((what, short), (_, long)) in short.into_iter().zip(long) {
        assert!(fits(short, long), "{what}: {long} KiB for 1,200 s, {short} KiB for 300 s");
    }
}
