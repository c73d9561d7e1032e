//! Names and numbers of a device: by-id links, world-wide name, sequence number, flags, partitions.

use std::fs;
use std::path::Path;

use drivelab_core::probe::TargetIdentity;

use crate::block::{name_of, whole_of};
use crate::block_use::partitions;
use crate::named::BlockNode;
use crate::roots::{Roots, names, read_number, read_trim};

/// Where udev keeps the names that stay.
const BY_ID: &str = "/dev/disk/by-id";

/// From sysfs (Documentation/ABI/stable/sysfs-block) and the links that udev made.
pub(super) fn identity(_roots: &Roots, node: &BlockNode) -> TargetIdentity {
    let (whole, _) = whole_of(&node.folder);
    let flag = |folder: &Path, name: &str| read_number::<u8>(&folder.join(name)).is_some_and(|value| value != 0);
    TargetIdentity {
        number: format!("{}:{}", node.number.0, node.number.1),
        wwid: read_trim(&whole.join("wwid")).or_else(|| read_trim(&whole.join("device/wwid"))),
        by_id: by_id(&node.path),
        diskseq: read_number(&whole.join("diskseq")),
        removable: flag(whole, "removable"),
        read_only: flag(&node.folder, "ro"),
        partitions: partitions(&node.folder).iter().map(|folder| name_of(folder)).collect(),
    }
}

/// The links in `/dev/disk/by-id` that lead to a node.
fn by_id(node: &Path) -> Vec<String> {
    let folder = Path::new(BY_ID);
    let leads_here = |name: &std::ffi::OsString| fs::canonicalize(folder.join(name)).is_ok_and(|real| real == node);
    names(folder).into_iter().filter(leads_here).map(|name| name.to_string_lossy().into_owned()).collect()
}
