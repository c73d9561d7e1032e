//! Devices and file systems that tests make, one test at a time.

use std::ops::Deref;
use std::path::Path;
use std::sync::MutexGuard;

use drivelab_device::{BlockNode, Named, classify};
use drivelab_rig::{LoopDevice, LoopFs, or_skip, tool};

use super::alone;

pub const MIB: u64 = 1 << 20;

/// The block device of a node.
pub fn node(path: &str) -> BlockNode {
    match classify(Path::new(path)) {
        Ok(Named::BlockDevice(node)) => node,
        other => panic!("{path} is not a block device: {other:?}"),
    }
}

/// Something that a test created, and that no other test runs at the same time as.
pub struct Alone<T> {
    made: T,
    _alone: MutexGuard<'static, ()>,
}

impl<T> Alone<T> {
    /// `None`, with a message, if this machine or user cannot create it.
    fn with(make: impl FnOnce() -> Result<T, String>) -> Option<Alone<T>> {
        let alone = alone();
        Some(Alone { made: or_skip(make())?, _alone: alone })
    }
}

impl<T> Deref for Alone<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.made
    }
}

/// A loop device on a file of its own, as large as asked for and all zeros.
pub type Loop = Alone<LoopDevice>;

impl Loop {
    pub fn new(size: u64) -> Option<Loop> {
        Loop::with_options(size, &[])
    }

    /// With further options of losetup(8).
    pub fn with_options(size: u64, options: &[&str]) -> Option<Loop> {
        Alone::with(|| LoopDevice::sparse(env!("CARGO_TARGET_TMPDIR"), size, options))
    }

    pub fn node(&self) -> BlockNode {
        node(&self.device)
    }
}

/// ext4 on such a device, mounted.
pub type Disk = Alone<LoopFs>;

impl Disk {
    pub fn new(size: u64) -> Option<Disk> {
        let below = || LoopDevice::sparse(env!("CARGO_TARGET_TMPDIR"), size, &[]);
        Alone::with(|| below().and_then(|below| LoopFs::on(below, &[])))
    }
}

/// A zram device.
pub type Zram = Alone<drivelab_rig::Zram>;

impl Zram {
    pub fn new(size: u64) -> Option<Zram> {
        let made = || drivelab_rig::Zram::new(size);
        Alone::with(|| made().map_err(|error| format!("this kernel or user makes no zram device: {error}")))
    }
}

/// Writes a partition table with one partition over most of the disk (16 bytes an entry, at byte 446: status, CHS,
/// type, CHS, first sector, sectors) and has the kernel read it.
pub fn partition(disk: &Loop) {
    let mut sector = [0u8; 512];
    sector[446 + 4] = 0x83;
    sector[446 + 8..446 + 12].copy_from_slice(&2048u32.to_le_bytes());
    sector[446 + 12..446 + 16].copy_from_slice(&(32 * 2048u32).to_le_bytes());
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    disk.write(0, &sector);
    tool("partx", &["--update", &disk.device]);
}
