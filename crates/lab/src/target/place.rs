//! What is measured: a word on the command line, resolved to what lies behind it.

use std::path::Path;

use drivelab_core::units::Bytes;
use drivelab_device::Named;

use crate::failure::Result;

/// The word for a target that is nothing: operations end in the ring.
pub const NOP: &str = "nop:";

/// Size of a scratch file, and addresses of a target without a size, where `--size` does not say.
pub const DEFAULT_SIZE: Bytes = Bytes::GIB;

/// What the user named, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A folder, a file that is there or not there yet, a device.
    Named(Named),
    /// `nop:`.
    Nop,
}

impl Place {
    /// Whether a scratch file is made: in a folder, under a new name, or where a killed run left one behind.
    ///
    /// # Errors
    /// Where the folder cannot be looked at.
    pub fn makes_scratch(&self) -> Result<bool> {
        match self {
            Place::Named(Named::Folder(_) | Named::NewFile(_)) => Ok(true),
            Place::Named(Named::ExistingFile(file)) => Ok(drivelab_device::is_scratch(file)?),
            Place::Nop | Place::Named(Named::BlockDevice(_) | Named::NullDevice(_) | Named::ZeroDevice(_)) => Ok(false),
        }
    }

    /// The folder itself, or the one that the file or device lies in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        match self {
            Place::Named(Named::Folder(folder)) => folder,
            other => folder_of(other.path()),
        }
    }

    /// Whether direct I/O is the default here: everywhere but on what stores nothing and refuses it.
    #[must_use]
    pub const fn direct_by_default(&self) -> bool {
        !matches!(self, Place::Nop | Place::Named(Named::NullDevice(_) | Named::ZeroDevice(_)))
    }

    /// The path, or the word.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Place::Nop => Path::new(NOP),
            Place::Named(Named::BlockDevice(node)) => &node.path,
            Place::Named(
                Named::Folder(path)
                | Named::ExistingFile(path)
                | Named::NewFile(path)
                | Named::NullDevice(path)
                | Named::ZeroDevice(path),
            ) => path,
        }
    }
}

pub(super) fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("/"))
}
