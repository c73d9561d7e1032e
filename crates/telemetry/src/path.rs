//! The paths to a drive: one controller, or several behind NVMe's native multipath. Each has its own PCIe link, error
//! counters and interrupts, so each is watched.

use std::path::PathBuf;

use drivelab_core::telemetry::SourceId;
use drivelab_device::{Roots, paths_of};

/// One path to a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DrivePath {
    /// Kernel name of the disk.
    pub(crate) disk: String,
    /// The controller's name, if there are several.
    pub(crate) controller: Option<String>,
    /// Folder of the device in sysfs.
    pub(crate) folder: PathBuf,
}

impl DrivePath {
    /// Every path to a disk.
    pub(crate) fn all(roots: &Roots, disk: &str) -> Vec<DrivePath> {
        let folders = paths_of(roots, disk);
        let several = folders.len() > 1;
        let path = |folder: PathBuf| {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
            DrivePath { disk: disk.to_owned(), controller: name.filter(|_| several), folder }
        };
        folders.into_iter().map(path).collect()
    }

    /// Its name in messages: the disk, or the controller if there are several.
    pub(crate) fn name(&self) -> &str {
        self.controller.as_deref().unwrap_or(&self.disk)
    }

    /// `link:nvme0n1`, or for one of several controllers `link:nvme0n1:nvme1`.
    pub(crate) fn id(&self, kind: &str) -> SourceId {
        let controller = self.controller.as_ref().map_or_else(String::new, |name| format!(":{name}"));
        SourceId::new(format!("{kind}:{}{controller}", self.disk))
    }
}
