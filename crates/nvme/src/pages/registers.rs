//! The controller's register of capabilities (the first eight bytes of its memory), if it could be read.

use crate::reading::fields::{bit, structure};

structure! {
    /// CAP, bytes 7:0 of the controller's registers (Base, section 3.1.3.1; PCIe, section 3.1.1).
    Capabilities, "CAP register", 8 {
        /// MQES, bits 15:0: most entries of a queue; zero-based in the register, converted here.
        max_queue_entries: u32 = u16(0) => |zero_based: u16| u32::from(zero_based) + 1;
        /// CQR, bit 16: queues must be contiguous in memory.
        contiguous_queues: bool = u64(0) => |cap: u64| bit(cap, 16);
        /// AMS, bit 17: weighted round robin between queues.
        weighted_round_robin: bool = u64(0) => |cap: u64| bit(cap, 17);
        /// TO, bits 31:24: longest time to become ready, milliseconds (the register counts 500 ms).
        ready_timeout_ms: u32 = u8(3) => |halves: u8| u32::from(halves) * 500;
        /// DSTRD, bits 35:32: distance between doorbells, bytes.
        doorbell_stride_bytes: u32 = u8(4) => |exponent: u8| 4_u32 << (exponent & 0xF);
        /// NSSRS, bit 36: the subsystem can be reset.
        subsystem_reset: bool = u64(0) => |cap: u64| bit(cap, 36);
        /// CSS, bits 44:37: command sets, as bits; bit 0 is NVM.
        command_sets: u8 = u64(0) => |cap: u64| (cap >> 37).to_le_bytes()[0];
        /// MPSMIN, bits 51:48: smallest memory page, bytes.
        page_min_bytes: u64 = u8(6) => |byte: u8| 4096_u64 << (byte & 0xF);
        /// MPSMAX, bits 55:52: largest memory page, bytes.
        page_max_bytes: u64 = u8(6) => |byte: u8| 4096_u64 << (byte >> 4);
        /// PMRS, bit 56: a persistent memory region.
        persistent_memory: bool = u64(0) => |cap: u64| bit(cap, 56);
        /// CMBS, bit 57: a controller memory buffer.
        memory_buffer: bool = u64(0) => |cap: u64| bit(cap, 57);
    }
}

impl Capabilities {
    /// Decodes the register as one number.
    ///
    /// # Errors
    /// Never for a number; the decoder determines the signature.
    pub fn of(cap: u64) -> Result<Self, crate::reading::error::DecodeError> {
        Capabilities::decode(&cap.to_le_bytes())
    }
}
