//! fio for comparison: the job that is equivalent to a load of drivelab, and its figures.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

use std::process::Command;

use drivelab_rig::skip;
use serde_json::Value;

use crate::support::done;

/// Whether fio is installed; prints a message if not.
pub fn there_or_skip() -> bool {
    Command::new("fio").arg("--version").output().is_ok() || skip("fio is not installed (cargo xtask setup)")
}

/// A load, in words that both programs understand.
#[derive(Debug, Clone, Copy)]
pub struct Load<'l> {
    /// `uring` or `sync`.
    pub backend: &'l str,
    /// `read` or `write`.
    pub op: &'l str,
    /// `sequential` or `random`.
    pub pattern: &'l str,
    pub block: &'l str,
    pub depth: u32,
    pub seconds: u32,
}

/// What was measured, by either program.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    pub iops: f64,
    pub bytes_per_second: f64,
    /// From before the submission to the completion.
    pub latency: Percentiles,
    /// From after the submission, which only fio measures separately.
    pub after_submission: Option<Percentiles>,
    /// Whether drivelab found the machine busy before it began.
    pub busy: bool,
}

/// In nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Percentiles {
    pub p50: f64,
    pub p99: f64,
}

impl Load<'_> {
    /// drivelab's arguments for the load on a device that it may overwrite.
    pub fn drivelab(&self, device: &str) -> Vec<String> {
        let name = device.trim_start_matches("/dev/");
        let (depth, time) = (self.depth.to_string(), format!("{}s", self.seconds));
        let target = ["io", device, "--destroy", name, "--json", "--no-save", "--quiet"];
        let load = ["--op", self.op, "--pattern", self.pattern, "--block", self.block, "--qd", &depth];
        let run = ["--backend", self.backend, "--time", &time];
        [&target[..], &load, &run].concat().into_iter().map(str::to_owned).collect()
    }

    /// fio's arguments for the same load. Synchronous depth is threads in both programs.
    pub fn fio(&self, device: &str) -> Vec<String> {
        let random = if self.pattern == "random" { "rand" } else { "" };
        let engine: &[&str] = match self.backend {
            "sync" => &["--ioengine=psync", "--thread", "--group_reporting"],
            _ => &["--ioengine=io_uring"],
        };
        let depth = if self.backend == "sync" { "numjobs" } else { "iodepth" };
        let own = [
            format!("--filename={device}"),
            format!("--rw={random}{}", self.op),
            format!("--bs={}", self.block),
            format!("--{depth}={}", self.depth),
            format!("--runtime={}", self.seconds),
        ];
        let same = ["--name=peer", "--direct=1", "--time_based", "--norandommap", "--output-format=json"];
        // drivelab's latency begins before the submission; fio calls that lat, not clat.
        let latency = ["--lat_percentiles=1", "--clat_percentiles=1", "--percentile_list=50:99"];
        let words = [&same[..], &latency, engine].concat();
        own.into_iter().chain(words.into_iter().map(str::to_owned)).collect()
    }

    /// Runs drivelab or fio with its arguments.
    pub fn measure(&self, mut command: Command) -> Figures {
        let done = done(command.output().expect("the program starts"));
        assert_eq!(done.code, 0, "{self:?}\n{}", done.stderr);
        // fio may print something before its document.
        let start = done.stdout.find('{').expect("JSON");
        let document: Value = serde_json::from_str(&done.stdout[start..]).expect("one JSON document");
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("no number in {document:#}"));
        let job = &document["jobs"][0][self.op];
        if job.is_object() {
            let percentiles = |latency: &str| {
                let of = |name: &str| number(&job[latency]["percentile"][name]);
                Percentiles { p50: of("50.000000"), p99: of("99.000000") }
            };
            return Figures {
                iops: number(&job["iops"]),
                bytes_per_second: number(&job["bw_bytes"]),
                latency: percentiles("lat_ns"),
                after_submission: Some(percentiles("clat_ns")),
                busy: false,
            };
        }
        let (done, findings) = (&document["operations"][self.op], document["findings"].as_array());
        assert_eq!(done["errors"], 0, "{document:#}");
        Figures {
            iops: number(&done["iops"]),
            bytes_per_second: number(&done["throughput"]),
            latency: Percentiles { p50: number(&done["latency_ns"]["p50"]), p99: number(&done["latency_ns"]["p99"]) },
            after_submission: None,
            busy: findings.is_some_and(|all| all.iter().any(|finding| finding["code"] == "busy_machine")),
        }
    }
}
