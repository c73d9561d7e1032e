//! A block device below the target, and its link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

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
