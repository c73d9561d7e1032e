//! Temperatures that the kernel offers without asking the drive itself: hwmon of the NVMe driver and drivetemp.
//!
//! Documentation/hwmon/sysfs-interface: `tempN_input` in thousandths of a degree, `tempN_label`.

use std::path::{Path, PathBuf};

use drivelab_core::probe::Temperature;

use crate::block::whole_of;
use crate::named::BlockNode;
use crate::roots::{Roots, names, read_number, read_trim};

/// All sensors, the composite or only one first.
pub(super) fn of(roots: &Roots, node: &BlockNode) -> Vec<Temperature> {
    let (whole, _) = whole_of(&node.folder);
    let mut places = vec![whole.join("device")];
    places.extend(super::pcie::controller(roots, node));
    let mut found: Vec<Temperature> =
        places.iter().flat_map(|place| monitors(place)).flat_map(|m| sensors(&m)).collect();
    found.dedup();
    found
}

/// Folders `hwmonN` of a device: below it, or below its `hwmon` folder.
fn monitors(device: &Path) -> Vec<PathBuf> {
    let within = |folder: PathBuf| {
        let is_monitor = |name: &std::ffi::OsString| {
            name.to_str().and_then(|name| name.strip_prefix("hwmon")).is_some_and(|rest| rest.parse::<u32>().is_ok())
        };
        names(&folder).into_iter().filter(is_monitor).map(move |name| folder.join(name)).collect::<Vec<_>>()
    };
    let mut monitors = within(device.to_owned());
    monitors.extend(within(device.join("hwmon")));
    monitors
}

fn sensors(monitor: &Path) -> Vec<Temperature> {
    let mut inputs: Vec<u32> = names(monitor)
        .iter()
        .filter_map(|name| name.to_str()?.strip_prefix("temp")?.strip_suffix("_input")?.parse().ok())
        .collect();
    inputs.sort_unstable();
    let read = |number: u32| {
        let millidegrees: i32 = read_number(&monitor.join(format!("temp{number}_input")))?;
        let label = read_trim(&monitor.join(format!("temp{number}_label")));
        Some(Temperature {
            sensor: label.unwrap_or_else(|| format!("Sensor {number}")),
            celsius: f64::from(millidegrees) / 1000.0,
            source: "hwmon".to_owned(),
        })
    };
    inputs.into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sensors_are_read_with_their_labels_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        let monitor = folder.path().join("hwmon/hwmon3");
        std::fs::create_dir_all(&monitor).expect("a folder");
        for (name, text) in [
            ("temp1_input", "41850\n"),
            ("temp1_label", "Composite\n"),
            ("temp10_input", "-5000\n"),
            ("temp2_input", "38850\n"),
            ("temp2_max", "80850\n"),
            ("temp3_input", "none\n"),
        ] {
            std::fs::write(monitor.join(name), text).expect("a file");
        }
        let found: Vec<_> = monitors(folder.path()).iter().flat_map(|monitor| sensors(monitor)).collect();
        let pairs: Vec<_> = found.iter().map(|found| (found.sensor.as_str(), found.celsius)).collect();
        assert_eq!(pairs, [("Composite", 41.85), ("Sensor 2", 38.85), ("Sensor 10", -5.0)]);
    }
}
