//! From what a person wrote to a device: a path, a kernel name, a controller, a by-id name or a serial number.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use crate::error::DeviceError;
use crate::named::{BlockNode, Named, classify};
use crate::place;
use crate::roots::{Roots, names};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The device, as named or below what was named.
    pub node: BlockNode,
    /// How it was found, where that is not plain: `/dev/nvme0 is the controller of nvme0n1`.
    pub remark: Option<String>,
    /// The controller's node, where that was named.
    pub controller: Option<PathBuf>,
}

/// Finds the device that a text stands for.
///
/// # Errors
/// [`DeviceError::Missing`] where nothing fits or more than one thing does, with what does.
pub fn find(text: &Path) -> Result<Found, DeviceError> {
    let roots = Roots::default();
    let plain = |node| Found { node, remark: None, controller: None };
    if let Some(found) = by_character_device(&roots, text)? {
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
    by_serial(&roots, text, &name)
}

/// A controller (`/dev/nvme0`) or a generic node (`/dev/ng0n1`), by what the kernel says of its number.
fn by_character_device(roots: &Roots, text: &Path) -> Result<Option<Found>, DeviceError> {
    let Ok(status) = std::fs::metadata(text) else { return Ok(None) };
    if !status.file_type().is_char_device() {
        return Ok(None);
    }
    let number = format!("{}:{}", major(status.rdev()), minor(status.rdev()));
    let Ok(folder) = std::fs::canonicalize(roots.sys.join("dev/char").join(number)) else { return Ok(None) };
    let name = crate::block::name_of(&folder);
    if let Some(namespace) = name.strip_prefix("ng") {
        let node = BlockNode::by_name(roots, &format!("nvme{namespace}"));
        let remark = Some(format!("{} is the generic node of nvme{namespace}", text.display()));
        return Ok(node.map(|node| Found { node, remark, controller: None }));
    }
    let is_controller = name.strip_prefix("nvme").is_some_and(|rest| rest.parse::<u32>().is_ok());
    if !is_controller {
        return Ok(None);
    }
    let of_controller = |name: &str| name.starts_with("nvme") && name.contains('n') && !name.contains("cuse");
    let mut namespaces: Vec<String> = names(&folder)
        .into_iter()
        .map(|entry| entry.to_string_lossy().into_owned())
        .filter(|entry| of_controller(entry) && entry.len() > name.len())
        .map(|entry| without_path(&entry))
        .collect();
    namespaces.dedup();
    let named: Vec<&str> = namespaces.iter().map(String::as_str).collect();
    match namespaces.first().and_then(|first| BlockNode::by_name(roots, first)) {
        Some(node) => {
            let remark = Some(format!("{} is the controller of {}", text.display(), named.join(", ")));
            Ok(Some(Found { node, remark, controller: Some(text.to_owned()) }))
        }
        None => Err(DeviceError::Missing {
            path: text.to_owned(),
            why: "this controller has no namespace; attach one first (nvme attach-ns)".to_owned(),
        }),
    }
}

/// `nvme0c1n1`, a path of multipath, stands for `nvme0n1`.
fn without_path(name: &str) -> String {
    let Some((head, tail)) = name.split_once('c') else { return name.to_owned() };
    tail.split_once('n').map_or_else(|| name.to_owned(), |(_, namespace)| format!("{head}n{namespace}"))
}

/// The device that a file or folder lies on.
fn below(roots: &Roots, path: &Path) -> Result<Found, DeviceError> {
    let chain = place::devices_of(roots, path, 0);
    let node = chain.first().and_then(|folder| BlockNode::by_folder(roots, folder));
    let Some(node) = node else {
        let why = "no block device lies below it; name a device, or a folder on a drive".to_owned();
        return Err(DeviceError::Missing { path: path.to_owned(), why });
    };
    let remark = Some(format!("{} lies on {}", path.display(), node.name));
    Ok(Found { node, remark, controller: None })
}

fn by_serial(roots: &Roots, text: &Path, serial: &str) -> Result<Found, DeviceError> {
    let missing = |why: String| Err(DeviceError::Missing { path: text.to_owned(), why });
    let is_it = |node: &BlockNode| {
        crate::identify::identity(crate::block::whole_of(&node.folder).0).serial.is_some_and(|own| own == serial)
    };
    let mut fitting: Vec<BlockNode> = super::disks().into_iter().filter(is_it).collect();
    let _ = roots;
    match fitting.len() {
        1 => {
            let node = fitting.remove(0);
            let remark = Some(format!("{serial} is the serial number of {}", node.name));
            Ok(Found { node, remark, controller: None })
        }
        0 => missing(
            "no file, folder, device or serial number of that name is there; `drivelab targets` names the disks of this \
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
    fn a_path_of_multipath_stands_for_its_namespace() {
        assert_eq!(without_path("nvme0c1n2"), "nvme0n2");
        assert_eq!(without_path("nvme0n1"), "nvme0n1");
    }

    #[test]
    fn what_is_nothing_is_answered_with_where_to_look() {
        let error = find(Path::new("no-such-serial")).expect_err("nothing");
        assert!(error.to_string().contains("drivelab targets"), "{error}");
    }
}
