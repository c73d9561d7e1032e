//! What makers write into all of their drives: numbers and formats that a fake seldom gets right.
//!
//! Sources: the PCI-SIG's list of vendor numbers and the IEEE's list of company numbers, as the PCI ID Repository and
//! the IEEE publish them; serial numbers as printed on labels and in the reviews that drivelab is made for.

/// A maker and its numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Maker {
    /// The name for people.
    pub(super) name: &'static str,
    /// How model strings begin, in lower case.
    starts: &'static [&'static str],
    /// PCI vendor numbers of its controllers, and of other makers' controllers that it sells under its name.
    pub(super) vendors: &'static [u16],
    /// Company numbers (OUI) at the head of an EUI-64.
    pub(super) companies: &'static [&'static str],
}

const MAKERS: [Maker; 8] = [
    Maker { name: "Samsung", starts: &["samsung"], vendors: &[0x144d], companies: &["002538"] },
    Maker { name: "Intel", starts: &["intel"], vendors: &[0x8086], companies: &["5cd2e4"] },
    Maker { name: "SK hynix", starts: &["skhynix", "sk hynix"], vendors: &[0x1c5c], companies: &["ace42e"] },
    Maker { name: "Micron", starts: &["micron"], vendors: &[0x1344], companies: &["00a075"] },
    Maker { name: "KIOXIA", starts: &["kioxia"], vendors: &[0x1e0f, 0x1179], companies: &["8ce38e"] },
    Maker {
        name: "Toshiba",
        starts: &["toshiba", "thnsn"],
        vendors: &[0x1179, 0x1b85],
        companies: &["00080d", "8ce38e"],
    },
    Maker {
        name: "Western Digital",
        starts: &["wdc", "wds", "wd_", "wd ", "western digital"],
        vendors: &[0x15b7, 0x1b96, 0x101c, 0x1c58],
        companies: &["001b44", "000cca"],
    },
    Maker { name: "SanDisk", starts: &["sandisk"], vendors: &[0x15b7, 0x1b96], companies: &["001b44"] },
];

/// The maker that a model string names.
pub(super) fn of_model(model: &str) -> Option<&'static Maker> {
    let model = model.trim().to_lowercase();
    MAKERS.iter().find(|maker| maker.starts.iter().any(|start| model.starts_with(start)))
}

/// The maker that a PCI vendor number belongs to, if it is one of these.
pub(super) fn of_vendor(vendor: u16) -> Option<&'static str> {
    MAKERS.iter().find(|maker| maker.vendors.contains(&vendor)).map(|maker| maker.name)
}

/// Why no maker gives such a serial number: it is too short, repeats one or two characters, or counts up.
pub(super) fn odd_serial(serial: &str) -> Option<&'static str> {
    let signs: Vec<char> = serial.trim().chars().collect();
    let mut kinds = signs.clone();
    kinds.sort_unstable();
    kinds.dedup();
    let counted = ["123456789", "234567890", "ABCDEFGH", "abcdefgh"].iter().any(|run| serial.contains(run));
    match (signs.len(), kinds.len()) {
        (0, _) => Some("there is none"),
        (1..=3, _) => Some("it is shorter than any that makers give"),
        (_, 1..=2) => Some("it consists of one or two different characters"),
        _ => counted.then_some("it counts up"),
    }
}

/// Decimal gigabytes that drives are sold as.
const SOLD_GB: [u32; 71] = [
    8, 16, 30, 32, 40, 60, 64, 80, 100, 118, 120, 128, 146, 160, 180, 200, 240, 250, 256, 280, 300, 320, 375, 400, 450,
    480, 500, 512, 525, 600, 640, 750, 800, 900, 960, 1000, 1024, 1050, 1200, 1500, 1600, 1800, 1920, 2000, 2048, 2400,
    3000, 3200, 3840, 4000, 4096, 5000, 6000, 6400, 7680, 8000, 8192, 10_000, 12_000, 12_800, 14_000, 15_360, 16_000,
    18_000, 20_000, 22_000, 24_000, 26_000, 30_720, 61_440, 122_880,
];
/// How far a capacity may be from the size that it is sold as (as for drive facts).
const NEAR: f64 = 0.02;

/// The decimal gigabytes that this capacity is sold as: the nearest within 2 %.
pub(super) fn sold_as(bytes: u64) -> Option<u32> {
    let away = |gigabytes: u32| (bytes as f64 / (f64::from(gigabytes) * 1e9) - 1.0).abs();
    let near = SOLD_GB.into_iter().filter(|gigabytes| away(*gigabytes) <= NEAR);
    near.min_by(|left, right| away(*left).total_cmp(&away(*right)))
}

/// The gigabytes for which the makers' common rule gives exactly this capacity: 97,696,368 sectors of 512 bytes for
/// 50 GB, and 1,953,504 for each further GB (IDEMA LBA1, from 50 GB on).
pub(super) fn by_idema(bytes: u64) -> Option<u64> {
    let beyond = (bytes / 512).checked_sub(97_696_368)?;
    (bytes.is_multiple_of(512) && beyond.is_multiple_of(1_953_504)).then(|| 50 + beyond / 1_953_504)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacities_of_drives_that_are_sold_are_known_and_odd_ones_are_not() {
        // 256, 512 and 1,024 GB; 1, 2 and 4 TB; 7.68 TB, all as drives report them.
        let reported = [
            (256_060_514_304, 256),
            (512_110_190_592, 512),
            (1_024_209_543_168, 1024),
            (1_000_204_886_016, 1000),
            (2_000_398_934_016, 2000),
            (4_000_787_030_016, 4000),
            (7_681_501_126_656, 7680),
        ];
        for (bytes, gigabytes) in reported {
            assert_eq!((by_idema(bytes), sold_as(bytes)), (Some(u64::from(gigabytes)), Some(gigabytes)));
        }
        assert_eq!(sold_as(1_100_000_000_000), None);
        assert_eq!(by_idema(1_000_204_886_528), None);
        assert_eq!(sold_as(1_073_741_824), None);
    }

    #[test]
    fn placeholders_are_no_serial_numbers() {
        for odd in ["", "A1", "0000000000", "ABABABAB", "0123456789AB"] {
            assert!(odd_serial(odd).is_some(), "{odd}");
        }
        for real in ["S4EWNX0R123456", "50026B7784D1A2B3", "24014A800B2C"] {
            assert_eq!(odd_serial(real), None, "{real}");
        }
    }
}
