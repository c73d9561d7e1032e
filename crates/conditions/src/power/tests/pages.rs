//! Pages of a controller with several power states, built by the specification's offsets, for tests.

use drivelab_nvme::{Request, Select};

pub(crate) const IDENTIFY: Request = Request::Identify { cns: 1, nsid: 0 };
pub(crate) const CURRENT: Request = Request::GetFeature { feature: 2, select: Select::Current, argument: 0 };

/// Identify controller (Base 2.0, figure 275): SN at 4, MN at 24, OACS at 256, NPSS at 263 (zero-based), power state
/// descriptors of 32 bytes from 2048 (MP at 0 in units of 10 mW, NOPS in bit 1 of byte 3).
pub(crate) fn identify(watts: &[(u16, bool)], security: bool) -> Vec<u8> {
    let mut page = vec![0; 4096];
    page[4..24].copy_from_slice(b"SN-1                ");
    page[24..64].copy_from_slice(b"A drive of pages                        ");
    page[256] = u8::from(security);
    page[263] = u8::try_from(watts.len() - 1).expect("few states");
    for (at, (centiwatts, non_operational)) in watts.iter().enumerate() {
        let from = 2048 + 32 * at;
        page[from..from + 2].copy_from_slice(&centiwatts.to_le_bytes());
        page[from + 3] = u8::from(*non_operational) << 1;
    }
    page
}

pub(crate) const THREE: [(u16, bool); 4] = [(825, false), (410, false), (350, false), (5, true)];
