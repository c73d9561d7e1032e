//! A loop device on its own image for the tests of the write guard; what is done to it is undone on drop.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

use std::fs::{self, File};
use std::io::Read;
use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Stdio};

use drivelab_rig::{LoopDevice, Mount, Undo, skip, sparse_file, text, tool};

pub use crate::support::Process;
use crate::support::{self, Lab};

pub const MIB: u64 = 1 << 20;

/// A loop device on a sparse image in a lab of its own.
pub struct Disk {
    // Dropped in this order: who has it open, then what is on it, then the device and the folder that holds
    // everything.
    pub processes: Vec<Process>,
    /// As swap space: the kernel itself may write after the first page, once memory is short.
    pub swap: Option<Undo>,
    pub mounts: Vec<Mount>,
    pub others: Vec<LoopDevice>,
    drive: LoopDevice,
    pub lab: Lab,
}

impl Deref for Disk {
    type Target = LoopDevice;

    fn deref(&self) -> &LoopDevice {
        &self.drive
    }
}

impl Disk {
    pub fn new(mebibytes: u64, options: &[&str]) -> Disk {
        Disk::of_bytes(mebibytes * MIB, options)
    }

    /// The same with this many bytes.
    pub fn of_bytes(length: u64, options: &[&str]) -> Disk {
        Disk::attached(length, |image| LoopDevice::on(image, options))
    }

    /// The same with a number that nobody gets who asks for the next free device, so that it can be attached again.
    pub fn apart(mebibytes: u64) -> Disk {
        Disk::attached(mebibytes * MIB, |image| LoopDevice::apart(image, &[], 200..400))
    }

    fn attached(length: u64, attach: impl FnOnce(&Path) -> Result<LoopDevice, String>) -> Disk {
        let lab = Lab::new();
        let drive = attach(&sparse_file(lab.folder().join("disk.img"), length)).expect("a loop device");
        let (processes, mounts, others) = Default::default();
        Disk { processes, swap: None, mounts, others, drive, lab }
    }

    /// At a new folder of this name; read-only, so that the file system itself writes nothing meanwhile.
    pub fn mount(&mut self, device: &str, name: &str) {
        let mount = Mount::new(&["-o", "ro", device], &self.lab.folder().join(name));
        self.mounts.push(mount.expect("mounted"));
    }

    /// Another loop device, on an image of this name.
    pub fn another(&mut self, name: &str, mebibytes: u64) -> String {
        let image = sparse_file(self.lab.folder().join(name), mebibytes * MIB);
        self.others.push(LoopDevice::on(&image, &[]).expect("a loop device"));
        self.others.last().expect("the other").device.clone()
    }

    /// A fingerprint of everything on the device, read by the system's own program. For swap that the kernel has begun
    /// to use, of the first page only.
    pub fn checksum(&self) -> Checksum {
        tool("sync", &[]);
        let mut first_page = vec![0; 4096];
        File::open(&self.image).and_then(|mut file| file.read_exact(&mut first_page)).expect("the first page");
        let whole = (!self.swapped_to()).then(|| tool("cksum", &[text(&self.image)]));
        Checksum { first_page, whole }
    }

    /// Whether the kernel keeps pages of its memory there, and so may write at any time.
    fn swapped_to(&self) -> bool {
        let swaps = fs::read_to_string("/proc/swaps").expect("what swap is on");
        let used = |line: &str| {
            let mut words = line.split_whitespace();
            words.next() == Some(&*self.device) && words.nth(2) != Some("0")
        };
        self.swap.is_some() && swaps.lines().any(used)
    }

    /// A fingerprint of everything from `offset` to the end.
    pub fn checksum_from(&self, offset: u64) -> String {
        tool("sync", &[]);
        tool("sh", &["-c", "tail -c +$(($1 + 1)) \"$2\" | cksum", "sh", &offset.to_string(), text(&self.image)])
    }

    pub fn load<'a>(&self, target: &'a str, flags: &[&'a str]) -> support::Done {
        self.lab.run(&[&["io", target, "--op", "write", "--time", "100ms", "--no-save"], flags].concat())
    }
}

/// The content of a disk.
#[derive(Debug)]
pub struct Checksum {
    first_page: Vec<u8>,
    /// Absent if the kernel itself may write.
    whole: Option<String>,
}

impl PartialEq for Checksum {
    /// The whole content counts if both have it.
    fn eq(&self, other: &Checksum) -> bool {
        let wholes = self.whole.as_ref().zip(other.whole.as_ref());
        self.first_page == other.first_page && wholes.is_none_or(|(one, other)| one == other)
    }
}

/// Whether a program is installed; prints a message if not.
pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
        || skip(&format!("there is no {program}"))
}

/// Demands the exit code and the words, and that nothing was changed.
#[track_caller]
pub fn refused(what: &str, disk: &Disk, target: &str, flags: &[&str], code: i32, words: &[&str]) {
    let before = disk.checksum();
    let done = disk.load(target, flags);
    assert_eq!(done.code, code, "{what}: {}", done.stderr);
    for word in words {
        assert!(done.stderr.contains(word), "{what}: '{word}' is missing in\n{}", done.stderr);
    }
    assert_eq!(disk.checksum(), before, "{what}: bytes changed");
}

/// Data that no program recognises.
pub fn data_at(disk: &Disk, offset: u64, length: u64) -> bool {
    disk.write(offset, &vec![0x42; usize::try_from(length).expect("a size")]);
    true
}

/// Another node for the same device.
pub fn renamed(disk: &Disk) -> String {
    let numbers = disk.numbers();
    let (major, minor) = numbers.split_once(':').expect("two numbers");
    let node = disk.lab.folder().join("some-disk");
    tool("mknod", &[text(&node), "b", major, minor]);
    text(&node).to_owned()
}
