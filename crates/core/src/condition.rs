//! What is set up around a target before a run, as asked for and as made: partition, file system, encryption arm, data
//! state, power state.
//!
//! Owns the words, their text on the command line and in records, and which of them two runs must share to be compared.
//! Must not know how anything is set up (crate `conditions`). Parameters of the encryption arms: research notes,
//! methods section 7, cryptsetup-luksFormat(8).

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Percent};

mod series;

pub use series::{ArmOrder, MOST_REPEATS, MethodConditions, PowerStates, Series};

/// A part of a drive, counted from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// So many per cent of it, 1 to 100.
    Percent(Percent),
    /// So many bytes.
    Bytes(Bytes),
}

impl Share {
    /// Bytes of a whole of this length, in multiples of `unit`; never more than the whole.
    #[must_use]
    pub fn of(self, whole: Bytes, unit: Bytes) -> Bytes {
        let part = match self {
            Share::Percent(percent) => {
                let part = u128::from(whole.get()) * u128::from(percent.get()) / 100;
                Bytes::new(u64::try_from(part).unwrap_or(u64::MAX))
            }
            Share::Bytes(bytes) => bytes,
        };
        part.min(whole).align_down(unit)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Share::Percent(percent) => write!(f, "{} %", percent.get()),
            Share::Bytes(bytes) => bytes.fmt(f),
        }
    }
}

impl FromStr for Share {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let wrong = || ConditionError::unknown(text, "a share such as 90%, or a size such as 100 GiB");
        let bare = text.trim();
        if !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit()) {
            // Somebody who writes 10 means per cent or GiB, and never ten bytes.
            let small = bare.parse::<u64>().ok().filter(|bytes| (1..Bytes::MIB.get()).contains(bytes));
            if let Some(number) = small {
                return Err(ConditionError::NoUnit { number });
            }
        }
        match text.trim().strip_suffix('%') {
            Some(number) => {
                let percent = number.trim().parse::<u8>().ok().filter(|percent| (1..=100).contains(percent));
                percent.and_then(|percent| Percent::new(percent.into()).ok()).map(Share::Percent).ok_or_else(wrong)
            }
            None => text.parse().ok().filter(|bytes: &Bytes| bytes.get() > 0).map(Share::Bytes).ok_or_else(wrong),
        }
    }
}

/// A file system that drivelab makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileSystem {
    /// ext4, by mkfs.ext4(8).
    Ext4,
    /// XFS, by mkfs.xfs(8).
    Xfs,
}

impl FileSystem {
    /// The kernel's name of it, as mount(2) takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FileSystem::Ext4 => "ext4",
            FileSystem::Xfs => "xfs",
        }
    }
}

impl FromStr for FileSystem {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        match text {
            "ext4" => Ok(FileSystem::Ext4),
            "xfs" => Ok(FileSystem::Xfs),
            _ => Err(ConditionError::unknown(text, "ext4 or xfs")),
        }
    }
}

/// How LUKS2 on dm-crypt is set up; the cipher is always aes-xts-plain64 with a key of 512 bits (AES-256 in XTS mode).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Luks2 {
    /// Bytes that are encrypted at a time, 512 to 4096; absent where cryptsetup chooses.
    pub sector_size: Option<u32>,
    /// Reads are decrypted where they complete, without a worker thread (Linux 5.9 and later).
    pub no_read_workqueue: bool,
    /// Writes are encrypted where they are submitted, without a worker thread (Linux 5.9 and later).
    pub no_write_workqueue: bool,
    /// Work stays on the CPU that submitted the operation.
    pub same_cpu: bool,
}

/// Who encrypts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// Nobody on this side of the drive: no layer between.
    #[default]
    None,
    /// The host's CPUs: LUKS2 on dm-crypt.
    Luks2(Luks2),
    /// The drive: a locking range of TCG Opal, set up by cryptsetup.
    Opal,
}

const ARM_EXPECTED: &str = "none, luks2 (or sw), opal (or hw), or luks2 with options such as luks2:sector=4096,inline,same-cpu: \
     sector=512, 1024, 2048 or 4096, no-read-workqueue, no-write-workqueue, inline (both), same-cpu";

