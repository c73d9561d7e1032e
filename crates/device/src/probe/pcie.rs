//! The path of a drive through PCIe: each bridge up to the root port, what the root port belongs to, and which
//! devices share its uplink.
//!
//! A PCI function's folder in sysfs is inside the folder of the bridge above it, so the path itself is the topology
//! (Documentation/ABI/testing/sysfs-bus-pci). Classes are those of the PCI Code and ID Assignment Specification 1.11,
//! section 1. Whether a root port belongs to the CPU or the chipset is not part of PCI: it is stated only if the
//! maker's numbering is unambiguous.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_core::probe::{PcieHop, PciePath, UplinkRoot};

use crate::block::folders::{name_of, nvme_controller, whole_of};
use crate::block::link::{self, is_address};
use crate::block::node::BlockNode;
use crate::roots::{names, read_number, read_trim};

/// Base class 06h, subclass 04h.
const PCI_BRIDGE: &str = "0x0604";
const INTEL: &str = "0x8086";
const AMD: &str = "0x1022";
/// Device numbers of the chipset's root ports on Intel's client platforms (bus 0, devices 1Bh to 1Dh).
const INTEL_CHIPSET: std::ops::RangeInclusive<u32> = 0x1b..=0x1d;

/// The PCI function that a device is attached to, as a sysfs folder.
pub(super) fn function(node: &BlockNode) -> Option<PathBuf> {
    let (whole, _) = whole_of(&node.folder);
    let start = match nvme_controller(whole) {
        Some(controller) => controller,
        None => fs::canonicalize(whole.join("device")).ok()?,
    };
    link::function_above(&start).map(Path::to_owned)
}

/// The path from the drive to its root port.
pub(super) fn of(node: &BlockNode) -> Option<PciePath> {
    way(&function(node)?)
}

fn way(function: &Path) -> Option<PciePath> {
    let on_the_way: Vec<&Path> = function.ancestors().take_while(|folder| is_address(&name_of(folder))).collect();
    let top = *on_the_way.last()?;
    let hops: Vec<PcieHop> = on_the_way.iter().map(|folder| hop(folder)).collect();
    let slowest = hops.iter().filter_map(|hop| hop.link.as_ref()?.bytes_per_second).reduce(f64::min);
    Some(PciePath {
        root: root(&on_the_way),
        shares_uplink_with: if on_the_way.len() > 1 { others(top, function) } else { Vec::new() },
        numa_node: read_number(&function.join("numa_node")),
        bytes_per_second: slowest,
        hops,
    })
}

fn hop(folder: &Path) -> PcieHop {
    let id = |name: &str| read_trim(&folder.join(name)).map(|text| text.trim_start_matches("0x").to_owned());
    PcieHop {
        address: name_of(folder),
        id: format!("{}:{}", id("vendor").unwrap_or_default(), id("device").unwrap_or_default()),
        kind: kind(&read_trim(&folder.join("class")).unwrap_or_default()).to_owned(),
        link: link::of_function(folder),
    }
}

fn kind(class: &str) -> &'static str {
    const KINDS: [(&str, &str); 12] = [
        ("0x010802", "NVMe controller"),
        ("0x0106", "SATA controller"),
        ("0x0107", "SAS controller"),
        ("0x01", "storage controller"),
        ("0x02", "network controller"),
        ("0x03", "display controller"),
        ("0x0604", "bridge"),
        ("0x06", "bridge of another kind"),
        ("0x0c03", "USB controller"),
        ("0x0c", "serial bus controller"),
        ("0x12", "processing accelerator"),
        ("0x04", "multimedia controller"),
    ];
    KINDS.iter().find(|(prefix, _)| class.starts_with(prefix)).map_or("device", |(_, kind)| kind)
}

fn root(on_the_way: &[&Path]) -> UplinkRoot {
    let Some(top) = on_the_way.last().filter(|_| on_the_way.len() > 1) else { return UplinkRoot::RootBus };
    let vendor = |folder: &Path| read_trim(&folder.join("vendor")).unwrap_or_default();
    // Bridges other than the root port above the drive are a switch; AMD's chipsets are switches with a device number
    // of their own.
    let bridges = &on_the_way[1..];
    if bridges.len() > 1 {
        let own = bridges[..bridges.len() - 1].iter().all(|bridge| vendor(bridge) == AMD);
        return if own { UplinkRoot::Chipset } else { UplinkRoot::Switch };
    }
    let device = name_of(top).split([':', '.']).nth(2).and_then(|text| u32::from_str_radix(text, 16).ok());
    match device {
        Some(device) if vendor(top) == INTEL && INTEL_CHIPSET.contains(&device) => UplinkRoot::Chipset,
        // Intel's client CPUs have their ports at devices 1 and 6 of bus 0; its server CPUs have them on separate
        // buses.
        Some(1 | 6) if vendor(top) == INTEL && name_of(top).starts_with("0000:00:") => UplinkRoot::Cpu,
        _ => UplinkRoot::RootPort,
    }
}

