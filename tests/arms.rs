//! Arms in rounds and conditions that a methodology asks for: their order, which arms are compared, what is left out
//! and what flags replace; and a loop device on a file, which is removed afterwards whatever happens.
//!
//! Tests that need dm-crypt are in tests/vm/encryption.sh and tests/vm/methods_encryption.sh; the message for a drive
//! with one power state is in tests/vm/methods.sh. No emulator has several power states.

#[path = "support/schema.rs"]
mod schema;
mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use drivelab_rig::{LoopDevice, root_or_skip, tool};
use serde_json::Value;
use support::Lab;

const METHOD: &str = include_str!("support/two_steps.toml");

/// The short methodology with this text before its tests.
fn method(conditions: &str) -> String {
    let (head, tests) = METHOD.split_at(METHOD.find("[[tests]]").expect("tests"));
    format!("{head}\n{conditions}\n{tests}")
}

/// A lab with this methodology and an empty folder, in which the loop device's file is created.
fn lab_or_skip(conditions: &str) -> Option<Lab> {
    if !root_or_skip("a loop device") {
        return None;
    }
    let lab = Lab::new();
    lab.write("m.toml", method(conditions));
    std::fs::create_dir(lab.folder().join("room")).expect("a folder");
    Some(lab)
}

/// Files of loop devices in the folder.
fn files(lab: &Lab) -> Vec<PathBuf> {
    let all = std::fs::read_dir(lab.folder().join("room")).expect("the folder");
    all.flatten().map(|entry| entry.path()).collect()
}

/// Nothing of a loop device is left.
fn is_bare(lab: &Lab, after: &str) {
    assert_eq!(files(lab), Vec::<PathBuf>::new(), "{after}: a file is left");
    let room = lab.folder().join("room").canonicalize().expect("the folder");
    let all = tool("losetup", &["--list", "--noheadings", "--output", "BACK-FILE"]);
    assert!(!all.contains(room.to_str().expect("a text path")), "{after}: a loop device is left: {all}");
    for ledgers in ["loops", "conditions"] {
        let kept = std::fs::read_dir(lab.data().join(ledgers)).map(Iterator::count).unwrap_or_default();
        assert_eq!(kept, 0, "{after}: {ledgers} is not empty");
    }
}

/// The recorded environment of a run.
fn condition(lab: &Lab, run: &str) -> toml::Table {
    let text = std::fs::read_to_string(lab.data().join("runs").join(run).join("environment.toml"));
    let all: toml::Table = text.expect("the environment").parse().expect("TOML");
    all["condition"].as_table().expect("a condition").clone()
}

const IN_ROUNDS: &str =
    "[conditions]\npartition = \"90 %\"\narms = [\"none\", \"none\"]\nrepeats = 3\narm_order = \"abba\"";

#[test]
fn a_folder_gets_a_loop_device_on_a_file_for_all_rounds_of_all_arms() {
    let Some(lab) = lab_or_skip(IN_ROUNDS) else { return };
    let document = lab.json(&["run", "m.toml", "room", "--json", "-o", "page.md"]);
    is_bare(&lab, "a run");
    let arms = document["arms"].as_array().expect("arms");
    assert_eq!(arms.len(), 6, "three rounds of two");
    let places: Vec<(i64, i64)> = arms
        .iter()
        .map(|arm| {
            let condition = condition(&lab, arm["run"].as_str().expect("a run"));
            assert_eq!(condition["partition"]["of"], condition["partition"]["of"]);
            let series = condition["series"].as_table().expect("a series");
            assert_eq!(series["loop_on_file"].as_bool(), Some(true));
            assert_eq!((series["of"].as_integer(), series["order"].as_str()), (Some(6), Some("abba")));
            (series["at"].as_integer().expect("a place"), series["round"].as_integer().expect("a round"))
        })
        .collect();
    assert_eq!(places, [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)]);
    schema::fits("arms", &document);
    let over = document["over_rounds"].as_array().expect("rounds");
    assert_eq!(over.len(), 2, "a row for each step");
    assert!(over.iter().all(|step| step["arms"][0]["runs"] == 6), "{over:?}");
    let page = std::fs::read_to_string(lab.folder().join("page.md")).expect("the page");
    for words in ["Each arm over all rounds", "a loop device on a file", "round 2 of 3"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let one = lab.ok(&["report", arms[0]["run"].as_str().expect("a run"), "--format", "md"]).stdout;
    assert!(one.contains("measured on a loop device on a file"), "{one}");
}

