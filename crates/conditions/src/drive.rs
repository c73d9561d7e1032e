//! Writing to the drive that the user released: every handle is a target from the write guard, held for one write and
//! then closed, because mkfs, cryptsetup and the kernel's partition code need the device next.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use drivelab_core::target::WritableTarget;
use drivelab_device::guard::Released;
use rustix::fs::OFlags;

use crate::error::ConditionsError;

/// Bytes at both ends of a device in which tables and superblocks lie.
pub(crate) const ENDS: u64 = 1 << 20;
/// Largest alignment that direct I/O needs: a page, and the largest logical block in use.
const ALIGN: usize = 4096;

/// A part of the released drive, open for writing through the page cache.
fn open(released: &Released, node: &Path) -> Result<(WritableTarget, File), ConditionsError> {
    let target = released.authorise_on_top(node)?;
    let handle = target.handle(false).and_then(|handle| handle.try_clone_to_owned().ok());
    let file = handle
        .map(File::from)
        .ok_or_else(|| ConditionsError::Target(format!("{} cannot be opened for writing", node.display())))?;
    Ok((target, file))
}

/// Writes bytes at places of a device on the released drive, durably.
pub(crate) fn write(released: &Released, node: &Path, parts: &[(u64, Vec<u8>)]) -> Result<(), ConditionsError> {
    let (target, file) = open(released, node)?;
    let written = parts.iter().try_for_each(|(at, bytes)| file.write_all_at(bytes, *at)).and_then(|()| file.sync_all());
    written.map_err(ConditionsError::system("cannot write to", node))?;
    drop((file, target));
    Ok(())
}

/// Zeroes the first `start` bytes and the last MiB, where tables, headers and superblocks lie.
pub(crate) fn wipe_ends(released: &Released, node: &Path, start: u64) -> Result<(), ConditionsError> {
    let (target, file) = open(released, node)?;
    let length = target.length().get();
    let zeroes = vec![0; usize::try_from(ENDS).unwrap_or(ALIGN)];
    // The start last: it proves the ownership of the rest if this is interrupted.
    let ranges = [(length.saturating_sub(ENDS), length), (0, start.min(length))];
    let zero = |from: u64, until: u64| {
        let mut at = from;
        while at < until {
            let part = usize::try_from((until - at).min(ENDS)).unwrap_or(ALIGN);
            file.write_all_at(&zeroes[..part], at)?;
            at += part as u64;
        }
        Ok(())
    };
    let wiped = ranges.iter().try_for_each(|(from, until)| zero(*from, *until)).and_then(|()| file.sync_all());
    wiped.map_err(ConditionsError::system("cannot wipe", node))?;
    drop((file, target));
    Ok(())
}

/// Writes the bytes to the start of a device, and reads them back past the page cache.
pub(crate) fn write_and_read(released: &Released, node: &Path, bytes: &[u8]) -> Result<Vec<u8>, ConditionsError> {
    write(released, node, &[(0, bytes.to_vec())])?;
    read(node, 0, bytes.len())
}

/// Reads past the page cache; `at` and `length` are multiples of 4 KiB.
pub(crate) fn read(node: &Path, at: u64, length: usize) -> Result<Vec<u8>, ConditionsError> {
    let failed = ConditionsError::system("cannot read", node);
    let flags = i32::try_from(OFlags::DIRECT.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(node);
    let mut room = vec![0; length + ALIGN];
    let shift = room.as_ptr().align_offset(ALIGN);
    let aligned = room.get_mut(shift..shift + length).unwrap_or_default();
    file.and_then(|file| file.read_exact_at(aligned, at)).map_err(failed)?;
    Ok(aligned.to_vec())
}
