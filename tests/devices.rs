//! `drivelab io` on devices of this machine: what is released is measured, what is not stays as it is, and each refusal
//! has its exit code. Needs root; says so aloud where it cannot run.

#[path = "support/loopfs.rs"]
mod loopfs;
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use loopfs::LoopFs;
use serde_json::Value;
use support::{Lab, root_or_skip, skip, tool};

/// A device of the test's own, taken down on drop.
struct Device {
    path: String,
    image: Option<PathBuf>,
}

impl Device {
    fn name(&self) -> &str {
        self.path.trim_start_matches("/dev/")
    }

    /// A loop device on a file in the lab's folder.
    fn of_file(lab: &Lab, mebibytes: u64) -> Option<Device> {
        if !root_or_skip("making a device") {
            return None;
        }
        let image = lab.folder().join("disk.img");
        let file = std::fs::File::create(&image).expect("an image");
        file.set_len(mebibytes << 20).expect("its length");
        let path = tool("losetup", &["--direct-io=on", "--find", "--show", image.to_str().expect("a text path")]);
        Some(Device { path, image: Some(image) })
    }

    fn zram(mebibytes: u64) -> Option<Device> {
        if !root_or_skip("making a device") {
            return None;
        }
        let Ok(number) = std::fs::read_to_string("/sys/class/zram-control/hot_add") else {
            skip("this kernel makes no zram devices");
            return None;
        };
        let device = Device { path: format!("/dev/zram{}", number.trim()), image: None };
        std::fs::write(device.attribute("disksize"), format!("{mebibytes}M")).expect("its size");
        Some(device)
    }

    fn attribute(&self, name: &str) -> PathBuf {
        Path::new("/sys/block").join(self.name()).join(name)
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.image.as_ref().unwrap_or(&PathBuf::from(&self.path))).expect("its content")
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if self.image.is_some() {
            let _ = Command::new("losetup").args(["--detach", &self.path]).status();
        } else {
            let _ = std::fs::write(self.attribute("reset"), "1");
            let _ = std::fs::write("/sys/class/zram-control/hot_remove", self.name().trim_start_matches("zram"));
        }
    }
}

fn load(lab: &Lab, device: &str, flags: &[&str]) -> Value {
    lab.json(&[&["io", device, "--time", "300ms", "--no-save", "--json"], flags].concat())
}

#[track_caller]
fn refused(lab: &Lab, device: &Device, flags: &[&str], code: i32, words: &[&str]) {
    let before = device.bytes();
    let done = lab.run(&[&["io", device.path.as_str(), "--time", "300ms"], flags].concat());
    assert_eq!(done.code, code, "{}", done.stderr);
    for word in words {
        assert!(done.stderr.contains(word), "'{word}' is missing in\n{}", done.stderr);
    }
    assert!(device.bytes() == before, "bytes changed");
    assert!(lab.runs().is_empty(), "nothing is kept of a run that was refused");
}

#[test]
fn a_released_loop_device_is_written_trimmed_and_read_and_the_record_says_why() {
    let lab = Lab::new();
    let Some(disk) = Device::of_file(&lab, 64) else { return };
    let destroy = ["--destroy", disk.name()];
    for op in ["write", "trim", "write-zeroes", "mix=50"] {
        let flags = [&["--op", op, "--qd", "4"][..], &destroy].concat();
        let done = load(&lab, &disk.path, &flags);
        let operations = done["operations"].as_object().expect("operations");
        assert!(operations.values().all(|kind| kind["errors"] == 0), "{op}: {operations:#?}");
        assert_eq!(done["target"]["kind"], "block_device", "{:#}", done["target"]);
    }
    assert!(disk.bytes().iter().any(|byte| *byte != 0), "something was written");
    let before = disk.bytes();
    let read = load(&lab, &disk.path, &["--op", "read"]);
    assert_eq!(read["operations"]["read"]["errors"], 0);
    assert!(disk.bytes() == before, "a read changes nothing");

    let kept = lab.ok(&[&["io", &disk.path, "--op", "write", "--time", "300ms"][..], &destroy].concat());
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
    let lab = Lab::new();
    let Some(disk) = Device::of_file(&lab, 64) else { return };
    let name = disk.name().to_owned();
    let write = ["--op", "write"];
    let destroy = ["--op", "write", "--destroy", &name];
    refused(&lab, &disk, &write, 5, &[&format!("--destroy {name}")]);
    refused(&lab, &disk, &["--op", "trim"], 5, &[&format!("--destroy {name}")]);
    refused(&lab, &disk, &["--op", "write", "--destroy", "vda"], 5, &["but this is", &format!("--destroy {name}")]);
    tool("mkfs.ext4", &["-q", &disk.path]);
    refused(&lab, &disk, &write, 5, &["it holds an ext2, ext3 or ext4 file system"]);
    tool("wipefs", &["--all", &disk.path]);
    let held = std::fs::File::open(&disk.path).expect("the device");
    let mut child = Command::new("sleep").arg("600").stdin(Stdio::from(held)).spawn().expect("a process");
    refused(&lab, &disk, &destroy, 6, &["(sleep) has it open"]);
    child.kill().and_then(|()| child.wait()).expect("ended");
    tool("blockdev", &["--setro", &disk.path]);
    refused(&lab, &disk, &destroy, 5, &["set read-only"]);
    tool("blockdev", &["--setrw", &disk.path]);
    refused(&lab, &disk, &["--op", "read", "--size", "1MiB"], 2, &["--span"]);
    load(&lab, &disk.path, &destroy);
}

#[test]
fn zram_is_measured_and_its_punted_requests_are_named() {
    let lab = Lab::new();
    let Some(zram) = Device::zram(64) else { return };
    let destroy = ["--op", "write", "--destroy", zram.name()];
    let sync = load(&lab, &zram.path, &[&destroy[..], &["--backend", "sync"]].concat());
    assert_eq!(sync["operations"]["write"]["errors"], 0, "{sync:#}");
    let table = lab.run(&[&["io", &zram.path, "--time", "300ms", "--no-save"][..], &destroy].concat());
    assert_eq!(table.code, 0, "{}", table.stderr);
    if table.stdout.contains("io_uring") {
        let words: Vec<&str> = table.stdout.split_whitespace().collect();
        assert!(words.join(" ").contains("kernel worker threads: --backend sync"), "{}", table.stdout);
    }
}

/// A ring is taken apart by the kernel some time after it was closed; that must hold up nobody.
#[test]
fn a_file_system_can_be_unmounted_as_soon_as_the_command_has_ended() {
    if !root_or_skip("mounting a file system") {
        return;
    }
    let lab = Lab::new();
    let fs = LoopFs::ext4(32);
    let folder = fs.mount_point();
    for backend in ["uring", "sync"] {
        let flags = ["--size", "8M", "--qd", "16", "--threads", "2", "--backend", backend];
        load(&lab, folder.to_str().expect("a text path"), &flags);
        tool("umount", &[folder.to_str().expect("a text path")]);
        tool("mount", &[&fs.device, folder.to_str().expect("a text path")]);
    }
}
