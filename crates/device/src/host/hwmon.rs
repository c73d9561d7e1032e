//! The kernel's sensors: which chips exist, which disk each belongs to, and the content of their files
//! (Documentation/hwmon/sysfs-interface.rst: millidegrees and microwatts).
//!
//! The chips `nvme` (since Linux 5.5) and `drivetemp` (since 5.6, a module to be loaded) belong to a drive; reading
//! them sends the drive a command. All others belong to the host. Must not know: when they are read.

use std::fs;
use std::path::PathBuf;

use crate::block::folders::{device_folder, is_controller_name};
use crate::roots::{Roots, names, read_number, read_trim};

/// The chip of a SATA drive.
const DRIVETEMP: &str = "drivetemp";
/// Chips that are part of a drive.
const OF_DRIVES: [&str; 2] = ["nvme", DRIVETEMP];
/// Plausible limits of a drive, °C. A drive without a limit reports 65,261 °C or 0 K (NVMe Base Specification, WCTEMP
/// and CCTEMP of 0).
const SANE: std::ops::Range<f64> = 1.0..200.0;

/// What a sensor measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// Its file holds thousandths of a °C.
    Temperature,
    /// Its file holds microwatts.
    Power,
}

impl Measured {
    /// The divisor that converts the file's number to °C or W.
    #[must_use]
    pub const fn per_unit(self) -> f64 {
        match self {
            Measured::Temperature => 1e3,
            Measured::Power => 1e6,
        }
    }
}

/// One sensor of a chip.
#[derive(Debug, Clone, PartialEq)]
pub struct ChipSensor {
    /// What it measures.
    pub measured: Measured,
    /// Its number among those of its kind, from 1.
    pub number: u32,
    /// The driver's label: `Composite`.
    pub label: Option<String>,
    /// The file with its reading.
    pub input: PathBuf,
    /// Temperature at which the drive warns, °C.
    pub warning_c: Option<f64>,
    /// Temperature at which the drive may shut down, °C.
    pub critical_c: Option<f64>,
}

impl ChipSensor {
    /// Its label, otherwise its file's name without the ending: `temp2`.
    #[must_use]
    pub fn name(&self) -> String {
        let kind = match self.measured {
            Measured::Temperature => "temp",
            Measured::Power => "power",
        };
        self.label.clone().unwrap_or_else(|| format!("{kind}{}", self.number))
    }
}

/// A chip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    /// Its folder: `/sys/class/hwmon/hwmon3`.
    pub folder: PathBuf,
    /// `nvme`, `drivetemp`, `coretemp`.
    pub name: String,
}

/// Every chip that the kernel shows, in the order of their folders' names.
#[must_use]
pub fn chips(roots: &Roots) -> Vec<Chip> {
    let class = roots.sys.join("class/hwmon");
    let chip = |folder: PathBuf| Some(Chip { name: read_trim(&folder.join("name"))?, folder });
    names(&class).into_iter().filter_map(|name| chip(class.join(name))).collect()
}

impl Chip {
    /// Whether it is part of a drive.
    #[must_use]
    pub fn is_of_a_drive(&self) -> bool {
        OF_DRIVES.contains(&self.name.as_str())
    }

    /// Whether reading it may keep platters spinning, or start platters at rest: drivetemp sends ATA commands. Only
    /// for one model is it known that the drive answers them in standby (Documentation/hwmon/drivetemp.rst).
    pub(crate) fn may_wake_platters(&self) -> bool {
        self.name == DRIVETEMP
    }

    /// Whether it belongs to a disk: its device is the disk's, one of the disk's controllers (behind NVMe multipath),
    /// or, for a drive's chip on older kernels, the PCI function above the disk.
    #[must_use]
    pub fn speaks_for(&self, roots: &Roots, disk: &str) -> bool {
        let Some(of_disk) = device_folder(roots, disk) else { return false };
        let Ok(of_chip) = fs::canonicalize(self.folder.join("device")) else { return false };
        if of_chip == of_disk {
            return true;
        }
        let controllers = names(&of_disk).into_iter().filter(|name| is_controller_name(&name.to_string_lossy()));
        let mut controllers = controllers.filter_map(|name| fs::canonicalize(of_disk.join(name)).ok());
        controllers.any(|controller| controller == of_chip) || self.is_of_a_drive() && of_disk.starts_with(&of_chip)
    }

