//! The right to write to the drive, and whether it is still that drive.

use std::path::Path;

use drivelab_device::guard::{self, Destroy, Released};
use drivelab_device::{BlockNode, Named, classify};

use crate::error::ConditionsError;
use crate::kernel;
use crate::ledger::{Content, DriveMark};

/// The right to write to the drive: held since it was set up, or asked of the guard when the first write needs it.
#[derive(Debug)]
pub(crate) enum Access<'a> {
    /// Held.
    Held(&'a Released),
    /// To be asked for.
    Asked(Option<Box<Released>>),
    /// Not to be had: why. Whether somebody has put something on the drive could not be looked at.
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

/// The guard looks at everything again; it is the user's word of then that counts, and only for the same drive.
fn release_again(mark: &DriveMark, destroy: Option<&str>) -> Result<Released, ConditionsError> {
    let node = still_the_drive(mark)?;
    Ok(guard::release_device(&node, &Destroy::named(destroy.map(Path::new)))?)
}

/// The drive, where it is provably the one that was marked.
///
/// # Errors
/// It is gone, or another one has its node by now.
pub(super) fn still_the_drive(mark: &DriveMark) -> Result<BlockNode, ConditionsError> {
    let shown = mark.node.display();
    if !mark.node.exists() {
        return Err(ConditionsError::Target(format!(
            "{shown} is not there, so what was set up on that drive is still on it: attach the drive again, and undo it then"
        )));
    }
    let Named::BlockDevice(node) = classify(&mark.node)? else {
        return Err(ConditionsError::Target(format!("{shown} is no block device any more")));
    };
    let now = kernel::mark(&node, kernel::bytes(&node.name).unwrap_or_default());
    kernel::same_drive(mark, &now)?;
    Ok(node)
}
