//! Lists of namespaces, and the identifiers of one.

use serde::Serialize;

use crate::reading::error::DecodeError;
use crate::reading::fields::Fields;

/// The active namespaces (CNS 02h; Base, section 5.17.2.2), or the existing ones (CNS 10h, a list of the same form).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamespaceList {
    /// Their identifiers, ascending.
    pub namespaces: Vec<u32>,
}

impl NamespaceList {
    /// Size of the structure, bytes.
    pub const SIZE: usize = 4096;
    /// Most identifiers of one list; a full list may continue in another.
    pub const ENTRIES: usize = 1024;

    /// Decodes it from bytes. The list ends at the first 0.
    ///
    /// # Errors
    /// Too few bytes, or identifiers that do not ascend.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("active namespace list", bytes, Self::SIZE)?;
        let mut namespaces: Vec<u32> = Vec::new();
        for entry in 0..Self::ENTRIES {
            let namespace = fields.u32(entry * 4)?;
            if namespace == 0 {
                break;
            }
            if let Some(last) = namespaces.last()
                && namespace <= *last
            {
                return Err(fields.odd(format!("identifier {namespace} follows {last}, but identifiers must ascend")));
            }
            namespaces.push(namespace);
        }
        Ok(NamespaceList { namespaces })
    }
}

/// The identifiers of a namespace (CNS 03h; Base, section 5.17.2.3, Namespace Identification Descriptor list).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct NamespaceIdentifiers {
    /// NIDT 1h: EUI64, hexadecimal.
    pub eui64: Option<String>,
    /// NIDT 2h: NGUID, hexadecimal.
    pub nguid: Option<String>,
    /// NIDT 3h: UUID, hexadecimal.
    pub uuid: Option<String>,
    /// NIDT 4h: the command set: 0 NVM, 1 key value, 2 zoned.
    pub command_set: Option<u8>,
}

impl NamespaceIdentifiers {
    /// Size of the structure, bytes.
    pub const SIZE: usize = 4096;

    /// Decodes it from bytes: a type (byte 0), a length (byte 1), two reserved bytes, the identifier; a length of 0
    /// ends the list. Unknown types are skipped.
    ///
    /// # Errors
    /// Too few bytes, or an identifier that runs past the end.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("namespace identification descriptors", bytes, Self::SIZE)?;
        let mut found = NamespaceIdentifiers::default();
        let mut at = 0;
        while at + 4 <= Self::SIZE {
            let (kind, length) = (fields.u8(at)?, usize::from(fields.u8(at + 1)?));
            if length == 0 {
                break;
            }
            if at + 4 + length > Self::SIZE {
                return Err(
                    fields.odd(format!("the identifier at byte {at} is {length} bytes long and runs past the end"))
                );
            }
            match (kind, length) {
                (1, 8) => found.eui64 = fields.hex(at + 4, 8)?,
                (2, 16) => found.nguid = fields.hex(at + 4, 16)?,
                (3, 16) => found.uuid = fields.hex(at + 4, 16)?,
                (4, 1) => found.command_set = Some(fields.u8(at + 4)?),
                _ => {}
            }
            at += 4 + length;
        }
        Ok(found)
    }
}
