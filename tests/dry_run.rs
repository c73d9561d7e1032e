//! `--dry-run`: one document and one text for every command that measures, on folders and on real block devices, with
//! the content of the device and the flag that it needs.

#[path = "support/schema.rs"]
mod schema;
mod support;

use drivelab_rig::{LoopDevice, root_or_skip, tool};
use schema::fits;
use serde_json::Value;
use support::{Done, Lab};

/// A loop device in a lab of its own.
struct Disk {
    loop_device: LoopDevice,
    lab: Lab,
}

impl Disk {
    fn new_or_skip(mebibytes: u64) -> Option<Disk> {
        if !root_or_skip("a loop device") {
            return None;
        }
        let lab = Lab::new();
        Some(Disk { loop_device: LoopDevice::new(&lab.folder(), "image", mebibytes), lab })
    }
}

fn document(done: &Done) -> Value {
    let document: Value =
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", done.stdout, done.stderr));
    assert_eq!((&document["schema"], &document["schema_version"]), (&"drivelab.dry-run".into(), &1.into()));
    fits("dry-run", &document);
    document
}

#[test]
fn every_command_says_it_in_one_document() {
    let lab = Lab::new();
    for folder in ["one", "two"] {
        std::fs::create_dir(lab.folder().join(folder)).expect("a folder");
    }
    let one = document(&lab.ok(&["run", "quick", "one", "--form", "smoke", "--dry-run", "--json"]));
    assert!(one["target"].as_str().is_some_and(|target| target.ends_with("one")), "{one:#}");
    assert_eq!(one["written"], one["estimated_written"]);
    let load = document(&lab.ok(&["io", "one", "--size", "8MiB", "--operations", "10", "--dry-run", "--json"]));
    assert_eq!((&load["method"], &load["length"]), (&"io".into(), &(8 << 20).into()));

    let both = ["run", "quick", "one", "two", "--form", "smoke", "--dry-run"];
    let several = document(&lab.ok(&[&both[..], &["--json"]].concat()));
    let drives = several["drives"].as_array().expect("drives");
    assert_eq!((drives.len(), several.get("target")), (2, None));
    // Alone and with the others.
    assert_eq!(drives[0]["written"].as_u64(), one["written"].as_u64().map(|bytes| 2 * bytes));
    let sum: u64 = drives.iter().filter_map(|drive| drive["written"].as_u64()).sum();
    assert_eq!(several["estimated_written"].as_u64(), Some(sum));
    let text = lab.ok(&both).stdout;
    assert!(text.contains("Target   A ") && text.contains("Target   B ") && text.contains("Time "), "{text}");
    let once = document(&lab.ok(&[&both[..], &["--json", "--together-only"]].concat()));
    assert_eq!(once["drives"][0]["written"], one["written"]);

    assert!(lab.files() == ["one", "two"] && lab.runs().is_empty(), "nothing was made");
}

#[test]
fn what_is_left_of_a_run_is_the_same_document() {
    let lab = Lab::new();
    let (mut child, mut lines) = lab.start_with_events(&[".", "--size", "64 MiB"]);
    assert!(lines.any(|line| line.contains("\"step_ended\"")), "a step is measured");
    tool("kill", &["-INT", &child.id().to_string()]);
    lines.for_each(drop);
    child.wait().expect("it ends");
    let left = document(&lab.ok(&["resume", "--last", "--dry-run", "--json"]));
    let (steps, rest) = (left["steps"].as_u64(), left["steps_left"].as_u64());
    assert!(rest > Some(0) && rest < steps, "{left:#}");
    assert_eq!(left["run"].as_str(), Some(lab.runs()[0].0.as_str()));
    let text = lab.ok(&["resume", "--last", "--dry-run"]).stdout;
    assert!(text.starts_with("Dry run: nothing was created or written.\n") && text.contains("finished"), "{text}");
}

