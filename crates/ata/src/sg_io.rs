//! The kernel's passthrough of SCSI commands: the only place of this crate with `unsafe`.
//!
//! Owns the layout of the kernel's structure (include/scsi/sg.h, `struct sg_io_hdr`) and the number of its call. Must
//! not know what a command means.
#![expect(unsafe_code, reason = "ioctl(2) with a pointer to the kernel's structure")]

use std::ffi::{c_int, c_uchar, c_uint, c_ushort, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// `SG_IO`: one command and its answer.
const SG_IO: libc::Ioctl = 0x2285;
/// `interface_id` of version 3.
const VERSION_3: c_int = b'S' as c_int;
/// `dxfer_direction`: no data, or data from the device.
const NO_DATA: c_int = -1;
const FROM_DEVICE: c_int = -3;
/// Room for sense data; no drive sends more than 252 bytes (SPC-4, sense data), and the registers need 22.
const MOST_SENSE: usize = 64;

/// `struct sg_io_hdr`.
#[repr(C)]
#[derive(Debug)]
struct Header {
    interface_id: c_int,
    direction: c_int,
    command_length: c_uchar,
    sense_room: c_uchar,
    scattered: c_ushort,
    data_length: c_uint,
    data: *mut c_void,
    command: *const c_uchar,
    sense: *mut c_uchar,
    timeout_ms: c_uint,
    flags: c_uint,
    pack_id: c_int,
    user: *mut c_void,
    status: c_uchar,
    masked_status: c_uchar,
    message_status: c_uchar,
    sense_length: c_uchar,
    host_status: c_ushort,
    driver_status: c_ushort,
    left: c_int,
    duration_ms: c_uint,
    info: c_uint,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Header>() == 88, "the kernel's structure has 88 bytes");

/// The result of a command.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// SCSI status: 0 is good, 2 is "there is sense data" (SAM-5, status codes).
    pub(crate) status: u8,
    /// The host adapter's status: 0 is good (include/scsi/scsi_status.h, `DID_…`).
    pub(crate) host_status: u16,
    /// The driver's status; bit 3 says that there is sense data.
    pub(crate) driver_status: u16,
    /// Sense data, as much as there is.
    pub(crate) sense: Vec<u8>,
    /// Bytes of the data that were not transferred.
    pub(crate) left: usize,
}

/// Sends one command that reads into `data` and waits for the answer.
pub(crate) fn send(node: BorrowedFd<'_>, command: &[u8; 16], timeout_ms: u32, data: &mut [u8]) -> io::Result<Answer> {
    let data_length = c_uint::try_from(data.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut sense = [0_u8; MOST_SENSE];
    let mut header = Header {
        interface_id: VERSION_3,
        direction: if data.is_empty() { NO_DATA } else { FROM_DEVICE },
        command_length: 16,
        sense_room: MOST_SENSE as c_uchar,
        scattered: 0,
        data_length,
        data: data.as_mut_ptr().cast(),
        command: command.as_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms,
        flags: 0,
        pack_id: 0,
        user: std::ptr::null_mut(),
        status: 0,
        masked_status: 0,
        message_status: 0,
        sense_length: 0,
        host_status: 0,
        driver_status: 0,
        left: 0,
        duration_ms: 0,
        info: 0,
    };
    // SAFETY: the kernel reads and writes one `sg_io_hdr` at the pointer, which is valid for the whole call and has the
    // kernel's layout (88 bytes where pointers have 64 bits, asserted above). It points at three buffers that live
    // through the call: `command` (16 bytes, read), `data` (borrowed mutably, at most `data_length` bytes, its length,
    // are written) and `sense` (at most `sense_room` bytes, its length, are written). SG_IO on a block device waits for
    // the answer, and the kernel keeps no pointer after it returns.
    let answer = unsafe { libc::ioctl(node.as_raw_fd(), SG_IO, &raw mut header) };
    if answer != 0 {
        return Err(io::Error::last_os_error());
    }
    let written = usize::from(header.sense_length).min(MOST_SENSE);
    Ok(Answer {
        status: header.status,
        host_status: header.host_status,
        driver_status: header.driver_status,
        sense: sense.get(..written).unwrap_or_default().to_vec(),
        left: usize::try_from(header.left).unwrap_or(0),
    })
}
