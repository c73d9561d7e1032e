//! The type of target behind a path that a user named. Only inspects; opens and changes nothing.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use crate::block::node::BlockNode;
use crate::block::nvme_node;
use crate::error::{DeviceError, ErrorKind};
use crate::roots::Roots;

/// Device numbers of the memory devices (Documentation/admin-guide/devices.txt, major 1).
const NULL_DEVICE: (u32, u32) = (1, 3);
const ZERO_DEVICE: (u32, u32) = (1, 5);
/// Folders below /dev that hold files.
const FILES_IN_DEV: [&str; 2] = ["/dev/shm", "/dev/mqueue"];

/// The target that a user named, with symbolic links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A folder.
    Folder(PathBuf),
    /// A regular file that exists.
    ExistingFile(PathBuf),
    /// A name that does not exist yet, in an existing folder.
    NewFile(PathBuf),
    /// A block device or a partition of one.
    BlockDevice(BlockNode),
    /// The kernel's null device, identified by its number and not by its name.
    NullDevice(PathBuf),
    /// The kernel's zero device, identified by its number and not by its name.
    ZeroDevice(PathBuf),
}

/// Finds out what kind of target `path` is.
///
/// # Errors
/// [`DeviceError`] for pipes, sockets and all other character devices, for missing folders and dangling links, for
/// nodes without a device, and if the system refuses access.
pub fn classify(path: &Path) -> Result<Named, DeviceError> {
    if path.to_str().is_none() {
        return Err(DeviceError::NotUtf8 { path: path.to_owned() });
    }
    let status = match fs::metadata(path) {
        Ok(status) => status,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return not_there(path),
        Err(source) => return Err(DeviceError::System { what: "cannot inspect", path: path.to_owned(), source }),
    };
    let real = fs::canonicalize(path).map_err(DeviceError::system("cannot resolve", path))?;
    if real.to_str().is_none() {
        return Err(DeviceError::NotUtf8 { path: real });
    }
    let kind = status.file_type();
    let unfit = |what| Err(DeviceError::Unfit { path: path.to_owned(), what });
    if kind.is_dir() {
        Ok(Named::Folder(real))
    } else if kind.is_file() {
        Ok(Named::ExistingFile(real))
    } else if kind.is_block_device() {
        BlockNode::of(&Roots::default(), &real, number(&status)).map(Named::BlockDevice)
    } else if kind.is_char_device() {
        match number(&status) {
            NULL_DEVICE => Ok(Named::NullDevice(real)),
            ZERO_DEVICE => Ok(Named::ZeroDevice(real)),
            other => match nvme_node::namespace_of(&Roots::default(), path, other) {
                Some(node) => node.map(Named::BlockDevice),
                None => Err(DeviceError::Character { path: path.to_owned() }),
            },
        }
    } else if kind.is_fifo() {
        unfit("a named pipe")
    } else if kind.is_socket() {
        unfit("a socket")
    } else {
        unfit("of a type that drivelab does not know")
    }
}

/// The device number of a node.
fn number(status: &fs::Metadata) -> (u32, u32) {
    (major(status.rdev()), minor(status.rdev()))
}

/// Whether this is the kernel's null device, whatever its node is called.
pub(crate) fn is_null_device(status: &fs::Metadata) -> bool {
    status.file_type().is_char_device() && number(status) == NULL_DEVICE
}

/// Whether a folder is for device nodes: a missing name there is a missing device, and no file is created.
fn keeps_devices(folder: &Path) -> bool {
    folder.starts_with("/dev") && !FILES_IN_DEV.iter().any(|files| folder.starts_with(files))
}

/// A path that does not exist: a new file if its folder exists, otherwise an error that says what is missing.
fn not_there(path: &Path) -> Result<Named, DeviceError> {
    let missing = |why: String| Err(DeviceError::Missing { path: path.to_owned(), why });
    if fs::symlink_metadata(path).is_ok_and(|status| status.is_symlink()) {
        return missing("this symbolic link is dangling; name the real file or folder".into());
    }
    if path.as_os_str().as_bytes().ends_with(b"/") {
        return missing("there is no such folder; create it first, or check the path".into());
    }
    let Some(name) = path.file_name() else {
        return missing("there is no such folder; check the path".into());
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match fs::canonicalize(parent) {
        Ok(folder) if keeps_devices(&folder) => {
            missing("there is no such device; `lsblk` names the block devices of this machine".into())
        }
        Ok(folder) if folder.is_dir() => match folder.join(name) {
            file if file.to_str().is_none() => Err(DeviceError::NotUtf8 { path: file }),
            file => Ok(Named::NewFile(file)),
        },
        Ok(folder) => missing(format!("{} is not a folder; check the path", folder.display())),
        Err(source) if ErrorKind::of(&source) == ErrorKind::Missing => {
            missing(format!("there is no folder {}; create it first, or check the path", parent.display()))
        }
        Err(source) => Err(DeviceError::System { what: "cannot read the folder", path: parent.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn files_folders_and_links_to_them_are_what_they_lead_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("a path");
        fs::write(root.join("file"), b"x").expect("a file");
        symlink("file", root.join("link")).expect("a link");
        assert_eq!(classify(&root).ok(), Some(Named::Folder(root.clone())));
        assert_eq!(classify(&root.join("link")).ok(), Some(Named::ExistingFile(root.join("file"))));
        assert_eq!(classify(&root.join("new")).ok(), Some(Named::NewFile(root.join("new"))));
    }

    #[test]
    fn what_is_no_file_and_no_folder_is_refused_in_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        for (path, word) in [(Path::new("/dev/tty"), "character device"), (&socket, "socket")] {
            let error = classify(path).expect_err("unfit");
            assert_eq!(error.kind(), ErrorKind::Unfit);
            assert!(error.to_string().contains(word), "{error}");
        }
    }

    #[test]
    fn the_null_and_the_zero_device_are_known_by_their_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = folder.path().join("zero");
        symlink("/dev/null", &link).expect("a link");
        assert_eq!(classify(&link).ok(), Some(Named::NullDevice(PathBuf::from("/dev/null"))));
        assert_eq!(classify(Path::new("/dev/zero")).ok(), Some(Named::ZeroDevice(PathBuf::from("/dev/zero"))));
    }

    #[test]
    fn missing_things_are_named_each_in_its_own_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        symlink("nowhere", at("dangling")).expect("a link");
        fs::write(at("file"), b"").expect("a file");
        let text = |path: &Path| {
            let error = classify(path).expect_err("missing");
            assert!(matches!(error.kind(), ErrorKind::Missing), "{error}");
            error.to_string()
        };
        assert!(text(&at("dangling")).contains("is dangling"));
        assert!(text(&at("no/such")).contains("there is no folder"));
        assert!(text(&at("folder/")).contains("no such folder"));
        text(&at("file/below"));
        assert!(text(Path::new("/dev/nosuch")).contains("no such device"));
    }
}
