//! flakey.sh: each error has the kernel's address and error number, and none is missing or invented.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::results::{Results, number, within};

/// flakey.sh: 50 reads a second for 10 s, of which those in two of every five seconds fail, give or take one at each
/// end.
const READS: f64 = 500.0;
const FAILING: f64 = 0.4;

/// The kernel's number for an input/output error.
const EIO: &str = "5";

/// docs/exit-codes.md: operations ended in errors of the device.
const DEVICE_ERRORS: &str = "8";

/// flakey.sh: the delay of dm-delay and the time of null_blk below it, and the tick of Debian's kernel
/// (CONFIG_HZ=250), to which dm-delay rounds up, at the start and at the end.
const DELAY_MS: f64 = 31.0;
const TICK_MS: f64 = 4.0;

/// How a read of 4 KiB ended: place in bytes, and whether it succeeded.
type Read = (u64, bool);

/// Checks the results of flakey.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let mut told = Vec::new();
    for name in ["flaky.uring", "flaky.sync"] {
        told.push(flaky(results, name).with_context(|| name.to_owned())?);
    }
    let median_ms = number(&results.json("delayed")?, "/operations/read/latency_ns/p50")? / 1e6;
    let most = 2.0 * TICK_MS + 1.0;
    ensure!(
        median_ms >= DELAY_MS && median_ms <= DELAY_MS + most,
        "a delay of {DELAY_MS} ms was measured as {median_ms:.2} ms, at most {most} ms more were expected"
    );
    told.push(format!("dm-delay: {DELAY_MS} ms and up to two ticks of {TICK_MS} ms: {median_ms:.2} ms"));
    Ok(told)
}

fn flaky(results: &Results, name: &str) -> Result<String> {
    let code = results.text(&format!("{name}.code"))?;
    ensure!(code == DEVICE_ERRORS, "exit code {code} instead of {DEVICE_ERRORS}");
    let document = results.json(name)?;
    let kernel = ended(&results.text(&format!("{name}.kernel"))?, &results.text(&format!("{name}.dev"))?)?;
    let failed: Vec<u64> = kernel.iter().filter(|(_, well)| !well).map(|(place, _)| *place).collect();
    let errors = number(&document, "/operations/read/errors")?;
    ensure!(errors == failed.len() as f64, "{errors} errors, and the kernel saw {} reads fail", failed.len());
    let count = number(&document, "/operations/read/count")?;
    ensure!(count + errors == READS, "{count} good reads and {errors} failed ones of {READS}");
    within("share of reads that failed", errors / READS, FAILING, 0.3)?;
    let by_number = document.pointer("/errors_by_errno").and_then(Value::as_object).context("no errors by number")?;
    let numbers: Vec<(&String, f64)> =
        by_number.iter().map(|(number, count)| (number, count.as_f64().unwrap_or(0.0))).collect();
    ensure!(numbers == [(&EIO.to_owned(), errors)], "errors by number: {by_number:?}, and all must be {EIO}");
    let listed = listed(&document)?;
    ensure!(!listed.is_empty() && listed.len() <= failed.len(), "{} errors are listed", listed.len());
    ensure!(
        listed == failed[..listed.len()],
        "the errors listed are not the first that the kernel saw: {listed:?} against {:?}",
        &failed[..listed.len()]
    );
    Ok(format!(
        "{name}: {count} reads and {errors} errors, the first {} by address as the kernel saw them",
        listed.len()
    ))
}

/// The addresses of the listed errors.
fn listed(document: &Value) -> Result<Vec<u64>> {
    let errors = document.pointer("/errors").and_then(Value::as_array).context("no list of errors")?;
    let place = |error: &Value| error.pointer("/offset").and_then(Value::as_u64).context("an error without an address");
    errors.iter().map(place).collect()
}

/// Reads of 4 KiB in the kernel's trace of `block_bio_complete` of one device: `…: block_bio_complete: 253,0 R 1234 +
/// 8 [-5]`; letters after the R give the kind of request.
fn ended(text: &str, device: &str) -> Result<Vec<Read>> {
    ensure!(!text.contains("LOST"), "the kernel's buffer was too small: events were lost");
    let mark = format!(": block_bio_complete: {} R", device.replace(':', ","));
    let mut reads = Vec::new();
    for line in text.lines() {
        let Some((_, after)) = line.split_once(&mark) else { continue };
        let words: Vec<&str> = after.split_whitespace().collect();
        let Some([sector, "+", "8", status]) = words.last_chunk() else { continue };
        let sector: u64 = sector.parse().with_context(|| format!("`{line}` in the kernel's trace"))?;
        reads.push((sector * 512, *status == "[0]"));
    }
    Ok(reads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_trace_says_how_each_read_ended() {
        let text = "a-1 [000] .: 1.0: block_bio_complete: 253,0 RS 0 + 8 [0]\n\
            a-1 [000] .: 1.1: block_bio_complete: 253,0 R 16 + 8 [0]\n\
            a-1 [000] .: 1.2: block_bio_complete: 252,0 R 24 + 8 [-5]\n\
            a-1 [000] .: 1.3: block_bio_complete: 253,0 R 32 + 8 [-5]\n\
            a-1 [000] .: 1.4: block_bio_complete: 253,0 W 40 + 8 [-5]\n";
        assert_eq!(ended(text, "253:0").expect("a trace"), [(0, true), (8192, true), (16384, false)]);
        assert!(ended("CPU:0 [LOST 3 EVENTS]", "253:0").is_err());
    }
}
