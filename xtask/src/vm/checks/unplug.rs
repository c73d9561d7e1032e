//! unplug.sh: a run whose drive is pulled out ends soon, reports it, and leaves a bundle that every reader can read.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::results::{Results, number};

/// docs/exit-codes.md: operations ended in errors of the device; the target is missing.
const DEVICE_ERRORS: &str = "8";
const TARGET_UNUSABLE: &str = "6";

/// A run of half a minute; nothing may wait that long for the missing drive.
const SOON_S: f64 = 20.0;

/// Checks the results of unplug.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let code = |name: &str, wanted: &str| {
        let code = results.text(&format!("{name}.code"))?;
        let said = results.text(&format!("{name}.said"))?;
        ensure!(code == wanted, "{name}: exit code {code} instead of {wanted}; it said:\n{said}");
        Ok(said)
    };
    let said = code("run", DEVICE_ERRORS)?;
    ensure!(said.contains("/dev/nvme0n1 is gone"), "it does not say that the drive is gone:\n{said}");
    let seconds = |name: &str| -> Result<f64> { Ok(results.text(name)?.parse::<f64>().context("a time")? / 1e9) };
    let after = seconds("ended_ns")? - seconds("asked_ns")?;
    ensure!(after < SOON_S, "the run ended {after:.1} s after the drive was unplugged");

    let run = results.json("run.out")?;
    let (count, errors) = (number(&run, "/operations/read/count")?, number(&run, "/operations/read/errors")?);
    ensure!(count > 0.0 && errors > 0.0, "{count} reads and {errors} errors");
    for name in ["list", "show", "page"] {
        code(name, "0")?;
    }
    let listed = results.json("list.out")?;
    ensure!(listed.pointer("/runs/0/damaged") == Some(&Value::Null), "the bundle is damaged: {listed}");
    let shown = results.json("show.out")?;
    let id = |document: &Value, pointer: &str| document.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    ensure!(id(&shown, "/run/id").is_some() && id(&shown, "/run/id") == id(&listed, "/runs/0/id"), "another run");
    let found = shown.to_string();
    for code in ["mass_errors", "io_errors"] {
        ensure!(found.contains(code), "the stored run has no finding {code}");
    }
    ensure!(results.text("page.html")?.contains("UNPLUGGED"), "the page does not name the drive's serial number");
    code("again", TARGET_UNUSABLE)?;
    Ok(vec![format!(
        "{count} reads, {errors} errors, over {after:.1} s after the plug was pulled; bundle and page whole"
    )])
}
