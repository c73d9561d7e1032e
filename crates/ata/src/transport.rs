//! How a command reaches a drive, and how its answer comes back.

use crate::command::AtaCommand;
use crate::error::AtaError;
use crate::sense::Registers;

/// A way to a drive: the kernel's SG_IO, or recorded pages.
pub trait AtaTransport {
    /// Sends one command and fills `data`, which holds [`AtaCommand::data_length`] bytes. Returns the drive's
    /// registers if they came back, which is certain only for [`AtaCommand::answers_in_registers`].
    ///
    /// # Errors
    /// The drive aborted it, a device in between did not pass it on, the kernel refused, or it was not recorded.
    fn send(&self, command: AtaCommand, data: &mut [u8]) -> Result<Option<Registers>, AtaError>;
}

impl<T: AtaTransport + ?Sized> AtaTransport for &T {
    fn send(&self, command: AtaCommand, data: &mut [u8]) -> Result<Option<Registers>, AtaError> {
        (**self).send(command, data)
    }
}

impl<T: AtaTransport + ?Sized> AtaTransport for Box<T> {
    fn send(&self, command: AtaCommand, data: &mut [u8]) -> Result<Option<Registers>, AtaError> {
        (**self).send(command, data)
    }
}
