//! How much a drive is asked, and raw pages.

use drivelab_core::probe::RawPage;

/// How much to ask a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// For one line in a list: facts in sysfs and the drive's health.
    Brief,
    /// All pages that the drive provides.
    Full,
}

/// A page as the drive returned it.
pub(super) fn raw_page(name: String, bytes: &[u8]) -> RawPage {
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let hex = bytes[..used].iter().map(|byte| format!("{byte:02x}")).collect();
    RawPage { name, hex, length: u32::try_from(bytes.len()).unwrap_or(u32::MAX) }
}
