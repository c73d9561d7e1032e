//! What the tests need from the machine beyond Rust: lists what is missing and offers to install it.
//!
//! Debian packages are installed only after a yes, or without a question if CI=true. Nothing else on the machine is
//! changed. A test whose tool is missing prints `skipped: why`, and fails if CI is set.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use anyhow::{Result, bail, ensure};

use crate::shell::{answers, cargo, cargo_program, command, is_installed, run as run_command};

/// A program that tests use, and the Debian package that brings it.
struct Tool {
    program: &'static str,
    package: &'static str,
    used_for: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { program: "busybox", package: "busybox-static", used_for: "the shell of test VMs" },
    Tool { program: "btrfs", package: "btrfs-progs", used_for: "file systems over several devices" },
    Tool { program: "cc", package: "gcc", used_for: "building the bundled SQLite and zstd" },
    Tool { program: "chromium", package: "chromium", used_for: "opening the report in a real browser" },
    Tool { program: "cryptsetup", package: "cryptsetup-bin", used_for: "encrypted devices" },
    Tool { program: "dmsetup", package: "dmsetup", used_for: "stalls and faults in test VMs, volumes on a device" },
    Tool { program: "fio", package: "fio", used_for: "the peer that figures are held against" },
    Tool { program: "losetup", package: "mount", used_for: "loop devices of known speed" },
    Tool { program: "lvm", package: "lvm2", used_for: "what the write guard must know: volumes of LVM" },
    Tool { program: "mdadm", package: "mdadm", used_for: "what the write guard must know: arrays of md" },
    Tool { program: "mkfs.exfat", package: "exfatprogs", used_for: "what the write guard must know on a device" },
    Tool { program: "mkfs.ext4", package: "e2fsprogs", used_for: "file systems on loop devices" },
    Tool { program: "mkfs.ntfs", package: "ntfs-3g", used_for: "what the write guard must know on a device" },
    Tool { program: "qemu-system-x86_64", package: "qemu-system-x86", used_for: "test VMs (cargo xtask vm-test)" },
    Tool { program: "mkfs.xfs", package: "xfsprogs", used_for: "what the write guard must know on a device" },
    Tool { program: "script", package: "bsdutils", used_for: "questions that are asked at a terminal" },
    Tool { program: "sfdisk", package: "fdisk", used_for: "partition tables on loop devices" },
    Tool { program: "strace", package: "strace", used_for: "counting the system calls of the I/O threads" },
    Tool { program: "tmux", package: "tmux", used_for: "looking at the live panel in a real terminal" },
];

/// The release of cargo-deny that CI installs; a newer one works as well.
pub(crate) const CARGO_DENY: &str = "0.20.2";

/// The oldest Node.js that builds the charts.
const NODE_MAJOR: u32 = 18;

/// What is missing on this machine.
fn missing() -> Vec<&'static Tool> {
    TOOLS.iter().filter(|tool| !is_installed(tool.program)).collect()
}

/// Whether this is a machine without a user.
pub(crate) fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

/// `cargo xtask setup`: afterwards everything is installed, or an error names what is missing.
pub(crate) fn run(root: &Path) -> Result<()> {
    prepare(root)?;
    let still = missing();
    ensure!(still.is_empty(), "still missing: {}", names(&still));
    println!("setup: everything the tests need is there");
    Ok(())
}

/// Prepares the machine for the tests, as far as the user allows. Missing Node.js is an error, because nothing builds
/// without it. Missing tools are not: their tests are skipped with a message.
pub(crate) fn prepare(root: &Path) -> Result<()> {
    node()?;
    let missing = missing();
    if !missing.is_empty() {
        offer(root, &missing)?;
    }
    if is_ci() && !answers(&cargo_program(), &["deny", "--version"]) {
        println!("setup: installing cargo-deny {CARGO_DENY} (some minutes)");
        // Compiled without optimisation: it takes half the time, and the program has little to do.
        run_command(cargo(root, &["install", "cargo-deny", "--debug", "--locked", "--version", CARGO_DENY]))?;
    }
    Ok(())
}

/// Prepares the machine for test VMs without asking: CI may install what is missing.
pub(crate) fn prepare_for_vm(root: &Path) -> Result<()> {
    let missing = missing();
    if is_ci() && !missing.is_empty() { offer(root, &missing) } else { Ok(()) }
}

/// Node.js and npm must be installed and new enough.
fn node() -> Result<()> {
    let todo = format!("install Node.js {NODE_MAJOR} or newer with npm; the charts of the report are built with it");
    ensure!(is_installed("node") && is_installed("npm"), "Node.js is missing: {todo}");
    let asked = std::process::Command::new("node").arg("--version").output()?;
    let version = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    match node_major(&version) {
        Some(major) if major >= NODE_MAJOR => Ok(()),
        _ => bail!("Node.js {version} is too old: {todo}"),
    }
}

/// The first number of `v20.20.2`.
fn node_major(version: &str) -> Option<u32> {
    version.trim_start_matches('v').split('.').next()?.parse().ok()
}

/// Reports what is missing and installs it if that is allowed.
fn offer(root: &Path, missing: &[&Tool]) -> Result<()> {
    println!("setup: some tests need programs that this machine lacks:");
    for Tool { program, package, used_for } in missing {
        println!("  {program} (Debian package {package}): {used_for}");
    }
    let packages: Vec<&str> = missing.iter().map(|tool| tool.package).collect();
    let typed = format!("{}apt-get install {}", if as_root() { "" } else { "sudo " }, packages.join(" "));
    if !is_installed("apt-get") {
        println!("setup: this is no Debian: install them as your system does it; until then their tests are skipped");
        return Ok(());
    }
    if is_ci() {
        return install(root, &packages);
    }
    if !std::io::stdin().is_terminal() {
        println!("setup: nobody is here to ask, so nothing is installed. To install them, type:\n  {typed}");
        return Ok(());
    }
    if says_yes(&format!("setup: run `{typed}` now? [y/N] "))? { install(root, &packages) } else { Ok(()) }
}

/// Asks a person; only `y` and `yes` mean yes.
fn says_yes(question: &str) -> Result<bool> {
    print!("{question}");
    std::io::stdout().flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Installs Debian packages, as root or through sudo.
fn install(root: &Path, packages: &[&str]) -> Result<()> {
    apt(root, &["update", "-q"])?;
    apt(root, &[&["install", "-q", "-y", "--no-install-recommends"], packages].concat())
}

/// Runs apt-get without questions, as root or through sudo.
pub(crate) fn apt(root: &Path, arguments: &[&str]) -> Result<()> {
    let become_root: &[&str] = match (as_root(), is_installed("sudo")) {
        (true, _) => &[],
        (false, true) => &["sudo"],
        (false, false) => {
            bail!("this needs root and there is no sudo: as root, apt-get {}", arguments.join(" "))
        }
    };
    let words = [become_root, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], arguments].concat();
    run_command(command(root, words[0], &words[1..]))
}

/// Whether this process may install packages by itself.
fn as_root() -> bool {
    std::process::Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn names(tools: &[&Tool]) -> String {
    tools.iter().map(|tool| format!("{} ({})", tool.program, tool.package)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_of_node_is_read() {
        assert_eq!(node_major("v20.20.2"), Some(20));
        assert_eq!(node_major("v9.1.0"), Some(9));
        assert_eq!(node_major(""), None);
    }

    #[test]
    fn no_tool_is_listed_twice() {
        let mut programs: Vec<&str> = TOOLS.iter().map(|tool| tool.program).collect();
        programs.sort_unstable();
        programs.dedup();
        assert_eq!(programs.len(), TOOLS.len());
    }
}
