//! Debian's kernel for the VM: which one, downloaded once, and its modules with their dependencies.
//!
//! Nothing is installed: apt downloads the package, and it is unpacked into the target folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::lacking::lacking;
use crate::setup;
use crate::shell::{is_installed, run as run_command};

/// The package that always depends on the newest kernel of this Debian.
const NEWEST: &str = "linux-image-amd64";

/// Programs of every VM that a scenario does not name.
pub(crate) const SHELL: &str = "busybox";

/// A kernel, ready to boot.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Its release, as `uname -r` prints it.
    pub(crate) version: String,
    /// The file to boot.
    pub(crate) image: PathBuf,
    /// The folder of its modules.
    pub(crate) modules: PathBuf,
    /// For each module (by name, with `_`), its file and the files it needs, relative to `modules`.
    dependencies: BTreeMap<String, (String, Vec<String>)>,
    /// Names of built-in modules.
    built_in: Vec<String>,
}

/// The newest kernel of this Debian: from `cache`, otherwise downloaded. If it is not available, the newest in the
/// cache.
pub(crate) fn fetch(root: &Path, cache: &Path) -> Result<Kernel> {
    std::fs::create_dir_all(cache).with_context(|| format!("cannot make {}", cache.display()))?;
    match newest(root) {
        Ok((package, version)) => {
            let folder = cache.join(format!("{package}_{}", version.replace(':', "_")));
            if folder.is_dir() {
                return open(&folder);
            }
            match download(root, &package, &folder) {
                Ok(()) => open(&folder),
                Err(error) => cached(cache, &error),
            }
        }
        Err(error) => cached(cache, &error),
    }
}

/// A kernel of an earlier call, if there is one; otherwise the reason why there is none.
fn cached(cache: &Path, why: &anyhow::Error) -> Result<Kernel> {
    let entries = std::fs::read_dir(cache).with_context(|| format!("cannot list {}", cache.display()))?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.retain(|folder| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("linux-image")));
    folders.sort();
    match folders.last() {
        Some(folder) => {
            println!("vm-test: the kernel of an earlier call is taken: {why:#}");
            open(folder)
        }
        None => Err(lacking(format!("no kernel to boot: {why:#}"))),
    }
}

/// Name and version of the newest kernel's package. Empty or old package lists are updated once, if allowed.
fn newest(root: &Path) -> Result<(String, String)> {
    ensure!(is_installed("apt-cache"), "no apt here: the kernel comes from Debian's {NEWEST}");
    match ask() {
        Ok(found) => Ok(found),
        Err(_) if setup::is_ci() => {
            setup::apt(root, &["update", "-q"])?;
            ask()
        }
        Err(error) => Err(error.context("perhaps `apt-get update` was never run")),
    }
}

fn ask() -> Result<(String, String)> {
    let depends = apt_cache(&["depends", NEWEST])?;
    let package = depends
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .find(|name| name.starts_with("linux-image-"))
        .with_context(|| format!("apt knows no package {NEWEST}"))?;
    let shown = apt_cache(&["show", "--no-all-versions", package])?;
    let version = shown.lines().find_map(|line| line.strip_prefix("Version: "));
    Ok((package.to_owned(), version.with_context(|| format!("apt knows no version of {package}"))?.to_owned()))
}

