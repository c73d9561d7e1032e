//! The other namespace of a drive that a plan reads next to its target: opened for a run, and named to the user.

use drivelab_core::environment::{TargetFacts, TargetKind};
use drivelab_core::exit::ExitCode;
use drivelab_core::namespace::OtherNamespace;
use drivelab_core::plan::Plan;
use drivelab_core::target::ReadOnlyTarget;
use drivelab_device::{OpenedNamespace, open_other_namespace};
use drivelab_report::format;

use crate::failure::{Failure, Result};
use crate::target::means::drive_of;

/// Opens for reading the namespace that the plan reads next to its target; `None` if it reads no other. `facts` are
/// the target's.
///
/// # Errors
/// Exit 6 if it no longer exists, or if it is not the one that the plan was made for.
pub fn open(plan: &Plan, facts: &TargetFacts) -> Result<Option<ReadOnlyTarget>> {
    let Some(planned) = plan.other_namespace() else { return Ok(None) };
    let is_device = facts.kind == TargetKind::BlockDevice;
    let gone = |why: String| {
        let text =
            format!("the plan reads {}, another namespace of the drive, and {why}; begin a new run", planned.words());
        Failure::new(ExitCode::TargetUnusable, text)
    };
    let OpenedNamespace { namespace, opened } =
        open_other_namespace(drive_of((&facts.devices, is_device))).map_err(gone)?;
    if namespace != *planned {
        return Err(gone(format!("now there is {} of {}", words(&namespace), namespace.capacity)));
    }
    Ok(Some(opened.target))
}

/// Names the namespace that the plan reads next to its target; `None` if it reads no other.
#[must_use]
pub fn remark(plan: &Plan) -> Option<String> {
    let other = plan.other_namespace()?;
    let (what, size) = (words(other), format::bytes(other.capacity));
    Some(format!("{what}, {size}, is also read: another namespace of the target's drive; nothing is written to it"))
}

/// `/dev/nvme0n2 (namespace 2)`
fn words(other: &OtherNamespace) -> String {
    if other.is_known() { format!("/dev/{} (namespace {})", other.name, other.nsid) } else { other.words().to_owned() }
}
