//! Runs under conditions on a real block device: set up, measured, compared, and undone whatever happens.
//! docs/safety.md names these tests; tests that need dm-crypt or NVMe are in tests/vm/encryption.sh.

#[path = "support/schema.rs"]
mod schema;
mod support;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use drivelab_rig::{LoopDevice, root_or_skip, tool};
use serde_json::Value;
use support::{Lab, done};

const METHOD: &str = include_str!("support/two_steps.toml");

/// A loop device on a sparse file of its own, and a lab beside it.
struct Bench {
    disk: LoopDevice,
    lab: Lab,
}

impl Bench {
    fn new_or_skip(mebibytes: u64) -> Option<Bench> {
        if !root_or_skip("a loop device") {
            return None;
        }
        let lab = Lab::new();
        lab.write("m.toml", METHOD);
        Some(Bench { disk: LoopDevice::new(&lab.folder(), "image", mebibytes), lab })
    }

    /// `drivelab run` of the short methodology on the device, named for --destroy.
    fn run<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        [&["run", "m.toml", &self.disk.device, "--destroy", self.disk.name()], more].concat()
    }

    fn ledgers(&self) -> PathBuf {
        self.lab.data().join("conditions")
    }

    /// Nothing that was set up exists any more.
    fn is_bare(&self, after: &str) {
        assert!(!Path::new(&format!("{}p1", self.disk.device)).exists(), "{after}: the partition is left");
        assert_eq!(tool("wipefs", &[&self.disk.device]), "", "{after}: signatures are left");
        let mounts = std::fs::read_to_string("/proc/self/mounts").expect("mounts");
        assert!(!mounts.contains(self.lab.data().to_str().expect("a text path")), "{after}: mounted:\n{mounts}");
        let kept: Vec<_> = std::fs::read_dir(self.ledgers()).into_iter().flatten().flatten().collect();
        assert!(kept.is_empty(), "{after}: {kept:?} are left");
    }

    /// Starts the run with events and waits until the writes are measured.
    fn started(&self, more: &[&str]) -> Child {
        let arguments = [self.run(more), vec!["--events", "json"]].concat();
        let mut child =
            self.lab.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let lines = BufReader::new(child.stdout.take().expect("stdout")).lines().map_while(Result::ok);
        let mut writes = lines.filter(|line| line.contains("step_started") && line.contains("write"));
        assert!(writes.next().is_some(), "the writes are never begun");
        child
    }
}

/// A meter with the documented protocol that always reports 5 W.
const METER: &str = "while :; do echo \"$(date +%s.%N) 5\"; sleep 0.05; done";

/// The section of a Markdown page that compares arms.
fn side_by_side(page: &str) -> &str {
    let section = page.split("## The arms side by side").nth(1).unwrap_or_else(|| panic!("no arms: {page}"));
    section.split("\n## ").next().unwrap_or_default()
}

const ON_EXT4: [&str; 4] = ["--partition", "90%", "--file-system", "ext4"];

