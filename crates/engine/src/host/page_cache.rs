//! The page cache before a step that goes through it: data cached earlier would be measured instead of the drive.

use drivelab_core::target::IoTarget;
use drivelab_core::workload::Workload;
use rustix::fs::{Advice, FileType};

/// Writes back and drops what the cache holds of the target; returns what was done, for the record. `None` if every
/// group uses direct I/O, or the target has no page cache.
pub(crate) fn prepare(target: &IoTarget, workload: &Workload) -> Option<String> {
    if workload.groups().all(|group| group.direct) {
        return None;
    }
    let handle = target.handle(false)?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(handle).ok()?.st_mode);
    if !matches!(kind, FileType::RegularFile | FileType::BlockDevice) {
        return None;
    }
    let written = if target.read_only_because().is_some() { Ok(()) } else { rustix::fs::fdatasync(handle) };
    let dropped = written.and_then(|()| rustix::fs::fadvise(handle, 0, None, Advice::DontNeed));
    Some(match dropped {
        Ok(()) => "written back and dropped before the step (POSIX_FADV_DONTNEED)".to_owned(),
        Err(error) => format!("could not be dropped before the step ({error}): cached data is measured too"),
    })
}
