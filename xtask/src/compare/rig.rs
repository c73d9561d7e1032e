//! The device of known speed: a loop device on a file in memory, under a block cgroup (v1), with huge pages.
//!
//! Everything created here is removed however the comparison ends: a keeper, a shell in a session of its own, waits
//! until this process is gone and then removes everything. It is started before anything is created.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Bytes per second that the limit allows, reads and writes each.
pub(crate) const BYTES: u64 = 200 << 20;
/// Operations per second, likewise.
pub(crate) const IOPS: u64 = 10_000;
/// Size of the device in MiB.
const SIZE: u64 = 1024;

const GROUPS: &str = "/sys/fs/cgroup/blkio";
const HUGE_PAGES: &str = "/proc/sys/vm/nr_hugepages";

/// Waits for the end of its input, then ends what still runs in the group and removes everything. Its arguments:
/// group, image, previous number of huge pages.
const KEEPER: &str = "trap '' INT TERM HUP; cat >/dev/null; \
    for try in 1 2 3 4 5 6 7 8 9 10; do \
      for pid in $(cat \"$1/cgroup.procs\" 2>/dev/null); do kill -KILL \"$pid\" 2>/dev/null; done; \
      rmdir \"$1\" 2>/dev/null; [ -d \"$1\" ] || break; sleep 0.2; \
    done; \
    losetup -j \"$2\" -n -O NAME | while read -r device; do losetup -d \"$device\"; done; \
    rm -f \"$2\"; echo \"$3\" >/proc/sys/vm/nr_hugepages";

/// The device, removed when dropped.
#[derive(Debug)]
pub(crate) struct Rig {
    keeper: Child,
    group: PathBuf,
    device: String,
    numbers: String,
    wanted: u64,
}

impl Rig {
    /// Creates everything.
    pub(crate) fn make(huge_pages: u64) -> Result<Rig> {
        ensure!(crate::bench::as_root(), "a loop device with limits needs root");
        let throttles = Path::new(GROUPS).join("blkio.throttle.read_bps_device");
        ensure!(throttles.exists(), "there is no block cgroup (v1) under {GROUPS}");
        let name = format!("drivelab-compare-{}", std::process::id());
        let (group, image) = (Path::new(GROUPS).join(&name), Path::new("/dev/shm").join(format!("{name}.img")));
        let before = fs::read_to_string(HUGE_PAGES).context("cannot read the number of huge pages")?;
        let keeper = Command::new("setsid")
            .args(["sh", "-c", KEEPER, "keeper"])
            .args([&group, &image])
            .arg(before.trim())
            .stdin(Stdio::piped())
            .spawn()
            .context("cannot start setsid (Debian package util-linux)")?;
        let mut rig = Rig { keeper, group, device: String::new(), numbers: String::new(), wanted: 0 };
        rig.fill(&image, huge_pages)?;
        Ok(rig)
    }

    fn fill(&mut self, image: &Path, huge_pages: u64) -> Result<()> {
        self.wanted = huge_pages;
        self.huge_pages()?;
        tool("dd", &["if=/dev/urandom", &format!("of={}", image.display()), "bs=1M", &format!("count={SIZE}")])?;
        self.device = tool("losetup", &["--find", "--show", &image.display().to_string()])?;
        let block = Path::new("/sys/block").join(self.name());
        self.numbers =
            fs::read_to_string(block.join("dev")).context("no numbers of the loop device")?.trim().to_owned();
        // A loop device has 128 requests, and a throttle loses its credit while a released operation waits for one:
        // with 256 operations in flight it served 0.64 to 0.76 of its limit. A scheduler has requests of its own.
        fs::write(block.join("queue/scheduler"), "mq-deadline")
            .context("cannot give the loop device the scheduler mq-deadline")?;
        fs::write(block.join("queue/nr_requests"), "1024").context("cannot give the loop device more requests")?;
        fs::create_dir(&self.group).context("cannot make a block cgroup")
    }

    /// Ensures that there are as many huge pages as either side needs.
    pub(crate) fn huge_pages(&self) -> Result<()> {
        let ask = || -> Result<u64> {
            fs::write(HUGE_PAGES, self.wanted.to_string()).context("cannot ask for huge pages")?;
            fs::read_to_string(HUGE_PAGES)?.trim().parse().context("no number of huge pages")
        };
        let mut got = ask()?;
        if got < self.wanted {
            // Free memory may be fragmented; the kernel compacts it on request.
            fs::write("/proc/sys/vm/compact_memory", "1").context("cannot have memory put together")?;
            got = ask()?;
        }
        ensure!(
            got >= self.wanted,
            "the kernel found {got} of {} huge pages: memory is short or in pieces",
            self.wanted
        );
        Ok(())
    }

    /// `/dev/loopN`.
    pub(crate) fn device(&self) -> &str {
        &self.device
    }

    /// `loopN`.
    pub(crate) fn name(&self) -> &str {
        self.device.rsplit('/').next().unwrap_or(&self.device)
    }

    /// The file that adds a process to the group.
    pub(crate) fn procs(&self) -> PathBuf {
        self.group.join("cgroup.procs")
    }

    /// Sets the limits or removes them.
    pub(crate) fn limit(&self, on: bool) -> Result<()> {
        for (what, value) in [("read_bps", BYTES), ("write_bps", BYTES), ("read_iops", IOPS), ("write_iops", IOPS)] {
            let value = if on { value } else { 0 };
            let file = self.group.join(format!("blkio.throttle.{what}_device"));
            fs::write(&file, format!("{} {value}", self.numbers)).with_context(|| format!("cannot set {what}"))?;
        }
        Ok(())
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// A program's output, without the last line end.
fn tool(program: &str, arguments: &[&str]) -> Result<String> {
    let done = Command::new(program).args(arguments).output().with_context(|| format!("cannot start {program}"))?;
    let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
    ensure!(done.status.success(), "{program} failed: {said}");
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}
