//! From the user's text to a device: a path, a kernel name, a controller, a by-id name or a serial number.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::{major, minor};

use crate::block::identity::identity_of;
use crate::block::named::{Named, classify};
use crate::block::node::BlockNode;
use crate::block::nvme_node;
use crate::error::DeviceError;
use crate::place::target as place;
use crate::roots::Roots;

/// The device that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The device that the text names, or the one below it.
    pub node: BlockNode,
    /// How it was found, if this is not obvious: `/dev/nvme0 stands for nvme0n1`.
    pub remark: Option<String>,
}

/// Finds the device that a text refers to.
///
/// # Errors
/// [`DeviceError::Missing`] if nothing matches; or if several devices match, with their names.
pub fn find(text: &Path) -> Result<Found, DeviceError> {
    let roots = Roots::default();
    let plain = |node| Found { node, remark: None };
    if let Some(found) = by_character_device(&roots, text) {
        return Ok(found);
    }
    if text.exists() {
        return match classify(text)? {
            Named::BlockDevice(node) => Ok(plain(node)),
            Named::Folder(path) | Named::ExistingFile(path) | Named::NewFile(path) => below(&roots, &path),
            Named::NullDevice(path) | Named::ZeroDevice(path) => Err(DeviceError::Character { path }),
        };
    }
    let name = text.to_string_lossy();
    let is_word = text.components().count() == 1;
    if is_word && let Some(node) = BlockNode::by_name(&roots, &name) {
        return Ok(plain(node));
    }
    for folder in ["/dev", "/dev/disk/by-id"] {
        let path = Path::new(folder).join(text);
        if is_word && path.exists() {
            return find(&path);
        }
    }
    by_serial(text, &name)
}

/// A controller (`/dev/nvme0`) or a generic node (`/dev/ng0n1`). Of several namespaces the first is used, which is
/// safe because it is only inspected.
fn by_character_device(roots: &Roots, text: &Path) -> Option<Found> {
    let status = std::fs::metadata(text).ok().filter(|status| status.file_type().is_char_device())?;
    let (_, namespaces) = nvme_node::leads_to(roots, (major(status.rdev()), minor(status.rdev())))?;
    let node = BlockNode::by_name(roots, namespaces.first()?)?;
    Some(Found { node, remark: Some(format!("{} stands for {}", text.display(), namespaces.join(", "))) })
}

/// The device that a file or folder lies on.
fn below(roots: &Roots, path: &Path) -> Result<Found, DeviceError> {
    let chain = place::devices_of(roots, path, 0);
    let node = chain.first().and_then(|folder| BlockNode::by_folder(roots, folder));
    let Some(node) = node else {
        let why = "there is no block device below it; name a device, or a folder on a drive".to_owned();
        return Err(DeviceError::Missing { path: path.to_owned(), why });
    };
    let remark = Some(format!("{} lies on {}", path.display(), node.name));
    Ok(Found { node, remark })
}

fn by_serial(text: &Path, serial: &str) -> Result<Found, DeviceError> {
    let missing = |why: String| Err(DeviceError::Missing { path: text.to_owned(), why });
    let is_it = |node: &BlockNode| identity_of(node).serial.is_some_and(|own| own == serial);
    let mut fitting: Vec<BlockNode> = super::disks::disks().into_iter().filter(is_it).collect();
    match fitting.len() {
        1 => {
            let node = fitting.remove(0);
            let remark = Some(format!("{serial} is the serial number of {}", node.name));
            Ok(Found { node, remark })
        }
        0 => missing(
            "no file, folder, device or serial number has that name; `drivelab targets` lists the disks of this \
             machine"
                .to_owned(),
        ),
        _ => {
            let names: Vec<&str> = fitting.iter().map(|node| node.name.as_str()).collect();
            missing(format!("several disks have this serial number ({}); name one by its node", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nothing_is_answered_with_where_to_look() {
        let error = find(Path::new("no-such-serial")).expect_err("nothing");
        assert!(error.to_string().contains("drivelab targets"), "{error}");
    }
}