/// Endpoints below the top bridge other than the drive itself.
fn others(top: &Path, function: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![top.to_owned()];
    while let Some(folder) = waiting.pop() {
        for name in names(&folder).into_iter().filter(|name| is_address(&name.to_string_lossy())) {
            let below = folder.join(&name);
            let class = read_trim(&below.join("class")).unwrap_or_default();
            if class.starts_with(PCI_BRIDGE) {
                waiting.push(below);
            } else if below != function {
                found.push(format!("{} ({})", name.to_string_lossy(), kind(&class)));
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(root: &Path, path: &str, class: &str, vendor: &str, gt: &str) -> PathBuf {
        let folder = root.join(path);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in [
            ("class", class),
            ("vendor", vendor),
            ("device", "0xa808"),
            ("current_link_speed", gt),
            ("max_link_speed", gt),
            ("current_link_width", "4"),
            ("max_link_width", "4"),
        ] {
            fs::write(folder.join(name), text).expect("a file");
        }
        folder
    }

    #[test]
    fn a_drive_behind_a_switch_names_those_it_shares_with_and_the_slowest_link() {
        let tree = tempfile::tempdir().expect("a folder");
        let root = tree.path();
        let port = "pci0000:00/0000:00:03.1";
        function(root, port, "0x060400", "0x8086", "8.0 GT/s PCIe");
        function(root, &format!("{port}/0000:04:00.0"), "0x060400", "0x11f8", "8.0 GT/s PCIe");
        function(root, &format!("{port}/0000:04:00.0/0000:05:01.0"), "0x060400", "0x11f8", "16.0 GT/s PCIe");
        function(root, &format!("{port}/0000:04:00.0/0000:05:02.0"), "0x060400", "0x11f8", "16.0 GT/s PCIe");
        let below = format!("{port}/0000:04:00.0/0000:05:01.0/0000:06:00.0");
        let drive = function(root, &below, "0x010802", "0x144d", "16.0 GT/s PCIe");
        let other = format!("{port}/0000:04:00.0/0000:05:02.0/0000:07:00.0");
        function(root, &other, "0x020000", "0x15b3", "16.0 GT/s PCIe");
        let way = way(&drive).expect("a way");
        assert_eq!(way.root, UplinkRoot::Switch);
        assert_eq!(way.hops.len(), 4);
        assert_eq!(way.hops[0].kind, "NVMe controller");
        assert_eq!(way.shares_uplink_with, ["0000:07:00.0 (network controller)"]);
        let slowest = way.bytes_per_second.expect("a rate");
        assert!((slowest - 3.938e9).abs() < 1e7, "PCIe 3.0 x4, not 4.0: {slowest}");
    }

    /// The root of a drive behind an AMD root port and two bridges of these makers: the upstream and the downstream
    /// port of a switch.
    fn behind(upstream: &str, downstream: &str) -> PciePath {
        let tree = tempfile::tempdir().expect("a folder");
        let mut path = "pci0000:00/0000:00:02.1".to_owned();
        function(tree.path(), &path, "0x060400", AMD, "8.0 GT/s PCIe");
        for (address, vendor) in [("0000:02:00.0", upstream), ("0000:03:04.0", downstream)] {
            path = format!("{path}/{address}");
            function(tree.path(), &path, "0x060400", vendor, "8.0 GT/s PCIe");
        }
        way(&function(tree.path(), &format!("{path}/0000:04:00.0"), "0x010802", "0x144d", "8.0 GT/s PCIe"))
            .expect("a way")
    }

    #[test]
    fn a_switch_of_amds_own_number_is_its_chipset_and_any_other_is_a_switch() {
        let chipset = behind(AMD, AMD);
        assert_eq!((chipset.root, chipset.hops.len()), (UplinkRoot::Chipset, 4));
        assert_eq!(behind("0x11f8", AMD).root, UplinkRoot::Switch);
        assert_eq!(behind(AMD, "0x11f8").root, UplinkRoot::Switch);
        assert_eq!(behind("0x1b21", "0x1b21").root, UplinkRoot::Switch, "its own number decides");
    }

    #[test]
    fn what_cannot_be_told_of_a_root_port_is_not_told() {
        let tree = tempfile::tempdir().expect("a folder");
        let on = |port: &str, vendor: &str| {
            function(tree.path(), port, "0x060400", vendor, "8.0 GT/s PCIe");
            let drive = format!("{port}/0000:01:00.0");
            way(&function(tree.path(), &drive, "0x010802", "0x144d", "8.0 GT/s PCIe")).expect("a way").root
        };
        assert_eq!(on("a/0000:00:06.0", "0x8086"), UplinkRoot::Cpu);
        assert_eq!(on("a/0000:00:1c.4", "0x8086"), UplinkRoot::Chipset);
        assert_eq!(on("a/0000:00:01.1", "0x1022"), UplinkRoot::RootPort);
        let alone = function(tree.path(), "a/0000:00:04.0", "0x010802", "0x1b36", "8.0 GT/s PCIe");
        let alone = way(&alone).expect("a way");
        assert_eq!((alone.root, alone.shares_uplink_with.len()), (UplinkRoot::RootBus, 0));
    }
}
