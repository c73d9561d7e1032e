//! Identity of a block device: transport, model, serial number, firmware, and whether it is real hardware.
//!
//! From sysfs: `device/{model,serial,firmware_rev,rev,vendor}` for NVMe and SCSI, VPD page 0x80 for the serial number
//! of SCSI and ATA drives, `device/{name,fwrev}` for MMC, and for ATA drives their IDENTIFY DEVICE page, because
//! SCSI's fields hold only a part of its text. Must not know queues, links or file systems.

use std::fs;
use std::path::Path;

use drivelab_ata::IdentifyDevice;

use crate::roots::read_trim;

/// Model, serial number, firmware.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) model: Option<String>,
    pub(crate) serial: Option<String>,
    pub(crate) firmware: Option<String>,
}

/// The transport of a device, from its kernel name, its place in sysfs and, for NVMe, the controller's transport.
pub(crate) fn transport(name: &str, sysfs_path: &str, nvme_transport: Option<&str>) -> String {
    const BY_NAME: [(&str, &str); 11] = [
        ("loop", "loop"),
        ("zram", "zram"),
        ("ram", "ram"),
        ("dm-", "device-mapper"),
        ("md", "md"),
        ("nullb", "null_blk"),
        ("nbd", "nbd"),
        ("rbd", "rbd"),
        ("mmcblk", "mmc"),
        ("pmem", "pmem"),
        ("xvd", "xen"),
    ];
    if name.starts_with("nvme") {
        return match nvme_transport {
            None | Some("pcie") => "nvme".to_owned(),
            Some(fabric) => format!("nvme-{fabric}"),
        };
    }
    if let Some((_, transport)) = BY_NAME.iter().find(|(prefix, _)| name.starts_with(prefix)) {
        return (*transport).to_owned();
    }
    let under = |bus: &str, digit: bool| {
        sysfs_path.split('/').any(|part| {
            part.strip_prefix(bus).is_some_and(|rest| !digit || rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    for (bus, digit, transport) in [
        ("usb", true, "usb"),
        ("virtio", true, "virtio"),
        ("ata", true, "sata"),
        ("VMBUS", false, "hyper-v"),
        ("vmbus", false, "hyper-v"),
        ("session", true, "iscsi"),
    ] {
        if under(bus, digit) {
            return transport.to_owned();
        }
    }
    if sysfs_path.contains("/host") { "scsi".to_owned() } else { "unknown".to_owned() }
}

/// The serial number in VPD page 0x80 (SPC-4, section 7.8.17): four header bytes, the last of them the length, then
/// ASCII.
pub(crate) fn vpd_serial(page: &[u8]) -> Option<String> {
    let (header, rest) = page.split_at_checked(4)?;
    if header[1] != 0x80 {
        return None;
    }
    let serial = rest.get(..usize::from(header[3]).min(rest.len()))?;
    let text = String::from_utf8_lossy(serial);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// An ATA drive's answer to IDENTIFY DEVICE from when the kernel found it, which every user may read (SAT-4, page
/// 89h). SCSI's own fields hold only 16 characters of the model and 4 of the firmware (SPC-4, standard INQUIRY data).
fn of_ata(device: &Path) -> Option<IdentifyDevice> {
    let page = fs::read(device.join("vpd_pg89")).ok()?;
    IdentifyDevice::decode_vpd(&page).ok().map(|(identify, _)| identify)
}

/// What the device reports about itself; `whole` is its sysfs folder.
pub(crate) fn identity(whole: &Path) -> Identity {
    let device = whole.join("device");
    let attribute = |name: &str| read_trim(&device.join(name));
    let vendor = attribute("vendor").filter(|vendor| vendor != "ATA" && !vendor.starts_with("0x"));
    let model = attribute("model").or_else(|| attribute("name").filter(|_| device.join("cid").exists()));
    let model = match (vendor, model) {
        (Some(vendor), Some(model)) => Some(format!("{vendor} {model}")),
        (_, model) => model,
    };
    let vpd = || fs::read(device.join("vpd_pg80")).ok().and_then(|page| vpd_serial(&page));
    let serial = attribute("serial").or_else(vpd).or_else(|| read_trim(&whole.join("serial")));
    let firmware = attribute("firmware_rev").or_else(|| attribute("rev")).or_else(|| attribute("fwrev"));
    let Some(own) = of_ata(&device) else { return Identity { model, serial, firmware } };
    let known = |own: String, other| Some(own).filter(|own| !own.is_empty()).or(other);
    Identity {
        model: known(own.model, model),
        serial: known(own.serial, serial),
        firmware: known(own.firmware, firmware),
    }
}

/// Why the device is not local hardware: a hypervisor or this kernel provides it, or it is on a network.
///
/// A device-mapper or md device is not virtual by itself: what it lies on decides.
pub(crate) fn virtual_because(transport: &str, model: Option<&str>) -> Option<String> {
    let by_transport = match transport {
        "virtio" => "a virtio disk, which a hypervisor provides",
        "xen" => "a Xen virtual disk",
        "hyper-v" => "a Hyper-V virtual disk",
        "loop" => "a loop device, which this kernel makes from a file",
        "zram" => "zram, compressed memory",
        "ram" => "a RAM disk",
        "null_blk" => "null_blk, a device of this kernel that stores nothing",
        "nbd" | "rbd" | "iscsi" => "a network disk",
        fabric if fabric.starts_with("nvme-") => "a disk behind a network (NVMe over Fabrics)",
        _ => "",
    };
    if !by_transport.is_empty() {
        return Some(by_transport.to_owned());
    }
    const MODELS: [&str; 10] = [
        "QEMU",
        "VBOX",
        "VMware",
        "Virtual disk",
        "Virtual Disk",
        "Amazon Elastic Block Store",
        "PersistentDisk",
        "nvme_card-pd",
        "MSFT NVMe Accelerator",
        "Parallels",
    ];
    let model = model?;
    MODELS
        .iter()
        .any(|name| model.contains(name))
        .then(|| format!("its model is \"{model}\", the name of a hypervisor's or a cloud's disk"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_place_in_sysfs_tells_the_transport() {
        let sata = "/sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda";
        let usb = "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb";
        let virtio = "/sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda";
        let sas = "/sys/devices/pci0000:00/0000:01:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/sdc";
        assert_eq!(transport("sda", sata, None), "sata");
        assert_eq!(transport("sdb", usb, None), "usb");
        assert_eq!(transport("vda", virtio, None), "virtio");
        assert_eq!(transport("sdc", sas, None), "scsi");
        assert_eq!(transport("nvme0n1", "", Some("pcie")), "nvme");
        assert_eq!(transport("nvme1n1", "", Some("tcp")), "nvme-tcp");
        assert_eq!(transport("dm-0", "/sys/devices/virtual/block/dm-0", None), "device-mapper");
    }

    #[test]
    fn an_ata_drives_own_words_stand_over_the_cut_ones_of_scsi() {
        let folder = tempfile::tempdir().expect("a folder");
        let device = folder.path().join("device");
        fs::create_dir(&device).expect("a folder");
        for (name, text) in [("vendor", "ATA     \n"), ("model", "Example Platters\n"), ("rev", "7.2 \n")] {
            fs::write(device.join(name), text).expect("a file");
        }
        let cut = identity(folder.path());
        assert_eq!((cut.model.as_deref(), cut.firmware.as_deref()), (Some("Example Platters"), Some("7.2")));
        // Words 23 to 26 and 27 to 46 from byte 60 on; the first of two letters is in the high byte.
        let mut page = vec![0; 572];
        (page[1], page[56], page[60]) = (0x89, 0xEC, 0x40);
        for (at, text) in [(23, "FW7.2   "), (27, "Example Platters 7200 rpm               ")] {
            for (place, pair) in text.as_bytes().chunks(2).enumerate() {
                page[60 + (at + place) * 2..][..2].copy_from_slice(&[pair[1], pair[0]]);
            }
        }
        fs::write(device.join("vpd_pg89"), page).expect("a file");
        let own = identity(folder.path());
        assert_eq!((own.model.as_deref(), own.firmware.as_deref()), (Some("Example Platters 7200 rpm"), Some("FW7.2")));
        assert_eq!(own.serial, None);
    }

    #[test]
    fn a_hypervisors_disk_is_called_virtual_and_a_drive_is_not() {
        assert!(virtual_because("virtio", None).is_some());
        assert!(virtual_because("sata", Some("QEMU HARDDISK")).is_some_and(|why| why.contains("QEMU HARDDISK")));
        assert!(virtual_because("nvme", Some("Amazon Elastic Block Store")).is_some());
        assert!(virtual_because("nvme-tcp", Some("Linux")).is_some());
        assert_eq!(virtual_because("nvme", Some("Samsung SSD 990 PRO 2TB")), None);
        assert_eq!(virtual_because("device-mapper", None), None);
    }

    #[test]
    fn a_serial_number_page_is_read_within_its_bounds() {
        assert_eq!(vpd_serial(b"\0\x80\0\x08S3Z8NB0K").as_deref(), Some("S3Z8NB0K"));
        assert_eq!(vpd_serial(b"\0\x80\0\xffshort ").as_deref(), Some("short"));
        assert_eq!(vpd_serial(b"\0\x83\0\x04abcd"), None);
        assert_eq!(vpd_serial(b"\0\x80\0"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(page in proptest::collection::vec(any::<u8>(), 0..300), text in any::<String>()) {
            vpd_serial(&page);
            transport(&text, &text, Some(&text));
            virtual_because(&text, Some(&text));
        }
    }
}
