//! The cause that delayed drivelab itself is named as the limit: stopped, frozen, kept from the CPU by a quota.
//!
//! The scenario: a container is paused for two seconds in the middle of a closed loop, and the drive is blamed for 613
//! of 1,000 operations per second and a latency of two seconds.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use drivelab_rig::{root_or_skip, skip, tool};
use serde_json::Value;
use support::Lab;

/// A control group (version 1), removed at the end.
struct Group(PathBuf);

impl Group {
    fn new_or_skip(controller: &str) -> Option<Group> {
        let root = Path::new("/sys/fs/cgroup").join(controller);
        if !root_or_skip("a control group") {
            return None;
        }
        if !root.join("cgroup.procs").exists() {
            skip(&format!("no control groups (version 1) for {controller}"));
            return None;
        }
        let group = root.join(format!("drivelab-test-{}", std::process::id()));
        std::fs::create_dir(&group).expect("a control group");
        Some(Group(group))
    }

    fn set(&self, file: &str, value: &str) {
        std::fs::write(self.0.join(file), value).expect("a setting");
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

fn program() -> String {
    std::env::var("DRIVELAB_STOPPED_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_drivelab").to_owned())
}

/// A running load; in a group if there is one.
fn start(lab: &Lab, group: Option<&Group>, more: &[&str]) -> Child {
    let mut command = Command::new("sh");
    let procs = group.map_or(PathBuf::from("/dev/null"), |group| group.0.join("cgroup.procs"));
    command.args(["-c", "echo $$ > \"$0\"; exec \"$@\"", procs.to_str().expect("text"), &program()]);
    lab.dress(&mut command).args(["io", "nop:", "--time", "3s", "--json", "--telemetry", "off"]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("drivelab starts")
}

/// Its output at the end, and the codes of its findings.
fn said(child: Child) -> (Value, Vec<String>) {
    let output = child.wait_with_output().expect("it ends");
    let document: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let findings = document["findings"].as_array().expect("findings");
    let codes = findings.iter().filter_map(|finding| Some(finding["code"].as_str()?.to_owned())).collect();
    (document, codes)
}

/// Waits until the issuing threads exist, and then until the step is well under way.
fn wait_for_threads(child: &Child) {
    let tasks = format!("/proc/{}/task", child.id());
    let issues =
        |task: &std::path::Path| std::fs::read_to_string(task.join("comm")).is_ok_and(|name| name.starts_with("io-0"));
    for _ in 0..2_000 {
        let tasks = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
        if tasks.map(|task| task.path()).any(|task| issues(&task)) {
            // A whole number of the tenths of a second after which the watching thread wakes: a stop then often falls
            // between two of its sleeps.
            std::thread::sleep(Duration::from_millis(700));
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("no thread began to issue");
}

/// Kinds of loop: one at full speed, one with a rate.
const LOOPS: [&[&str]; 2] = [&[], &["--rate", "1000"]];
/// One that pauses, limited by a schedule like one with a rate.
const PAUSES: &[&str] = &["--think-time", "1ms"];

fn is_named(said: (Value, Vec<String>), how: &str) {
    let (document, codes) = said;
    assert!(codes.iter().any(|code| code == "stood_still"), "{how}: {codes:?}");
    let limit = document["limited_by"].to_string();
    assert!(limit.contains("stood_still"), "{how}: {limit}");
    assert!(!codes.iter().any(|code| code == "cpu_had_by_others" || code == "cpu_quota"), "{how}: {codes:?}");
}

#[test]
fn a_process_that_was_stopped_is_named_as_the_limit() {
    let lab = Lab::new();
    for more in LOOPS {
        let child = start(&lab, None, more);
        wait_for_threads(&child);
        tool("kill", &["-STOP", &child.id().to_string()]);
        std::thread::sleep(Duration::from_secs(1));
        tool("kill", &["-CONT", &child.id().to_string()]);
        is_named(said(child), &format!("stopped {more:?}"));
    }
}

/// Each stop is shorter than the normal delay of one sleep of the watching thread: the delays are added up.
#[test]
fn many_short_stops_are_named_as_the_limit_and_not_the_schedule() {
    let lab = Lab::new();
    for more in [PAUSES, LOOPS[1]] {
        let child = start(&lab, None, more);
        wait_for_threads(&child);
        for _ in 0..10 {
            tool("kill", &["-STOP", &child.id().to_string()]);
            std::thread::sleep(Duration::from_millis(150));
            tool("kill", &["-CONT", &child.id().to_string()]);
            std::thread::sleep(Duration::from_millis(30));
        }
        is_named(said(child), &format!("stopped ten times {more:?}"));
    }
}

#[test]
fn a_process_that_was_frozen_is_named_as_the_limit() {
    let lab = Lab::new();
    for more in LOOPS {
        let Some(group) = Group::new_or_skip("freezer") else { return };
        let child = start(&lab, Some(&group), more);
        wait_for_threads(&child);
        group.set("freezer.state", "FROZEN");
        std::thread::sleep(Duration::from_secs(1));
        group.set("freezer.state", "THAWED");
        is_named(said(child), &format!("frozen {more:?}"));
    }
}

/// However much the quota leaves, and whatever the loop: a load with a rate keeps it, late.
#[test]
fn a_cpu_quota_is_named_as_one_and_not_as_other_programs() {
    let lab = Lab::new();
    for (quota_us, more) in [("30000", LOOPS[0]), ("70000", LOOPS[0]), ("3000", LOOPS[1])] {
        let Some(group) = Group::new_or_skip("cpu") else { return };
        group.set("cpu.cfs_period_us", "100000");
        group.set("cpu.cfs_quota_us", quota_us);
        // The highest possible value: other programs take little CPU from it, so the quota is reached beside them too.
        group.set("cpu.shares", "262144");
        // If other programs take so much CPU that the quota is never reached, the message is right as well, and the
        // load is measured again. A rule that confuses the two fails each time.
        let (mut document, mut codes) = said(start(&lab, Some(&group), more));
        for _ in 0..7 {
            if !codes.iter().any(|code| code == "cpu_had_by_others") {
                break;
            }
            (document, codes) = said(start(&lab, Some(&group), more));
        }
        let how = format!("{quota_us} us in 100 ms {more:?}: {codes:?} {}", document["limited_by"]);
        assert!(codes.iter().any(|code| code == "cpu_quota"), "{how}");
        assert!(document["limited_by"].to_string().contains("cpu_quota"), "{how}");
        assert!(!codes.iter().any(|code| code == "cpu_had_by_others" || code == "stood_still"), "{how}");
    }
}
