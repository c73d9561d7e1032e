//! IDENTIFY DEVICE: the drive's identity and capabilities.

use crate::command::PAGE;
use crate::error::DecodeError;
use crate::identify_kinds::{AfterTrim, Checksum, FormFactor, LinkSpeed, Rotation, Zones};
use crate::security::{SanitizeAbilities, SecurityState};
use crate::words::{Words, has, page};

const TITLE: &str = "IDENTIFY DEVICE data";
/// Word 0 of a CompactFlash card, although it is an ATA device (ATA8-ACS, word 0).
const COMPACT_FLASH: u16 = 0x848A;
/// Where the IDENTIFY DEVICE data starts in the ATA Information VPD page (SAT-4, page 89h).
const IN_VPD_PAGE: usize = 60;
/// That page's code, and the command whose answer it holds (byte 56).
const VPD_CODE: u8 = 0x89;
const IDENTIFY_DEVICE: u8 = 0xEC;
/// A sector of 256 words, bytes.
const SECTOR: u64 = 512;

page! {
    /// IDENTIFY DEVICE data (ACS-4, IDENTIFY DEVICE; 256 words).
    IdentifyDevice, read {
        /// Words 10 to 19: serial number.
        serial: String = text(10, 10);
        /// Words 23 to 26: the active firmware.
        firmware: String = text(23, 4);
        /// Words 27 to 46: model.
        model: String = text(27, 20);
        /// Addressable logical sectors: words 230 to 233 if word 69 bit 3 says so, otherwise words 100 to 103 if the
        /// drive has 48-bit addresses (word 83 bit 10), otherwise words 60 and 61.
        sectors: u64 = each(sectors);
        /// Logical sector, bytes: words 117 and 118 (in words) if word 106 bit 12 says so, otherwise 512.
        logical_sector_bytes: u64 = each(logical_sector);
        /// Physical sector, bytes: word 106 bit 13 and bits 3:0, a power of two of logical sectors.
        physical_sector_bytes: u64 = each(physical_sector);
        /// Word 209 bits 13:0: logical sectors between the start of a physical sector and the first logical sector.
        alignment_sectors: u16 = checked(209) => |word: u16| word & 0x3FFF;
        /// Word 217: rotation.
        rotation: Rotation = word(217) => Rotation::of;
        /// Word 168 bits 3:0: form factor.
        form_factor: FormFactor = word(168) => FormFactor::of;
        /// Word 77 bits 3:1: current speed of the link. None if not reported.
        link_now: Option<LinkSpeed> = each(link_now);
        /// Word 76 bits 3:1: fastest possible speed. None if it is not Serial ATA.
        link_possible: Option<LinkSpeed> = each(link_possible);
        /// Word 75 bits 4:0, one less in the field: commands that it can queue. None without native command queuing
        /// (word 76 bit 8).
        queue_depth: Option<u32> = each(queue_depth);
        /// Word 169 bit 0: DATA SET MANAGEMENT with TRIM.
        trim: bool = bit(169, 0);
        /// Word 105: most blocks of 512 bytes with ranges in one TRIM; 0 is not reported.
        trim_blocks_most: u16 = word(105);
        /// Word 69 bits 14 (DRAT) and 5 (RZAT): what a trimmed block reads as.
        after_trim: AfterTrim = each(after_trim);
        /// Word 82 bit 5 and word 85 bit 5: the volatile write cache. None without one.
        write_cache: Option<bool> = each(write_cache);
        /// Word 82 bit 6 and word 85 bit 6: read-ahead. None if it cannot be switched.
        read_look_ahead: Option<bool> = each(read_look_ahead);
        /// Word 82 bit 0: it has SMART.
        smart_supported: bool = bit(82, 0);
        /// Word 85 bit 0: SMART is on.
        smart_enabled: bool = bit(85, 0);
        /// Word 84 bit 0: SMART keeps an error log.
        smart_error_log: bool = checked_bit(84, 0);
        /// Word 84 bit 1: SMART has self-tests.
        smart_self_test: bool = checked_bit(84, 1);
        /// Word 84 bit 5: General Purpose Logging, which holds the device statistics.
        general_purpose_logging: bool = checked_bit(84, 5);
        /// Word 83 bit 3, word 86 bit 3, word 91 bits 7:0: level of Advanced Power Management, 1 (least power) to
        /// 254. None if it is off or missing.
        power_management_level: Option<u8> = each(power_management);
        /// Word 78 bit 3: it can let the link sleep by itself.
        device_initiated_power: bool = each(device_initiated_power);
        /// Word 78 bit 8: it has DevSleep.
        device_sleep: bool = bit(78, 8);
        /// Words 128, 89 and 90: the Security feature set.
        security: SecurityState = each(SecurityState::of);
        /// Word 48 bit 0: the Trusted Computing feature set, which carries the TCG commands.
        trusted_computing: bool = checked_bit(48, 0);
        /// Word 69 bit 4: all user data is encrypted on the medium.
        encrypts_all: bool = bit(69, 4);
        /// Word 59 bits 15:10: ways to sanitize.
        sanitize: SanitizeAbilities = word(59) => SanitizeAbilities::of;
        /// Word 69 bits 1:0: zones.
        zones: Zones = word(69) => Zones::of;
        /// Words 108 to 111 if word 87 bit 8 says so: world-wide name, 16 hexadecimal digits.
        world_wide_name: Option<String> = each(world_wide_name);
        /// Word 80: the newest standard it claims, such as `ACS-4`. None if it claims none.
        newest_standard: Option<String> = each(newest_standard);
        /// Word 255: whether the page's own checksum holds.
        checksum: Checksum = each(checksum);
    }
}

