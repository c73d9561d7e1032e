//! The controller's registers, through its memory window. This and `ioctl` are the two places of this crate with
//! `unsafe`.
//!
//! Owns one mapping that lasts for one read (PCIe, section 3.1: the registers are at the start of BAR0; CAP is the
//! first one, eight bytes). Most distributions reserve the window for the driver (CONFIG_IO_STRICT_DEVMEM); the read
//! then returns that error. Must not know where the window is found: its caller opens it.
#![expect(unsafe_code, reason = "mmap(2) of a device's registers")]

use std::io;
use std::os::fd::AsFd;
use std::ptr;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::pages::registers::Capabilities;

/// One page is enough for the register at its start.
const PAGE: usize = 4096;

impl Capabilities {
    /// Reads CAP from the window of a controller's BAR0, open for reading; changes nothing.
    ///
    /// # Errors
    /// The kernel reserves the window for the driver, or the device is gone (all ones).
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
            return Err(io::Error::other("all bits are set, so no device answers"));
        }
        Capabilities::of(u64::from(high) << 32 | u64::from(low)).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    use rustix::fs::{MemfdFlags, memfd_create};

    use super::*;

    /// A file in memory instead of a window: a page with CAP at its start.
    fn window(cap: u64) -> File {
        let file = File::from(memfd_create("window", MemfdFlags::CLOEXEC).unwrap());
        let mut page = [0; PAGE];
        page[..8].copy_from_slice(&cap.to_le_bytes());
        file.write_all_at(&page, 0).unwrap();
        file
    }

    #[test]
    fn the_register_is_read_through_an_open_window_and_a_device_that_is_gone_is_said() {
        let cap = 0x0000_0030_1400_03FF;
        assert_eq!(Capabilities::read(window(cap)).unwrap().max_queue_entries, 1024, "MQES 3FFh counts from 0");
        assert!(Capabilities::read(window(u64::MAX)).unwrap_err().to_string().contains("no device answers"));
        let closed = std::fs::OpenOptions::new().write(true).open("/dev/null").unwrap();
        assert!(Capabilities::read(closed).is_err(), "it cannot be mapped");
    }
}
