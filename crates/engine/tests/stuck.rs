//! Operations that never come back: named while the step runs, given up after it, never waited for without end.
//!
//! Method: a file on ext4 on a loop device; `fsfreeze` makes every write to it wait until the file system is thawed,
//! as a drive that has stopped answering would. Needs root.
#![expect(clippy::unwrap_used, reason = "a test ends where its set-up fails")]

mod common;

use std::path::PathBuf;
use std::process::Command;

use drivelab_core::clock::StopToken;
use drivelab_core::load::OpKind;
use drivelab_core::record::StopReason;
use drivelab_core::units::{Nanos, Percent};
use drivelab_core::workload::Workload;
use drivelab_engine::{BackendChoice, Engine, Options};

const MIB: u64 = 1 << 20;
const WATCHDOG: Nanos = Nanos::from_millis(300);

fn tool(name: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(name).args(arguments).output().map_err(|error| format!("{name}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A file system that can be frozen; thawed and taken down on drop.
struct Freezer {
    folder: tempfile::TempDir,
    device: String,
}

impl Freezer {
    fn new() -> Result<Self, String> {
        let folder = common::folder();
        let image = folder.path().join("image");
        std::fs::File::create(&image).and_then(|file| file.set_len(64 * MIB)).map_err(|error| error.to_string())?;
        let device = tool("losetup", &["-f", "--show", &image.to_string_lossy()])?;
        let made = Freezer { folder, device };
        tool("mkfs.ext4", &["-q", &made.device])?;
        std::fs::create_dir(made.mount_point()).map_err(|error| error.to_string())?;
        tool("mount", &[&made.device, &made.mount_point().to_string_lossy()])?;
        common::zeros(&made.file(), 4 * MIB);
        Ok(made)
    }

    fn mount_point(&self) -> PathBuf {
        self.folder.path().join("mounted")
    }

    fn file(&self) -> PathBuf {
        self.mount_point().join("target")
    }

    fn freeze(&self) {
        tool("fsfreeze", &["-f", &self.mount_point().to_string_lossy()]).unwrap();
    }
}

impl Drop for Freezer {
    fn drop(&mut self) {
        let mount_point = self.mount_point().to_string_lossy().into_owned();
        let _ = tool("fsfreeze", &["-u", &mount_point]);
        let _ = tool("umount", &["-l", &mount_point]);
        let _ = tool("losetup", &["-d", &self.device]);
    }
}

#[test]
fn a_drive_that_stops_answering_is_named_and_given_up() {
    if !common::is_root() {
        return common::skip("mounting a file system needs root");
    }
    let freezer = match Freezer::new() {
        Ok(freezer) => freezer,
        Err(why) => return common::skip(&why),
    };
    let mut options = Options::new(BackendChoice::Uring);
    options.watchdog = WATCHDOG;
    let mut engine = Engine::open(common::target(&freezer.file(), 4 * MIB, true), options).unwrap();
    let workload = Workload { write_percent: Percent::new(100).unwrap(), ..common::workload(4 * MIB) };
    freezer.freeze();
    let stop = StopToken::default();
    let (record, intervals) = common::run_with(&mut engine, &workload, &common::time(1500), (0, 100), &stop).unwrap();
    let stuck = intervals.iter().rev().find_map(|interval| interval.stuck).unwrap();
    assert_eq!((stuck.operations, stuck.op), (4, OpKind::Write));
    assert!(stuck.oldest > WATCHDOG, "{stuck:?}");
    assert_eq!((record.stop_reason, record.write.count, record.write.errors), (StopReason::Errors, 0, 4));
    assert!(record.errors.iter().all(|error| error.errno == libc::ETIMEDOUT), "{:?}", record.errors);
}
