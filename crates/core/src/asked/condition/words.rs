//! Conditions as they are asked for: the types and their text on the command line.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Percent};

/// A part of a drive, counted from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// A percentage of the drive, 1 to 100.
    Percent(Percent),
    /// A size in bytes.
    Bytes(Bytes),
}

impl Share {
    /// Size of this share of a whole of the given length, as a multiple of `unit`; never more than the whole.
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
            // A user who writes 10 means per cent or GiB, never ten bytes.
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
    /// The kernel's name for it, as mount(2) takes it.
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
    /// Bytes encrypted as one unit, 512 to 4096; absent if cryptsetup chooses.
    pub sector_size: Option<u32>,
    /// Reads are decrypted in the context that completes them, without a worker thread (Linux 5.9 and later).
    pub no_read_workqueue: bool,
    /// Writes are encrypted in the context that submits them, without a worker thread (Linux 5.9 and later).
    pub no_write_workqueue: bool,
    /// Encryption work stays on the CPU that submitted the operation.
    pub same_cpu: bool,
}

/// What encrypts the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// Nothing on the host: no layer above the drive.
    #[default]
    None,
    /// The host CPUs: LUKS2 on dm-crypt.
    Luks2(Luks2),
    /// The drive: a TCG Opal locking range, set up by cryptsetup.
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
    /// Whatever was on it, plus what the methodology prepares.
    #[default]
    AsFound,
    /// The whole drive was discarded before anything else was set up, so it maps no data.
    Fresh,
    /// This share of the tested area holds incompressible data, written sequentially.
    Filled {
        /// 1 to 100 per cent, from the start of the area.
        percent: Percent,
    },
    /// The tested area was written sequentially, then overwritten once over its whole size with 4 KiB random writes.
    OverwrittenRandom,
    /// The tested area was written sequentially and then discarded as a whole.
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

/// The condition that is asked for. The default asks for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Condition {
    /// A GPT with one partition of this size; the rest of the drive stays unused (over-provisioning). Absent if there
    /// is no partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<Share>,
    /// Only this much of the device is tested, from its start, without a partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Share>,
    /// A file system that holds the tested file; absent if the device itself is tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_system: Option<FileSystem>,
    /// What encrypts the data.
    pub encryption: Arm,
    /// What the target holds before the tests.
    pub data_state: DataState,
    /// Power state of the NVMe controller (Set Features 02h); absent if it is not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_state: Option<u8>,
}

impl Condition {
    /// Whether anything has to be set up.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self != Condition::default()
    }

    /// What two runs must have in common to be compared: everything except the arm and the power state, which are
    /// compared.
    #[must_use]
    pub fn ground(&self) -> String {
        let parts = self.ground_parts();
        if parts.is_empty() { "no conditions set up".to_owned() } else { parts.join(", ") }
    }

    /// The whole condition as text: `a partition of 50 %, ext4 made for it, luks2:inline`; empty if nothing is asked
    /// for.
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

    /// Arm and data state as a suffix, `, luks2:inline, filled:80%`; empty if nothing was set up. With a data state, it
    /// is not said that nothing encrypts.
    #[must_use]
    pub fn behind(&self) -> String {
        let state = self.data_state;
        let is_plain = self.encryption == Arm::None && self.power_state.is_none();
        match state {
            _ if !self.is_any() => String::new(),
            DataState::AsFound => format!(", {}", self.arm()),
            _ if is_plain => format!(", {state}"),
            _ => format!(", {}, {state}", self.arm()),
        }
    }

    /// What distinguishes this run from the runs that it is compared with: `luks2:inline`, `power state 2`.
    #[must_use]
    pub fn arm(&self) -> String {
        match self.power_state {
            Some(state) if self.encryption == Arm::None => format!("power state {state}"),
            Some(state) => format!("{}, power state {state}", self.encryption),
            None => self.encryption.to_string(),
        }
    }
}

/// Why a text is not a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// The text is none of the known words.
    #[error("'{text}' is not known; expected {expected}")]
    Unknown {
        /// What was written.
        text: String,
        /// The accepted texts.
        expected: &'static str,
    },
    /// A number without a unit, too small to be a size in bytes.
    #[error("'{number}' has no unit, and {number} bytes is too small here; did you mean {}", meant(*number))]
    NoUnit {
        /// What was written.
        number: u64,
    },
}

impl ConditionError {
    pub(super) fn unknown(text: &str, expected: &'static str) -> ConditionError {
        ConditionError::Unknown { text: text.to_owned(), expected }
    }
}

/// The likely meanings of a number without a unit.
fn meant(number: u64) -> String {
    if number <= 100 { format!("{number} % or {number} GiB?") } else { format!("{number} MiB or {number} GiB?") }
}

#[cfg(test)]
mod tests;
