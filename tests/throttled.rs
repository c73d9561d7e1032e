//! The instrument on something of known speed: a file on ext4 on a loop device with a block-layer throttle.
//!
//! What the throttle can guarantee is measured in the research notes (engine, section 5.1): rates within 1.5 % over 5
//! s for blocks up to 512 KiB whose depth fits in one 100 ms slice; nothing about latency.

mod support;

use drivelab_rig::{LoopFs, Throttle, root_or_skip};
use support::{Lab, done};

fn method(op: &str, pattern: &str, block: &str, depth: u32) -> String {
    format!(
        r#"
format = 1
name = "known"
title = "Known speed"
version = "1.0.0"
summary = "One step against a throttle."
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
name = "known"
title = "Known"
purpose = "A known rate."
sources = ["own"]
op = "{op}"
pattern = "{pattern}"
block_size = "{block}"
queue_depth = {depth}
ramp = "1 s"
time = "5 s"
approximation = {{ op = "given", pattern = "given", block_size = "given", queue_depth = "given", time = "given", ramp = "given" }}
"#
    )
}

/// Runs one load under one limit and returns a metric of its only measured step.
fn measured(fs: &LoopFs, backend: &str, op: &str, load: (&str, &str, u32), limit: (&str, u64), metric: &str) -> f64 {
    let lab = Lab::new();
    lab.write("known.toml", method(op, load.0, load.1, load.2));
    let throttle = Throttle::new(&fs.below.numbers());
    throttle.limit(limit.0, limit.1);
    let mount = fs.mount_point();
    let arguments = ["run", "known.toml", mount.to_str().expect("a text path"), "--backend", backend, "--json"];
    let mut command = throttle.command(env!("CARGO_BIN_EXE_drivelab"));
    let done = done(lab.dress(&mut command).args(arguments).output().expect("drivelab starts"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let report: serde_json::Value = serde_json::from_str(&done.stdout).expect("one JSON document");
    let wanted = report["metrics"]
        .as_array()
        .expect("metrics")
        .iter()
        .find(|m| m["id"] == metric && m["step"].as_str().is_some_and(|step| step.starts_with("known/")));
    wanted.and_then(|m| m["value"].as_f64()).unwrap_or_else(|| panic!("no {metric} in {:#}", report["metrics"]))
}

#[test]
fn rates_on_a_throttled_loop_device_are_within_two_per_cent_of_the_limit() {
    if !root_or_skip("a throttled loop device") || !Throttle::possible_or_skip() {
        return;
    }
    let fs = LoopFs::in_memory(320);
    const RATE: u64 = 50 * 1024 * 1024;
    const IOPS: u64 = 1000;
    for backend in ["uring", "sync"] {
        for (op, bps, iops) in [("read", "read_bps", "read_iops"), ("write", "write_bps", "write_iops")] {
            let (throughput, rate) = (format!("{op}.throughput"), format!("{op}.iops"));
            assert_within_the_bound(&format!("{backend} sequential {op}"), || {
                1e6 * measured(&fs, backend, op, ("sequential", "256 KiB", 4), (bps, RATE), &throughput) / RATE as f64
            });
            assert_within_the_bound(&format!("{backend} random {op}"), || {
                measured(&fs, backend, op, ("random", "4 KiB", 16), (iops, IOPS), &rate) / IOPS as f64
            });
        }
    }
}

/// What the throttle can guarantee, as a share of its rate.
const BOUND: f64 = 0.015;

/// Tries if less than the limit is measured. Observed beside a load of four on two processors: one random write at a
/// time lost 2 to 4 % in every second try.
const TRIES: usize = 8;

/// More than the limit is wrong immediately. Less is tried again: the throttle gives no credit for a slice of 100 ms
/// in which the measuring thread got no CPU, so a busy machine really is served less. An engine that counts too little
/// fails every try.
fn assert_within_the_bound(what: &str, ratio_of: impl Fn() -> f64) {
    let mut ratio = 0.0;
    for attempt in 1..=TRIES {
        ratio = ratio_of();
        println!("{what}: {ratio:.4} of the limit (attempt {attempt})");
        if ratio >= 1.0 - BOUND {
            break;
        }
    }
    assert!((ratio - 1.0_f64).abs() <= BOUND, "{what}: {ratio} of the limit");
}