#[test]
fn flags_replace_what_the_methodology_asks_for_and_the_record_says_so() {
    let Some(lab) = lab_or_skip(IN_ROUNDS) else { return };
    lab.ok(&["run", "m.toml", "room", "--partition", "50%", "--arm", "none", "--repeats", "1"]);
    is_bare(&lab, "a run");
    let runs = lab.runs();
    assert_eq!(runs.len(), 1, "one arm once");
    let condition = condition(&lab, &runs[0].0);
    let replaced: Vec<&str> =
        condition["series"]["replaced"].as_array().expect("a list").iter().filter_map(toml::Value::as_str).collect();
    assert_eq!(
        replaced,
        ["partition 50 % instead of 90 %", "rounds of all arms 1 instead of 3", "arms none instead of none, none"]
    );
    let part = |name: &str| condition["partition"][name].as_integer().expect("bytes");
    assert!(part("length") * 2 <= part("of"), "{condition:?}");
    let report = lab.ok(&["report", &runs[0].0, "--format", "md"]).stdout;
    assert!(report.contains("Flags replaced conditions of the methodology"), "{report}");
}

#[test]
fn an_optional_arm_is_left_out_by_name_and_any_other_is_refused() {
    let optional = "[conditions]\narms = [\"none\", \"opal\"]\noptional_arms = [\"opal\"]";
    let Some(lab) = lab_or_skip(optional) else { return };
    // Not even in the smoke form: without an arm beside `none` there is nothing to compare.
    for form in ["quick", "smoke"] {
        let refused = lab.run(&["run", "m.toml", "room", "--form", form]);
        assert_eq!(refused.code, 9, "{}", refused.stderr);
        let said = ["no arm is left to compare", "the arm opal was left out"];
        assert!(said.iter().all(|words| refused.stderr.contains(words)), "{}", refused.stderr);
        is_bare(&lab, "a refusal");
    }
    assert!(lab.runs().is_empty(), "nothing was measured");
    lab.write("m.toml", method("[conditions]\narms = [\"none\", \"opal\"]"));
    let refused = lab.run(&["run", "m.toml", "room", "--form", "smoke"]);
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    assert!(refused.stderr.contains("Opal"), "{}", refused.stderr);
    is_bare(&lab, "another refusal");
}

#[test]
fn a_dry_run_makes_nothing_and_says_what_would_be_made() {
    let Some(lab) = lab_or_skip(IN_ROUNDS) else { return };
    let said = lab.ok(&["run", "m.toml", "room", "--dry-run"]).stdout;
    assert!(said.contains("a loop device on a file of") && said.contains("6. arm none, a partition of 90 %"), "{said}");
    is_bare(&lab, "a dry run");
    let destroy = lab.run(&["run", "m.toml", "room", "--destroy", "room"]);
    assert_eq!(destroy.code, 2, "{}", destroy.stderr);
}

/// The loop device of a run that continues, once its writes are measured.
fn begun(lab: &Lab) -> std::process::Child {
    let arguments = ["run", "m.toml", "room", "--events", "json"];
    let mut child = lab.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let lines = BufReader::new(child.stdout.take().expect("stdout")).lines().map_while(Result::ok);
    let mut writes = lines.filter(|line| line.contains("step_started") && line.contains("write"));
    assert!(writes.next().is_some(), "the writes are never begun");
    child
}

