//! Faults of the target: each must end in counted errors and the documented exit code, without a hang and without a
//! wrong number.

use anyhow::{Context, Result, ensure};

use crate::vm::results::{Results, number};

/// docs/exit-codes.md: operations ended in errors of the device.
const DEVICE_ERRORS: &str = "8";

const BACKENDS: [&str; 2] = ["uring", "sync"];

/// faults.sh: three passes over 1,024 blocks of 64 KiB, of which 16 cannot be read.
const PASSES: f64 = 3.0;
const BLOCKS: f64 = 1024.0;
const BAD_BLOCKS: f64 = 16.0;
const BAD_BLOCK_BYTES: f64 = 65_536.0;

/// faults.sh: operations in flight, block size and shortest time of an operation on the null_blk device that goes away.
const DEPTH: f64 = 4.0;
const GONE_BLOCK_BYTES: f64 = 4096.0;
const GONE_LATENCY_MS: f64 = 1.0;

/// What one run reported about its reads.
struct Reads {
    count: f64,
    bytes: f64,
    errors: f64,
    /// From the start of the program to its end.
    took_ms: f64,
}

/// Checks the results of faults.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let mut told = Vec::new();
    for backend in BACKENDS {
        for errors in ["stop", "keep"] {
            told.push(with(results, &format!("bad.{backend}.{errors}"), |reads| bad_blocks(reads, errors == "keep"))?);
            told.push(with(results, &format!("gone.{backend}.{errors}"), |reads| gone(reads, errors == "keep"))?);
        }
    }
    Ok(told)
}

/// Checks the results of nvme_gone.sh.
pub(crate) fn check_nvme(results: &Results) -> Result<Vec<String>> {
    let early = |reads: &Reads| gone_early(reads, 20_000.0);
    BACKENDS.iter().map(|backend| with(results, &format!("nvme.{backend}.stop"), early)).collect()
}

/// Reads the results of a run, checks what applies to all runs, then runs `check`; returns a line about it.
fn with(results: &Results, name: &str, check: impl Fn(&Reads) -> Result<()>) -> Result<String> {
    let code = results.text(&format!("{name}.code"))?;
    let said = results.text(&format!("{name}.said"))?;
    ensure!(code == DEVICE_ERRORS, "{name}: exit code {code} instead of {DEVICE_ERRORS}; it said:\n{said}");
    let document = results.json(name)?;
    let took_ns: f64 = results.text(&format!("{name}.took_ns"))?.parse().context("took_ns is no number")?;
    let read = |key: &str| number(&document, &format!("/operations/read/{key}")).with_context(|| name.to_owned());
    let reads = Reads { count: read("count")?, bytes: read("bytes")?, errors: read("errors")?, took_ms: took_ns / 1e6 };
    ensure!(reads.errors >= 1.0, "{name}: exit code {code} and no error counted");
    check(&reads).with_context(|| name.to_owned())?;
    Ok(format!(
        "{name}: {} reads, {} errors, exit code {code} after {:.1} s",
        reads.count,
        reads.errors,
        reads.took_ms / 1e3
    ))
}

fn bad_blocks(reads: &Reads, keep: bool) -> Result<()> {
    ensure!(reads.bytes == reads.count * BAD_BLOCK_BYTES, "{} bytes in {} reads", reads.bytes, reads.count);
    if keep {
        let (bad, good) = (PASSES * BAD_BLOCKS, PASSES * (BLOCKS - BAD_BLOCKS));
        ensure!(reads.errors == bad, "{} errors, and there are {bad} bad blocks in {PASSES} passes", reads.errors);
        ensure!(reads.count == good, "{} good reads, and there are {good} good blocks", reads.count);
    } else {
        ensure!(reads.errors <= DEPTH, "{} errors, and the first was to stop {DEPTH} in flight", reads.errors);
        ensure!(reads.count < BLOCKS, "{} good reads, as if nothing had stopped", reads.count);
    }
    Ok(())
}

fn gone(reads: &Reads, keep: bool) -> Result<()> {
    // The kernel answers reads of a device that is gone with "0 bytes, end of device". A program that counts them as
    // reads reports more than the device can have answered.
    let most = DEPTH * reads.took_ms / GONE_LATENCY_MS;
    ensure!(reads.count <= most, "{} reads, and the device cannot have answered more than {most:.0}", reads.count);
    ensure!(reads.bytes == reads.count * GONE_BLOCK_BYTES, "{} bytes in {} reads", reads.bytes, reads.count);
    if keep { Ok(()) } else { gone_early(reads, 4000.0) }
}

/// A run of this length on a device that disappears after 2 s, or later if the host is slow.
fn gone_early(reads: &Reads, run_ms: f64) -> Result<()> {
    ensure!(reads.took_ms < run_ms, "it went on for {:.1} s after the device was gone", reads.took_ms / 1e3 - 2.0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(count: f64, errors: f64, took_ms: f64) -> Reads {
        Reads { count, bytes: count * GONE_BLOCK_BYTES, errors, took_ms }
    }

    #[test]
    fn reads_after_the_end_of_a_device_are_not_believed() {
        gone(&reads(8000.0, 4.0, 2100.0), false).expect("possible");
        gone(&reads(50_000.0, 4.0, 2100.0), false).expect_err("more than the device can do");
        gone(&reads(8000.0, 4.0, 4100.0), false).expect_err("too long");
        gone(&reads(8000.0, 4.0, 4100.0), true).expect("it was to go on");
    }

    #[test]
    fn bad_blocks_are_counted_one_by_one() {
        let of = |count: f64, errors: f64| Reads { count, bytes: count * BAD_BLOCK_BYTES, errors, took_ms: 1.0 };
        bad_blocks(&of(3024.0, 48.0), true).expect("each one");
        bad_blocks(&of(3024.0, 47.0), true).expect_err("one lost");
        bad_blocks(&of(3072.0, 48.0), true).expect_err("bad reads counted as good");
        bad_blocks(&of(512.0, 4.0), false).expect("stopped");
        bad_blocks(&of(3024.0, 48.0), false).expect_err("not stopped");
    }
}
