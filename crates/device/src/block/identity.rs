//! The identity of a block device: the same one, whatever path led to the device.
//!
//! From sysfs (`dev`, `size`, `diskseq`, `wwid`, model and serial number as in [`crate::block::identify`]) and from
//! the links that udev creates in `/dev/disk/by-id`. Must not know what uses the device, nor what follows from it.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use drivelab_core::target::DeviceIdentity;
use rustix::fs::{major, minor};

use crate::block::folders::{backing_file, number_of, whole_of};
use crate::block::identify::identity;
use crate::block::node::BlockNode;
use crate::roots::{Roots, names, read_number, read_trim};

/// Folder of udev's persistent names.
pub(crate) const BY_ID: &str = "/dev/disk/by-id";

/// The identity of this device, as far as this user can read it.
#[must_use]
pub fn identity_of(node: &BlockNode) -> DeviceIdentity {
    identity_in(node, Path::new(BY_ID))
}

fn identity_in(node: &BlockNode, by_id: &Path) -> DeviceIdentity {
    let (whole, _) = whole_of(&node.folder);
    let said = identity(whole);
    DeviceIdentity {
        name: node.name.clone(),
        whole: node.whole.clone(),
        number: format!("{}:{}", node.number.0, node.number.1),
        model: said.model,
        serial: said.serial,
        wwid: read_trim(&whole.join("wwid")).or_else(|| read_trim(&whole.join("device/wwid"))),
        by_id: links_to(by_id, node.number),
        capacity: node.size(),
        diskseq: read_number(&whole.join("diskseq")),
        backing_file: backing_file(whole),
    }
}

/// Names in a folder of links that lead to a device, whatever the name of its node.
fn links_to(folder: &Path, number: (u32, u32)) -> Vec<String> {
    let leads_there = |name: &std::ffi::OsString| {
        fs::metadata(folder.join(name))
            .is_ok_and(|status| (major(status.rdev()), minor(status.rdev())) == number && status.rdev() != 0)
    };
    let found = names(folder).into_iter().filter(leads_there);
    found.map(|name| name.to_string_lossy().into_owned()).collect()
}

/// The device of a kernel name found in sysfs, with its node. The usual node name is tried first, then all of `/dev`,
/// because the node may have been renamed.
pub(crate) fn node_named(roots: &Roots, name: &str) -> Option<BlockNode> {
    let number = number_of(&roots.sys.join("class/block").join(name))?;
    let is_it = |path: &Path| {
        fs::metadata(path).is_ok_and(|status| {
            status.file_type().is_block_device() && (major(status.rdev()), minor(status.rdev())) == number
        })
    };
    let usual = Path::new("/dev").join(name);
    let path = if is_it(&usual) {
        usual
    } else {
        names(Path::new("/dev")).into_iter().map(|name| Path::new("/dev").join(name)).find(|path| is_it(path))?
    };
    BlockNode::of(roots, &path, number).ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_count_by_where_they_lead() {
        let folder = tempfile::tempdir().expect("a folder");
        symlink("/dev/null", folder.path().join("nvme-A_B_1")).expect("a link");
        symlink("/dev/zero", folder.path().join("nvme-other")).expect("a link");
        symlink("/nowhere", folder.path().join("gone")).expect("a link");
        assert_eq!(links_to(folder.path(), (1, 3)), ["nvme-A_B_1"]);
        assert!(links_to(folder.path(), (0, 0)).is_empty());
        assert!(links_to(Path::new("/no/such/folder"), (1, 3)).is_empty());
    }

    #[test]
    fn a_drives_identity_comes_from_its_whole_disk() {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = folder.path().join("devices/sdx");
        for (name, text) in [
            ("sdx1/partition", "1"),
            ("sdx1/size", "100"),
            ("size", "1000"),
            ("diskseq", "7"),
            ("wwid", "eui.0025385b"),
            ("device/model", "QEMU NVMe Ctrl "),
            ("device/serial", "deadbeef "),
        ] {
            let path = disk.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let node = BlockNode {
            path: "/dev/node".into(),
            name: "sdx1".to_owned(),
            whole: "sdx".to_owned(),
            number: (8, 97),
            folder: disk.join("sdx1"),
        };
        let found = identity_in(&node, Path::new("/no/such/folder"));
        assert_eq!((found.name.as_str(), found.whole.as_str(), found.number.as_str()), ("sdx1", "sdx", "8:97"));
        assert_eq!((found.model.as_deref(), found.serial.as_deref()), (Some("QEMU NVMe Ctrl"), Some("deadbeef")));
        assert_eq!((found.diskseq, found.capacity.get()), (Some(7), 51_200));
        assert_eq!(found.wwid.as_deref(), Some("eui.0025385b"));
        let mut twin = found.clone();
        twin.serial = Some("cafe".to_owned());
        assert_eq!(twin.changes_since(&found), ["the serial number was deadbeef and is cafe"]);
        assert!(found.changes_since(&found).is_empty());
    }
}
