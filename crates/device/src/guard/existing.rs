//! An existing file that drivelab did not create: refused, unless the user released exactly this file with
//! `--destroy`. Its length never changes and it is never removed.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_core::target::{GuardDecision, WritableTarget};
use drivelab_core::units::Bytes;
use rustix::fs::OFlags;

use super::claim::lock;
use super::error::{GuardError, system};
use super::in_use;
use super::open::{open_existing, same_inode, writable};
use crate::block::named::{Named, classify};
use crate::error::DeviceError;
use crate::place::direct::Trial;
use crate::place::mounts;
use crate::roots::Roots;

/// Offsets and lengths of every workload are multiples of this; a shorter tail is not touched.
const BLOCK: Bytes = Bytes::new(4096);

/// Authorises writes to a named file if `destroy` names the same file. Until then it is only inspected, never opened.
/// The lock on it lasts as long as the target.
///
/// # Errors
/// [`GuardError::Refused`] without `--destroy`, if that names another file, and, even with it, for files with hard
/// links, active swap, files of loop devices and mounted images; [`GuardError::Busy`] if a process has it open.
pub fn authorise_file(path: &Path, destroy: Option<&Path>) -> Result<WritableTarget, GuardError> {
    let real = regular_file(path)?;
    let refuse = |why: String| GuardError::Refused { path: real.clone(), why };
    let status = fs::symlink_metadata(&real).map_err(system("cannot inspect", &real))?;
    let Some(destroy) = destroy else {
        return Err(refuse(format!(
            "it exists, drivelab did not create it, and a run would overwrite its {}. Nothing was touched. To destroy its \
             content, add `--destroy {}`; to keep it, name a folder, or a new file with --new-file",
            Bytes::new(status.len()).about(),
            path.display()
        )));
    };
    let named = fs::canonicalize(destroy).map_err(|error| {
        refuse(format!(
            "--destroy names {}, and there is no such file ({error}). Nothing was touched. Name the same file twice to \
             destroy its content",
            destroy.display()
        ))
    })?;
    let named_status = fs::symlink_metadata(&named).map_err(system("cannot inspect", &named))?;
    if named != real || !same_inode(&status, &named_status) {
        return Err(refuse(format!(
            "--destroy names another file, {}. Nothing was touched. Name the same file twice to destroy its content",
            named.display()
        )));
    }
    let unseen = in_use::check(&Roots::default(), &real, &status, None)?;
    let length = Bytes::new(status.len()).align_down(BLOCK);
    if length.get() == 0 {
        return Err(GuardError::TooSmall { path: real, length: status.len() });
    }
    let file = open_existing(&real, OFlags::empty()).map_err(system("cannot open", &real))?;
    lock(&file).map_err(|_| GuardError::Busy { path: real.clone(), by: "another process has locked it".into() })?;
    let opened = file.metadata().map_err(system("cannot inspect", &real))?;
    if !same_inode(&status, &opened) || opened.len() != status.len() {
        return Err(GuardError::Busy { path: real, by: "it changed while drivelab checked it".into() });
    }
    let mut allowed_because = "the user named this file twice, as the target and with --destroy".to_owned();
    if unseen.0 > 0 {
        allowed_because = format!("{allowed_because}; {} processes of other users could not be inspected", unseen.0);
    }
    let decision = GuardDecision { allowed_because, destroy_named: Some(destroy.to_owned()), device: None };
    writable(&real, &file, length, Trial::Read, decision)
}

/// The file itself, with links resolved.
fn regular_file(path: &Path) -> Result<PathBuf, GuardError> {
    match classify(path)? {
        Named::ExistingFile(real) => match mounts::kernel_window(&Roots::default(), &real) {
            // No flag can allow it: it cannot be measured.
            Some(kind) => Err(DeviceError::Window { path: real, kind }.into()),
            None => Ok(real),
        },
        Named::BlockDevice(node) => Err(DeviceError::BlockDevice { path: node.path }.into()),
        Named::NullDevice(path) | Named::ZeroDevice(path) => {
            Err(DeviceError::Unfit { path, what: "a character device" }.into())
        }
        Named::Folder(path) => Err(DeviceError::Unfit { path, what: "a folder" }.into()),
        Named::NewFile(path) => {
            let why = "there is no such file; check the path, or leave --destroy out".to_owned();
            Err(DeviceError::Missing { path, why }.into())
        }
    }
}
