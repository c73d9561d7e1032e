//! Mounts, and small file systems of a test's own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{DIRECT, LoopDevice, text, tool, tried};

/// Options of mkfs.ext4(8): nothing of it is still to be written once it is mounted.
pub const SETTLED: &[&str] = &["-E", "lazy_itable_init=0,lazy_journal_init=0"];

/// Something mounted, unmounted with the value.
pub struct Mount {
    /// Where.
    pub folder: PathBuf,
}

impl Mount {
    /// By these words of mount(8), on a folder that is made where nothing of the name is there.
    pub fn new(words: &[&str], folder: &Path) -> Result<Mount, String> {
        if !folder.exists() {
            fs::create_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        tried("mount", &[words, &[text(folder)]].concat())?;
        Ok(Mount { folder: folder.to_owned() })
    }

    /// A file system in memory of this size, as mount(8) takes it.
    pub fn tmpfs(size: &str, folder: &Path) -> Result<Mount, String> {
        Mount::new(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"], folder)
    }

    /// Nothing can be written any more.
    pub fn remount_read_only(&self) {
        tool("mount", &["-o", "remount,ro", text(&self.folder)]);
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // A test that failed half-way may still have a file open there: it then goes when that is closed.
        let place = text(&self.folder);
        let _ = tried("umount", &[place]).or_else(|_| tried("umount", &["--lazy", place]));
    }
}

/// An ext4 on a loop device, mounted beside the device's file.
pub struct LoopFs {
    /// The mount, which goes first.
    pub mount: Mount,
    /// The device.
    pub below: LoopDevice,
}

impl LoopFs {
    /// On this device, with options of mkfs.ext4(8).
    pub fn on(below: LoopDevice, options: &[&str]) -> Result<LoopFs, String> {
        tried("mkfs.ext4", &[&["-q", "-F"], options, &[&below.device]].concat())?;
        let mount = Mount::new(&[&below.device], &below.folder().join("mounted"))?;
        Ok(LoopFs { mount, below })
    }

    /// A file system of this size in MiB, on an image in `folder` without holes.
    pub fn ext4(folder: &str, mebibytes: u64, options: &[&str]) -> LoopFs {
        LoopFs::settled(LoopDevice::filled(folder, mebibytes, 0, DIRECT), options)
    }

    /// The same with the image in memory: for what is measured under a throttle, since a disk that others keep busy may
    /// serve less than the limit.
    pub fn in_memory(mebibytes: u64) -> LoopFs {
        LoopFs::settled(LoopDevice::filled("/dev/shm", mebibytes, 0, &[]), &[])
    }

    fn settled(below: Result<LoopDevice, String>, options: &[&str]) -> LoopFs {
        below.and_then(|below| LoopFs::on(below, &[SETTLED, options].concat())).expect("a file system on a loop device")
    }

    /// Where it is mounted.
    pub fn mount_point(&self) -> &Path {
        &self.mount.folder
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::or_skip;

    #[test]
    fn nothing_is_left_of_what_a_test_made_that_fails() {
        let Some(below) = or_skip(LoopDevice::sparse("/dev/shm", 16 << 20, &[])) else { return };
        let folder = below.folder().to_owned();
        let backing = Path::new("/sys/block").join(below.name()).join("loop/backing_file");
        let mut opened = None;
        let failed = catch_unwind(AssertUnwindSafe(|| {
            let made = LoopFs::on(below, &[]).expect("a file system");
            opened = Some(fs::File::create(made.mount_point().join("open")).expect("a file"));
            panic!("as an assertion does, with a file open");
        }));
        assert!(failed.is_err() && opened.is_some() && !folder.exists(), "{} is left", folder.display());
        let mounts = fs::read_to_string("/proc/self/mounts").expect("mounts");
        assert!(!mounts.contains(text(&folder)), "{} is mounted", folder.display());
        // With the file closed, the kernel lets the device go as well.
        drop(opened);
        let deadline = Instant::now() + Duration::from_secs(10);
        while backing.exists() && Instant::now() < deadline {
            std::thread::yield_now();
        }
        assert!(!backing.exists(), "the loop device is still attached");
    }
}
