//! Boots QEMU and waits for its end, for so long and no longer.
//!
//! KVM is never used: the machines that this runs on are virtual themselves, and nested KVM hangs on some. `timeout`
//! of coreutils stands between, so that a VM dies even where this program was killed.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::scenario::Scenario;

/// The emulator.
pub(crate) const QEMU: &str = "qemu-system-x86_64";

/// The file in a scenario's folder that gets what the VM prints.
pub(crate) const CONSOLE: &str = "console.log";

/// `panic=-1` and `-no-reboot` end QEMU when the kernel panics. The rest saves seconds: no tests of the kernel's own
/// ciphers, no search for pages that are writable and executable.
const KERNEL_LINE: &str = "console=ttyS0 quiet panic=-1 cryptomgr.notests rodata=off";

/// 2^2 ns for each instruction, and no time of the host while the guest waits.
const VIRTUAL_TIME: &str = "shift=2,sleep=off";

/// The same, except that waiting lasts as long as it does.
const REAL_WAITING: &str = "shift=2,sleep=on";

/// `timeout` ends with this after it had to kill.
const KILLED: i32 = 137;

/// How a VM ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The script ran to its end, with this status.
    Status(i32),
    /// Time was up.
    Killed,
    /// QEMU ended, and the script had not.
    WithoutStatus,
}

/// Boots `kernel` with `initramfs`; the folder gets the console and, under results/, what the script leaves.
pub(crate) fn boot(kernel: &Path, initramfs: &Path, folder: &Path, scenario: &Scenario) -> Result<Ended> {
    let console = folder.join(CONSOLE);
    let output = File::create(&console).with_context(|| format!("cannot write {}", console.display()))?;
    let shared = format!(
        "local,path={},mount_tag=results,security_model=none",
        folder.join("results").to_string_lossy().replace(',', ",,")
    );
    let mut qemu = Command::new("timeout");
    qemu.args(["--foreground", "--signal=KILL", &scenario.limit_s.to_string(), QEMU]);
    let time = if scenario.waits_in_real_time { REAL_WAITING } else { VIRTUAL_TIME };
    qemu.args(["-accel", "tcg", "-cpu", "max", "-icount", time, "-smp", "1", "-nodefaults", "-no-reboot"]);
    qemu.args(["-m", &scenario.memory_mib.to_string(), "-display", "none", "-serial", "stdio"]);
    qemu.args(["-virtfs", &shared, "-append", KERNEL_LINE]).arg("-kernel").arg(kernel).arg("-initrd").arg(initramfs);
    qemu.args(scenario.qemu.iter().map(|word| word.replace("{folder}", &folder.to_string_lossy())));
    let errors = output.try_clone().context("cannot share the console")?;
    let status = qemu.stdin(Stdio::null()).stdout(output).stderr(errors).status().context("cannot start timeout")?;
    if status.code() == Some(KILLED) {
        return Ok(Ended::Killed);
    }
    let left = std::fs::read_to_string(folder.join("results/status")).unwrap_or_default();
    Ok(left.trim().parse().map_or(Ended::WithoutStatus, Ended::Status))
}
