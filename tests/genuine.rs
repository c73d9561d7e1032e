//! The methodology `genuine` on drives that lie, each in a different way, and on an honest drive; and that it asks
//! first. Needs root and /dev/fuse; prints a message if it cannot run.

#[path = "support/fake_drive.rs"]
mod fake_drive;
mod support;

use drivelab_rig::{root_or_skip, skip};
use fake_drive::{Behind, FakeDrive};
use serde_json::Value;
use support::Lab;

const MIB: u64 = 1 << 20;
/// The capacity that every drive here claims, and the amount that the lying drives keep.
const CLAIMED: u64 = 96 * MIB;
const KEPT: u64 = 40 * MIB;

fn can_run() -> bool {
    let fuse = || std::path::Path::new("/dev/fuse").exists() || skip("there is no /dev/fuse");
    root_or_skip("making a drive that lies") && fuse()
}

/// With fewer places than on a real drive.
const QUICK: [&str; 4] = ["--set", "sample.places=400", "--set", "whole.places=100"];

/// Runs it with smaller blocks than on a real drive; returns the results document.
fn checked(lab: &Lab, drive: &FakeDrive, more: &[&str]) -> Value {
    let small = ["--set", "block_size=64k"];
    let run = ["run", "genuine", &drive.disk.device, "--destroy", drive.disk.name(), "--yes"];
    let done = lab.run(&[&run[..], &small, more].concat());
    let (run, state) = lab.runs().into_iter().next().unwrap_or_else(|| panic!("no run: {}", done.stderr));
    assert_eq!(state, "complete", "{}\n{}", done.stdout, done.stderr);
    let mut document = lab.json(&["report", &run, "--format", "json"]);
    document["markdown"] = Value::from(lab.ok(&["report", &run, "--format", "md"]).stdout);
    document
}

fn finding<'d>(document: &'d Value, code: &str) -> &'d Value {
    let findings = document["findings"].as_array().expect("findings");
    findings.iter().find(|finding| finding["code"] == code).unwrap_or_else(|| panic!("no {code} in {findings:#?}"))
}

fn has(document: &Value, code: &str) -> bool {
    document["findings"].as_array().expect("findings").iter().any(|finding| finding["code"] == code)
}

/// A metric of a step that checks.
fn metric(document: &Value, step: &str, id: &str) -> f64 {
    let metrics = document["metrics"].as_array().expect("metrics");
    let is_this = |metric: &&Value| {
        metric["id"] == id && metric["address"].as_str().is_some_and(|address| address.starts_with(step))
    };
    let found = metrics.iter().find(is_this).unwrap_or_else(|| panic!("no {id} of {step}"));
    found["value"].as_f64().expect("a value")
}

#[test]
fn an_honest_drive_passes() {
    if !can_run() {
        return;
    }
    let lab = Lab::new();
    let document = checked(&lab, &FakeDrive::new(&lab, CLAIMED, CLAIMED, Behind::Nothing), &QUICK);
    let told = finding(&document, "capacity_there");
    assert!(told["statement"].as_str().expect("text").contains("all 400 blocks"), "{told:#}");
    assert!(!has(&document, "capacity_missing") && !has(&document, "data_faults"));
    assert!((metric(&document, "sample/", "verified.capacity") - CLAIMED as f64 / 1e9).abs() < 1e-9);
}

#[test]
fn a_drive_whose_addresses_come_round_is_found_with_its_real_size() {
    if !can_run() {
        return;
    }
    let lab = Lab::new();
    let document = checked(&lab, &FakeDrive::new(&lab, CLAIMED, KEPT, Behind::Wraps), &QUICK);
    let told = finding(&document, "capacity_missing");
    assert!(told["statement"].as_str().expect("text").contains("wrap after 41943040 bytes"), "{told:#}");
    assert!(has(&document, "counterfeit_capacity"), "{:#}", document["findings"]);
    assert!((metric(&document, "sample/", "verified.capacity") - KEPT as f64 / 1e9).abs() < 1e-9);
}

