//! The way of a PCIe drive to the CPU.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::environment::LinkFacts;

/// Where the way ends, as far as the topology tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UplinkRoot {
    /// A root port of the CPU.
    Cpu,
    /// Through the chipset, whose uplink other devices share.
    Chipset,
    /// Through a switch.
    Switch,
    /// A root port; whether of the CPU or of the chipset, the topology does not say.
    RootPort,
    /// On the root bus itself, without a port: a device of a hypervisor, or one built into the CPU.
    RootBus,
}

/// One device on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcieHop {
    /// Its address: `0000:01:00.0`.
    pub address: String,
    /// Vendor and device number in hexadecimal: `144d:a808`.
    pub id: String,
    /// What it is: `NVMe controller`, `bridge`.
    pub kind: String,
    /// Its link upwards.
    pub link: Option<LinkFacts>,
}

/// From the drive up to its root port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PciePath {
    /// The drive's function first, the root port last.
    pub hops: Vec<PcieHop>,
    /// What it hangs on.
    pub root: UplinkRoot,
    /// Other endpoints behind the topmost bridge of the way that share its link, by address and kind.
    pub shares_uplink_with: Vec<String>,
    /// NUMA node of the drive; absent where the host has only one or does not say.
    pub numa_node: Option<u32>,
    /// Bytes per second that the slowest link of the way carries, one direction.
    pub bytes_per_second: Option<f64>,
}