impl FromStr for Arm {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let wrong = || ConditionError::unknown(text, ARM_EXPECTED);
        let (word, options) = text.split_once(':').map_or((text, None), |(word, options)| (word, Some(options)));
        match (word, options) {
            ("none", None) => Ok(Arm::None),
            ("opal" | "hw", None) => Ok(Arm::Opal),
            ("luks2" | "sw", options) => {
                let mut luks = Luks2::default();
                for option in options.map(|options| options.split(',')).into_iter().flatten() {
                    match option.trim() {
                        "inline" => (luks.no_read_workqueue, luks.no_write_workqueue) = (true, true),
                        "no-read-workqueue" => luks.no_read_workqueue = true,
                        "no-write-workqueue" => luks.no_write_workqueue = true,
                        "same-cpu" => luks.same_cpu = true,
                        other => {
                            let sector = other.strip_prefix("sector=").and_then(|size| size.parse::<u32>().ok());
                            let fits = |size: &u32| size.is_power_of_two() && (512..=4096).contains(size);
                            luks.sector_size = Some(sector.filter(fits).ok_or_else(wrong)?);
                        }
                    }
                }
                Ok(Arm::Luks2(luks))
            }
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let luks = match self {
            Arm::None => return f.write_str("none"),
            Arm::Opal => return f.write_str("opal"),
            Arm::Luks2(luks) => luks,
        };
        let Luks2 { sector_size, no_read_workqueue, no_write_workqueue, same_cpu } = *luks;
        let mut options: Vec<String> = sector_size.map(|size| format!("sector={size}")).into_iter().collect();
        match (no_read_workqueue, no_write_workqueue) {
            (true, true) => options.push("inline".to_owned()),
            (true, false) => options.push("no-read-workqueue".to_owned()),
            (false, true) => options.push("no-write-workqueue".to_owned()),
            (false, false) => {}
        }
        if same_cpu {
            options.push("same-cpu".to_owned());
        }
        let colon = if options.is_empty() { "" } else { ":" };
        write!(f, "luks2{colon}{}", options.join(","))
    }
}

/// What the target holds before the first measured step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DataState {
    /// What the methodology prepares, on whatever was there.
    #[default]
    AsFound,
    /// The whole drive was discarded before anything else was set up: it knows of no data.
    Fresh,
    /// So much of the tested area holds data that cannot be compressed, written in order.
    Filled {
        /// 1 to 100 per cent, from the start of the area.
        percent: Percent,
    },
    /// The tested area was written in order, then once more over its whole size in blocks of 4 KiB at random places.
    OverwrittenRandom,
    /// The tested area was written in order and then discarded as a whole.
    Discarded,
}

const DATA_EXPECTED: &str = "as-found, fresh, filled:N% (1 to 100), overwritten-random or discarded";

impl FromStr for DataState {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let wrong = || ConditionError::unknown(text, DATA_EXPECTED);
        match text {
            "as-found" => Ok(DataState::AsFound),
            "fresh" => Ok(DataState::Fresh),
            "overwritten-random" => Ok(DataState::OverwrittenRandom),
            "discarded" => Ok(DataState::Discarded),
            _ => {
                let share = text.strip_prefix("filled:").ok_or_else(wrong)?;
                let percent = share.trim_end_matches('%').trim().parse::<u8>().map_err(|_| wrong())?;
                let percent =
                    Percent::new(percent.into()).ok().filter(|percent| percent.get() > 0).ok_or_else(wrong)?;
                Ok(DataState::Filled { percent })
            }
        }
    }
}

impl fmt::Display for DataState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataState::AsFound => f.write_str("as-found"),
            DataState::Fresh => f.write_str("fresh"),
            DataState::Filled { percent } => write!(f, "filled:{}%", percent.get()),
            DataState::OverwrittenRandom => f.write_str("overwritten-random"),
            DataState::Discarded => f.write_str("discarded"),
        }
    }
}

/// What is asked for around a target. The default asks for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Condition {
    /// A GPT with one partition of this size; the rest of the drive stays unused (over-provisioning). Absent without
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<Share>,
    /// Only this much of the device is tested, from its start, without a partition for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Share>,
    /// A file system on it, in which the tested file lies; absent where the device itself is tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_system: Option<FileSystem>,
    /// Who encrypts.
    pub encryption: Arm,
    /// What the target holds.
    pub data_state: DataState,
    /// Power state of the NVMe controller (Set Features 02h); absent where it is left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_state: Option<u8>,
}

impl Condition {
    /// Whether anything is to be set up.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self != Condition::default()
    }

    /// What two runs must share to be compared: everything but the arm and the power state, which are what is compared.
    #[must_use]
    pub fn ground(&self) -> String {
        let parts = self.ground_parts();
        if parts.is_empty() { "no conditions set up".to_owned() } else { parts.join(", ") }
    }

    /// All of it in words: `a partition of 50 %, ext4 made for it, luks2:inline`; empty where nothing is asked for.
    #[must_use]
    pub fn words(&self) -> String {
        let mut parts = self.ground_parts();
        if self.encryption != Arm::None || self.power_state.is_some() {
            parts.push(self.arm());
        }
        parts.join(", ")
    }

    fn ground_parts(&self) -> Vec<String> {
        let Condition { partition, span, file_system, encryption: _, data_state, power_state: _ } = self;
        let mut parts = Vec::new();
        parts.extend(partition.map(|share| format!("a partition of {share}")));
        parts.extend(span.map(|share| format!("the first {share}")));
        parts.extend(file_system.map(|kind| format!("{} made for it", kind.name())));
        if *data_state != DataState::AsFound {
            parts.push(format!("data state {data_state}"));
        }
        parts
    }

    /// What tells it from others that are compared with it: `luks2:inline`, `power state 2`.
    #[must_use]
    pub fn arm(&self) -> String {
        match self.power_state {
            Some(state) if self.encryption == Arm::None => format!("power state {state}"),
            Some(state) => format!("{}, power state {state}", self.encryption),
            None => self.encryption.to_string(),
        }
    }
}

