//! IDENTIFY DEVICE: who the drive is and what it can do (ACS, section 7.13.6).

use serde::Serialize;

use crate::error::DecodeError;
use crate::words::{Words, bit, valid};

/// Smallest and usual sector, bytes.
const SECTOR: u64 = 512;

/// How fast it turns (word 217).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    /// 0000h or a reserved value.
    NotReported,
    /// 0001h: it does not.
    SolidState,
    /// 0401h to FFFEh: revolutions per minute.
    Rpm(u16),
}

/// How large it is outside (word 168 bits 3:0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FormFactor {
    /// 0h.
    NotReported,
    /// 1h: 5.25 inches.
    Inch5_25,
    /// 2h: 3.5 inches.
    Inch3_5,
    /// 3h: 2.5 inches.
    Inch2_5,
    /// 4h: 1.8 inches.
    Inch1_8,
    /// 5h: less than 1.8 inches.
    Smaller,
    /// 6h: mSATA.
    MSata,
    /// 7h: M.2.
    M2,
    /// 8h: MicroSSD.
    MicroSsd,
    /// 9h: CFast.
    CFast,
    /// A value that the standard reserves.
    Reserved(u8),
}

/// The SATA link (words 75 to 77). All zero on drives that are not serial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SerialAta {
    /// Word 76 bits 3:1: the fastest speed, gigabits per second in tenths: 15, 30 or 60.
    pub possible_100mbps: Option<u16>,
    /// Word 77 bits 3:1: the speed now, in the same unit. None where the drive does not say.
    pub current_100mbps: Option<u16>,
    /// Word 76 bit 8: commands can be queued (NCQ).
    pub queueing: bool,
    /// Word 75 bits 4:0: commands in its queue; zero-based in the word, counted here.
    pub queue_entries: u16,
}

/// TRIM (words 69 and 169).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Trim {
    /// Word 169 bit 0: there is TRIM.
    pub supported: bool,
    /// Word 69 bit 14: trimmed sectors read the same each time.
    pub deterministic: bool,
    /// Word 69 bits 14 and 5: trimmed sectors read as zeros.
    pub reads_zeros: bool,
}

/// The security feature set (words 89, 90 and 128).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Security {
    /// Word 128 bit 0: there is one.
    pub supported: bool,
    /// Bit 1: a password is set.
    pub enabled: bool,
    /// Bit 2: the drive is locked.
    pub locked: bool,
    /// Bit 3: its settings are frozen until the next power cycle.
    pub frozen: bool,
    /// Bit 4: too many wrong passwords.
    pub attempts_used_up: bool,
    /// Bit 5: it can erase in the vendor's better way.
    pub enhanced_erase: bool,
    /// Bit 8: the level is maximum, so a lost password costs the data.
    pub level_maximum: bool,
    /// Word 89: minutes of a security erase. None where it is not reported.
    pub erase_min: Option<u32>,
    /// Word 90: minutes of an enhanced security erase.
    pub enhanced_erase_min: Option<u32>,
}

/// Sanitize (word 59).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SanitizeAbilities {
    /// Bit 12: there is a sanitize feature set.
    pub supported: bool,
    /// Bit 13: by throwing the key away (CRYPTO SCRAMBLE EXT).
    pub crypto_scramble: bool,
    /// Bit 14: by overwriting (OVERWRITE EXT).
    pub overwrite: bool,
    /// Bit 15: by erasing the flash (BLOCK ERASE EXT).
    pub block_erase: bool,
}

