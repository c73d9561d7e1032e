//! File sets through the binary, on real file systems: copied between two file systems and within one, checked,
//! removed; what happens on a full one, what is refused, what is left behind (nothing).

mod support;

use drivelab_rig::{root_or_skip, text};
use serde_json::Value;
use support::{Lab, ext4, files_of};

/// A small transfer with everything that a step on files can do, except a wrong byte for the check to find.
const TRANSFER: &str = r#"
format = 1
name = "transfer"
title = "Transfer"
version = "1.0.0"
summary = "Copies small sets."
good_for = "Testing drivelab."
cannot_tell = "Anything about a drive."

[[sources]]
id = "own"
citation = "a test"

[[file_sets]]
name = "mixed"
count = 300
smallest = "100 B"
largest = "512 KiB"
total = "12 MB"

[target]
kind = "directory"
size = "1 MiB"
minimum_size = "1 MiB"

[forms.quick]

[[tests]]
name = "mixed"
title = "Mixed"
purpose = "Does everything arrive?"
sources = ["own"]
threads = 2
rounds = 2

[[tests.files]]
set = "mixed"
work = "read"
of = "source"

[[tests.files]]
set = "mixed"
work = "copy"
of = "source"
sync = "each"

[[tests.files]]
set = "mixed"
work = "copy"
of = "original"

[[tests.files]]
set = "mixed"
work = "verify"
of = "copy"

[[tests.files]]
set = "mixed"
work = "delete"
of = "original"
"#;

/// The value of a metric.
fn metric(document: &Value, address: &str) -> f64 {
    let metrics = document["metrics"].as_array().expect("metrics");
    let found = metrics.iter().find(|metric| metric["address"] == address);
    found.and_then(|metric| metric["value"].as_f64()).unwrap_or_else(|| panic!("no {address}"))
}

#[test]
fn a_transfer_between_two_file_systems_leaves_both_as_they_were() {
    if !root_or_skip("mounting a file system") {
        return;
    }
    let (lab, source, drive) = (Lab::new(), ext4(64), ext4(96));
    lab.write("transfer.toml", TRANSFER);
    let (source, drive) = (source.mount_point(), drive.mount_point());
    std::fs::write(drive.join("photo.jpg"), b"mine").expect("a file of somebody");
    let before = (files_of(source), files_of(drive));
    let arguments = ["run", "transfer.toml", text(drive), "--source", text(source), "--json"];
    let document = lab.json(&arguments);
    assert_eq!(document["run"]["state"], "complete");
    for step in ["copy-from-source", "copy-on-drive"] {
        assert!(metric(&document, &format!("mixed/{step}:write.iops")) > 0.0);
        assert!(metric(&document, &format!("mixed/{step}:write.throughput")) > 0.0);
    }
    // Every file is a whole number of blocks or one more, in both rounds.
    assert!(metric(&document, "mixed/verify-copy:verified.blocks") >= 2.0 * 12e6 / 4096.0);
    assert_eq!(metric(&document, "mixed/verify-copy:verified.bad_blocks"), 0.0);
    assert_eq!((files_of(source), files_of(drive)), before, "something was left behind or is gone");
    assert_eq!(std::fs::read(drive.join("photo.jpg")).expect("still there"), b"mine");
    let told = document["findings"].to_string();
    assert!(!told.contains("lies on another drive") && !told.contains("voids"), "{told}");
}

