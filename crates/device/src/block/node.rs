//! A block device, by whatever path it was named.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_core::units::Bytes;

use crate::block::folders;
use crate::error::DeviceError;
use crate::proc_text::SECTOR;
use crate::roots::{Roots, read_number};

/// A block device, by whatever path it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockNode {
    /// The device node, with symbolic links (such as those in `/dev/disk/by-id`) resolved; for an NVMe controller or
    /// generic node, the node of the namespace.
    pub path: PathBuf,
    /// The kernel's name: `nvme0n1`, `loop3`; a partition has its own, `nvme0n1p2`.
    pub name: String,
    /// The kernel's name of the whole device; equal to `name` unless the device is a partition.
    pub whole: String,
    /// Major and minor number.
    pub(crate) number: (u32, u32),
    /// Its folder in sysfs.
    pub(crate) folder: PathBuf,
}

impl BlockNode {
    /// Looks up a device number; `path` is its node.
    pub(crate) fn of(roots: &Roots, path: &Path, number: (u32, u32)) -> Result<Self, DeviceError> {
        let Some(folder) = folders::folder_of(roots, number.0, number.1) else {
            let why = format!(
                "the kernel knows no device {}:{}, which this node refers to; is it plugged in?",
                number.0, number.1
            );
            return Err(DeviceError::Missing { path: path.to_owned(), why });
        };
        let (name, whole) = (folders::name_of(&folder), folders::whole_name(&folder));
        Ok(BlockNode { path: path.to_owned(), name, whole, number, folder })
    }

    /// The device with this kernel name, `nvme0n1` or `nvme0n1p2`, with the node that the kernel names for it.
    #[must_use]
    pub fn by_name(roots: &Roots, name: &str) -> Option<Self> {
        // sysfs writes a '/' in a device's name as '!' (Documentation of kobject_set_name).
        let folder = fs::canonicalize(roots.sys.join("class/block").join(name.replace('/', "!"))).ok()?;
        Self::by_folder(roots, &folder)
    }

    /// The device of a sysfs folder.
    #[must_use]
    pub(crate) fn by_folder(roots: &Roots, folder: &Path) -> Option<Self> {
        let number = folders::number_of(folder)?;
        let path = Path::new("/dev").join(folders::name_of(folder).replace('!', "/"));
        Self::of(roots, &path, number).ok()
    }

    /// Its size by sysfs, for users who may not open it. 0 if it is empty, such as a loop device without a file.
    #[must_use]
    pub fn size(&self) -> Bytes {
        let sectors: u64 = read_number(&self.folder.join("size")).unwrap_or(0);
        Bytes::new(sectors.saturating_mul(SECTOR))
    }

    /// Whether it is a partition.
    #[must_use]
    pub fn is_partition(&self) -> bool {
        self.name != self.whole
    }
}
