//! Kernel counters of a block device, for I/O of all programs, and the boot since which they count.

use std::path::Path;

use drivelab_core::drive_state::HostCounters;
use drivelab_core::units::Bytes;

use crate::proc_text::disk_counters;
use crate::roots::{Roots, read, read_trim};

/// Bytes written to and discarded on a device or partition (`nvme0n1`, `loop3`) since it was attached; `None` if the
/// kernel does not count them (`queue/iostats` is 0) or the device does not exist.
#[must_use]
pub fn host_counters(roots: &Roots, name: &str) -> Option<HostCounters> {
    let counts = |whole: &Path| read_trim(&whole.join("queue/iostats")).is_none_or(|on| on != "0");
    let folder = roots.sys.join("class/block").join(name);
    // A partition uses the queue of its disk, the folder above.
    let counted =
        counts(&folder) && folder.canonicalize().ok().and_then(|real| real.parent().map(counts)).unwrap_or(true);
    if !counted {
        return None;
    }
    let counters = disk_counters(&read(&roots.proc.join("diskstats")).ok()?, name)?;
    let (written, discarded) = (Bytes::new(counters.write_bytes), Bytes::new(counters.discard_bytes));
    Some(HostCounters { written, discarded })
}

/// The kernel's id of this boot: counters start again with each boot.
#[must_use]
pub fn this_boot() -> Option<String> {
    read_trim(Path::new("/proc/sys/kernel/random/boot_id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_those_of_the_device_and_none_where_the_kernel_does_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().join("proc") };
        let queue = roots.sys.join("class/block/sdx/queue");
        std::fs::create_dir_all(&queue).expect("a folder");
        std::fs::create_dir_all(&roots.proc).expect("a folder");
        let line = "   8       0 sdx 1 0 8 1 2 0 16 1 0 2 2 3 0 24 1 0 0\n";
        std::fs::write(roots.proc.join("diskstats"), line).expect("a file");
        std::fs::write(queue.join("iostats"), "1\n").expect("a file");
        let found = host_counters(&roots, "sdx").expect("counted");
        assert_eq!((found.written.get(), found.discarded.get()), (16 * 512, 24 * 512));
        assert_eq!(host_counters(&roots, "sdy"), None);
        std::fs::write(queue.join("iostats"), "0\n").expect("a file");
        assert_eq!(host_counters(&roots, "sdx"), None);
    }
}