#[test]
fn of_a_device_it_says_what_is_on_it_and_what_destroy_needs() {
    let Some(disk) = Disk::new_or_skip(64) else { return };
    tool("mkfs.ext4", &["-q", "-L", "photos", &disk.loop_device.device]);
    let before = std::fs::read(&disk.loop_device.image).expect("the image");
    let run = ["run", "quick", &disk.loop_device.device, "--form", "smoke", "--dry-run"];
    let json = [&run[..], &["--json"]].concat();

    // Not named: everything is printed, and then it is refused like the run itself.
    let refused = disk.lab.run(&json);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    let device = &document(&refused)["device"];
    assert_eq!(
        (&device["destroy"]["id"], &device["destroy"]["named"]),
        (&disk.loop_device.name().into(), &false.into())
    );
    assert!(device["found"].to_string().contains("ext4"), "{device:#}");
    assert!(refused.stderr.contains(&format!("--destroy {}", disk.loop_device.name())), "{}", refused.stderr);

    let named = document(&disk.lab.ok(&[&json[..], &["--destroy", disk.loop_device.name()]].concat()));
    assert_eq!(named["device"]["destroy"]["named"], true);
    assert_eq!(named["device"]["found"], device["found"], "found is what is there, named or not");
    let text = disk.lab.run(&run).stdout;
    assert!(
        text.contains("Found    ") && text.contains(&format!("this needs --destroy {}", disk.loop_device.name())),
        "{text}"
    );
    let wrong = disk.lab.run(&[&run[..], &["--destroy", "S0MEDRIVE"]].concat());
    assert_eq!((wrong.code, wrong.stdout.as_str()), (5, ""), "{}", wrong.stderr);

    // Only reads: nothing has to be named.
    let read =
        disk.lab.ok(&["io", &disk.loop_device.device, "--op", "read", "--operations", "10", "--dry-run", "--json"]);
    let device = &document(&read)["device"];
    assert!(device.get("destroy").is_none() && device["found"].to_string().contains("ext4"), "{device:#}");

    assert!(std::fs::read(&disk.loop_device.image).expect("the image") == before, "bytes changed");
    assert!(disk.lab.runs().is_empty());
}

#[test]
fn conditions_are_part_of_the_same_document() {
    let Some(disk) = Disk::new_or_skip(512) else { return };
    let run = [
        "run",
        "quick",
        &disk.loop_device.device,
        "--form",
        "smoke",
        "--partition",
        "50%",
        "--data-state",
        "discarded",
    ];
    let run = [&run[..], &["--dry-run", "--json"]].concat();
    let refused = disk.lab.run(&run);
    assert_eq!(refused.code, 5, "{}", refused.stderr);
    assert_eq!(document(&refused)["device"]["destroy"]["named"], false);
    let done = document(&disk.lab.ok(&[&run[..], &["--destroy", disk.loop_device.name()]].concat()));
    assert_eq!(done["conditions"][0]["data_state"], "discarded");
    assert_eq!(done["device"]["found"], Value::Array(Vec::new()));
    assert!(done["steps"].as_u64() > Some(1) && done["estimated_written"].as_u64() > Some(0), "{done:#}");
    let text = disk.lab.ok(&[&run[..run.len() - 1], &["--destroy", disk.loop_device.name()]].concat()).stdout;
    assert!(text.contains("Sets up  1. arm none, a partition of 50 %") && text.contains("Time "), "{text}");
}

#[test]
fn the_bare_name_of_a_device_is_no_new_scratch_file() {
    let Some(disk) = Disk::new_or_skip(16) else { return };
    for command in [
        &["run", "quick", disk.loop_device.name(), "--form", "smoke"][..],
        &["run", "quick", disk.loop_device.name(), "--form", "smoke", "--dry-run"],
        &["io", disk.loop_device.name(), "--size", "1MiB", "--operations", "1"],
    ] {
        let refused = disk.lab.run(command);
        assert_eq!(refused.code, 2, "{command:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(&format!("did you mean {}?", disk.loop_device.device)), "{}", refused.stderr);
        assert_eq!(disk.lab.files(), ["image"], "{command:?} made something");
    }
    // With a folder before it, it is a file of that name; an existing file is that file.
    let here = format!("./{}", disk.loop_device.name());
    disk.lab.ok(&["io", &here, "--new-file", "--size", "1MiB", "--op", "write", "--operations", "1", "--no-save"]);
    std::fs::write(disk.lab.folder().join(disk.loop_device.name()), vec![7; 1 << 20]).expect("a file");
    disk.lab.ok(&["io", disk.loop_device.name(), "--op", "read", "--operations", "1", "--no-save"]);
}
