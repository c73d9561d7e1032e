//! Boots QEMU and waits for its end, for a limited time; meanwhile does what the script asks of the host.
//!
//! KVM is never used: the machines that this runs on are virtual themselves, and nested KVM hangs on some of them.
//! QEMU runs under `timeout` of coreutils, so that a VM ends even if this program was killed.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::emulator::Emulator;
use super::qmp::Qmp;
use super::scenario::Scenario;

/// The file in a scenario's folder that receives the VM's console.
pub(crate) const CONSOLE: &str = "console.log";

/// The file among the results that records what was asked of the host, and QEMU's answers.
const ASKED: &str = "host";

/// `panic=-1` and `-no-reboot` end QEMU when the kernel panics. The rest saves seconds: no tests of the kernel's own
/// ciphers, no search for pages that are writable and executable.
const KERNEL_LINE: &str = "console=ttyS0 quiet panic=-1 cryptomgr.notests rodata=off";

/// 2^2 ns for each instruction, and no host time while the guest waits.
const VIRTUAL_TIME: &str = "shift=2,sleep=off";

/// The same, except that waiting takes real time.
const REAL_WAITING: &str = "shift=2,sleep=on";

/// `timeout` exits with this after it had to kill.
const KILLED: i32 = 137;

/// How a VM ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The script ran to its end, with this status.
    Status(i32),
    /// The time limit was reached.
    Killed,
    /// QEMU ended, but the script had not.
    WithoutStatus,
}

/// Boots `kernel` with `initramfs`; the folder receives the console and, under results/, what the script leaves.
pub(crate) fn boot(
    emulator: &Emulator,
    kernel: &Path,
    initramfs: &Path,
    folder: &Path,
    scenario: &Scenario,
) -> Result<Ended> {
    let console = folder.join(CONSOLE);
    let mut output = File::create(&console).with_context(|| format!("cannot write {}", console.display()))?;
    let mut qmp = Qmp::new(&scenario.name);
    let mut qemu = Command::new("timeout");
    qemu.args(["--foreground", "--signal=KILL", &scenario.limit_s.to_string()]).args(emulator.words());
    qemu.args(["-accel", "tcg", "-cpu", "max"]).args(time(scenario));
    qemu.args(["-nodefaults", "-no-reboot", "-m", &scenario.memory_mib.to_string(), "-display", "none"]);
    qemu.args(["-serial", "stdio", "-qmp", &qmp.argument()]);
    let line = [&[KERNEL_LINE.to_owned()], scenario.kernel.as_slice()].concat().join(" ");
    qemu.args(["-virtfs", &shared(folder), "-append", &line]).arg("-kernel").arg(kernel);
    qemu.arg("-initrd").arg(initramfs);
    qemu.args(disks(folder, scenario)?);
    qemu.args(scenario.qemu.iter().map(|word| word.replace("{folder}", &folder.to_string_lossy())));
    let errors = folder.join("qemu.log");
    let said = File::create(&errors).with_context(|| format!("cannot write {}", errors.display()))?;
    let spawned = qemu.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(said).spawn();
    let mut child = spawned.context("cannot start timeout")?;
    let followed = follow(&mut child, &mut output, &mut qmp, &folder.join("results").join(ASKED));
    let status = child.wait().context("cannot wait for QEMU")?;
    let mut text = String::new();
    File::open(&errors).and_then(|mut file| file.read_to_string(&mut text)).context("cannot read what QEMU said")?;
    output.write_all(text.as_bytes()).context("cannot write the console")?;
    followed?;
    if status.code() == Some(KILLED) {
        return Ok(Ended::Killed);
    }
    let left = std::fs::read_to_string(folder.join("results/status")).unwrap_or_default();
    Ok(left.trim().parse().map_or(Ended::WithoutStatus, Ended::Status))
}

/// Processors and their clock. Several processors that count instructions hang while the kernel starts them (seen with
/// QEMU 7.2), so they use the host's time.
fn time(scenario: &Scenario) -> Vec<String> {
    let words = match (scenario.cpus, scenario.waits_in_real_time) {
        (1, false) => vec!["-icount".to_owned(), VIRTUAL_TIME.to_owned()],
        (1, true) => vec!["-icount".to_owned(), REAL_WAITING.to_owned()],
        _ => Vec::new(),
    };
    [words, vec!["-smp".to_owned(), scenario.cpus.to_string()]].concat()
}

/// The way out for results.
fn shared(folder: &Path) -> String {
    let path = folder.join("results").to_string_lossy().replace(',', ",,");
    format!("local,path={path},mount_tag=results,security_model=none")
}

/// Creates the scenario's disks and returns QEMU's arguments for them.
fn disks(folder: &Path, scenario: &Scenario) -> Result<Vec<String>> {
    let mut words = Vec::new();
    for disk in &scenario.disks {
        let path = folder.join(format!("{}.img", disk.name));
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        file.set_len(disk.mib * 1024 * 1024).with_context(|| format!("cannot size {}", path.display()))?;
        let path = path.to_string_lossy().replace(',', ",,");
        words.push("-blockdev".to_owned());
        words.push(format!("file,node-name={},filename={path},discard=unmap,detect-zeroes=unmap", disk.name));
    }
    Ok(words)
}

/// Copies the console to its file as it comes and does what it asks for, until the machine ends. A failure does not
/// stop the copying, because a full pipe would stop the machine.
fn follow(child: &mut Child, output: &mut File, qmp: &mut Qmp, asked: &Path) -> Result<()> {
    let stdout = child.stdout.take().context("QEMU has no console")?;
    let mut console = BufReader::new(stdout);
    let mut line = Vec::new();
    let mut done = Ok(());
    let mut record = String::new();
    while console.read_until(b'\n', &mut line).context("cannot read the console")? > 0 {
        output.write_all(&line).context("cannot write the console")?;
        match qmp.heed(&String::from_utf8_lossy(&line)) {
            Ok(None) => {}
            Ok(Some(told)) => {
                record.push_str(&told);
                record.push('\n');
                std::fs::write(asked, &record).with_context(|| format!("cannot write {}", asked.display()))?;
            }
            Err(error) => done = done.and(Err(error)),
        }
        line.clear();
    }
    done
}
