//! TCG level 0 discovery: which self-encryption a drive has, and whether it is locked. NVMe drives and, by Trusted
//! Receive, SATA drives return the same bytes.

use serde::Serialize;

use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, bit};

/// Bytes before the first feature, and of a feature's header.
const FEATURES: usize = 48;
const HEAD: usize = 4;

/// A security subsystem class (TCG Opal 2.01, section 3.1.1, and the classes' own specifications).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SecurityClass {
    /// 0100h: Enterprise.
    Enterprise,
    /// 0200h: Opal 1.
    Opal1,
    /// 0203h: Opal 2.
    Opal2,
    /// 0301h: Opalite.
    Opalite,
    /// 0302h: Pyrite 1.
    Pyrite1,
    /// 0303h: Pyrite 2.
    Pyrite2,
    /// 0304h: Ruby.
    Ruby,
    /// 0305h: key per I/O.
    KeyPerIo,
}

impl SecurityClass {
    fn of(code: u16) -> Option<Self> {
        Some(match code {
            0x0100 => SecurityClass::Enterprise,
            0x0200 => SecurityClass::Opal1,
            0x0203 => SecurityClass::Opal2,
            0x0301 => SecurityClass::Opalite,
            0x0302 => SecurityClass::Pyrite1,
            0x0303 => SecurityClass::Pyrite2,
            0x0304 => SecurityClass::Ruby,
            0x0305 => SecurityClass::KeyPerIo,
            _ => return None,
        })
    }

    /// Its name.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            SecurityClass::Enterprise => "TCG Enterprise",
            SecurityClass::Opal1 => "TCG Opal 1",
            SecurityClass::Opal2 => "TCG Opal 2",
            SecurityClass::Opalite => "TCG Opalite",
            SecurityClass::Pyrite1 => "TCG Pyrite 1",
            SecurityClass::Pyrite2 => "TCG Pyrite 2",
            SecurityClass::Ruby => "TCG Ruby",
            SecurityClass::KeyPerIo => "TCG Key Per I/O",
        }
    }
}

/// The Locking feature, code 0002h (TCG Opal 2.01, section 3.1.1.3), byte 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Locking {
    /// Bit 0: there is a locking provider.
    pub supported: bool,
    /// Bit 1: locking was activated.
    pub enabled: bool,
    /// Bit 2: a range is locked now.
    pub locked: bool,
    /// Bit 3: the media is encrypted.
    pub media_encrypted: bool,
    /// Bit 4: the shadow master boot record is enabled.
    pub mbr_enabled: bool,
    /// Bit 5: the shadow master boot record is done for this power cycle.
    pub mbr_done: bool,
}

/// Level 0 discovery (Security Receive, protocol 01h, specific 0001h; TCG Opal 2.01, section 3.1.1).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Level0 {
    /// Bytes 7:4: revision of the structure.
    pub revision: u32,
    /// The classes that it implements, in the drive's order.
    pub classes: Vec<SecurityClass>,
    /// The Locking feature.
    pub locking: Option<Locking>,
    /// Geometry, code 0003h: granularity of locking ranges, blocks.
    pub alignment_blocks: Option<u64>,
    /// Block SID Authentication, code 0402h, byte 4 bit 1: the owner's password is blocked until the next power cycle.
    pub owner_blocked: Option<bool>,
    /// All feature codes, in the drive's order.
    pub features: Vec<u16>,
}

impl Level0 {
    /// Bytes to ask for.
    pub const SIZE: usize = 2048;

    /// Decodes it from bytes. All numbers have their highest byte first; bytes 3:0 are the length without these four,
    /// and features follow from byte 48: code (2 bytes), version, length of the rest.
    ///
    /// # Errors
    /// Too few bytes, or a feature that runs past the end.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("TCG level 0 discovery", bytes, FEATURES)?;
        let announced = usize::try_from(fields.be32(0)?).unwrap_or(usize::MAX).saturating_add(4);
        let end = announced.min(fields.len());
        let mut found = Level0 { revision: fields.be32(4)?, ..Level0::default() };
        let mut at = FEATURES;
        while at + HEAD <= end {
            let (code, length) = (fields.be16(at)?, usize::from(fields.u8(at + 3)?));
            if code == 0 && length == 0 {
                break;
            }
            if at + HEAD + length > end {
                let why =
                    format!("feature {code:04X}h at byte {at} is {length} bytes long and runs past the end ({end})");
                return Err(fields.odd(why));
            }
            found.take(code, &fields.part(at, HEAD + length)?)?;
            at += HEAD + length;
        }
        Ok(found)
    }

    /// Decodes one feature, including its header.
    fn take(&mut self, code: u16, feature: &Fields<'_>) -> Result<(), DecodeError> {
        self.features.push(code);
        self.classes.extend(SecurityClass::of(code));
        match code {
            0x0002 if feature.len() > HEAD => self.locking = Some(locking(feature.u8(HEAD)?)),
            0x0003 if feature.len() >= 24 => self.alignment_blocks = Some(feature.be64(16)?),
            0x0402 if feature.len() > HEAD => self.owner_blocked = Some(bit(feature.u8(HEAD)?, 1)),
            _ => {}
        }
        Ok(())
    }
}

fn locking(byte: u8) -> Locking {
    Locking {
        supported: bit(byte, 0),
        enabled: bit(byte, 1),
        locked: bit(byte, 2),
        media_encrypted: bit(byte, 3),
        mbr_enabled: bit(byte, 4),
        mbr_done: bit(byte, 5),
    }
}
