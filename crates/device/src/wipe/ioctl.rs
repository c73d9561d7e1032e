//! The three calls of Linux that rustix does not wrap: discard, write zeroes, read the partition table again. Unsafe
//! because they are ioctls. Numbers and arguments: include/uapi/linux/fs.h.
#![expect(unsafe_code, reason = "ioctl(2) with a pointer to two numbers, or with none")]

use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::ioctl::{NoArg, Opcode, Setter, ioctl};

/// `_IO(0x12, 119)`: takes `u64[2]`, start and length in bytes.
const BLKDISCARD: Opcode = 0x1277;
/// `_IO(0x12, 127)`: takes `u64[2]`, start and length in bytes.
const BLKZEROOUT: Opcode = 0x127f;
/// `_IO(0x12, 95)`: takes nothing.
const BLKRRPART: Opcode = 0x125f;

/// Tells the device that these bytes hold no data. The device decides what it returns when they are read.
///
/// # Errors
/// The kernel's error: EOPNOTSUPP if the device does not support it, EINVAL if the range is not aligned to its
/// blocks.
pub(super) fn discard(device: BorrowedFd<'_>, offset: u64, length: u64) -> Result<(), Errno> {
    // SAFETY: the kernel reads two u64 from the pointer, which `Setter` keeps valid for the whole call.
    unsafe { ioctl(device, Setter::<BLKDISCARD, [u64; 2]>::new([offset, length])) }
}

/// Makes these bytes read as zeros: by a command of the device if it has one, otherwise the kernel writes zeros.
///
/// # Errors
/// The kernel's error: EINVAL if the range is not aligned to the device's blocks.
pub(super) fn write_zeroes(device: BorrowedFd<'_>, offset: u64, length: u64) -> Result<(), Errno> {
    // SAFETY: the kernel reads two u64 from the pointer, which `Setter` keeps valid for the whole call.
    unsafe { ioctl(device, Setter::<BLKZEROOUT, [u64; 2]>::new([offset, length])) }
}

/// Makes the kernel forget partitions that no longer exist.
///
/// # Errors
/// The kernel's error: EINVAL if the device has no partitions, EBUSY if one is in use.
pub(super) fn read_partitions_again(device: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: the call takes no argument.
    unsafe { ioctl(device, NoArg::<BLKRRPART>::new()) }
}