#[test]
fn a_full_file_system_ends_the_run_and_leaves_nothing() {
    if !root_or_skip("mounting a file system") {
        return;
    }
    let (lab, fs) = (Lab::new(), ext4(128));
    let drive = fs.mount_point();
    // Refused before anything is created, with the space that it needs and the space that is free.
    let large = TRANSFER.replace("total = \"12 MB\"", "total = \"120 MB\"");
    lab.write("large.toml", &large);
    let refused = lab.run(&["run", "large.toml", text(drive)]);
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    assert!(refused.stderr.contains("take up to") && refused.stderr.contains("are free"), "{}", refused.stderr);
    assert!(lab.runs().is_empty());
    // There is room when the run begins, but not when it writes, because another program takes it meanwhile.
    lab.write("transfer.toml", TRANSFER.replace("rounds = 2", "rounds = 40\nrest = \"20 ms\""));
    let mut child = lab.command(&["run", "transfer.toml", text(drive)]).spawn().expect("drivelab starts");
    let begun = || files_of(drive).iter().any(|name| name.starts_with(".drivelab-files-"));
    while !begun() {
        assert!(child.try_wait().expect("a process").is_none(), "it ended before it began");
        std::thread::yield_now();
    }
    let hog = drive.join("hog");
    let mut file = std::fs::File::create(&hog).expect("a file");
    let _ = std::io::copy(&mut std::io::repeat(7), &mut file);
    let code = child.wait().expect("a process").code();
    assert_ne!(code, Some(0), "a full drive was not noticed");
    assert!(!begun(), "{:?}", files_of(drive));
    let (run, _) = lab.runs().remove(0);
    let report = lab.ok(&["report", &run, "--format", "md"]).stdout;
    assert!(report.contains("No space left") || report.contains("error"), "{report}");
}

#[test]
fn what_cannot_be_worked_on_is_refused_before_anything_is_made() {
    let lab = Lab::new();
    lab.write("transfer.toml", TRANSFER);
    let refused = |arguments: &[&str], code: i32, says: &str| {
        let done = lab.run(arguments);
        assert_eq!(done.code, code, "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.contains(says), "{arguments:?}: {}", done.stderr);
    };
    lab.write("a-file", "x");
    refused(&["run", "transfer.toml", "a-file"], 6, "is not a folder");
    refused(&["run", "transfer.toml", "new-file"], 6, "there is no new-file");
    refused(&["run", "transfer.toml", "new-file", "--new-file"], 6, "is not a folder");
    refused(&["run", "transfer.toml", "/dev/null"], 6, "stores nothing");
    refused(&["run", "transfer.toml", ".", "--source", "."], 2, "the target itself");
    refused(&["run", "transfer.toml", ".", "--source", "a-file"], 2, "is not a folder");
    refused(&["run", "quick", ".", "--source", ".."], 2, "copies none");
    assert!(lab.runs().is_empty());
    let dry = lab.ok(&["run", "transfer.toml", ".", "--dry-run"]).stdout;
    assert!(
        dry.contains("10 steps") && dry.contains("45.78 MiB"),
        "five steps in two rounds, two of which write: {dry}"
    );
    assert!(!files_of(&lab.folder()).iter().any(|name| name.starts_with(".drivelab")));
}

#[test]
fn a_killed_transfer_goes_on_with_what_is_left() {
    let lab = Lab::new();
    lab.write("transfer.toml", TRANSFER.replace("rounds = 2", "rounds = 3\nrest = \"300 ms\""));
    let mut child = lab.command(&["run", "transfer.toml", "."]).spawn().expect("drivelab starts");
    // The first two steps are done, and the copy that the third one needs exists.
    let copied = || {
        let run = files_of(&lab.folder()).into_iter().find(|name| name.starts_with(".drivelab-files-"));
        run.is_some_and(|run| lab.folder().join(run).join("mixed.copy").exists())
    };
    while !copied() {
        assert!(child.try_wait().expect("a process").is_none(), "it ended before it was killed");
        std::thread::yield_now();
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    let (run, state) = lab.runs().remove(0);
    assert_eq!(state, "interrupted");
    let done = lab.run(&["resume", &run]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let document = lab.json(&["report", &run, "--format", "json"]);
    assert_eq!(document["run"]["state"], "complete");
    assert_eq!(metric(&document, "mixed/verify-copy:verified.bad_blocks"), 0.0);
    assert!(!files_of(&lab.folder()).iter().any(|name| name.starts_with(".drivelab")));
}
