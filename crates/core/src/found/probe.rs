//! What a target is, in full: what `drivelab targets` and `drivelab show` answer, and what a run records of its drive.
//!
//! Filled by `device` from sysfs and from the drive's own pages, judged by `analysis`, laid out by `report`. What could
//! not be found is absent, and [`NotKnown`] says why and how to get it; nothing is guessed.

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

/// Something that could not be found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotKnown {
    /// What is missing: `SMART log`.
    pub what: String,
    /// Why, with the system's or the drive's answer.
    pub why: String,
    /// How to get it; empty where there is no way.
    pub how: String,
}

/// A page as the drive gave it, kept so that a later decoder can look again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RawPage {
    /// Which: `nvme identify controller`, `ata identify device`.
    pub name: String,
    /// Its bytes, two hexadecimal digits each, trailing zero bytes left out.
    pub hex: String,
    /// Length of the page in bytes, with the trailing zeros.
    pub length: u32,
}

/// One temperature that can be read now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Temperature {
    /// Which sensor: `Composite`, `Sensor 2`.
    pub sensor: String,
    /// Degrees Celsius.
    pub celsius: f64,
    /// Where it was read: `hwmon`, `SMART log`.
    pub source: String,
}

/// Whether the write guard would let a command write, as far as can be told without opening the target.
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
        /// What stands against it.
        why: String,
    },
    /// With `--destroy` and this name, unless the look at its content or an exclusive open says otherwise.
    WithDestroy {
        /// What `--destroy` has to name.
        id: String,
    },
}

/// The drive's own word on its health, in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// It reports nothing wrong.
    Good,
    /// It reports a warning of its own.
    Warning,
    /// It cannot be asked, or may not be asked by this user.
    Unknown,
}

/// Hardware queues as the kernel uses them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueFacts {
    /// One entry a hardware queue for reads and writes, in the kernel's order: the CPUs that submit to it.
    pub cpus_of_queue: Vec<Vec<u32>>,
    /// CPUs that are online.
    pub cpus_online: u32,
    /// Requests that each queue of the kernel holds (`nr_tags`); the queue of the controller has at least as many
    /// entries.
    pub entries_each: Option<u32>,
    /// Queues that the driver polls instead of waiting for interrupts.
    pub polled: Option<u32>,
    /// Interrupts of the controller, in order of their number.
    pub interrupts: Vec<InterruptFacts>,
}

impl QueueFacts {
    /// Whether each queue serves one CPU and each CPU has one.
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
    /// What the driver calls it: `nvme0q1`.
    pub name: String,
    /// CPUs that it is delivered to now (`effective_affinity_list`).
    pub delivered_to: String,
    /// How often it came since boot, over all CPUs.
    pub count: u64,
    /// The same by CPU, all that are online (the columns of `/proc/interrupts`); empty in records of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_cpu: Vec<CpuInterrupts>,
}

/// What came of an interrupt on one CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuInterrupts {
    /// Number of the CPU.
    pub cpu: u32,
    /// How often it came there since boot.
    pub count: u64,
}

/// Names under which a target can be found and recognised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TargetIdentity {
    /// Major and minor number, as the kernel writes them: `259:0`.
    pub number: String,
    /// World-wide name as the kernel knows it (`wwid`: EUI-64, NGUID, NAA or a made-up one).
    pub wwid: Option<String>,
    /// Links in `/dev/disk/by-id` that lead here.
    pub by_id: Vec<String>,
    /// Counts how often a disk was put at this place since boot (`diskseq`).
    pub diskseq: Option<u64>,
    /// Whether the kernel calls it removable.
    pub removable: bool,
    /// Whether the kernel has it set read-only.
    pub read_only: bool,
    /// Partitions: kernel names.
    pub partitions: Vec<String>,
}

/// Everything that can be told of a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetProbe {
    /// The device node, links followed.
    pub path: PathBuf,
    /// Names and numbers.
    pub identity: TargetIdentity,
    /// The device, then those it lies on, down to the drive.
    pub devices: Vec<BlockDeviceFacts>,
    /// What uses it now.
    pub used_by: Vec<String>,
    /// Whether it may be written.
    pub writing: WriteOutlook,
    /// The drive's own word.
    pub health: Health,
    /// What the drive warns of, in words; empty for [`Health::Good`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Temperatures, the composite or only one first.
    pub temperatures: Vec<Temperature>,
    /// Hardware queues; absent where the device has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queues: Option<QueueFacts>,
    /// The way from the drive to its root port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcie: Option<PciePath>,
    /// What an NVMe controller says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvme: Option<NvmeProbe>,
    /// What an ATA drive says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ata: Option<AtaProbe>,
    /// Where the drive's own figures contradict themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// What could not be found out.
    pub not_known: Vec<NotKnown>,
    /// The pages behind all this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raw: Vec<RawPage>,
}

/// A figure of the drive that cannot be right, or that another of its figures denies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradiction {
    /// What cannot be believed.
    pub what: String,
    /// The figures that say so.
    pub evidence: String,
}

impl TargetProbe {
    /// Takes out what names this one drive and no other, for a page that is published: serial numbers, world-wide
    /// names, and the pages that hold them.
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

    /// The device itself, with the identity that belongs to it.
    #[must_use]
    pub fn device(&self) -> Option<&BlockDeviceFacts> {
        self.devices.first()
    }

    /// The composite temperature, or the only one there is, in degrees Celsius.
    #[must_use]
    pub fn temperature_c(&self) -> Option<f64> {
        self.temperatures.first().map(|temperature| temperature.celsius)
    }
}
