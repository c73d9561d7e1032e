//! What drivelab set up around the target, and the checks of it.

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
    /// The program's version line: `mke2fs 1.47.0 (5-Feb-2023)`.
    pub version: String,
    /// The command line, without paths.
    pub command: String,
}

/// Result of the encryption check: a known text is written through the encryption and searched for on the device below.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EncryptionCheck {
    /// Bytes written through the mapping and read from the device below.
    pub bytes: Bytes,
    /// Pieces of 16 bytes of the text that were found below; 0 if the data is encrypted.
    pub plain_pieces: u64,
    /// Chi-square of the bytes below against a uniform distribution of all 256 byte values: 255 degrees of freedom.
    pub chi_square: f64,
    /// Whether the text was read back correctly through the mapping.
    pub read_back: bool,
}

/// The encryption that was set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EncryptionFacts {
    /// The output of `cryptsetup --version`.
    pub version: String,
    /// Cipher, from the header: `aes-xts-plain64`.
    pub cipher: String,
    /// Bits of the key, from the header.
    pub key_bits: u32,
    /// Bytes encrypted as one unit, from the header.
    pub sector_size: u32,
    /// Offset of the data on the device below.
    pub data_offset: Bytes,
    /// Flags of the mapping: `no-read-workqueue`.
    pub flags: Vec<String>,
    /// The full output of `cryptsetup luksDump`; it contains no key.
    pub header: String,
    /// The check of the encryption.
    pub check: EncryptionCheck,
}

/// The drive's own encryption as it was set up: a TCG Opal locking range, made by cryptsetup 2.7 or later
/// (`luksFormat --hw-opal-only`). Not yet tried on hardware.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HardwareFacts {
    /// The output of `cryptsetup --version`.
    pub version: String,
    /// Number of the locking range, from the header.
    pub range: u32,
    /// Bits of the key that unlocks the range, from the header. The key that encrypts never leaves the drive.
    pub key_bits: u32,
    /// Offset of the range on the device below.
    pub data_offset: Bytes,
    /// Length of the range, from the header.
    pub length: Bytes,
    /// The full output of `cryptsetup luksDump`; it contains no key.
    pub header: String,
    /// Whether the drive already had an owner (Level 0 Discovery, Locking Enabled). If not, the setup took ownership
    /// with the user's administrator key, and the drive keeps that key.
    pub owned_before: bool,
    /// The check of the locking range.
    pub check: LockCheck,
    /// Whether the developers of this version have tried this setup on hardware.
    pub tried_on_hardware: bool,
}

/// Result of the lock check: a known text is written into a locking range, then the range is locked and unlocked
/// again. What is on the media cannot be checked, because the drive decrypts everything it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LockCheck {
    /// Bytes written through the mapping.
    pub bytes: Bytes,
    /// Whether the text was read back correctly after the range was unlocked again.
    pub read_back: bool,
    /// Whether the drive refused to read the range while it was locked. If it did not refuse, the data read was not
    /// the text.
    pub refused_while_locked: bool,
}

/// The power state that was set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PowerStateFacts {
    /// Device node through which the controller was reached.
    pub controller: String,
    /// The state that was set, as read back.
    pub state: u8,
    /// The previous state, restored afterwards.
    pub before: u8,
    /// Maximum watts in that state, from the controller's own table; absent if the table does not state it.
    pub max_watts: Option<f64>,
}

/// Record of everything that was set up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConditionFacts {
    /// The condition that was asked for.
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
    /// The drive's own encryption.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<HardwareFacts>,
    /// The power state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerStateFacts>,
    /// The actions taken, in order, one sentence each.
    pub done: Vec<String>,
    /// Its place among the runs of one command; absent in runs of versions that did not record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
}
