//! What the numbers of SMART attributes mean to most vendors.
//!
//! No standard defines this: the meanings are the vendors'. This list holds those on which the vendors' own documents
//! mostly agree (data sheets and application notes of Seagate, Western Digital, Toshiba, Intel, Micron, Samsung and
//! Kingston). A number that they use for different things has no name here, so that no name is wrong.

/// Attributes that count blocks which the drive could not keep, with the meaning of a count above zero. All vendors
/// that have them use them in this way.
pub const RELOCATED: [(u8, &str); 3] = [
    (5, "blocks were found bad and replaced by spare ones"),
    (197, "blocks could not be read and wait to be replaced"),
    (198, "blocks could not be read or written, not even offline"),
];

/// What most vendors use a number for; empty if vendors differ too much.
#[must_use]
pub fn attribute_name(id: u8) -> &'static str {
    NAMES.iter().find(|(number, _)| *number == id).map_or("", |(_, name)| name)
}

/// A raw value as one count. Some drives pack three counts of two bytes into the six bytes; a value that needs more
/// than four bytes is packed in this way, and its lowest two bytes are the count.
#[must_use]
pub fn count_of(raw: u64) -> u64 {
    if raw > u64::from(u32::MAX) { raw & 0xFFFF } else { raw }
}

const NAMES: &[(u8, &str)] = &[
    (1, "Raw read error rate"),
    (2, "Throughput performance"),
    (3, "Spin-up time"),
    (4, "Start/stop count"),
    (5, "Reallocated sectors"),
    (7, "Seek error rate"),
    (8, "Seek time performance"),
    (9, "Power-on hours"),
    (10, "Spin-up retries"),
    (11, "Calibration retries"),
    (12, "Power cycles"),
    (18, "Head health"),
    (22, "Helium level"),
    (183, "SATA downshifts"),
    (184, "End-to-end errors"),
    (187, "Reported uncorrectable errors"),
    (188, "Command timeouts"),
    (189, "High fly writes"),
    (190, "Airflow temperature"),
    (191, "Shocks sensed"),
    (192, "Unsafe shutdowns"),
    (193, "Head load cycles"),
    (194, "Temperature"),
    (195, "ECC corrections"),
    (196, "Reallocation events"),
    (197, "Pending sectors"),
    (198, "Offline uncorrectable sectors"),
    (199, "Interface CRC errors"),
    (200, "Write error rate"),
    (220, "Disk shift"),
    (222, "Loaded hours"),
    (223, "Head load retries"),
    (224, "Load friction"),
    (226, "Load-in time"),
    (240, "Head flying hours"),
    (241, "Host writes"),
    (242, "Host reads"),
    (254, "Free falls"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_once_and_in_order() {
        assert!(NAMES.is_sorted_by(|(a, _), (b, _)| a < b));
        assert_eq!((attribute_name(194), attribute_name(177), attribute_name(0)), ("Temperature", "", ""));
        assert!(RELOCATED.iter().all(|(id, _)| !attribute_name(*id).is_empty()));
    }

    #[test]
    fn three_counts_in_one_are_not_one_large_count() {
        assert_eq!(count_of(7), 7);
        assert_eq!(count_of(70_000), 70_000);
        assert_eq!(count_of(0x0002_0001_0003), 3);
    }
}
