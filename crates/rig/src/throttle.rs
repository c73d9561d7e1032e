//! A block cgroup (v1) that limits what block devices serve to the programs inside it.
//!
//! What such a limit can promise is in docs/how-it-is-tested.md: rates within 1.5 %, nothing about latency.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{skip, text};

const GROUPS: &str = "/sys/fs/cgroup/blkio";

static MADE: AtomicU32 = AtomicU32::new(0);

/// A group for one device, without a limit at first; removed at the end.
pub struct Throttle {
    group: PathBuf,
    device: String,
}

impl Throttle {
    /// Whether there are such groups.
    pub fn possible() -> bool {
        Path::new(GROUPS).join("blkio.throttle.read_bps_device").exists()
    }

    /// The same, and says so aloud where not.
    pub fn possible_or_skip() -> bool {
        Throttle::possible() || skip(&format!("no block cgroup (v1) under {GROUPS}"))
    }

    /// For the device with these numbers, `major:minor`.
    pub fn new(device: &str) -> Throttle {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let group = Path::new(GROUPS).join(format!("drivelab-test-{}-{number}", std::process::id()));
        fs::create_dir(&group).expect("a block cgroup");
        Throttle { group, device: device.to_owned() }
    }

    /// Sets `read_bps`, `write_bps`, `read_iops` or `write_iops`, per second; 0 takes the limit away.
    pub fn limit(&self, what: &str, value: u64) {
        self.limit_device(&self.device, what, value);
    }

    /// The same for another device.
    pub fn limit_device(&self, device: &str, what: &str, value: u64) {
        let file = self.group.join(format!("blkio.throttle.{what}_device"));
        fs::write(file, format!("{device} {value}")).expect("a limit");
    }

    /// The file that takes the number of a process into the group.
    pub fn processes(&self) -> PathBuf {
        self.group.join("cgroup.procs")
    }

    /// The file that takes it out of any group.
    pub fn outside() -> PathBuf {
        Path::new(GROUPS).join("cgroup.procs")
    }

    /// A command that runs inside the group; arguments are still to be added.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$ > \"$0\" && exec \"$@\"", text(&self.processes()), program]);
        command
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.group);
    }
}
