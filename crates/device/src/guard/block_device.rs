//! Whether a block device may be overwritten: what uses it, its content, and the user's consent.
//!
//! The order of the checks: the running system's disks; the identity; mounts, swap, layers on top, processes; then
//! the content, read only; then the user's consent, which can override content only. The result is a [`Released`]
//! device, which is opened exclusively after everything was checked again. [`look_again`] repeats the checks
//! immediately before the first write, because some programs write without a claim.

use std::fs::{self, File};

use drivelab_core::probe::WriteOutlook;
use drivelab_core::target::{DeviceIdentity, GuardDecision, GuardedDevice, WritableTarget};
use drivelab_core::units::Bytes;
use rustix::fs::{fstat, major, minor};

use super::content::{self, Content};
use super::destroy::{self, Destroy, Named, describe, flag_of, id_of};
use super::error::{GuardError, system};
use super::fit::{nobody_relies_on, relatives, still_fit, unchanged};
use super::hold::{self, patiently};
use super::in_use::{self, Itself, Unseen};
use super::released::Released;
use super::system_disk;
use crate::block::folders::whole_of;
use crate::block::identity::identity_of;
use crate::block::node::BlockNode;
use crate::roots::{Roots, read_number};

/// A device that may be written once the user has named it, and what would be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Its identity.
    pub identity: DeviceIdentity,
    /// Its content, one phrase for each finding; empty if nothing was found.
    pub found: Vec<String>,
    /// What was read to find it, as one phrase.
    pub looked_at: String,
}

/// Checks a device as [`release_device`] does, without the user's consent: to ask a question about it. Holds nothing.
///
/// # Errors
/// As for [`release_device`], except for missing consent.
pub fn preview_device(node: &BlockNode) -> Result<Preview, GuardError> {
    let looked = patiently(|| look(node, None))?;
    let Content { found, looked_at, .. } = looked.content;
    Ok(Preview { identity: looked.identity, found, looked_at })
}

/// What a writing command would report, as far as it is known without opening the device: for lists. `used_by` lists
/// what uses the device.
#[must_use]
pub fn outlook(node: &BlockNode, used_by: &[String]) -> WriteOutlook {
    if let Some(why) = system_disk::reason(&Roots::default(), node) {
        return WriteOutlook::Never { why };
    }
    if read_number::<u8>(&node.folder.join("ro")) != Some(0) {
        return WriteOutlook::NotNow { why: "it is set read-only".to_owned() };
    }
    if !used_by.is_empty() {
        return WriteOutlook::NotNow { why: used_by.join("; ") };
    }
    WriteOutlook::WithDestroy { id: id_of(&identity_of(node)).to_owned() }
}

/// Checks that a device is still the one that the plan was made for. [`release_device`] checks this first; this
/// function checks it alone, for callers without consent. Only inspects.
///
/// # Errors
/// [`GuardError::Refused`] if it is another device, and for the running system's disks.
pub fn still_planned(node: &BlockNode, destroy: &Destroy) -> Result<(), GuardError> {
    system_disk::refuse(&Roots::default(), node)?;
    is_as_planned(node, destroy, &identity_of(node))
}

fn is_as_planned(node: &BlockNode, destroy: &Destroy, now: &DeviceIdentity) -> Result<(), GuardError> {
    let planned = destroy.planned.as_ref();
    planned.map_or(Ok(()), |planned| unchanged(node, planned, now, "since the plan was made"))
}

/// Known content of a device by its signatures (tables, file systems, members of volumes), one phrase each. Only
/// inspects.
///
/// # Errors
/// [`GuardError::Device`] if it cannot be opened or read.
pub fn known_content(node: &BlockNode) -> Result<Vec<String>, GuardError> {
    let device = hold::open_to_look(node)?;
    let length = hold::length_of(&device, node)?;
    content::signatures(&device, length).map_err(system("cannot read", &node.path))
}

/// Checks that no other process has the device, a partition of it or its whole disk open. Waits for processes that
/// have it open only briefly.
///
/// # Errors
/// [`GuardError::Busy`] with the process.
pub fn nobody_has_it_open(node: &BlockNode) -> Result<(), GuardError> {
    patiently(|| {
        let status = fs::metadata(&node.path).map_err(system("cannot inspect", &node.path))?;
        in_use::processes(&Roots::default(), &node.path, &status, &relatives(node), Itself::LeftOut).map(drop)
    })
}

/// Authorises writes to a block device that the user named: checks it, opens it exclusively and checks it again. The
/// claim and the lock on its whole disk last as long as the target.
///
/// # Errors
/// As for [`release_device`] and [`Released::into_target`].
pub fn authorise_device(node: &BlockNode, destroy: &Destroy) -> Result<WritableTarget, GuardError> {
    release_device(node, destroy)?.into_target()
}

