//! A loop device on a sparse file, what is set up on it, and what undoing it comes to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use drivelab_conditions::{CleanUp, Cleaned, ConditionsError, SetUp, Wish, check, clean_up};
use drivelab_core::clock::StopToken;
use drivelab_core::condition::{Condition, FileSystem};
use drivelab_core::ids::RunId;
use drivelab_device::guard::{self, Destroy};
use drivelab_device::{BlockNode, Named, classify};

/// A loop device on a sparse file; detached with the value.
pub(crate) struct Loop {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) node: BlockNode,
}

pub(crate) fn tool(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Loop {
    pub(crate) fn new_or_skip(mebibytes: u64) -> Option<Loop> {
        Loop::attached_or_skip(mebibytes, |image| tool("losetup", &["--direct-io=on", "--find", "--show", image]))
    }

    /// The same under a number that nobody gets who asks for the next free one, so that a test may detach it and attach
    /// something there again.
    pub(crate) fn apart_or_skip(mebibytes: u64) -> Option<Loop> {
        Loop::attached_or_skip(mebibytes, |image| {
            let first = 600 + std::process::id() % 200;
            let attach = |device: &String| {
                let done = Command::new("losetup").args(["--direct-io=on", device, image]).output();
                done.is_ok_and(|done| done.status.success())
            };
            (first..first + 20).map(|number| format!("/dev/loop{number}")).find(attach).expect("a device")
        })
    }

    fn attached_or_skip(mebibytes: u64, attach: impl FnOnce(&str) -> String) -> Option<Loop> {
        if !rustix::process::geteuid().is_root() {
            println!("skipped: loop devices need root");
            assert!(std::env::var_os("CI").is_none(), "skipped in CI");
            return None;
        }
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let image = folder.path().join("image");
        fs::File::create(&image).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
        let node = attach(image.to_str().expect("a path"));
        let Named::BlockDevice(node) = classify(Path::new(&node)).expect("a device") else { panic!("{node}") };
        Some(Loop { folder, node })
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

    /// Names of all files that the conditions keep.
    pub(crate) fn kept(&self) -> Vec<String> {
        let entries =
            fs::read_dir(self.ledgers()).map(|entries| entries.flatten().collect()).unwrap_or_else(|_| Vec::new());
        entries.iter().map(|entry: &fs::DirEntry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// That nothing of ours is left: no partition, no signature, no file.
    pub(crate) fn is_bare(&self) {
        let partitions = fs::read_dir(Path::new("/sys/block").join(&self.node.name)).expect("sysfs").flatten();
        let partitions: Vec<_> = partitions.filter(|entry| entry.path().join("partition").exists()).collect();
        assert!(partitions.is_empty(), "{partitions:?}");
        let node = self.node.path.to_str().expect("a path");
        assert_eq!(tool("wipefs", &[node]), "", "signatures are left");
        assert!(self.kept().is_empty(), "{:?}", self.kept());
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.node.path).status();
    }
}

pub(crate) fn condition(file_system: Option<FileSystem>) -> Condition {
    Condition { partition: "90%".parse().ok(), file_system, ..Condition::default() }
}

/// Everything that dead processes left, undone.
pub(crate) fn undone(device: &Loop) -> Vec<Cleaned> {
    let CleanUp { cleaned, left, unusable } = clean_up(&device.ledgers(), &|_| true).expect("a look");
    assert!(left.is_empty() && unusable.is_empty());
    cleaned
}
