//! `drivelab compare` on devices whose ratios are known: throttled loop devices, each measured in several runs, with
//! everything that leads from the words of the command to a table, a file and an exit code.

mod support;

use drivelab_rig::{LoopDevice, Throttle, root_or_skip};
use serde_json::Value;
use support::Lab;

const DRIVELAB: &str = env!("CARGO_BIN_EXE_drivelab");
/// Bytes per second of the slowest device.
const SLOWEST: u64 = 20 << 20;
/// The limits as parts of it. In the long series there are ten devices, as many as capacities in a scaling chart.
const PARTS: [f64; 4] = [1.0, 1.03, 1.5, 2.0];
const LONG_PARTS: [f64; 10] = [1.0, 1.03, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0];
/// Runs of each device.
const RUNS: usize = 3;

/// The figure of each side: ratio to the base, its ends, and the verdict.
fn ratios(document: &Value) -> Vec<(f64, f64, f64, String)> {
    let steps = document["groups"][0]["tests"][0]["steps"].as_array().expect("steps");
    let figures = steps[0]["figures"].as_array().expect("figures");
    let rate = figures.iter().find(|figure| figure["headline"] == true).expect("a headline figure");
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let cells = rate["cells"].as_array().expect("cells").iter().skip(1);
    let of = |cell: &Value| {
        let verdict = cell["verdict"].as_str().expect("a verdict").to_owned();
        (number(&cell["ratio"]), number(&cell["low"]), number(&cell["high"]), verdict)
    };
    cells.map(of).collect()
}

#[test]
fn ratios_of_throttled_devices_are_those_of_their_limits() {
    if !root_or_skip("a throttled loop device") || !Throttle::possible_or_skip() {
        return;
    }
    let long = std::env::var_os("DRIVELAB_RATIOS").is_some_and(|word| word == "all");
    let (parts, time) = if long { (LONG_PARTS.as_slice(), "12s") } else { (PARTS.as_slice(), "5s") };
    let lab = Lab::new();
    let mut disks = Vec::new();
    for part in parts {
        let Some(disk) = LoopDevice::in_memory_or_skip(32) else { return };
        let throttle = Throttle::new(&disk.numbers());
        throttle.limit("read_bps", (SLOWEST as f64 * part) as u64);
        disks.push((disk, throttle));
    }
    // In mixed order, so that a slow change of the machine is not one of a device.
    for run in 0..RUNS {
        let mut order: Vec<usize> = (0..disks.len()).collect();
        order.rotate_left(run);
        for at in order {
            let (disk, throttle) = &disks[at];
            let mut command = throttle.command(DRIVELAB);
            lab.dress(&mut command).args([
                "io",
                &disk.device,
                "--pattern",
                "sequential",
                "--block",
                "256k",
                "--qd",
                "4",
            ]);
            command.args(["--time", time, "--quiet"]);
            assert!(command.output().expect("drivelab starts").status.success());
        }
    }
    let document = lab.json(&["compare", "--method", "io", "--json"]);
    let sides = document["sides"].as_array().expect("sides");
    assert_eq!(sides.len(), parts.len(), "a side for each device: {sides:?}");
    assert!(sides.iter().all(|side| side["runs"].as_array().is_some_and(|runs| runs.len() == RUNS)));
    // The sides stand in the order of their first runs, which is that of the devices.
    let (mut errors, found) = (Vec::new(), ratios(&document));
    for (part, (ratio, low, high, verdict)) in parts[1..].iter().zip(&found) {
        let error = (ratio / part - 1.0).abs();
        println!("{part}: {ratio:.4} ({low:.4} to {high:.4}), {verdict}, off by {:.2} %", error * 100.0);
        errors.push(error);
        if *part >= 1.5 {
            assert_eq!(verdict, "better", "{part}: {ratio} ({low} to {high})");
        }
    }
    assert!(errors.iter().all(|error| *error <= 0.03), "{found:?}");
    errors.sort_by(f64::total_cmp);
    assert!(errors[errors.len() / 2] <= 0.01 || !long, "{found:?}");

    // The same as files, against the fastest, where all are worse.
    let (runs, last) = (lab.runs(), char::from(b'A' + u8::try_from(parts.len() - 1).expect("few")).to_string());
    assert_eq!(runs.len(), parts.len() * RUNS);
    let against = |more: &[&str]| lab.run(&[&["compare", "--method", "io", "--base", &last], more].concat());
    let failed = against(&["--fail-if-worse"]);
    assert_eq!(failed.code, 3, "{}{}", failed.stdout, failed.stderr);
    assert!(failed.stderr.contains("worse than the base: A in "), "{}", failed.stderr);
    assert_eq!(lab.run(&["compare", "--method", "io", "--fail-if-worse", "--base", "A"]).code, 0, "none is worse");
    for name in ["both.html", "both.md", "both.csv", "both.json"] {
        let file = lab.root().join(name);
        let done = against(&["-o", file.to_str().expect("UTF-8")]);
        assert_eq!(done.code, 0, "{name}: {}", done.stderr);
        let text = std::fs::read_to_string(&file).expect("the file");
        assert!(text.contains("worse") && text.contains("SEQ 256 KiB Q4T1 read"), "{name}");
        assert_eq!(against(&["-o", file.to_str().expect("UTF-8")]).code, 0, "{name} is drivelab's own, and replaced");
    }
}