/// The partition that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartitionFacts {
    /// Its node: `/dev/nvme0n1p1`.
    pub node: String,
    /// First byte on the drive.
    pub start: Bytes,
    /// Length.
    pub length: Bytes,
    /// Length of the drive.
    pub of: Bytes,
}

/// The file system that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatFacts {
    /// `ext4` or `xfs`.
    pub kind: FileSystem,
    /// What the program says of its version: `mke2fs 1.47.0 (5-Feb-2023)`.
    pub version: String,
    /// The command line, without paths.
    pub command: String,
}

/// What was found when a known text was written through the encryption and looked for below.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EncryptionCheck {
    /// Bytes written through the mapping and read from the device below.
    pub bytes: Bytes,
    /// Pieces of 16 bytes of the text that were found below; 0 where it is encrypted.
    pub plain_pieces: u64,
    /// Chi-square of the bytes below against equal shares of all 256 values: 255 degrees of freedom.
    pub chi_square: f64,
    /// Whether the text came back through the mapping.
    pub read_back: bool,
}

/// The encryption that was set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EncryptionFacts {
    /// What `cryptsetup --version` says.
    pub version: String,
    /// `aes-xts-plain64`, as the header says.
    pub cipher: String,
    /// Bits of the key, as the header says.
    pub key_bits: u32,
    /// Bytes that are encrypted at a time, as the header says.
    pub sector_size: u32,
    /// Where the data begins on the device below.
    pub data_offset: Bytes,
    /// Flags of the mapping: `no-read-workqueue`.
    pub flags: Vec<String>,
    /// `cryptsetup luksDump`, whole; it holds no key.
    pub header: String,
    /// The test of it.
    pub check: EncryptionCheck,
}

/// The encryption that the drive does by itself, as it was set up: a locking range of TCG Opal, by cryptsetup 2.7 or
/// later (`luksFormat --hw-opal-only`). Never tried on hardware yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HardwareFacts {
    /// What `cryptsetup --version` says.
    pub version: String,
    /// Number of the locking range, as the header says.
    pub range: u32,
    /// Bits of the key that unlocks the range, as the header says. The key that encrypts never leaves the drive.
    pub key_bits: u32,
    /// Where the range begins on the device below.
    pub data_offset: Bytes,
    /// Length of the range, as the header says.
    pub length: Bytes,
    /// `cryptsetup luksDump`, whole; it holds no key.
    pub header: String,
    /// Whether the drive had an owner before (level 0 discovery, Locking Enabled); else setting up took ownership with
    /// the administrator's key of the user, and the drive keeps it.
    pub owned_before: bool,
    /// The test of it.
    pub check: LockCheck,
    /// Whether this way of setting up was ever tried on hardware by those who made this version.
    pub tried_on_hardware: bool,
}

/// What was found when a known text was written into a locking range, and the range was locked and opened again. What
/// lies on the media cannot be seen: the drive decrypts whatever it gives out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockCheck {
    /// Bytes written through the mapping.
    pub bytes: Bytes,
    /// Whether the text came back after the range was opened again.
    pub read_back: bool,
    /// Whether the drive refused to read its place while the range was locked; where not, something else than the text
    /// was read there.
    pub refused_while_locked: bool,
}

/// A power state that was set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PowerStateFacts {
    /// Node of the drive through which its controller was asked.
    pub controller: String,
    /// The state set, read back.
    pub state: u8,
    /// The state before, restored afterwards.
    pub before: u8,
    /// Most watts in that state by the controller's own table; absent where it says nothing.
    pub max_watts: Option<f64>,
}

/// What was set up, for the record.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConditionFacts {
    /// What was asked for.
    pub asked: Condition,
    /// The partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<PartitionFacts>,
    /// The file system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_system: Option<FormatFacts>,
    /// The encryption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encryption: Option<EncryptionFacts>,
    /// The encryption by the drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<HardwareFacts>,
    /// The power state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerStateFacts>,
    /// What was done, in order, a sentence each.
    pub done: Vec<String>,
    /// Its place among the runs of one command; absent of runs by versions that did not record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
}

/// A text that is no condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// Not one of the words.
    #[error("'{text}' is not known; expected {expected}")]
    Unknown {
        /// What was written.
        text: String,
        /// What would have been right.
        expected: &'static str,
    },
    /// A number alone, too small to be a size in bytes.
    #[error("'{number}' has no unit, and {number} bytes are no size for this: {}", meant(*number))]
    NoUnit {
        /// What was written.
        number: u64,
    },
}

impl ConditionError {
    fn unknown(text: &str, expected: &'static str) -> ConditionError {
        ConditionError::Unknown { text: text.to_owned(), expected }
    }
}

/// What a number without a unit may have been meant as.
fn meant(number: u64) -> String {
    if number <= 100 { format!("{number} % or {number} GiB?") } else { format!("{number} MiB or {number} GiB?") }
}

#[cfg(test)]
mod tests;
