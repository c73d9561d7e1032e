//! A loop device on an image of its own for the tests of the write guard, with what is done to it and undone on drop.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::support::{self, Lab, skip, tool};

pub const MIB: u64 = 1 << 20;

/// What is run on drop, last in first out.
#[derive(Default)]
pub struct Undo(pub Vec<Vec<String>>);

impl Undo {
    pub fn push(&mut self, words: &[&str]) {
        self.0.push(words.iter().map(|word| (*word).to_owned()).collect());
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        while let Some(words) = self.0.pop() {
            let _ = Command::new(&words[0]).args(&words[1..]).output();
        }
    }
}

/// A process that goes when the test does.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// A loop device on a sparse image in a lab of its own.
pub struct Disk {
    pub image: PathBuf,
    pub device: String,
    /// Whether the kernel itself may write behind the first page, as it does on swap space once memory is short.
    pub swap: bool,
    // What comes first goes first: who has it open, then mounts and the device, then the folder that they lie in.
    pub processes: Vec<Process>,
    pub undo: Undo,
    pub lab: Lab,
}

impl Disk {
    pub fn new(mebibytes: u64, options: &[&str]) -> Disk {
        Disk::of_bytes(mebibytes * MIB, options)
    }

    /// The same of so many bytes.
    pub fn of_bytes(length: u64, options: &[&str]) -> Disk {
        let lab = Lab::new();
        let image = lab.folder().join("disk.img");
        File::create(&image).and_then(|file| file.set_len(length)).expect("an image");
        let mut undo = Undo::default();
        let device = tool("losetup", &[options, &["--find", "--show", text(&image)]].concat());
        undo.push(&["losetup", "--detach", &device]);
        Disk { lab, image, device, undo, processes: Vec::new(), swap: false }
    }

    /// The same under a number that nobody gets who asks for the next free one, so that it can be attached again.
    pub fn apart(mebibytes: u64) -> Disk {
        let lab = Lab::new();
        let image = lab.folder().join("disk.img");
        File::create(&image).and_then(|file| file.set_len(mebibytes * MIB)).expect("an image");
        let first = 200 + std::process::id() % 200;
        let attach = |device: &String| {
            let done = Command::new("losetup").args([device.as_str(), text(&image)]).output();
            done.is_ok_and(|done| done.status.success())
        };
        let device = (first..first + 20).map(|number| format!("/dev/loop{number}")).find(attach).expect("a device");
        let mut undo = Undo::default();
        undo.push(&["losetup", "--detach", &device]);
        Disk { lab, image, device, undo, processes: Vec::new(), swap: false }
    }

    /// Takes the disk away and puts this image in its place: the same name, and to the kernel another disk, also where
    /// it is the same image. A killed process may hold the first one for a moment longer.
    pub fn swap_for(&self, image: &Path) {
        tool("losetup", &["--detach", &self.device]);
        let file = Path::new("/sys/block").join(self.name()).join("loop/backing_file");
        for _ in 0..100 {
            if !file.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        tool("losetup", &[&self.device, text(image)]);
    }

    pub fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }

    pub fn write(&self, offset: u64, bytes: &[u8]) {
        let file = OpenOptions::new().write(true).open(&self.device).expect("the device");
        file.write_all_at(bytes, offset).and_then(|()| file.sync_all()).expect("written");
    }

    pub fn folder(&self, name: &str) -> PathBuf {
        let folder = self.lab.folder().join(name);
        fs::create_dir(&folder).expect("a folder");
        folder
    }

    /// Read-only, so that the file system itself writes nothing meanwhile.
    pub fn mount(&mut self, device: &str, name: &str) -> PathBuf {
        let folder = self.folder(name);
        tool("mount", &["-o", "ro", device, text(&folder)]);
        self.undo.push(&["umount", text(&folder)]);
        folder
    }

    /// Another loop device, on an image of this name.
    pub fn another(&mut self, name: &str, mebibytes: u64) -> String {
        let image = self.lab.folder().join(name);
        File::create(&image).and_then(|file| file.set_len(mebibytes * MIB)).expect("an image");
        let device = tool("losetup", &["--find", "--show", text(&image)]);
        self.undo.push(&["losetup", "--detach", &device]);
        device
    }

    /// A fingerprint of everything below the device: the system's own program reads it. Of swap that the kernel has
    /// begun to use, of the first page only.
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
        self.swap && swaps.lines().any(used)
    }

    /// A fingerprint of what lies from `offset` to the end.
    pub fn checksum_from(&self, offset: u64) -> String {
        tool("sync", &[]);
        tool("sh", &["-c", "tail -c +$(($1 + 1)) \"$2\" | cksum", "sh", &offset.to_string(), text(&self.image)])
    }

    pub fn load<'a>(&self, target: &'a str, flags: &[&'a str]) -> support::Done {
        self.lab.run(&[&["io", target, "--op", "write", "--time", "100ms", "--no-save"], flags].concat())
    }
}

/// What lies on a disk.
#[derive(Debug)]
pub struct Checksum {
    first_page: Vec<u8>,
    /// Absent where the kernel itself may write.
    whole: Option<String>,
}

impl PartialEq for Checksum {
    /// The whole content counts where both have it.
    fn eq(&self, other: &Checksum) -> bool {
        let wholes = self.whole.as_ref().zip(other.whole.as_ref());
        self.first_page == other.first_page && wholes.is_none_or(|(one, other)| one == other)
    }
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("a text path")
}

/// Whether a program is there; says so where not.
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

/// Data that nobody takes for anything.
pub fn data_at(disk: &Disk, offset: u64, length: u64) -> bool {
    disk.write(offset, &vec![0x42; usize::try_from(length).expect("a size")]);
    true
}

/// Another node for the same device.
pub fn renamed(disk: &Disk) -> String {
    let numbers = fs::read_to_string(format!("/sys/block/{}/dev", disk.name())).expect("numbers");
    let (major, minor) = numbers.trim().split_once(':').expect("two numbers");
    let node = disk.lab.folder().join("some-disk");
    tool("mknod", &[text(&node), "b", major, minor]);
    text(&node).to_owned()
}
