//! The log of self-tests.

use serde::Serialize;

use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, bit};

/// Where results begin, bytes of one, and how many there are.
const RESULTS: usize = 4;
const RESULT: usize = 28;
const RESULT_COUNT: usize = 20;

/// Which self-test (STC; Base, section 5.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfTestKind {
    /// 1h: short.
    Short,
    /// 2h: extended.
    Extended,
    /// 3h: started by the host (Base 2.1).
    HostInitiated,
    /// Eh: vendor specific.
    VendorSpecific,
    /// A value that the specification reserves.
    Reserved(u8),
}

/// How a self-test ended (bits 3:0 of Device Self-test Status; Base, section 5.16.1.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfTestOutcome {
    /// 0h: without error.
    Passed,
    /// 1h: aborted by a command of the host.
    AbortedByCommand,
    /// 2h: aborted by a reset of the controller.
    AbortedByReset,
    /// 3h: aborted because the namespace was removed.
    AbortedByNamespaceRemoval,
    /// 4h: aborted by a format.
    AbortedByFormat,
    /// 5h: it could not continue.
    FatalError,
    /// 6h: a part failed, and it is unknown which.
    UnknownSegmentFailed,
    /// 7h: a part failed; its number is in the result.
    SegmentFailed,
    /// 8h: aborted for an unknown reason.
    AbortedUnknown,
    /// 9h: aborted by a sanitize.
    AbortedBySanitize,
    /// A value that the specification reserves.
    Reserved(u8),
}

/// A result (Base, section 5.16.1.7, Self-test Result Data Structure).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SelfTestResult {
    /// Byte 0 bits 7:4.
    pub kind: SelfTestKind,
    /// Byte 0 bits 3:0.
    pub outcome: SelfTestOutcome,
    /// SEGN, byte 1: the part that failed first, if the outcome says that it is known.
    pub segment: u8,
    /// POH, bytes 11:4: power-on hours at the test.
    pub power_on_h: u64,
    /// NSID, bytes 15:12; valid if byte 2 bit 0 is set.
    pub namespace: Option<u32>,
    /// FLBA, bytes 23:16: the block that failed; valid if byte 2 bit 1 is set.
    pub failing_block: Option<u64>,
    /// SCT, byte 24; valid if byte 2 bit 2 is set.
    pub status_kind: Option<u8>,
    /// SC, byte 25; valid if byte 2 bit 3 is set.
    pub status_code: Option<u8>,
}

/// Device Self-test (LID 06h; Base, section 5.16.1.7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SelfTestLog {
    /// CDSTO, byte 0 bits 3:0: the test that is running.
    pub running: Option<SelfTestKind>,
    /// CDSTC, byte 1 bits 6:0: its progress, per cent.
    pub done_percent: u8,
    /// Results that are in use, newest first.
    pub results: Vec<SelfTestResult>,
}

impl SelfTestLog {
    /// Size of the structure, bytes.
    pub const SIZE: usize = RESULTS + RESULT * RESULT_COUNT;

    /// Decodes it from bytes.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("self-test log", bytes, Self::SIZE)?;
        let running = match fields.u8(0)? & 0xF {
            0 => None,
            other => Some(kind(other)),
        };
        let mut results = Vec::new();
        for number in 0..RESULT_COUNT {
            results.extend(result(&fields.part(RESULTS + number * RESULT, RESULT)?)?);
        }
        Ok(SelfTestLog { running, done_percent: fields.u8(1)? & 0x7F, results })
    }
}

fn kind(raw: u8) -> SelfTestKind {
    match raw {
        0x1 => SelfTestKind::Short,
        0x2 => SelfTestKind::Extended,
        0x3 => SelfTestKind::HostInitiated,
        0xE => SelfTestKind::VendorSpecific,
        other => SelfTestKind::Reserved(other),
    }
}

/// A result, or `None` if the entry is unused (outcome Fh, or a test of kind 0).
fn result(fields: &Fields<'_>) -> Result<Option<SelfTestResult>, DecodeError> {
    let (status, valid) = (fields.u8(0)?, fields.u8(2)?);
    let outcome = match status & 0xF {
        0x0 => SelfTestOutcome::Passed,
        0x1 => SelfTestOutcome::AbortedByCommand,
        0x2 => SelfTestOutcome::AbortedByReset,
        0x3 => SelfTestOutcome::AbortedByNamespaceRemoval,
        0x4 => SelfTestOutcome::AbortedByFormat,
        0x5 => SelfTestOutcome::FatalError,
        0x6 => SelfTestOutcome::UnknownSegmentFailed,
        0x7 => SelfTestOutcome::SegmentFailed,
        0x8 => SelfTestOutcome::AbortedUnknown,
        0x9 => SelfTestOutcome::AbortedBySanitize,
        0xF => return Ok(None),
        other => SelfTestOutcome::Reserved(other),
    };
    // A page that was never written is all zeros; a real result has a kind.
    if status >> 4 == 0 {
        return Ok(None);
    }
    Ok(Some(SelfTestResult {
        kind: kind(status >> 4),
        outcome,
        segment: fields.u8(1)?,
        power_on_h: fields.u64(4)?,
        namespace: if bit(valid, 0) { Some(fields.u32(12)?) } else { None },
        failing_block: if bit(valid, 1) { Some(fields.u64(16)?) } else { None },
        status_kind: if bit(valid, 2) { Some(fields.u8(24)?) } else { None },
        status_code: if bit(valid, 3) { Some(fields.u8(25)?) } else { None },
    }))
}
