//! together.sh: two drives behind one limit each lose half of it.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::results::{Results, number};

/// What two drives keep that share one limit fairly, and how far off emulated drives in an emulated machine may be in
/// the best of several tries (together.sh has the same limits).
const HALF_PERCENT: f64 = 50.0;
const ALLOWED: f64 = 15.0;

/// Checks the results of together.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let document = results.json("together.out")?;
    let drives = document.pointer("/drives").and_then(Value::as_array).context("no drives in the document")?;
    ensure!(drives.len() == 2, "{} drives in the document, not 2", drives.len());
    let kept: Vec<f64> = drives.iter().map(|drive| number(drive, "/kept/median_percent")).collect::<Result<_>>()?;
    for one in &kept {
        ensure!((one - HALF_PERCENT).abs() <= ALLOWED, "a drive kept {one:.1} %, and half was expected: {kept:?}");
    }
    let listed = results.json("list.out")?;
    let runs = listed.pointer("/runs").and_then(Value::as_array).context("no runs are listed")?;
    let attempts: usize = results.text("attempts")?.parse().context("no number of attempts")?;
    let due = 4 * attempts;
    ensure!(runs.len() == due, "{} bundles, not {due}: each drive has one alone and one together", runs.len());
    Ok(vec![format!("behind one limit the drives keep {:.1} and {:.1} % (attempt {attempts})", kept[0], kept[1])])
}
