//! Whether somebody has put something on a drive since a killed run was set up on it: partitions, a table, a file
//! system, or anything else whose signature the guard knows.

use std::path::Path;

use drivelab_device::guard;
use drivelab_device::{Named, classify};

use super::access::still_the_drive;
use super::deeds;
use crate::error::ConditionsError;
use crate::ledger::{Content, Deed};
use crate::{drive, gpt, kernel, luks};

/// The beginnings of the guard's names for what drivelab creates (`device::guard::known_content`).
const FILE_SYSTEMS: &[&str] = &["an ext2, ext3 or ext4 file system", "an XFS file system"];
const HEADERS: &[&str] = &["a LUKS header", "a LUKS2 secondary header"];
const TABLE: &[&str] = &["a GPT partition table"];

/// Something on the drive or on one of its partitions that this run did not put there, if undoing would change the
/// drive.
///
/// # Errors
/// The drive is gone or is another one, or it cannot be inspected.
pub(super) fn somebody_elses(content: &Content) -> Result<Option<String>, ConditionsError> {
    if !content.deeds.iter().any(Deed::is_on_the_drive) {
        return Ok(None);
    }
    still_the_drive(&content.drive)?;
    for (number, node) in kernel::partitions(&content.drive.name) {
        let shown = node.display();
        if !is_own_partition(content, number) {
            return Ok(Some(format!("{shown} is a partition that drivelab did not create")));
        }
        let own = own_on(content, &node)?;
        if let Some(found) = foreign(&node, own)? {
            return Ok(Some(format!("{shown} holds {found}, which drivelab did not create")));
        }
    }
    let node = &content.drive.node;
    let own = own_on(content, node)?;
    if own.is_empty() {
        // Nothing of drivelab's is on it, so nothing would be wiped.
        return Ok(None);
    }
    let found = foreign(node, own)?.or(if own == TABLE {
        another_partition(content)?
    } else {
        // The guard reports no MBR next to a more specific signature.
        has_boot_mark(node)?.then(|| "an MBR partition table or boot sector".to_owned())
    });
    Ok(found.map(|found| format!("{} holds {found}, which drivelab did not create", node.display())))
}

/// Whether the kernel's partition of this number is the run's own.
fn is_own_partition(content: &Content, number: u32) -> bool {
    let mut noted = content.deeds.iter().filter_map(|deed| match deed {
        Deed::Partition { number, start, length } => Some((*number, *start, *length)),
        _ => None,
    });
    match noted.next() {
        Some((own, start, length)) => {
            let place = kernel::partition(&content.drive.name, number).map(|found| (found.start, found.length));
            own == number && place == Some((start, length))
        }
        // A kernel that reads tables itself added the partition before the undo log listed it.
        None => number == 1 && content.deeds.iter().any(|deed| matches!(deed, Deed::Table { .. })),
    }
}

/// The guard's names for the run's own content on this node, if it is there.
fn own_on(content: &Content, on: &Path) -> Result<&'static [&'static str], ConditionsError> {
    for deed in &content.deeds {
        let own: (bool, &'static [&'static str]) = match deed {
            Deed::FileSystem { node, uuid } if node == on => {
                (deeds::file_system_on(on, 0)?.as_ref() == Some(uuid), FILE_SYSTEMS)
            }
            Deed::Luks { node, uuid } | Deed::Opal { node, uuid, .. } if node == on => {
                // By its bytes: cryptsetup gives no answer if something else lies on the header too.
                (luks::uuid_in(&drive::read(on, 0, 16 << 10)?).as_ref() == Some(uuid), HEADERS)
            }
            Deed::Table { guid } if content.drive.node == on => {
                (deeds::table_on(on, &content.drive.name)?.as_ref() == Some(guid), TABLE)
            }
            _ => continue,
        };
        if own.0 {
            return Ok(own.1);
        }
    }
    Ok(&[])
}

/// Known signatures that are not the run's own.
fn foreign(node: &Path, own: &[&str]) -> Result<Option<String>, ConditionsError> {
    let Named::BlockDevice(block) = classify(node)? else { return Ok(None) };
    let found = guard::known_content(&block)?;
    let foreign: Vec<String> =
        found.into_iter().filter(|found| !own.iter().any(|own| found.starts_with(own))).collect();
    Ok((!foreign.is_empty()).then(|| foreign.join(" and ")))
}

/// A partition in drivelab's table that is not drivelab's, whether the kernel knows it or not; or an MBR over the
/// table that is not drivelab's.
fn another_partition(content: &Content) -> Result<Option<String>, ConditionsError> {
    let block = usize::try_from(kernel::logical_block(&content.drive.name)).unwrap_or(512);
    let start = drive::read(&content.drive.node, 0, 64 << 10)?;
    let what = if !gpt::is_protective(&start) {
        "an MBR with other partitions"
    } else if gpt::partitions(&start, block) > 1 {
        "a table with more partitions"
    } else {
        return Ok(None);
    };
    Ok(Some(what.to_owned()))
}

/// The last two bytes of an MBR; neither an ext4 or XFS file system nor a LUKS2 header from drivelab has them there.
fn has_boot_mark(node: &Path) -> Result<bool, ConditionsError> {
    Ok(drive::read(node, 0, 4096)?.get(510..512) == Some(&[0x55, 0xAA]))
}
