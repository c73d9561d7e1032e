//! A loop device on a file in memory, without a file system: a real block device with asynchronous completions.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

use crate::support::{skip, tool};

/// The device, gone at the end.
pub struct RamDisk {
    _folder: tempfile::TempDir,
    /// `/dev/loopN`.
    pub device: String,
}

impl RamDisk {
    /// Of so many MiB, all of them written: reading a hole of a file in memory costs differently. `None` where this
    /// machine makes no loop devices, said aloud.
    pub fn new_or_skip(mebibytes: usize) -> Option<RamDisk> {
        match RamDisk::new(mebibytes) {
            Ok(disk) => Some(disk),
            Err(why) => {
                skip(&format!("no loop device on a file in /dev/shm: {why}"));
                None
            }
        }
    }

    fn new(mebibytes: usize) -> std::io::Result<RamDisk> {
        let folder = tempfile::Builder::new().prefix("drivelab-").tempdir_in("/dev/shm")?;
        let image = folder.path().join("image");
        // Nothing that looks like a file system or a partition table.
        std::fs::write(&image, vec![0x5a; mebibytes << 20])?;
        let device = tool("losetup", &["--find", "--show", image.to_str().expect("a text path")]);
        Ok(RamDisk { _folder: folder, device })
    }

    /// The kernel's name, `loopN`.
    pub fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }

    /// `major:minor`.
    pub fn numbers(&self) -> String {
        let file = format!("/sys/block/{}/dev", self.name());
        std::fs::read_to_string(file).expect("device numbers").trim().to_owned()
    }
}

impl Drop for RamDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("losetup").args(["-d", &self.device]).status();
    }
}
