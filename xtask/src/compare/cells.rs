//! The loads that are compared: the steps that the product plans for the four corners of published fio scripts and for
//! CrystalDiskMark's set, each load once.
//!
//! They are read from `drivelab methods plan --json`, so that the compared loads are those that the methodologies
//! issue. Every cell's operations in flight fit into one slice of 100 ms of the limits, because a throttle serves a
//! slice at a time.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::rig::{BYTES, IOPS, Rig};

/// Huge pages of 2 MiB for the buffers of either side, with room for rounding by each thread and for other programs,
/// which may take some.
pub(crate) const MOST_HUGE_PAGES: u64 = 256;

/// Methodology, profile and whether it is planned for the device; otherwise for a folder.
const PLANS: [(&str, Option<&str>, bool); 3] = [
    ("four-corners", None, true),
    ("crystaldiskmark", Some("default"), false),
    ("crystaldiskmark", Some("nvme"), false),
];

/// One load.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Its name in the table: the step's name in its test.
    pub(crate) name: String,
    /// Share of the operations that write, per cent.
    pub(crate) writes: u64,
    /// Random; otherwise sequential.
    pub(crate) random: bool,
    /// Bytes of one operation.
    pub(crate) block: u64,
    /// Operations in flight per thread.
    pub(crate) depth: u64,
    /// Threads.
    pub(crate) threads: u64,
}

impl Cell {
    /// Operations per second that the limits allow, if all are of one kind.
    #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
    pub(crate) fn limit(&self) -> f64 {
        IOPS.min(BYTES / self.block) as f64
    }

    /// How many times as many rounds as other cells it needs. In a mix only reads reach their limit, and chance
    /// decides how many writes are drawn beside 2,000 reads: 1.2 % of a run of 10 s for the sum, 1.7 % for the ratio
    /// of two.
    pub(crate) fn more_rounds(&self) -> usize {
        let few = IOPS.min(BYTES / self.block) < 1000;
        if few && !matches!(self.writes, 0 | 100) { 3 } else { 1 }
    }

    /// Whether a throttle and the huge pages can serve it.
    fn fits(&self) -> bool {
        let flying = self.depth * self.threads;
        let pages = self.threads * (self.depth * self.block).div_ceil(2 << 20);
        flying <= IOPS / 10 && flying * self.block <= BYTES / 10 && pages * 2 <= MOST_HUGE_PAGES
    }

    fn same_load(&self, other: &Cell) -> bool {
        let load = |cell: &Cell| (cell.writes, cell.random, cell.block, cell.depth, cell.threads);
        load(self) == load(other)
    }

    /// A measured step of a plan; `None` if it is something else.
    fn of(step: &Value) -> Option<Cell> {
        let load = step.pointer("/action/io/workload").filter(|_| step["role"] == "measure")?;
        let number = |key: &str| load.get(key)?.as_u64();
        let random = match load.get("pattern")?.as_str()? {
            "random" => true,
            "sequential" => false,
            _ => return None,
        };
        Some(Cell {
            name: step.get("id")?.as_str()?.rsplit('/').next()?.to_owned(),
            writes: number("write_percent")?,
            random,
            block: number("block_size")?,
            depth: number("queue_depth")?,
            threads: number("threads")?,
        })
    }
}

/// Asks the program for its plans. Loads that do not fit are reported and left out.
pub(crate) fn planned(drivelab: &Path, rig: &Rig) -> Result<Vec<Cell>> {
    let mut cells: Vec<Cell> = Vec::new();
    for (method, profile, on_device) in PLANS {
        let mut command = Command::new(drivelab);
        command.args(["methods", "plan", method]);
        if on_device {
            command.arg(rig.device())
        } else {
            command.arg(std::env::temp_dir())
        };
        if let Some(profile) = profile {
            command.args(["--profile", profile]);
        }
        let done = command.arg("--json").output().with_context(|| format!("cannot start {}", drivelab.display()))?;
        let wrong = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "no plan of {method}: {}", wrong.trim());
        let plan: Value = serde_json::from_slice(&done.stdout).with_context(|| format!("the plan of {method}"))?;
        take(&plan, &mut cells);
    }
    let (cells, over): (Vec<Cell>, Vec<Cell>) = cells.into_iter().partition(Cell::fits);
    for cell in over {
        println!("{}: more in flight than a slice of the limits or the huge pages hold; left out", cell.name);
    }
    Ok(cells)
}

/// Adds the loads of a plan that are not in the list yet.
fn take(plan: &Value, cells: &mut Vec<Cell>) {
    let list = |of: &Value, key: &str| of.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let tests = plan.get("plan").map(|plan| list(plan, "tests")).unwrap_or_default();
    for cell in tests.iter().flat_map(|test| list(test, "steps")).filter_map(|step| Cell::of(&step)) {
        if !cells.iter().any(|known| known.same_load(&cell)) {
            cells.push(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(id: &str, role: &str, writes: u64, depth: u64) -> Value {
        let workload = json!({
            "pattern": "random", "write_percent": writes, "block_size": 4096, "queue_depth": depth, "threads": 1,
        });
        json!({ "id": id, "role": role, "action": { "io": { "workload": workload } } })
    }

    #[test]
    fn each_measured_load_of_the_plans_is_taken_once() {
        let plan = |steps: Value| json!({ "plan": { "tests": [{ "steps": steps }] } });
        let mut cells = Vec::new();
        let fill = step("prepare/fill", "prepare", 100, 32);
        take(&plan(json!([fill, step("a/rnd-4k-q1t1-read", "measure", 0, 1)])), &mut cells);
        take(&plan(json!([step("b/other-name", "measure", 0, 1), step("b/deep", "measure", 0, 64)])), &mut cells);
        assert_eq!(cells.iter().map(|cell| cell.name.as_str()).collect::<Vec<_>>(), ["rnd-4k-q1t1-read", "deep"]);
        assert!(cells.iter().all(|cell| cell.random && cell.block == 4096 && cell.writes == 0));
    }

    #[test]
    fn what_does_not_fit_in_one_slice_is_left_out() {
        let cell = |block, depth, threads| Cell { name: String::new(), writes: 0, random: true, block, depth, threads };
        assert!(cell(256 << 10, 64, 1).fits() && cell(4096, 32, 16).fits());
        assert!(!cell(4096, 64, 16).fits(), "1,024 in flight and 10,000 a second");
        assert!(!cell(1 << 20, 32, 1).fits(), "32 MiB in flight and 20 MiB a slice");
    }
}
