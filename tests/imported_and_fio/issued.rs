//! What a batch of jobs issued, reported by fio itself or by drivelab's engine, in one form for both.
//!
//! fio reports each operation with `--debug=io`. drivelab's side is the trace of the engine on `nop:`, where
//! operations end in the ring, for the plan that the shipped binary's import makes. Places are counted from the start
//! of a job's stretch.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::{Arc, Mutex};

use drivelab_core::backend::{Backend, StepRequest};
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::ids::{StepId, StepKey};
use drivelab_core::load::{Content, OpKind, Placement, Verify};
use drivelab_core::plan::{Action, Form, Plan, StopRule, TestPlan};
use drivelab_core::target::IoTarget;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{DataPattern, Workload};
use drivelab_engine::{BackendChoice, Engine, Options, TraceEntry};
use drivelab_method::{SpeedGuess, TargetShape};
use serde_json::Value;

use super::draw::JobFile;

/// Bytes of the loop device.
pub const DEVICE: u64 = 32 << 20;

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// First byte, from the start of the stretch.
    pub place: u64,
    /// Bytes.
    pub length: u64,
}

impl Op {
    /// The key by which operations are sorted.
    pub fn key(&self) -> (&'static str, u64, u64) {
        (self.kind.name(), self.place, self.length)
    }
}

/// What the jobs of a batch issued.
#[derive(Debug, Clone, Default)]
pub struct Issued {
    /// Each thread's operations that move data, in order.
    pub threads: Vec<Vec<Op>>,
    /// Flushes of all.
    pub flushes: usize,
    /// Seconds from the first to the last operation of all, as intended or as measured.
    pub seconds: f64,
}

impl Issued {
    pub fn all(&self) -> impl Iterator<Item = &Op> {
        self.threads.iter().flatten()
    }

    pub fn count(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }

    pub fn bytes(&self) -> u64 {
        self.all().map(|op| op.length).sum()
    }
}

/// What fio issued for each batch; an error if it refuses the file.
pub fn by_fio(file: &JobFile, path: &str, plan: &Plan) -> Result<Vec<Issued>, String> {
    // fio stores its verification state in the current folder.
    let folder = std::path::Path::new(path).parent().expect("a folder");
    // These jobs take some milliseconds; one was observed that never ended.
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "60", "fio", "--debug=io", "--output-format=json", path]).current_dir(folder);
    let output = command.output().expect("fio starts");
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let said: Vec<&str> = text.lines().filter(|line| line.contains("fio:")).collect();
        return Err(format!("fio refuses it: {}\n{}", said.join("\n"), String::from_utf8_lossy(&output.stderr)));
    }
    let told = told(&text);
    let document = document(&text);
    let mut threads = told.into_iter();
    let mut all = Vec::new();
    for (batch, test) in file.batches.iter().zip(tests(plan)) {
        let names: Vec<&str> = batch.iter().map(|section| section.name.as_str()).collect();
        let jobs: usize = batch.iter().map(super::draw::Section::jobs).sum();
        let mut issued = Issued { seconds: seconds(&document, &names), ..Issued::default() };
        let own =
            batch.iter().map(|section| offset(section.get("offset").unwrap_or("0"), file.device)).min().unwrap_or(0);
        let lines: Vec<Vec<Line>> = threads.by_ref().take(jobs).collect();
        let files: BTreeSet<String> = lines.iter().flatten().map(|line| line.file.clone()).collect();
        let files: Vec<String> = files.into_iter().collect();
        let each = stretch(test, files.len().max(1) as u64);
        for lines in lines {
            issued.flushes += lines.iter().filter(|line| line.kind == OpKind::Flush).count();
            let moving = lines.into_iter().filter(|line| line.kind != OpKind::Flush);
            let place = |line: &Line| {
                let file = files.iter().position(|file| *file == line.file).unwrap_or(0) as u64;
                line.offset.wrapping_sub(own) + file * each
            };
            issued
                .threads
                .push(moving.map(|line| Op { kind: line.kind, place: place(&line), length: line.length }).collect());
        }
        all.push(issued);
    }
    Ok(all)
}

/// An operation as fio reports it.
struct Line {
    kind: OpKind,
    offset: u64,
    length: u64,
    file: String,
}

