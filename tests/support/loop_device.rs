//! A loop device of a test's own, detached on drop, with direct I/O or without. What else is done to one is `disk`'s.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::tool;

/// A block device on a file.
pub struct LoopDevice {
    /// The file.
    pub image: PathBuf,
    /// `/dev/loopN`.
    pub node: String,
}

impl LoopDevice {
    /// On a sparse file of this name and size in the folder.
    pub fn new(folder: &Path, name: &str, mebibytes: u64) -> LoopDevice {
        let image = folder.join(name);
        File::create(&image).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
        LoopDevice::on(&image)
    }

    /// On a file that is there.
    pub fn on(image: &Path) -> LoopDevice {
        LoopDevice::with(image, &["--direct-io=on"])
    }

    /// The same through the page cache, as `losetup` and `mount -o loop` make it unless told otherwise.
    pub fn cached(image: &Path) -> LoopDevice {
        LoopDevice::with(image, &[])
    }

    /// The same, whose partitions are devices too: two halves.
    pub fn in_halves(folder: &Path, name: &str, mebibytes: u64) -> LoopDevice {
        let image = folder.join(name);
        File::create(&image).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
        let device = LoopDevice::with(&image, &["--direct-io=on", "--partscan"]);
        let node = &device.node;
        let halves = format!("printf 'label: gpt\nsize={}MiB\nsize=+\n' | sfdisk --quiet {node}", mebibytes / 2);
        tool("sh", &["-c", &halves]);
        // Some kernels know no GPT by themselves.
        tool("partx", &["--update", node]);
        device
    }

    fn with(image: &Path, options: &[&str]) -> LoopDevice {
        let path = image.to_str().expect("a text path");
        let node = tool("losetup", &[options, &["--find", "--show", path]].concat());
        LoopDevice { image: image.to_owned(), node }
    }

    /// The same through the page cache, as files in memory want it.
    pub fn buffered(image: &Path) -> LoopDevice {
        let node = tool("losetup", &["--find", "--show", image.to_str().expect("a text path")]);
        LoopDevice { image: image.to_owned(), node }
    }

    /// `loopN`.
    pub fn name(&self) -> &str {
        self.node.trim_start_matches("/dev/")
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.node]).status();
    }
}