#[test]
fn a_file_system_on_a_partition_is_measured_recorded_and_taken_away() {
    let Some(bench) = Bench::new_or_skip(512) else { return };
    let done = bench.lab.ok(&bench.run(&[ON_EXT4.as_slice(), &["-o", "page.md"]].concat()));
    assert!(done.stderr.contains("Set up"), "{}", done.stderr);
    bench.is_bare("a run");
    let (run, state) = bench.lab.runs().remove(0);
    assert_eq!(state, "complete");
    let environment = std::fs::read_to_string(bench.lab.data().join("runs").join(run).join("environment.toml"));
    let environment: toml::Table = environment.expect("the environment").parse().expect("TOML");
    let condition = &environment["condition"];
    assert_eq!(condition["asked"]["file_system"].as_str(), Some("ext4"));
    assert_eq!(condition["partition"]["length"].as_integer(), Some(460 << 20));
    assert_eq!(environment["target"]["file_system"]["kind"].as_str(), Some("ext4"));
    let page = std::fs::read_to_string(bench.lab.folder().join("page.md")).expect("the page");
    for words in ["a partition of 90 %, ext4 made for it", "mke2fs", "nodiscard"] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn arms_are_measured_in_their_order_and_set_beside_each_other() {
    let Some(bench) = Bench::new_or_skip(256) else { return };
    let partition = ["--partition", "50%", "--arm", "none", "--arm", "none", "--json", "-o", "page.md"];
    let document = bench.lab.json(&bench.run(&[&partition[..], &["--power-command", METER]].concat()));
    bench.is_bare("two arms");
    assert_eq!(document["schema"], "drivelab.arms");
    schema::fits("arms", &document);
    let arms = document["arms"].as_array().expect("arms");
    assert_eq!(arms.len(), 2);
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2, "the fill is no result");
    for row in rows {
        let cells: Vec<&Value> = row["cells"].as_array().expect("cells").iter().collect();
        let bound = cells.iter().any(|cell| cell["at_least"] == true);
        match [0, 1].map(|at| cells[at]["cost_percent"].as_f64()) {
            [Some(one), Some(other)] => assert!((one + other).abs() < 1e-6, "both are as far from their mean: {row}"),
            // On a busy machine a rate may be a lower bound; then none has a cost.
            costs => assert!(bound && costs == [None, None], "{row}"),
        }
        assert!(cells.iter().all(|cell| cell["cpu_s_per_gb"].as_f64().is_some_and(|cpu| cpu > 0.0)), "{row}");
    }
    for cell in rows[0]["cells"].as_array().expect("cells") {
        let figure = |name: &str| cell[name].as_f64().unwrap_or_else(|| panic!("no {name}: {cell}"));
        assert!((figure("watts") - 5.0).abs() < 1e-9, "{cell}");
        assert!((figure("mb_s_per_watt") - figure("throughput") / 5.0).abs() < 1e-6, "{cell}");
    }
    let page = std::fs::read_to_string(bench.lab.folder().join("page.md")).expect("the page");
    assert!(!page.contains("not comparable"), "{page}");
    // The page only shows what was recorded: the bundles alone give the same page.
    let ids: Vec<&str> = arms.iter().map(|arm| arm["run"].as_str().expect("a run")).collect();
    bench.lab.ok(&["compare", ids[0], ids[1], "-o", "again.md"]);
    let again = std::fs::read_to_string(bench.lab.folder().join("again.md")).expect("the comparison");
    assert_eq!(side_by_side(&page), side_by_side(&again));
    assert!(side_by_side(&page).contains("CPU (s/GB)") && side_by_side(&page).contains("power (W)"), "{page}");
    let again = bench.lab.json(&["report", ids[0], ids[1], "--json"]);
    assert_eq!((&again["arms"][0]["arms"], &again["arms"][0]["rows"]), (&document["arms"], &document["rows"]));
    for id in ids {
        let events = bench.lab.ok(&["replay", id, "--speed", "0", "--events", "json"]).stdout;
        assert_eq!(events.lines().filter(|line| line.contains("\"host_cpu\"")).count(), 3, "one for each execution");
    }
    // Without the partition it is a different condition, and is not compared with them.
    bench.lab.ok(&bench.run(&["--span", "25%"]));
    let runs = bench.lab.runs();
    let refused = bench.lab.run(&["compare", &runs[0].0, &runs[1].0]);
    assert!(refused.code != 0 && refused.stderr.contains("other conditions ("), "{}", refused.stderr);
}

#[test]
fn data_states_are_prepared_on_the_device_itself() {
    let Some(bench) = Bench::new_or_skip(64) else { return };
    for (state, steps) in [
        ("fresh", &[][..]),
        ("filled:50%", &["prepare/discard", "prepare/fill"]),
        ("overwritten-random", &["prepare/fill", "prepare/overwrite-random"]),
        ("discarded", &["prepare/fill", "prepare/discard"]),
    ] {
        let done = bench.lab.ok(&bench.run(&["--data-state", state, "--events", "json"]));
        let first = done.stdout.lines().next().expect("an event");
        let first: Value = serde_json::from_str(first).expect("JSON");
        let start = &first["event"]["run_started"];
        assert_eq!(start["plan"]["capacity"], 32 << 20);
        let prepared: Vec<&str> = start["plan"]["tests"]
            .as_array()
            .expect("tests")
            .iter()
            .flat_map(|test| test["steps"].as_array().expect("steps"))
            .filter(|step| step["role"] == "prepare")
            .map(|step| step["id"].as_str().expect("an id"))
            .collect();
        assert_eq!(prepared, steps, "{state}");
        assert_eq!(
            start["environment"]["condition"]["done"].as_array().map(Vec::len),
            Some(usize::from(state == "fresh"))
        );
    }
    bench.is_bare("data states");
    let compared = bench.lab.json(&["compare", "--method", "two-steps", "--by", "state", "--json"]);
    let titles: Vec<&str> =
        compared["sides"].as_array().expect("sides").iter().map(|side| side["title"].as_str().expect("text")).collect();
    assert!(titles.len() == 4 && titles[1].ends_with(", filled:50%"), "{titles:?}");
    bench.lab.ok(&["compare", "--method", "two-steps", "--by", "state", "-o", "states.md"]);
    let text = std::fs::read_to_string(bench.lab.folder().join("states.md")).expect("the text");
    assert!(text.contains("data before the tests: A fresh, B filled:50%"), "{text}");
    assert!(!text.contains("The arms side by side"), "one arm in four data states is no comparison of arms");
}