/// IDENTIFY DEVICE (command ECh; ACS, section 7.13.6).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IdentifyDevice {
    /// Words 19:10: serial number.
    pub serial: String,
    /// Words 26:23: firmware.
    pub firmware: String,
    /// Words 46:27: model.
    pub model: String,
    /// Words 111:108: World Wide Name, hexadecimal.
    pub world_wide_name: Option<String>,
    /// Words 61:60, 103:100 or 233:230: capacity, logical sectors.
    pub sectors: u64,
    /// Words 118:117: logical sector, bytes (512 where word 106 bit 12 is clear).
    pub logical_sector_bytes: u64,
    /// Word 106 bits 3:0: physical sector, bytes.
    pub physical_sector_bytes: u64,
    /// Word 209 bits 13:0: where logical sector 0 lies in its physical sector, logical sectors.
    pub alignment_sectors: Option<u16>,
    /// Word 217: how fast it turns.
    pub rotation: Rotation,
    /// Word 168 bits 3:0: form factor.
    pub form_factor: FormFactor,
    /// Words 75 to 77: the link.
    pub link: SerialAta,
    /// Words 69 and 169: TRIM.
    pub trim: Trim,
    /// Words 82 and 85 bit 5: a volatile write cache, and whether it is on.
    pub write_cache: Ability,
    /// Words 82 and 85 bit 6: reading ahead, and whether it is on.
    pub read_ahead: Ability,
    /// Words 82 and 85 bit 0: SMART, and whether it is on.
    pub smart: Ability,
    /// Word 84 bit 5: logs of its own (general purpose logging), of which device statistics are one.
    pub general_purpose_logs: bool,
    /// Words 89, 90 and 128: the security feature set.
    pub security: Security,
    /// Word 59: sanitize.
    pub sanitize: SanitizeAbilities,
    /// Word 48 bit 0: trusted computing, so TCG discovery can be asked for.
    pub trusted_computing: bool,
    /// Word 80: versions of the standard, as bits; bit 8 is ATA8-ACS, 9 ACS-2, 10 ACS-3, 11 ACS-4.
    pub major_versions: u16,
    /// Word 255: whether the page's checksum is right. None where it has none.
    pub checksum_right: Option<bool>,
}

/// Something that a drive has, and that may be off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Ability {
    /// It is there.
    pub supported: bool,
    /// It is on.
    pub enabled: bool,
}

impl IdentifyDevice {
    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Too few bytes, or the page of a device that is no disk (CompactFlash and ATAPI say so in word 0).
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let words = Words::of("IDENTIFY DEVICE", bytes)?;
        if bit(words.word(0)?, 15) {
            return Err(words.odd("word 0 says that it is no ATA disk (an optical drive, say)"));
        }
        let logical = logical_sector(&words)?;
        Ok(IdentifyDevice {
            serial: words.text(10, 10)?,
            firmware: words.text(23, 4)?,
            model: words.text(27, 20)?,
            world_wide_name: world_wide_name(&words)?,
            sectors: sectors(&words)?,
            logical_sector_bytes: logical,
            physical_sector_bytes: physical_sector(&words, logical)?,
            alignment_sectors: valid(words.word(209)?).map(|word| word & 0x3FFF),
            rotation: rotation(words.word(217)?),
            form_factor: form_factor(words.word(168)?),
            link: link(&words)?,
            trim: trim(&words)?,
            write_cache: ability(&words, 5)?,
            read_ahead: ability(&words, 6)?,
            smart: ability(&words, 0)?,
            general_purpose_logs: valid(words.word(84)?).is_some_and(|word| bit(word, 5)),
            security: security(&words)?,
            sanitize: sanitize(words.word(59)?),
            trusted_computing: valid(words.word(48)?).is_some_and(|word| bit(word, 0)),
            major_versions: match words.word(80)? {
                0xFFFF => 0,
                versions => versions,
            },
            checksum_right: (words.byte(510)? == 0xA5).then(|| words.sum() == 0),
        })
    }

    /// Capacity, bytes.
    #[must_use]
    pub fn capacity_bytes(&self) -> Option<u64> {
        self.sectors.checked_mul(self.logical_sector_bytes)
    }
}

fn world_wide_name(words: &Words<'_>) -> Result<Option<String>, DecodeError> {
    let mut digits = String::new();
    for number in 108..112 {
        digits += &format!("{:04x}", words.word(number)?);
    }
    Ok(digits.bytes().any(|digit| digit != b'0').then_some(digits))
}

/// The capacity: words 230 to 233 where word 69 bit 3 says so, else 100 to 103 with 48-bit addresses, else 60 and 61.
fn sectors(words: &Words<'_>) -> Result<u64, DecodeError> {
    if bit(words.word(69)?, 3) {
        return words.quad(230);
    }
    if valid(words.word(83)?).is_some_and(|word| bit(word, 10)) {
        return words.quad(100);
    }
    Ok(u64::from(words.double(60)?))
}

