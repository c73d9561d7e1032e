//! Target, source and tool as found before a run.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::devices::BlockDeviceFacts;
use super::testbed::TestbedFacts;
use crate::ceilings::HostCeilings;
use crate::condition::{Arm, Condition, ConditionFacts};
use crate::content::ContentSample;
use crate::data_sheet::DataSheet;
use crate::drive_facts::DriveFacts;
use crate::probe::TargetProbe;
use crate::target::{DirectIo, GuardDecision};
use crate::units::Bytes;
use crate::watching_cost::WatchingCost;

/// Kind of target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A file that drivelab made for this run and removes at the end.
    ScratchFile,
    /// A file named by the user: released with `--destroy`, or only read.
    NamedFile,
    /// A block device: a whole one, or a partition that is only read.
    BlockDevice,
    /// `/dev/null`: accepts every write and keeps nothing, so that only drivelab and the kernel are measured.
    NullDevice,
    /// `/dev/zero`: returns zeros for every read, so that only drivelab and the kernel are measured.
    ZeroDevice,
    /// `nop:`: operations end in the ring itself, so that only drivelab is measured.
    Nop,
}

/// Whose content a target has, which decides what a run may assume, repeat and print about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// It stores nothing.
    Nothing,
    /// A file that drivelab made for the run.
    Scratch,
    /// A file of the user's.
    File,
    /// A block device of the user's.
    Device,
}

impl TargetKind {
    /// Whose content it has.
    #[must_use]
    pub const fn content(self) -> Content {
        match self {
            TargetKind::ScratchFile => Content::Scratch,
            TargetKind::NamedFile => Content::File,
            TargetKind::BlockDevice => Content::Device,
            TargetKind::NullDevice | TargetKind::ZeroDevice | TargetKind::Nop => Content::Nothing,
        }
    }

    /// Those that store nothing, by the names that a user types.
    pub const STORING_NOTHING: &str = "/dev/null, /dev/zero or nop:";

    /// What it is, in the middle of a sentence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TargetKind::ScratchFile => "a scratch file",
            TargetKind::NamedFile => "a named file",
            TargetKind::BlockDevice => "a block device",
            TargetKind::NullDevice => "/dev/null",
            TargetKind::ZeroDevice => "/dev/zero",
            TargetKind::Nop => "nop:",
        }
    }

    /// What it is and what follows from that, among the facts of a run.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            TargetKind::ScratchFile => "scratch file, created for this run",
            TargetKind::NamedFile => "file named by the user",
            TargetKind::BlockDevice => "block device named by the user",
            TargetKind::NullDevice => "the kernel's null device: accepts every write and stores nothing",
            TargetKind::ZeroDevice => "the kernel's zero device: reads return zeros, nothing is stored",
            TargetKind::Nop => "nothing: operations end in the kernel",
        }
    }

    /// Whether it stores nothing, so that figures describe drivelab and this host, and not a drive.
    #[must_use]
    pub const fn stores_nothing(self) -> bool {
        matches!(self.content(), Content::Nothing)
    }

    /// Whether it is on a file system.
    #[must_use]
    pub const fn is_file(self) -> bool {
        matches!(self.content(), Content::Scratch | Content::File)
    }
}

/// The file system that holds the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileSystemFacts {
    /// Type as mounted: `ext4`, `xfs`, `tmpfs`.
    pub kind: String,
    /// Its mount point.
    pub mount_point: PathBuf,
    /// The mounted device: `/dev/nvme0n1p2`.
    pub source: String,
    /// Mount options.
    pub options: String,
    /// Size.
    pub total: Bytes,
    /// Space free for an ordinary user, before the scratch file was made.
    pub free: Bytes,
}

/// The target as found before the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetFacts {
    /// The file or device; `nop:` if there is neither.
    pub path: PathBuf,
    /// Kind of target.
    pub kind: TargetKind,
    /// Length of the file or device; the spans of the steps show how much of it was tested.
    pub length: Bytes,
    /// File system; `None` if the target is not on one.
    #[serde(default)]
    pub file_system: Option<FileSystemFacts>,
    /// Block devices from the target or its file system downwards; empty if there are none (tmpfs, network, `nop:`).
    pub devices: Vec<BlockDeviceFacts>,
    /// Support for direct I/O.
    pub direct_io: DirectIo,
    /// Users of a target that is only read, a part of a sentence each: `/dev/vda1 is mounted at / (ext4)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<String>,
    /// Bytes of a named file that hold no data (holes, extents that were never written): the file system answers
    /// reads of them without the drive. Absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holes: Option<Bytes>,
}

