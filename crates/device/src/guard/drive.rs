//! The permit for commands that empty a drive by themselves (format, sanitize): they go past the block layer, where no
//! writable handle holds them back.

use drivelab_core::target::WritableTarget;
use drivelab_nvme::DestroyPermit;
use rustix::fs::{fstat, major, minor};

use super::{GuardError, look_again, system};
use crate::named::BlockNode;
use crate::nvme_node;
use crate::roots::Roots;

/// How much of the drive a command empties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The namespace that was released.
    Namespace,
    /// Everything behind the controller.
    Drive,
}

/// A permit for a device that was released, right before the command is sent: everything is looked at once more.
///
/// # Errors
/// As for [`look_again`]; [`GuardError::Refused`] for partitions, for what is no NVMe drive, and where other namespaces
/// would be emptied too, which nobody named.
pub fn permit_to_destroy(target: &WritableTarget, reach: Reach) -> Result<DestroyPermit, GuardError> {
    let refuse = |why: String| Err(GuardError::Refused { path: target.path().to_owned(), why });
    let Some(handle) = target.handle(false) else { return refuse("it is not open".to_owned()) };
    let status = fstat(handle).map_err(system("cannot look at", target.path()))?;
    let number = (major(status.st_rdev), minor(status.st_rdev));
    let node = BlockNode::of(&Roots::default(), target.path(), number)?;
    if !nvme_node::is_namespace_name(&node.name) {
        return refuse(format!(
            "format and sanitize are commands of NVMe drives, and {} is no whole namespace of one; nothing was touched; \
             take another way (--how)",
            node.name
        ));
    }
    let beside = nvme_node::beside(&Roots::default(), &node);
    if reach == Reach::Drive && !beside.is_empty() {
        return refuse(format!(
            "that empties the whole drive, and {} lies on it too, which was not named. Nothing was touched. Take another \
             way (--how), or remove that namespace first",
            beside.join(", ")
        ));
    }
    look_again(target)?;
    Ok(DestroyPermit::from_guard())
}
