//! Block device facts from sysfs trees as real kernels create them, in a temporary folder.

use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;
use crate::block::folders::folder_of;
use crate::roots::Roots;

/// A sysfs tree.
struct Tree(TempDir);

impl Tree {
    fn new() -> Self {
        Tree(TempDir::new().expect("a temporary folder"))
    }

    fn roots(&self) -> Roots {
        Roots { sys: self.0.path().to_owned(), proc: PathBuf::from("/proc") }
    }

    /// Writes attributes below `folder`.
    fn files(&self, folder: &str, attributes: &[(&str, &str)]) {
        for (name, text) in attributes {
            let path = self.0.path().join(folder).join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("an attribute");
        }
    }

    /// Makes `at` a link to `to`, both below the root.
    fn link(&self, at: &str, to: &str) {
        let path = self.0.path().join(at);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        symlink(self.0.path().join(to), path).expect("a link");
    }

    fn device(&self, major: u32, minor: u32) -> Vec<BlockDeviceFacts> {
        chain(folder_of(&self.roots(), major, minor).into_iter().collect(), &|_| Vec::new())
    }
}

const NVME: &str = "devices/pci0000:00/0000:00:01.1/0000:01:00.0/nvme/nvme0";

fn nvme_tree() -> Tree {
    let tree = Tree::new();
    tree.files("devices/pci0000:00/0000:00:01.1", &[("max_link_speed", "8.0 GT/s PCIe\n"), ("max_link_width", "16\n")]);
    tree.files(
        "devices/pci0000:00/0000:00:01.1/0000:01:00.0",
        &[
            ("current_link_speed", "8.0 GT/s PCIe\n"),
            ("current_link_width", "4\n"),
            ("max_link_speed", "16.0 GT/s PCIe\n"),
            ("max_link_width", "4\n"),
        ],
    );
    let padded = "Samsung SSD 990 PRO 2TB                 \n";
    tree.files(
        NVME,
        &[("model", padded), ("serial", "S7 \n"), ("firmware_rev", "4B2QJXD7\n"), ("transport", "pcie\n")],
    );
    let disk = format!("{NVME}/nvme0n1");
    tree.files(
        &disk,
        &[
            ("size", "3907029168\n"),
            ("queue/rotational", "0\n"),
            ("queue/logical_block_size", "512\n"),
            ("queue/physical_block_size", "4096\n"),
            ("queue/scheduler", "[none] mq-deadline kyber\n"),
            ("queue/nr_requests", "1023\n"),
            ("queue/write_cache", "write back\n"),
            ("nvme0n1p2/partition", "2\n"),
            ("nvme0n1p2/size", "100\n"),
        ],
    );
    tree.link(&format!("{disk}/device"), NVME);
    tree.link("dev/block/259:2", &format!("{disk}/nvme0n1p2"));
    tree
}

#[test]
fn a_partition_of_an_nvme_drive_leads_to_the_drive_and_its_link() {
    let devices = nvme_tree().device(259, 2);
    let [drive] = devices.as_slice() else { panic!("{devices:?}") };
    assert_eq!((drive.name.as_str(), drive.partition.as_deref()), ("nvme0n1", Some("nvme0n1p2")));
    assert_eq!(drive.model.as_deref(), Some("Samsung SSD 990 PRO 2TB"));
    assert_eq!((drive.serial.as_deref(), drive.firmware.as_deref()), (Some("S7"), Some("4B2QJXD7")));
    assert_eq!(drive.capacity, Bytes::new(2_000_398_934_016), "the drive's size, not the partition's");
    let link = drive.link.as_ref().expect("a link");
    assert_eq!(link.negotiated, "PCIe 3.0 x4");
    assert_eq!(link.possible.as_deref(), Some("PCIe 3.0 x4"), "the slot limits what the drive could do");
    assert_eq!(drive.scheduler.as_deref(), Some("none"));
    assert_eq!((drive.nr_requests, drive.rotational), (Some(1023), Some(false)));
    assert_eq!((drive.transport.as_str(), &drive.virtual_because), ("nvme", &None));
    assert_eq!(drive.physical_block_size, Bytes::new(4096));
}

#[test]
fn nvme_multipath_finds_the_link_through_a_controller() {
    let tree = nvme_tree();
    let subsystem = "devices/virtual/nvme-subsystem/nvme-subsys0";
    tree.files(subsystem, &[("model", "Samsung SSD 990 PRO 2TB\n"), ("serial", "S7\n"), ("nvme0n1/size", "8\n")]);
    tree.link(&format!("{subsystem}/nvme0"), NVME);
    tree.link(&format!("{subsystem}/nvme0n1/device"), subsystem);
    tree.link("dev/block/259:9", &format!("{subsystem}/nvme0n1"));
    let devices = tree.device(259, 9);
    assert_eq!(devices[0].link.as_ref().map(|link| link.negotiated.as_str()), Some("PCIe 3.0 x4"));
    assert_eq!(devices[0].transport, "nvme");
}

