//! `drivelab targets` and `drivelab show` on real devices of this machine, as root and as a user without rights.

mod support;

use std::os::unix::process::CommandExt;
use std::path::Path;

use drivelab_rig::{LoopDevice, Mount, root_or_skip, text, tool};
use serde_json::Value;
use support::{Lab, done};

const NOBODY: u32 = 65534;

fn show(lab: &Lab, target: &str) -> Value {
    let document = lab.json(&["show", target, "--json"]);
    assert_eq!((&document["schema"], &document["schema_version"]), (&"drivelab.show".into(), &1.into()));
    document
}

#[test]
fn a_loop_device_is_described_down_to_what_lies_below() {
    if !root_or_skip("a loop device") {
        return;
    }
    let Some(disk) = LoopDevice::in_memory_or_skip(32) else { return };
    let lab = Lab::new();
    let target = &show(&lab, &disk.device)["target"];
    let bytes: u64 = tool("blockdev", &["--getsize64", &disk.device]).trim().parse().unwrap();
    assert_eq!(target["devices"][0]["capacity"], bytes);
    assert_eq!(target["devices"][0]["name"], disk.name());
    assert_eq!(target["identity"]["number"], disk.numbers());
    assert_eq!(target["identity"]["read_only"], false);
    assert!(target["identity"]["diskseq"].as_u64().is_some_and(|seq| seq > 0), "{target}");
    let below = target["devices"][0]["lies_on"].as_array().unwrap();
    assert_eq!(
        target["devices"].as_array().unwrap().len(),
        1 + below.len(),
        "each device below is described: {target}"
    );
    assert_eq!(target["writing"]["with_destroy"]["id"], disk.name(), "no serial number: its kernel name");
    // Its name alone identifies the same device, and the list contains it if layers are asked for.
    assert_eq!(show(&lab, disk.name())["target"]["identity"], target["identity"]);
    let list = lab.json(&["targets", "--all", "--json"]);
    let paths: Vec<&str> =
        list["targets"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert!(paths.contains(&disk.device.as_str()), "{paths:?}");
}

#[test]
fn what_uses_a_device_is_named_and_stands_against_writing() {
    if !root_or_skip("a mounted device") {
        return;
    }
    let Some(disk) = LoopDevice::in_memory_or_skip(32) else { return };
    let lab = Lab::new();
    tool("mkfs.ext4", &["-q", &disk.device]);
    let mount = Mount::new(&[&disk.device], &lab.folder().join("mounted")).expect("mounted");
    let by_device = show(&lab, &disk.device);
    let by_folder = lab.run(&["show", text(&mount.folder), "--json"]);
    drop(mount);
    let used = by_device["target"]["used_by"][0].as_str().unwrap();
    assert!(used.contains("mounted") && used.contains("ext4"), "{used}");
    let why = by_device["target"]["writing"]["not_now"]["why"].as_str().unwrap();
    assert!(why.contains("mounted"), "{why}");
    assert!(by_folder.stderr.contains(&format!("lies on {}", disk.name())), "{}", by_folder.stderr);
    assert!(by_folder.stdout.contains(&format!("\"{}\"", disk.device)), "{}", by_folder.stdout);
}

#[test]
fn a_user_without_rights_gets_what_can_be_known() {
    if !root_or_skip("another user") {
        return;
    }
    let Some(disk) = LoopDevice::in_memory_or_skip(32) else { return };
    // If the build folder is closed to other users, a copy is run.
    let folder = tempfile::Builder::new().prefix("drivelab-show-").tempdir_in("/tmp").unwrap();
    let copy = folder.path().join("drivelab");
    std::fs::copy(env!("CARGO_BIN_EXE_drivelab"), &copy).unwrap();
    tool("chmod", &["755", folder.path().to_str().unwrap(), copy.to_str().unwrap()]);
    for arguments in [&["targets", "--all"][..], &["show", &disk.device], &["show", disk.name(), "--json"]] {
        let mut command = std::process::Command::new(&copy);
        command.args(arguments).current_dir("/").env("HOME", folder.path()).uid(NOBODY).gid(NOBODY);
        let answer = done(command.output().unwrap());
        assert_eq!(answer.code, 0, "{arguments:?}: {}", answer.stderr);
        assert!(answer.stdout.contains(disk.name()), "{arguments:?}: {}", answer.stdout);
    }
    // The configuration of another user, as after `setpriv` or `su` without a login: this user may not read it.
    let closed = folder.path().join("closed");
    std::fs::create_dir_all(closed.join("drivelab/drives")).unwrap();
    tool("chmod", &["700", closed.join("drivelab").to_str().unwrap()]);
    let mut command = std::process::Command::new(&copy);
    command.args(["show", &disk.device, "--json"]).current_dir("/").uid(NOBODY).gid(NOBODY);
    let answer = done(command.env("HOME", folder.path()).env("XDG_CONFIG_HOME", &closed).output().unwrap());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("is HOME right?"), "{}", answer.stderr);
    as_lsblk_says_and_what_is_missing_is_named(&disk, &serde_json::from_str(&answer.stdout).unwrap());
}

/// Facts that another program reports about the device are the same; each missing fact has what, why and how.
fn as_lsblk_says_and_what_is_missing_is_named(disk: &LoopDevice, document: &Value) {
    let told = tool("lsblk", &["--bytes", "--nodeps", "--json", "--output", "SIZE,LOG-SEC,PHY-SEC,RO", &disk.device]);
    let told: Value = serde_json::from_str(&told).expect("lsblk gives JSON");
    let (told, target) = (&told["blockdevices"][0], &document["target"]);
    let device = &target["devices"][0];
    assert_eq!(device["capacity"], told["size"], "{device:#}");
    assert_eq!(device["logical_block_size"], told["log-sec"], "{device:#}");
    assert_eq!(device["physical_block_size"], told["phy-sec"], "{device:#}");
    assert_eq!(target["identity"]["read_only"], told["ro"]);
    let missing = target["not_known"].as_array().expect("a list");
    let has = |words: &str| missing.iter().any(|one| one["what"].as_str().is_some_and(|what| what.contains(words)));
    assert!(has("health") && has("what else uses it") && has("can be written"), "{missing:#?}");
    for one in missing {
        let said = |key: &str| one[key].as_str().is_some_and(|text| !text.is_empty());
        assert!(said("what") && said("why") && said("how"), "{one}");
    }
}

#[test]
fn what_is_no_target_is_said_with_the_next_step() {
    let lab = Lab::new();
    for (target, code, word) in [
        ("/dev/no-such-disk", 6, "drivelab targets"),
        ("no-such-serial-number", 6, "drivelab targets"),
        ("/dev/null", 6, "character device"),
        ("/dev/random", 6, "character device"),
        ("/proc", 6, "there is no block device below it"),
    ] {
        let answer = lab.run(&["show", target]);
        assert_eq!(answer.code, code, "{target}: {}", answer.stderr);
        assert!(answer.stderr.contains(word) && answer.stdout.is_empty(), "{target}: {}", answer.stderr);
    }
    assert!(Path::new("/sys/block").is_dir());
}