#[test]
fn ctrl_c_and_a_kill_leave_no_loop_device_behind() {
    let on_ext4 = "[conditions]\npartition = \"90 %\"\nfile_system = \"ext4\"";
    let Some(lab) = lab_or_skip(on_ext4) else { return };
    let child = begun(&lab);
    tool("kill", &["-INT", &child.id().to_string()]);
    assert_eq!(child.wait_with_output().expect("an end").status.code(), Some(7));
    is_bare(&lab, "Ctrl-C");
    let mut child = begun(&lab);
    child.kill().and_then(|()| child.wait()).expect("killed");
    assert_eq!(files(&lab).len(), 1, "a kill leaves it");
    let resumed = lab.run(&["resume", "--last"]);
    assert!(resumed.stderr.contains("A loop device that a killed run left: detached"), "{}", resumed.stderr);
    is_bare(&lab, "resume");
    // The next run of that kind also cleans up, even if the run's own conditions still exist.
    let mut child = begun(&lab);
    child.kill().and_then(|()| child.wait()).expect("killed");
    let next = lab.run(&["run", "m.toml", "room"]);
    assert_eq!(next.code, 0, "{}", next.stderr);
    is_bare(&lab, "the next run");
}

#[test]
fn a_file_that_somebody_else_made_is_no_loop_device_of_a_killed_run() {
    let Some(lab) = lab_or_skip(IN_ROUNDS) else { return };
    let other = lab.folder().join("room").join("disk.img");
    std::fs::write(&other, vec![7; 1 << 20]).expect("a file");
    let disk = LoopDevice::on(&other, &[]).expect("a loop device");
    lab.ok(&["run", "m.toml", "room", "--arm", "none", "--repeats", "1"]);
    let still = Command::new("losetup").arg(&disk.device).output().expect("losetup");
    assert!(still.status.success(), "{} is gone", disk.device);
    assert_eq!(std::fs::read(&other).expect("the file"), vec![7; 1 << 20]);
    assert!(Path::new(&other).exists());
}

/// Two loop devices of different sizes, both named for --destroy.
struct Pair {
    drives: [LoopDevice; 2],
}

impl Pair {
    fn new(lab: &Lab) -> Pair {
        Pair { drives: [64, 128].map(|size| LoopDevice::new(&lab.folder(), &format!("drive-{size}"), size)) }
    }

    /// `drivelab run` of a methodology on both in its smoke form, as one JSON document.
    fn smoke(&self, lab: &Lab, method: &str, more: &[&str]) -> Value {
        let [one, other] = self.drives.each_ref().map(|drive| drive.device.as_str());
        let names = ["--destroy", one, "--destroy", other, "--form", "smoke", "--json", "-o", "page.html"];
        lab.json(&[&["run", method, one, other], &names[..], more].concat())
    }
}

