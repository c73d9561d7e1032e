//! A drive: typed readings with the raw page beside each.

use serde::Serialize;

use crate::command::{AtaCommand, Registers, Transport};
use crate::error::{AtaError, DecodeError};
use crate::identify::IdentifyDevice;
use crate::smart::{SmartData, SmartThresholds};
use crate::statistics::{GeneralStatistics, SolidStateStatistics, TemperatureStatistics};
use crate::words::PAGE;

/// What SMART RETURN STATUS puts into bits 23:8 of the address (ACS, section 7.44.10): all is well, a threshold was
/// passed.
const WELL: u32 = 0xC2_4F;
const FAILING: u32 = 0x2C_F4;
/// Pages that TCG discovery is asked for: 2 KiB.
const DISCOVERY_PAGES: u8 = 4;

/// A decoded page with the bytes that it came from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page<T> {
    /// What it says.
    pub decoded: T,
    /// The bytes.
    #[serde(skip)]
    pub raw: Vec<u8>,
}

/// What the drive thinks of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Prediction {
    /// No threshold was passed.
    Well,
    /// A threshold was passed: it expects to fail.
    Failing,
    /// It answered something that the standard does not know.
    Unknown,
}

/// How awake it is (ACS, section 7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PowerMode {
    /// 00h, 01h: standby, or on its way there. Reading it would wake it.
    Standby,
    /// 80h to 83h: idle.
    Idle,
    /// FFh: active or idle.
    Active,
    /// A value that the standard reserves.
    Reserved(u8),
}

/// A drive behind a transport.
#[derive(Debug)]
pub struct AtaDrive<T> {
    transport: T,
}

impl<T: Transport> AtaDrive<T> {
    /// The drive that `transport` leads to.
    pub fn new(transport: T) -> Self {
        AtaDrive { transport }
    }

    fn page<D>(&self, command: &AtaCommand, decode: fn(&[u8]) -> Result<D, DecodeError>) -> Result<Page<D>, AtaError> {
        let mut raw = vec![0; PAGE];
        self.transport.send(command, &mut raw)?;
        Ok(Page { decoded: decode(&raw)?, raw })
    }

    fn registers(&self, command: &AtaCommand) -> Result<Registers, AtaError> {
        let missing = || AtaError::Refused { what: command.name(), why: "its registers did not come back".to_owned() };
        self.transport.send(command, &mut [])?.ok_or_else(missing)
    }

    /// IDENTIFY DEVICE.
    ///
    /// # Errors
    /// It was refused, the kernel did not let it through, or the answer is no such structure. So for all readings.
    pub fn identify(&self) -> Result<Page<IdentifyDevice>, AtaError> {
        self.page(&AtaCommand::identify(), IdentifyDevice::decode)
    }

    /// SMART attributes.
    ///
    /// # Errors
    /// As for [`AtaDrive::identify`].
    pub fn smart_data(&self) -> Result<Page<SmartData>, AtaError> {
        self.page(&AtaCommand::smart_data(), SmartData::decode)
    }

    /// Thresholds of SMART attributes; newer drives may not have them.
    ///
    /// # Errors
    /// As for [`AtaDrive::identify`].
    pub fn smart_thresholds(&self) -> Result<Page<SmartThresholds>, AtaError> {
        self.page(&AtaCommand::smart_thresholds(), SmartThresholds::decode)
    }

    /// Whether the drive expects to fail.
    ///
    /// # Errors
    /// As for [`AtaDrive::identify`].
    pub fn smart_status(&self) -> Result<Prediction, AtaError> {
        let registers = self.registers(&AtaCommand::smart_status())?;
        Ok(match registers.address >> 8 {
            WELL => Prediction::Well,
            FAILING => Prediction::Failing,
            _ => Prediction::Unknown,
        })
    }

    /// Whether it sleeps. The only question that does not wake it.
    ///
    /// # Errors
    /// As for [`AtaDrive::identify`].
    pub fn power_mode(&self) -> Result<PowerMode, AtaError> {
        Ok(match self.registers(&AtaCommand::power_mode())?.count {
            0x00 | 0x01 => PowerMode::Standby,
            0x80..=0x83 => PowerMode::Idle,
            0xFF => PowerMode::Active,
            other => PowerMode::Reserved(other),
        })
    }

    /// General statistics.
    ///
    /// # Errors
    /// As for [`AtaDrive::identify`].
    pub fn general_statistics(&self) -> Result<Page<GeneralStatistics>, AtaError> {
        self.page(&AtaCommand::statistics(1), GeneralStatistics::decode)
    }

    /// Temperature statistics.
    ///
    /// # Errors
    /// As for [`AtaDrive::identify`].
    pub fn temperature_statistics(&self) -> Result<Page<TemperatureStatistics>, AtaError> {
        self.page(&AtaCommand::statistics(5), TemperatureStatistics::decode)
    }

    /// Solid state statistics.
    ///
    /// # Errors
    /// As for [`AtaDrive::identify`].
    pub fn solid_state_statistics(&self) -> Result<Page<SolidStateStatistics>, AtaError> {
        self.page(&AtaCommand::statistics(7), SolidStateStatistics::decode)
    }

    /// The security protocols, as bytes (protocol 00h): the list is the one that NVMe drives give too.
    ///
    /// # Errors
    /// As for [`AtaDrive::identify`].
    pub fn security_protocols(&self) -> Result<Vec<u8>, AtaError> {
        self.trusted(&AtaCommand::trusted_receive(0, 0, 1), 1)
    }

    /// TCG level 0 discovery, as bytes: the structure is the one that NVMe drives give too.
    ///
    /// # Errors
    /// As for [`AtaDrive::identify`].
    pub fn tcg_level_0(&self) -> Result<Vec<u8>, AtaError> {
        self.trusted(&AtaCommand::trusted_receive(1, 1, DISCOVERY_PAGES), usize::from(DISCOVERY_PAGES))
    }

    fn trusted(&self, command: &AtaCommand, pages: usize) -> Result<Vec<u8>, AtaError> {
        let mut raw = vec![0; pages * PAGE];
        self.transport.send(command, &mut raw)?;
        Ok(raw)
    }
}