/// Dropped data, and data that cannot be read, are missing from the last place that kept its data.
fn ends_near_its_end(behind: Behind) -> Value {
    let lab = Lab::new();
    let document = checked(&lab, &FakeDrive::new(&lab, CLAIMED, KEPT, behind), &QUICK);
    let told = finding(&document, "capacity_missing");
    let found = metric(&document, "sample/", "verified.capacity") * 1e9;
    // 400 places of 1,536 blocks: never more than 16 blocks of 64 KiB between two places.
    assert!(found <= KEPT as f64 && found > (KEPT - MIB) as f64, "{found}, {told:#}");
    document
}

#[test]
fn a_drive_that_drops_what_is_behind_its_end_is_found() {
    if can_run() {
        let document = ends_near_its_end(Behind::Drops);
        assert!(finding(&document, "data_faults").to_string().contains("zero blocks"));
    }
}

#[test]
fn a_drive_that_cannot_be_read_behind_its_end_is_found_and_the_map_shows_where() {
    if can_run() {
        let document = ends_near_its_end(Behind::CannotRead);
        assert!(has(&document, "io_errors"));
        let map =
            document["maps"].as_array().expect("maps").iter().find(|map| map["test"] == "scan").expect("of the scan");
        let text = document["markdown"].as_str().expect("text");
        assert!(text.contains("regions") && text.contains("| bad |"), "{text}");
        let parts = map["parts"].as_array().expect("parts");
        let unreadable = |from: u64, to: u64| {
            let inside = |part: &&Value| part["from"].as_u64() >= Some(from) && part["to"].as_u64() <= Some(to);
            let all: Vec<&Value> = parts.iter().filter(inside).collect();
            (all.len(), all.iter().filter(|part| part["state"] == "bad").count())
        };
        let (kept, bad_kept) = unreadable(0, KEPT);
        let (behind, bad_behind) = unreadable(KEPT + 2 * MIB, CLAIMED);
        assert!(kept > 20 && bad_kept == 0 && behind > 30 && bad_behind == behind, "{parts:#?}");
    }
}

#[test]
fn a_drive_that_fails_writes_behind_its_end_says_itself_where_that_is() {
    if !can_run() {
        return;
    }
    let lab = Lab::new();
    let document = checked(&lab, &FakeDrive::new(&lab, CLAIMED, KEPT, Behind::CannotWrite), &QUICK);
    let told = finding(&document, "capacity_refused");
    let at = told["evidence"][0]["value"].as_f64().expect("an address");
    assert!(at >= (KEPT - MIB) as f64 && at < (KEPT + 2 * MIB) as f64, "{told:#}");
    assert!(!has(&document, "data_faults"), "what was written before held");
}

/// Every address, for a drive that lacks so little that the sample of the other tests would not show it.
#[test]
fn the_faithful_form_finds_a_single_megabyte_that_is_missing() {
    if !can_run() {
        return;
    }
    let lab = Lab::new();
    let drive = FakeDrive::new(&lab, CLAIMED, CLAIMED - MIB, Behind::Drops);
    let document = checked(&lab, &drive, &["--form", "faithful", "--set", "sample.places=2"]);
    let found = metric(&document, "whole/", "verified.capacity") * 1e9;
    assert!((found - (CLAIMED - MIB) as f64).abs() < 1.0, "{found}");
    assert_eq!(metric(&document, "whole/", "verified.share_found"), 0.0);
}

#[test]
fn without_a_word_that_everything_may_be_destroyed_nothing_is_written() {
    if !can_run() {
        return;
    }
    let lab = Lab::new();
    let drive = FakeDrive::new(&lab, CLAIMED, CLAIMED, Behind::Nothing);
    let done = lab.run(&["run", "genuine", &drive.disk.device, "--yes"]);
    assert_ne!(done.code, 0);
    assert!(done.stderr.contains("--destroy"), "{}", done.stderr);
    assert!(lab.runs().is_empty());
}