#[test]
fn an_encrypted_volume_leads_down_to_the_drive_below_it() {
    let tree = nvme_tree();
    let crypt = "devices/virtual/block/dm-0";
    tree.files(crypt, &[("size", "2048\n"), ("dm/name", "luks\n")]);
    tree.link(&format!("{crypt}/slaves/nvme0n1p2"), &format!("{NVME}/nvme0n1/nvme0n1p2"));
    tree.link("dev/block/253:0", crypt);
    let devices = tree.device(253, 0);
    let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names, ["dm-0", "nvme0n1"]);
    assert_eq!(devices[0].lies_on, ["nvme0n1"], "named as the whole device in the list");
    assert_eq!(devices[0].virtual_because, None);
}

#[test]
fn a_sata_drive_gives_its_serial_page_and_its_port_speed() {
    let tree = Tree::new();
    let port = "devices/pci0000:00/0000:00:17.0/ata3";
    let link = format!("{port}/link3/ata_link/link3");
    tree.files(&link, &[("sata_spd", "3.0 Gbps\n"), ("hw_sata_spd_limit", "6.0 Gbps\n")]);
    let target = format!("{port}/host2/target2:0:0/2:0:0:0");
    tree.files(&target, &[("vendor", "ATA     \n"), ("model", "CT500MX500SSD1  \n"), ("rev", "043 \n")]);
    tree.files(&target, &[("vpd_pg80", "\0\u{0}\0\0"), ("block/sda/size", "976773168\n")]);
    fs::write(tree.0.path().join(&target).join("vpd_pg80"), b"\0\x80\0\x0c2106E4F1D2A3").expect("a page");
    tree.link(&format!("{target}/block/sda/device"), &target);
    tree.link("dev/block/8:0", &format!("{target}/block/sda"));
    let devices = tree.device(8, 0);
    let drive = &devices[0];
    assert_eq!(drive.model.as_deref(), Some("CT500MX500SSD1"), "ATA is not a vendor");
    assert_eq!((drive.serial.as_deref(), drive.firmware.as_deref()), (Some("2106E4F1D2A3"), Some("043")));
    let link = drive.link.as_ref().expect("a link");
    assert_eq!((link.negotiated.as_str(), link.possible.as_deref()), ("SATA 3.0 Gb/s", Some("SATA 6.0 Gb/s")));
    assert_eq!(link.bytes_per_second, Some(300e6));
}

#[test]
fn a_usb_drive_gives_the_speed_of_its_usb_device_and_not_of_an_interface() {
    let tree = Tree::new();
    let usb = "devices/pci0000:00/0000:00:14.0/usb2/2-1";
    tree.files(usb, &[("speed", "5000\n"), ("idVendor", "04e8\n")]);
    let target = format!("{usb}/2-1:1.0/host6/target6:0:0/6:0:0:0");
    tree.files(&target, &[("vendor", "Samsung \n"), ("model", "PSSD T7\n"), ("block/sdb/size", "8\n")]);
    tree.link(&format!("{target}/block/sdb/device"), &target);
    tree.link("dev/block/8:16", &format!("{target}/block/sdb"));
    let devices = tree.device(8, 16);
    assert_eq!(devices[0].model.as_deref(), Some("Samsung PSSD T7"));
    assert_eq!(devices[0].link.as_ref().map(|link| link.negotiated.as_str()), Some("USB 5 Gb/s"));
}

#[test]
fn devices_that_lie_on_each_other_in_a_circle_end() {
    let tree = Tree::new();
    for (one, other) in [("dm-0", "dm-1"), ("dm-1", "dm-0")] {
        tree.files(&format!("devices/virtual/block/{one}"), &[("size", "8\n")]);
        tree.link(&format!("devices/virtual/block/{one}/slaves/{other}"), &format!("devices/virtual/block/{other}"));
    }
    tree.link("dev/block/253:0", "devices/virtual/block/dm-0");
    assert_eq!(tree.device(253, 0).len(), 2);
}

#[test]
fn an_empty_sysfs_gives_no_device_and_a_bare_folder_gives_what_is_certain() {
    let tree = Tree::new();
    assert!(tree.device(8, 0).is_empty());
    tree.files("devices/odd/block/odd0", &[("uevent", "")]);
    tree.link("dev/block/9:9", "devices/odd/block/odd0");
    let devices = tree.device(9, 9);
    assert_eq!((devices[0].transport.as_str(), &devices[0].model, &devices[0].link), ("unknown", &None, &None));
}

/// The limits of a virtio disk, a loop device and two NVMe drives, as sysfs shows them.
#[test]
fn what_is_never_split_is_the_smallest_of_the_queues_limits() {
    let of = |max_sectors_kb: &str, max_segments: &str, chunk_sectors: &str| {
        let tree = Tree::new();
        let limits =
            [("max_sectors_kb", max_sectors_kb), ("max_segments", max_segments), ("chunk_sectors", chunk_sectors)];
        tree.files("queue", &limits);
        request_size(&tree.0.path().join("queue")).map(|size| size.get() >> 10)
    };
    assert_eq!(of("128\n", "127\n", "0\n"), Some(128), "the size of a request");
    assert_eq!(of("1280\n", "128\n", "0\n"), Some(512), "each segment may be a page");
    assert_eq!(of("4096\n", "1024\n", "0\n"), Some(1024), "256 pages are one operation of direct I/O");
    assert_eq!(of("128\n", "127\n", "256\n"), None, "requests are split at borders of 128 KiB");
    assert_eq!(of("0\n", "127\n", "0\n"), None);
    assert_eq!(request_size(Tree::new().0.path()), None, "nothing is known");
}
