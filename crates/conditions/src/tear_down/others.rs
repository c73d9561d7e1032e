//! Whether somebody has put something of their own on a drive since a killed run was set up on it: partitions, a table,
//! a file system, whatever the guard knows by its bytes.

use std::path::Path;

use drivelab_device::guard;
use drivelab_device::{Named, classify};

use super::access::still_the_drive;
use super::deeds;
use crate::error::ConditionsError;
use crate::ledger::{Content, Deed};
use crate::{drive, gpt, kernel, luks};

/// What the guard's words for what drivelab makes begin with (`device::guard::known_content`).
const FILE_SYSTEMS: &[&str] = &["an ext2, ext3 or ext4 file system", "an XFS file system"];
const HEADERS: &[&str] = &["a LUKS header", "a LUKS2 secondary header"];
const TABLE: &[&str] = &["a GPT partition table"];

/// Something on the drive or on one of its partitions that this run did not put there, where undoing would take
/// something off the drive.
///
/// # Errors
/// The drive is gone or another one, or cannot be looked at.
pub(super) fn somebody_elses(content: &Content) -> Result<Option<String>, ConditionsError> {
    if !content.deeds.iter().any(Deed::is_on_the_drive) {
        return Ok(None);
    }
    still_the_drive(&content.drive)?;
    for (number, node) in kernel::partitions(&content.drive.name) {
        let shown = node.display();
        if !is_own_partition(content, number) {
            return Ok(Some(format!("{shown} is a partition that drivelab did not make")));
        }
        let own = own_on(content, &node)?;
        if let Some(found) = foreign(&node, own)? {
            return Ok(Some(format!("{shown} holds {found}, which drivelab did not make")));
        }
    }
    let node = &content.drive.node;
    let own = own_on(content, node)?;
    if own.is_empty() {
        // Nothing of ours is on it, so nothing would be wiped.
        return Ok(None);
    }
    let found = foreign(node, own)?.or(if own == TABLE {
        another_partition(content)?
    } else {
        // The guard names no MBR beside something that says more.
        has_boot_mark(node)?.then(|| "an MBR partition table or boot sector".to_owned())
    });
    Ok(found.map(|found| format!("{} holds {found}, which drivelab did not make", node.display())))
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
        // A kernel that reads tables itself was faster than the ledger.
        None => number == 1 && content.deeds.iter().any(|deed| matches!(deed, Deed::Table { .. })),
    }
}

/// What the guard calls the run's own on this node, where that is there.
fn own_on(content: &Content, on: &Path) -> Result<&'static [&'static str], ConditionsError> {
    for deed in &content.deeds {
        let own: (bool, &'static [&'static str]) = match deed {
            Deed::FileSystem { node, uuid } if node == on => {
                (deeds::file_system_on(on, 0)?.as_ref() == Some(uuid), FILE_SYSTEMS)
            }
            Deed::Luks { node, uuid } | Deed::Opal { node, uuid, .. } if node == on => {
                // By its bytes: cryptsetup does not answer where something else lies on the header too.
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

/// What is known by its bytes and is not the run's own.
fn foreign(node: &Path, own: &[&str]) -> Result<Option<String>, ConditionsError> {
    let Named::BlockDevice(block) = classify(node)? else { return Ok(None) };
    let found = guard::known_content(&block)?;
    let foreign: Vec<String> =
        found.into_iter().filter(|found| !own.iter().any(|own| found.starts_with(own))).collect();
    Ok((!foreign.is_empty()).then(|| foreign.join(" and ")))
}

/// A partition in our own table that is not ours, whether the kernel was told of it or not; or an MBR over it that is
/// not ours.
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

/// The last two bytes of an MBR, which neither an ext4 nor an XFS file system nor a LUKS2 header of ours has there.
fn has_boot_mark(node: &Path) -> Result<bool, ConditionsError> {
    Ok(drive::read(node, 0, 4096)?.get(510..512) == Some(&[0x55, 0xAA]))
}
