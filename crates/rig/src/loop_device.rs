//! Loop devices: a block device on a file, detached with the value.

use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::{or_skip, text, tool, tried};

/// Options of losetup(8) for direct I/O to the file. Without them the device goes through the page cache, as files in
/// memory want it, and as `losetup` and `mount -o loop` make it unless told otherwise.
pub const DIRECT: &[&str] = &["--direct-io=on"];

/// A block device on a file.
pub struct LoopDevice {
    /// `/dev/loopN`.
    pub device: String,
    /// The file.
    pub image: PathBuf,
    /// The file's folder where it is the device's own: it goes after the device.
    own: Option<TempDir>,
}

/// A sparse file of this size.
pub fn sparse_file(path: PathBuf, bytes: u64) -> PathBuf {
    File::create(&path).and_then(|file| file.set_len(bytes)).expect("an image");
    path
}

impl LoopDevice {
    /// On a new sparse file of this name and size in the folder, with direct I/O.
    pub fn new(folder: &Path, name: &str, mebibytes: u64) -> LoopDevice {
        LoopDevice::on(&sparse_file(folder.join(name), mebibytes << 20), DIRECT).expect("a loop device")
    }

    /// On a file or a device that is there, with options of losetup(8).
    pub fn on(image: &Path, options: &[&str]) -> Result<LoopDevice, String> {
        let device = losetup(&[options, &["--find", "--show", text(image)]].concat())?;
        Ok(LoopDevice { device, image: image.to_owned(), own: None })
    }

    /// Like [`LoopDevice::on`], with a device number from this range, which `losetup --find` does not hand out: so the
    /// device can be detached and attached again under the same name.
    pub fn apart(image: &Path, options: &[&str], numbers: Range<u32>) -> Result<LoopDevice, String> {
        let first = std::process::id() as usize % numbers.len();
        let mut why = String::new();
        for number in numbers.cycle().skip(first).take(20) {
            let device = format!("/dev/loop{number}");
            match losetup(&[options, &[&device, text(image)]].concat()) {
                Ok(_) => return Ok(LoopDevice { device, image: image.to_owned(), own: None }),
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    /// On a sparse file of this size, in a new folder inside `parent`.
    pub fn sparse(parent: impl AsRef<Path>, bytes: u64, options: &[&str]) -> Result<LoopDevice, String> {
        LoopDevice::in_own_folder(parent.as_ref(), options, |image| image.set_len(bytes))
    }

    /// The same on a file filled with this byte, without holes.
    pub fn filled(parent: impl AsRef<Path>, mebibytes: u64, byte: u8, options: &[&str]) -> Result<LoopDevice, String> {
        LoopDevice::in_own_folder(parent.as_ref(), options, |image| {
            let piece = vec![byte; 1 << 20];
            (0..mebibytes).try_for_each(|_| image.write_all(&piece))?;
            image.sync_all()
        })
    }

    /// The same in memory, with nothing on it that looks like a file system or a partition table. It has no holes,
    /// whose reads take another time. `None`, and the test is skipped, where it cannot be made.
    pub fn in_memory_or_skip(mebibytes: u64) -> Option<LoopDevice> {
        let made = LoopDevice::filled("/dev/shm", mebibytes, 0x5a, &[]);
        or_skip(made.map_err(|why| format!("no loop device on a file in /dev/shm: {why}")))
    }

    fn in_own_folder(
        parent: &Path,
        options: &[&str],
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<LoopDevice, String> {
        let image = || {
            let folder = tempfile::Builder::new().prefix("drivelab-").tempdir_in(parent)?;
            let image = fs::canonicalize(folder.path())?.join("disk.img");
            File::create(&image).and_then(|mut file| fill(&mut file))?;
            Ok((folder, image))
        };
        let (folder, image) = image().map_err(|error: io::Error| error.to_string())?;
        let mut made = LoopDevice::on(&image, options)?;
        made.own = Some(folder);
        Ok(made)
    }

    /// The kernel's name, `loopN`.
    pub fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }

    /// `major:minor`.
    pub fn numbers(&self) -> String {
        let file = format!("/sys/block/{}/dev", self.name());
        fs::read_to_string(file).expect("device numbers").trim().to_owned()
    }

    /// The folder of the file.
    pub fn folder(&self) -> &Path {
        self.image.parent().expect("a folder")
    }

    /// Writes through the page cache and onto the file.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        let file = File::options().write(true).open(&self.device).expect("the device");
        file.write_all_at(bytes, offset).and_then(|()| file.sync_all()).expect("written");
    }

    /// Takes the disk away and puts this file in its place: the same name, and to the kernel another disk, also where
    /// it is the same file. A killed process may hold the first one for a moment longer.
    pub fn swap_for(&self, image: &Path) {
        tool("losetup", &["--detach", &self.device]);
        let file = Path::new("/sys/block").join(self.name()).join("loop/backing_file");
        for _ in 0..100 {
            if !file.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        tool("losetup", &[&self.device, text(image)]);
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = tried("losetup", &["--detach", &self.device]);
    }
}

fn losetup(words: &[&str]) -> Result<String, String> {
    if !rustix::process::geteuid().is_root() {
        return Err("loop devices need root".to_owned());
    }
    tried("losetup", words)
}