impl IdentifyDevice {
    /// Decodes the answer of IDENTIFY DEVICE.
    ///
    /// # Errors
    /// Too few bytes, a page without content, or the page of another kind of device.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let words = Words::of(TITLE, bytes)?;
        let odd = |why: &str| Err(DecodeError::Odd { structure: TITLE, why: why.to_owned() });
        if words.is_blank() {
            return odd("all words are the same: the bridge in front of the drive answered without asking the drive");
        }
        // Word 0 bit 15: 0 is an ATA device.
        if words.bit(0, 15) && words.word(0) != COMPACT_FLASH {
            return odd("word 0 says that this is a packet device, such as an optical drive, instead of an ATA drive");
        }
        Ok(read(&words))
    }

    /// Decodes it from the ATA Information VPD page (SAT-4, page 89h), which the kernel keeps from initialization and
    /// which every user can read.
    ///
    /// # Errors
    /// Too few bytes, another page, or one of a packet device.
    pub fn decode_vpd(bytes: &[u8]) -> Result<(Self, Vec<u8>), DecodeError> {
        const STRUCTURE: &str = "ATA Information VPD page";
        let short = DecodeError::Short { structure: STRUCTURE, needs: IN_VPD_PAGE + PAGE, has: bytes.len() };
        let page = bytes.get(IN_VPD_PAGE..IN_VPD_PAGE + PAGE).ok_or(short)?;
        if bytes.get(1) != Some(&VPD_CODE) || bytes.get(56) != Some(&IDENTIFY_DEVICE) {
            let why = "it is another page, or holds the answer to a command other than IDENTIFY DEVICE".to_owned();
            return Err(DecodeError::Odd { structure: STRUCTURE, why });
        }
        Ok((Self::decode(page)?, page.to_vec()))
    }

    /// Bytes that can be addressed; the largest number if the words state more than that.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.sectors.saturating_mul(self.logical_sector_bytes)
    }
}

