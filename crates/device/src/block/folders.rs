//! The sysfs folders of block devices, and how their names and files relate to each other.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use crate::proc_text::device_number;
use crate::roots::{Roots, names, read_number, read_trim};

/// The sysfs folder of a device number; `None` if it is not a block device.
pub(crate) fn folder_of(roots: &Roots, major: u32, minor: u32) -> Option<PathBuf> {
    fs::canonicalize(roots.sys.join(format!("dev/block/{major}:{minor}"))).ok()
}

/// The sysfs folder of the device whose node this is; `None` if the path is something else.
pub(crate) fn folder_of_node(roots: &Roots, path: &Path) -> Option<PathBuf> {
    let status = fs::metadata(path).ok().filter(|status| status.file_type().is_block_device())?;
    folder_of(roots, major(status.rdev()), minor(status.rdev()))
}

/// The number of a device, from its sysfs folder.
pub(crate) fn number_of(folder: &Path) -> Option<(u32, u32)> {
    device_number(&read_trim(&folder.join("dev"))?)
}

/// The folder of the whole device, and the partition's name if `folder` is a partition.
pub(crate) fn whole_of(folder: &Path) -> (&Path, Option<String>) {
    match folder.parent() {
        Some(parent) if folder.join("partition").exists() => (parent, Some(name_of(folder))),
        _ => (folder, None),
    }
}

/// Kernel name of the device whose folder this is.
pub(crate) fn name_of(folder: &Path) -> String {
    folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Kernel name of the whole device that `folder` is, or is a part of.
pub(crate) fn whole_name(folder: &Path) -> String {
    name_of(whole_of(folder).0)
}

/// The file behind a loop device; the kernel appends a remark if the file was deleted.
pub(crate) fn backing_file(whole: &Path) -> Option<PathBuf> {
    let text = read_trim(&whole.join("loop/backing_file"))?;
    Some(PathBuf::from(text.strip_suffix(" (deleted)").unwrap_or(&text)))
}

/// Whether a whole disk supports discards, as the kernel reports (`discard_max_bytes`); `None` if it does not report
/// this.
#[must_use]
pub fn takes_discards(roots: &Roots, disk: &str) -> Option<bool> {
    let most: u64 = read_number(&roots.sys.join("block").join(disk).join("queue/discard_max_bytes"))?;
    Some(most > 0)
}

/// The device that a whole disk belongs to, as a sysfs folder with all links resolved: the controller or the
/// subsystem of an NVMe namespace, the SCSI device of a SATA disk. `None` if the disk has no such device (loop, dm,
/// md).
#[must_use]
pub fn device_folder(roots: &Roots, disk: &str) -> Option<PathBuf> {
    fs::canonicalize(roots.sys.join("block").join(disk).join("device")).ok()
}

/// The devices through which a disk is reached, as sysfs folders: every controller of an NVMe namespace, and for all
/// other disks the device itself ([`device_folder`]). Empty if the disk has no such device.
#[must_use]
pub fn paths_of(roots: &Roots, disk: &str) -> Vec<PathBuf> {
    let controllers = nvme_controllers(&roots.sys.join("block").join(disk));
    if controllers.is_empty() { device_folder(roots, disk).into_iter().collect() } else { controllers }
}

/// Whether this is the kernel's name of an NVMe controller: `nvme0`.
pub(crate) fn is_controller_name(name: &str) -> bool {
    let number = name.strip_prefix("nvme");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The folders of the NVMe controllers of a namespace, in the order of their numbers. With native multipath, `device`
/// leads to the subsystem, which holds links to its controllers (drivers/nvme/host/multipath.c); controllers that do
/// not lead to this namespace are left out.
fn nvme_controllers(whole: &Path) -> Vec<PathBuf> {
    let name = name_of(whole);
    let Some(device) = fs::canonicalize(whole.join("device")).ok().filter(|_| name.starts_with("nvme")) else {
        return Vec::new();
    };
    if device.join("transport").exists() {
        return vec![device];
    }
    let number = |name: &str| name.strip_prefix("nvme").and_then(|number| number.parse::<u64>().ok());
    let mut linked: Vec<String> = names(&device).into_iter().map(|name| name.to_string_lossy().into_owned()).collect();
    linked.retain(|name| is_controller_name(name));
    linked.sort_by_key(|name| number(name));
    let all: Vec<PathBuf> = linked.iter().filter_map(|name| fs::canonicalize(device.join(name)).ok()).collect();
    let leads_here =
        |controller: &&PathBuf| names(controller).iter().any(|below| is_path_of(&below.to_string_lossy(), &name));
    let leading: Vec<PathBuf> = all.iter().filter(leads_here).cloned().collect();
    // If a kernel shows no paths, one path through each controller is assumed.
    if leading.is_empty() { all } else { leading }
}

/// Whether `path` is a path to the namespace `disk`: `nvme0c1n2` leads to `nvme0n2`.
fn is_path_of(path: &str, disk: &str) -> bool {
    let Some((subsystem, namespace)) = disk.rsplit_once('n') else { return false };
    let controller = path.strip_prefix(subsystem).and_then(|rest| rest.strip_prefix('c')?.split_once('n'));
    controller.is_some_and(|(number, rest)| number.bytes().all(|byte| byte.is_ascii_digit()) && rest == namespace)
}

/// The folder of the NVMe controller of a namespace; behind native multipath, the first controller stands for all.
pub(crate) fn nvme_controller(whole: &Path) -> Option<PathBuf> {
    nvme_controllers(whole).into_iter().next()
}