/// Each thread's operations, threads in the order in which they begin. Thread numbers mean nothing: the kernel starts
/// again after the last one.
fn told(text: &str) -> Vec<Vec<Line>> {
    let mut begun: Vec<u64> = Vec::new();
    let mut threads: BTreeMap<u64, Vec<Line>> = BTreeMap::new();
    let mut in_flight: BTreeSet<(u64, String)> = BTreeSet::new();
    let mut main = None;
    for line in text.lines().filter_map(|line| line.strip_prefix("io ")) {
        let Some((thread, rest)) = line.trim_start().split_once(' ') else { continue };
        let Ok(thread) = thread.parse::<u64>() else { continue };
        if *main.get_or_insert(thread) == thread {
            continue;
        }
        let known = threads.entry(thread).or_insert_with(|| {
            begun.push(thread);
            Vec::new()
        });
        let Some((phase, unit)) = rest.trim_start().split_once(": io_u ") else { continue };
        let Some((unit, values)) = unit.split_once(": off=") else { continue };
        let key = (thread, unit.to_owned());
        match phase {
            // An operation that the kernel had no room for is submitted again.
            "queue" if in_flight.insert(key.clone()) => known.extend(parsed(values)),
            "complete" => {
                in_flight.remove(&key);
            }
            _ => {}
        }
    }
    begun.iter().filter_map(|thread| threads.remove(thread)).collect()
}

/// `0x0,len=0x1000,ddir=0,file=/mnt/a`.
fn parsed(values: &str) -> Option<Line> {
    let mut parts = values.splitn(4, ',');
    let mut hex = |name: &str| {
        let part = parts.next()?;
        let digits = part.strip_prefix(name).unwrap_or(part).trim_start_matches("0x");
        u64::from_str_radix(digits, 16).ok()
    };
    let (offset, length, kind) = (hex("off=")?, hex("len=")?, hex("ddir=")?);
    let kind = match kind {
        0 => OpKind::Read,
        1 => OpKind::Write,
        2 => OpKind::Trim,
        _ => OpKind::Flush,
    };
    Some(Line { kind, offset, length, file: parts.next()?.trim_start_matches("file=").to_owned() })
}

/// fio's result, which is between its other output.
fn document(text: &str) -> Value {
    let lines: Vec<&str> = text.lines().skip_while(|line| *line != "{").collect();
    let end = lines.iter().position(|line| *line == "}").expect("the end of a document");
    let lines: Vec<&str> = lines[..=end].iter().copied().filter(|line| !line.starts_with("io ")).collect();
    serde_json::from_str(&lines.join("\n")).expect("one document")
}

/// The longest time of the jobs with these names.
fn seconds(document: &Value, names: &[&str]) -> f64 {
    let jobs = document["jobs"].as_array().expect("jobs");
    let of = jobs.iter().filter(|job| names.contains(&job["jobname"].as_str().unwrap_or_default()));
    let time = |job: &Value| ["read", "write", "trim"].map(|kind| job[kind]["runtime"].as_f64().unwrap_or(0.0));
    of.flat_map(time).fold(0.0, f64::max) / 1000.0
}

/// Where a job begins; a percentage is taken of a device, and of a file that does not exist yet it is zero.
fn offset(text: &str, device: bool) -> u64 {
    if let Some(share) = text.strip_suffix('%') {
        let share: u64 = share.parse().expect("a share of the table");
        return if device { DEVICE / 100 * share + DEVICE % 100 * share / 100 } else { 0 };
    }
    let (number, unit) = match text.strip_suffix('k') {
        Some(number) => (number, 1 << 10),
        None => (text.trim_end_matches('m'), if text.ends_with('m') { 1 << 20 } else { 1 }),
    };
    number.parse::<u64>().expect("an offset of the table") * unit
}

/// Bytes between the starts of a job's files, if it has several; here the files are stretches of whole blocks.
fn stretch(test: &TestPlan, files: u64) -> u64 {
    let load = test.steps.iter().find_map(|step| step.workload()).expect("a load");
    let block = load.block_size.get();
    load.span.length.get() / files / block * block
}

