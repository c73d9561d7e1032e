//! A drive that answers commands: typed answers, each with the page it was read from.

use crate::command::AtaCommand;
use crate::error::AtaError;
use crate::identify::IdentifyDevice;
use crate::sense::Registers;
use crate::smart::{PowerMode, SmartData, SmartThresholds, Verdict};
use crate::transport::AtaTransport;

/// An answer, and the bytes that it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<D> {
    /// The decoded structure.
    pub decoded: D,
    /// The bytes.
    pub raw: Vec<u8>,
}

/// A drive behind a transport.
#[derive(Debug)]
pub struct AtaDrive<T> {
    transport: T,
}

impl<T: AtaTransport> AtaDrive<T> {
    /// The drive behind `transport`.
    #[must_use]
    pub fn new(transport: T) -> Self {
        AtaDrive { transport }
    }

    /// The drive's identity and capabilities.
    ///
    /// # Errors
    /// See [`AtaTransport::send`]; or the page is not a valid one.
    pub fn identify(&self) -> Result<Page<IdentifyDevice>, AtaError> {
        let raw = self.page(AtaCommand::IdentifyDevice)?;
        Ok(Page { decoded: IdentifyDevice::decode(&raw)?, raw })
    }

    /// Attributes and the state of self-tests. Spins up platters in standby: call [`AtaDrive::power_mode`] first.
    ///
    /// # Errors
    /// See [`AtaTransport::send`]; aborted if SMART is off.
    pub fn smart_data(&self) -> Result<Page<SmartData>, AtaError> {
        let raw = self.page(AtaCommand::SmartData)?;
        Ok(Page { decoded: SmartData::decode(&raw)?, raw })
    }

    /// The values at which attributes fail.
    ///
    /// # Errors
    /// See [`AtaTransport::send`]; aborted if SMART is off or if the drive does not support this old command.
    pub fn smart_thresholds(&self) -> Result<Page<SmartThresholds>, AtaError> {
        let raw = self.page(AtaCommand::SmartThresholds)?;
        Ok(Page { decoded: SmartThresholds::decode(&raw)?, raw })
    }

    /// The drive's verdict on itself.
    ///
    /// # Errors
    /// See [`AtaTransport::send`]; aborted if SMART is off; not passed on by bridges that do not return the
    /// registers.
    pub fn smart_status(&self) -> Result<Verdict, AtaError> {
        Ok(Verdict::of(&self.registers(AtaCommand::SmartStatus)?)?)
    }

    /// Whether the drive sleeps. Does not wake it.
    ///
    /// # Errors
    /// See [`AtaTransport::send`].
    pub fn power_mode(&self) -> Result<PowerMode, AtaError> {
        Ok(PowerMode::of(&self.registers(AtaCommand::PowerMode)?))
    }

    fn page(&self, command: AtaCommand) -> Result<Vec<u8>, AtaError> {
        let mut raw = vec![0; command.data_length()];
        self.transport.send(command, &mut raw)?;
        Ok(raw)
    }

    fn registers(&self, command: AtaCommand) -> Result<Registers, AtaError> {
        // A transport without registers has no answer either.
        self.transport.send(command, &mut [])?.ok_or(AtaError::NotRecorded { command })
    }
}
