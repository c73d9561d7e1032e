//! How a command reaches a controller, and how its answer comes back.

use crate::commands::command::AdminCommand;
use crate::reading::error::NvmeError;

/// A way to a controller: the kernel's ioctl, or recorded pages.
pub trait Transport {
    /// Sends one command and fills `data`, or sends it, depending on bits 1:0 of its opcode (Base, "Opcodes for Admin
    /// Commands"). Returns dword 0 of the completion.
    ///
    /// # Errors
    /// The controller refused it, the kernel did not let it through, or it was not recorded.
    fn admin(&self, command: &AdminCommand, data: &mut [u8]) -> Result<u32, NvmeError>;
}

impl<T: Transport + ?Sized> Transport for &T {
    fn admin(&self, command: &AdminCommand, data: &mut [u8]) -> Result<u32, NvmeError> {
        (**self).admin(command, data)
    }
}

impl<T: Transport + ?Sized> Transport for Box<T> {
    fn admin(&self, command: &AdminCommand, data: &mut [u8]) -> Result<u32, NvmeError> {
        (**self).admin(command, data)
    }
}
