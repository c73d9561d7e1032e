//! Temperatures that the kernel offers without asking the drive itself: the sensors of the NVMe driver and drivetemp.

use drivelab_core::probe::Temperature;

use crate::hwmon::{self, ChipSensor, Measured};
use crate::named::BlockNode;
use crate::roots::{Roots, read_number};

/// All sensors of the drive, the composite or only one first.
pub(super) fn of(roots: &Roots, node: &BlockNode) -> Vec<Temperature> {
    of_disk(roots, &node.whole)
}

fn of_disk(roots: &Roots, disk: &str) -> Vec<Temperature> {
    hwmon::of_disk(roots, disk).iter().filter(|one| one.measured == Measured::Temperature).filter_map(read).collect()
}

fn read(sensor: &ChipSensor) -> Option<Temperature> {
    let millidegrees: i32 = read_number(&sensor.input)?;
    Some(Temperature {
        sensor: sensor.label.clone().unwrap_or_else(|| format!("Sensor {}", sensor.number)),
        celsius: f64::from(millidegrees) / sensor.measured.per_unit(),
        source: "hwmon".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sensors_are_read_with_their_labels_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        let roots = Roots { sys: folder.path().join("sys"), proc: folder.path().join("proc") };
        let files = [
            ("name", "nvme\n"),
            ("temp1_input", "41850\n"),
            ("temp1_label", "Composite\n"),
            ("temp10_input", "-5000\n"),
            ("temp2_input", "38850\n"),
            ("temp2_max", "80850\n"),
            ("temp3_input", "none\n"),
        ];
        hwmon::chip_for_test(&roots.sys, "devices/pci/nvme/nvme0", &files);
        std::fs::create_dir_all(roots.sys.join("block/nvme0n1")).expect("a folder");
        let (real, link) = (roots.sys.join("devices/pci/nvme/nvme0"), roots.sys.join("block/nvme0n1/device"));
        std::os::unix::fs::symlink(real, link).expect("a link");
        let found = of_disk(&roots, "nvme0n1");
        let pairs: Vec<_> = found.iter().map(|found| (found.sensor.as_str(), found.celsius)).collect();
        assert_eq!(pairs, [("Composite", 41.85), ("Sensor 2", 38.85), ("Sensor 10", -5.0)], "each sensor once");
    }
}
