//! A block device that the guard released.

use drivelab_core::target::WritableTarget;
use drivelab_device::BlockNode;

use super::opened::OpenedIo;

/// A device that the guard released, with its facts.
#[must_use]
pub(crate) fn released_device(node: &BlockNode, target: WritableTarget) -> OpenedIo {
    let facts = drivelab_device::device_facts(node, target.length(), target.direct_io().clone());
    OpenedIo::of(target, facts)
}