/// The tests that correspond to the batches.
pub fn tests(plan: &Plan) -> impl Iterator<Item = &TestPlan> {
    plan.tests.iter().filter(|test| test.name != "prepare")
}

/// The plan of a methodology for the target of the job file.
pub fn plan(toml: &str, device: bool) -> Result<Plan, String> {
    let method = drivelab_method::parse("imported.toml", toml).map_err(|wrong| wrong.to_string())?;
    let file = method.file_size(Form::Faithful).unwrap_or(Bytes::new(DEVICE));
    let capacity = if device { method.device_part(Form::Faithful, Bytes::new(DEVICE)) } else { file };
    let shape = TargetShape { capacity, offset_align: Bytes::new(512), guess: SpeedGuess::default() };
    drivelab_method::expand(&method, Form::Faithful, &shape).map_err(|wrong| wrong.to_string())
}

/// What the engine issues for a test, one step after the other; an error if it is more than the trace can hold.
pub fn by_drivelab(test: &TestPlan) -> Result<Issued, String> {
    let mut all = Issued::default();
    for step in &test.steps {
        let Action::Io { workload, stop, ramp } = &step.action else { continue };
        let (threads, flushes, seconds) = run(workload, stop, *ramp)?;
        if all.threads.is_empty() {
            all.threads = threads;
        } else {
            all.threads.iter_mut().zip(threads).for_each(|(all, more)| all.extend(more));
        }
        all.flushes += flushes;
        all.seconds += seconds;
    }
    Ok(all)
}

/// The load as `nop:` can take it: without a cache, with cheap data, without headers and without CPUs of its own.
fn on_nop(load: &Workload) -> Workload {
    Workload {
        direct: false,
        data: DataPattern::Zero,
        content: Content::default(),
        verify: Verify::Off,
        placement: Placement::default(),
        beside: load.beside.iter().map(on_nop).collect(),
        ..load.clone()
    }
}

fn run(load: &Workload, stop: &StopRule, ramp: Nanos) -> Result<(Vec<Vec<Op>>, usize, f64), String> {
    let told: Arc<Mutex<(Vec<TraceEntry>, u64)>> = Arc::default();
    let kept = Arc::clone(&told);
    let mut options = Options::new(BackendChoice::Uring);
    options.trace = Some(Box::new(move |entries, lost| {
        let mut kept = kept.lock().expect("not poisoned");
        kept.0.extend_from_slice(entries);
        kept.1 += lost;
    }));
    let end = load.groups().map(|group| group.span.end()).max().unwrap_or(0);
    let mut engine = Engine::open(IoTarget::Nop { length: Bytes::new(end) }, options).expect("io_uring");
    let key = StepKey { step: StepId::new("test", "step"), round: 1 };
    let load = on_nop(load);
    let request = StepRequest {
        key: &key,
        workload: &load,
        stop_rule: stop,
        ramp,
        interval: Nanos::from_millis(100),
        clock: &MonotonicClock::starting_at(0),
        stop: &StopToken::default(),
    };
    engine.run_step(request, &mut |_| ()).unwrap_or_else(|error| panic!("{error}: {load:?}"));
    let (mut entries, lost) = std::mem::take(&mut *told.lock().expect("not poisoned"));
    if lost > 0 {
        return Err(format!("the trace had no room for {lost} operations"));
    }
    entries.sort_by_key(|entry| (entry.thread, entry.submit_ns, entry.index));
    let last = entries.iter().map(|entry| entry.intended_ns).max().unwrap_or(0);
    let flushes = entries.iter().filter(|entry| entry.op == OpKind::Flush).count();
    let count = load.groups().map(|group| group.threads.get()).sum::<u32>();
    // As for fio: from the start of the first of the concurrent jobs.
    let own = load.groups().map(|group| group.span.offset.get()).min().unwrap_or(0);
    let op = |entry: &TraceEntry| Op { kind: entry.op, place: entry.offset - own, length: u64::from(entry.length) };
    let of = |thread| {
        entries.iter().filter(move |entry| entry.thread == thread && entry.op != OpKind::Flush).map(op).collect()
    };
    Ok(((0..count).map(of).collect(), flushes, last as f64 / 1e9))
}
