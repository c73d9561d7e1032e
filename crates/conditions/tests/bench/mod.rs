//! A loop device on a sparse file, conditions on it, and the result of undoing them.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_conditions::{CleanUp, Cleaned, ConditionsError, SetUp, Wish, check, clean_up};
use drivelab_core::clock::StopToken;
use drivelab_core::condition::{Condition, FileSystem};
use drivelab_core::ids::RunId;
use drivelab_device::guard::{self, Destroy};
use drivelab_device::{BlockNode, Named, classify};
use drivelab_rig::{DIRECT, LoopDevice, or_skip, sparse_file, tool};

/// A loop device on a sparse file, with a folder next to it for the undo logs.
pub(crate) struct Loop {
    pub(crate) disk: LoopDevice,
    pub(crate) node: BlockNode,
    pub(crate) folder: tempfile::TempDir,
}

impl Loop {
    pub(crate) fn new_or_skip(mebibytes: u64) -> Option<Loop> {
        Loop::attached_or_skip(mebibytes, |image| LoopDevice::on(image, DIRECT))
    }

    /// As before, under a number that is never given to a request for the next free one, so that a test may detach
    /// the device and attach something there again.
    pub(crate) fn apart_or_skip(mebibytes: u64) -> Option<Loop> {
        Loop::attached_or_skip(mebibytes, |image| LoopDevice::apart(image, DIRECT, 600..800))
    }

    fn attached_or_skip(mebibytes: u64, attach: impl FnOnce(&Path) -> Result<LoopDevice, String>) -> Option<Loop> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let disk = or_skip(attach(&sparse_file(folder.path().join("image"), mebibytes << 20)))?;
        let Named::BlockDevice(node) = classify(Path::new(&disk.device)).expect("a device") else { panic!() };
        Some(Loop { disk, node, folder })
    }

    pub(crate) fn released(&self) -> guard::Released {
        guard::release_device(&self.node, &Destroy::named(Some(Path::new(&self.node.name)))).expect("released")
    }

    pub(crate) fn ledgers(&self) -> PathBuf {
        self.folder.path().join("conditions")
    }

    pub(crate) fn set_up(&self, condition: Condition, stop: &StopToken) -> Result<SetUp, ConditionsError> {
        check(&self.node, &condition, None)?;
        let folder = self.ledgers();
        let destroy = Some(self.node.name.clone());
        let wish =
            Wish { run: RunId::now(), condition, destroy, opal_admin_key: None, series: None, folder: &folder, stop };
        SetUp::begin(self.released(), &wish)
    }

    /// Names of all files in the folder of the undo logs.
    pub(crate) fn kept(&self) -> Vec<String> {
        let entries =
            fs::read_dir(self.ledgers()).map(|entries| entries.flatten().collect()).unwrap_or_else(|_| Vec::new());
        entries.iter().map(|entry: &fs::DirEntry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Checks that nothing of drivelab's is left: no partition, no signature, no file.
    pub(crate) fn is_bare(&self) {
        let partitions = fs::read_dir(Path::new("/sys/block").join(&self.node.name)).expect("sysfs").flatten();
        let partitions: Vec<_> = partitions.filter(|entry| entry.path().join("partition").exists()).collect();
        assert!(partitions.is_empty(), "{partitions:?}");
        let node = self.node.path.to_str().expect("a path");
        assert_eq!(tool("wipefs", &[node]), "", "signatures are left");
        assert!(self.kept().is_empty(), "{:?}", self.kept());
    }
}

pub(crate) fn condition(file_system: Option<FileSystem>) -> Condition {
    Condition { partition: "90%".parse().ok(), file_system, ..Condition::default() }
}

/// Undoes everything that dead processes left.
pub(crate) fn undone(device: &Loop) -> Vec<Cleaned> {
    let CleanUp { cleaned, left, unusable } = clean_up(&device.ledgers(), &|_| true).expect("a look");
    assert!(left.is_empty() && unusable.is_empty());
    cleaned
}
