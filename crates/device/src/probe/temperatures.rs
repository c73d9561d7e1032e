//! Temperatures through the kernel's sensors (nvme, drivetemp); reading one sends the drive a command.
//!
//! A drivetemp sensor is therefore read only if this cannot start platters at rest; the drive is asked about that
//! first ([`super::ata`]). An NVMe drive has no platters, so its sensors are read immediately.

use drivelab_core::probe::{NotKnown, TargetProbe, Temperature};

use crate::block::node::BlockNode;
use crate::host::hwmon::{self, ChipSensor, Measured};
use crate::roots::{Roots, read_number};

/// The temperature sensors of a drive, the composite one or the only one first.
#[derive(Debug, Default)]
pub(super) struct Sensors {
    all: Vec<ChipSensor>,
    may_wake_platters: bool,
}

/// Whether the drive may have platters; a disk that the kernel knows nothing about may have some.
pub(super) fn may_rotate(probe: &TargetProbe) -> bool {
    probe.devices.first().and_then(|device| device.rotational).unwrap_or(true)
}

/// The state of the platters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Platters {
    /// There are none, or they are not in standby.
    Awake,
    /// In standby.
    StandStill,
    /// The drive could not be asked, or did not answer.
    Unknown,
}

impl Sensors {
    /// The sensors of the drive. Reads none of them.
    pub(super) fn of(roots: &Roots, node: &BlockNode) -> Self {
        Self::of_disk(roots, &node.whole)
    }

    fn of_disk(roots: &Roots, disk: &str) -> Self {
        let Some((chip, mut all)) = hwmon::of_disk(roots, disk) else { return Self::default() };
        all.retain(|sensor| sensor.measured == Measured::Temperature);
        Sensors { all, may_wake_platters: chip.may_wake_platters() }
    }

    /// Readings of sensors that never wake a drive.
    pub(super) fn harmless(&self) -> Vec<Temperature> {
        if self.may_wake_platters { Vec::new() } else { self.read() }
    }

    /// Reads the other sensors, of a drive whose platters are not at rest.
    pub(super) fn read_waking(&self, probe: &mut TargetProbe) {
        if self.may_wake_platters {
            probe.temperatures.extend(self.read());
        }
    }

    /// The message if sensors were not read because it is unknown whether the platters are at rest; `None` if another
    /// source reported the temperature.
    pub(super) fn unread(&self, probe: &TargetProbe) -> Option<NotKnown> {
        let left = self.may_wake_platters && !self.all.is_empty() && probe.temperatures.is_empty();
        let why = "reading the kernel's sensor (drivetemp) sends the drive a command, which may start platters at rest \
                   (standby), and the drive did not report whether they are";
        left.then(|| NotKnown { what: "its temperature".to_owned(), why: why.to_owned(), how: String::new() })
    }

    /// For a drive that cannot be asked: reads the sensors if it has no platters, otherwise returns a message.
    pub(super) fn unasked(&self, probe: &mut TargetProbe) -> Option<NotKnown> {
        if may_rotate(probe) {
            return self.unread(probe);
        }
        self.read_waking(probe);
        None
    }

    fn read(&self) -> Vec<Temperature> {
        self.all.iter().filter_map(read).collect()
    }
}

fn read(sensor: &ChipSensor) -> Option<Temperature> {
    let millidegrees: i32 = read_number(&sensor.input)?;
    Some(Temperature {
        sensor: sensor.label.clone().unwrap_or_else(|| format!("Sensor {}", sensor.number)),
        celsius: f64::from(millidegrees) / sensor.measured.per_unit(),
        source: "hwmon".to_owned(),
    })
}

/// The sensors of a chip in a test's tree, which is removed with the folder.
#[cfg(test)]
pub(super) fn sensors_for_test(files: &[(&str, &str)]) -> (tempfile::TempDir, Sensors) {
    let folder = tempfile::tempdir().expect("a folder");
    let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().join("proc") };
    hwmon::chip_for_test(&roots.sys, "devices/pci/drive", files);
    std::fs::create_dir_all(roots.sys.join("block/disk")).expect("a folder");
    let (real, link) = (roots.sys.join("devices/pci/drive"), roots.sys.join("block/disk/device"));
    std::os::unix::fs::symlink(real, link).expect("a link");
    let sensors = Sensors::of_disk(&roots, "disk");
    (folder, sensors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sensors_are_read_with_their_labels_in_the_order_of_their_numbers() {
        let (_tree, sensors) = sensors_for_test(&[
            ("name", "nvme\n"),
            ("temp1_input", "41850\n"),
            ("temp1_label", "Composite\n"),
            ("temp10_input", "-5000\n"),
            ("temp2_input", "38850\n"),
            ("temp2_max", "80850\n"),
            ("temp3_input", "none\n"),
        ]);
        let found = sensors.harmless();
        let pairs: Vec<_> = found.iter().map(|found| (found.sensor.as_str(), found.celsius)).collect();
        assert_eq!(pairs, [("Composite", 41.85), ("Sensor 2", 38.85), ("Sensor 10", -5.0)], "each sensor once");
    }

    #[test]
    fn a_sensor_whose_reading_may_start_platters_is_not_read_before_the_drive_was_asked() {
        let (_tree, sensors) = sensors_for_test(&[("name", "drivetemp\n"), ("temp1_input", "33000\n")]);
        assert_eq!(sensors.all.len(), 1, "it is known");
        assert!(sensors.harmless().is_empty());
    }
}
