//! A small file system of its own on a loop device, mounted while the value lives.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

use std::path::{Path, PathBuf};

use crate::support::tool;

/// A mounted file system on a loop device on an image file.
pub struct LoopFs {
    folder: tempfile::TempDir,
    /// `/dev/loopN`.
    pub device: String,
}

impl LoopFs {
    /// An ext4 of so many MiB, whose image is written full so that no block of it is a hole.
    pub fn ext4(mebibytes: u64) -> LoopFs {
        LoopFs::made(env!("CARGO_TARGET_TMPDIR"), mebibytes, &["--direct-io=on"], &[])
    }

    /// The same with options of mkfs.ext4(8).
    pub fn ext4_with(mebibytes: u64, options: &[&str]) -> LoopFs {
        LoopFs::made(env!("CARGO_TARGET_TMPDIR"), mebibytes, &["--direct-io=on"], options)
    }

    /// The same with the image in memory: for what is measured under a throttle, since a disk that others keep busy may
    /// serve less than the limit.
    pub fn in_memory(mebibytes: u64) -> LoopFs {
        LoopFs::made("/dev/shm", mebibytes, &[], &[])
    }

    fn made(folder: &str, mebibytes: u64, of_loop: &[&str], of_mkfs: &[&str]) -> LoopFs {
        let folder = tempfile::Builder::new().prefix("loopfs-").tempdir_in(folder).expect("a folder for the image");
        let image = folder.path().join("image");
        let path = image.to_str().expect("a text path");
        tool("dd", &["if=/dev/zero", &format!("of={path}"), "bs=1M", &format!("count={mebibytes}"), "conv=fsync"]);
        let device = tool("losetup", &[of_loop, &["--find", "--show", path]].concat());
        let fs = LoopFs { folder, device };
        let usual = ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];
        tool("mkfs.ext4", &[&usual, of_mkfs, &[fs.device.as_str()]].concat());
        std::fs::create_dir(fs.mount_point()).expect("a mount point");
        tool("mount", &[&fs.device, fs.mount_point().to_str().expect("a text path")]);
        fs
    }

    pub fn mount_point(&self) -> PathBuf {
        self.folder.path().join("mnt")
    }

    /// `major:minor`, as the block cgroup wants it.
    pub fn numbers(&self) -> String {
        let name = Path::new(&self.device).file_name().expect("a name").to_string_lossy().into_owned();
        std::fs::read_to_string(format!("/sys/block/{name}/dev")).expect("device numbers").trim().to_owned()
    }

    pub fn remount_read_only(&self) {
        tool("mount", &["-o", "remount,ro", self.mount_point().to_str().expect("a text path")]);
    }
}

impl Drop for LoopFs {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.mount_point()).status();
        let _ = std::process::Command::new("losetup").args(["-d", &self.device]).status();
    }
}
