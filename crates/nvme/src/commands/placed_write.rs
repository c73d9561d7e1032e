//! The only command here that writes blocks: Write with a placement handle, which the kernel's own write path does
//! not support before Linux 6.16.
//!
//! It is not one of the [`crate::AdminCommand`]s: it is sent from a load's loop, so nothing here allocates, and it
//! goes to the node that the load writes to anyway. Only the engine sends it (tidy's rule *guard*).

use std::io;
use std::os::fd::BorrowedFd;

use crate::commands::command::Dwords;
use crate::commands::ioctl::{self, Data};
use crate::commands::status::Status;

/// Opcode of Write (NVM, section 3.2.6).
const WRITE: u8 = 0x01;
/// DTYPE, bits 23:20 of command dword 12: the directive of data placement, 2h (Base 2.1, directive types).
const DATA_PLACEMENT: u32 = 2 << 20;

/// A Write of whole logical blocks with a placement handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedWrite {
    /// Namespace.
    pub nsid: u32,
    /// First logical block.
    pub first_block: u64,
    /// Logical blocks, 1 to [`Self::BLOCKS_MAX`].
    pub blocks: u32,
    /// Placement identifier.
    pub handle: u16,
}

impl PlacedWrite {
    /// Most blocks of one command: NLB has 16 bits and counts from zero.
    pub const BLOCKS_MAX: u32 = 1 << 16;

    /// Sends it with `data`, the bytes of its blocks, and waits for the drive's answer.
    ///
    /// # Errors
    /// The system's error if the command did not reach the drive: `node` is not a namespace, or may not be written.
    pub fn send(&self, node: BorrowedFd<'_>, data: &[u8]) -> io::Result<Status> {
        // No timeout of its own: the kernel's, as for any other write.
        let completion = ioctl::passthrough(node, true, self.dwords(), 0, Data::From(data))?;
        Ok(Status::new(completion.status))
    }

    fn dwords(&self) -> Dwords {
        let [low, high] = [self.first_block & 0xFFFF_FFFF, self.first_block >> 32];
        Dwords {
            opcode: WRITE,
            nsid: self.nsid,
            // SLBA.
            cdw10: u32::try_from(low).unwrap_or(u32::MAX),
            cdw11: u32::try_from(high).unwrap_or(u32::MAX),
            // NLB, bits 15:0.
            cdw12: self.blocks.saturating_sub(1) & 0xFFFF | DATA_PLACEMENT,
            // DSPEC, bits 31:16: the placement identifier.
            cdw13: u32::from(self.handle) << 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn it_has_the_dwords_of_the_specification() {
        let write = PlacedWrite { nsid: 5, first_block: 0x1_2345_6789, blocks: 16, handle: 0x0203 };
        // NLB 15, DTYPE 2 in bits 23:20; DSPEC in bits 31:16.
        let (cdw10, cdw11, cdw12, cdw13) = (0x2345_6789, 0x1, 0x0020_000F, 0x0203_0000);
        assert_eq!(write.dwords(), Dwords { opcode: 0x01, nsid: 5, cdw10, cdw11, cdw12, cdw13 });
        let longest = PlacedWrite { blocks: PlacedWrite::BLOCKS_MAX, ..write };
        assert_eq!(longest.dwords().cdw12, 0x0020_FFFF);
    }

    /// The kernel answers ENOTTY: a file takes no NVMe command. Nothing was written, and the error is reported.
    #[test]
    fn what_is_no_namespace_answers_with_an_error() {
        let null = File::open("/dev/null").unwrap();
        let write = PlacedWrite { nsid: 1, first_block: 0, blocks: 1, handle: 0 };
        let error = write.send(null.as_fd(), &[0; 4096]).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOTTY));
    }
}
