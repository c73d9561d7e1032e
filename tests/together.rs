//! Several drives concurrently: known losses under throttles (one shared, two separate), refused targets, a stop, a
//! drive that fails while the other continues, and reports of a group through any of its runs.

mod support;

use std::io::BufRead;
use std::path::Path;
use std::process::{Child, Stdio};

use drivelab_rig::{LoopFs, Throttle, root_or_skip, tool};
use support::{Done, Lab, done, files_of};

/// Reads of 256 KiB for this many seconds; two steps, so that the drives meet between them.
fn method(seconds: u32) -> String {
    format!(
        r#"
format = 1
name = "pair"
title = "Reads"
version = "1.0.0"
summary = "Reads of two block sizes."
good_for = "Testing drivelab."
cannot_tell = "Anything about a drive."
[[sources]]
id = "own"
citation = "Written for drivelab's own tests."
[target]
kind = "file"
size = "24 MiB"
minimum_size = "8 MiB"
[forms.quick]
[[prepare]]
action = "fill"
block_size = "256 KiB"
queue_depth = 4
sources = ["own"]
[[tests]]
name = "reads"
title = "Reads"
purpose = "What is left of a known rate in company."
sources = ["own"]
op = "read"
pattern = "sequential"
block_size = ["128 KiB", "256 KiB"]
queue_depth = 4
ramp = "1 s"
time = "{seconds} s"
approximation = {{ op = "given", pattern = "given", block_size = "given", queue_depth = "given", time = "given", ramp = "given" }}
"#
    )
}

/// A lab with the method and two folders to measure.
fn lab_with_two(seconds: u32) -> Lab {
    let lab = Lab::new();
    lab.write("pair.toml", method(seconds));
    for folder in ["one", "two"] {
        std::fs::create_dir(lab.folder().join(folder)).expect("a folder");
    }
    lab
}

