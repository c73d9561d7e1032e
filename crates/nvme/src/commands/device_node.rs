//! Commands through a device node: `/dev/nvme0`, `/dev/nvme0n1`, `/dev/ng0n1`.

use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use crate::commands::command::AdminCommand;
use crate::commands::ioctl::{self, Data};
use crate::commands::status::Status;
use crate::commands::transport::Transport;
use crate::reading::error::NvmeError;

/// Commands through the kernel. The node is opened only for reading, so it never blocks a program that needs
/// exclusive access.
#[derive(Debug)]
pub struct IoctlTransport {
    node: File,
    name: String,
}

impl IoctlTransport {
    /// Opens a controller's or a namespace's node.
    ///
    /// # Errors
    /// It does not exist, or this user may not open it.
    pub fn open(path: &Path) -> Result<Self, NvmeError> {
        let name = path.display().to_string();
        let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let node = opened.map_err(|source| NvmeError::system("any command".to_owned(), name.clone(), source))?;
        Ok(IoctlTransport { node, name })
    }

    /// Takes a node that is already open, such as the guard's own handle; `name` is for messages.
    #[must_use]
    pub fn of(node: File, name: String) -> Self {
        IoctlTransport { node, name }
    }

    /// The namespace of this node, as the kernel knows it.
    ///
    /// # Errors
    /// The node is a controller's, or not an NVMe device.
    pub fn namespace_id(&self) -> Result<u32, NvmeError> {
        let failed = |source| NvmeError::system("the query for its namespace".to_owned(), self.name.clone(), source);
        ioctl::namespace_id(self.node.as_fd()).map_err(failed)
    }
}

impl Transport for IoctlTransport {
    fn admin(&self, command: &AdminCommand, data: &mut [u8]) -> Result<u32, NvmeError> {
        let (words, timeout_ms) = (command.dwords(), command.timeout_ms());
        let sent = ioctl::passthrough(self.node.as_fd(), command.is_io(), words, timeout_ms, Data::Into(data));
        let failed = |source| NvmeError::system(command.request().to_string(), self.name.clone(), source);
        let completion = sent.map_err(failed)?;
        if completion.status == 0 {
            return Ok(completion.dword0);
        }
        Err(NvmeError::Refused { what: command.request().to_string(), status: Status::new(completion.status) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::command::Request;

    #[test]
    fn what_is_no_controller_says_so() {
        // The kernel answers ENOTTY: a file takes no NVMe command.
        let transport = IoctlTransport::open(Path::new("/dev/null")).unwrap();
        let error = transport.admin(&AdminCommand::new(Request::Identify { cns: 1, nsid: 0 }, 4096), &mut [0; 4096]);
        let text = error.unwrap_err().to_string();
        assert!(text.contains("Identify Controller to /dev/null") && text.contains("not an NVMe device"), "{text}");
        assert!(transport.namespace_id().is_err());
    }

    #[test]
    fn a_node_that_is_not_there_says_so() {
        let text = IoctlTransport::open(Path::new("/dev/nvme-is-not-here")).unwrap_err().to_string();
        assert!(text.contains("/dev/nvme-is-not-here") && text.contains("the drive is gone"), "{text}");
    }
}
