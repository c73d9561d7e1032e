//! Block devices in memory that the kernel compresses.

use std::{fs, io};

/// A zram device of a test's own.
pub struct Zram {
    /// `/dev/zramN`.
    pub device: String,
}

impl Zram {
    /// A device of this size, in bytes. Fails where the kernel or the rights for it are missing.
    pub fn new(bytes: u64) -> io::Result<Zram> {
        let number = fs::read_to_string("/sys/class/zram-control/hot_add")?;
        let zram = Zram { device: format!("/dev/zram{}", number.trim()) };
        zram.set("disksize", &bytes.to_string()).expect("its size");
        Ok(zram)
    }

    /// The kernel's name, `zramN`.
    pub fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }

    /// Takes its content and its size away.
    pub fn reset(&self) {
        self.set("reset", "1").expect("empty");
    }

    fn set(&self, attribute: &str, value: &str) -> io::Result<()> {
        fs::write(format!("/sys/block/{}/{attribute}", self.name()), value)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = self.set("reset", "1");
        let _ = fs::write("/sys/class/zram-control/hot_remove", self.name().trim_start_matches("zram"));
    }
}
