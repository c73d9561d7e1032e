//! How much is asked of a drive, and a page as it came.

use drivelab_core::probe::RawPage;

/// How much to ask of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// One line in a list: what sysfs says and the drive's health.
    Brief,
    /// All pages that it gives.
    Full,
}

/// A page as it came.
pub(super) fn raw_page(name: String, bytes: &[u8]) -> RawPage {
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let hex = bytes[..used].iter().map(|byte| format!("{byte:02x}")).collect();
    RawPage { name, hex, length: u32::try_from(bytes.len()).unwrap_or(u32::MAX) }
}
