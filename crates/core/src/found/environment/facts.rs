//! Target, source and tool as they were found before a run.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::devices::BlockDeviceFacts;
use super::testbed::TestbedFacts;
use crate::ceilings::HostCeilings;
use crate::condition::{Arm, ConditionFacts};
use crate::content::ContentSample;
use crate::data_sheet::DataSheet;
use crate::drive_facts::DriveFacts;
use crate::probe::TargetProbe;
use crate::target::{DirectIo, GuardDecision};
use crate::units::Bytes;
use crate::watching_cost::WatchingCost;

/// What the target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A file that drivelab made for this run and removes at the end.
    ScratchFile,
    /// A file that the user named: released with `--destroy`, or only read.
    NamedFile,
    /// A block device: a whole one, or a partition that is only read.
    BlockDevice,
    /// `/dev/null`: takes every write and keeps nothing, so that drivelab and the kernel are measured.
    NullDevice,
    /// `/dev/zero`: gives zeros to every read, so that drivelab and the kernel are measured.
    ZeroDevice,
    /// `nop:`: operations end in the ring itself, so that drivelab is measured alone.
    Nop,
}

impl TargetKind {
    /// Whether it stores nothing, so that figures tell what drivelab and this host can do and nothing about a drive.
    #[must_use]
    pub const fn stores_nothing(self) -> bool {
        matches!(self, TargetKind::NullDevice | TargetKind::ZeroDevice | TargetKind::Nop)
    }

    /// Whether it lies on a file system.
    #[must_use]
    pub const fn is_file(self) -> bool {
        matches!(self, TargetKind::ScratchFile | TargetKind::NamedFile)
    }
}

/// The file system the target lies on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileSystemFacts {
    /// Type as mounted: `ext4`, `xfs`, `tmpfs`.
    pub kind: String,
    /// Where it is mounted.
    pub mount_point: PathBuf,
    /// What is mounted there: `/dev/nvme0n1p2`.
    pub source: String,
    /// Mount options.
    pub options: String,
    /// Size.
    pub total: Bytes,
    /// Free for an ordinary user, before the scratch file was made.
    pub free: Bytes,
}

/// The target as found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetFacts {
    /// The file or device; `nop:` where there is neither.
    pub path: PathBuf,
    /// What it is.
    pub kind: TargetKind,
    /// Length of the file or device; how much of it was tested stands in the spans of the steps.
    pub length: Bytes,
    /// File system; `None` where the target does not lie on one.
    #[serde(default)]
    pub file_system: Option<FileSystemFacts>,
    /// Block devices from the target or its file system downwards; empty where there is none (tmpfs, network, `nop:`).
    pub devices: Vec<BlockDeviceFacts>,
    /// Direct I/O.
    pub direct_io: DirectIo,
    /// Who else uses a target that is only read, a part of a sentence each: `/dev/vda1 is mounted at / (ext4)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<String>,
    /// Bytes of a named file that hold no data (holes, extents that were never written), so that the file system
    /// answers reads of them without the drive; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holes: Option<Bytes>,
}

/// Everything found before a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The target.
    pub target: TargetFacts,
    /// The host.
    pub testbed: TestbedFacts,
    /// Why the target may be written; `None` where it is open for reading only, or is nothing that could be written.
    #[serde(default)]
    pub guard: Option<GuardDecision>,
    /// The bundle lies on the same device as the target.
    pub bundle_on_same_device: bool,
    /// What `drivelab doctor` last found a host like this able to generate; absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceilings: Option<HostCeilings>,
    /// What `drivelab watch --cost` last found watching to do to reads of this drive; absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watching_cost: Option<WatchingCost>,
    /// The drive below the target in full, with the pages that it gave; absent in runs of earlier versions and where
    /// there is no drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Box<TargetProbe>>,
    /// What was known of the drive's model when it was checked for a buyer, whose answers weigh it; absent of other
    /// runs and where nothing was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive_facts: Option<Box<DriveFacts>>,
    /// What drivelab set up around the target for this run; absent where nothing was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<ConditionFacts>,
    /// Where sets of files come from; absent where they are made in memory, or there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<FileSource>>,
    /// What the target held before the run, by samples; absent where nobody asked (`drivelab check` does).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Box<ContentSample>>,
    /// What is printed of the drive, by its drive facts; absent where no facts are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_sheet: Option<Box<DataSheet>>,
}

/// The folder that sets of files are copied from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSource {
    /// The folder that the user named.
    pub path: PathBuf,
    /// The file system that it lies on.
    pub file_system: FileSystemFacts,
    /// Block devices below it.
    pub devices: Vec<BlockDeviceFacts>,
}

impl Environment {
    /// The target as the user named it: the folder of a scratch file, the drive that a condition was set up on and the
    /// condition in brackets, and else the path.
    #[must_use]
    pub fn named(&self) -> String {
        if let Some((condition, device)) = self.condition.as_ref().zip(self.conditioned()) {
            let words = condition.asked.words();
            let words = if words.is_empty() { words } else { format!(" ({words})") };
            return format!("/dev/{}{words}", device.name);
        }
        let path = &self.target.path;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.filter(|_| self.target.kind == TargetKind::ScratchFile);
        folder.unwrap_or(path).display().to_string()
    }

    /// The drive that a condition was set up on: what lies below the mapping that encrypts, where there is one.
    fn conditioned(&self) -> Option<&BlockDeviceFacts> {
        let encrypted = self.condition.as_ref().is_some_and(|condition| condition.asked.encryption != Arm::None);
        let mut devices = self.target.devices.iter();
        let first = devices.next()?;
        if encrypted && first.transport == "device-mapper" { devices.next() } else { Some(first) }
    }
}

/// Which drivelab made a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolVersion {
    /// Release, `major.minor.patch`.
    pub version: String,
    /// Commit it was built from, with `-dirty` where the tree had changes; `unknown` outside a checkout.
    pub commit: String,
    /// Build profile: `release` or `debug`.
    pub profile: String,
}
