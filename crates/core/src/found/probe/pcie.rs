//! The PCIe path from a drive to the CPU.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::LinkFacts;

/// Where the path ends, as far as the topology shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UplinkRoot {
    /// A root port of the CPU.
    Cpu,
    /// Through the chipset, whose uplink other devices share.
    Chipset,
    /// Through a switch.
    Switch,
    /// A root port; the topology does not show whether it belongs to the CPU or to the chipset.
    RootPort,
    /// Directly on the root bus, without a port: a device of a hypervisor, or one built into the CPU.
    RootBus,
}

/// One device on the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcieHop {
    /// Its address: `0000:01:00.0`.
    pub address: String,
    /// Vendor and device number in hexadecimal: `144d:a808`.
    pub id: String,
    /// Its kind: `NVMe controller`, `bridge`.
    pub kind: String,
    /// Its link upwards.
    pub link: Option<LinkFacts>,
}

/// The path from the drive up to its root port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PciePath {
    /// The drive's function first, the root port last.
    pub hops: Vec<PcieHop>,
    /// What the path ends at.
    pub root: UplinkRoot,
    /// Other endpoints behind the topmost bridge of the path that share its link, by address and kind.
    pub shares_uplink_with: Vec<String>,
    /// NUMA node of the drive; absent if the host has only one or does not report it.
    pub numa_node: Option<u32>,
    /// Bytes per second that the slowest link of the path carries in one direction.
    pub bytes_per_second: Option<f64>,
}
