//! Writes that carry a placement handle, one NVMe command at a time: which loads can have them, and how an operation
//! is split into commands. The command itself is in [`drivelab_nvme::PlacedWrite`].

use std::os::fd::BorrowedFd;

use drivelab_core::backend::BackendError;
use drivelab_core::target::{IoTarget, PlacementHandles};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;
use drivelab_nvme::{PlacedWrite, Status};
use rustix::fs::{FileType, fstat, major, minor};

/// Where a load's writes go, and with which handle.
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
    /// For a load that names a handle; `None` if it names none.
    pub(crate) fn of(
        target: &'a IoTarget,
        known: Option<&PlacementHandles>,
        workload: &Workload,
    ) -> Result<Option<Self>, BackendError> {
        let Some(handle) = workload.placement_handle else { return Ok(None) };
        Self::by(target, known, workload, handle).map(Some).map_err(|why| {
            let path = target.path().display();
            BackendError::Unfit(format!("writes to '{path}' cannot be placed by handle {handle}: {why}"))
        })
    }

    fn by(
        target: &'a IoTarget,
        known: Option<&PlacementHandles>,
        workload: &Workload,
        handle: u16,
    ) -> Result<Self, String> {
        if !workload.direct {
            return Err("only direct I/O can be placed, since the page cache writes its data later".to_owned());
        }
        let known = known.ok_or("its handles are not known")?;
        let device = target.handle(true).ok_or("it has no direct I/O")?;
        let stat = fstat(device).map_err(|error| format!("it cannot be examined (fstat: {error})"))?;
        let number = (major(stat.st_rdev), minor(stat.st_rdev));
        if FileType::from_raw_mode(stat.st_mode) != FileType::BlockDevice || number != known.device {
            return Err("it is not the whole namespace that the known handles belong to".to_owned());
        }
        if !known.handles.contains(&handle) {
            return Err(format!("the drive has no such handle (it has {})", known.handles_text()));
        }
        let block = known.logical_block.get();
        let largest = known.largest_command.min(Bytes::new(block.saturating_mul(u64::from(PlacedWrite::BLOCKS_MAX))));
        let largest = u32::try_from(largest.get()).unwrap_or(u32::MAX);
        if !block.is_power_of_two() || !largest.is_multiple_of(u32::try_from(block).unwrap_or(u32::MAX)) || largest == 0
        {
            return Err(format!("blocks of {block} bytes and commands of {largest} bytes are impossible"));
        }
        let odd = workload.block_sizes().into_iter().find(|size| !size.get().is_multiple_of(block));
        if let Some(odd) = odd.filter(|_| workload.replay.is_none()) {
            return Err(format!("operations of {odd} are not multiples of the logical block of {block} bytes"));
        }
        Ok(Placed { device, nsid: known.namespace, block_shift: block.trailing_zeros(), largest, identifier: handle })
    }

    /// The handle.
    pub(crate) const fn handle(&self) -> u16 {
        self.identifier
    }

    /// Commands that a write of `length` bytes takes.
    pub(crate) const fn commands(&self, length: u32) -> u64 {
        length.div_ceil(self.largest) as u64
    }

    /// Writes all of `data` at byte `offset`, command after command. Returns what io_uring would: bytes, or minus the
    /// error number of the first command that failed.
    pub(crate) fn write(&self, data: &[u8], offset: u64) -> i32 {
        let mut at = offset;
        for piece in data.chunks(self.largest as usize) {
            let answer = match self.command(piece.len(), at).send(self.device, piece) {
                Ok(status) => -errno_of(status),
                Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
            };
            if answer != 0 {
                return answer;
            }
            at += piece.len() as u64;
        }
        i32::try_from(data.len()).unwrap_or(i32::MAX)
    }

    /// The command for `length` bytes, whole blocks, starting at byte `offset`.
    fn command(&self, length: usize, offset: u64) -> PlacedWrite {
        let blocks = u32::try_from(length >> self.block_shift).unwrap_or(PlacedWrite::BLOCKS_MAX);
        PlacedWrite { nsid: self.nsid, first_block: offset >> self.block_shift, blocks, handle: self.identifier }
    }
}

/// The error number for a status of the drive (status code type and code), 0 for success. It is what the kernel's
/// driver returns for the same status of its own writes (nvme_error_status and blk_status_to_errno). If the driver
/// says EIO for an error that no retry cures, it is a more specific number.
const fn errno_of(status: Status) -> i32 {
    match status.bits() & 0x7FF {
        0x00 => 0,
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

    #[test]
    fn a_write_is_a_command_in_whole_blocks() {
        let null = File::open("/dev/null").unwrap();
        let command = placed(&null).command(64 << 10, 0x1_2345_6789 << 12);
        let (nsid, first_block, blocks, handle) = (5, 0x1_2345_6789, 16, 0x0203);
        assert_eq!(command, PlacedWrite { nsid, first_block, blocks, handle });
    }

    #[test]
    fn a_long_write_is_as_many_commands_as_the_drive_takes_it_in() {
        let null = File::open("/dev/null").unwrap();
        let placed = placed(&null);
        let counts = [4096, 128 << 10, (128 << 10) + 4096, 1 << 20].map(|length| placed.commands(length));
        assert_eq!(counts, [1, 1, 2, 8]);
        let last = placed.command(4096, 128 << 10);
        assert_eq!((last.first_block, last.blocks), (32, 1));
    }

    /// The kernel answers ENOTTY: a file takes no NVMe command. Nothing was written, and the error is reported.
    #[test]
    fn what_is_no_namespace_answers_with_an_error() {
        let null = File::open("/dev/null").unwrap();
        assert_eq!(placed(&null).write(&[0; 4096], 0), -libc::ENOTTY);
    }

    #[test]
    fn a_drives_status_is_an_error_number_without_the_bits_that_say_whether_to_try_again() {
        let numbers = [0x4002, 0x4029, 0x0081, 0x4280, 0x0006, 0x0000].map(|bits| errno_of(Status::new(bits)));
        assert_eq!(numbers, [libc::EINVAL, libc::EOPNOTSUPP, libc::ENOSPC, libc::ENODATA, libc::EIO, 0]);
    }
}
