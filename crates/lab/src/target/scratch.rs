//! The scratch file: its size, leftovers in its way, and its creation.

use std::path::Path;

use drivelab_core::environment::TargetKind;
use drivelab_core::units::Bytes;
use drivelab_device::guard;
use drivelab_report::format;

use super::leftovers::clear_leftovers;
use super::opened::{OpenedIo, Wanted};
use super::place::DEFAULT_SIZE;
use super::refusals::{destroys_nothing, no_room, not_writable};
use crate::failure::{Failure, Result};
use crate::voice::Voice;

/// The requested size of a scratch file, in whole MiB.
pub(super) fn asked(wanted: &Wanted<'_>) -> Result<Option<Bytes>> {
    if let Some(destroy) = &wanted.destroy.id {
        return Err(destroys_nothing(destroy));
    }
    let asked = wanted.size.map(|size| size.align_down(Bytes::MIB));
    if asked.is_some_and(|size| size.get() == 0) {
        return Err(Failure::usage("a scratch file needs at least 1 MiB; ask for more with --size"));
    }
    Ok(asked)
}

/// Creates a new scratch file in a folder, under the user's name if there is one.
pub(super) fn make(folder: &Path, file: Option<&Path>, wanted: &Wanted<'_>, voice: &Voice) -> Result<OpenedIo> {
    let asked = asked(wanted)?;
    let facts = drivelab_device::folder_facts(folder)?;
    if !facts.writable {
        return Err(not_writable(folder, &facts.file_system));
    }
    clear_leftovers(folder, voice)?;
    let (length, minimum) = (asked.unwrap_or(DEFAULT_SIZE), asked.unwrap_or(Bytes::MIB));
    let memory = drivelab_device::total_memory();
    let fit = if wanted.own { drivelab_device::own_scratch_size } else { drivelab_device::scratch_size };
    let length = fit(length, minimum, facts.file_system.free, memory)
        .map_err(|error| no_room(folder, &facts.file_system, &error))?;
    let mut remarks = Vec::new();
    if let Some(size) = wanted.size.filter(|size| *size != length) {
        remarks.push(format!("the scratch file is {}: the requested {} in whole MiB", exact(length), exact(size)));
    } else if asked.is_none() && length < DEFAULT_SIZE {
        remarks.push(format!(
            "the scratch file is {} instead of {}: it takes at most 10 % of the free space, and no more than the memory size",
            format::bytes(length),
            format::bytes(DEFAULT_SIZE)
        ));
    }
    let name = file.and_then(Path::file_name);
    let (target, scratch) = guard::make_scratch(folder, name, wanted.run, length)?;
    let mut facts = drivelab_device::target_facts(target.path(), TargetKind::ScratchFile, length)?;
    facts.direct_io = target.direct_io().clone();
    Ok(OpenedIo { scratch: Some(scratch), remarks, ..OpenedIo::of(target, facts) })
}

fn exact(bytes: Bytes) -> String {
    format!("{} bytes", bytes.get())
}
