//! The link of a drive: PCIe, SATA or USB, from sysfs text to a name and a maximum rate.
//!
//! Rates are per direction, after line coding and before packet overhead, so no measured rate can be higher. PCIe 1.0
//! and 2.0 code 8 bits as 10, 3.0 to 5.0 code 128 as 130 (PCI Express Base Specification 5.0, section 4.2), 6.0 has
//! no such coding; SATA codes 8 as 10 (Serial ATA 3.x); USB 5 Gb/s codes 8 as 10, 10 Gb/s and more 128 as 132 (USB
//! 3.2 Specification, chapter 6); USB 2.0's bit stuffing depends on the data and is left out.

use std::path::Path;

use drivelab_core::environment::LinkFacts;

use crate::block::folders::name_of;
use crate::roots::{names, read, read_number, read_trim};

/// One generation of PCIe: transfers per second and lane in GT/s, its name, and the share left after coding.
const PCIE: [(f64, &str, f64); 6] = [
    (2.5, "1.0", 0.8),
    (5.0, "2.0", 0.8),
    (8.0, "3.0", 128.0 / 130.0),
    (16.0, "4.0", 128.0 / 130.0),
    (32.0, "5.0", 128.0 / 130.0),
    (64.0, "6.0", 1.0),
];

/// Generation (index into [`PCIE`]) and lanes.
type PcieLink = (usize, u32);

/// Whether a folder's name is a PCI function's address: `0000:01:00.0`.
pub(crate) fn is_address(name: &str) -> bool {
    let parts: Vec<&str> = name.split([':', '.']).collect();
    let hex = |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit());
    parts.len() == 4 && name.len() >= 12 && parts.iter().all(hex)
}

/// The PCI function at or above a device: sysfs folders are nested as the devices are attached to each other.
pub(crate) fn function_above(device: &Path) -> Option<&Path> {
    device.ancestors().find(|folder| is_address(&name_of(folder)))
}

/// The folder at or above a device that has this attribute.
#[must_use]
pub fn above_with<'p>(device: &'p Path, attribute: &str) -> Option<&'p Path> {
    device.ancestors().find(|folder| folder.join(attribute).exists())
}

/// Transfers per second and lane, GT/s: `16.0 GT/s PCIe`, on older kernels `16 GT/s`. A link that is down has none.
fn gigatransfers(text: &str) -> Option<f64> {
    let (speed, unit) = text.trim().split_once(' ')?;
    let speed: f64 = speed.parse().ok()?;
    (unit.starts_with("GT/s") && speed.is_finite() && speed > 0.0).then_some(speed)
}

/// Lanes: `4`, on older kernels `x4`. A link that is down has none (0, or 255 if the function is gone).
fn lanes(text: &str) -> Option<u32> {
    let lanes: u32 = text.trim().trim_start_matches('x').parse().ok()?;
    (1..=32).contains(&lanes).then_some(lanes)
}

/// The present state of a PCI function's link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkNow {
    /// Transfers per second and lane, GT/s; `None` if the link is down.
    pub gigatransfers: Option<f64>,
    /// Lanes in use; `None` if the link is down.
    pub lanes: Option<u32>,
}

/// Reads the link of a PCI function (`current_link_speed`, `current_link_width`).
///
/// # Errors
/// The path, and why the speed cannot be read.
pub fn link_now(function: &Path) -> Result<LinkNow, String> {
    let speed = read(&function.join("current_link_speed"))?;
    let width = read_trim(&function.join("current_link_width"));
    Ok(LinkNow { gigatransfers: gigatransfers(&speed), lanes: width.and_then(|width| lanes(&width)) })
}

fn parse_pcie(speed: &str, width: &str) -> Option<PcieLink> {
    let rate = gigatransfers(speed)?;
    let generation = PCIE.iter().position(|(gigatransfers, ..)| (gigatransfers - rate).abs() < 0.01)?;
    Some((generation, lanes(width)?))
}

fn pcie_text((generation, lanes): PcieLink) -> String {
    format!("PCIe {} x{lanes}", PCIE[generation].1)
}

fn pcie_rate((generation, lanes): PcieLink) -> f64 {
    let (gigatransfers, _, share) = PCIE[generation];
    gigatransfers * 1e9 * f64::from(lanes) * share / 8.0
}

fn read_pcie(function: &Path, which: &str) -> Option<PcieLink> {
    let speed = read_trim(&function.join(format!("{which}_link_speed")))?;
    let width = read_trim(&function.join(format!("{which}_link_width")))?;
    parse_pcie(&speed, &width)
}

/// The link of the PCI function at or above `device`. The possible link is what both the drive and the port above it
/// support.
pub(crate) fn pcie(device: &Path) -> Option<LinkFacts> {
    of_function(above_with(device, "current_link_speed")?)
}

/// The link of one PCI function to the port above it; the possible link is what both support.
pub(crate) fn of_function(function: &Path) -> Option<LinkFacts> {
    let now = read_pcie(function, "current")?;
    let own = read_pcie(function, "max");
    let port = function.parent().and_then(|port| read_pcie(port, "max"));
    let possible = own.map(|(generation, lanes)| {
        port.map_or((generation, lanes), |(above, wide)| (generation.min(above), lanes.min(wide)))
    });
    Some(LinkFacts {
        negotiated: pcie_text(now),
        possible: possible.map(pcie_text),
        bytes_per_second: Some(pcie_rate(now)),
    })
}

