//! Devices that tests make and that go again, also where a test fails: loop devices, zram, mounts.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::MutexGuard;

use drivelab_device::{BlockNode, Named, classify};
use tempfile::TempDir;

use super::{alone, folder, skipped};

pub const MIB: u64 = 1 << 20;

/// Runs a tool to its end; what it printed, or what went wrong.
pub fn tool(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(format!("{program}: {}", text(&output.stderr))) }
}

/// A plain path as text.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// What the device room says a node is.
pub fn node(path: &str) -> BlockNode {
    match classify(Path::new(path)) {
        Ok(Named::BlockDevice(node)) => node,
        other => panic!("{path} is no block device: {other:?}"),
    }
}

/// A loop device on a file of its own, as large as asked for and all zeros.
pub struct Loop {
    pub device: String,
    pub image: PathBuf,
    pub folder: PathBuf,
    _files: TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Loop {
    /// `None`, said aloud, where this machine or user cannot do it.
    pub fn new(size: u64) -> Option<Loop> {
        Self::with(size, &[])
    }

    /// With further options of losetup(8).
    pub fn with(size: u64, options: &[&str]) -> Option<Loop> {
        if !rustix::process::geteuid().is_root() {
            skipped("loop devices need root");
            return None;
        }
        let alone = alone();
        let (files, folder) = folder();
        let image = folder.join("disk.img");
        File::create(&image).and_then(|file| file.set_len(size)).expect("an image");
        match attach(&image, options) {
            Ok(device) => Some(Loop { device, image, folder, _files: files, _alone: alone }),
            Err(why) => {
                skipped(&why);
                None
            }
        }
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }

    pub fn node(&self) -> BlockNode {
        node(&self.device)
    }

    /// Writes into the image below the device, and makes the device forget what it has read before.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        use std::os::unix::fs::FileExt;
        let file = File::options().write(true).open(&self.device).expect("the device");
        file.write_all_at(bytes, offset).and_then(|()| file.sync_all()).expect("written");
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = tool("losetup", &["--detach", &self.device]);
    }
}

/// Attaches a file to a free loop device.
pub fn attach(file: &Path, options: &[&str]) -> Result<String, String> {
    let mut arguments = vec!["--find", "--show"];
    arguments.extend(options);
    arguments.push(text(file));
    tool("losetup", &arguments)
}

/// Something to be undone: the words of a command that is run on drop.
pub struct Undo(pub Vec<String>);

impl Undo {
    pub fn by(words: &[&str]) -> Undo {
        Undo(words.iter().map(|word| (*word).to_owned()).collect())
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        if let Some((program, arguments)) = self.0.split_first() {
            let done = Command::new(program).args(arguments).output();
            // A test that failed half-way may still have a file open on a mount, which then goes when that is closed.
            if program == "umount" && !done.is_ok_and(|output| output.status.success()) {
                let _ = Command::new(program).arg("--lazy").args(arguments).output();
            }
        }
    }
}

/// A mount of a device at a new folder beside the device's image.
pub fn mounted(device: &str, folder: &Path, options: &[&str]) -> (PathBuf, Undo) {
    let place = folder.join("mount");
    fs::create_dir(&place).expect("a folder");
    let mut arguments = options.to_vec();
    arguments.extend([device, text(&place)]);
    tool("mount", &arguments).expect("mounted");
    let undo = Undo::by(&["umount", text(&place)]);
    (place, undo)
}

/// A zram device of its own.
pub struct Zram {
    pub device: String,
    number: String,
    _alone: MutexGuard<'static, ()>,
}

impl Zram {
    /// `None`, said aloud, where this machine or user cannot do it.
    pub fn new(size: u64) -> Option<Zram> {
        let alone = alone();
        let made = fs::read_to_string("/sys/class/zram-control/hot_add")
            .map_err(|error| format!("this kernel or user makes no zram device: {error}"));
        match made {
            Ok(number) => {
                let number = number.trim().to_owned();
                let zram = Zram { device: format!("/dev/zram{number}"), number, _alone: alone };
                fs::write(zram.attribute("disksize"), size.to_string()).expect("its size");
                Some(zram)
            }
            Err(why) => {
                skipped(&why);
                None
            }
        }
    }

    /// Takes its content and its size away.
    pub fn reset(&self) {
        fs::write(self.attribute("reset"), "1").expect("empty");
    }

    fn attribute(&self, name: &str) -> String {
        format!("/sys/block/zram{}/{name}", self.number)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = fs::write(self.attribute("reset"), "1");
        let _ = fs::write("/sys/class/zram-control/hot_remove", &self.number);
    }
}

/// Writes a partition table with one partition over most of the disk (16 bytes an entry, at byte 446: status, CHS,
/// type, CHS, first sector, sectors) and has the kernel read it.
pub fn partition(disk: &Loop) {
    let mut sector = [0u8; 512];
    sector[446 + 4] = 0x83;
    sector[446 + 8..446 + 12].copy_from_slice(&2048u32.to_le_bytes());
    sector[446 + 12..446 + 16].copy_from_slice(&(32 * 2048u32).to_le_bytes());
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    disk.write(0, &sector);
    tool("partx", &["--update", &disk.device]).expect("the kernel reads the table");
}
