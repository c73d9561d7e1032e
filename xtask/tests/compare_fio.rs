//! An interrupted `cargo xtask compare-fio` leaves nothing behind: no device, image, group, process, huge pages.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const HUGE_PAGES: &str = "/proc/sys/vm/nr_hugepages";

/// Replaces a build of drivelab that plans: one load with one operation in flight.
const PLAN: &str = r#"{"plan":{"tests":[{"steps":[{"id":"a/b","role":"measure","action":{"io":{"workload":{
    "pattern":"random","write_percent":0,"block_size":4096,"queue_depth":1,"threads":1}}}}]}]}}"#;

/// What a comparison of this process id has created.
fn left_by(pid: u32) -> Vec<String> {
    let name = format!("drivelab-compare-{pid}");
    let devices = Command::new("losetup").args(["--list", "--noheadings", "--output", "NAME,BACK-FILE"]).output();
    let devices = String::from_utf8(devices.expect("losetup").stdout).expect("text");
    let mut left: Vec<String> = devices.lines().filter(|line| line.contains(&name)).map(str::to_owned).collect();
    for folder in ["/sys/fs/cgroup/blkio", "/dev/shm"] {
        let entries = fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
        let ours = entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains(&name));
        left.extend(ours.map(|path| path.display().to_string()));
    }
    left
}

/// Looks every tenth of a second for half a minute.
fn within_half_a_minute(what: &str, mut holds: impl FnMut() -> bool) {
    assert!(
        (0..300).any(|_| holds() || {
            sleep(Duration::from_millis(100));
            false
        }),
        "{what}"
    );
}

/// What is missing for the comparison.
fn missing() -> Option<&'static str> {
    let works = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).output().is_ok();
    // Mode 0644: only root may open it for writing.
    if fs::OpenOptions::new().append(true).open(HUGE_PAGES).is_err() {
        return Some("huge pages and loop devices need root");
    }
    if !works("fio", &["--version"]) {
        return Some("fio is not installed");
    }
    let throttles = Path::new("/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device").exists();
    (!throttles).then_some("there is no block cgroup (v1)")
}

#[test]
fn an_interrupted_comparison_takes_its_loop_device_and_the_rest_away() {
    if let Some(why) = missing() {
        println!("skipped: {why}");
        assert!(std::env::var_os("CI").is_none(), "skipped in CI: {why}");
        return;
    }
    let huge_pages = || fs::read_to_string(HUGE_PAGES).expect("a number of huge pages");
    let before = huge_pages();
    // The first thing that runs after the plans is fio, for two seconds without limits.
    let folder = tempfile::tempdir().expect("a folder");
    let planner = folder.path().join("plans-one-cell");
    fs::write(&planner, format!("#!/bin/sh\necho '{PLAN}'\n")).expect("a program");
    fs::set_permissions(&planner, fs::Permissions::from_mode(0o755)).expect("a program");
    let mut run = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["compare-fio", "--drivelab"])
        .arg(&planner)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("xtask starts");
    let group = format!("/sys/fs/cgroup/blkio/drivelab-compare-{}/cgroup.procs", run.id());
    within_half_a_minute("fio is never begun", || fs::read_to_string(&group).is_ok_and(|pids| !pids.trim().is_empty()));
    assert!(left_by(run.id()).len() >= 3, "{:?}", left_by(run.id()));
    let stopped = Command::new("kill").args(["-INT", &run.id().to_string()]).status().expect("kill");
    assert!(stopped.success());
    assert!(!run.wait().expect("it ends").success());
    within_half_a_minute("something is left", || left_by(run.id()).is_empty());
    within_half_a_minute("huge pages are not as they were", || huge_pages() == before);
}
