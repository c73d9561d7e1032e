//! Data sheet figures compared with measurements on a throttled loop device: the facts are given by hand, one figure
//! is met, one is missed with its cause, and an unknown name is refused before anything is touched.

mod support;

use drivelab_rig::{LoopDevice, Throttle, root_or_skip};
use serde_json::Value;
use support::{Lab, done};

const MIB: u64 = 1 << 20;

/// Sequential reads of 256 KiB with 4 in flight, and single random reads.
const METHOD: &str = r#"
format = 1
name = "printed"
title = "Printed"
version = "1.0.0"
summary = "Two figures."
good_for = "Testing drivelab."
cannot_tell = "Anything about a drive."
[[sources]]
id = "own"
citation = "Written for drivelab's own tests."
[target]
kind = "block_device"
size = "64 MiB"
minimum_size = "8 MiB"
[defaults]
op = "read"
time = "2 s"
ramp = "500 ms"
[forms.quick]
[[prepare]]
action = "fill"
[[tests]]
name = "in-order"
title = "In order"
purpose = "A known rate."
sources = ["own"]
twin = "sequential_read"
pattern = "sequential"
block_size = "256 KiB"
queue_depth = 4
[[tests]]
name = "alone"
title = "Alone"
purpose = "A known time."
sources = ["own"]
twin = "read_latency"
pattern = "random"
block_size = "4 KiB"
queue_depth = 1
"#;

/// Facts of an invented drive: 20 MB/s are what the throttle allows, 100 ns are less than any device takes.
const FACTS: &str = r#"
format = 1
name = "made-up"
title = "Made up"
maker = "Nobody"
models = [{ pattern = "MADE UP", source = "own", certainty = "unverified" }]
[[sources]]
id = "own"
citation = "drivelab's own tests"
[figures]
sequential_read = { value = "20 MB/s", source = "own", certainty = "stated", note = "256 KiB" }
read_latency = { value = "100 ns", source = "own", certainty = "stated" }
endurance = { value = "1 TB", source = "own", certainty = "stated" }
"#;

/// Number of tries if less than the printed figure is measured, as in `throttled`.
const TRIES: usize = 8;

fn row<'d>(document: &'d Value, figure: &str) -> &'d Value {
    let rows = document["data_sheet"]["rows"].as_array().expect("rows");
    rows.iter().find(|row| row["figure"] == figure).unwrap_or_else(|| panic!("no {figure} in {rows:#?}"))
}

#[test]
fn a_throttled_device_meets_what_it_does_and_misses_what_it_cannot() {
    if !root_or_skip("a throttled loop device") || !Throttle::possible_or_skip() {
        return;
    }
    let lab = Lab::new();
    lab.write("printed.toml", METHOD);
    lab.write("facts.toml", FACTS);
    // In memory: a disk that other programs keep busy may serve less than the limit.
    let disk = LoopDevice::filled("/dev/shm", 64, 0, &[]).expect("a loop device in memory");
    let throttle = Throttle::new(&disk.numbers());
    throttle.limit("read_bps", 20 * MIB);
    let arguments = ["run", "printed.toml", &disk.device, "--destroy", disk.name(), "--yes", "--json", "--facts"];
    let run = |facts: &str| {
        let mut command = throttle.command(env!("CARGO_BIN_EXE_drivelab"));
        done(lab.dress(&mut command).args(arguments).arg(facts).output().expect("drivelab starts"))
    };
    let refused = run("no-such-drive");
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    assert!(refused.stderr.contains("no-such-drive") && lab.runs().is_empty(), "{}", refused.stderr);
    // The throttle gives no credit for a slice in which the measuring thread got no CPU, so a busy machine may really
    // serve less than the printed figure. Nothing makes it serve more.
    let measured = || {
        let ran = run("facts.toml");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
        println!("{:#}", row(&document, "sequential_read"));
        document
    };
    let document = (0..TRIES).map(|_| measured()).find(|document| row(document, "sequential_read")["verdict"] == "met");
    let document = document.expect("the printed rate is met in one of the tries");
    let sheet = &document["data_sheet"];
    assert_eq!((&sheet["facts"], &sheet["named_by_user"]), (&"made-up".into(), &true.into()));
    let rate = row(&document, "sequential_read");
    assert_eq!((&rate["verdict"], &rate["printed"]), (&"met".into(), &20.0.into()), "{rate:#}");
    assert_eq!(rate["step"], "in-order/seq-256k-q4t1-read");
    let time = row(&document, "read_latency");
    // On a busy host the step's own threads become the limit, and then there is no verdict.
    assert!(time["verdict"] == "missed" || time["verdict"] == "undecided", "{time:#}");
    let causes: Vec<&str> =
        time["causes"].as_array().expect("causes").iter().filter_map(|cause| cause["kind"].as_str()).collect();
    assert!(causes.contains(&"layer"), "a loop device is a virtual disk: {time:#}");
    let codes = document["findings"].as_array().expect("findings").iter().filter_map(|one| one["code"].as_str());
    assert_eq!(codes.filter(|code| code.starts_with("data_sheet")).count(), 1, "{:#}", document["findings"]);
    // 64 MiB were written: 67.1 millionths of a terabyte.
    let share = sheet["endurance"]["run_share_percent"].as_f64().expect("a share");
    assert!((share - 0.0067).abs() < 0.0002, "{share}");
    let page = lab.ok(&["report", "last", "--format", "md"]).stdout;
    assert!(page.contains("## Data sheet\n") && page.contains("20.00 MB/s"), "{page}");
}
