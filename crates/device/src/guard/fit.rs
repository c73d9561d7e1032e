//! Whether a block device may still be written: nothing uses it, and it is the device that the decision was made for.

use std::fs::{self, File};
use std::os::unix::fs::FileTypeExt;

use drivelab_core::target::{DeviceIdentity, GuardedDevice};
use rustix::fs::makedev;

use super::error::{GuardError, system};
use super::in_use::{self, Itself, Unseen};
use super::{content, hold, loop_file, system_disk};
use crate::block::block_use::{partitions, users};
use crate::block::chain::chain;
use crate::block::folders::{number_of, whole_of};
use crate::block::identity::identity_of;
use crate::block::node::BlockNode;
use crate::roots::Roots;

/// Checks that nothing changed since the decision: no user, no other identity, no new content. `held` is the claimed
/// device.
pub(super) fn still_fit(node: &BlockNode, decided: &GuardedDevice, held: &File) -> Result<(), GuardError> {
    system_disk::refuse_claimed(&Roots::default(), node)?;
    nobody_relies_on(node, Itself::LeftOut)?;
    unchanged(node, &decided.identity, &identity_of(node), "since it was released")?;
    let signatures = content::signatures(held, hold::length_of(held, node)?);
    let signatures = signatures.map_err(system("cannot read", &node.path))?;
    let new = signatures.into_iter().find(|found| !decided.overridden.contains(found));
    new.map_or(Ok(()), |found| {
        let why =
            format!("it holds {found}, which was not there when it was released. Nothing was touched; check it again");
        Err(GuardError::Refused { path: node.path.clone(), why })
    })
}

/// Refuses a device that is not the same as before.
pub(super) fn unchanged(
    node: &BlockNode,
    before: &DeviceIdentity,
    now: &DeviceIdentity,
    since: &str,
) -> Result<(), GuardError> {
    let changes = now.changes_since(before);
    if changes.is_empty() {
        return Ok(());
    }
    let why = format!(
        "it is not the same device as before: {since}, {}. Nothing was touched. Check it and start again",
        changes.join("; ")
    );
    Err(GuardError::Refused { path: node.path.clone(), why })
}

/// Checks mounts, swap, holders, the file under a loop device, and processes. Returns what lies under it, as text.
pub(super) fn nobody_relies_on(node: &BlockNode, itself: Itself) -> Result<(String, Unseen), GuardError> {
    let roots = Roots::default();
    let users = users(&roots, node);
    if !users.is_empty() {
        let why = format!(
            "it is in use ({}), which no flag overrides; unmount, switch off or dismantle that first",
            users.join("; ")
        );
        return Err(GuardError::Refused { path: node.path.clone(), why });
    }
    let mut under = String::new();
    let mut hidden = 0;
    for loop_device in loop_devices(&roots, node)? {
        let (file, unseen) = loop_file::check(&roots, &loop_device)?;
        let word = if loop_device.whole == node.whole { ", a loop device" } else { ", over a loop device" };
        under = format!("{under}{word} on {}, a file that nothing else uses", file.display());
        hidden = hidden.max(unseen.0);
    }
    let status = fs::metadata(&node.path).map_err(system("cannot inspect", &node.path))?;
    if !status.file_type().is_block_device() {
        let by = "another file took its place just now".to_owned();
        return Err(GuardError::Busy { path: node.path.clone(), by });
    }
    let unseen = in_use::processes(&roots, &node.path, &status, &relatives(node), itself)?;
    Ok((under, Unseen(hidden.max(unseen.0))))
}

/// The loop devices that it lies on (itself, or below dm and md), each under the path that the user named: writing to
/// the device writes to their files. A loop device on a device has no file; its check reports that.
fn loop_devices(roots: &Roots, node: &BlockNode) -> Result<Vec<BlockNode>, GuardError> {
    let chain = chain(vec![node.folder.clone()], &|_| Vec::new());
    let below = chain.into_iter().filter(|device| device.name.starts_with("loop"));
    below
        .map(|device| {
            let number = number_of(&roots.sys.join("class/block").join(&device.name)).ok_or_else(|| {
                let why = format!("it lies on {}, which the kernel does not show", device.name);
                GuardError::Refused { path: node.path.clone(), why }
            })?;
            Ok(BlockNode::of(roots, &node.path, number)?)
        })
        .collect()
}

/// Device numbers of its partitions, or of its whole disk.
pub(super) fn relatives(node: &BlockNode) -> Vec<u64> {
    let (whole, partition) = whole_of(&node.folder);
    let folders = if partition.is_some() { vec![whole.to_owned()] } else { partitions(&node.folder) };
    folders.iter().filter_map(|folder| number_of(folder)).map(|(major, minor)| makedev(major, minor)).collect()
}
