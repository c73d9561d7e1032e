//! Writes that carry a placement handle: NVMe Write commands through the kernel's passthrough, one at a time. Unsafe
//! because it is an ioctl with a pointer to a buffer.
//!
//! The kernel's own write path has no place for a handle before Linux 6.16, and only drives with Flexible Data
//! Placement have any. Layouts: include/uapi/linux/nvme_ioctl.h; NVM Command Set Specification 1.0c, Write (section
//! 3.2.6), and Base Specification 2.1 for the directive type of data placement.
#![expect(unsafe_code, reason = "ioctl(2) with a pointer to the kernel's structure")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use drivelab_core::backend::BackendError;
use drivelab_core::target::{IoTarget, PlacementHandles};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;
use rustix::fs::{FileType, fstat, major, minor};

/// `NVME_IOCTL_IO_CMD`, `_IOWR('N', 0x43, struct nvme_passthru_cmd)`.
const NVME_IOCTL_IO_CMD: libc::Ioctl = 0xC048_4E43_u32 as libc::Ioctl;
/// Opcode of Write.
const WRITE: u8 = 0x01;
/// DTYPE, bits 23:20 of command dword 12: the directive of data placement, 2h.
const DATA_PLACEMENT: u32 = 2 << 20;
/// Most blocks of one command: NLB has 16 bits and counts from zero.
const BLOCKS_MAX: u32 = 1 << 16;

/// `struct nvme_passthru_cmd`, 72 bytes.
#[repr(C)]
#[derive(Debug, Default, PartialEq, Eq)]
struct Command {
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

const _: () = assert!(size_of::<Command>() == 72, "the kernel's structure has 72 bytes");

/// Where a load's writes go, and by which handle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<'a> {
    device: BorrowedFd<'a>,
    nsid: u32,
    /// The logical block is two to the power of this many bytes.
    block_shift: u32,
    /// Most bytes of one command.
    largest: u32,
    identifier: u16,
}

impl<'a> Placed<'a> {
    /// For a load that names a handle; `None` for one that names none.
    pub(crate) fn of(
        target: &'a IoTarget,
        known: Option<&PlacementHandles>,
        workload: &Workload,
    ) -> Result<Option<Self>, BackendError> {
        let Some(handle) = workload.placement_handle else { return Ok(None) };
        Self::by(target, known, workload, handle).map(Some).map_err(|why| {
            let path = target.path().display();
            BackendError::Unfit(format!("writes to '{path}' were to be placed by handle {handle}, and {why}"))
        })
    }

    fn by(
        target: &'a IoTarget,
        known: Option<&PlacementHandles>,
        workload: &Workload,
        handle: u16,
    ) -> Result<Self, String> {
        if !workload.direct {
            return Err("only direct I/O can be placed: what goes through the page cache is written later".to_owned());
        }
        let known = known.ok_or("nothing says which handles it has")?;
        let device = target.handle(true).ok_or("it has no direct I/O")?;
        let stat = fstat(device).map_err(|error| format!("it cannot be looked at (fstat: {error})"))?;
        let number = (major(stat.st_rdev), minor(stat.st_rdev));
        if FileType::from_raw_mode(stat.st_mode) != FileType::BlockDevice || number != known.device {
            return Err("it is not the whole namespace whose handles are known".to_owned());
        }
        if !known.handles.contains(&handle) {
            return Err(format!("the drive has no such handle (it has {})", known.handles_text()));
        }
        let block = known.logical_block.get();
        let largest = known.largest_command.min(Bytes::new(block.saturating_mul(u64::from(BLOCKS_MAX))));
        let largest = u32::try_from(largest.get()).unwrap_or(u32::MAX);
        if !block.is_power_of_two() || !largest.is_multiple_of(u32::try_from(block).unwrap_or(u32::MAX)) || largest == 0
        {
            return Err(format!("blocks of {block} bytes and commands of {largest} bytes cannot be"));
        }
        let odd = workload.block_sizes().into_iter().find(|size| !size.get().is_multiple_of(block));
        if let Some(odd) = odd.filter(|_| workload.replay.is_none()) {
            return Err(format!("operations of {odd} are no whole logical blocks of {block} bytes"));
        }
        Ok(Placed { device, nsid: known.namespace, block_shift: block.trailing_zeros(), largest, identifier: handle })
    }

    /// The handle.
    pub(crate) const fn handle(&self) -> u16 {
        self.identifier
    }

    /// Commands that a write of so many bytes takes.
    pub(crate) const fn commands(&self, length: u32) -> u64 {
        length.div_ceil(self.largest) as u64
    }

    /// Writes all of `data` at byte `offset`, command after command; the answer as io_uring would give it: bytes, or
    /// minus the error number of the first command that failed.
    pub(crate) fn write(&self, data: &[u8], offset: u64) -> i32 {
        let mut at = offset;
        for piece in data.chunks(self.largest as usize) {
            let answer = send(self.device, self.command(piece.len(), at), piece);
            if answer != 0 {
                return answer;
            }
            at += piece.len() as u64;
        }
        i32::try_from(data.len()).unwrap_or(i32::MAX)
    }

    /// The Write command for so many bytes, whole blocks, from byte `offset` on; without its data.
    fn command(&self, length: usize, offset: u64) -> Command {
        let (first, blocks) = (offset >> self.block_shift, length >> self.block_shift);
        Command {
            opcode: WRITE,
            nsid: self.nsid,
            // SLBA, low and high half.
            cdw10: u32::try_from(first & 0xFFFF_FFFF).unwrap_or(u32::MAX),
            cdw11: u32::try_from(first >> 32).unwrap_or(u32::MAX),
            // NLB, bits 15:0, which counts from zero.
            cdw12: u32::try_from(blocks.saturating_sub(1) & 0xFFFF).unwrap_or(0) | DATA_PLACEMENT,
            // DSPEC, bits 31:16: the placement identifier.
            cdw13: u32::from(self.identifier) << 16,
            ..Command::default()
        }
    }
}

