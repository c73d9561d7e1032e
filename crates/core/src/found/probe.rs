//! The full description of a target: the answer of `drivelab targets` and `drivelab show`, and the drive in the
//! record of a run.
//!
//! Filled in by `device` from sysfs and from the drive's own pages, judged by `analysis`, laid out by `report`. Facts
//! that could not be found are absent, and [`NotKnown`] states why and how to get them; nothing is guessed.

mod ata;
mod nvme;
mod pcie;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::BlockDeviceFacts;

pub use ata::{AtaProbe, SmartAttribute};
pub use nvme::{
    EnduranceGroup, ErrorEntry, FdpConfiguration, FdpProbe, FirmwareSlot, LbaFormat, NamespaceProbe, NvmeController,
    NvmeFeatures, NvmeHealth, NvmeProbe, NvmeSecurity, OcpHealth, PlacementHandle, PowerMeasurement, PowerState,
    SelfTest, ThermalLimits,
};
pub use pcie::{PcieHop, PciePath, UplinkRoot};

/// A fact that could not be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotKnown {
    /// What is missing: `SMART log`.
    pub what: String,
    /// Why, with the answer of the system or of the drive.
    pub why: String,
    /// How to get it; empty if there is no way.
    pub how: String,
}

/// A page as the drive returned it, kept so that a later decoder can read it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RawPage {
    /// Name of the page: `nvme identify controller`, `ata identify device`.
    pub name: String,
    /// Its bytes, two hexadecimal digits each, trailing zero bytes left out.
    pub hex: String,
    /// Length of the page in bytes, with the trailing zeros.
    pub length: u32,
}

/// One temperature that can be read now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Temperature {
    /// Name of the sensor: `Composite`, `Sensor 2`.
    pub sensor: String,
    /// Degrees Celsius.
    pub celsius: f64,
    /// Source of the reading: `hwmon`, `SMART log`.
    pub source: String,
}

/// Whether the write guard would allow a write, as far as can be determined without opening the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteOutlook {
    /// Never, whatever flags are given.
    Never {
        /// Why.
        why: String,
    },
    /// Not now: something uses it, or it is read-only.
    NotNow {
        /// What prevents it.
        why: String,
    },
    /// With `--destroy` and this name, unless the check of its content or an exclusive open finds a reason against it.
    WithDestroy {
        /// The name that `--destroy` needs.
        id: String,
    },
}

/// The drive's own report of its health, in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// It reports no problem.
    Good,
    /// It reports a warning.
    Warning,
    /// It cannot be queried, or this user is not permitted to.
    Unknown,
}

/// Hardware queues as the kernel uses them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueFacts {
    /// The CPUs that submit to each hardware queue for reads and writes, in the kernel's order; one entry for each
    /// queue.
    pub cpus_of_queue: Vec<Vec<u32>>,
    /// CPUs that are online.
    pub cpus_online: u32,
    /// Requests that each queue of the kernel holds (`nr_tags`); the queue of the controller has at least this many
    /// entries.
    pub entries_each: Option<u32>,
    /// Queues that the driver polls instead of waiting for interrupts.
    pub polled: Option<u32>,
    /// Interrupts of the controller, in the order of their numbers.
    pub interrupts: Vec<InterruptFacts>,
}

impl QueueFacts {
    /// Whether each queue serves exactly one CPU and each CPU has a queue.
    #[must_use]
    pub fn is_one_to_one(&self) -> bool {
        self.cpus_of_queue.len() == self.cpus_online as usize && self.cpus_of_queue.iter().all(|cpus| cpus.len() == 1)
    }
}

/// One interrupt of a controller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InterruptFacts {
    /// Its number, as in `/proc/interrupts`.
    pub number: u32,
    /// Name given by the driver: `nvme0q1`.
    pub name: String,
    /// CPUs to which it is delivered now (`effective_affinity_list`).
    pub delivered_to: String,
    /// Number of interrupts since boot, over all CPUs.
    pub count: u64,
    /// The same for each online CPU (the columns of `/proc/interrupts`); empty in records of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_cpu: Vec<CpuInterrupts>,
}

