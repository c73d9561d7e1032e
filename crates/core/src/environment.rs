//! Facts about the target and the testbed, as found before a run. Filled by `device`, judged by `analysis`.
//!
//! What could not be found is `None`, never a guess; `unknown` says why where that helps.

mod redact;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// The PCIe or SATA link of a drive, as text and as the payload rate it can carry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkFacts {
    /// Negotiated: `PCIe 4.0 x4`, `SATA 6.0 Gb/s`.
    pub negotiated: String,
    /// What both ends could do, where it is known.
    pub possible: Option<String>,
    /// Raw rate of the negotiated link per direction after line coding, in bytes per second; nothing measured through
    /// the link can be faster.
    pub bytes_per_second: Option<f64>,
}

impl LinkFacts {
    /// Lanes of the negotiated link, where it has any: 4 of `PCIe 4.0 x4`.
    #[must_use]
    pub fn lanes(&self) -> Option<u32> {
        pcie_link(&self.negotiated)?.1
    }
}

/// Generation and lanes of a text such as `PCIe 4.0 x4`; lanes where they are stated.
#[must_use]
pub fn pcie_link(text: &str) -> Option<(f64, Option<u32>)> {
    let (_, rest) = text.split_once("PCIe ")?;
    let mut words = rest.split([' ', ',']);
    let generation = words.next()?.parse().ok()?;
    let lanes = words.find_map(|word| word.strip_prefix('x')?.parse().ok());
    Some((generation, lanes))
}

/// One block device: the one that holds the file system or is the target itself, or one below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockDeviceFacts {
    /// Kernel name of the whole device: `nvme0n1`, `vda`, `dm-0`, `loop3`.
    pub name: String,
    /// Partition that the file system is on or that is the target, where it is one: `nvme0n1p2`.
    pub partition: Option<String>,
    /// Model as the device says.
    pub model: Option<String>,
    /// Serial number as the device says.
    pub serial: Option<String>,
    /// Firmware revision as the device says.
    pub firmware: Option<String>,
    /// Capacity.
    pub capacity: Bytes,
    /// `nvme`, `sata`, `usb`, `virtio`, `loop`, `zram`, `device-mapper`, `md`, ...
    pub transport: String,
    /// Link, where there is one and it could be read.
    pub link: Option<LinkFacts>,
    /// Spinning.
    pub rotational: Option<bool>,
    /// Smallest addressable unit.
    pub logical_block_size: Bytes,
    /// Unit the device works in.
    pub physical_block_size: Bytes,
    /// Active I/O scheduler: `none`, `mq-deadline`.
    pub scheduler: Option<String>,
    /// Requests the block layer queues.
    pub nr_requests: Option<u32>,
    /// `write back` or `write through`.
    pub write_cache: Option<String>,
    /// Why the device is a virtual disk (a hypervisor's or a kernel's invention), or `None` for a physical one.
    pub virtual_because: Option<String>,
    /// Kernel names of the devices it lies on (dm, md, loop back file's device).
    pub lies_on: Vec<String>,
    /// How its bytes come to the devices it lies on; absent where it lies on none, where that cannot be told, and in
    /// recordings from before it was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes_on: Option<PassesOn>,
    /// Largest operation that the kernel never splits, however it lies in memory; a larger one may be counted as
    /// several. Absent where requests must not cross borders on the device (`chunk_sectors`), and in older recordings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_size: Option<Bytes>,
}

/// How the bytes of a block device come to the devices it lies on: what those may count of a load above them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PassesOn {
    /// Each byte once, at once: encryption, linear and striped volumes, multipath, a loop device with direct I/O.
    Once,
    /// Writes to every device below, reads from one of them: a mirror.
    Copies,
    /// Writes to two of the devices below, reads from one of them: stripes over mirrors (RAID 10).
    TwoCopies,
    /// Parity of one device (RAID 4, RAID 5): a write may read the devices below and writes up to twice its bytes.
    OneParity,
    /// Parity of two devices (RAID 6): a write may read the devices below and writes up to three times its bytes. In
    /// older recordings any array with parity and any RAID of LVM.
    Parity,
    /// Through the page cache of this machine: writes arrive later, reads ahead of time or never. A loop device without
    /// direct I/O.
    Cached,
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

