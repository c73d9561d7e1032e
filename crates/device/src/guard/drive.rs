//! The permit for commands that empty a drive on their own (format, sanitize): they bypass the block layer, so a
//! writable handle does not control them.

use drivelab_core::target::WritableTarget;
use drivelab_nvme::DestroyPermit;
use rustix::fs::{fstat, major, minor};

use super::error::{GuardError, system};
use super::look_again;
use crate::block::node::BlockNode;
use crate::block::nvme_node;
use crate::roots::Roots;

/// How much of the drive a command empties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// The namespace that was released.
    Namespace,
    /// Everything behind the controller.
    Drive {
        /// Identifiers of namespaces that exist on the drive but are not attached to this controller, so that the
        /// kernel shows no device for them.
        unattached: Vec<u32>,
    },
}

/// A permit for a released device, immediately before the command is sent: everything is checked once more.
///
/// # Errors
/// As for [`look_again`] and [`may_destroy`].
pub fn permit_to_destroy(target: &WritableTarget, reach: &Reach) -> Result<DestroyPermit, GuardError> {
    may_destroy(target, reach)?;
    look_again(target)?;
    Ok(DestroyPermit::from_guard())
}

/// Checks whether such a command may be sent to a released device; sends nothing.
///
/// # Errors
/// [`GuardError::Refused`] for partitions, for a device that is not an NVMe drive, and if other namespaces would be
/// emptied too, which the user did not name.
pub fn may_destroy(target: &WritableTarget, reach: &Reach) -> Result<(), GuardError> {
    let refuse = |why: String| Err(GuardError::Refused { path: target.path().to_owned(), why });
    let Some(handle) = target.handle(false) else { return refuse("it is not open".to_owned()) };
    let status = fstat(handle).map_err(system("cannot inspect", target.path()))?;
    let number = (major(status.st_rdev), minor(status.st_rdev));
    let node = BlockNode::of(&Roots::default(), target.path(), number)?;
    if !nvme_node::is_namespace_name(&node.name) {
        return refuse(format!(
            "format and sanitize are commands of NVMe drives, and {} is not a whole namespace of one; nothing was touched; use \
             another way (--how)",
            node.name
        ));
    }
    let Reach::Drive { unattached } = reach else { return Ok(()) };
    others(nvme_node::beside(&Roots::default(), &node), unattached).map_or(Ok(()), refuse)
}

/// Why a whole drive must not be emptied: its other namespaces, by kernel name and by identifier.
fn others(beside: Vec<String>, unattached: &[u32]) -> Option<String> {
    let hidden = unattached.iter().map(|nsid| format!("namespace {nsid} (not attached, so without a device)"));
    let others: Vec<String> = beside.into_iter().chain(hidden).collect();
    (!others.is_empty()).then(|| {
        format!(
            "that wipes the whole drive, but {} on it too, and you did not name that. Nothing was touched. Use another way \
             (--how), or first delete the namespaces that are not needed (`nvme list-ns --all`, `nvme delete-ns`)",
            match others.as_slice() {
                [one] => format!("{one} is"),
                many => format!("{} are", many.join(", ")),
            }
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_with_other_namespaces_on_it_is_refused_also_where_they_are_not_attached() {
        assert_eq!(others(Vec::new(), &[]), None);
        let text = others(vec!["nvme0n2".to_owned()], &[7]).expect("refused");
        assert!(
            text.contains("but nvme0n2, namespace 7 (not attached, so without a device) are on it too")
                && text.contains("Nothing was"),
            "{text}"
        );
        let text = others(Vec::new(), &[5]).expect("refused");
        assert!(text.contains("but namespace 5 (not attached, so without a device) is on it too"), "{text}");
    }
}
