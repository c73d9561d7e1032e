//! What this user may not see of a target, and what nobody can be asked: each with why and how to get it.

use std::fs;
use std::io;
use std::path::Path;

use drivelab_core::probe::{Health, NotKnown, TargetProbe, WriteOutlook};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use super::Depth;

/// A process that is always there and belongs to root.
const FIRST_PROCESS: &str = "/proc/1/ns/mnt";

/// Everything that is missing because of who asks.
pub(super) fn lacking(probe: &TargetProbe) -> Vec<NotKnown> {
    let mut lacking = Vec::new();
    if hidden(Path::new(FIRST_PROCESS)) {
        lacking.push(NotKnown {
            what: "who else uses it".to_owned(),
            why: "mounts and programs of other users are hidden from this one".to_owned(),
            how: "run drivelab as root (sudo)".to_owned(),
        });
    }
    if matches!(probe.writing, WriteOutlook::WithDestroy { .. }) && closed(&probe.path) {
        lacking.push(NotKnown {
            what: "what is on it, and whether it can be written".to_owned(),
            why: "this user may not open its node for reading and writing".to_owned(),
            how: "run drivelab as root (sudo), or as a member of the group that owns the node (`ls -l` names it)"
                .to_owned(),
        });
    }
    lacking
}

/// What the kind of device has not: only in full, since a list would say it of every layer.
pub(super) fn without_health(probe: &TargetProbe, depth: Depth) -> Option<NotKnown> {
    let device = probe.device().filter(|_| depth == Depth::Full && probe.health == Health::Unknown)?;
    let below = device.lies_on.first();
    let how = match (below, &device.virtual_because) {
        (Some(below), _) => format!("look at what it lies on: `drivelab show {below}`"),
        (None, Some(_)) => "look at the drive itself, on the machine that provides this device".to_owned(),
        (None, None) => String::new(),
    };
    let why = device.virtual_because.as_ref().map_or_else(
        || format!("drivelab knows no way to ask a device of this kind ({})", device.transport),
        |why| format!("it is {why}: nothing in it has a health log"),
    );
    Some(NotKnown { what: "health, wear and what was written in its life".to_owned(), why, how })
}

/// Whether somebody else's process is closed to this user.
fn hidden(link: &Path) -> bool {
    fs::read_link(link).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

fn closed(node: &Path) -> bool {
    accessat(CWD, node, Access::READ_OK | Access::WRITE_OK, AtFlags::EACCESS) == Err(Errno::ACCESS)
}
