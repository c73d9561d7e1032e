//! ATA: decodes bytes into typed structures, and defines the commands that fetch the bytes.
//!
//! Owns: the pages that an ATA drive reports about itself (IDENTIFY DEVICE, SMART), each field with its word or byte;
//! the few commands that drivelab sends ([`AtaCommand`]), which only read; the ways a command travels
//! ([`AtaTransport`]: the kernel's SG_IO with the command wrapped for SCSI, recorded pages). Must not know: sysfs,
//! what a reading means for a run, terminals. A decoder takes bytes of any length and content, never panics, and
//! returns an error for a page that is too short.
//!
//! Documents, as the comments cite them: *ACS-4* is ATA/ATAPI Command Set 4 (T13, INCITS 529); *ACS-3* and *ATA8-ACS*
//! are its predecessors, cited if a field is older or was dropped; *ATA-3* is X3T10/2008D, the last standard that
//! described the SMART attributes (later standards call them vendor specific); *SAT-4* is SCSI/ATA Translation 4
//! (T10, INCITS 491); *SPC-4* is SCSI Primary Commands 4. A page is 256 words of 16 bits, word 0 first; bits are
//! written `high:low`.

mod attribute_names;
mod command;
mod drive;
mod error;
mod identify;
mod identify_kinds;
mod named;
mod node;
mod recorded;
mod security;
mod sense;
mod sg_io;
mod smart;
mod transport;
mod words;

pub use attribute_names::{RELOCATED, attribute_name, count_of};
pub use command::AtaCommand;
pub use drive::{AtaDrive, Page};
pub use error::{AtaError, DecodeError};
pub use identify::IdentifyDevice;
pub use identify_kinds::{AfterTrim, Checksum, FormFactor, LinkSpeed, Rotation, Zones};
pub use named::{Decoder, decoder, decoders};
pub use node::SgIoTransport;
pub use recorded::RecordedTransport;
pub use security::{SanitizeAbilities, SecurityState};
pub use sense::{Registers, Sense};
pub use smart::{Attribute, PowerMode, SmartData, SmartThresholds, Threshold, Verdict};
pub use transport::AtaTransport;
