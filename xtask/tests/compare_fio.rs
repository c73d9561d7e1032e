//! `cargo xtask compare-fio` that is interrupted leaves nothing behind: no device, image, group, process, huge pages.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const HUGE_PAGES: &str = "/proc/sys/vm/nr_hugepages";

/// What a comparison of this process id has made.
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
    // The first thing that runs is fio, for two seconds without limits.
    let mut run = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["compare-fio", "--only", "rnd-4k-q1t1-read", "--drivelab", "/bin/true"])
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