fn sectors(words: &Words) -> u64 {
    // A drive sets these bits before it fills the words, so 0 means that the older words hold the answer.
    let extended = if words.bit(69, 3) { words.quad(230) } else { 0 };
    let long = if words.checked_bit(83, 10) { words.quad(100) } else { 0 };
    [extended, long].into_iter().find(|count| *count != 0).unwrap_or_else(|| u64::from(words.double(60)))
}

fn logical_sector(words: &Words) -> u64 {
    let in_words = u64::from(words.double(117));
    if words.checked_bit(106, 12) && in_words != 0 { in_words * 2 } else { SECTOR }
}

fn physical_sector(words: &Words) -> u64 {
    let word = words.checked(106);
    let exponent = if has(word, 13) { word & 0xF } else { 0 };
    logical_sector(words) << exponent
}

/// Words 76 to 79 have no meaning if word 76 is 0000h or FFFFh: the drive is not Serial ATA.
fn serial_ata(words: &Words) -> Option<u16> {
    Some(words.word(76)).filter(|word| *word != 0 && *word != 0xFFFF)
}

fn link_now(words: &Words) -> Option<LinkSpeed> {
    serial_ata(words).and_then(|_| LinkSpeed::negotiated(words.word(77)))
}

fn link_possible(words: &Words) -> Option<LinkSpeed> {
    serial_ata(words).and_then(LinkSpeed::possible)
}

fn queue_depth(words: &Words) -> Option<u32> {
    let queues = serial_ata(words).is_some_and(|word| has(word, 8));
    queues.then(|| u32::from(words.word(75) & 0x1F) + 1)
}

fn after_trim(words: &Words) -> AfterTrim {
    match (words.bit(169, 0), words.bit(69, 14), words.bit(69, 5)) {
        (false, ..) => AfterTrim::NoTrim,
        (true, false, _) => AfterTrim::Undefined,
        (true, true, false) => AfterTrim::Deterministic,
        (true, true, true) => AfterTrim::Zeros,
    }
}

fn write_cache(words: &Words) -> Option<bool> {
    words.bit(82, 5).then(|| words.bit(85, 5))
}

fn read_look_ahead(words: &Words) -> Option<bool> {
    words.bit(82, 6).then(|| words.bit(85, 6))
}

fn power_management(words: &Words) -> Option<u8> {
    let level = words.word(91).to_le_bytes()[0];
    (words.checked_bit(83, 3) && words.bit(86, 3)).then_some(level)
}

fn device_initiated_power(words: &Words) -> bool {
    serial_ata(words).is_some() && words.bit(78, 3)
}

fn world_wide_name(words: &Words) -> Option<String> {
    let digits: String = (108..112).map(|number| format!("{:04x}", words.word(number))).collect();
    words.checked_bit(87, 8).then_some(digits).filter(|digits| digits.chars().any(|digit| digit != '0'))
}

/// The highest bit of word 80 (MAJOR VERSION NUMBER) that is set; 0000h and FFFFh mean not reported.
fn newest_standard(words: &Words) -> Option<String> {
    const STANDARDS: [(u32, &str); 10] = [
        (12, "ACS-5"),
        (11, "ACS-4"),
        (10, "ACS-3"),
        (9, "ACS-2"),
        (8, "ATA8-ACS"),
        (7, "ATA/ATAPI-7"),
        (6, "ATA/ATAPI-6"),
        (5, "ATA/ATAPI-5"),
        (4, "ATA/ATAPI-4"),
        (3, "ATA-3"),
    ];
    let word = words.word(80);
    let newest = STANDARDS.into_iter().find(|(bit, _)| word != 0xFFFF && has(word, *bit));
    newest.map(|(_, name)| name.to_owned())
}

/// Word 255: a checksum if bits 7:0 are A5h; then all bytes of the page add up to 0.
fn checksum(words: &Words) -> Checksum {
    match (words.word(255).to_le_bytes()[0], words.sum()) {
        (0xA5, 0) => Checksum::Right,
        (0xA5, _) => Checksum::Wrong,
        _ => Checksum::Absent,
    }
}
