//! `drivelab check` on real files and devices: what it reads, what it reports, and that it writes nothing.

#[path = "support/schema.rs"]
mod schema;
mod support;

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use drivelab_rig::{LoopDevice, LoopFs, Mount, root_or_skip, skip, text, tool};
use serde_json::Value;
use support::{Done, Lab, done, ext4};

const NOBODY: u32 = 65534;
/// The same load, in a second instead of ten.
const SHORT: [&str; 4] = ["--set", "small-reads.time=200ms", "--set", "small-reads.ramp=0s"];

/// This many MiB of unpredictable bytes (SplitMix64).
fn noise(mebibytes: u64) -> Vec<u8> {
    let mix = |index: u64| {
        let mut mixed = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (1..=mebibytes << 17).flat_map(|index| mix(index).to_le_bytes()).collect()
}

fn check(lab: &Lab, target: &str, more: &[&str]) -> Done {
    lab.run(&[&["check", target], &SHORT[..], more].concat())
}

fn document(done: &Done) -> Value {
    let document = serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}\n{}", done.stderr));
    schema::fits("check", &document);
    document
}

fn answer<'d>(document: &'d Value, question: &str) -> &'d Value {
    let answers = document["answers"].as_array().expect("answers");
    answers.iter().find(|answer| answer["question"] == question).unwrap_or_else(|| panic!("{question}: {document:#}"))
}

