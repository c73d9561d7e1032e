//! Progress of a sanitize operation, and the result of the last one.

use serde::Serialize;

use crate::reading::fields::{bit, structure};

/// SSTAT bits 2:0 (Base, section 5.16.1.25).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SanitizeOutcome {
    /// 0: never sanitized.
    Never,
    /// 1: the last one succeeded.
    Completed,
    /// 2: one is in progress.
    InProgress,
    /// 3: the last one failed.
    Failed,
    /// 4: the last one succeeded, but deallocated although it was asked not to.
    CompletedDeallocated,
    /// A value that the specification reserves.
    Reserved(u8),
}

structure! {
    /// Sanitize Status (LID 81h; Base, section 5.16.1.25; byte 36: Base 2.1).
    SanitizeStatus, "sanitize status", 512 {
        /// SPROG, bytes 1:0: progress in 65,536ths; FFFFh if none is in progress.
        progress_65536ths: u16 = u16(0);
        /// SSTAT, bytes 3:2 bits 2:0.
        outcome: SanitizeOutcome = u16(2) => outcome;
        /// SSTAT, bytes 3:2 bits 7:3: completed passes of an overwrite.
        passes_done: u8 = u16(2) => |word: u16| (word >> 3).to_le_bytes()[0] & 0x1F;
        /// GDE, bytes 3:2 bit 8: nothing was written since the last sanitize, or since manufacture.
        nothing_written_since: bool = u16(2) => |word: u16| bit(word, 8);
        /// SCDW10, bytes 7:4: dword 10 of the command that started it.
        command_dword10: u32 = u32(4);
        /// ETO, bytes 11:8: seconds that an overwrite takes. None if not reported.
        overwrite_s: Option<u32> = u32(8) => reported;
        /// ETBE, bytes 15:12: seconds that a block erase takes.
        block_erase_s: Option<u32> = u32(12) => reported;
        /// ETCE, bytes 19:16: seconds that a crypto erase takes.
        crypto_erase_s: Option<u32> = u32(16) => reported;
        /// ETOND, bytes 23:20: seconds for the overwrite without deallocation.
        overwrite_kept_s: Option<u32> = u32(20) => reported;
        /// ETBEND, bytes 27:24: seconds for the block erase without deallocation.
        block_erase_kept_s: Option<u32> = u32(24) => reported;
        /// ETCEND, bytes 31:28: seconds for the crypto erase without deallocation.
        crypto_erase_kept_s: Option<u32> = u32(28) => reported;
    }
}

impl SanitizeStatus {
    /// Progress, per cent; 100 if none is in progress.
    #[must_use]
    pub fn done_percent(&self) -> f64 {
        match self.outcome {
            SanitizeOutcome::InProgress => f64::from(self.progress_65536ths) / 65_536.0 * 100.0,
            _ => 100.0,
        }
    }
}

fn outcome(word: u16) -> SanitizeOutcome {
    match word.to_le_bytes()[0] & 0b111 {
        0 => SanitizeOutcome::Never,
        1 => SanitizeOutcome::Completed,
        2 => SanitizeOutcome::InProgress,
        3 => SanitizeOutcome::Failed,
        4 => SanitizeOutcome::CompletedDeallocated,
        other => SanitizeOutcome::Reserved(other),
    }
}

fn reported(seconds: u32) -> Option<u32> {
    (seconds != u32::MAX).then_some(seconds)
}
