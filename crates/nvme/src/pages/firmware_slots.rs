//! The firmware slots, and which one is active.

use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, structure};

/// Where the revisions begin, bytes of one, and how many there are.
const REVISIONS: usize = 8;
const REVISION: usize = 8;
const SLOTS: usize = 7;

structure! {
    /// Firmware Slot Information (LID 03h; Base, section 5.16.1.4).
    FirmwareSlots, "firmware slots", 512 {
        /// AFI, byte 0 bits 2:0: the slot of the active firmware.
        active: u8 = u8(0) => |byte: u8| byte & 0b111;
        /// AFI, byte 0 bits 6:4: the slot that becomes active at the next reset; 0 is not reported.
        next: u8 = u8(0) => |byte: u8| byte >> 4 & 0b111;
        /// FRS1 to FRS7, bytes 63:8: the firmware in each slot, from slot 1; None if empty.
        revisions: Vec<Option<String>> = each(revisions);
    }
}

fn revisions(fields: &Fields<'_>) -> Result<Vec<Option<String>>, DecodeError> {
    let revision =
        |slot: usize| Ok(Some(fields.text(REVISIONS + slot * REVISION, REVISION)?).filter(|it| !it.is_empty()));
    (0..SLOTS).map(revision).collect()
}
