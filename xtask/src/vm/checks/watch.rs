//! watch.sh: what `drivelab watch` showed beside a program matches what the program did, and injected errors are
//! counted.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::results::Results;

/// What the program wrote: 320 blocks of 64 KiB, in MB.
const WRITTEN_MB: f64 = 320.0 * 65536.0 / 1e6;

/// Checks the results of watch.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let plain = results.text("plain.said")?;
    ensure!(plain.contains("nvme0n1 temperature, composite"), "the table names no temperature:\n{plain}");
    ensure!(!plain.contains("smart:nvme0n1"), "the table names sources as programs do:\n{plain}");
    for (name, code, out) in
        [("plain", "42", "mine"), ("json", "0", "mine"), ("stopped", "130", ""), ("alone", "0", "")]
    {
        let (got, said) = (results.text(&format!("{name}.code"))?, results.text(&format!("{name}.out"))?);
        ensure!(got.trim() == code, "{name}: exit code {} instead of {code}", got.trim());
        ensure!(name == "alone" || said.trim() == out, "{name}: stdout is not the program's own: {said}");
    }
    let beside = lines(&results.text("json.said")?)?;
    let told = series(&beside)?;
    for (name, file) in [("stopped", "stopped.said"), ("alone", "alone.out")] {
        let lines = lines(&results.text(file)?)?;
        let code = last(&lines)?.get("command_exit_code").cloned();
        let wanted = if name == "stopped" { Value::from(130) } else { Value::Null };
        ensure!(code == Some(wanted), "{name}: the summary says the program ended with {code:?}");
    }
    let watched = lines(&results.text("aer.out")?)?;
    let counted = row(last(&watched)?, "pcie_errors:nvme0n1 nonfatal")?;
    let counted = counted.get("now").and_then(Value::as_f64).context("no count of PCIe errors")?;
    ensure!(counted == 1.0, "one PCIe error was injected and {counted} were counted");
    Ok(vec![told, "one PCIe error (poisoned packet) seen after it was injected at the port".to_owned()])
}

/// Demands that the series show the writes.
fn series(lines: &[Value]) -> Result<String> {
    ensure!(lines.iter().filter(|line| line.get("now").is_some()).count() >= 2, "there is no line a second");
    let summary = last(lines)?;
    ensure!(summary.get("command_exit_code") == Some(&Value::from(0)), "no exit code of the program: {summary}");
    let seconds = summary.get("at_s").and_then(Value::as_f64).context("no time")?;
    let mean = |name: &str| {
        row(summary, name)?.get("mean").and_then(Value::as_f64).with_context(|| format!("{name} has no mean"))
    };
    // The mean is over the time from the first reading to the last, and the watch was longer than that by the time
    // that the host took for its beginning and end; a busy host takes a second or two of six.
    let moved = mean("diskstats:nvme0n1 write_bytes")? * seconds;
    ensure!(
        (0.5..2.0).contains(&(moved / WRITTEN_MB)),
        "{moved:.1} MB in the series, and {WRITTEN_MB:.1} MB were written"
    );
    let celsius = mean("smart:nvme0n1 composite")?;
    ensure!((celsius - 50.0).abs() < 0.01, "{celsius} °C, and QEMU's drive has 50");
    let interrupts = mean("interrupts:nvme0n1 interrupts")? * seconds;
    ensure!(interrupts > 100.0, "{interrupts:.0} interrupts for 320 writes");
    Ok(format!("{moved:.1} MB, {interrupts:.0} interrupts and {celsius:.0} °C in the series of a program's writes"))
}

fn lines(text: &str) -> Result<Vec<Value>> {
    let documents = text.lines().filter(|line| line.starts_with('{'));
    documents.map(|line| serde_json::from_str(line).with_context(|| format!("no document: {line}"))).collect()
}

fn last(lines: &[Value]) -> Result<&Value> {
    lines.last().filter(|line| line.get("summary").is_some()).context("there is no summary at the end")
}

fn row<'a>(line: &'a Value, name: &str) -> Result<&'a Value> {
    let rows = line.get("summary").and_then(Value::as_array).context("no rows")?;
    rows.iter().find(|row| row.get("name").and_then(Value::as_str) == Some(name)).with_context(|| format!("no {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_that_are_not_in_the_series_are_found_missing() {
        let with = |rate: f64| {
            let row = |name: &str, mean: f64| serde_json::json!({ "name": name, "mean": mean });
            let rows = [
                row("diskstats:nvme0n1 write_bytes", rate),
                row("smart:nvme0n1 composite", 50.0),
                row("interrupts:nvme0n1 interrupts", 100.0),
            ];
            let summary = serde_json::json!({ "at_s": 4.0, "summary": rows, "command_exit_code": 0 });
            let now = serde_json::json!({ "at_s": 1.0, "now": [] });
            vec![now.clone(), now, summary]
        };
        series(&with(WRITTEN_MB / 4.0)).expect("as it was");
        series(&with(0.0)).expect_err("nothing was seen");
        series(&with(WRITTEN_MB / 10.0)).expect_err("less than half was seen");
        last(&[]).expect_err("no summary");
    }
}