/// Measures two folders under a throttle and returns the group's document.
fn under(throttle: &Throttle, folders: [&Path; 2]) -> serde_json::Value {
    let lab = Lab::new();
    lab.write("pair.toml", method(4));
    let [one, two] = folders.map(|folder| folder.to_str().expect("a text path"));
    let mut command = throttle.command(env!("CARGO_BIN_EXE_drivelab"));
    let arguments = ["run", "pair.toml", one, two, "--json", "-o", "page.html"];
    let done = done(lab.dress(&mut command).args(arguments).output().expect("drivelab starts"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let page = std::fs::read_to_string(lab.folder().join("page.html")).expect("the page");
    assert!(page.contains("2 drives at once") && page.contains("id=\"cpu\""), "the page lacks its parts");
    assert_eq!(lab.runs().len(), 4, "two alone and two together");
    serde_json::from_str(&done.stdout).expect("one JSON document")
}

/// What each drive kept in each step, and how long it ran together with others.
fn kept(document: &serde_json::Value) -> Vec<(f64, f64)> {
    let steps = document["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 2, "{document:#}");
    let shares = steps.iter().flat_map(|step| step["drives"].as_array().expect("drives"));
    let figure = |share: &serde_json::Value, name: &str| share[name].as_f64().unwrap_or_else(|| panic!("{share:#}"));
    shares.map(|share| (figure(share, "kept_percent"), figure(share, "overlap_percent"))).collect()
}

fn codes(document: &serde_json::Value) -> Vec<&str> {
    document["findings"].as_array().expect("findings").iter().filter_map(|finding| finding["code"].as_str()).collect()
}

/// Tries, as in `throttled`.
const TRIES: usize = 8;

/// Runs it again if less was kept than due: a throttle gives no credit for time in which nobody asked, so on a busy
/// machine it serves less than its limit. More than the limit can only be a mistake.
fn at_last(
    what: &str,
    run: impl Fn() -> serde_json::Value,
    fits: impl Fn(&serde_json::Value) -> bool,
) -> serde_json::Value {
    let mut document = serde_json::Value::Null;
    for attempt in 1..=TRIES {
        document = run();
        println!("{what}, attempt {attempt}: kept and overlap {:?}", kept(&document));
        if fits(&document) {
            return document;
        }
    }
    panic!("{what}: {document:#}");
}

const RATE: u64 = 20 * 1024 * 1024;

#[test]
fn two_targets_behind_one_limit_keep_half_each() {
    if !root_or_skip("a throttled loop device") || !Throttle::possible_or_skip() {
        return;
    }
    let fs = LoopFs::in_memory(320);
    let throttle = Throttle::new(&fs.below.numbers());
    throttle.limit("read_bps", RATE);
    let folders = ["one", "two"].map(|name| fs.mount_point().join(name));
    folders.iter().for_each(|folder| std::fs::create_dir(folder).expect("a folder"));
    let half = |document: &serde_json::Value| {
        let shares = kept(document).iter().all(|(kept, overlap)| (35.0..65.0).contains(kept) && *overlap > 85.0);
        let totals: Vec<f64> = document["steps"].as_array().expect("steps").iter().map(total).collect();
        assert!(totals.iter().all(|total| *total < 1.1), "both together are beyond the limit: {totals:?}");
        // Seconds in the middle of a step, by the common clock, contain what the limit lets through.
        let near = document["seconds"].as_array().expect("seconds").iter().filter(|second| {
            let rate = second["total_mb_s"].as_f64().expect("a total") * 1e6 / RATE as f64;
            (0.85..1.15).contains(&rate)
        });
        let near = near.count();
        println!("totals {totals:?} of the limit, {near} seconds near it");
        shares && totals.iter().all(|total| *total > 0.85) && near >= 4
    };
    let document = at_last("one limit", || under(&throttle, [&folders[0], &folders[1]]), half);
    assert!(codes(&document).contains(&"shared_device"), "{:?}", codes(&document));
    for step in document["steps"].as_array().expect("steps") {
        let cpus = step["cpu"]["cores"].as_array().expect("CPUs").len();
        assert_eq!(cpus, std::thread::available_parallelism().map_or(cpus, std::num::NonZero::get));
    }
}

/// What all drives moved together in a step, as a share of the limit. The document has that sum unless a drive was
/// apart.
fn total(step: &serde_json::Value) -> f64 {
    let drives = step["drives"].as_array().expect("drives");
    let sum: f64 = drives.iter().map(|drive| drive["together_mb_s"].as_f64().expect("a rate")).sum();
    match step["total"]["together_mb_s"].as_f64() {
        Some(total) => assert!((total - sum).abs() < 1e-6, "{step:#}"),
        None => assert_eq!(step["apart"], true, "{step:#}"),
    }
    sum * 1e6 / RATE as f64
}

#[test]
fn two_targets_with_limits_of_their_own_lose_next_to_nothing() {
    if !root_or_skip("two throttled loop devices") || !Throttle::possible_or_skip() {
        return;
    }
    let (one, two) = (LoopFs::in_memory(320), LoopFs::in_memory(320));
    let throttle = Throttle::new(&one.below.numbers());
    throttle.limit("read_bps", RATE);
    throttle.limit_device(&two.below.numbers(), "read_bps", RATE);
    let whole = |document: &serde_json::Value| {
        kept(document).iter().all(|(kept, overlap)| (80.0..120.0).contains(kept) && *overlap > 85.0)
    };
    let run = || under(&throttle, [one.mount_point(), two.mount_point()]);
    at_last("two limits", run, whole);
}

#[test]
fn what_cannot_be_measured_at_once_is_refused_before_anything_is_made() {
    let lab = lab_with_two(1);
    std::os::unix::fs::symlink("one", lab.folder().join("again")).expect("a link");
    let refused: [(&[&str], i32, &str); 9] = [
        (&["one", "one"], 2, "the same target"),
        (&["one", "two", "again"], 2, "the same target"),
        (&["one", "two", "--events", "json"], 2, "--events"),
        (&["one", "two", "--destroy", "three"], 2, "matches none of the targets"),
        (&["one", "two/new", "--together-only"], 6, "--new-file"),
        (&["one", "two", "--new-file"], 2, "every target exists"),
        (&["one", "--together-only"], 2, "the only target"),
        (&["one", "/dev/null"], 6, "files only"),
        (&["one", "two", "-o", "pair.toml"], 2, "toml"),
    ];
    for (targets, code, words) in refused {
        let done = lab.run(&[&["run", "pair.toml"], targets].concat());
        assert_eq!(done.code, code, "{targets:?}: {}", done.stderr);
        assert!(done.stderr.contains(words), "{targets:?}: {}", done.stderr);
    }
    let dry = lab.ok(&["run", "pair.toml", "one", "two", "--dry-run"]);
    for (letter, name) in [("A", "one"), ("B", "two")] {
        let target = format!("Target   {letter} {}, ", lab.folder().join(name).display());
        assert!(dry.stdout.contains(&target), "{}", dry.stdout);
    }
    assert!(lab.runs().is_empty());
    assert!(files_of(&lab.folder().join("one")).is_empty() && files_of(&lab.folder().join("two")).is_empty());
}

#[test]
fn any_run_of_a_group_leads_to_the_report_of_all() {
    let lab = lab_with_two(1);
    let shown = lab.ok(&["run", "pair.toml", "one", "two", "--together-only"]);
    assert!(shown.stdout.contains("2 drives at once") && shown.stdout.contains("MB/s"), "{}", shown.stdout);
    let runs = lab.runs();
    assert_eq!(runs.len(), 2);
    let documents: Vec<serde_json::Value> =
        runs.iter().map(|(run, _)| lab.json(&["report", run, "--group", "--json"])).collect();
    assert_eq!(documents[0], documents[1]);
    assert!(codes(&documents[0]).contains(&"group_without_alone"));
    let page = lab.folder().join("group.html");
    lab.ok(&["report", &runs[0].0, "--group", "-o", "group.html", "--redact"]);
    let text = std::fs::read_to_string(page).expect("the page");
    assert!(!text.contains(lab.folder().to_str().expect("text")), "a folder's name is in a redacted page");
    assert!(lab.ok(&["report", &runs[0].0, "--group", "--format", "csv"]).stdout.contains("total"));
    // Each of them is also an ordinary run, and reports that it was not alone.
    let own = lab.json(&["report", &runs[0].0, "--json"]);
    assert!(own["findings"].to_string().contains("in_company"), "{:#}", own["findings"]);
    lab.ok(&["run", "pair.toml", "one"]);
    // Runs beside other drives are not compared with a run alone unless that is asked for.
    let alone = lab.run(&["compare", "--method", "pair"]);
    assert_eq!(alone.code, 4, "{}", alone.stderr);
    assert!(
        alone.stderr.contains("2 runs are left out: other drives were measured at the same time"),
        "{}",
        alone.stderr
    );
    let all = lab.json(&["compare", "--method", "pair", "--allow", "company", "--json"]);
    assert_eq!(all["sides"].as_array().expect("sides").len(), 3, "one drive alone and with another is two sides");
    let single = lab.run(&["report", "--last", "--group"]);
    assert_eq!(single.code, 4, "{}", single.stderr);
}

/// Starts two drives concurrently; returns the process once both report that a reading step has begun.
fn started(lab: &Lab, targets: &[&str]) -> Child {
    let arguments = [&["run", "pair.toml"], targets, &["--together-only", "--plain"]].concat();
    let mut child =
        lab.command(&arguments).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("drivelab starts");
    let lines = std::io::BufReader::new(child.stderr.take().expect("stderr")).lines().map_while(Result::ok);
    let mut begun = std::collections::BTreeSet::new();
    let (said, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in lines {
            let letter = line.chars().next().unwrap_or(' ');
            if line.contains("SEQ 128 KiB") || line.contains("128 KiB") && line.contains('[') {
                let _ = said.send(letter);
            }
        }
    });
    while begun.len() < 2 {
        begun.insert(heard.recv().expect("both begin"));
    }
    child
}

fn ended(child: Child) -> Done {
    done(child.wait_with_output().expect("drivelab ends"))
}

#[test]
fn after_a_stop_or_a_kill_each_run_can_go_on_by_itself() {
    for (signal, code) in [("-INT", 7), ("-KILL", -1)] {
        let lab = lab_with_two(20);
        let child = started(&lab, &["one", "two"]);
        tool("kill", &[signal, &child.id().to_string()]);
        let done = ended(child);
        assert_eq!(done.code, code, "{signal}: {}", done.stdout);
        let runs = lab.runs();
        assert_eq!(runs.len(), 2);
        assert!(runs.iter().all(|(_, state)| state == "interrupted"), "{signal}: {runs:?}");
        let left = ["one", "two"].map(|folder| files_of(&lab.folder().join(folder)).is_empty());
        assert_eq!(left, [signal == "-INT"; 2], "{signal}: a stop removes the scratch files, a kill cannot");
        let mut resumed = lab.command(&["resume", &runs[0].0, "--events", "json"]);
        let mut child = resumed.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("drivelab starts");
        let mut lines = std::io::BufReader::new(child.stdout.take().expect("stdout")).lines().map_while(Result::ok);
        assert!(lines.by_ref().any(|line| line.contains("\"interval\"")), "{signal}: the run goes on alone");
        tool("kill", &["-INT", &child.id().to_string()]);
        lines.for_each(drop);
        child.wait().expect("drivelab ends");
        let document = lab.json(&["report", &runs[0].0, "--group", "--json"]);
        assert!(codes(&document).contains(&"group_resumed"), "{signal}: {:?}", codes(&document));
    }
}

#[test]
fn a_drive_that_fails_does_not_end_the_others_and_its_code_is_the_worst() {
    let lab = lab_with_two(4);
    let child = started(&lab, &["one/a.bin", "two", "--new-file"]);
    // Another program truncates the file while it is being read.
    let file = std::fs::OpenOptions::new().write(true).open(lab.folder().join("one/a.bin")).expect("the scratch file");
    file.set_len(0).expect("cut off");
    let done = ended(child);
    assert_eq!(done.code, 8, "{}", done.stdout);
    let runs = lab.json(&["results", "list", "--json"]);
    let runs = runs["runs"].as_array().expect("runs");
    let other = runs.iter().find(|run| run["target"].as_str().is_some_and(|target| target.contains("/two/")));
    assert_eq!(other.expect("the other drive")["state"], "complete");
    let document = lab.json(&["report", "--last", "--group", "--json"]);
    assert_eq!(document["drives"].as_array().expect("drives").len(), 2);
}