#[test]
fn ctrl_c_ends_the_run_and_undoes_everything() {
    let Some(bench) = Bench::new_or_skip(512) else { return };
    let child = bench.started(&[ON_EXT4.as_slice(), &["--arm", "none", "--arm", "none"]].concat());
    tool("kill", &["-INT", &child.id().to_string()]);
    let ended = done(child.wait_with_output().expect("an end"));
    assert_eq!(ended.code, 7, "{}", ended.stderr);
    bench.is_bare("Ctrl-C");
    assert_eq!(bench.lab.runs().len(), 1, "the second arm is not begun");
    let resumed = bench.lab.run(&["resume", "--last"]);
    assert_eq!(resumed.code, 5, "{}", resumed.stderr);
    assert!(resumed.stderr.contains("begin a new run"), "{}", resumed.stderr);
}

#[test]
fn what_a_killed_run_left_is_undone_by_resume() {
    let Some(bench) = Bench::new_or_skip(512) else { return };
    let mut child = bench.started(&ON_EXT4);
    child.kill().and_then(|()| child.wait()).expect("killed");
    assert!(Path::new(&format!("{}p1", bench.disk.device)).exists(), "a kill leaves it");
    let resumed = bench.lab.run(&["resume", "--last"]);
    assert!(resumed.stderr.contains("are undone: unmounted"), "{}", resumed.stderr);
    assert_eq!(resumed.code, 5, "{}", resumed.stderr);
    bench.is_bare("resume");
    // The next run begins as if nothing had happened.
    bench.lab.ok(&bench.run(&ON_EXT4));
    bench.is_bare("the next run");
}

#[test]
fn a_kill_at_any_moment_of_the_set_up_leaves_nothing_that_resume_does_not_find() {
    let Some(bench) = Bench::new_or_skip(512) else { return };
    for moment in 0..12 {
        let arguments = bench.run(&ON_EXT4);
        let mut child =
            bench.lab.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
        std::thread::sleep(Duration::from_millis(40 + 90 * moment));
        child.kill().and_then(|()| child.wait()).expect("killed");
        // A run that had begun is refused; one that had not does not exist: both after everything was undone.
        let resumed = bench.lab.run(&["resume", "--last"]);
        assert!([0, 4, 5].contains(&resumed.code), "moment {moment}: {} {}", resumed.code, resumed.stderr);
        bench.is_bare(&format!("moment {moment}, resume ended with {} and said {:?}", resumed.code, resumed.stderr));
    }
}

