//! A block device under the target, and its link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// The PCIe or SATA link of a drive, as text and as its payload rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkFacts {
    /// Negotiated: `PCIe 4.0 x4`, `SATA 6.0 Gb/s`.
    pub negotiated: String,
    /// What both ends support, if known.
    pub possible: Option<String>,
    /// Raw rate of the negotiated link in each direction after line coding, in bytes per second; an upper limit for
    /// everything measured through the link.
    pub bytes_per_second: Option<f64>,
}

impl LinkFacts {
    /// Lanes of the negotiated link, if it has lanes: 4 of `PCIe 4.0 x4`.
    #[must_use]
    pub fn lanes(&self) -> Option<u32> {
        pcie_link(&self.negotiated)?.1
    }
}

/// Generation and lanes of a text such as `PCIe 4.0 x4`; the lanes only if they are stated.
#[must_use]
pub fn pcie_link(text: &str) -> Option<(f64, Option<u32>)> {
    let (_, rest) = text.split_once("PCIe ")?;
    let mut words = rest.split([' ', ',']);
    let generation = words.next()?.parse().ok()?;
    let lanes = words.find_map(|word| word.strip_prefix('x')?.parse().ok());
    Some((generation, lanes))
}

/// One block device: the target itself, the device that holds its file system, or a device below one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockDeviceFacts {
    /// Kernel name of the whole device: `nvme0n1`, `vda`, `dm-0`, `loop3`.
    pub name: String,
    /// Partition that holds the file system or is the target, if there is one: `nvme0n1p2`.
    pub partition: Option<String>,
    /// Model that the device reports.
    pub model: Option<String>,
    /// Serial number that the device reports.
    pub serial: Option<String>,
    /// Firmware revision that the device reports.
    pub firmware: Option<String>,
    /// Capacity.
    pub capacity: Bytes,
    /// `nvme`, `sata`, `usb`, `virtio`, `loop`, `zram`, `device-mapper`, `md`, ...
    pub transport: String,
    /// Link, if there is one and it could be read.
    pub link: Option<LinkFacts>,
    /// Whether it is a spinning disk.
    pub rotational: Option<bool>,
    /// Smallest addressable unit.
    pub logical_block_size: Bytes,
    /// Block size with which the device works internally.
    pub physical_block_size: Bytes,
    /// Active I/O scheduler: `none`, `mq-deadline`.
    pub scheduler: Option<String>,
    /// Requests that the block layer queues.
    pub nr_requests: Option<u32>,
    /// `write back` or `write through`.
    pub write_cache: Option<String>,
    /// Why the device counts as a virtual disk (of a hypervisor or of the kernel), or `None` for a physical one.
    pub virtual_because: Option<String>,
    /// Kernel names of the devices below it (dm, md, the device that holds a loop device's file).
    pub lies_on: Vec<String>,
    /// How its bytes reach the devices below it; absent if there are none, if it is not known, and in older recordings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes_on: Option<PassesOn>,
    /// The host encrypts what is written to it (dm-crypt). False in older recordings.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub encrypts: bool,
    /// Largest operation that the kernel never splits, whatever its layout in memory; a larger one may be counted as
    /// several. Absent if requests must not cross boundaries on the device (`chunk_sectors`), and in older
    /// recordings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_size: Option<Bytes>,
}

/// How the bytes of a block device reach the devices below it, and so what those devices may count for a load above
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PassesOn {
    /// Each byte once and immediately: encryption, linear and striped volumes, multipath, a loop device with direct
    /// I/O.
    Once,
    /// Writes to every device below, reads from one of them: a mirror.
    Copies,
    /// Writes to two of the devices below, reads from one of them: stripes over mirrors (RAID 10).
    TwoCopies,
    /// Parity of one device (RAID 4, RAID 5): a write may read the devices below and writes up to twice its bytes.
    OneParity,
    /// Parity of two devices (RAID 6): a write may read the devices below and writes up to three times its bytes. In
    /// older recordings, any array with parity and any RAID of LVM.
    Parity,
    /// Through the page cache of this machine: writes arrive later, reads early or never. A loop device without
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
