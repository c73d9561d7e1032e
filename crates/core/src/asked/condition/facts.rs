//! What was set up around the target, and how it was checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::series::Series;
use super::words::{Condition, FileSystem};
use crate::units::Bytes;

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
