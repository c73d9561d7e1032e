//! Methodologies made from others, as a user sees them: what is set, chosen by time and left out appears in plan, dry
//! run, result and record; kinds of target that a methodology cannot use are refused with a message.

mod support;

use drivelab_rig::{LoopDevice, root_or_skip, tool};
use support::Lab;

/// A methodology for block devices; one of its tests needs what a loop device does not have.
const WHOLE: &str = r#"
format = 1
name = "whole"
title = "Whole"
version = "1.0.0"
summary = "Writes a whole device."
good_for = "Tests."
cannot_tell = "Anything else."
[[sources]]
id = "own"
citation = "our own"
[target]
kind = "block_device"
size = "100 %"
minimum_size = "48 MiB"
[forms.faithful]
[forms.quick.target]
minimum_size = "16 MiB"
[[tests]]
name = "placed"
title = "Placed"
purpose = "Does placement help?"
sources = ["own"]
op = "write"
pattern = "sequential"
block_size = "1 MiB"
queue_depth = 4
passes = 1
requires = { capability = ["fdp"] }
[[tests]]
name = "writes"
title = "Writes"
purpose = "How fast is the whole device?"
sources = ["own"]
op = "write"
pattern = "sequential"
block_size = "1 MiB"
queue_depth = 4
passes = 1
"#;

/// Refused with this exit code and these words.
fn refused(lab: &Lab, arguments: &[&str], code: i32, says: &[&str]) {
    let done = lab.run(arguments);
    assert_eq!(done.code, code, "{arguments:?}\n{}", done.stderr);
    for part in says {
        assert!(done.stderr.contains(part), "{arguments:?}: '{part}' is not in\n{}", done.stderr);
    }
}

/// Names and reasons of what a dry run leaves out.
fn left_out(document: &serde_json::Value) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    let all = document["left_out"].as_array().into_iter().flatten();
    all.map(|one| (text(&one["test"]), text(&one["reason"]))).collect()
}

fn of_quick(document: &serde_json::Value) -> Vec<String> {
    left_out(document).into_iter().map(|(test, _)| test).filter(|test| test.starts_with("quick")).collect()
}

