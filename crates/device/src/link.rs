//! The link of a drive: PCIe, SATA or USB, from sysfs text to a name and the rate it can carry.
//!
//! Rates are per direction after line coding and before packet overhead, so nothing measured can be faster. PCIe
//! 1.0 and 2.0 code 8 bits as 10, 3.0 to 5.0 code 128 as 130 (PCI Express Base Specification 5.0, section 4.2), 6.0
//! has no such coding; SATA codes 8 as 10 (Serial ATA 3.x); USB 5 Gb/s codes 8 as 10, 10 Gb/s and more 128 as 132
//! (USB 3.2 Specification, chapter 6); USB 2.0's bit stuffing depends on the data and is left out.

use std::path::Path;

use drivelab_core::environment::LinkFacts;

use crate::roots::{names, read_number, read_trim};

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

fn parse_pcie(speed: &str, width: &str) -> Option<PcieLink> {
    let rate: f64 = speed.split_whitespace().next()?.parse().ok()?;
    let generation = PCIE.iter().position(|(gigatransfers, ..)| (gigatransfers - rate).abs() < 0.01)?;
    let lanes: u32 = width.trim().trim_start_matches('x').parse().ok()?;
    (1..=32).contains(&lanes).then_some((generation, lanes))
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

/// The link of the PCI function at or above `device`. What is possible is what both the drive and the port above it
/// can do.
pub(crate) fn pcie(device: &Path) -> Option<LinkFacts> {
    of_function(device.ancestors().find(|folder| folder.join("current_link_speed").exists())?)
}

/// The link of one PCI function upwards; the possible one is what it and the port above it both can.
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
            parse_gbps(&speed);
        }
    }
}
