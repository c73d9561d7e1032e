//! Names and numbers of a device beyond those that the write guard compares: flags and partitions.

use std::path::Path;

use drivelab_core::probe::TargetIdentity;

use crate::block::block_use::partitions;
use crate::block::folders::{name_of, whole_of};
use crate::block::identity::identity_of;
use crate::block::node::BlockNode;
use crate::roots::read_number;

/// From sysfs (Documentation/ABI/stable/sysfs-block) and udev's links.
pub(super) fn identity(node: &BlockNode) -> TargetIdentity {
    let (whole, _) = whole_of(&node.folder);
    let flag = |folder: &Path, name: &str| read_number::<u8>(&folder.join(name)).is_some_and(|value| value != 0);
    let identity = identity_of(node);
    TargetIdentity {
        number: identity.number,
        wwid: identity.wwid,
        by_id: identity.by_id,
        diskseq: identity.diskseq,
        removable: flag(whole, "removable"),
        read_only: flag(&node.folder, "ro"),
        partitions: partitions(&node.folder).iter().map(|folder| name_of(folder)).collect(),
    }
}
