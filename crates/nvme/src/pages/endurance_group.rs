//! Endurance groups: media that wears together.

use crate::reading::counter::Counter;
use crate::reading::fields::structure;

/// Bytes of the group's data units: one billion (Base, section 5.16.1.10).
const BILLION: u128 = 1_000_000_000;

structure! {
    /// Endurance Group Information (LID 09h; Base, section 5.16.1.10).
    EnduranceGroup, "endurance group log", 512 {
        /// Critical Warning, byte 0: bit 0 spare capacity, 2 reliability, 3 read-only.
        critical_warning: u8 = u8(0);
        /// EGFEAT, byte 1 bit 0: its media reports that it is rotational.
        rotational: bool = u8(1) => |byte: u8| byte & 1 == 1;
        /// AVSP, byte 3: spare capacity left, per cent.
        spare_percent: u8 = u8(3);
        /// AVSPT, byte 4: the controller warns below this, per cent.
        spare_threshold_percent: u8 = u8(4);
        /// PUSED, byte 5: how much of the expected life is used, per cent; stops at 255.
        used_percent: u8 = u8(5);
        /// Domain Identifier, bytes 7:6.
        domain: u16 = u16(6);
        /// EE, bytes 47:32: billions of bytes that may be written over its life, as estimated by the vendor.
        endurance_estimate_gb: Counter = counter(32);
        /// DUR, bytes 63:48: billions of bytes that the host read from it.
        read_gb: Counter = counter(48);
        /// DUW, bytes 79:64: billions of bytes that the host wrote to it.
        written_gb: Counter = counter(64);
        /// MUW, bytes 95:80: billions of bytes that the host and the controller wrote to its media.
        media_written_gb: Counter = counter(80);
        /// HRC, bytes 111:96: read commands.
        read_commands: Counter = counter(96);
        /// HWC, bytes 127:112: write commands.
        write_commands: Counter = counter(112);
        /// MDIE, bytes 143:128: media and data integrity errors.
        media_errors: Counter = counter(128);
        /// NEILE, bytes 159:144: entries in the error log about it, over its life.
        error_entries: Counter = counter(144);
        /// TEGCAP, bytes 175:160: capacity, bytes; 0 is not reported.
        capacity_bytes: Counter = counter(160);
        /// UEGCAP, bytes 191:176: capacity not allocated to an NVM set, bytes.
        unallocated_bytes: Counter = counter(176);
    }
}

impl EnduranceGroup {
    /// Bytes that the host wrote to it.
    #[must_use]
    pub fn bytes_written(&self) -> Counter {
        self.written_gb.times(BILLION)
    }

    /// Bytes that were written to its media.
    #[must_use]
    pub fn media_bytes_written(&self) -> Counter {
        self.media_written_gb.times(BILLION)
    }
}
