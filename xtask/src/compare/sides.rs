//! The two programs: how each one is told to issue a cell's load, and what it reports.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::cells::Cell;
use super::rig::Rig;

/// Who issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// fio, from the program folders.
    Fio,
    /// The shipped program.
    Drivelab,
}

/// The result of a run, reads and writes together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figures {
    /// Operations per second.
    pub(crate) iops: f64,
    /// Bytes per second.
    pub(crate) bytes: f64,
}

/// In a session of its own, so that its priority counts against the whole machine; inside the group with the limits.
const INSIDE: &str = "echo -20 2>/dev/null >/proc/self/autogroup; echo $$ >\"$0\" && exec \"$@\"";

/// Runs one side for this many seconds.
pub(crate) fn measure(side: Side, cell: &Cell, rig: &Rig, drivelab: &Path, seconds: u64) -> Result<Figures> {
    let mut command = Command::new("setsid");
    command.args(["--wait", "nice", "-n", "-20", "sh", "-c", INSIDE]).arg(rig.procs());
    match side {
        Side::Fio => command.arg("fio").args(fio(cell, rig.device(), seconds)),
        Side::Drivelab => command.arg(drivelab).args(own(cell, rig, seconds)),
    };
    let done = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {side:?}"))?;
    let (said, wrong) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    ensure!(done.status.success(), "{side:?} failed on {}: {}", cell.name, wrong.trim());
    let start = said.find('{').with_context(|| format!("{side:?} printed no document: {}", wrong.trim()))?;
    let document: Value = serde_json::from_str(&said[start..]).context("the document cannot be read")?;
    figures(side, &document).with_context(|| format!("{side:?} says nothing of its rate on {}", cell.name))
}

fn fio(cell: &Cell, device: &str, seconds: u64) -> Vec<String> {
    let kind = match cell.writes {
        0 => "read",
        100 => "write",
        _ => "rw",
    };
    let order = if cell.random { "rand" } else { "" };
    let line = format!(
        "--name=a --filename={device} --ioengine=io_uring --direct=1 --rw={order}{kind} --rwmixwrite={} --bs={} \
         --iodepth={} --numjobs={} --norandommap --randrepeat=0 --refill_buffers --mem=mmaphuge --group_reporting \
         --time_based --runtime={seconds} --output-format=json",
        cell.writes, cell.block, cell.depth, cell.threads
    );
    // The threads of a sequential cell would need stretches of their own; no such cell has several threads.
    line.split_whitespace().map(str::to_owned).collect()
}

fn own(cell: &Cell, rig: &Rig, seconds: u64) -> Vec<String> {
    let op = match cell.writes {
        0 => "read".to_owned(),
        100 => "write".to_owned(),
        share => format!("mix={}", 100 - share),
    };
    let order = if cell.random { "random" } else { "sequential" };
    let line = format!(
        "io {} --destroy {} --op {op} --pattern {order} --block {} --qd {} --threads {} --time {seconds}s \
         --backend uring --telemetry off --no-save --json",
        rig.device(),
        rig.name(),
        cell.block,
        cell.depth,
        cell.threads
    );
    line.split_whitespace().map(str::to_owned).collect()
}

fn figures(side: Side, document: &Value) -> Option<Figures> {
    let (of, bytes) = match side {
        Side::Fio => (document.get("jobs")?.get(0)?, "bw_bytes"),
        Side::Drivelab => (document.get("operations")?, "throughput"),
    };
    // What was not requested is absent here, and zero in fio.
    let sum = |key: &str| -> f64 { ["read", "write"].iter().filter_map(|kind| of.get(kind)?.get(key)?.as_f64()).sum() };
    let figures = Figures { iops: sum("iops"), bytes: sum(bytes) };
    (figures.iops > 0.0 && figures.bytes > 0.0).then_some(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_of_a_mix_are_added_up_on_either_side() {
        let fio = serde_json::json!({ "jobs": [{
            "read": { "iops": 70.0, "bw_bytes": 7000 }, "write": { "iops": 30.0, "bw_bytes": 3000 },
        }] });
        assert_eq!(figures(Side::Fio, &fio), Some(Figures { iops: 100.0, bytes: 10_000.0 }));
        let own = serde_json::json!({ "operations": { "write": { "iops": 5.0, "throughput": 20_480.0 } } });
        assert_eq!(figures(Side::Drivelab, &own), Some(Figures { iops: 5.0, bytes: 20_480.0 }));
        assert_eq!(figures(Side::Drivelab, &fio), None);
    }
}
