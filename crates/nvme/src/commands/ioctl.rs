//! The kernel's passthrough of NVMe commands. This and `bar` are the two places of this crate with `unsafe`.
//!
//! Owns the layout of the kernel's structures (include/uapi/linux/nvme_ioctl.h) and the numbers of its calls. Must not
//! know what a command means.
#![expect(unsafe_code, reason = "ioctl(2) with a pointer to the kernel's structure")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::commands::command::Dwords;

/// `NVME_IOCTL_ID`, `_IO('N', 0x40)`: the namespace identifier of a namespace's node.
const NVME_IOCTL_ID: libc::Ioctl = 0x4E40;
/// `NVME_IOCTL_ADMIN_CMD`, `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = 0xC048_4E41_u32 as libc::Ioctl;
/// `NVME_IOCTL_IO_CMD`, `_IOWR('N', 0x43, struct nvme_passthru_cmd)`.
const NVME_IOCTL_IO_CMD: libc::Ioctl = 0xC048_4E43_u32 as libc::Ioctl;

/// `struct nvme_passthru_cmd`, 72 bytes.
#[repr(C)]
#[derive(Debug, Default)]
struct PassthroughCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    address: u64,
    metadata_length: u32,
    data_length: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

const _: () = assert!(size_of::<PassthroughCommand>() == 72, "the kernel's structure has 72 bytes");

/// The result: the controller's status (0 is success) and dword 0 of the completion.
pub(crate) struct Completion {
    pub(crate) status: u16,
    pub(crate) dword0: u32,
}

/// The buffer of a command.
#[derive(Debug)]
pub(crate) enum Data<'a> {
    /// Data that the drive receives.
    From(&'a [u8]),
    /// Data that the drive fills in.
    Into(&'a mut [u8]),
}

impl Data<'_> {
    fn len(&self) -> usize {
        match self {
            Data::From(data) => data.len(),
            Data::Into(data) => data.len(),
        }
    }

    /// Its address for the kernel; 0 for an empty one.
    fn address(&mut self) -> u64 {
        match self {
            _ if self.len() == 0 => 0,
            Data::From(data) => data.as_ptr().expose_provenance() as u64,
            Data::Into(data) => data.as_mut_ptr().expose_provenance() as u64,
        }
    }

    /// Whether a command with this opcode moves data in this direction: bits 1:0 are 01b towards the drive, 10b
    /// towards the host (Base, section 3.3.3.1).
    fn suits(&self, opcode: u8) -> bool {
        self.len() == 0 || matches!((self, opcode & 0b11), (Data::From(_), 0b01) | (Data::Into(_), 0b10))
    }
}

/// Sends one command with `data` as its buffer and waits for the answer.
pub(crate) fn passthrough(
    node: BorrowedFd<'_>,
    is_io: bool,
    words: Dwords,
    timeout_ms: u32,
    mut data: Data<'_>,
) -> io::Result<Completion> {
    if !data.suits(words.opcode) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let data_length = u32::try_from(data.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let address = data.address();
    let mut command = PassthroughCommand {
        opcode: words.opcode,
        nsid: words.nsid,
        cdw10: words.cdw10,
        cdw11: words.cdw11,
        cdw12: words.cdw12,
        cdw13: words.cdw13,
        address,
        data_length,
        timeout_ms,
        ..PassthroughCommand::default()
    };
    let number = if is_io { NVME_IOCTL_IO_CMD } else { NVME_IOCTL_ADMIN_CMD };
    // SAFETY: the kernel reads and writes one `nvme_passthru_cmd` at the pointer, which is valid for the whole call and
    // has the kernel's layout (72 bytes, asserted above). That structure points at `data`, which is borrowed for the
    // call, mutably where the command's direction is towards the host (checked above); the kernel copies at most
    // `data_length` bytes, its length, in that direction, and keeps no pointer after it returns.
    let answer = unsafe { libc::ioctl(node.as_raw_fd(), number, &raw mut command) };
    match u16::try_from(answer) {
        Ok(status) => Ok(Completion { status, dword0: command.result }),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// The namespace identifier of a namespace's node.
pub(crate) fn namespace_id(node: BorrowedFd<'_>) -> io::Result<u32> {
    // SAFETY: the call takes no argument and writes no memory.
    let answer = unsafe { libc::ioctl(node.as_raw_fd(), NVME_IOCTL_ID) };
    u32::try_from(answer).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_goes_only_the_way_that_the_opcode_says() {
        let (mut into, from) = ([0; 8], [0; 8]);
        // Write, Identify, Format, and Set Features without data.
        let ways = |opcode| [Data::From(&from).suits(opcode), Data::Into(&mut [0; 8]).suits(opcode)];
        assert_eq!([0x01, 0x06, 0x80].map(ways), [[true, false], [false, true], [false, false]]);
        assert!(Data::Into(&mut into[..0]).suits(0x09));
    }
}
