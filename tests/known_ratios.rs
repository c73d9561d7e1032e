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
/// Their capacities, in MiB.
const SIZES_MIB: [u64; 4] = [16, 32, 64, 128];
const LONG_SIZES_MIB: [u64; 10] = [16, 20, 24, 32, 48, 64, 80, 96, 112, 128];
/// Runs of each device.
const RUNS: usize = 3;

/// One run of the device whose rate is the device's own: where a busy machine held the load up, its figures are marked,
/// and it is measured again.
fn is_measured(lab: &Lab, disk: &LoopDevice, throttle: &Throttle, time: &str) {
    for _ in 0..5 {
        let mut command = throttle.command(DRIVELAB);
        let load = ["io", &disk.device, "--pattern", "sequential", "--block", "256k", "--qd", "4", "--quiet", "--json"];
        lab.dress(&mut command).args(load).args(["--time", time]);
        let done = command.output().expect("drivelab starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let document: Value = serde_json::from_slice(&done.stdout).expect("one document");
        let marks = [&document["spoiled_by"], &document["voided_by"]].map(|codes| codes.as_array().expect("codes"));
        if document["lower_bound"] == false && marks.iter().all(|codes| codes.is_empty()) {
            return;
        }
        println!("{}: {} {marks:?}", disk.device, document["limited_because"]);
        lab.ok(&["results", "remove", &lab.runs()[0].0, "--yes"]);
    }
    panic!("{} was never measured without a mark", disk.device);
}

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
    let sizes = if long { LONG_SIZES_MIB.as_slice() } else { SIZES_MIB.as_slice() };
    let lab = Lab::new();
    let mut disks = Vec::new();
    for (part, size) in parts.iter().zip(sizes) {
        let Some(disk) = LoopDevice::in_memory_or_skip(*size) else { return };
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
            is_measured(&lab, disk, throttle, time);
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
    are_ranked(&lab, parts.len());
    let devices: Vec<&str> = disks.iter().map(|(disk, _)| disk.device.as_str()).collect();
    capacity_and_price_are_known(&lab, &devices, parts, sizes);
    for name in ["both.html", "both.md", "both.csv", "both.json"] {
        let file = lab.root().join(name);
        let done = against(&["-o", file.to_str().expect("UTF-8")]);
        assert_eq!(done.code, 0, "{name}: {}", done.stderr);
        let text = std::fs::read_to_string(&file).expect("the file");
        assert!(text.contains("worse") && text.contains("SEQ 256 KiB Q4T1 read"), "{name}");
        assert_eq!(against(&["-o", file.to_str().expect("UTF-8")]).code, 0, "{name} is drivelab's own, and replaced");
    }
}

/// The drives are not what `--by state` asks for: they are refused or marked, with and without their names.
fn drives_differ_beside_the_question(lab: &Lab) {
    let by_state = ["compare", "--method", "io", "--by", "state"];
    let refused = lab.run(&by_state);
    assert!(refused.code == 2 && refused.stderr.contains("differ in more than the state"), "{}", refused.stderr);
    assert!(refused.stderr.contains("drive: A ") && refused.stderr.contains("--allow drive"), "{}", refused.stderr);
    let allowed = lab.ok(&[&by_state[..], &["--allow", "drive"]].concat()).stdout;
    assert!(allowed.contains('†'), "{allowed}");
    // Without their names they are still other drives.
    let written = |file: &str, words: &[&str]| {
        lab.ok(&[words, &["--redact", "-o", file]].concat());
        std::fs::read_to_string(lab.folder().join(file)).expect("the file").contains('†')
    };
    for file in ["drives.md", "drives.html"] {
        assert!(!written(file, &by_state[..3]), "{file}: drives are compared by drive");
        assert!(written(file, &[&by_state[..], &["--allow", "drive"]].concat()), "{file}: drives differ too");
    }
}

/// Named as drives of one family, the devices show what a doubling of the capacity brings; a price is divided as told.
fn capacity_and_price_are_known(lab: &Lab, devices: &[&str], parts: &[f64], sizes_mib: &[u64]) {
    for (device, size) in devices.iter().zip(sizes_mib) {
        lab.ok(&["drives", "name", device, &format!("Known drive {size} GB")]);
    }
    lab.ok(&["drives", "price", devices[0], "10 EUR on 2026-11-20"]);
    lab.ok(&["drives", "price", devices[1], "40 EUR"]);
    let document = lab.json(&["compare", "--method", "io", "--json"]);
    let (group, sides) = (&document["groups"][0], &document["sides"]);
    assert_eq!(sides[0]["title"], format!("Known drive {} GB", sizes_mib[0]));
    // Least squares through the logarithms, as docs/metrics.md has it.
    let points: Vec<(f64, f64)> =
        sizes_mib.iter().zip(parts).map(|(size, part)| ((*size as f64).log2(), part.log2())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let slope = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>()
        / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
    let ratio = group["per_doubling"][0]["ratio"]["value"].as_f64().expect("a ratio");
    assert!((ratio / slope.exp2() - 1.0).abs() < 0.03, "{ratio} instead of {}", slope.exp2());
    assert_eq!(group["per_doubling"][0]["scaling"], "sub_linear");

    let name = format!("Known drive {} GB", sizes_mib[0]);
    assert!(lab.ok(&["results", "list"]).stdout.contains(&name));
    // A name stands for its drive, in letters of any case.
    let other = format!("known drive {} gb", sizes_mib[1]);
    let by_name = lab.json(&["compare", &name, &other, "--json"]);
    assert_eq!(
        (&by_name["sides"][0]["title"], by_name["sides"].as_array().map(Vec::len)),
        (&name.as_str().into(), Some(2))
    );
    // Loop devices have no model: the device stands for the drive.
    let plain = [devices[1], devices[2]].map(|device| device.trim_start_matches("/dev/"));
    let by_device = lab.json(&["compare", plain[0], plain[1], "--json"]);
    assert_eq!(by_device["sides"].as_array().map(Vec::len), Some(2), "{by_device}");
    let ranked = lab.json(&["rank", "io", "--json"]);
    let row = ranked["rows"].as_array().expect("rows").iter().find(|row| row["drive"] == name).expect("the drive");
    let (value, bought) = (row["value"].as_f64(), row["value_per_currency"].as_f64());
    assert_eq!((row["price"].as_f64(), bought), (Some(10.0), value.map(|value| value / 10.0)));

    let bytes = (sizes_mib[0] << 20) as f64;
    let per_gb = sides[0]["price"]["per_gb"].as_f64().expect("a price");
    assert!((per_gb / (10.0 / (bytes / 1e9)) - 1.0).abs() < 1e-9, "{per_gb}");
    let figures = group["tests"][0]["steps"][0]["figures"].as_array().expect("figures");
    let cells = &figures.iter().find(|figure| figure["headline"] == true).expect("a headline")["cells"];
    let number = |value: &Value| value.as_f64().expect("a number");
    for (at, price) in [(0, 10.0), (1, 40.0)] {
        let bought = number(&cells[at]["for_money"]) * price;
        assert!((bought / number(&cells[at]["value"]) - 1.0).abs() < 1e-9, "{}", cells[at]);
    }
    assert!(cells[2].get("for_money").is_none(), "no price, no figure for money: {}", cells[2]);
    let text = lab.ok(&["compare", "--method", "io"]).stdout;
    for part in ["Per doubling", "sub-linear", "Price per GB", "Price and performance per EUR"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    drives_differ_beside_the_question(lab);
    let listed = lab.ok(&["drives"]).stdout;
    let line = format!("{}: Known drive {} GB, 40 EUR on ", devices[1], sizes_mib[1]);
    assert!(listed.contains(&line), "{listed}");
    // A new catalog keeps both, and another currency is not compared.
    lab.ok(&["results", "reindex"]);
    lab.ok(&["drives", "price", devices[1], "40 USD"]);
    let text = lab.ok(&["compare", "--method", "io"]).stdout;
    assert!(text.contains("Known drive") && text.contains("several currencies"), "{text}");
    assert!(!text.contains("Price per GB"), "{text}");
    lab.ok(&["drives", "name", devices[0], ""]);
    assert!(!lab.ok(&["compare", "--method", "io"]).stdout.contains(&format!("Known drive {} GB", sizes_mib[0])));
    for (words, code, says) in [
        (&["price", devices[0], "cheap"][..], 2, "'cheap' is not a price"),
        (&["price", devices[0], "0 EUR"], 2, "an amount above 0"),
        (&["price", devices[0], "-5 EUR"], 2, "'-5 EUR' is not a price"),
        (&["name", "no such drive", "x"], 4, "no stored run is of a drive with the model or serial number"),
        (&["name", "/dev/loop", "x"], 2, "matches several drives"),
    ] {
        let done = lab.run(&[&["drives"], words].concat());
        assert!((done.code, done.stderr.contains(says)) == (code, true), "{words:?}: {} {}", done.code, done.stderr);
    }
}

/// The devices have places in the order of their limits.
fn are_ranked(lab: &Lab, devices: usize) {
    let ranked = lab.json(&["rank", "io", "--json"]);
    let rows = ranked["rows"].as_array().expect("rows");
    let values: Vec<f64> = rows.iter().map(|row| row["value"].as_f64().expect("a value")).collect();
    assert!(values.len() == devices && values.is_sorted_by(|one, other| one > other), "{ranked}");
    let ends = [0, 1, 2].map(|at| rows[at]["place"].as_u64());
    assert_eq!(ends, [Some(1), Some(2), Some(3)], "{ranked}");
    // A newer run with other parameters does not hide them.
    lab.ok(&["io", "nop:", "--block", "8k", "--time", "200ms", "--quiet"]);
    let again = lab.run(&["rank", "io", "--json"]);
    let kept: Value = serde_json::from_str(&again.stdout).expect("a document");
    assert_eq!(kept["rows"].as_array().map(Vec::len), Some(devices), "{kept}");
    assert!(again.stderr.contains("1 run is left out: another version, form, parameters"), "{}", again.stderr);
    let page = lab.root().join("ranking.html");
    lab.ok(&["rank", "io", "-o", page.to_str().expect("UTF-8")]);
    assert!(std::fs::read_to_string(&page).expect("the page").contains("\"kind\":\"rank\""));
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
        (&["tag=old", "tag=nope"][..], 4, "no complete run of the faithful or quick form matches 'tag=nope'"),
        (&["tag=old", "color=red"], 2, "expected model=, serial=, firmware=, method=, profile= or tag="),
        (&["tag=old", "method=io"], 2, "both hold run"),
        (&["tag=old", "zzzz"], 4, "no run, and no drive with a complete run, is called 'zzzz'"),
        (&["tag=old", "tag=new", "--base", "C"], 2, "--base C matches no side"),
        (&["tag=old", "tag=new", "-o", "both.cdm.txt"], 2, "for one run"),
        (&["tag=old", "tag=new", "--relevant", "most"], 2, "expected a number"),
        (&["tag=old", "tag=new", "--close", "100"], 2, "less than 100"),
        (&["tag=old"], 2, "two sides"),
    ] {
        let done = lab.run(&[&["compare"], words].concat());
        assert!((done.code, done.stderr.contains(says)) == (code, true), "{words:?}: {} {}", done.code, done.stderr);
    }
    let named = |name: &str| lab.run(&["drives", "name", "nop:", name]);
    let long = named(&"x".repeat(61));
    assert!(long.code == 2 && long.stderr.contains("at most 60 characters"), "{}", long.stderr);
    assert_eq!(named("Two\nlines").code, 0);
    assert!(lab.ok(&["results", "list"]).stdout.contains("Two lines"));
    // Names are an ornament: a list does without them.
    std::fs::write(lab.data().join("drives.json"), "{").expect("room");
    let list = lab.ok(&["results", "list"]);
    assert!(
        list.stderr.contains("names and prices of drives are left out") && list.stdout.contains("nop:"),
        "{}",
        list.stderr
    );
}

#[test]
fn runs_in_one_folder_are_one_side() {
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
    let runs: Vec<String> = lab.runs().into_iter().map(|(run, _)| run).collect();
    for (run, tag) in runs.iter().zip(["old", "old", "new"]) {
        lab.ok(&["results", "tag", run, tag]);
    }
    let document = lab.json(&["compare", "tag=new", "tag=old", "--json"]);
    assert_eq!(document["sides"][1]["runs"].as_array().expect("runs").len(), 2, "{document}");
    // A testbed that is named later is not another one.
    lab.ok(&["testbed", "set", "--tag", "Testbed-v1"]);
    load(&["16MiB"]);
    let document = lab.json(&["compare", "last", &runs[2], "--json"]);
    assert_eq!(document["sides"][0]["title"], document["sides"][1]["title"], "{document}");
    let by_testbed = lab.run(&["compare", "last", &runs[2], "--by", "testbed"]);
    assert!(by_testbed.code != 0 && by_testbed.stderr.contains("two sides"), "{}", by_testbed.stderr);
    assert_eq!(document["one_run_percent"], 5.0);
    let document = lab.json(&["compare", "last", &runs[2], "--close", "0", "--json"]);
    assert_eq!(document["one_run_percent"], 0.0);
    let ranked = |more: &[&str]| lab.ok(&[&["rank", "io", "published:beeler-sn861"], more].concat()).stdout;
    assert!(ranked(&[]).starts_with("Random read, 4k, 1 in flight, own load: "), "{}", ranked(&[]));
    let folder = folder.to_str().expect("UTF-8");
    assert!(ranked(&[]).contains(folder) && !ranked(&["--redact"]).contains(folder), "{}", ranked(&["--redact"]));
}

#[test]
fn what_differs_besides_the_question_is_refused_unless_allowed() {
    let lab = Lab::new();
    let folder = lab.folder();
    let target = folder.to_str().expect("UTF-8");
    let load = |backend: &str| {
        lab.ok(&["io", target, "--size", "8MiB", "--time", "200ms", "--quiet", "--backend", backend]);
    };
    let unnamed = lab.run(&["testbed"]);
    assert!(unnamed.code == 4 && unnamed.stderr.contains("testbed set --tag"), "{}", unnamed.stderr);
    lab.ok(&["testbed", "set", "--tag", "Testbed-v1"]);
    load("sync");
    lab.ok(&["testbed", "set", "--tag", "Testbed-v2", "--note", "open bench"]);
    assert_eq!(lab.ok(&["testbed"]).stdout, "Testbed-v2\nopen bench\n");
    lab.ok(&["testbed", "set", "--tag", "Testbed-v2"]);
    assert_eq!(lab.ok(&["testbed"]).stdout, "Testbed-v2\nopen bench\n", "the note stays");
    load("uring");
    let stated = lab.ok(&["report", "last", "--format", "md"]).stdout;
    assert!(stated.contains("| Testbed note | open bench |"), "{stated}");
    let runs: Vec<String> = lab.runs().into_iter().map(|(run, _)| run).collect();
    let compare = |more: &[&str]| lab.run(&[&["compare", &runs[0], &runs[1]], more].concat());
    let refused = compare(&[]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    for says in ["engine: ", "testbed: ", "--allow engine", "--allow testbed"] {
        assert!(refused.stderr.contains(says), "{says}: {}", refused.stderr);
    }
    let allowed = compare(&["--allow", "engine", "--allow", "testbed"]);
    assert!(allowed.code == 0 && allowed.stdout.contains('†'), "{}{}", allowed.stdout, allowed.stderr);
    let asked = lab.json(&["compare", &runs[0], &runs[1], "--by", "testbed", "--allow", "engine", "--json"]);
    assert_eq!(asked["groups"][0]["allowed"], serde_json::json!(["engine"]));
    let title = |side: usize| asked["sides"][side]["title"].as_str().expect("a title").rsplit(", ").next();
    // The newer run was named first.
    assert_eq!([title(0), title(1)], [Some("Testbed-v2"), Some("Testbed-v1")], "sides of one drive are told apart");
    let redacted = lab.ok(&["compare", &runs[0], &runs[1], "--by", "testbed", "--allow", "engine", "--redact"]).stdout;
    assert!(!redacted.contains(target) && redacted.contains("Testbed-v2"), "{redacted}");
    assert_eq!(compare(&["--by", "testbed"]).code, 2, "the engine was not allowed");
}

#[test]
fn a_run_has_a_name_and_fails_beyond_its_limits() {
    let lab = Lab::new();
    let load = ["io", "nop:", "--operations", "1000", "--quiet"];
    lab.ok(&load);
    let report = lab.json(&["report", "last", "--json"]);
    let metrics = report["metrics"].as_array().expect("metrics");
    let rate = metrics.iter().find(|metric| metric["id"] == "read.iops").expect("a rate");
    let address = rate["address"].as_str().expect("an address");
    let fails_if = |condition: &str| lab.run(&[&load[..], &["--fail-if", condition]].concat());
    assert_eq!(fails_if(&format!("{address} < 1")).code, 0);
    let slow = fails_if(&format!("{address} < 100 M"));
    assert!(slow.code == 3 && slow.stderr.contains("IOPS"), "{}", slow.stderr);
    assert_eq!(fails_if("read.iops < 1").code, 0, "a load has one step, which needs no name");
    let missing = fails_if("no/step:read.iops < 1");
    assert!(missing.code == 2 && missing.stderr.contains("there is no step 'no/step'"), "{}", missing.stderr);
    let reads = fails_if("write.iops < 1");
    assert!(reads.code == 2 && reads.stderr.contains("issues no write operations"), "{}", reads.stderr);
    let ended = lab.run(&["resume", &lab.runs()[0].0, "--fail-if", "no/step:read.iops < 1"]);
    assert!(ended.code == 2 && ended.stderr.contains("there is no step 'no/step'"), "{}", ended.stderr);
    let wrong = fails_if(&format!("{address} < 1 ms"));
    assert!(wrong.code == 2 && wrong.stderr.contains("which is in IOPS"), "{}", wrong.stderr);
    lab.ok(&["results", "note", "last", "case closed", "--title", "Bench 2"]);
    assert_eq!(lab.ok(&["results", "note", "last"]).stdout, "Bench 2\ncase closed\n");
    let list = lab.ok(&["results", "list"]).stdout;
    assert!(list.lines().nth(1).is_some_and(|line| line.ends_with("Bench 2")), "{list}");
    let first = lab.runs()[0].0.clone();
    lab.ok(&["results", "note", &first, "--condition", "cooling=none", "--condition", "case=open"]);
    lab.ok(&["results", "note", &first, "--condition", "cooling=", "--condition", "room=21 °C"]);
    assert_eq!(lab.ok(&["results", "note", &first]).stdout, "Bench 2\ncase=open\nroom=21 °C\ncase closed\n");
    let nameless = lab.run(&["results", "note", &first, "--condition", "heatsink"]);
    assert!(nameless.code == 2 && nameless.stderr.contains("expected NAME=TEXT"), "{}", nameless.stderr);
    let textless = lab.run(&["run", "quick", ".", "--form", "smoke", "--condition", "cooling="]);
    assert!(textless.code == 2 && textless.stderr.contains("'cooling=' has no text"), "{}", textless.stderr);
    for format in ["md", "brief", "html"] {
        let page = lab.ok(&["report", &first, "--format", format]).stdout;
        for words in ["Bench 2", "Stated by the author", "room", "21 °C", "case closed"] {
            assert!(page.contains(words), "{format}: {words}");
        }
    }
    assert_eq!(lab.json(&["report", &first, "--json"])["label"]["conditions"]["case"], "open");
    let other = lab.runs()[1].0.clone();
    let both = lab.json(&["compare", &first, &other, "--json"]);
    let differ = both["groups"][0]["differences"].as_array().expect("differences");
    assert!(differ.contains(&"case (stated): A open, B not stated".into()), "{differ:?}");
    lab.ok(&["results", "reindex"]);
    assert_eq!(lab.ok(&["results", "note", &first]).stdout.lines().count(), 4, "a new catalog keeps them");
    lab.ok(&["results", "note", "last", "--remove"]);
    assert!(!lab.ok(&["results", "list"]).stdout.contains("Bench 2"));
}

#[test]
fn two_runs_of_one_load_are_compared_for_a_ci_system() {
    let lab = Lab::new();
    let load = ["io", "nop:", "--operations", "1000", "--quiet"];
    lab.ok(&load);
    lab.ok(&load);
    // Every figure is a test case.
    let file = lab.root().join("ci.xml");
    let runs: Vec<String> = lab.runs().into_iter().map(|(run, _)| run).collect();
    let junit = ["compare", &runs[0], &runs[1], "--junit", file.to_str().expect("UTF-8")];
    lab.ok(&junit);
    let same = lab.run(&["compare", &runs[0], &runs[1], "--junit", "both.md", "-o", "both.md"]);
    assert!(same.code == 2 && same.stderr.contains("name the same file"), "{}", same.stderr);
    // A base that is no side yet becomes one; a run that is one already does not become two.
    let added = lab.json(&["compare", &runs[0], "--base", &runs[1], "--json"]);
    assert_eq!(
        (&added["sides"][0]["runs"][0]["id"], &added["groups"][0]["base"]),
        (&runs[1].as_str().into(), &"A".into())
    );
    let end = &runs[1][runs[1].len() - 6..];
    let named = lab.json(&["compare", &runs[0], &runs[1], "--base", end, "--json"]);
    assert_eq!((named["sides"].as_array().map(Vec::len), &named["groups"][0]["base"]), (Some(2), &"B".into()));
    let unknown = lab.run(&["compare", &runs[0], "--base", "no such drive"]);
    assert!(unknown.code == 4 && unknown.stderr.contains("'no such drive'"), "{}", unknown.stderr);
    // The host limits what stores nothing: both values are bounds, so nothing shows that none got worse.
    let worse = lab.run(&["compare", &runs[0], &runs[1], "--fail-if-worse"]);
    assert!(worse.code == 3 && worse.stderr.contains("none of the headline figures can be judged"), "{}", worse.stderr);
    lab.ok(&["compare", &runs[0], &runs[1], "-o", "signs.md"]);
    let markdown = std::fs::read_to_string(lab.folder().join("signs.md")).expect("the file");
    assert_eq!(markdown.matches("≥ marks a lower bound").count(), 1, "{markdown}");
    // Too few operations for the percentiles that are the headline of a load with a rate.
    let few = ["io", "nop:", "--rate", "1k", "--operations", "100", "--quiet"];
    lab.ok(&few);
    lab.ok(&few);
    let two: Vec<String> = lab.runs().into_iter().take(2).map(|(run, _)| run).collect();
    let nothing = lab.run(&["compare", &two[0], &two[1], "--fail-if-worse"]);
    assert!(nothing.code == 3 && nothing.stderr.contains("can be judged"), "{}", nothing.stderr);
    let void = lab.run(&[&few[..], &["--fail-if", "read.latency_p99 > 1 s"]].concat());
    assert!(void.code == 3 && void.stderr.contains("a percentile needs 5 beyond it"), "{}", void.stderr);
    let text = std::fs::read_to_string(&file).expect("the file");
    assert!(text.contains("<testsuite name=\"B against A\"") && text.contains("<testcase "), "{text}");
    lab.ok(&junit);
}
