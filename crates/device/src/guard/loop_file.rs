//! The file under a loop device: writing to the device writes to the file, so it is checked like a file that a user
//! named.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::GuardError;
use super::in_use;
use crate::block::folders::{backing_file, whole_of};
use crate::block::node::BlockNode;
use crate::roots::{Roots, read_number, read_trim};

/// Folders where a system and its services keep files of their own: images of virtual machines, containers, packages.
const OF_THE_SYSTEM: [&str; 18] = [
    "/usr",
    "/boot",
    "/etc",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/nix",
    "/gnu",
    "/snap",
    "/sysroot",
    "/ostree",
    "/var/lib/containers",
    "/var/lib/docker",
    "/var/lib/libvirt",
    "/var/lib/lxd",
    "/var/lib/machines",
    "/var/lib/snapd",
];

/// The file, if nothing else uses it and the device covers all of it; and the number of processes that could not be
/// inspected.
pub(super) fn check(roots: &Roots, node: &BlockNode) -> Result<(PathBuf, in_use::Unseen), GuardError> {
    let refuse = |why: String| GuardError::Refused { path: node.path.clone(), why };
    let (whole, _) = whole_of(&node.folder);
    let folder = whole.join("loop");
    let Some(file) = backing_file(whole) else {
        return Err(refuse("it is a loop device without a file; attach one with losetup first".into()));
    };
    let shown = file.display();
    if read_trim(&folder.join("backing_file")).is_some_and(|text| text.ends_with(" (deleted)")) {
        return Err(refuse(format!(
            "the file under it, {shown}, was deleted, so it is unknown what else uses it; create a new one"
        )));
    }
    let cut = |name: &str| read_number::<u64>(&folder.join(name)).unwrap_or(0) != 0;
    if cut("offset") || cut("sizelimit") {
        return Err(refuse(format!(
            "it covers only a part of {shown}, and the content of the rest of that file is not checked; attach the whole \
             file"
        )));
    }
    let Ok(status) = fs::metadata(&file) else {
        return Err(refuse(format!(
            "the file under it, {shown}, is not accessible from here, so it is unknown what else uses it; attach a file that \
             this user and this container can access"
        )));
    };
    if !status.is_file() {
        return Err(refuse(format!(
            "it lies on {shown}, which is not a file: name that device itself, so that it is checked too"
        )));
    }
    if let Some(place) = OF_THE_SYSTEM.iter().find(|place| file.starts_with(place)) {
        return Err(refuse(format!(
            "the file under it, {shown}, lies in {place}, where the system keeps its own files; move the file elsewhere"
        )));
    }
    match in_use::check(roots, &file, &status, Some(&node.whole)) {
        Ok(unseen) => Ok((file, unseen)),
        Err(error) => Err(of_the_device(node, &file, error)),
    }
}

/// The same error, reported for the device that the user named.
fn of_the_device(node: &BlockNode, file: &Path, error: GuardError) -> GuardError {
    let under = |text: String| format!("the file under it, {}: {text}", file.display());
    match error {
        GuardError::Refused { why, .. } => GuardError::Refused { path: node.path.clone(), why: under(why) },
        GuardError::Busy { by, .. } => GuardError::Busy { path: node.path.clone(), by: under(by) },
        other => other,
    }
}
