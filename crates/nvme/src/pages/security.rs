//! Which security protocols a drive supports.

use serde::Serialize;

use crate::reading::error::DecodeError;
use crate::reading::fields::Fields;

/// TCG storage (SPC-4, table of security protocols): 01h is the one with level 0 discovery.
const TCG: u8 = 0x01;
/// IEEE 1667 (SPC-4): what eDrive needs.
const IEEE_1667: u8 = 0xEE;
/// Where the list begins.
const LIST: usize = 8;

/// Supported security protocols (Security Receive, protocol 00h, specific 0000h; SPC-4, section 7.7.1.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProtocolList {
    /// The protocols, ascending.
    pub protocols: Vec<u8>,
}

impl ProtocolList {
    /// Bytes to ask for: the longest list has 256 protocols.
    pub const SIZE: usize = 512;

    /// Decodes it from bytes: the number of protocols in bytes 7:6, highest byte first, and one byte for each.
    ///
    /// # Errors
    /// Fewer bytes than its protocols need.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("security protocol list", bytes, LIST)?;
        let count = usize::from(fields.be16(6)?);
        Ok(ProtocolList { protocols: fields.slice(LIST, count)?.to_vec() })
    }

    /// Whether TCG's level 0 discovery can be asked for.
    #[must_use]
    pub fn has_tcg(&self) -> bool {
        self.protocols.contains(&TCG)
    }

    /// Whether IEEE 1667 is supported.
    #[must_use]
    pub fn has_ieee_1667(&self) -> bool {
        self.protocols.contains(&IEEE_1667)
    }
}