/// The host as found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestbedFacts {
    /// Kernel release.
    pub kernel: String,
    /// CPU model.
    pub cpu_model: Option<String>,
    /// Logical CPUs online.
    pub cpus: u32,
    /// Frequency governor of CPU 0: `performance`, `powersave`.
    pub governor: Option<String>,
    /// Maker and name of the board, or of the virtual machine's product.
    pub board: Option<String>,
    /// Firmware (BIOS) version and date.
    pub firmware: Option<String>,
    /// Memory.
    pub memory: Bytes,
    /// What the host itself runs under (`kvm`, `qemu`), or `None` on bare metal as far as can be told.
    pub hypervisor: Option<String>,
    /// Runnable tasks over the last minute, before the run.
    pub load_average_1m: f64,
    /// Share of all CPUs' time, 0 to 1, that was busy ([`crate::group::CoreTime::busy_ms`]) in a look of about 0.5 s
    /// before the run. Stolen time was in it while `cpu_stolen` was not recorded yet.
    #[serde(default)]
    pub cpu_busy: Option<f64>,
    /// Share of all CPUs' time, 0 to 1, that the hypervisor gave to others in the same look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_stolen: Option<f64>,
    /// Bytes per second that others moved on the target's device in a look of about 0.5 s before the run.
    pub foreign_io: Option<f64>,
    /// What decides how exactly this host can time and how fast it can issue; absent in recordings of the first format
    /// version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostFacts>,
    /// Facts that could not be found, and why.
    pub unknown: Vec<String>,
}

/// What decides how exactly a host can time and how fast it can issue I/O.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostFacts {
    /// What the kernel keeps time with: `tsc`, `kvm-clock`, `hpet`.
    pub clock_source: Option<String>,
    /// Whether the CPU promises a time-stamp counter that ticks at one rate through all power states.
    pub constant_tsc: bool,
    /// `kernel.io_uring_disabled`: 0 for everybody, 1 for a group only, 2 for nobody; absent before Linux 6.6.
    pub io_uring_disabled: Option<u32>,
    /// Why this process gets no ring, where it does not; filled in by whoever asked for one.
    pub io_uring_refused: Option<String>,
    /// Memory that this process may lock, which registered buffers count against; `None` without a limit.
    pub memlock: Option<Bytes>,
    /// Whether the limit on locked memory does not bind this process (root).
    pub may_lock_all: bool,
    /// When the kernel gives huge pages: `always`, `madvise`, `never`.
    pub transparent_huge_pages: Option<String>,
    /// Reserved huge pages of 2 MiB that are free.
    pub huge_pages_free: Option<u64>,
    /// CPUs that this process may run on.
    pub cpus_allowed: u32,
    /// CPUs by governor, where they do not all have the same.
    pub governors: Vec<String>,
    /// Interrupts per second on all CPUs in the look before the run.
    pub interrupts_per_second: Option<f64>,
    /// Other programs that used the most CPU time in that look, most first; at most five.
    pub programs: Vec<BusyProgram>,
}

/// A program that runs beside the test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BusyProgram {
    /// Its name as the kernel has it.
    pub name: String,
    /// Its process number.
    pub pid: u32,
    /// CPU time over the time of the look: 1.0 is one CPU.
    pub cpus: f64,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_from_its_words() {
        assert_eq!(pcie_link("PCIe 4.0 x4"), Some((4.0, Some(4))));
        assert_eq!(pcie_link("PCIe 3.0"), Some((3.0, None)));
        assert_eq!(pcie_link("PCIe 5.0 x4, NVMe 2.0"), Some((5.0, Some(4))));
        assert_eq!(pcie_link("SATA 6.0 Gb/s"), None);
    }
}
