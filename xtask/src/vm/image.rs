//! The VM's file system: busybox, drivelab, what a scenario asks for, and nothing else.
//!
//! Programs come from this machine with the libraries that `ldd` names, each under its path on this machine, so that
//! the loader finds them. Modules come from Debian's kernel package, decompressed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::cpio::Archive;
use super::kernel::{Kernel, SHELL};
use super::lacking::lacking;
use super::scenario::{FOLDER, Scenario};
use crate::shell::find_program;

/// Coreutils' date, because busybox's date does not support nanoseconds.
const CLOCK: &str = "date";

/// Modules that are needed to get the results out.
const BASE_MODULES: &[&str] = &["virtio_pci", "9pnet_virtio", "9p"];

/// Where programs are in the VM; first in its path.
const PROGRAMS: &str = "programs";

/// The archive for one scenario.
pub(crate) fn build(root: &Path, kernel: &Kernel, scenario: &Scenario, binary: &Path) -> Result<Vec<u8>> {
    let mut archive = Archive::default();
    for folder in ["dev", "proc", "sys", "tmp", "bin", "mnt", "etc", "run", "var/tmp"] {
        archive.folder(folder);
    }
    let shell = program(SHELL)?;
    add_program(&mut archive, "bin/busybox", &shell)?;
    archive.link("bin/sh", "busybox");
    add_program(&mut archive, &format!("{PROGRAMS}/drivelab"), binary)?;
    for name in scenario.programs.iter().map(String::as_str).chain([CLOCK]) {
        add_program(&mut archive, &format!("{PROGRAMS}/{name}"), &program(name)?)?;
    }
    let support = root.join(FOLDER).join("support");
    archive.file("init", 0o755, &read(&support.join("init.sh"))?);
    archive.file("vm/functions.sh", 0o644, &read(&support.join("functions.sh"))?);
    archive.file("vm/scenario.sh", 0o644, scenario.script.as_bytes());
    if let Some(kind) = &scenario.root {
        archive.file("vm/root.sh", 0o644, &read(&support.join("root.sh"))?);
        archive.file("vm/root", 0o644, kind.as_bytes());
    }
    add_modules(&mut archive, kernel, &scenario.modules)?;
    Ok(archive.finish())
}

/// Where a program is on this machine.
fn program(name: &str) -> Result<PathBuf> {
    find_program(name).ok_or_else(|| lacking(format!("{name} is not installed: cargo xtask setup")))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A program under a new name, with the libraries it is linked to.
fn add_program(archive: &mut Archive, name: &str, program: &Path) -> Result<()> {
    archive.file(name, 0o755, &read(program)?);
    let asked = Command::new("ldd").arg(program).stdin(Stdio::null()).output().context("cannot start ldd")?;
    // A program without libraries is not an error: ldd reports it and exits with 1.
    let text = String::from_utf8_lossy(&asked.stdout).into_owned();
    for library in libraries(&text) {
        if !archive.has(library) {
            archive.file(library, 0o755, &read(Path::new(library))?);
        }
    }
    ensure!(!text.contains("not found"), "{} lacks libraries here:\n{text}", program.display());
    Ok(())
}

/// The files that `ldd` names: `libc.so.6 => /lib/…/libc.so.6 (0x…)` or `/lib64/ld-linux-x86-64.so.2 (0x…)`.
fn libraries(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')))
}

/// Modules with everything that they need, and a modules.dep for them.
fn add_modules(archive: &mut Archive, kernel: &Kernel, names: &[String]) -> Result<()> {
    let names: Vec<String> = names.iter().cloned().chain(BASE_MODULES.iter().map(|&name| name.to_owned())).collect();
    let folder = format!("lib/modules/{}", kernel.version);
    let mut table = String::new();
    for (file, needs) in kernel.with_dependencies(&names)? {
        let contents = plain(&kernel.modules.join(&file))?;
        archive.file(&format!("{folder}/{}", plain_name(&file)), 0o644, &contents);
        let needs: Vec<&str> = needs.iter().map(|file| plain_name(file)).collect();
        writeln!(table, "{}: {}", plain_name(&file), needs.join(" "))?;
    }
    archive.file(&format!("{folder}/modules.dep"), 0o644, table.as_bytes());
    archive.file(&format!("{folder}/modules.builtin"), 0o644, &read(&kernel.modules.join("modules.builtin"))?);
    Ok(())
}

/// How newer Debians compress modules, and the program that decompresses them: unpacking in the VM would take seconds.
const COMPRESSED: &[(&str, &str)] = &[(".xz", "xz"), (".zst", "zstd"), (".gz", "gzip")];

/// The name of a module's file after decompression.
fn plain_name(file: &str) -> &str {
    COMPRESSED.iter().find_map(|(ending, _)| file.strip_suffix(ending)).unwrap_or(file)
}

/// A module's file, decompressed.
fn plain(path: &Path) -> Result<Vec<u8>> {
    let name = path.to_string_lossy();
    let Some((_, program)) = COMPRESSED.iter().find(|(ending, _)| name.ends_with(ending)) else { return read(path) };
    let unpacked = Command::new(program).arg("-dc").arg(path).stdin(Stdio::null()).output();
    let output = unpacked.map_err(|error| lacking(format!("{program}, which unpacks modules: {error}")))?;
    ensure!(output.status.success(), "{program} cannot unpack {name}");
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_from_what_ldd_says() {
        let text = "\tlinux-vdso.so.1 (0x00007fdc)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007fdc)\n\
            \t/lib64/ld-linux-x86-64.so.2 (0x00007fdc)\n";
        let found: Vec<&str> = libraries(text).collect();
        assert_eq!(found, ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"]);
    }

    #[test]
    fn compressed_modules_lose_their_ending() {
        assert_eq!(plain_name("kernel/a/nvme.ko.xz"), "kernel/a/nvme.ko");
        assert_eq!(plain_name("kernel/a/nvme.ko"), "kernel/a/nvme.ko");
    }
}
