//! Access to the controller behind a drive: through the kernel or, in tests, through recorded pages.

use std::path::Path;

use drivelab_device::BlockNode;
use drivelab_nvme::{Controller, IoctlTransport, NvmeError, Transport};

use crate::error::ConditionsError;

/// The kind of access.
#[derive(Debug, Clone, Default)]
pub(crate) enum Controllers {
    /// The kernel passes commands on from a drive's node.
    #[default]
    Kernel,
    /// One controller of recorded pages is behind every node.
    #[cfg(test)]
    Recorded(std::sync::Arc<drivelab_nvme::RecordedTransport>),
}

impl Controllers {
    /// Checks that a drive has a controller that can be asked.
    ///
    /// # Errors
    /// [`ConditionsError::Target`] if it is not an NVMe drive.
    pub(crate) fn is_nvme(&self, node: &BlockNode) -> Result<(), ConditionsError> {
        #[cfg(test)]
        if matches!(self, Controllers::Recorded(_)) {
            return Ok(());
        }
        if node.whole.starts_with("nvme") {
            return Ok(());
        }
        Err(ConditionsError::Target(format!(
            "{} is not an NVMe drive, and only those have power states that can be set; leave --power-state out. Nothing was \
             touched",
            node.whole
        )))
    }

    /// The controller behind a drive's node.
    ///
    /// # Errors
    /// The kernel's error.
    pub(crate) fn open(&self, node: &Path) -> Result<Controller<Box<dyn Transport + '_>>, NvmeError> {
        Ok(Controller::new(match self {
            Controllers::Kernel => Box::new(IoctlTransport::open(node)?),
            #[cfg(test)]
            Controllers::Recorded(pages) => Box::new(&**pages),
        }))
    }

    /// Whether a controller can be asked through a node: a drive that is gone has none.
    pub(crate) fn is_there(&self, node: &Path) -> bool {
        #[cfg(test)]
        if matches!(self, Controllers::Recorded(_)) {
            return true;
        }
        node.exists()
    }
}