fn apt_cache(arguments: &[&str]) -> Result<String> {
    let asked = Command::new("apt-cache").args(arguments).stdin(Stdio::null()).output();
    let output = asked.context("cannot start apt-cache")?;
    ensure!(output.status.success(), "apt-cache {} failed", arguments.join(" "));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Downloads and unpacks a package; afterwards `folder` exists completely or not at all.
fn download(root: &Path, package: &str, folder: &Path) -> Result<()> {
    let partial = folder.with_file_name(format!("partial-{}", std::process::id()));
    std::fs::create_dir_all(&partial).with_context(|| format!("cannot make {}", partial.display()))?;
    let done = unpack(root, package, &partial)
        .and_then(|()| std::fs::rename(&partial, folder).context("cannot name the unpacked kernel"));
    if partial.exists() {
        std::fs::remove_dir_all(&partial).with_context(|| format!("cannot remove {}", partial.display()))?;
    }
    done
}

fn unpack(root: &Path, package: &str, folder: &Path) -> Result<()> {
    let fetch = || run_command(here(folder, "apt-get", &["download", "-q", package]));
    match fetch() {
        // The lists may be older than the archive, which keeps only the newest kernels.
        Err(_) if setup::is_ci() => setup::apt(root, &["update", "-q"]).and_then(|()| fetch())?,
        other => other?,
    }
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let [file] = files.as_slice() else { bail!("apt-get download left {} files", files.len()) };
    run_command(here(folder, "dpkg-deb", &["-x", &file.to_string_lossy(), "."]))?;
    std::fs::remove_file(file).with_context(|| format!("cannot remove {}", file.display()))?;
    let version = version(folder)?;
    run_command(here(folder, SHELL, &["depmod", "-b", ".", &version]))
}

fn here(folder: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

/// The folder that contains modules: one of the two ways in which Debian lays out its packages.
fn modules(folder: &Path) -> PathBuf {
    let merged = folder.join("usr/lib/modules");
    if merged.is_dir() { merged } else { folder.join("lib/modules") }
}

/// The release of the kernel in `folder`.
fn version(folder: &Path) -> Result<String> {
    let modules = modules(folder);
    let mut entries = std::fs::read_dir(&modules).with_context(|| format!("cannot list {}", modules.display()))?;
    let entry = entries.next().with_context(|| format!("{} is empty", modules.display()))??;
    Ok(entry.file_name().to_string_lossy().into_owned())
}

fn open(folder: &Path) -> Result<Kernel> {
    let version = version(folder)?;
    let modules = modules(folder).join(&version);
    let read = |name: &str| {
        let path = modules.join(name);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let dependencies = dependencies(&read("modules.dep")?);
    let built_in = read("modules.builtin")?.lines().map(module_name).collect();
    Ok(Kernel { image: folder.join(format!("boot/vmlinuz-{version}")), version, modules, dependencies, built_in })
}

/// Reads modules.dep: `file: file it needs …`, one line for each module.
fn dependencies(text: &str) -> BTreeMap<String, (String, Vec<String>)> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let entry = |(file, needs): (&str, &str)| {
        let needs = needs.split_whitespace().map(str::to_owned).collect();
        (module_name(file), (file.to_owned(), needs))
    };
    lines.map(entry).collect()
}

/// `kernel/drivers/md/dm-mod.ko.xz` is module `dm_mod`.
fn module_name(file: &str) -> String {
    let base = file.rsplit('/').next().unwrap_or(file);
    base.split(".ko").next().unwrap_or(base).replace('-', "_")
}

impl Kernel {
    /// The lines of modules.dep for these modules and everything that they need: each file with the files it needs.
    pub(crate) fn with_dependencies(&self, names: &[String]) -> Result<BTreeMap<String, Vec<String>>> {
        let mut wanted: Vec<String> = names.iter().map(|name| module_name(name)).collect();
        let mut found = BTreeMap::new();
        while let Some(name) = wanted.pop() {
            let Some((file, needs)) = self.dependencies.get(&name) else {
                ensure!(self.built_in.contains(&name), "kernel {} has no module {name}", self.version);
                continue;
            };
            if found.insert(file.clone(), needs.clone()).is_none() {
                wanted.extend(needs.iter().map(|file| module_name(file)));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel() -> Kernel {
        let text = "kernel/a/dm-delay.ko: kernel/a/dm-mod.ko\nkernel/a/dm-mod.ko: kernel/b/dax.ko.xz\n\
            kernel/b/dax.ko.xz:\nkernel/c/other.ko:\n";
        Kernel {
            version: "6.1".to_owned(),
            image: PathBuf::new(),
            modules: PathBuf::new(),
            dependencies: dependencies(text),
            built_in: vec!["virtio_pci".to_owned()],
        }
    }

    #[test]
    fn a_module_brings_what_it_needs_and_nothing_else() {
        let names = ["dm-delay".to_owned(), "virtio-pci".to_owned()];
        let found = kernel().with_dependencies(&names).expect("all known");
        let files: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(files, ["kernel/a/dm-delay.ko", "kernel/a/dm-mod.ko", "kernel/b/dax.ko.xz"]);
        assert_eq!(found["kernel/a/dm-delay.ko"], ["kernel/a/dm-mod.ko"]);
    }

    #[test]
    fn a_module_that_the_kernel_lacks_is_named() {
        let error = kernel().with_dependencies(&["zram".to_owned()]).expect_err("no zram");
        assert!(error.to_string().contains("no module zram"), "{error}");
    }
}
