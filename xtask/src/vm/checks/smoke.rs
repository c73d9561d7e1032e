//! The VM works: the binary under test is the one of this tree, it runs as root, and the clock is virtual.

use anyhow::{Context, Result, ensure};

use crate::vm::results::Results;

/// Checks the results of smoke.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let version = results.text("version")?;
    let expected = concat!("drivelab ", env!("CARGO_PKG_VERSION"));
    ensure!(version.starts_with(expected), "`drivelab --version` says `{version}`, not `{expected}`");
    let user = results.text("user")?;
    ensure!(user == "0", "the script runs as user {user}");
    let slept: u64 = results.text("slept_ns")?.parse().context("slept_ns is no number")?;
    // One second of sleep, and the cost of starting programs.
    ensure!((1_000_000_000..1_500_000_000).contains(&slept), "one second took {slept} ns by the clock of the VM");
    Ok(vec![format!("{version}, a shell after {} s of the VM's time", results.text("shell_s")?)])
}
