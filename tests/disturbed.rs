//! Others on the disk below a loop device: the figures say so, and on a quiet device none does.

mod support;

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use serde_json::Value;
use support::loop_device::LoopDevice;
use support::{Lab, root_or_skip, skip};

/// Quiet runs of the steps of `quick` in CI; `DRIVELAB_QUIET_RUNS` asks for more.
const QUIET_RUNS: u32 = 4;

/// A second program's work: it writes a file past the page cache until it is told to end.
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
            // Direct I/O wants aligned memory: a block within a larger one is.
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

/// Reads the loop device at a low rate, so that the second program is the most that its disk does.
fn read_slowly(lab: &Lab, device: &LoopDevice) -> Value {
    lab.json(&[
        "io",
        &device.node,
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
    let device = LoopDevice::on(&image);
    let disturbed = {
        let _writer = Writer::start(&lab.folder().join("others"));
        read_slowly(&lab, &device)
    };
    assert_eq!(disturbed["spoiled_by"], serde_json::json!(["others_used_disk"]), "{disturbed:#}");
    let finding =
        disturbed["findings"].as_array().expect("findings").iter().find(|one| one["code"] == "others_used_disk");
    let finding = finding.expect("the finding behind the mark");
    let about_the_disk = |one: &Value| one["what"].as_str().is_some_and(|what| what.ends_with(&below));
    assert!(finding["evidence"].as_array().expect("evidence").iter().any(about_the_disk), "{finding:#}");
    let evidence = finding["evidence"].to_string();
    assert!(!evidence.contains(device.name()), "the loop device itself was ours alone: {evidence}");
}

#[test]
fn on_a_quiet_device_in_memory_no_figure_has_a_mark() {
    if !root_or_skip("a loop device") {
        return;
    }
    let memory = tempfile::tempdir_in("/dev/shm").expect("a folder in memory");
    let device = LoopDevice::new(memory.path(), "disk", 2048);
    let runs = std::env::var("DRIVELAB_QUIET_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(QUIET_RUNS);
    for run in 1..=runs {
        let lab = Lab::new();
        let arguments = ["run", "quick", &device.node, "--destroy", device.name(), "--form", "smoke", "--json"];
        let document = lab.json(&arguments);
        let metrics = document["metrics"].as_array().expect("metrics");
        assert!(metrics.iter().any(|metric| metric["value"].is_number()));
        let marked: Vec<&Value> = metrics.iter().filter(|metric| metric.get("spoiled_by").is_some()).collect();
        assert!(marked.is_empty(), "run {run} of {runs}: {marked:#?}\n{:#}", document["findings"]);
    }
}

/// The kernel's name of the whole disk at the bottom of what holds a folder.
fn disk_of(folder: &Path) -> Option<String> {
    let facts = drivelab_device::folder_facts(folder).ok()?;
    facts.devices.into_iter().find(|device| device.lies_on.is_empty()).map(|device| device.name)
}
