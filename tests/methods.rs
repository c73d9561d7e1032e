//! Every built-in methodology, complete, in its smoke form, on each kind of target that it is for: a folder, a loop
//! device. Other tests check the figures; here every step must have been done, have measured something, and be on the
//! page, the plan's own estimate must be short, and what a loop device cannot show must be reported.

mod support;

use std::path::Path;

use drivelab_rig::{LoopDevice, root_or_skip};
use serde_json::Value;
use support::Lab;

/// Longest smoke form of any methodology, by its plan's own estimate, in seconds.
const MOST_S: f64 = 15.0;

/// Most runs of a methodology, if a step got no CPU in the few milliseconds of the smoke form.
const TRIES: usize = 4;

/// Checks the record of a run: every step of its plan was done, without errors, and has figures. Returns how many
/// steps have none because they completed no operation, as the run itself reports.
fn judge(lab: &Lab, name: &str, run: &str) -> usize {
    let document = lab.json(&["report", run, "--format", "json"]);
    assert_eq!(document["run"]["state"], "complete", "{name}: {:#}", document["findings"]);
    let bundle = lab.ok(&["results", "path", run]).stdout;
    let plan = std::fs::read(Path::new(bundle.trim()).join("plan.json")).expect("the stored plan");
    let plan: Value = serde_json::from_slice(&plan).expect("JSON");
    let steps: Vec<&Value> = list(&plan["tests"]).flat_map(|test| list(&test["steps"])).collect();
    assert!(!steps.is_empty(), "{name} has no steps");
    let addresses: Vec<&str> = list(&document["metrics"]).filter_map(|metric| metric["address"].as_str()).collect();
    let idle: Vec<&Value> = list(&document["findings"]).filter(|found| found["code"] == "no_operations").collect();
    let mut without = 0;
    for step in steps.into_iter().filter(|step| step["role"] == "measure" && step["action"]["io"].is_object()) {
        let id = step["id"].as_str().expect("an id");
        let of_step = format!("{id}:");
        if !addresses.iter().any(|address| address.starts_with(&of_step)) {
            let is_said = idle.iter().flat_map(|found| list(&found["steps"])).any(|key| key["step"] == id);
            assert!(is_said, "{name}: nothing is known of {of_step}");
            without += 1;
        }
    }
    assert_eq!(list(&document["run"]["failed_steps"]).count(), 0, "{name}: {:#}", document["run"]["failed_steps"]);
    without
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Runs a methodology in its smoke form and checks every run that it left.
fn smoke(lab: &Lab, name: &str, more: &[&str]) {
    let planned = lab.json(&[&["run", name, "--form", "smoke", "--yes", "--dry-run", "--json"][..], more].concat());
    let estimate = planned["estimated_time_s"].as_f64().expect("an estimate");
    assert!(estimate > 0.0 && estimate <= MOST_S, "{name} {more:?} takes {estimate} s by its own plan");
    for _ in 0..TRIES {
        if done_by_all(lab, name, more) {
            return;
        }
    }
    panic!("{name} {more:?}: in each of {TRIES} runs a step completed nothing");
}

/// Makes a run and checks it and every other new one; returns whether each step has figures.
fn done_by_all(lab: &Lab, name: &str, more: &[&str]) -> bool {
    let known = lab.runs();
    let page = format!("{name}.html");
    let done = lab.run(&[&["run", name, "--form", "smoke", "--yes", "-o", &page][..], more].concat());
    assert_eq!(done.code, 0, "{name} {more:?}\n{}\n{}", done.stdout, done.stderr);
    let text = std::fs::read_to_string(lab.folder().join(&page)).expect("the page");
    assert!(text.contains("smoke"), "{name}: the form does not stand on the page");
    let made: Vec<_> = lab.runs().into_iter().filter(|run| !known.contains(run)).collect();
    assert!(!made.is_empty(), "{name}: nothing was kept");
    made.iter().map(|(run, _)| judge(lab, name, run)).sum::<usize>() == 0
}

/// In a folder, on a scratch file or a folder of files.
fn on_files(name: &str) {
    smoke(&Lab::new(), name, &["."]);
}

/// On this many loop devices of 64 MiB; every run has these findings, each with its words.
fn on_devices_that_lack(name: &str, count: usize, findings: &[(&str, &str)]) {
    if !root_or_skip("making a device") {
        return;
    }
    let lab = Lab::new();
    on_new_devices(&lab, name, count);
    for (run, _) in lab.runs() {
        let document = lab.json(&["report", &run, "--format", "json"]);
        for (code, words) in findings {
            let statements = list(&document["findings"]).filter(|finding| finding["code"] == *code);
            let said = statements.filter_map(|finding| finding["statement"].as_str()).any(|text| text.contains(words));
            assert!(said, "{name}: no finding {code} says '{words}': {:#}", document["findings"]);
        }
    }
}

/// On this many loop devices of 64 MiB.
fn on_devices(name: &str, count: usize) {
    on_devices_that_lack(name, count, &[]);
}

fn on_new_devices(lab: &Lab, name: &str, count: usize) {
    let devices: Vec<LoopDevice> =
        (0..count).map(|number| LoopDevice::new(lab.root(), &format!("disk{number}.img"), 64)).collect();
    let named = devices.iter().flat_map(|disk| ["--destroy", disk.name()]);
    let arguments: Vec<&str> = devices.iter().map(|disk| disk.device.as_str()).chain(named).collect();
    smoke(lab, name, &arguments);
}

/// On a loop device that a mapping encrypts, if the kernel supports such mappings.
fn on_a_device_that_encrypts(name: &str) {
    if support::has_device_mapper() {
        on_devices(name, 1);
    } else {
        println!("skipped: the kernel has no device mapper, so no arm encrypts");
    }
}

/// One of its profiles, on a loop device with room for a file system.
fn on_a_device_as(name: &str, profile: &str) {
    if !root_or_skip("making a device") {
        return;
    }
    let lab = Lab::new();
    let disk = LoopDevice::new(lab.root(), "disk.img", 128);
    smoke(&lab, name, &[&disk.device, "--destroy", disk.name(), "--profile", profile]);
}

/// On a file that contains something, as the user wrote it.
fn on_a_file_that_is_there(name: &str) {
    let lab = Lab::new();
    let content: Vec<u8> = (0..64_u32 << 18).flat_map(u32::to_le_bytes).collect();
    lab.write("mine.bin", &content);
    smoke(&lab, name, &["mine.bin"]);
    assert!(std::fs::read(lab.folder().join("mine.bin")).expect("still there") == content, "{name} wrote to it");
}

/// On a loop device without --destroy: a methodology that only reads needs no permission from the user. The command
/// that answers a buyer with it reports what such a device cannot show.
fn on_a_device_as_found(name: &str) {
    if !root_or_skip("making a device") {
        return;
    }
    let lab = Lab::new();
    let disk = LoopDevice::new(lab.root(), "disk.img", 64);
    smoke(&lab, name, &[&disk.device]);
    let answered = lab.json(&["check", &disk.device, "--no-read", "--no-save", "--json"]);
    assert_eq!(answered["verdict"]["standing"], "unknown", "{answered:#}");
    for question in ["healthy", "genuine", "link", "firmware", "use"] {
        let answer = list(&answered["answers"]).find(|answer| answer["question"] == question).expect("an answer");
        assert_eq!(answer["standing"], "unknown", "a loop device cannot tell '{question}': {answer:#}");
    }
}

/// The profiles of a methodology that has several.
fn profiles_of(name: &str) -> Vec<String> {
    let shown = Lab::new().json(&["methods", "show", name, "--json"]);
    let profiles: Vec<String> = list(&shown["profiles"]).filter_map(Value::as_str).map(str::to_owned).collect();
    assert!(profiles.len() > 1, "{name} has no profiles");
    profiles
}

/// Every profile of a methodology, in a folder.
fn profiles(name: &str) {
    for profile in profiles_of(name) {
        smoke(&Lab::new(), name, &[".", "--profile", &profile]);
    }
}

/// Every profile of a methodology, on a loop device: empty, and filled as far as each profile states.
fn profiles_on_a_device(name: &str) {
    if !root_or_skip("making a device") {
        return;
    }
    for profile in profiles_of(name) {
        let lab = Lab::new();
        let disk = LoopDevice::new(lab.root(), "disk.img", 64);
        smoke(&lab, name, &[&disk.device, "--destroy", disk.name(), "--profile", &profile]);
    }
}

#[test]
fn every_profile_runs() {
    ["anandtech-2018", "anandtech-2021", "crystaldiskmark"].into_iter().for_each(profiles);
}

/// What a loop device lacks for a methodology, as findings report it: code, words.
type Lacks = &'static [(&'static str, &'static str)];

const NO_TEMPERATURE: Lacks = &[("state_unmet", "no source reports the drive's temperature")];
const NO_POWER_STATES: Lacks = &[("arms_left_out", "is not an NVMe drive, and only those have power states")];
const NO_WATTS: Lacks = &[("scores_not_measured", "Not measured: power.mean.")];
const NO_MEDIA_WRITES: Lacks = &[("state_unmet", "no source counts what the drive writes to its media")];
const NO_SMART: Lacks =
    &[("smart_compared", "No SMART counters could be compared: the target reports none that are read during a run")];
const NO_SHEET: Lacks =
    &[("tests_left_out", "nothing reports the drive's power"), ("data_sheet_unknown", "reports no model")];

/// Declares the tests of each methodology, and a test that none is missing.
macro_rules! methods {
    ($($module:ident = $name:literal: $($test:ident($on:expr)),+;)+) => {
        $(mod $module {
            $(#[test]
            fn $test() {
                let on: fn(&str) = $on;
                on($name);
            })+
        })+

        #[test]
        fn every_built_in_methodology_is_tried_here() {
            let list = Lab::new().json(&["methods", "list", "--json"]);
            let built_in = list["methods"].as_array().expect("methods").iter();
            let mut built_in: Vec<&str> = built_in.map(|method| method["name"].as_str().expect("a name")).collect();
            let mut tried = vec![$($name),+];
            built_in.sort_unstable();
            tried.sort_unstable();
            assert_eq!(built_in, tried);
        }
    };
}

methods! {
    all_aboard = "all-aboard": devices(|name| super::on_devices_that_lack(name, 2, super::NO_TEMPERATURE));
    application_traces = "application-traces": file(super::on_files), device(|name| super::on_devices(name, 1));
    capacity_scaling = "capacity-scaling": files(super::on_files), devices(|name| super::on_devices(name, 2));
    encryption_cost = "encryption-cost": device(super::on_a_device_that_encrypts);
    gpu_feed = "gpu-feed": file(super::on_files), devices(|name| super::on_devices(name, 2));
    power_states = "power-states": device(|name| super::on_devices_that_lack(name, 1, super::NO_POWER_STATES));
    as_ssd = "as-ssd": folder(super::on_files);
    file_transfer = "file-transfer": folder(super::on_files);
    disk_fill = "disk-fill": file(super::on_files), device(|name| super::on_devices(name, 1));
    quick = "quick": file(super::on_files), device(|name| super::on_devices(name, 1));
    anandtech_2018 = "anandtech-2018": file(super::on_files),
        device(|name| super::on_devices_that_lack(name, 1, super::NO_WATTS)),
        profiles_on_a_device(super::profiles_on_a_device);
    anandtech_2021 = "anandtech-2021": file(super::on_files),
        device(|name| super::on_devices_that_lack(name, 1, super::NO_WATTS)),
        profiles_on_a_device(super::profiles_on_a_device);
    crystaldiskmark = "crystaldiskmark": file(super::on_files);
    random_read_sweep = "random-read-sweep": device(|name| super::on_devices(name, 1)),
        file_system(|name| super::on_a_device_as(name, "file-system"));
    snia_pts = "snia-pts": device(|name| super::on_devices(name, 1));
    write_amplification = "write-amplification":
        device(|name| super::on_devices_that_lack(name, 1, super::NO_MEDIA_WRITES));
    four_corners = "four-corners": device(|name| super::on_devices(name, 1));
    load_curves = "load-curves": file(super::on_files), device(|name| super::on_devices(name, 1));
    genuine = "genuine": device(|name| super::on_devices_that_lack(name, 1, super::NO_SMART));
    heat_soak = "heat-soak": device(|name| super::on_devices_that_lack(name, 1, super::NO_TEMPERATURE));
    check = "check": file(super::on_a_file_that_is_there), device(super::on_a_device_as_found);
    data_sheet = "data-sheet": device(|name| super::on_devices_that_lack(name, 1, super::NO_SHEET));
    review = "review": file(super::on_files), device(|name| super::on_devices(name, 1));
}