#[test]
fn a_rate_that_is_needed_is_divided_among_drives_and_the_link_is_named() {
    let Some(lab) = lab_or_skip("") else { return };
    let pair = Pair::new(&lab);
    let document = pair.smoke(&lab, "gpu-feed", &[]);
    schema::fits("together", &document);
    assert_eq!(lab.runs().len(), 4, "each alone, then both");
    let feed = &document["feed"];
    assert_eq!((feed["need_mb_s"].as_f64(), feed["link_mb_s"].as_f64()), (Some(64_000.0), Some(63_000.0)));
    assert_eq!(feed["more_than_the_link"], true);
    let steps = feed["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 3, "every step reads");
    for drive in steps.iter().flat_map(|step| step["drives"].as_array().expect("drives")) {
        let rate = drive["mb_s"].as_f64().expect("a rate");
        let needed = drive["drives"].as_f64().expect("a number");
        assert!(needed * rate >= 64_000.0 && (needed - 1.0) * rate < 64_000.0, "{drive}");
    }
    let page = std::fs::read_to_string(lab.folder().join("page.html")).expect("the page");
    assert!(page.contains("Drives needed for 64.0 GB/s"), "no table on the page");
    // A single drive works too.
    let node = &pair.drives[0].device;
    lab.ok(&["run", "gpu-feed", node, "--destroy", node, "--form", "smoke"]);
    let report = lab.ok(&["report", "--last", "--format", "md"]).stdout;
    let (needed, link) = ("Drives like this one needed for 64.0 GB/s", "no number of drives is enough over one link");
    assert!(report.contains(needed) && report.contains(link), "{report}");
}

#[test]
fn drives_that_are_measured_by_themselves_give_a_ratio_for_a_doubling() {
    let Some(lab) = lab_or_skip("") else { return };
    let pair = Pair::new(&lab);
    let document = pair.smoke(&lab, "capacity-scaling", &[]);
    schema::fits("together", &document);
    assert_eq!((lab.runs().len(), &document["each_only"]), (2, &Value::Bool(true)));
    let steps = document["per_doubling"].as_array().expect("steps");
    assert_eq!(steps.len(), 6);
    for step in steps {
        let rate = |at: usize| step["rates"][at]["mb_s"].as_f64().expect("a rate");
        let capacity = |at: usize| step["rates"][at]["capacity"].as_f64().expect("a capacity");
        assert_eq!((capacity(0), capacity(1)), (67_108_864.0, 134_217_728.0));
        let ratio = step["ratio"]["value"].as_f64().expect("a ratio");
        assert!((ratio - rate(1) / rate(0)).abs() < 1e-6 * ratio, "twice the capacity: {step}");
        assert!(step["ratio"]["low"].is_null(), "one round has no interval: {step}");
    }
    let codes: Vec<&str> =
        document["findings"].as_array().expect("findings").iter().filter_map(|one| one["code"].as_str()).collect();
    assert!(!codes.contains(&"group_unfinished"), "{codes:?}");
    let group = lab.ok(&["report", "--last", "--group", "--format", "md"]).stdout;
    assert!(group.contains("2 drives, one at a time") && group.contains("Effect of doubling"), "{group}");
    // A flag replaces the methodology's own value.
    let at_once = pair.smoke(&lab, "capacity-scaling", &["--together-only"]);
    assert_eq!((lab.runs().len(), &at_once["each_only"]), (4, &Value::Null));
}

#[test]
fn all_aboard_reads_every_drive_at_once_and_only_then() {
    let Some(lab) = lab_or_skip("") else { return };
    let pair = Pair::new(&lab);
    let document = pair.smoke(&lab, "all-aboard", &[]);
    schema::fits("together", &document);
    assert_eq!(lab.runs().len(), 2, "none alone");
    let steps = document["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 2, "32 KiB, then 128 KiB");
    for step in steps {
        let drives = step["drives"].as_array().expect("drives");
        let rates: Vec<f64> = drives.iter().filter_map(|drive| drive["together_mb_s"].as_f64()).collect();
        assert!(rates.len() == 2 && rates.iter().all(|rate| *rate > 0.0), "{step:#}");
        // Very short steps may not overlap, and then there is no sum.
        let total = &step["total"]["together_mb_s"];
        assert_eq!(total.is_null(), step["apart"] == true, "{step:#}");
    }
    assert!(steps.iter().all(|step| step["cpu"]["cores"].as_array().is_some_and(|cores| !cores.is_empty())));
    // Conditions are for one target only.
    let [one, other] = pair.drives.each_ref().map(|drive| drive.device.as_str());
    let refused = lab.run(&["run", "encryption-cost", one, other, "--destroy", one, "--destroy", other]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("sets up conditions, which works for one target only"), "{}", refused.stderr);
}

#[test]
fn the_arms_methodologies_run_whole_in_their_smoke_form() {
    let Some(lab) = lab_or_skip("") else { return };
    let pair = Pair::new(&lab);
    let node = &pair.drives[1].device;
    let done = lab.run(&["run", "encryption-cost", "room", "--form", "smoke"]);
    if support::has_device_mapper() {
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert!(done.stderr.contains("the arm opal was left out"), "{}", done.stderr);
    } else {
        // Without an encrypting arm there is no cost to report, in any form.
        assert_eq!(done.code, 9, "{}", done.stderr);
        assert!(done.stderr.contains("no arm is left to compare"), "{}", done.stderr);
        assert!(lab.runs().is_empty(), "nothing was measured");
    }
    is_bare(&lab, "encryption-cost");
    let done = lab.ok(&["run", "power-states", node, "--destroy", node, "--form", "smoke", "--power-command", METER]);
    assert!(done.stderr.contains("the power states were left unchanged"), "{}", done.stderr);
    assert!(done.stderr.contains("not an NVMe drive"), "{}", done.stderr);
}

/// A meter with the documented protocol that always reports 5 W.
const METER: &str = "while :; do echo \"$(date +%s.%N) 5\"; sleep 0.05; done";