#[test]
fn what_cannot_be_had_is_refused_before_anything_is_touched() {
    let Some(bench) = Bench::new_or_skip(64) else { return };
    std::fs::write(bench.lab.folder().join("marked"), b"x").expect("a file");
    let refused = |arguments: &[&str], code: i32, words: &[&str]| {
        let ended = bench.lab.run(arguments);
        assert_eq!(ended.code, code, "{arguments:?}: {}", ended.stderr);
        assert!(words.iter().all(|word| ended.stderr.contains(word)), "{arguments:?}: {}", ended.stderr);
    };
    refused(&bench.run(&["--arm", "hw"]), 6, &["Opal", "the drive (", "Nothing was touched"]);
    // Nothing about the key is printed, and a missing key is asked for.
    refused(&bench.run(&["--arm", "hw"]), 6, &["--opal-admin-key FILE", "PSID"]);
    refused(&bench.run(&["--opal-admin-key", "marked"]), 2, &["--arm"]);
    refused(&bench.run(&["--arm", "none", "--opal-admin-key", "marked"]), 2, &["for the arm opal"]);
    refused(&bench.run(&["--partition", "10"]), 2, &["10 % or 10 GiB?"]);
    refused(&bench.run(&["--span", "512"]), 2, &["512 MiB or 512 GiB?"]);
    // A size that does not exist would lead to another label: the largest size that fits is named.
    for more in [&["--partition", "2GiB"][..], &["--partition", "63MiB"], &["--partition", "2GiB", "--dry-run"]] {
        refused(&bench.run(more), 2, &["--partition", "at most 62 MiB", "Nothing was touched"]);
    }
    refused(&bench.run(&["--span", "5GiB", "--dry-run"]), 2, &["--span 5 GiB", "at most 64 MiB"]);
    refused(&bench.run(&["--partition", "50%", "--span", "48MiB"]), 2, &["--span 48 MiB", "at most 32 MiB"]);
    let largest = bench.lab.ok(&bench.run(&["--partition", "62MiB", "--span", "62MiB", "--dry-run"]));
    assert!(largest.stdout.contains("a partition of 62 MiB"), "{}", largest.stdout);
    // A limit that nothing can enforce is refused by the dry run too, and before anything is set up.
    for more in [&["--abort-above-c", "50"][..], &["--abort-above-c", "50", "--dry-run"]] {
        refused(&bench.run(&[&["--span", "50%"], more].concat()), 6, &["cannot be enforced"]);
    }
    refused(&bench.run(&["--power-state", "all"]), 6, &["not an NVMe drive"]);
    refused(&bench.run(&["--file-system", "ext4", "--span", "10%"]), 2, &["--size"]);
    refused(&bench.run(&["--file-system", "xfs"]), 6, &["300 MiB"]);
    refused(&bench.run(&["--arm", "luks2:sector=3"]), 2, &["luks2:sector=4096"]);
    refused(&bench.run(&["--data-state", "full"]), 2, &["filled:N%"]);
    refused(&["run", "m.toml", ".", "--partition", "90%"], 2, &["not a block device"]);
    refused(&["run", "m.toml", &bench.disk.device, "--partition", "90%"], 5, &["--destroy"]);
    refused(&["run", "m.toml", &bench.disk.device, "--destroy", "sda", "--partition", "90%"], 5, &["--destroy"]);
    let device_mapper = std::fs::read_to_string("/proc/devices").is_ok_and(|text| text.contains("device-mapper"));
    if !device_mapper {
        refused(&bench.run(&["--arm", "none", "--arm", "luks2"]), 9, &["dm-crypt", "nothing was touched"]);
    }
    let dry = bench.lab.ok(&bench.run(&["--partition", "90%", "--arm", "none", "--dry-run"]));
    assert!(dry.stdout.contains("a partition of 90 %"), "{}", dry.stdout);
    assert!(bench.lab.runs().is_empty());
    bench.is_bare("refusals");
}

#[test]
fn a_ledger_that_cannot_be_read_is_named_and_a_newer_one_keeps_only_its_own_run_from_being_resumed() {
    let Some(bench) = Bench::new_or_skip(256) else { return };
    let (broken, newer) = ("018f0000-0000-7000-8000-000000000001", "018f0000-0000-7000-8000-000000000002");
    std::fs::create_dir_all(bench.ledgers()).expect("a folder");
    std::fs::write(bench.ledgers().join(format!("{broken}.json")), "{ \"format\": 1,").expect("written");
    std::fs::write(bench.ledgers().join(format!("{newer}.json")), r#"{ "format": 99 }"#).expect("written");
    let done = bench.lab.ok(&bench.run(&["--partition", "90%"]));
    assert!(done.stderr.contains(broken) && done.stderr.contains("not an undo log"), "{}", done.stderr);
    assert!(done.stderr.contains("has format 99"), "{}", done.stderr);
    let refused = bench.lab.run(&["resume", newer]);
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("newer version"), "{}", refused.stderr);
    for run in [broken, newer] {
        for ending in ["json", "lock"] {
            std::fs::remove_file(bench.ledgers().join(format!("{run}.{ending}"))).expect("it was left alone");
        }
    }
    bench.is_bare("a run beside ledgers that cannot be read");
}
