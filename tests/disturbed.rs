//! Other programs on the disk below a loop device: the figures show it, and on a quiet device no figure does.
//!
//! `DRIVELAB_QUIET_RUNS=50 cargo nextest run --profile long -p drivelab --test disturbed --no-capture` makes this many
//! quiet runs.

mod support;

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use drivelab_rig::{DIRECT, LoopDevice, LoopFs, SETTLED, root_or_skip, skip, tool};
use serde_json::Value;
use support::Lab;

/// Quiet runs of the steps of `quick` in CI; `DRIVELAB_QUIET_RUNS` asks for more.
const QUIET_RUNS: u32 = 4;

/// A second program's work: it writes a file with direct I/O until it is told to stop.
struct Writer {
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    fn start(path: &Path) -> Writer {
        let end = Arc::new(AtomicBool::new(false));
        let (path, told) = (path.to_owned(), Arc::clone(&end));
        let thread = std::thread::spawn(move || {
            let direct = i32::try_from(rustix::fs::OFlags::DIRECT.bits()).expect("a small number");
            let mut options = File::options();
            let mut file =
                options.write(true).create(true).truncate(true).custom_flags(direct).open(path).expect("a file");
            // Direct I/O needs aligned memory: a block within a larger one is aligned.
            let memory = vec![0x5a_u8; (1 << 20) + 4096];
            let offset = memory.as_ptr().align_offset(4096);
            let mut written = 0_u64;
            while !told.load(Ordering::Relaxed) {
                if written == 256 << 20 {
                    std::io::Seek::rewind(&mut file).expect("rewound");
                    written = 0;
                }
                file.write_all(&memory[offset..offset + (1 << 20)]).expect("written");
                written += 1 << 20;
            }
        });
        Writer { end, thread: Some(thread) }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A second program's work: it reads a MiB with direct I/O now and then until it is told to stop.
struct Reader {
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    fn start(device: &str, every: Duration) -> Reader {
        let end = Arc::new(AtomicBool::new(false));
        let (path, told) = (device.to_owned(), Arc::clone(&end));
        let thread = std::thread::spawn(move || {
            let direct = i32::try_from(rustix::fs::OFlags::DIRECT.bits()).expect("a small number");
            let mut file = File::options().read(true).custom_flags(direct).open(path).expect("the device");
            let mut memory = vec![0_u8; (1 << 20) + 4096];
            let offset = memory.as_ptr().align_offset(4096);
            while !told.load(Ordering::Relaxed) {
                std::io::Seek::rewind(&mut file).expect("rewound");
                std::io::Read::read_exact(&mut file, &mut memory[offset..offset + (1 << 20)]).expect("read");
                std::thread::sleep(every);
            }
        });
        Reader { end, thread: Some(thread) }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Reads the loop device at a low rate, so that the second program dominates its disk.
fn read_slowly(lab: &Lab, disk: &LoopDevice) -> Value {
    lab.json(&[
        "io",
        &disk.device,
        "--op",
        "read",
        "--pattern",
        "random",
        "--block",
        "64k",
        "--qd",
        "1",
        "--rate",
        "100",
        "--time",
        "2s",
        "--json",
    ])
}

/// For a load at full speed, each figure has the mark, with the direction in which it is wrong.
fn every_figure_is_marked(lab: &Lab, disk: &LoopDevice, below: &str) {
    lab.ok(&["io", &disk.device, "--op", "read", "--pattern", "random", "--block", "64k", "--time", "2s"]);
    let report = lab.json(&["report", "last", "--format", "json"]);
    let of_step = |metric: &&Value| metric["step"].is_string() && metric["value"].is_number();
    let metrics: Vec<&Value> = report["metrics"].as_array().expect("metrics").iter().filter(of_step).collect();
    let wrong = |id: &str| metrics.iter().find(|metric| metric["id"] == id).map(|metric| metric["wrong"].clone());
    assert_eq!(wrong("read.iops"), Some("too_low".into()), "{metrics:#?}");
    assert_eq!(wrong("read.latency_mean"), Some("too_high".into()), "{metrics:#?}");
    for metric in metrics {
        assert_eq!(metric["spoiled_by"], serde_json::json!(["others_used_disk"]), "{metric:#}");
        assert!(metric["wrong"].is_string(), "{metric:#}");
    }
    // The last lines of a replay have the figures with their marks.
    let replayed = lab.ok(&["replay", "last", "--speed", "0", "--plain"]);
    let marked = |line: &str| line.starts_with("Read: ") && line.contains("IOPS") && line.contains(" ▲");
    assert!(replayed.stdout.lines().any(marked), "{}", replayed.stdout);
    // A line names the step and the disk.
    let end = format!(": other I/O used {below}");
    let names = |line: &&str| line.contains(" disturbed: ") && line.ends_with(&end);
    assert_eq!(replayed.stderr.lines().filter(names).count(), 1, "{end}: {}", replayed.stderr);
}

#[test]
fn a_disk_that_others_load_below_a_loop_device_marks_the_figures() {
    if !root_or_skip("a loop device") {
        return;
    }
    let lab = Lab::new();
    let Some(below) = disk_of(&lab.folder()) else {
        skip("no block device lies below the folder for temporary files");
        return;
    };
    let image = lab.folder().join("image");
    // Written, not sparse: a hole is read without the disk.
    let mut file = File::create(&image).expect("an image");
    (0..64).for_each(|_| file.write_all(&vec![0xa5; 1 << 20]).expect("written"));
    file.sync_all().expect("on the disk");
    let disk = LoopDevice::on(&image, DIRECT).expect("a loop device");
    let disturbed = {
        let _writer = Writer::start(&lab.folder().join("others"));
        let disturbed = read_slowly(&lab, &disk);
        every_figure_is_marked(&lab, &disk, &below);
        disturbed
    };
    assert_eq!(disturbed["spoiled_by"], serde_json::json!(["others_used_disk"]), "{disturbed:#}");
    let finding =
        disturbed["findings"].as_array().expect("findings").iter().find(|one| one["code"] == "others_used_disk");
    let finding = finding.expect("the finding behind the mark");
    let about_the_disk = |one: &Value| one["what"].as_str().is_some_and(|what| what.ends_with(&below));
    assert!(finding["evidence"].as_array().expect("evidence").iter().any(about_the_disk), "{finding:#}");
    let evidence = finding["evidence"].to_string();
    assert!(!evidence.contains(disk.name()), "the loop device itself was ours alone: {evidence}");
}

#[test]
fn on_a_quiet_device_in_memory_no_figure_has_a_mark() {
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = LoopDevice::sparse("/dev/shm", 2 << 30, DIRECT).expect("a loop device");
    let runs = std::env::var("DRIVELAB_QUIET_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(QUIET_RUNS);
    for run in 1..=runs {
        let lab = Lab::new();
        let arguments = ["run", "quick", &disk.device, "--destroy", disk.name(), "--form", "smoke", "--json"];
        let document = lab.json(&arguments);
        let metrics = document["metrics"].as_array().expect("metrics");
        assert!(metrics.iter().any(|metric| metric["value"].is_number()));
        let marked: Vec<&Value> =
            metrics.iter().filter(|metric| metric["spoiled_by"] != serde_json::json!([])).collect();
        assert!(marked.is_empty(), "run {run} of {runs}: {marked:#?}\n{:#}", document["findings"]);
    }
}

/// A loop device through the page cache, on a file of a file system on another loop device in memory: a separate disk
/// that nobody else uses. The first field is detached first.
struct Cached {
    disk: LoopDevice,
    fs: LoopFs,
}

impl Cached {
    fn new() -> Cached {
        let below = LoopDevice::sparse("/dev/shm", 1 << 30, DIRECT);
        let fs = below.and_then(|below| LoopFs::on(below, SETTLED));
        let fs = fs.expect("a file system in memory");
        let image = fs.mount_point().join("image");
        let mut file = File::create(&image).expect("an image");
        // Written, not sparse: a hole is read without the disk.
        (0..256).for_each(|_| file.write_all(&vec![0xa5; 1 << 20]).expect("written"));
        file.sync_all().expect("on the disk");
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).expect("out of the cache");
        let disk = LoopDevice::on(&image, &[]).expect("a loop device");
        Cached { disk, fs }
    }

    /// Reads or writes it at a rate that leaves room for other programs.
    fn load(&self, lab: &Lab, op: &str, pattern: &str, block: &str, rate: &str) -> Value {
        let words = ["--op", op, "--pattern", pattern, "--block", block, "--qd", "4", "--rate", rate];
        let rest = ["--time", "2s", "--destroy", self.disk.name(), "--json"];
        lab.json(&[&["io", &self.disk.device], &words[..], &rest].concat())
    }
}

/// A folder as the target, on a disk that another program uses too.
#[test]
fn a_folder_is_marked_where_others_load_its_disk_and_only_there() {
    if !root_or_skip("a loop device") {
        return;
    }
    let fs = LoopDevice::sparse("/dev/shm", 1 << 30, DIRECT).and_then(|below| LoopFs::on(below, SETTLED));
    let fs = fs.expect("a file system in memory");
    let (lab, folder) = (Lab::new(), fs.mount_point().to_str().expect("a text path").to_owned());
    for (op, block) in [("read", "1MiB"), ("write", "4KiB")] {
        let load = || {
            let words = ["--size", "64MiB", "--op", op, "--pattern", "random", "--block", block, "--rate", "100"];
            lab.json(&[&["io", &folder], &words[..], &["--time", "2s", "--json"]].concat())
        };
        let alone = load();
        assert!(alone["spoiled_by"].as_array().is_none_or(Vec::is_empty), "{op} {block}: {alone:#}");
        let _writer = Writer::start(&fs.mount_point().join("others"));
        let beside = load();
        assert_eq!(beside["spoiled_by"], serde_json::json!(["others_used_disk"]), "{op} {block}: {beside:#}");
    }
}

/// The I/O that a page cache causes on the disk is never more than what was requested from it, whatever the load.
#[test]
fn a_loop_device_through_the_page_cache_is_marked_where_others_load_its_disk_and_only_there() {
    if !root_or_skip("a loop device") {
        return;
    }
    let loads = [
        ("read", "sequential", "1MiB", "20"),
        ("read", "random", "256KiB", "80"),
        ("read", "random", "4KiB", "400"),
        ("write", "sequential", "64KiB", "200"),
        ("write", "random", "512", "400"),
    ];
    for (op, pattern, block, rate) in loads {
        let (lab, quiet) = (Lab::new(), Cached::new());
        let alone = quiet.load(&lab, op, pattern, block, rate);
        assert!(alone["spoiled_by"].as_array().is_none_or(Vec::is_empty), "{op} {pattern} {block}: {alone:#}");
        let _writer = Writer::start(&quiet.fs.mount_point().join("others"));
        let beside = quiet.load(&lab, op, pattern, block, rate);
        assert_eq!(beside["spoiled_by"], serde_json::json!(["others_used_disk"]), "{op} {pattern} {block}: {beside:#}");
    }
}

/// Half as much as the execution itself, on the disk below a page cache: before, twice its own bytes were accepted.
#[test]
fn a_reader_of_half_the_bytes_below_a_page_cache_is_seen() {
    if !root_or_skip("a loop device") {
        return;
    }
    for (block, rate, expected) in [("1MiB", "40", "others_used_disk"), ("64KiB", "640", "others_perhaps")] {
        let (lab, cached) = (Lab::new(), Cached::new());
        let pattern = if block == "1MiB" { "sequential" } else { "random" };
        let beside = {
            let _reader = Reader::start(&cached.fs.below.device, Duration::from_millis(50));
            cached.load(&lab, "read", pattern, block, rate)
        };
        assert_eq!(beside["spoiled_by"], serde_json::json!([expected]), "{block}: {beside:#}");
    }
}

/// A device in memory with two partitions, each half of it.
fn in_halves() -> LoopDevice {
    let options = [DIRECT, &["--partscan"]].concat();
    let disk = LoopDevice::sparse("/dev/shm", 256 << 20, &options).expect("a loop device");
    let halves = format!("printf 'label: gpt\nsize=128MiB\nsize=+\n' | sfdisk --quiet {}", disk.device);
    tool("sh", &["-c", &halves]);
    // Some kernels do not support GPT.
    tool("partx", &["--update", &disk.device]);
    disk
}

/// A program that reads another partition uses the same disk; one that reads nothing does not.
#[test]
fn a_reader_of_another_partition_marks_the_figures_of_this_one() {
    if !root_or_skip("a loop device") {
        return;
    }
    let (lab, disk) = (Lab::new(), in_halves());
    let [first, second] = [1, 2].map(|number| format!("{}p{number}", disk.device));
    let read = || {
        let load = ["--op", "read", "--pattern", "random", "--block", "64k", "--rate", "400", "--time", "2s", "--json"];
        lab.json(&[&["io", &first], &load[..]].concat())
    };
    let alone = read();
    assert!(alone["spoiled_by"].as_array().is_none_or(Vec::is_empty), "{alone:#}");
    let _reader = Reader::start(&second, Duration::from_millis(10));
    let beside = read();
    assert_eq!(beside["spoiled_by"], serde_json::json!(["others_used_disk"]), "{beside:#}");
}

/// The kernel's name of the whole disk at the bottom of the stack that holds a folder.
fn disk_of(folder: &Path) -> Option<String> {
    let facts = drivelab_device::folder_facts(folder).ok()?;
    facts.devices.into_iter().find(|device| device.lies_on.is_empty()).map(|device| device.name)
}