/// `6.0 Gbps` to 6.0.
fn parse_gbps(text: &str) -> Option<f64> {
    let rate: f64 = text.strip_suffix("Gbps")?.trim().parse().ok()?;
    (rate.is_finite() && rate > 0.0).then_some(rate)
}

/// The SATA link of the port (`ataN`) above `device`.
pub(crate) fn sata(device: &Path) -> Option<LinkFacts> {
    let is_port = |name: &str| name.strip_prefix("ata").is_some_and(|rest| rest.parse::<u32>().is_ok());
    let port =
        device.ancestors().find(|folder| folder.file_name().and_then(|name| name.to_str()).is_some_and(is_port))?;
    let link = names(port).into_iter().find(|name| name.to_string_lossy().starts_with("link"))?;
    let attributes = port.join(&link).join("ata_link").join(&link);
    let rate = |name: &str| read_trim(&attributes.join(name)).and_then(|text| parse_gbps(&text));
    let text = |gigabits: f64| format!("SATA {gigabits:.1} Gb/s");
    let now = rate("sata_spd")?;
    Some(LinkFacts {
        negotiated: text(now),
        possible: rate("hw_sata_spd_limit").map(text),
        bytes_per_second: Some(now * 1e9 * 0.8 / 8.0),
    })
}

fn usb_text(megabits: u32) -> String {
    if megabits >= 1000 { format!("USB {} Gb/s", megabits / 1000) } else { format!("USB {megabits} Mb/s") }
}

fn usb_rate(megabits: u32) -> f64 {
    let share = match megabits {
        0..=480 => 1.0,
        481..=5000 => 0.8,
        _ => 128.0 / 132.0,
    };
    f64::from(megabits) * 1e6 * share / 8.0
}

/// The USB link of the USB device above `device` (sysfs prints its `speed` in Mb/s).
pub(crate) fn usb(device: &Path) -> Option<LinkFacts> {
    let usb_device =
        device.ancestors().find(|folder| folder.join("speed").exists() && folder.join("idVendor").exists())?;
    let megabits: u32 = read_number(&usb_device.join("speed"))?;
    Some(LinkFacts { negotiated: usb_text(megabits), possible: None, bytes_per_second: Some(usb_rate(megabits)) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pcie_text_of_old_and_new_kernels_gives_the_same_link() {
        assert_eq!(parse_pcie("16.0 GT/s PCIe", "4"), Some((3, 4)));
        assert_eq!(parse_pcie("8 GT/s", "x4"), Some((2, 4)));
        assert_eq!(parse_pcie("Unknown", "4"), None);
        assert_eq!(parse_pcie("16.0 GT/s PCIe", "0"), None, "a link that is down has no lanes");
        assert_eq!(parse_pcie("16.0 GT/s PCIe", "255"), None);
    }

    #[test]
    fn a_link_is_read_as_it_is_now_and_one_that_is_down_has_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let now = |speed: &str, width: &str| {
            std::fs::write(folder.path().join("current_link_speed"), speed).expect("a file");
            std::fs::write(folder.path().join("current_link_width"), width).expect("a file");
            link_now(folder.path()).expect("a link")
        };
        assert_eq!(now("16.0 GT/s PCIe\n", "4\n"), LinkNow { gigatransfers: Some(16.0), lanes: Some(4) });
        assert_eq!(now("128.0 GT/s PCIe\n", "1"), LinkNow { gigatransfers: Some(128.0), lanes: Some(1) });
        assert_eq!(now("Unknown\n", "63"), LinkNow { gigatransfers: None, lanes: None });
        assert_eq!(now("inf GT/s\n", "x8"), LinkNow { gigatransfers: None, lanes: Some(8) });
        let below = folder.path().join("nvme/nvme0");
        assert_eq!(above_with(&below, "current_link_speed"), Some(folder.path()));
        std::fs::remove_file(folder.path().join("current_link_speed")).expect("removed");
        assert!(link_now(folder.path()).expect_err("gone").contains("current_link_speed"));
    }

    #[test]
    fn only_addresses_are_addresses() {
        assert!(is_address("0000:01:00.0") && is_address("10000:e1:00.0"));
        assert!(!is_address("pci0000:00") && !is_address("nvme0") && !is_address("0-0:0.0") && !is_address(""));
    }

    #[test]
    fn pcie_rates_are_what_the_coding_leaves() {
        let close = |link, expected: f64| (pcie_rate(link) - expected).abs() < 1.0;
        assert!(close((0, 1), 250e6));
        assert!(close((1, 4), 2e9));
        assert!(close((2, 4), 8e9 * 4.0 / 8.0 * 128.0 / 130.0));
        assert!(close((3, 4), 7_876_923_076.9), "PCIe 4.0 x4 carries 7.88 GB/s");
        assert_eq!(pcie_text((4, 4)), "PCIe 5.0 x4");
    }

    #[test]
    fn usb_rates_follow_their_generation() {
        assert_eq!((usb_text(480), usb_rate(480)), ("USB 480 Mb/s".to_owned(), 60e6));
        assert_eq!((usb_text(5000), usb_rate(5000)), ("USB 5 Gb/s".to_owned(), 500e6));
        assert!(usb_rate(10_000) < 1.25e9 && usb_rate(10_000) > 1.2e9);
    }

    proptest! {
        #[test]
        fn any_text_never_panics(speed in any::<String>(), width in any::<String>()) {
            if let Some(link) = parse_pcie(&speed, &width) {
                prop_assert!(pcie_rate(link) > 0.0);
            }
            gigatransfers(&speed);
            lanes(&speed);
            parse_gbps(&speed);
        }
    }
}
