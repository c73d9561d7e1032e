//! Discarding a range of a block device: `BLKDISCARD`. Unsafe because it is an ioctl.
#![expect(unsafe_code, reason = "ioctl(2) with a pointer to two numbers")]

use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::io::Errno;

/// `BLKDISCARD`, `_IO(0x12, 119)`: include/uapi/linux/fs.h. Takes `u64[2]`: start and length in bytes.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// Tells the device that these bytes are no longer needed. What is read from them afterwards is undefined.
///
/// # Errors
/// The kernel's: EOPNOTSUPP if the device cannot discard, EINVAL if the range is not aligned to its blocks, EBADF if
/// the handle is not open for writing.
pub(crate) fn discard(handle: BorrowedFd<'_>, offset: u64, length: u64) -> Result<(), Errno> {
    let range = [offset, length];
    // SAFETY: the kernel reads two u64 from the pointer, which is valid for the whole call.
    let result = unsafe { libc::ioctl(handle.as_raw_fd(), BLKDISCARD, range.as_ptr()) };
    if result == 0 {
        return Ok(());
    }
    let error = std::io::Error::last_os_error();
    Err(Errno::from_io_error(&error).unwrap_or(Errno::IO))
}