    /// Its sensors, temperatures first, each kind in the order of its numbers.
    #[must_use]
    pub fn sensors(&self) -> Vec<ChipSensor> {
        let degrees = |file: String| {
            let millidegrees: f64 = read_number(&self.folder.join(file))?;
            Some(millidegrees / Measured::Temperature.per_unit()).filter(|limit| SANE.contains(limit))
        };
        let temperature = |number: u32| ChipSensor {
            warning_c: degrees(format!("temp{number}_max")),
            critical_c: degrees(format!("temp{number}_crit")),
            ..self.sensor(Measured::Temperature, number, &format!("temp{number}"), "_input")
        };
        let mut sensors: Vec<ChipSensor> = self.numbers("temp", "_input").into_iter().map(temperature).collect();
        for end in ["_input", "_average"] {
            for number in self.numbers("power", end) {
                let sensor = self.sensor(Measured::Power, number, &format!("power{number}"), end);
                if sensors.iter().all(|known| known.name() != sensor.name()) {
                    sensors.push(sensor);
                }
            }
        }
        sensors
    }

    fn sensor(&self, measured: Measured, number: u32, file: &str, end: &str) -> ChipSensor {
        let label = read_trim(&self.folder.join(format!("{file}_label")));
        let input = self.folder.join(format!("{file}{end}"));
        ChipSensor { measured, number, label, input, warning_c: None, critical_c: None }
    }

    fn numbers(&self, kind: &str, end: &str) -> Vec<u32> {
        let number = |name: &std::ffi::OsString| name.to_str()?.strip_prefix(kind)?.strip_suffix(end)?.parse().ok();
        let mut numbers: Vec<u32> = names(&self.folder).iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// The first chip with sensors that belongs to a disk, and its sensors.
pub(crate) fn of_disk(roots: &Roots, disk: &str) -> Option<(Chip, Vec<ChipSensor>)> {
    let speaking = chips(roots).into_iter().filter(|chip| chip.speaks_for(roots, disk));
    speaking.map(|chip| (chip.sensors(), chip)).find(|(sensors, _)| !sensors.is_empty()).map(|(all, chip)| (chip, all))
}

/// A chip's folder in a test's tree, below the folder of the device that it belongs to.
#[cfg(test)]
pub(crate) fn chip_for_test(sys: &std::path::Path, device: &str, files: &[(&str, &str)]) {
    use std::os::unix::fs::symlink;
    let chip = sys.join(device).join("hwmon/hwmon3");
    fs::create_dir_all(&chip).expect("a folder");
    for (name, text) in files {
        fs::write(chip.join(name), text).expect("a file");
    }
    symlink(sys.join(device), chip.join("device")).expect("a link");
    fs::create_dir_all(sys.join("class/hwmon")).expect("a folder");
    symlink(&chip, sys.join("class/hwmon/hwmon3")).expect("a link");
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// sysfs with a disk `nvme0n1` whose `device` leads to `leads_to`, and a chip `nvme` of the device `of`.
    fn speaks(leads_to: &str, of: &str) -> bool {
        let folder = tempfile::tempdir().expect("a folder");
        let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().join("proc") };
        let sys = &roots.sys;
        for path in ["pci/nvme/nvme0", "pci/nvme/nvme1", "subsystem"] {
            fs::create_dir_all(sys.join("devices").join(path)).expect("a folder");
        }
        symlink(sys.join("devices/pci/nvme/nvme1"), sys.join("devices/subsystem/nvme1")).expect("a link");
        fs::create_dir_all(sys.join("block/nvme0n1")).expect("a folder");
        symlink(sys.join("devices").join(leads_to), sys.join("block/nvme0n1/device")).expect("a link");
        chip_for_test(sys, &format!("devices/{of}"), &[("name", "nvme\n"), ("temp1_input", "30000\n")]);
        let chip = chips(&roots).remove(0);
        assert_eq!(chip.speaks_for(&roots, "nvme0n1"), of_disk(&roots, "nvme0n1").is_some());
        assert!(!chip.speaks_for(&roots, "sda"));
        chip.speaks_for(&roots, "nvme0n1")
    }

    #[test]
    fn a_chip_belongs_to_the_disks_device_its_controllers_or_on_older_kernels_the_function_above() {
        assert!(speaks("pci/nvme/nvme0", "pci/nvme/nvme0"));
        assert!(!speaks("pci/nvme/nvme0", "pci/nvme/nvme1"), "another drive");
        assert!(speaks("subsystem", "pci/nvme/nvme1"), "a controller behind multipath");
        assert!(!speaks("subsystem", "pci/nvme/nvme0"));
        assert!(speaks("pci/nvme/nvme0", "pci"), "the function above, before Linux 5.16 or so");
    }
}
