//! The power that a controller measures itself (Base 2.3).

use serde::Serialize;

use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, bit, structure};

/// Bytes before the first bin, and the smallest size of a bin.
const BINS: usize = 64;
const BIN: usize = 8;

structure! {
    /// Power Measurement (LID 25h; Base 2.3).
    PowerMeasurement, "power measurement log", 64 {
        /// PMGN, byte 1: increases with each start of a measurement.
        generation: u8 = u8(1);
        /// PMA, bytes 3:2 bit 0: a measurement is running.
        running: bool = u16(2) => |word: u16| bit(word, 0);
        /// PMA, bytes 3:2 bit 1: the data has gaps.
        has_gaps: bool = u16(2) => |word: u16| bit(word, 1);
        /// PMA, bytes 3:2 bit 2: the power is estimated instead of measured.
        estimated: bool = u16(2) => |word: u16| bit(word, 2);
        /// PMA, bytes 3:2 bits 15:12: the kind of measurement.
        kind: u8 = u16(2) => |word: u16| (word >> 12).to_le_bytes()[0];
        /// SZE, bytes 7:4: size of the whole page, bytes.
        size_bytes: u32 = u32(4);
        /// PMC, bytes 11:8: intervals that were measured.
        intervals: u32 = u32(8);
        /// SMTR, bytes 15:14: minutes until the measurement stops; 0 is not specified.
        remaining_min: u16 = u16(14);
        /// SMTS, bytes 21:16: when it stopped, milliseconds of the controller's clock.
        stopped_ms: u64 = u48(16);
        /// PHBS, bytes 27:26: width of a bin, milliwatts (250).
        bin_mw: u16 = u16(26);
        /// NPHDS, bytes 29:28: largest possible number of bins.
        bins_supported: u16 = u16(28);
        /// PHDOC, bytes 35:32: intervals above the last bin.
        above_last_bin: u32 = u32(32);
        /// AIPWR, bytes 43:40: mean power, microwatts.
        average_power_uw: Option<u64> = scaled_power(40);
        /// MIPWR, bytes 47:44: most power of an interval, microwatts.
        maximum_power_uw: Option<u64> = scaled_power(44);
        /// MIPWRT, bytes 53:48: when that was, milliseconds of the controller's clock.
        maximum_at_ms: u64 = u48(48);
        /// IPWRPE, byte 56: largest error, per cent. None if not reported (above 100).
        error_percent: Option<u8> = u8(56) => |percent: u8| (percent <= 100).then_some(percent);
        /// NPHD (bytes 13:12), PHDS (bytes 25:24) and the bins from byte 64.
        bins: Vec<PowerBin> = each(bins);
    }
}

/// A bin of the histogram (Base 2.3, Power Histogram Descriptor).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PowerBin {
    /// PHBC, bytes 3:0: intervals in it.
    pub intervals: u32,
    /// PHBLT, bytes 7:4: the least power of the bin, microwatts.
    pub from_uw: Option<u64>,
}

fn bins(fields: &Fields<'_>) -> Result<Vec<PowerBin>, DecodeError> {
    let (count, size) = (usize::from(fields.u16(12)?), usize::from(fields.u16(24)?));
    if count != 0 && size < BIN {
        return Err(fields.odd(format!("its bins are stated to be {size} bytes long, but need at least {BIN}")));
    }
    let bin = |number: usize| {
        let bin = fields.part(BINS + number * size, BIN)?;
        Ok(PowerBin { intervals: bin.u32(0)?, from_uw: bin.scaled_power(4)? })
    };
    (0..count).map(bin).collect()
}
