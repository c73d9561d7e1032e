//! The permission to write to the drive, and whether it is still the same drive.

use std::path::Path;

use drivelab_device::guard::{self, Destroy, Released};
use drivelab_device::{BlockNode, Named, classify};

use crate::error::ConditionsError;
use crate::kernel;
use crate::ledger::{Content, DriveMark};

/// The permission to write to the drive: held since it was set up, or requested from the guard for the first write.
#[derive(Debug)]
pub(crate) enum Access<'a> {
    /// Held.
    Held(&'a Released),
    /// To be requested.
    Asked(Option<Box<Released>>),
    /// Not available, for this reason. It is unknown whether another program has put something on the drive.
    Denied(String),
}

impl Access<'_> {
    pub(super) fn get(&mut self, content: &Content) -> Result<&Released, ConditionsError> {
        match self {
            Access::Held(released) => Ok(released),
            Access::Asked(Some(released)) => Ok(released),
            Access::Denied(why) => Err(ConditionsError::Target(why.clone())),
            Access::Asked(none) => {
                let released = release_again(&content.drive, content.destroy.as_deref())?;
                Ok(none.insert(Box::new(released)))
            }
        }
    }
}

/// The guard checks everything again. The user's consent from when it was set up counts, and only for the same drive.
fn release_again(mark: &DriveMark, destroy: Option<&str>) -> Result<Released, ConditionsError> {
    let node = still_the_drive(mark)?;
    Ok(guard::release_device(&node, &Destroy::named(destroy.map(Path::new)))?)
}

/// The drive, if it is provably the one that was marked.
///
/// # Errors
/// It is gone, or another drive has its node now.
pub(super) fn still_the_drive(mark: &DriveMark) -> Result<BlockNode, ConditionsError> {
    let shown = mark.node.display();
    if !mark.node.exists() {
        return Err(ConditionsError::Target(format!(
            "{shown} does not exist, so what was set up on that drive is still on it: attach the drive again, then undo it"
        )));
    }
    let Named::BlockDevice(node) = classify(&mark.node)? else {
        return Err(ConditionsError::Target(format!("{shown} is no longer a block device")));
    };
    let now = kernel::mark(&node, kernel::bytes(&node.name).unwrap_or_default());
    kernel::same_drive(mark, &now)?;
    Ok(node)
}
