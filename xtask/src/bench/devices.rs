//! Devices and files that rows need, created and removed by the bench.
//!
//! Root creates a compressed RAM disk for the sync backend's row; it is freed however the bench ends, except by a
//! kill.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell::is_installed;

const CONTROL: &str = "/sys/class/zram-control";

/// Whether this process may create devices.
pub(crate) fn as_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// A RAM disk of 2 GiB, full of random bytes, gone when dropped.
#[derive(Debug)]
pub(crate) struct Zram {
    number: u32,
}

impl Zram {
    /// Creates and fills one. The error states why a row has to be left out.
    pub(crate) fn make() -> Result<Self> {
        ensure!(as_root(), "making a zram device needs root");
        if !Path::new(CONTROL).exists() && is_installed("modprobe") {
            // The module may exist without being loaded; what matters is checked next.
            let _ = Command::new("modprobe").arg("zram").output();
        }
        ensure!(Path::new(CONTROL).exists(), "this kernel has no zram");
        let said = fs::read_to_string(Path::new(CONTROL).join("hot_add")).context("cannot add a zram device")?;
        let zram = Zram { number: said.trim().parse().context("zram gave no number")? };
        fs::write(format!("/sys/block/zram{}/disksize", zram.number), "2G").context("cannot size the zram device")?;
        let filled = Command::new("dd")
            .args(["if=/dev/urandom", &format!("of={}", zram.path()), "bs=1M", "count=2048", "oflag=direct"])
            .output()
            .context("cannot start dd")?;
        let said = String::from_utf8_lossy(&filled.stderr).into_owned();
        ensure!(filled.status.success(), "cannot fill the zram device: {}", said.trim());
        Ok(zram)
    }

    /// The device.
    pub(crate) fn path(&self) -> String {
        format!("/dev/zram{}", self.number)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let reset = fs::write(format!("/sys/block/zram{}/reset", self.number), "1");
        let removed = fs::write(Path::new(CONTROL).join("hot_remove"), self.number.to_string());
        if let Err(error) = reset.and(removed) {
            eprintln!("{} could not be removed: {error}", self.path());
        }
    }
}

/// The bench's own folder for results and for the file that t/io_uring opens; removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Creates it inside `folder`.
    pub(crate) fn make(folder: &Path) -> Result<Self> {
        let folder = folder.join(format!("scratch-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let scratch = Scratch { folder };
        let file = fs::File::create(scratch.ring_file()).context("cannot make the file for t/io_uring")?;
        file.set_len(16 << 20).context("cannot size the file for t/io_uring")?;
        Ok(scratch)
    }

    /// Where programs run.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A folder for results; it is empty at first.
    pub(crate) fn bundle(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// A file for a trace; it does not exist at first.
    pub(crate) fn trace(&self) -> PathBuf {
        self.folder.join("trace")
    }

    /// Removes the results and the trace of a run.
    pub(crate) fn forget_results(&self) {
        // Most runs leave none.
        let _ = fs::remove_dir_all(self.bundle());
        let _ = fs::remove_file(self.trace());
    }

    /// A sparse file that t/io_uring wants to open, though NOPs touch nothing.
    pub(crate) fn ring_file(&self) -> PathBuf {
        self.folder.join("nothing")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            eprintln!("{} could not be removed: {error}", self.folder.display());
        }
    }
}
