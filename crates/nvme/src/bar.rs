//! The controller's registers, through its memory window: with `ioctl` one of the two places of this room with `unsafe`.
//!
//! Owns one mapping that lasts for one read (PCIe, section 3.1: the registers lie at the start of BAR0; CAP is the
//! first, eight bytes). Most distributions keep the window of a driver for itself (CONFIG_IO_STRICT_DEVMEM), which is
//! then the answer. Must not know where the window is found: its caller opens it.
#![expect(unsafe_code, reason = "mmap(2) of a device's registers")]

use std::io;
use std::os::fd::AsFd;
use std::ptr;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::registers::Capabilities;

/// One page is enough for the register at its start.
const PAGE: usize = 4096;

impl Capabilities {
    /// Reads CAP from the window of a controller's BAR0, open for reading; changes nothing.
    ///
    /// # Errors
    /// The kernel keeps the window for the driver, or the device is gone (all ones).
    pub fn read(window: impl AsFd) -> io::Result<Self> {
        // SAFETY: a new mapping at an address of the kernel's choice overlays nothing; it is read-only and unmapped
        // below, before anything else can fail.
        let mapped = unsafe { mmap(ptr::null_mut(), PAGE, ProtFlags::READ, MapFlags::SHARED, window, 0)? };
        let register = mapped.cast::<u32>();
        // SAFETY: the mapping has 4,096 bytes and is aligned to a page; the register may be read as two halves (PCIe,
        // section 3.1.1), and volatile reads keep the compiler from merging them.
        let (low, high) = unsafe { (register.read_volatile(), register.add(1).read_volatile()) };
        // SAFETY: exactly what was mapped above, and no reference into it is left.
        unsafe { munmap(mapped, PAGE)? };
        if (low, high) == (u32::MAX, u32::MAX) {
            return Err(io::Error::other("all bits are set, so nothing answers there"));
        }
        Capabilities::of(u64::from(high) << 32 | u64::from(low)).map_err(io::Error::other)
    }
}
