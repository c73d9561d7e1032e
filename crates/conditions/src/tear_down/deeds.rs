//! Undoing one change. The content of a drive is judged only on the drive itself, and not while a process has it
//! open: a program that lost its drivelab may still be about to write.

use std::fs;
use std::io;
use std::path::Path;

use drivelab_device::guard;

use super::access::{Access, still_the_drive};
use super::patience::patiently;
use super::undoing::Undoing;
use crate::controller::Controllers;
use crate::error::ConditionsError;
use crate::ledger::{Content, Deed};
use crate::programs::{self, DELPART};
use crate::{drive, file_system, gpt, kernel, luks, opal};

/// Undoes one change.
///
/// # Errors
/// What failed, or why it is unknown whether there is anything to undo.
pub(super) fn undo(
    deed: &Deed,
    content: &Content,
    access: &mut Access<'_>,
    controllers: &Controllers,
) -> Result<Undoing, ConditionsError> {
    match deed {
        Deed::Mount { at } if kernel::is_mounted(at) => {
            patiently(|| file_system::unmount_from(at))?;
            Ok(Undoing::Undone(format!("unmounted {}", at.display())))
        }
        Deed::Mapping { name } if kernel::mapping(name)?.is_some() => {
            patiently(|| luks::close(name))?;
            Ok(Undoing::Undone(format!("closed the mapping {name}")))
        }
        Deed::Mount { .. } | Deed::Mapping { .. } | Deed::PowerState { .. } => Ok(Undoing::NotThere),
        Deed::Folder { path } => match fs::remove_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ConditionsError::system("cannot remove", path)(error))
            }
            _ => Ok(Undoing::NotThere),
        },
        Deed::LoopFile { path } => crate::loop_file::undo(path),
        Deed::FileSystem { node, uuid } => undo_file_system(content, node, uuid, access),
        Deed::Luks { node, uuid } => undo_luks(content, node, uuid, access),
        Deed::Opal { node, uuid, admin_key } => {
            if node.exists() {
                the_drive_at_rest(content, access)?;
            }
            let held = matches!(access, Access::Held(_));
            opal::undo::give_back(controllers, (node, uuid, admin_key), held, || access.get(content))
        }
        Deed::Partition { number, start, length } => undo_partition(content, (*number, *start, *length), access),
        Deed::Table { guid } => undo_table(content, guid, access),
    }
}

/// Checks that the drive is the one that was set up, and, if the caller does not hold it, that no process has it
/// open.
fn the_drive_at_rest(content: &Content, access: &Access<'_>) -> Result<(), ConditionsError> {
    let node = still_the_drive(&content.drive)?;
    match access {
        Access::Denied(why) => Err(ConditionsError::Target(why.clone())),
        Access::Asked(None) => Ok(guard::nobody_has_it_open(&node)?),
        Access::Asked(Some(_)) | Access::Held(_) => Ok(()),
    }
}

fn undo_file_system(
    content: &Content,
    node: &Path,
    uuid: &str,
    access: &mut Access<'_>,
) -> Result<Undoing, ConditionsError> {
    the_drive_at_rest(content, access)?;
    if !node.exists() {
        return without_its_node(content, node, uuid);
    }
    if file_system_on(node, 0)?.as_deref() != Some(uuid) {
        return Ok(Undoing::NotThere);
    }
    drive::wipe_ends(access.get(content)?, node, drive::ENDS)?;
    Ok(Undoing::Undone(format!("wiped the file system on {}", node.display())))
}

fn undo_luks(content: &Content, node: &Path, uuid: &str, access: &mut Access<'_>) -> Result<Undoing, ConditionsError> {
    the_drive_at_rest(content, access)?;
    if !node.exists() {
        return without_its_node(content, node, uuid);
    }
    let below = programs::text(node)?;
    if luks::uuid_of(below)?.as_deref() != Some(uuid) {
        return Ok(Undoing::NotThere);
    }
    let released = access.get(content)?;
    luks::erase(below)?;
    drive::wipe_ends(released, node, luks::HEADER)?;
    Ok(Undoing::Undone(format!("destroyed the keys and the LUKS header on {below}")))
}

fn undo_partition(
    content: &Content,
    (number, start, length): (u32, u64, u64),
    access: &Access<'_>,
) -> Result<Undoing, ConditionsError> {
    the_drive_at_rest(content, access)?;
    let Some(found) = kernel::partition(&content.drive.name, number) else { return Ok(Undoing::NotThere) };
    let drive = content.drive.node.display().to_string();
    if (found.start, found.length) != (start, length) {
        return Ok(Undoing::Somebodys(format!("partition {number} of {drive} has moved: it was left alone")));
    }
    patiently(|| DELPART.run(&[&drive, &number.to_string()], &[]).map(drop))?;
    Ok(Undoing::Undone(format!("removed partition {number} of {drive}")))
}

/// Removes the partition table, if it is still the one that drivelab wrote.
fn undo_table(content: &Content, guid: &str, access: &mut Access<'_>) -> Result<Undoing, ConditionsError> {
    the_drive_at_rest(content, access)?;
    let mark = &content.drive;
    if table_on(mark.node.as_path(), &mark.name)?.as_deref() != Some(guid) {
        return Ok(Undoing::NotThere);
    }
    drive::wipe_ends(access.get(content)?, &mark.node, drive::ENDS)?;
    Ok(Undoing::Undone(format!("removed the partition table of {}", mark.node.display())))
}

/// GUID of the GPT on a drive.
///
/// # Errors
/// It cannot be read.
pub(super) fn table_on(node: &Path, name: &str) -> Result<Option<String>, ConditionsError> {
    let block = usize::try_from(kernel::logical_block(name)).unwrap_or(512);
    let start = drive::read(node, 0, 16 << 10)?;
    Ok(start.get(block..).and_then(gpt::drive_guid).map(|found| found.to_string()))
}

/// UUID of the file system that begins at a byte of a device.
///
/// # Errors
/// It cannot be read.
pub(super) fn file_system_on(node: &Path, at: u64) -> Result<Option<String>, ConditionsError> {
    Ok(file_system::uuid_in(&drive::read(node, at, 16 << 10)?).map(|found| found.to_string()))
}

/// A partition that the kernel does not show may still be on the drive, with its content.
fn without_its_node(content: &Content, node: &Path, uuid: &str) -> Result<Undoing, ConditionsError> {
    let start = content
        .deeds
        .iter()
        .find_map(|deed| if let Deed::Partition { start, .. } = deed { Some(*start) } else { None })
        .unwrap_or(0);
    let whole = &content.drive.node;
    let bytes = drive::read(whole, start, 16 << 10)?;
    let found = [file_system::uuid_in(&bytes).map(|found| found.to_string()), luks::uuid_in(&bytes)];
    if !found.iter().flatten().any(|found| found == uuid) {
        return Ok(Undoing::NotThere);
    }
    Err(ConditionsError::Target(format!(
        "{shown} does not exist, and what was created in it is still on {whole}: `partx --add {whole}` shows the partition \
         again, then run `drivelab resume --last`",
        shown = node.display(),
        whole = whole.display()
    )))
}