#[test]
fn what_is_set_is_in_plan_result_and_record() {
    let lab = Lab::new();
    let set = ["--set", "queue_depth=1..4", "--set", "depths.block_size=8k", "--size", "8 MiB"];
    let plan = lab.json(&[&["methods", "plan", "quick", ".", "--json"][..], &set].concat());
    assert_eq!(plan["plan"]["methodology"]["version"], "1.1.0+set");
    let of = |test: &str| {
        let tests = plan["plan"]["tests"].as_array().expect("tests");
        let test = tests.iter().find(|one| one["name"] == test).expect("the test");
        let steps = test["steps"].as_array().expect("steps").iter();
        steps.map(|step| step["id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(of("depths"), ["depths/rnd-8k-q1t1-read", "depths/rnd-8k-q2t1-read", "depths/rnd-8k-q4t1-read"]);
    let plain = lab.json(&["methods", "plan", "quick", ".", "--json", "--size", "8 MiB"]);
    assert_ne!(plain["plan"]["methodology"]["hash"], plan["plan"]["methodology"]["hash"]);
    assert_eq!(plain["plan"].get("set"), None, "nothing is said where nothing is set");

    let report = lab.json(&[&["run", "quick", ".", "--form", "smoke", "--json"][..], &set].concat());
    let findings = report["findings"].as_array().expect("findings");
    let set = findings.iter().find(|finding| finding["code"] == "parameters_set").expect("a finding");
    assert!(set["statement"].as_str().is_some_and(|text| text.contains("depths.block_size=8k")), "{set:#}");
    let bundle = lab.ok(&["results", "path", "--last"]).stdout;
    let text = std::fs::read_to_string(std::path::Path::new(bundle.trim()).join("methodology.toml")).expect("the file");
    assert!(text.contains("# ---- --set depths.block_size=8k"), "the record lacks what was set");
    text.parse::<toml::Table>().expect("the record is still a methodology");

    refused(&lab, &["run", "quick", ".", "--set", "depths.queu_depth=3"], 2, &["did you mean `queue_depth`?"]);
    refused(&lab, &["methods", "check", "quick", "--set", "depth.queue_depth=3"], 2, &["did you mean `depths`?"]);
}

#[test]
fn a_review_with_a_time_takes_what_fits_and_names_the_rest() {
    let lab = Lab::new();
    let dry = |time: &str| lab.json(&["review", ".", "--size", "64 MiB", "--time", time, "--dry-run", "--json"]);
    let (long, short) = (dry("10m"), dry("1 min"));
    assert!(of_quick(&long).is_empty(), "{long:#}");
    assert_eq!(of_quick(&short), ["quick-mixes", "quick-depths"]);
    let of_devices = left_out(&long).into_iter().find(|(test, _)| test == "four-corners").expect("left out");
    assert_eq!(of_devices.1, "it needs a block device, and the target is a file");
    assert!(short["estimated_time_s"].as_f64().is_some_and(|seconds| seconds <= 60.0), "{short:#}");
    assert_eq!(long["method"], "review");
    let plain = lab.json(&["review", ".", "--size", "64 MiB", "--dry-run", "--json"]);
    assert_eq!(plain["method"], "quick", "without a time it is what it was");
    refused(&lab, &["review", ".", "--size", "64 MiB", "--time", "50 ms"], 2, &["nothing of 'review' can run here"]);
    assert!(lab.runs().is_empty());
    // All steps of the smoke form fit, and the page shows what ran.
    let report = lab.json(&["run", "review", ".", "--form", "smoke", "--json"]);
    assert_eq!(report["run"]["state"], "complete");
}

/// Why a test or a methodology is left out; `None` if it is not.
fn why<'d>(left: &'d [(String, String)], test: &str) -> Option<&'d str> {
    left.iter().find(|(name, _)| name == test).map(|(_, reason)| reason.as_str())
}

#[test]
fn a_review_takes_what_suits_a_folder_and_the_time_and_says_of_every_other_methodology_why_not() {
    let lab = Lab::new();
    let dry = |time: &str| lab.json(&["review", ".", "--size", "64 MiB", "--time", time, "--dry-run", "--json"]);
    let hour = dry("1h");
    let left = left_out(&hour);
    assert!(hour["estimated_time_s"].as_f64().is_some_and(|seconds| seconds <= 3600.0), "{hour:#}");
    assert!(why(&left, "encryption-cost").is_some_and(|why| why.starts_with("it sets up conditions")), "{left:?}");
    let several =
        "it asks about several drives or capacities, and a suite measures one: `drivelab run all-aboard` does that";
    assert_eq!(why(&left, "all-aboard"), Some(several));
    // File sets are created in a folder, if there is room for them on this machine.
    for files in ["as-ssd", "file-transfer"] {
        assert!(why(&left, files).is_none_or(|why| why.starts_with("its files take up to")), "{left:?}");
    }
    assert!(["quick", "crystaldiskmark", "disk-fill"].iter().all(|test| why(&left, test).is_none()), "{left:?}");
    assert!(why(&left, "load-curves-faithful").is_some_and(|why| why.contains("at least 8.0 h")), "{left:?}");
    let day = left_out(&dry("24h"));
    assert_eq!(why(&day, "load-curves-faithful"), None, "{day:?}");
    if !root_or_skip("a loop device") {
        return;
    }
    let disk = LoopDevice::new(lab.root(), "disk.img", 64);
    let on_disk = ["review", &disk.device, "--time", "24h", "--destroy", disk.name(), "--dry-run", "--json"];
    let left = left_out(&lab.json(&on_disk));
    assert_eq!(why(&left, "as-ssd"), Some("it works on many files in a folder, and the target is a block device"));
    assert_eq!(why(&left, "crystaldiskmark"), Some("it runs on files, and the target is a block device"));
    assert_eq!((why(&left, "four-corners"), why(&left, "snia-pts-more")), (None, None), "{left:?}");
}

#[test]
fn a_test_of_a_review_is_set_and_the_scores_that_need_its_steps_are_left_out_by_name() {
    let lab = Lab::new();
    let dry = ["review", ".", "--size", "64 MiB", "--time", "1h", "--dry-run", "--json"];
    let left = left_out(&lab.json(&[&dry[..], &["--set", "as-ssd-4k.queue_depth=2"]].concat()));
    // Without room for its files, all of it is left out.
    if why(&left, "as-ssd").is_none() {
        assert_eq!(why(&left, "as-ssd-read"), Some("'as-ssd-4k' has no step 'once-4k-q1t1-read'"), "{left:?}");
    }
}

#[test]
fn a_review_of_a_device_that_nobody_released_says_which_word_it_needs() {
    if !root_or_skip("a loop device") {
        return;
    }
    let lab = Lab::new();
    let disk = LoopDevice::new(lab.root(), "disk.img", 64);
    let word = format!("add `--destroy {}`", disk.name());
    let says = [&word, "it writes, and the device may not be written (--destroy would allow it)"];
    refused(&lab, &["review", &disk.device, "--time", "10 min"], 5, &says);
    let dry = lab.json(&["review", &disk.device, "--time", "10 min", "--destroy", disk.name(), "--dry-run", "--json"]);
    assert_eq!((&dry["length"], of_quick(&dry)), (&(64 << 20).into(), Vec::new()));
    assert!(dry["estimated_time_s"].as_f64().is_some_and(|seconds| seconds <= 600.0), "{dry:#}");
    let first = left_out(&dry).into_iter().find(|(test, _)| test == "snia-pts").expect("left out");
    assert_eq!(first.1, "it needs at least 60 min to be useful, and 10 min are available");
}

#[test]
fn a_methodology_for_devices_takes_all_of_one_and_refuses_files() {
    let lab = Lab::new();
    lab.write("whole.toml", WHOLE);
    refused(&lab, &["run", "whole.toml", "."], 6, &["is a folder", "runs on block devices only", "losetup"]);
    refused(&lab, &["run", "whole.toml", "new.bin"], 6, &["there is no new.bin"]);
    refused(&lab, &["run", "whole.toml", "new.bin", "--new-file"], 6, &["is a file"]);
    refused(&lab, &["run", "quick", "model:one"], 6, &["virtual drives are not supported yet"]);
    lab.write("folder.toml", WHOLE.replace("\"block_device\"", "\"directory\""));
    refused(&lab, &["run", "folder.toml", "."], 2, &["states no file size", "--size"]);
    if !root_or_skip("a loop device") {
        return;
    }
    let (disk, small) = (LoopDevice::new(lab.root(), "disk.img", 65), LoopDevice::new(lab.root(), "small.img", 32));
    let destroy = ["--destroy", disk.name(), "--yes"];
    let run = ["run", "whole.toml", &disk.device, "--form", "faithful"];
    let text = lab.ok(&[&run[..], &destroy, &["--dry-run"]].concat()).stdout;
    assert!(text.contains("65 MiB") && text.contains("Left out placed (Placed): it needs `fdp`: loop"), "{text}");
    let done = lab.ok(&[&run[..], &destroy].concat());
    assert!(done.stdout.contains("1 test left out: placed (Placed): it needs `fdp`"), "{}", done.stdout);
    let report = lab.json(&["report", "--last", "--json"]);
    assert!(
        report["metrics"]
            .as_array()
            .expect("metrics")
            .iter()
            .all(|one| { one["address"].as_str().is_none_or(|address| !address.starts_with("placed")) })
    );
    // All of it was written: no block of the image is a hole any more.
    let holes = tool("stat", &["--format=%b", disk.image.to_str().expect("a text path")]);
    assert!(holes.trim().parse::<u64>().expect("blocks of 512 bytes") * 512 >= 65 << 20, "{holes}");

    let run = ["run", "whole.toml", &small.device, "--form", "faithful", "--destroy", small.name(), "--yes"];
    refused(&lab, &run, 6, &["needs at least 48 MiB", "these forms fit: --form quick, --form smoke"]);
}

#[test]
fn a_methodology_of_one_s_own_begins_with_a_file_that_checks_clean() {
    let lab = Lab::new();
    lab.ok(&["methods", "new", "mine"]);
    let checked = lab.json(&["methods", "check", "mine.toml", "--json"]);
    assert_eq!((&checked["ok"], &checked["method"]["name"]), (&true.into(), &"mine".into()));
    let text = std::fs::read_to_string(lab.folder().join("mine.toml")).expect("the file");
    refused(&lab, &["methods", "new", "mine"], 2, &["mine.toml already exists"]);
    assert_eq!(std::fs::read_to_string(lab.folder().join("mine.toml")).expect("the file"), text, "it was not touched");
    refused(&lab, &["methods", "new", "My Own"], 2, &["cannot be the name"]);
    refused(&lab, &["methods", "new", "quick"], 2, &["is a built-in methodology"]);
    refused(&lab, &["methods", "new", "other", "--from", "quik"], 4, &["did you mean 'quick'?"]);
    assert_eq!(lab.files(), ["mine.toml"]);

    lab.ok(&["methods", "new", "like-quick", "--from", "quick"]);
    lab.ok(&["methods", "check", "like-quick.toml"]);
    let same = lab.run(&["methods", "diff", "quick", "like-quick.toml"]);
    assert_eq!((same.code, same.stdout.contains("have the same tests and parameters")), (0, true), "{}", same.stdout);
    let path = lab.folder().join("like-quick.toml");
    let mut text = std::fs::read_to_string(&path).expect("the file");
    text.push_str("[[tests]]\nname = \"depths\"\nqueue_depth = [1, 2]\ntime = \"9 s\"\n");
    text = text.replace("# drop_tests = [\"name-of-a-test\"]", "drop_tests = [\"mixes\"]");
    std::fs::write(&path, text).expect("the file");
    let differ = lab.run(&["methods", "diff", "quick", "like-quick.toml"]);
    assert_eq!((differ.code, differ.stderr.as_str()), (1, ""), "{}", differ.stdout);
    for line in ["mixes\n  only in quick", "queue_depth: 1, 2, 4, 8, 16, 32, 64 -> 1, 2\n", "  time: 4 s -> 9 s\n"] {
        assert!(differ.stdout.contains(line), "{line}: {}", differ.stdout);
    }
    assert!(!differ.stdout.contains("corners"), "{}", differ.stdout);
    let document = lab.run(&["methods", "diff", "quick", "like-quick.toml", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&document.stdout).expect("JSON");
    assert_eq!((document["same"].as_bool(), document["differences"].as_array().map(Vec::len)), (Some(false), Some(3)));
}

/// A methodology that states limits, on a target that is as fast as the processor.
const LIMITED: &str = r#"
format = 1
name = "limited"
title = "Limited"
version = "1.0.0"
summary = "Reads, with limits."
good_for = "Tests."
cannot_tell = "Anything else."
[[sources]]
id = "own"
citation = "our own"
[target]
kind = "any"
size = "64 MiB"
minimum_size = "16 MiB"
content = "as_found"
[forms.quick]
[[tests]]
name = "reads"
title = "Reads"
purpose = "Is it fast enough?"
sources = ["own"]
op = "read"
pattern = "random"
block_size = "4 KiB"
queue_depth = [1, 4]
direct = false
time = "100 ms"
[limits]
fail_if = ["reads/rnd-4k-q1t1-read-buffered:read.iops < 1", "reads/rnd-4k-q4t1-read-buffered:read.latency_p99 > 1 h"]
"#;

#[test]
fn limits_of_a_methodology_decide_the_exit_code_and_stand_in_the_result() {
    let lab = Lab::new();
    let hash = |text: &str| {
        lab.write("limited.toml", text);
        lab.json(&["methods", "check", "limited.toml", "--json"])["method"]["compared_hash"].clone()
    };
    let run = |text: &str, form: &str| {
        lab.write("limited.toml", text);
        let done = lab.run(&["run", "limited.toml", "nop:", "--form", form, "--json"]);
        let document: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
        let findings = document["findings"].as_array().expect("findings").clone();
        let of_limits =
            |finding: &&serde_json::Value| finding["code"].as_str().is_some_and(|code| code.starts_with("limits_"));
        (done.code, done.stderr, findings.iter().filter(of_limits).cloned().collect::<Vec<_>>())
    };
    let (code, said, found) = run(LIMITED, "quick");
    assert_eq!((code, found.len()), (0, 1), "{said}");
    assert_eq!(found[0]["statement"], "Both limits of the methodology hold.");
    let dry = lab.json(&["run", "limited.toml", "nop:", "--dry-run", "--json"]);
    assert_eq!(dry["limits"].as_array().expect("limits").len(), 2, "{dry}");

    let strict = LIMITED.replace(
        "reads/rnd-4k-q1t1-read-buffered:read.iops < 1\"",
        "reads/rnd-4k-q1t1-read-buffered:read.iops < 1,000 M\"",
    );
    let (code, said, found) = run(&strict, "quick");
    assert_eq!((code, &found[0]["code"]), (3, &"limits_broken".into()), "{said}");
    assert!(
        said.contains(
            "1 of the methodology's 2 limits was not shown to hold: \
             reads/rnd-4k-q1t1-read-buffered:read.iops (fails if < 1,000 M) is "
        ),
        "{said}"
    );
    assert_eq!(found[0]["evidence"][0]["limit"], 1e9);
    let report = lab.ok(&["report", "last"]).stdout;
    assert!(report.contains("1 of the methodology's 2 limits was not shown to hold"), "{report}");
    let (code, _, found) = run(&strict, "smoke");
    assert_eq!((code, &found[0]["code"]), (0, &"limits_not_judged".into()), "the smoke form has no usable figures");
    // Another depth changes what the steps are called: their limits do not belong to that run.
    lab.write("limited.toml", &strict);
    let deeper = ["run", "limited.toml", "nop:", "--set", "queue_depth=2,4", "--json"];
    assert_eq!(lab.run(&deeper).code, 0);
    assert_eq!(hash(LIMITED), hash(&strict), "limits change no figure");

    for (limit, says) in [
        ("reads/rnd-4k-q2t1-read-buffered:read.iops < 1", "there is no step 'reads/rnd-4k-q2t1-read-buffered'"),
        ("reads/rnd-4k-q4t1-read-buffered:read.speed < 1", "there is no figure 'read.speed'"),
        ("reads/rnd-4k-q4t1-read-buffered:read.iops < 1 ms", "'ms' is not a unit of this figure, which is in IOPS"),
    ] {
        lab.write("limited.toml", LIMITED.replace("reads/rnd-4k-q4t1-read-buffered:read.latency_p99 > 1 h", limit));
        refused(&lab, &["methods", "check", "limited.toml"], 2, &[says, "limited.toml:"]);
        refused(&lab, &["run", "limited.toml", "nop:"], 2, &[says]);
    }
    // A derived methodology has limits of its own: those of the other one may be about steps that it changed.
    lab.write("limited.toml", LIMITED);
    let head = "format = 1\nname = \"derived\"\nversion = \"1.0.0\"\n";
    let tests = "[include]\nmethod = \"./limited.toml\"\n[[tests]]\nname = \"reads\"\nqueue_depth = 2\n";
    lab.write("derived.toml", format!("{head}{tests}"));
    let derived = lab.ok(&["run", "derived.toml", "nop:", "--form", "quick", "--json"]).stdout;
    assert!(!derived.contains("limits_"), "limits are not inherited");
    let wrong_step = ["run", "limited.toml", "nop:", "--fail-if", "reads/rnd-4k-q3t1-read-buffered:read.iops < 1"];
    refused(
        &lab,
        &wrong_step,
        2,
        &["there is no step 'reads/rnd-4k-q3t1-read-buffered' in 'limited'; did you mean 'reads/rnd-4k-q"],
    );
}

#[test]
fn the_limit_of_wear_is_a_setting() {
    let lab = Lab::new();
    lab.write("drivelab.toml", "endurance_ask_percent = 2.5\n");
    let config = lab.ok(&["config", "--explain"]).stdout;
    assert!(config.contains("endurance_ask_percent 2.5   (from drivelab.toml)"), "{config}");
    lab.write("drivelab.toml", "endurance_ask_percent = 250\n");
    refused(&lab, &["config"], 2, &["expected a percentage from 0 to 100"]);
}

/// Facts of a drive with an endurance of this many bytes.
fn bears(bytes: u64) -> String {
    format!(
        "format = 1\nname = \"worn\"\ntitle = \"Worn\"\nmaker = \"Us\"\n\
         models = [{{ pattern = \"worn\", source = \"own\", certainty = \"stated\" }}]\n\
         [[sources]]\nid = \"own\"\ncitation = \"this test\"\n\
         [figures]\nendurance = {{ value = \"{bytes} B\", source = \"own\", certainty = \"stated\" }}\n"
    )
}

#[test]
fn more_than_a_hundredth_of_what_a_drive_bears_is_written_only_after_a_yes() {
    if !root_or_skip("a loop device") {
        return;
    }
    let lab = Lab::new();
    let data = lab.data();
    let folder = data.parent().expect("a folder");
    let (one, two) = (LoopDevice::new(folder, "one.img", 64), LoopDevice::new(folder, "two.img", 64));
    let on_one = [one.device.as_str(), "--destroy", one.name(), "--form", "smoke", "--facts", "worn.toml"];
    lab.write("worn.toml", bears(1 << 30));
    let words = ["% of the rated 1 GiB (worn, stated)", "there is no terminal to ask on", "Nothing was touched"];
    // By itself, and under conditions, where the sum of all arms counts.
    for method in ["heat-soak", "power-states"] {
        refused(&lab, &[&["run", method][..], &on_one].concat(), 2, &words);
    }
    let bytes = std::fs::read(&one.image).expect("the image");
    assert!(bytes.iter().all(|byte| *byte == 0) && lab.runs().is_empty(), "something was written");
    let yes = lab.ok(&[&["run", "heat-soak"][..], &on_one, &["--yes"]].concat());
    assert!(yes.stderr.contains("The limit for writing without asking is 1 %"), "{}", yes.stderr);
    // A small share of the capacity can be a large share of the rated endurance.
    let large = LoopDevice::new(folder, "large.img", 4096);
    lab.write("worn.toml", bears(100 << 20));
    let on_large = ["run", "heat-soak", &large.device, "--destroy", large.name(), "--form", "smoke"];
    refused(&lab, &[&on_large[..], &["--facts", "worn.toml"]].concat(), 2, &["% of the rated 100 MiB"]);

    // For several drives, what is really written to each counts: once, if each is only measured by itself.
    let both = [one.device.as_str(), &two.device, "--destroy", one.name(), "--destroy", two.name(), "--form", "smoke"];
    let dry = lab.json(&[&["run", "capacity-scaling"][..], &both, &["--dry-run", "--json"]].concat());
    let written = dry["drives"][0]["written"].as_u64().expect("bytes");
    lab.write("worn.toml", bears(written * 140));
    let facts = ["--facts", "worn.toml"];
    let once = lab.ok(&[&["run", "capacity-scaling"][..], &both, &facts].concat());
    assert!(!once.stderr.contains("unasked"), "{}", once.stderr);
    lab.write("worn.toml", bears(written * 60));
    let asked = lab.run(&[&["run", "capacity-scaling"][..], &both, &facts].concat());
    assert_eq!((asked.code, asked.stderr.contains("there is no terminal to ask on")), (2, true), "{}", asked.stderr);
}