/// Count of an interrupt on one CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuInterrupts {
    /// Number of the CPU.
    pub cpu: u32,
    /// Number of interrupts on this CPU since boot.
    pub count: u64,
}

/// Names by which a target can be found and recognised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TargetIdentity {
    /// Major and minor number, as the kernel writes them: `259:0`.
    pub number: String,
    /// World-wide name as the kernel knows it (`wwid`: EUI-64, NGUID, NAA or a generated one).
    pub wwid: Option<String>,
    /// Links in `/dev/disk/by-id` to this target.
    pub by_id: Vec<String>,
    /// The kernel's sequence number of this disk since boot (`diskseq`).
    pub diskseq: Option<u64>,
    /// Whether the kernel reports it as removable.
    pub removable: bool,
    /// Whether the kernel has set it read-only.
    pub read_only: bool,
    /// Kernel names of the partitions.
    pub partitions: Vec<String>,
}

/// Everything that is known about a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetProbe {
    /// The device node, with links resolved.
    pub path: PathBuf,
    /// Names and numbers.
    pub identity: TargetIdentity,
    /// The device, then the devices below it, down to the drive.
    pub devices: Vec<BlockDeviceFacts>,
    /// What uses it now.
    pub used_by: Vec<String>,
    /// Whether it may be written.
    pub writing: WriteOutlook,
    /// The drive's own report of its health.
    pub health: Health,
    /// Warnings of the drive as text; empty for [`Health::Good`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Temperatures, starting with the composite or only one.
    pub temperatures: Vec<Temperature>,
    /// Hardware queues; absent if the device has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queues: Option<QueueFacts>,
    /// The PCIe path from the drive to its root port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcie: Option<PciePath>,
    /// What an NVMe controller reports about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvme: Option<NvmeProbe>,
    /// What an ATA drive reports about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ata: Option<AtaProbe>,
    /// Contradictions between the drive's own figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// Facts that could not be found.
    pub not_known: Vec<NotKnown>,
    /// The raw pages that all this was decoded from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raw: Vec<RawPage>,
}

/// A figure of the drive that cannot be right, or that another of its figures contradicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradiction {
    /// The figure that is not plausible.
    pub what: String,
    /// The figures that show it.
    pub evidence: String,
}

impl TargetProbe {
    /// Removes everything that identifies this individual drive, for a published page: serial numbers, world-wide
    /// names, and the pages that contain them.
    pub fn redact(&mut self) {
        self.path = self.path.file_name().map_or_else(|| PathBuf::from("target"), PathBuf::from);
        self.identity.wwid = None;
        self.identity.by_id.clear();
        self.devices.iter_mut().for_each(|device| device.serial = None);
        self.used_by.clear();
        self.raw.clear();
        if !matches!(self.writing, WriteOutlook::Never { .. }) {
            self.writing = WriteOutlook::WithDestroy { id: "(left out)".to_owned() };
        }
        if let Some(nvme) = &mut self.nvme {
            nvme.controller.serial.clear();
            nvme.controller.subsystem_nqn.clear();
            for namespace in &mut nvme.namespaces {
                (namespace.eui64, namespace.nguid) = (None, None);
            }
        }
        if let Some(ata) = &mut self.ata {
            ata.serial.clear();
        }
    }

    /// The device itself, which the identity describes.
    #[must_use]
    pub fn device(&self) -> Option<&BlockDeviceFacts> {
        self.devices.first()
    }

    /// The composite temperature, or the only one, in degrees Celsius.
    #[must_use]
    pub fn temperature_c(&self) -> Option<f64> {
        self.temperatures.first().map(|temperature| temperature.celsius)
    }
}
