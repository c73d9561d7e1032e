//! The kernel's SG_IO: the one place of this room with `unsafe`.
//!
//! Owns the layout of the kernel's structure (include/scsi/sg.h) and the number of its call. Must not know what a
//! command means.
#![expect(unsafe_code, reason = "ioctl(2) with a pointer to the kernel's structure")]

use std::ffi::{c_int, c_uchar, c_uint, c_ushort, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;

/// `SG_IO`: include/scsi/sg.h.
const SG_IO: libc::Ioctl = 0x2285;
/// `SG_DXFER_NONE` and `SG_DXFER_FROM_DEV`: no data, data to the host. There is no way to send any from here.
const DATA_NONE: c_int = -1;
const DATA_FROM_DEVICE: c_int = -3;
/// Bytes for sense data.
pub(crate) const SENSE: usize = 32;

/// `struct sg_io_hdr`.
#[repr(C)]
struct Header {
    interface_id: c_int,
    direction: c_int,
    command_length: c_uchar,
    sense_max: c_uchar,
    segments: c_ushort,
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
    residue: c_int,
    duration_ms: c_uint,
    info: c_uint,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Header>() == 88, "the kernel's structure has 88 bytes");

/// What came back.
pub(crate) struct Outcome {
    /// SCSI's status: 0 good, 2 check condition.
    pub(crate) status: u8,
    /// The host's: 0 good.
    pub(crate) host: u16,
    /// Sense data, as much as there was.
    pub(crate) sense: Vec<u8>,
}

/// Sends one SCSI command that brings data to the host, or none.
pub(crate) fn send(node: BorrowedFd<'_>, command: &[u8], data: &mut [u8], timeout_ms: u32) -> io::Result<Outcome> {
    let too_long = |_| io::Error::from(io::ErrorKind::InvalidInput);
    let mut sense = [0_u8; SENSE];
    let mut header = Header {
        interface_id: c_int::from(b'S'),
        direction: if data.is_empty() { DATA_NONE } else { DATA_FROM_DEVICE },
        command_length: c_uchar::try_from(command.len()).map_err(too_long)?,
        sense_max: c_uchar::try_from(SENSE).map_err(too_long)?,
        segments: 0,
        data_length: c_uint::try_from(data.len()).map_err(too_long)?,
        data: if data.is_empty() { ptr::null_mut() } else { data.as_mut_ptr().cast() },
        command: command.as_ptr(),
        sense: sense.as_mut_ptr(),
        timeout_ms,
        flags: 0,
        pack_id: 0,
        user: ptr::null_mut(),
        status: 0,
        masked_status: 0,
        message_status: 0,
        sense_length: 0,
        host_status: 0,
        driver_status: 0,
        residue: 0,
        duration_ms: 0,
        info: 0,
    };
    // SAFETY: the kernel reads and writes one `sg_io_hdr` at the pointer, which is valid for the whole call and has the
    // kernel's layout (88 bytes, asserted above). It points at `command`, which is only read; at `data`, borrowed mutably
    // and written for at most its length; and at `sense`, written for at most `SENSE` bytes. SG_IO waits for the command
    // and keeps no pointer after it returns.
    let answer = unsafe { libc::ioctl(node.as_raw_fd(), SG_IO, &raw mut header) };
    if answer < 0 {
        return Err(io::Error::last_os_error());
    }
    let length = usize::from(header.sense_length);
    let sense = sense.get(..length).unwrap_or(&sense).to_vec();
    Ok(Outcome { status: header.status, host: header.host_status, sense })
}
