//! What else uses a file: swap, loop devices, mounted images, processes that have it open or mapped.
//!
//! From /proc/swaps, /sys/block/loop*/loop/backing_file, mount sources, /proc/PID/{fd,maps,exe}. Limits, stated in
//! docs/safety.md: processes of other users cannot be inspected without root, and files that a kernel service opened
//! itself (an NFS or SCSI target) have no entry anywhere.

use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use super::error::GuardError;
use super::open::same_inode;
use crate::block::folders::backing_file;
use crate::place::mounts;
use crate::proc_text::{maps_line_is, swap_paths};
use crate::roots::{Roots, names, read_trim};

/// Number of processes that could not be inspected.
pub(super) struct Unseen(pub(super) usize);

/// Whether this process counts as a user of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Itself {
    /// It counts: a redirected stdout uses the file.
    Counts,
    /// It does not count: it holds the file that it checks.
    LeftOut,
}

/// Refuses a file that something else uses, apart from the loop device `above` that lies on it.
pub(super) fn check(roots: &Roots, path: &Path, status: &Metadata, above: Option<&str>) -> Result<Unseen, GuardError> {
    let refuse = |why: String| Err(GuardError::Refused { path: path.to_owned(), why });
    let is_it = |other: &Path| fs::metadata(other).is_ok_and(|other| same_inode(&other, status));
    if let Some(kind) = mounts::kernel_window(roots, path) {
        return refuse(format!("it lies on {kind}, which is a kernel interface and not storage"));
    }
    if status.nlink() > 1 {
        let names = status.nlink();
        return refuse(format!(
            "it has {names} names (hard links), so its content belongs to other paths too; copy it"
        ));
    }
    let swaps = fs::read(roots.proc.join("swaps")).unwrap_or_default();
    if swap_paths(&swaps).iter().any(|swap| is_it(Path::new(swap))) {
        return refuse("it is active swap space; take it out with swapoff first".into());
    }
    for name in names(&roots.sys.join("block")) {
        if above.is_some_and(|above| name == above) {
            continue;
        }
        let file = backing_file(&roots.sys.join("block").join(&name));
        if file.is_some_and(|file| file == path || is_it(&file)) {
            let device = name.to_string_lossy();
            return refuse(format!("/dev/{device} (a loop device) lies on it; unmount that and detach it first"));
        }
    }
    let images = mounts::list(roots).into_iter().filter(|mount| {
        let source = Path::new(&mount.source);
        source.is_absolute() && !source.starts_with("/dev") && is_it(source)
    });
    if let Some(mount) = images.into_iter().next() {
        return refuse(format!("it is mounted as a disk image at {}; unmount it first", mount.mount_point.display()));
    }
    processes(roots, path, status, &[], Itself::Counts)
}

/// Searches all processes for one that has the file or device open, or a device with a number in `also` (its
/// partitions, its whole disk).
pub(super) fn processes(
    roots: &Roots,
    path: &Path,
    status: &Metadata,
    also: &[u64],
    itself: Itself,
) -> Result<Unseen, GuardError> {
    let mut unseen = 0;
    for name in names(&roots.proc) {
        let text = name.to_string_lossy();
        let Ok(number) = text.parse::<u32>() else { continue };
        if itself == Itself::LeftOut && number == std::process::id() {
            continue;
        }
        let process = roots.proc.join(&name);
        match use_by(&process, path, status, also) {
            Some(Use::Open(how)) => {
                let command = read_trim(&process.join("comm")).unwrap_or_default();
                return Err(GuardError::Busy {
                    path: path.to_owned(),
                    by: format!("process {text} ({command}) has it {how}"),
                });
            }
            Some(Use::Hidden) => unseen += 1,
            None => {}
        }
    }
    Ok(Unseen(unseen))
}

enum Use {
    Open(&'static str),
    Hidden,
}

/// The same file; or the same device, through any node.
fn same(found: &Metadata, status: &Metadata, also: &[u64]) -> bool {
    let are_devices = found.file_type().is_block_device() && status.file_type().is_block_device();
    let is_named = found.rdev() == status.rdev() || also.contains(&found.rdev());
    same_inode(found, status) || (are_devices && is_named)
}

fn use_by(process: &Path, path: &Path, status: &Metadata, also: &[u64]) -> Option<Use> {
    let is_it = |file: PathBuf| fs::metadata(file).is_ok_and(|found| same(&found, status, also));
    if is_it(process.join("exe")) {
        return Some(Use::Open("running as its program"));
    }
    let descriptors = process.join("fd");
    match fs::read_dir(&descriptors) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Some(Use::Hidden),
        Err(_) => return None,
        Ok(entries) => {
            if entries.flatten().any(|entry| is_it(entry.path())) {
                return Some(Use::Open("open"));
            }
        }
    }
    let device = format!("{:02x}:{:02x}", major(status.dev()), minor(status.dev()));
    let maps = fs::read(process.join("maps")).unwrap_or_default();
    let mapped = maps
        .split(|byte| *byte == b'\n')
        .any(|line| maps_line_is(line, &device, status.ino(), path.as_os_str().as_bytes()));
    mapped.then_some(Use::Open("mapped into memory"))
}
