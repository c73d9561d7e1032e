//! `drivelab io` on devices of this machine: a device named for --destroy is measured, any other stays unchanged, and
//! each refusal has its exit code. Needs root; prints a message if it cannot run.

mod support;

use std::process::{Command, Stdio};

use drivelab_rig::{LoopDevice, Zram, or_skip, root_or_skip, tool};
use serde_json::Value;
use support::{Lab, ext4};

/// A loop device on a file in a lab's folder.
fn disk_or_skip() -> Option<(Lab, LoopDevice)> {
    let lab = root_or_skip("making a device").then(Lab::new)?;
    let disk = LoopDevice::new(&lab.folder(), "disk.img", 64);
    Some((lab, disk))
}

fn bytes(disk: &LoopDevice) -> Vec<u8> {
    std::fs::read(&disk.image).expect("its content")
}

fn load(lab: &Lab, device: &str, flags: &[&str]) -> Value {
    lab.json(&[&["io", device, "--time", "300ms", "--no-save", "--json"], flags].concat())
}

#[track_caller]
fn refused(lab: &Lab, disk: &LoopDevice, flags: &[&str], code: i32, words: &[&str]) {
    let before = bytes(disk);
    let done = lab.run(&[&["io", disk.device.as_str(), "--time", "300ms"], flags].concat());
    assert_eq!(done.code, code, "{}", done.stderr);
    for word in words {
        assert!(done.stderr.contains(word), "'{word}' is missing in\n{}", done.stderr);
    }
    assert!(bytes(disk) == before, "bytes changed");
    assert!(lab.runs().is_empty(), "nothing is kept of a run that was refused");
}

#[test]
fn a_released_loop_device_is_written_trimmed_and_read_and_the_record_says_why() {
    let Some((lab, disk)) = disk_or_skip() else { return };
    let destroy = ["--destroy", disk.name()];
    for op in ["write", "trim", "write-zeroes", "mix=50"] {
        let flags = [&["--op", op, "--qd", "4"][..], &destroy].concat();
        let done = load(&lab, &disk.device, &flags);
        let operations = done["operations"].as_object().expect("operations");
        assert!(operations.values().all(|kind| kind["errors"] == 0), "{op}: {operations:#?}");
        assert_eq!(done["target"]["kind"], "block_device", "{:#}", done["target"]);
    }
    assert!(bytes(&disk).iter().any(|byte| *byte != 0), "something was written");
    let before = bytes(&disk);
    let read = load(&lab, &disk.device, &["--op", "read"]);
    assert_eq!(read["operations"]["read"]["errors"], 0);
    assert!(bytes(&disk) == before, "a read changes nothing");

    let kept = lab.ok(&[&["io", &disk.device, "--op", "write", "--time", "300ms"][..], &destroy].concat());
    assert!(kept.stdout.contains("write"), "{}", kept.stdout);
    let (run, _) = lab.runs().remove(0);
    let environment = lab.json(&["report", &run, "--format", "json"])["environment"].clone();
    let because = environment["guard"]["allowed_because"].as_str().unwrap_or_default().to_owned();
    assert!(because.contains("held exclusively") && because.contains(disk.name()), "{environment:#}");
    assert_eq!(environment["guard"]["destroy_named"], disk.name());
    assert!(environment["target"]["file_system"].is_null());
    assert!(lab.ok(&["report", &run, "--format", "md"]).stdout.contains("block device named by the user"));
}

#[test]
fn what_must_not_be_written_is_refused_with_its_exit_code() {
    let Some((lab, disk)) = disk_or_skip() else { return };
    let name = disk.name().to_owned();
    let write = ["--op", "write"];
    let destroy = ["--op", "write", "--destroy", &name];
    refused(&lab, &disk, &write, 5, &[&format!("--destroy {name}")]);
    refused(&lab, &disk, &["--op", "trim"], 5, &[&format!("--destroy {name}")]);
    refused(&lab, &disk, &["--op", "write", "--destroy", "vda"], 5, &["but this is", &format!("--destroy {name}")]);
    tool("mkfs.ext4", &["-q", &disk.device]);
    refused(&lab, &disk, &write, 5, &["it holds an ext2, ext3 or ext4 file system"]);
    tool("wipefs", &["--all", &disk.device]);
    let held = std::fs::File::open(&disk.device).expect("the device");
    let mut child = Command::new("sleep").arg("600").stdin(Stdio::from(held)).spawn().expect("a process");
    refused(&lab, &disk, &destroy, 6, &["(sleep) has it open"]);
    child.kill().and_then(|()| child.wait()).expect("ended");
    tool("blockdev", &["--setro", &disk.device]);
    refused(&lab, &disk, &destroy, 5, &["set read-only"]);
    tool("blockdev", &["--setrw", &disk.device]);
    refused(&lab, &disk, &["--op", "read", "--size", "1MiB"], 2, &["--span"]);
    load(&lab, &disk.device, &destroy);
}

#[test]
fn zram_is_measured_and_its_punted_requests_are_named() {
    let lab = Lab::new();
    if !root_or_skip("making a device") {
        return;
    }
    let made = Zram::new(64 << 20).map_err(|_| "this kernel makes no zram devices");
    let Some(zram) = or_skip(made) else { return };
    let destroy = ["--op", "write", "--destroy", zram.name()];
    let sync = load(&lab, &zram.device, &[&destroy[..], &["--backend", "sync"]].concat());
    assert_eq!(sync["operations"]["write"]["errors"], 0, "{sync:#}");
    let table = lab.run(&[&["io", &zram.device, "--time", "300ms", "--no-save"][..], &destroy].concat());
    assert_eq!(table.code, 0, "{}", table.stderr);
    if table.stdout.contains("io_uring") {
        let words: Vec<&str> = table.stdout.split_whitespace().collect();
        assert!(words.join(" ").contains("kernel worker threads: --backend sync"), "{}", table.stdout);
    }
}

/// The kernel dismantles a ring some time after it was closed; this must not delay anything.
#[test]
fn a_file_system_can_be_unmounted_as_soon_as_the_command_has_ended() {
    if !root_or_skip("mounting a file system") {
        return;
    }
    let lab = Lab::new();
    let fs = ext4(32);
    let folder = fs.mount_point();
    for backend in ["uring", "sync"] {
        let flags = ["--size", "8M", "--qd", "16", "--threads", "2", "--backend", backend];
        load(&lab, folder.to_str().expect("a text path"), &flags);
        tool("umount", &[folder.to_str().expect("a text path")]);
        tool("mount", &[&fs.below.device, folder.to_str().expect("a text path")]);
    }
}