/// Sends a command with its data and waits for the answer: 0, or minus an error number.
fn send(device: BorrowedFd<'_>, mut command: Command, data: &[u8]) -> i32 {
    command.address = data.as_ptr().expose_provenance() as u64;
    command.data_length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    // SAFETY: the kernel reads and writes one `nvme_passthru_cmd` at the pointer, which is valid for the whole call and
    // has the kernel's layout (72 bytes, asserted above). That structure points at `data`, which is borrowed for the
    // call; the opcode is that of a write, so the kernel only reads it, at most `data_length` bytes, its length, and
    // keeps no pointer after it returns.
    let answer = unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_IO_CMD, &raw mut command) };
    match answer {
        0 => 0,
        1.. => -errno_of(answer),
        _ => -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO),
    }
}

/// The error number for a status of the drive (status code type and code, bits 10:0): what the kernel's driver makes of
/// the same status for its own writes (nvme_error_status and blk_status_to_errno), and where it says EIO for what no
/// retry cures, a plainer one.
const fn errno_of(status: i32) -> i32 {
    match status & 0x7FF {
        // Invalid Opcode, FDP Disabled.
        0x01 | 0x29 => libc::EOPNOTSUPP,
        // Invalid Field, Invalid Placement Handle List.
        0x02 | 0x2A => libc::EINVAL,
        // Invalid Namespace or Format, Namespace Not Ready.
        0x0B | 0x82 => libc::ENODEV,
        // Namespace is Write Protected, Attempted Write to Read Only Range.
        0x20 | 0x182 => libc::EROFS,
        // LBA Out of Range.
        0x80 => libc::EREMOTEIO,
        // Capacity Exceeded.
        0x81 => libc::ENOSPC,
        // Reservation Conflict.
        0x83 => libc::EBADE,
        // Write Fault.
        0x280 => libc::ENODATA,
        _ => libc::EIO,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd;

    use super::*;

    fn placed(device: &File) -> Placed<'_> {
        Placed { device: device.as_fd(), nsid: 5, block_shift: 12, largest: 128 << 10, identifier: 0x0203 }
    }

    /// The bytes of the structure in the order in which the kernel takes them.
    fn bytes(command: &Command) -> Vec<u8> {
        let Command { opcode, flags, reserved, nsid, cdw2, cdw3, metadata, address, .. } = *command;
        let Command { metadata_length, data_length, cdw10, cdw11, cdw12, cdw13, cdw14, cdw15, .. } = *command;
        let head = [opcode, flags].into_iter().chain(reserved.to_le_bytes());
        let words = [nsid, cdw2, cdw3].into_iter().flat_map(u32::to_le_bytes);
        let long = [metadata, address].into_iter().flat_map(u64::to_le_bytes);
        let rest = [metadata_length, data_length, cdw10, cdw11, cdw12, cdw13, cdw14, cdw15, command.timeout_ms];
        let rest = rest.into_iter().chain([command.result]).flat_map(u32::to_le_bytes);
        head.chain(words).chain(long).chain(rest).collect()
    }

    /// 64 KiB from block 0x1_2345_6789 of 4 KiB on, by handle 0x0203 of namespace 5: what goes to the kernel, byte by byte.
    #[test]
    fn a_placed_write_has_the_bytes_of_the_specification() {
        let null = File::open("/dev/null").unwrap();
        let command = placed(&null).command(64 << 10, 0x1_2345_6789 << 12);
        let mut expected = vec![0; 72];
        expected[0] = 0x01;
        expected[4] = 5;
        expected[40..48].copy_from_slice(&[0x89, 0x67, 0x45, 0x23, 0x01, 0, 0, 0]);
        // NLB 15 (sixteen blocks), DTYPE 2 in bits 23:20; DSPEC in bits 31:16.
        expected[48..56].copy_from_slice(&[15, 0, 0x20, 0, 0, 0, 0x03, 0x02]);
        assert_eq!(bytes(&command), expected);
    }

    #[test]
    fn a_long_write_is_as_many_commands_as_the_drive_takes_it_in() {
        let null = File::open("/dev/null").unwrap();
        let placed = placed(&null);
        let counts = [4096, 128 << 10, (128 << 10) + 4096, 1 << 20].map(|length| placed.commands(length));
        assert_eq!(counts, [1, 1, 2, 8]);
        let last = placed.command(4096, 128 << 10);
        assert_eq!((last.cdw10, last.cdw12), (32, 0x0020_0000));
    }

    /// The kernel answers ENOTTY: a file takes no NVMe command. Nothing was written, and the error is told.
    #[test]
    fn what_is_no_namespace_answers_with_an_error() {
        let null = File::open("/dev/null").unwrap();
        assert_eq!(placed(&null).write(&[0; 4096], 0), -libc::ENOTTY);
    }

    #[test]
    fn a_drives_status_is_an_error_number_without_the_bits_that_say_whether_to_try_again() {
        let numbers = [0x4002, 0x4029, 0x0081, 0x4280, 0x0006].map(errno_of);
        assert_eq!(numbers, [libc::EINVAL, libc::EOPNOTSUPP, libc::ENOSPC, libc::ENODATA, libc::EIO]);
    }
}