fn evidence(answer: &Value) -> String {
    answer["evidence"].as_array().expect("a list").iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_is_too_small_to_tell_anything_is_refused_without_naming_a_flag_that_is_none() {
    let lab = Lab::new();
    lab.write("small.bin", noise(1));
    let small = |target: &str, code: i32| {
        let done = check(&lab, target, &[]);
        assert_eq!(done.code, code, "{}", done.stderr);
        assert!(done.stderr.contains("at least 32 MiB") && done.stderr.contains("--no-read"), "{}", done.stderr);
        assert!(!done.stderr.contains("--size") && !done.stderr.contains("mistake"), "{}", done.stderr);
    };
    small("small.bin", 6);
    if root_or_skip("a loop device") {
        small(&LoopDevice::new(&lab.folder(), "image", 4).device, 6);
    }
    assert!(lab.runs().is_empty());
}

#[test]
fn a_file_is_read_its_empty_places_do_not_count_and_the_run_is_kept() {
    if !root_or_skip("a file system in memory, where no other test can load the disk") {
        return;
    }
    let disk = LoopFs::in_memory(512);
    let lab = Lab::in_folder(disk.mount_point());
    let mut content = noise(128);
    content[64 << 20..].fill(0);
    let path = lab.write("mine.bin", &content);
    let done = check(&lab, "mine.bin", &["--json"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let document = document(&done);
    let old = answer(&document, "old_data");
    assert!(evidence(old).contains("of 25 places hold no data"), "{old:#}");
    assert_eq!(old["figures"][0]["what"], "slowest place, of the fastest", "{old:#}");
    assert!(evidence(answer(&document, "genuine")).contains("of 25 places hold data") || document["model"].is_null());
    let run = document["run"].as_str().expect("a run");
    assert_eq!(lab.runs(), [(run.to_owned(), "complete".to_owned())]);
    let report = lab.json(&["report", run, "--format", "json"]);
    let throughput = |metric: &&Value| metric["id"] == "read.throughput";
    assert_eq!(report["metrics"].as_array().expect("metrics").iter().filter(throughput).count(), 27);
    assert!(std::fs::read(path).expect("still there") == content, "it was written to");
    assert_eq!(lab.files(), ["mine.bin"], "nothing was made beside it");
}

#[test]
fn addresses_that_wrap_speak_against_a_drive() {
    let lab = Lab::new();
    let half = noise(128);
    let mut file = File::create(lab.folder().join("fake.bin")).expect("a file");
    file.write_all(&half).and_then(|()| file.write_all(&half)).expect("room");
    let done = check(&lab, "fake.bin", &["--no-save"]);
    assert_eq!(done.code, 3, "{}\n{}", done.stdout, done.stderr);
    assert!(done.stdout.starts_with("Do not buy: it seems to hold no more than 128 MiB"), "{}", done.stdout);
    assert!(!done.stdout.contains("How sure: "), "{}", done.stdout);
    let unknown: Vec<&str> = done.stdout.lines().filter(|line| line.contains(" unknown  ")).collect();
    assert!(unknown.len() > 1, "{}", done.stdout);
    let all = check(&lab, "fake.bin", &["--no-save", "-v"]);
    let known = 6 - all.stdout.lines().filter(|line| line.contains(" unknown  ")).count();
    assert_eq!(all.stdout.matches("How sure: ").count(), known, "{}", all.stdout);
    assert!(lab.runs().is_empty(), "--no-save keeps nothing");
}

const TITLES: [&str; 6] = ["Healthy", "Genuine", "Link", "Firmware", "Old data", "Use so far"];

/// The answer of `check` is in every report that is made from its run later.
#[test]
fn the_stored_run_and_all_that_is_made_of_it_keep_the_verdict_and_the_answers() {
    let lab = Lab::new();
    let half = noise(128);
    lab.write("fake.bin", [&half[..], &half].concat());
    let done = check(&lab, "fake.bin", &["--json", "-o", "page.html"]);
    assert_eq!(done.code, 3, "{}", done.stderr);
    let said = document(&done);
    let verdict = said["verdict"]["text"].as_str().expect("a line");
    assert!(verdict.starts_with("Do not buy: "), "{verdict}");
    let run = said["run"].as_str().expect("a run");
    let report = lab.json(&["report", run, "--format", "json"]);
    assert_eq!(report["checked"], serde_json::json!({ "verdict": said["verdict"], "answers": said["answers"] }));
    schema::fits("results", &report);
    let shown = lab.json(&["results", "show", run, "--json"]);
    assert_eq!(shown["checked"], report["checked"]);
    let page = std::fs::read_to_string(lab.folder().join("page.html")).expect("the page");
    let texts = [
        ("the page", page),
        ("Markdown", lab.ok(&["report", run, "--format", "md"]).stdout),
        ("Markdown in short", lab.ok(&["report", run, "--format", "brief"]).stdout),
        ("results show", lab.ok(&["results", "show", run]).stdout),
        ("a page to publish", lab.ok(&["report", run, "--format", "html", "--redact"]).stdout),
    ];
    for (what, text) in texts {
        // A terminal breaks lines.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("Do not buy: it seems to hold no more than 128 MiB"), "{what}: {text:.3000}");
        for title in TITLES {
            assert!(text.contains(title), "{what}: '{title}' is missing in {text:.3000}");
        }
    }
    // After a resume it is printed again; a run of another methodology has no such answer.
    assert_eq!(lab.run(&["resume", run]).code, 3);
    lab.ok(&["run", "quick", ".", "--form", "smoke", "--quiet"]);
    assert!(lab.json(&["results", "show", "--last", "--json"])["checked"].is_null());
}

#[test]
fn on_a_terminal_of_24_rows_the_verdict_is_what_is_left_to_see() {
    if std::process::Command::new("tmux").arg("-V").output().is_err() {
        skip("tmux is not installed, so there is no terminal");
        return;
    }
    let lab = Lab::new();
    let half = noise(128);
    lab.write("fake.bin", [&half[..], &half].concat());
    let socket = format!("drivelab-check-{}", std::process::id());
    let tmux = |arguments: &[&str]| {
        let mut command = std::process::Command::new("tmux");
        lab.dress(&mut command).args(["-L", &socket]).args(arguments).output().expect("tmux runs")
    };
    let program = env!("CARGO_BIN_EXE_drivelab");
    let shell = format!("'{program}' check fake.bin {}; echo \"exit $?\"; cat", SHORT.join(" "));
    tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", &shell]);
    let began = std::time::Instant::now();
    let seen = loop {
        let seen = String::from_utf8_lossy(&tmux(&["capture-pane", "-p"]).stdout).into_owned();
        if seen.contains("exit 3") || began.elapsed().as_secs() > 240 {
            break seen;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    tmux(&["kill-server"]);
    assert!(seen.contains("exit 3") && seen.contains("Do not buy: it seems to hold"), "{seen}");
    for title in TITLES {
        assert!(seen.contains(&format!("\n{title}")), "'{title}' is missing in\n{seen}");
    }
}

#[test]
fn a_page_of_what_may_not_be_read_is_refused_in_words() {
    let lab = Lab::new();
    lab.write("mine.bin", noise(32));
    let done = check(&lab, "mine.bin", &["--no-read", "-o", "page.html"]);
    assert_eq!(done.code, 2, "{}", done.stderr);
    lab.write("page.html", "<html>my holiday</html>");
    let kept = check(&lab, "mine.bin", &["-o", "page.html"]);
    assert_eq!(kept.code, 5, "{}", kept.stderr);
    assert!(lab.runs().is_empty());
    let unsaved = check(&lab, "mine.bin", &["-o", "other.html", "--no-save"]);
    assert_eq!(unsaved.code, 0, "{}", unsaved.stderr);
    let page = std::fs::read_to_string(lab.folder().join("other.html")).expect("the page");
    assert!(page.contains("Cannot tell: ") && lab.runs().is_empty());
}

#[test]
fn a_device_is_read_while_it_is_mounted_by_its_name_and_by_a_folder_on_it() {
    if !root_or_skip("a mounted device") {
        return;
    }
    let fs = ext4(160);
    let folder = fs.mount_point();
    std::fs::write(folder.join("data.bin"), noise(96)).expect("room");
    tool("sync", &[]);
    let lab = Lab::new();
    for target in [fs.below.device.as_str(), folder.to_str().expect("a text path")] {
        let done = check(&lab, target, &["--json", "--no-save"]);
        assert_eq!(done.code, 0, "{target}: {}", done.stderr);
        let document = document(&done);
        assert_eq!(
            (&document["target"], &document["read"]),
            (&fs.below.device.as_str().into(), &true.into()),
            "{document:#}"
        );
        assert_eq!(document["verdict"]["standing"], "unknown", "a loop device has no health: {document:#}");
        let line = document["verdict"]["text"].as_str().expect("a line");
        assert!(line.starts_with("Cannot tell: health"), "{line}");
        assert!(!evidence(answer(&document, "old_data")).is_empty(), "{document:#}");
    }
    let only_asked = check(&lab, &fs.below.device, &["--json", "--no-read"]);
    let document = document(&only_asked);
    assert_eq!((&document["read"], &document["run"]), (&false.into(), &Value::Null));
    assert_eq!(answer(&document, "old_data")["standing"], "unknown");
}

/// A copy of the program that anybody may execute.
fn for_everybody(folder: &Path) -> PathBuf {
    let copy = folder.join("drivelab");
    std::fs::copy(env!("CARGO_BIN_EXE_drivelab"), &copy).expect("a copy");
    tool("chmod", &["755", folder.to_str().expect("text"), copy.to_str().expect("text")]);
    copy
}

#[test]
fn a_user_without_rights_hears_what_could_not_be_seen_and_has_the_largest_file_read() {
    if !root_or_skip("another user") {
        return;
    }
    let fs = ext4(160);
    let home = tempfile::Builder::new().prefix("drivelab-check-").tempdir_in("/tmp").expect("a folder");
    let program = for_everybody(home.path());
    let run = |target: &str| {
        let mut command = std::process::Command::new(&program);
        command.args([&["check", target, "--json", "--no-save"], &SHORT[..]].concat());
        done(command.current_dir("/").env("HOME", "/nonexistent").uid(NOBODY).gid(NOBODY).output().expect("it starts"))
    };
    let by_device = document(&run(&fs.below.device));
    assert_eq!(by_device["read"], false, "{by_device:#}");
    let old = answer(&by_device, "old_data");
    assert!(old["text"].as_str().is_some_and(|text| text.contains("may not read")), "{old:#}");
    assert!(old["next_action"].as_str().is_some_and(|text| text.contains("sudo")), "{old:#}");
    // The folder may be below one that only root may enter.
    let open = home.path().join("drive");
    let bound = Mount::new(&["--bind", text(fs.mount_point())], &open).expect("mounted");
    std::fs::write(open.join("film.bin"), noise(112)).expect("room");
    tool("chmod", &["755", open.to_str().expect("text")]);
    tool("sync", &[]);
    let by_folder = run(open.to_str().expect("text"));
    drop(bound);
    assert!(by_folder.stderr.contains("the largest readable file"), "{}", by_folder.stderr);
    let by_folder = document(&by_folder);
    assert!(by_folder["target"].as_str().is_some_and(|path| path.ends_with("film.bin")), "{by_folder:#}");
    assert_eq!(by_folder["read"], true);
}

#[test]
fn what_cannot_be_checked_is_said_with_the_next_step() {
    let lab = Lab::new();
    lab.write("small.bin", [1; 4096]);
    for (target, code, word) in [
        ("no-such-drive", 6, "drivelab targets"),
        ("/dev/null", 6, "character device"),
        ("small.bin", 6, "needs at least 32 MiB"),
    ] {
        let answer = check(&lab, target, &[]);
        assert_eq!(answer.code, code, "{target}: {}", answer.stderr);
        assert!(answer.stderr.contains(word) && answer.stdout.is_empty(), "{target}: {}", answer.stderr);
    }
}