/// Makes the full decision about a block device and locks its whole disk, but lets other programs open it: for
/// callers that partition, format or encrypt it first.
///
/// # Errors
/// [`GuardError::Refused`] for the running system's disks, for a device in use, without the user's consent or if it
/// names another device, and if the device is not the one that the plan was made for; [`GuardError::Busy`] if a
/// process has it open or locked; [`GuardError::ReadOnly`] and [`GuardError::Device`] if it cannot be written.
pub fn release_device(node: &BlockNode, destroy: &Destroy) -> Result<Released, GuardError> {
    let refuse = |why: String| Err(GuardError::Refused { path: node.path.clone(), why });
    system_disk::refuse(&Roots::default(), node)?;
    let identity = identity_of(node);
    let removable = read_number::<u8>(&whole_of(&node.folder).0.join("removable")) == Some(1);
    is_as_planned(node, destroy, &identity)?;
    if let Named::Other(named) = destroy.compare(&identity) {
        return refuse(wrong(&named, &identity));
    }
    let looked = patiently(|| look(node, Some(&identity)))?;
    if let Some(new) = destroy.shown.as_ref().and_then(|shown| looked.content.not_in(shown)) {
        return refuse(format!(
            "it holds {new}, which was not there when you were asked. Nothing was touched. Check it and start again"
        ));
    }
    let Some(id) = &destroy.id else { return refuse(unnamed(&looked, removable)) };
    let Looked { identity, content, length, under, unseen, lock } = looked;
    let decision = GuardDecision {
        allowed_because: because(&identity, destroy, &under, &unseen),
        destroy_named: Some(id.clone()),
        device: Some(Box::new(GuardedDevice {
            held: format!("open with O_EXCL, and {} locked with flock, until the end", identity.whole),
            identity,
            looked_at: content.looked_at,
            overridden: content.found,
        })),
    };
    Ok(Released::new(node.clone(), decision, length, lock))
}

/// Checks the device of a target once more, with the claim still held; for use immediately before the first write. A
/// target that is not a device is protected by its lock alone.
///
/// # Errors
/// As for [`release_device`].
pub fn look_again(target: &WritableTarget) -> Result<(), GuardError> {
    let Some(handle) = target.handle(false) else { return Ok(()) };
    let status = fstat(handle).map_err(system("cannot inspect", target.path()))?;
    if rustix::fs::FileType::from_raw_mode(status.st_mode) != rustix::fs::FileType::BlockDevice {
        return Ok(());
    }
    let number = (major(status.st_rdev), minor(status.st_rdev));
    let node = BlockNode::of(&Roots::default(), target.path(), number)?;
    let Some(decided) = &target.decision().device else {
        let why = "there is no record of a decision about it, so it is unknown whether it is still the same device"
            .to_owned();
        return Err(GuardError::Refused { path: node.path, why });
    };
    let held = handle.try_clone_to_owned().map_err(system("cannot inspect", target.path()))?;
    patiently(|| still_fit(&node, decided, &File::from(held.try_clone().map_err(system("cannot open", &node.path))?)))
}

/// The result of one check, and the lock that was taken for it.
struct Looked {
    identity: DeviceIdentity,
    content: Content,
    length: Bytes,
    under: String,
    unseen: Unseen,
    lock: File,
}

/// All checks before the device is claimed.
fn look(node: &BlockNode, before: Option<&DeviceIdentity>) -> Result<Looked, GuardError> {
    system_disk::refuse(&Roots::default(), node)?;
    let (under, unseen) = nobody_relies_on(node, Itself::Counts)?;
    let (whole, _) = whole_of(&node.folder);
    if [whole, &node.folder].into_iter().any(|folder| read_number::<u8>(&folder.join("ro")) != Some(0)) {
        return Err(GuardError::ReadOnly { path: node.path.clone() });
    }
    let lock = hold::lock_whole(node)?;
    let device = hold::open_to_look(node)?;
    let length = hold::length_of(&device, node)?;
    let content = content::look(&device, length).map_err(system("cannot read", &node.path))?;
    let identity = identity_of(node);
    if let Some(before) = before {
        unchanged(node, before, &identity, "while drivelab checked it")?;
    }
    Ok(Looked { identity, content, length, under, unseen, lock })
}

fn wrong(named: &str, identity: &DeviceIdentity) -> String {
    let kernel_name = named.strip_prefix("/dev/").unwrap_or(named) == identity.name;
    let hint = if kernel_name {
        " (kernel names change from boot to boot, so they are valid only for devices without a serial number)"
    } else {
        ""
    };
    format!(
        "--destroy names {named}{hint}, but this is {}. Nothing was touched. To destroy its content, use `{}`",
        describe(identity),
        flag_of(identity)
    )
}

fn unnamed(looked: &Looked, removable: bool) -> String {
    let Looked { identity, content, .. } = looked;
    let holds = if content.found.is_empty() {
        "nothing was found on it".to_owned()
    } else {
        format!("it holds {}", content.found.join(", and "))
    };
    let removable = if removable { ", a removable medium" } else { "" };
    format!(
        "its content would be overwritten. It is {}{removable}; {holds} ({}). Nothing was touched. To destroy its content, add \
         `{}`",
        describe(identity),
        content.looked_at,
        flag_of(identity)
    )
}

fn because(identity: &DeviceIdentity, destroy: &Destroy, under: &str, unseen: &Unseen) -> String {
    let how = if destroy.typed {
        "typed its model and serial number".to_owned()
    } else {
        format!("named {} with --destroy", destroy::id_of(identity))
    };
    let unseen = match unseen.0 {
        0 => String::new(),
        count => format!("; {count} processes of other users could not be inspected"),
    };
    format!(
        "the user {how}; it is {}{under}, not mounted, not swap, with nothing on top of it, open in no process, not one of the \
         running system's disks, and held exclusively{unseen}",
        describe(identity)
    )
}