/// Everything that was found before a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The target.
    pub target: TargetFacts,
    /// The host.
    pub testbed: TestbedFacts,
    /// Why the target may be written; `None` if it is open for reading only, or stores nothing.
    #[serde(default)]
    pub guard: Option<GuardDecision>,
    /// Whether the bundle is on the same device as the target.
    pub bundle_on_same_device: bool,
    /// Limits of a host like this one as a load generator, last measured by `drivelab doctor`; absent if they were
    /// not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceilings: Option<HostCeilings>,
    /// Effect of watching on reads of this drive, last measured by `drivelab watch --cost`; absent if it was not
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watching_cost: Option<WatchingCost>,
    /// The drive under the target in full, with the pages that it returned; absent in runs of earlier versions and if
    /// there is no drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Box<TargetProbe>>,
    /// Facts about the drive's model at the time of a check for a buyer, which the answers of the check use; absent
    /// in other runs and if no facts were known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive_facts: Option<Box<DriveFacts>>,
    /// What drivelab set up around the target for this run; absent if no condition was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<ConditionFacts>,
    /// Source of the sets of files; absent if they are made in memory, or there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<FileSource>>,
    /// Content of the target before the run, by samples; absent if it was not sampled (`drivelab check` samples it).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Box<ContentSample>>,
    /// Published figures of the drive, from its drive facts; absent if no facts are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_sheet: Option<Box<DataSheet>>,
}

/// The folder from which sets of files are copied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSource {
    /// The folder named by the user.
    pub path: PathBuf,
    /// The file system that holds it.
    pub file_system: FileSystemFacts,
    /// Block devices below it.
    pub devices: Vec<BlockDeviceFacts>,
}

impl Environment {
    /// The conditions that were set up around the target; none if they are not on record.
    #[must_use]
    pub fn asked_condition(&self) -> Condition {
        self.condition.as_ref().map(|facts| facts.asked).unwrap_or_default()
    }

    /// The physical or virtual drive below the target; `None` if there is no block device. A loop device is the last
    /// one that counts: the drive that its file lies on was not looked up.
    #[must_use]
    pub fn drive(&self) -> Option<&BlockDeviceFacts> {
        let devices = self.down_to_a_loop();
        // A device-mapper device has no model; the lowest device with a model is the drive. If none has a model, a
        // block device named by the user is the drive, whatever it lies on.
        let unnamed = match self.target.kind {
            TargetKind::BlockDevice => devices.first(),
            _ => devices.last(),
        };
        devices.iter().rev().find(|device| device.model.is_some()).or(unnamed)
    }

    /// Model and serial number of the drive; if it reports no model, the target as the user named it and no serial
    /// number. `None` if the target lies on several drives.
    #[must_use]
    pub fn model_and_serial(&self) -> Option<(String, Option<String>)> {
        let of = |device: &BlockDeviceFacts| Some((device.model.as_ref()?.trim().to_owned(), device.serial.clone()));
        let mut drives = self.down_to_a_loop().iter().filter_map(of);
        let Some(first) = drives.next() else { return Some((self.named(), None)) };
        drives.all(|other| other == first).then_some(first)
    }

    /// Models and serial numbers of the drives below the target; without any, the target as it was named.
    #[must_use]
    pub fn drives(&self) -> String {
        let name = |device: &BlockDeviceFacts| {
            let model = device.model.as_ref()?;
            Some(format!("{model} {}", device.serial.as_deref().unwrap_or_default()).trim_end().to_owned())
        };
        let names: Vec<String> = self.target.devices.iter().filter_map(name).collect();
        if names.is_empty() { self.place() } else { names.join(" and ") }
    }

    fn down_to_a_loop(&self) -> &[BlockDeviceFacts] {
        let devices = &self.target.devices;
        let from_file = devices.iter().position(|device| device.transport == "loop");
        devices.get(..from_file.map_or(devices.len(), |at| at + 1)).unwrap_or_default()
    }

    /// The target as the user named it: the folder of a scratch file; the drive on which a condition was set up, with
    /// the condition in brackets; otherwise the path.
    #[must_use]
    pub fn named(&self) -> String {
        let words = self.asked_condition().words();
        let words = if words.is_empty() { words } else { format!(" ({words})") };
        format!("{}{words}", self.place())
    }

    /// The same without the condition.
    #[must_use]
    pub fn place(&self) -> String {
        if let Some(device) = self.condition.as_ref().and_then(|_| self.conditioned()) {
            return format!("/dev/{}", device.name);
        }
        let path = &self.target.path;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.filter(|_| self.target.kind == TargetKind::ScratchFile);
        folder.unwrap_or(path).display().to_string()
    }

    /// The drive on which a condition was set up: the device below the encryption mapping, if there is one.
    fn conditioned(&self) -> Option<&BlockDeviceFacts> {
        let encrypted = self.condition.as_ref().is_some_and(|condition| condition.asked.encryption != Arm::None);
        let mut devices = self.target.devices.iter();
        let first = devices.next()?;
        if encrypted && first.transport == "device-mapper" { devices.next() } else { Some(first) }
    }
}

/// The version of drivelab that made a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolVersion {
    /// Release, `major.minor.patch`.
    pub version: String,
    /// Commit that it was built from, with `-dirty` if the tree had changes; `unknown` outside a checkout.
    pub commit: String,
    /// Build profile: `release` or `debug`.
    pub profile: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_store_nothing_are_named_in_one_text() {
        let all = [
            TargetKind::ScratchFile,
            TargetKind::NamedFile,
            TargetKind::BlockDevice,
            TargetKind::NullDevice,
            TargetKind::ZeroDevice,
            TargetKind::Nop,
        ];
        for kind in all {
            assert_eq!(TargetKind::STORING_NOTHING.contains(kind.name()), kind.stores_nothing(), "{kind:?}");
        }
    }
}
