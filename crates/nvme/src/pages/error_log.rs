//! The error log: commands that failed, newest first.

use serde::Serialize;

use crate::commands::status::Status;
use crate::reading::error::DecodeError;
use crate::reading::fields::{Fields, structure};

structure! {
    /// An entry of Error Information (LID 01h; Base, section 5.16.1.2).
    ErrorEntry, "error log entry", 64 {
        /// Error Count, bytes 7:0: increases by one with each entry, from 1; 0 marks an unused entry.
        count: u64 = u64(0);
        /// SQID, bytes 9:8: the queue; FFFFh if it belongs to none.
        queue: u16 = u16(8);
        /// CID, bytes 11:10: the command.
        command: u16 = u16(10);
        /// Status Info, bytes 13:12: the status, after its phase bit.
        status: Status = u16(12) => |word: u16| Status::new(word >> 1);
        /// PELOC, bytes 15:14: where in the command the error is; byte in bits 7:0, bit in bits 10:8.
        parameter: u16 = u16(14);
        /// LBA, bytes 23:16: the first block that failed.
        first_block: u64 = u64(16);
        /// NSID, bytes 27:24: the namespace.
        namespace: u32 = u32(24);
        /// VSIA, byte 28: the vendor's log page with details; 0 is none.
        vendor_log: u8 = u8(28);
        /// TRTYPE, byte 29: the transport; 0 is not reported.
        transport: u8 = u8(29);
        /// CSINFO, bytes 39:32: more about the command.
        command_information: u64 = u64(32);
        /// TTSI, bytes 41:40: more about the transport.
        transport_information: u16 = u16(40);
    }
}

/// The error log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorLog {
    /// Entries in use, in the order of the page: newest first.
    pub entries: Vec<ErrorEntry>,
}

impl ErrorLog {
    /// Decodes as many entries as `bytes` holds; an incomplete entry at the end is ignored.
    ///
    /// # Errors
    /// Not even one entry.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let fields = Fields::of("error log", bytes, ErrorEntry::SIZE)?;
        let mut entries = Vec::new();
        for number in 0..fields.len() / ErrorEntry::SIZE {
            let entry = ErrorEntry::decode(fields.slice(number * ErrorEntry::SIZE, ErrorEntry::SIZE)?)?;
            if entry.count != 0 {
                entries.push(entry);
            }
        }
        Ok(ErrorLog { entries })
    }
}