#[test]
fn words_name_sides_or_are_refused() {
    let lab = Lab::new();
    for _ in 0..3 {
        lab.ok(&["io", "nop:", "--time", "200ms", "--quiet"]);
    }
    let runs: Vec<String> = lab.runs().into_iter().map(|(run, _)| run).collect();
    lab.ok(&["results", "tag", &runs[0], "old"]);
    lab.ok(&["results", "tag", &runs[1], "old"]);
    lab.ok(&["results", "tag", &runs[2], "new"]);
    let document = lab.json(&["compare", "tag=new", "tag=old", "--base", "tag=old", "--json"]);
    let counts: Vec<usize> = document["sides"]
        .as_array()
        .expect("sides")
        .iter()
        .map(|side| side["runs"].as_array().expect("runs").len())
        .collect();
    assert_eq!((counts, &document["groups"][0]["base"]), (vec![1, 2], &"B".into()));
    let by_run = lab.json(&["compare", "tag=new", "tag=old", "--by", "run", "--json"]);
    assert_eq!(by_run["sides"].as_array().expect("sides").len(), 3);
    for (words, code, says) in [
        (&["tag=old", "tag=nope"][..], 4, "no complete run matches 'tag=nope'"),
        (&["tag=old", "color=red"], 2, "expected model=, serial=, firmware=, method= or tag="),
        (&["tag=old", "method=io"], 2, "both hold run"),
        (&["tag=old", "zzzz"], 4, "no run or drive 'zzzz'"),
        (&["tag=old", "tag=new", "--base", "C"], 2, "--base C is none of the sides"),
        (&["tag=old", "tag=new", "-o", "both.cdm.txt"], 2, "for one run"),
        (&["tag=old", "tag=new", "--relevant", "most"], 2, "expected a number"),
        (&["tag=old"], 2, "two sides"),
    ] {
        let done = lab.run(&[&["compare"], words].concat());
        assert!((done.code, done.stderr.contains(says)) == (code, true), "{words:?}: {} {}", done.code, done.stderr);
    }
}

#[test]
fn runs_in_one_folder_are_one_side_and_different_things_are_not() {
    let lab = Lab::new();
    let folder = lab.folder();
    let load = |more: &[&str]| {
        let target = folder.to_str().expect("UTF-8");
        lab.ok(&[&["io", target, "--time", "200ms", "--quiet", "--size"], more].concat());
    };
    // Each has a scratch file of its own, and is still of one disk.
    load(&["16MiB"]);
    load(&["16MiB"]);
    load(&["16MiB"]);
    load(&["32MiB"]);
    let runs: Vec<String> = lab.runs().into_iter().map(|(run, _)| run).collect();
    for (run, tag) in runs.iter().zip(["old", "old", "new", "mixed"]) {
        lab.ok(&["results", "tag", run, tag]);
    }
    let document = lab.json(&["compare", "tag=new", "tag=old", "--json"]);
    assert_eq!(document["sides"][1]["runs"].as_array().expect("runs").len(), 2, "{document}");
    lab.ok(&["results", "tag", &runs[3], "new"]);
    let mixed = lab.run(&["compare", "tag=old", "tag=new"]);
    assert!(mixed.code == 2 && mixed.stderr.contains("side B holds runs that differ in their"), "{}", mixed.stderr);
}