fn logical_sector(words: &Words<'_>) -> Result<u64, DecodeError> {
    let long = valid(words.word(106)?).is_some_and(|word| bit(word, 12));
    // Words 118:117 count words; fewer than 256 cannot be.
    let counted = u64::from(words.double(117)?) * 2;
    Ok(if long && counted >= SECTOR { counted } else { SECTOR })
}

fn physical_sector(words: &Words<'_>, logical: u64) -> Result<u64, DecodeError> {
    let several = valid(words.word(106)?).filter(|word| bit(*word, 13));
    let exponent = several.map_or(0, |word| u32::from(word & 0xF));
    Ok(logical << exponent)
}

fn rotation(word: u16) -> Rotation {
    match word {
        1 => Rotation::SolidState,
        0x0401..=0xFFFE => Rotation::Rpm(word),
        _ => Rotation::NotReported,
    }
}

fn form_factor(word: u16) -> FormFactor {
    match word & 0xF {
        0 => FormFactor::NotReported,
        1 => FormFactor::Inch5_25,
        2 => FormFactor::Inch3_5,
        3 => FormFactor::Inch2_5,
        4 => FormFactor::Inch1_8,
        5 => FormFactor::Smaller,
        6 => FormFactor::MSata,
        7 => FormFactor::M2,
        8 => FormFactor::MicroSsd,
        9 => FormFactor::CFast,
        other => FormFactor::Reserved(other.to_le_bytes()[0]),
    }
}

/// Speed of a SATA generation, tenths of a gigabit per second.
fn generation(number: u16) -> Option<u16> {
    match number {
        1 => Some(15),
        2 => Some(30),
        3 => Some(60),
        _ => None,
    }
}

fn link(words: &Words<'_>) -> Result<SerialAta, DecodeError> {
    let (able, now) = (words.word(76)?, words.word(77)?);
    // 0000h and FFFFh: not a serial drive.
    let serial = able != 0 && able != 0xFFFF;
    let fastest = (1..=3).rev().find(|number| bit(able, u32::from(*number)));
    Ok(SerialAta {
        possible_100mbps: fastest.filter(|_| serial).and_then(generation),
        current_100mbps: if serial { generation(now >> 1 & 0b111) } else { None },
        queueing: serial && bit(able, 8),
        queue_entries: (words.word(75)? & 0x1F) + 1,
    })
}

fn trim(words: &Words<'_>) -> Result<Trim, DecodeError> {
    let (supported, additional) = (bit(words.word(169)?, 0), words.word(69)?);
    let deterministic = supported && bit(additional, 14);
    Ok(Trim { supported, deterministic, reads_zeros: deterministic && bit(additional, 5) })
}

/// A feature set of word 82 (supported; valid by word 83) and 85 (enabled; valid by word 87).
fn ability(words: &Words<'_>, number: u32) -> Result<Ability, DecodeError> {
    let supported = valid(words.word(83)?).is_some() && bit(words.word(82)?, number);
    let enabled = supported && valid(words.word(87)?).is_some() && bit(words.word(85)?, number);
    Ok(Ability { supported, enabled })
}

fn security(words: &Words<'_>) -> Result<Security, DecodeError> {
    let state = words.word(128)?;
    Ok(Security {
        supported: bit(state, 0),
        enabled: bit(state, 1),
        locked: bit(state, 2),
        frozen: bit(state, 3),
        attempts_used_up: bit(state, 4),
        enhanced_erase: bit(state, 5),
        level_maximum: bit(state, 8),
        erase_min: erase_minutes(words.word(89)?),
        enhanced_erase_min: erase_minutes(words.word(90)?),
    })
}

/// Two minutes per count: 8 bits, or 15 where bit 15 says so; 0 is not reported.
fn erase_minutes(word: u16) -> Option<u32> {
    let count = if bit(word, 15) { word & 0x7FFF } else { word & 0xFF };
    (count != 0).then(|| u32::from(count) * 2)
}

fn sanitize(word: u16) -> SanitizeAbilities {
    let supported = bit(word, 12);
    SanitizeAbilities {
        supported,
        crypto_scramble: supported && bit(word, 13),
        overwrite: supported && bit(word, 14),
        block_erase: supported && bit(word, 15),
    }
}
