//! ATA: what a SATA drive says of itself, and the commands that ask it.
//!
//! Owns: IDENTIFY DEVICE, the SMART pages and the device statistics, each field with its word or byte; the few commands
//! that drivelab sends, none of which changes the drive; the kernel's SG_IO that carries them inside SCSI's ATA
//! PASS-THROUGH. Must not know: sysfs, which drive may be written, schedules, terminals. A decoder takes bytes of any
//! length and content, never panics, and answers a page that is too short with an error that says so.
//!
//! Documents, as the comments cite them: *ACS* is ATA/ATAPI Command Set 4 (INCITS 529), *ATA8* its predecessor
//! ATA8-ACS for what ACS no longer describes, *SAT* SCSI/ATA Translation 4 (INCITS 517), *SPC* SCSI Primary Commands 4.
//! The layout of SMART attributes is SFF-8035i's, which all drives follow and no ATA standard describes.

mod attributes;
mod command;
mod device_node;
mod drive;
mod error;
mod identify;
mod ioctl;
mod named;
mod sense;
mod smart;
mod statistics;
mod words;

pub use attributes::{Known, known};
pub use command::{AtaCommand, Registers, Transport};
pub use device_node::SgTransport;
pub use drive::{AtaDrive, Page, PowerMode, Prediction};
pub use error::{AtaError, DecodeError};
pub use identify::{Ability, FormFactor, IdentifyDevice, Rotation, SanitizeAbilities, Security, SerialAta, Trim};
pub use named::{Decoder, decoder, decoders};
pub use sense::Sense;
pub use smart::{Attribute, SmartData, SmartThresholds};
pub use statistics::{GeneralStatistics, SolidStateStatistics, TemperatureStatistics};
