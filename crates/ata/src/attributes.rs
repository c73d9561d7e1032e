//! The SMART attributes whose meaning vendors agree on, in words.
//!
//! No standard says what an attribute means; these are the ones that drives of several vendors use alike, by their data
//! sheets. A number that is not here is shown as it is.

use serde::Serialize;

/// What an attribute means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Known {
    /// Its number.
    pub id: u8,
    /// What it counts.
    pub name: &'static str,
    /// What its raw value is in, where vendors agree: `h`, `C`, `sectors`; empty for a plain count.
    pub unit: &'static str,
    /// Whether any count is bad news.
    pub counts_trouble: bool,
}

const fn count(id: u8, name: &'static str, unit: &'static str) -> Known {
    Known { id, name, unit, counts_trouble: false }
}

const fn trouble(id: u8, name: &'static str, unit: &'static str) -> Known {
    Known { id, name, unit, counts_trouble: true }
}

const KNOWN: &[Known] = &[
    count(1, "raw read errors (vendors count differently)", ""),
    count(3, "spin-up time", "ms"),
    count(4, "starts and stops", ""),
    trouble(5, "reallocated sectors", "sectors"),
    count(7, "seek errors (vendors count differently)", ""),
    count(9, "hours of power", "h"),
    trouble(10, "spin-up retries", ""),
    count(12, "power cycles", ""),
    trouble(171, "program failures", ""),
    trouble(172, "erase failures", ""),
    count(173, "mean erases of a block", ""),
    count(174, "power losses without notice", ""),
    count(175, "power-loss protection", ""),
    count(177, "wear levelling", ""),
    trouble(179, "spare blocks used", "blocks"),
    trouble(181, "program failures", ""),
    trouble(182, "erase failures", ""),
    trouble(183, "link slowed down, or bad blocks while running", ""),
    trouble(184, "end-to-end errors", ""),
    trouble(187, "errors that could not be corrected", ""),
    trouble(188, "commands that timed out", ""),
    count(190, "temperature, mostly of the air flow", "C"),
    count(191, "shocks", ""),
    count(192, "power losses without notice", ""),
    count(193, "head loads and unloads", ""),
    count(194, "temperature", "C"),
    count(195, "errors corrected (vendors count differently)", ""),
    trouble(196, "reallocation events", ""),
    trouble(197, "sectors waiting for reallocation", "sectors"),
    trouble(198, "sectors that could not be corrected offline", "sectors"),
    trouble(199, "errors on the link (CRC): mostly the cable", ""),
    count(202, "life used or left (vendors count differently)", "%"),
    count(231, "life left", "%"),
    count(232, "spare capacity left", "%"),
    count(233, "media wear, or data written to flash", ""),
    count(240, "hours of head flying", "h"),
    count(241, "data written by hosts (unit by vendor)", ""),
    count(242, "data read by hosts (unit by vendor)", ""),
    count(249, "data written to flash (unit by vendor)", ""),
];

/// What attribute `id` means, where vendors agree.
#[must_use]
pub fn known(id: u8) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_listed_once_and_in_order() {
        assert!(KNOWN.windows(2).all(|pair| pair[0].id < pair[1].id));
        assert_eq!(known(194).unwrap().unit, "C");
        assert!(known(197).unwrap().counts_trouble && known(0).is_none());
    }
}
