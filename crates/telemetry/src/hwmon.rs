//! The kernel's sensors: temperatures and power of every chip in `/sys/class/hwmon`
//! (Documentation/hwmon/sysfs-interface.rst: millidegrees and microwatts).
//!
//! The chips `nvme` (since Linux 5.5) and `drivetemp` (since 5.6, a module to be loaded) speak for a drive; reading
//! them sends the drive a command, at most one a second for NVMe. All others speak for the host.

use std::path::{Path, PathBuf};

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;

use crate::disk::device_of;
use crate::places::{Places, names, read_number, read_trim, stamped};

/// One sensor of a chip.
#[derive(Debug)]
struct Sensor {
    input: PathBuf,
    /// What the file's number is divided by.
    per_unit: f64,
    series: SeriesDescription,
}

/// A chip.
#[derive(Debug)]
pub(crate) struct Hwmon {
    folder: PathBuf,
    /// `nvme`, `drivetemp`, `coretemp`.
    chip: String,
    /// The disk that it speaks for.
    disk: Option<String>,
    sensors: Vec<Sensor>,
    every: Nanos,
}

/// Chips that are a drive's own.
const OF_DRIVES: [&str; 2] = ["nvme", "drivetemp"];

impl Hwmon {
    /// Every chip with a sensor: those of the given disks, and those of the host. Chips of other drives are left out:
    /// they would be woken for nothing.
    pub(crate) fn open_all(places: &Places, disks: &[String], of_drive: Nanos, of_host: Nanos) -> Vec<Hwmon> {
        let class = places.sys.join("class/hwmon");
        let chip = |name: String| {
            let folder = class.join(&name);
            let chip = read_trim(&folder.join("name"))?;
            let disk = disks.iter().find(|disk| speaks_for(places, &folder, disk)).cloned();
            if disk.is_none() && OF_DRIVES.contains(&chip.as_str()) {
                return None;
            }
            let every = if disk.is_some() { of_drive } else { of_host };
            let sensors = sensors(&folder);
            (!sensors.is_empty()).then_some(Hwmon { folder, chip, disk, sensors, every })
        };
        names(&class).into_iter().filter_map(chip).collect()
    }

    /// The disk that the chip speaks for.
    pub(crate) fn disk(&self) -> Option<&str> {
        self.disk.as_deref()
    }
}

/// Whether a chip belongs to a disk: its device is the disk's, one of the disk's controllers (behind NVMe multipath),
/// or for the drive's own chips on older kernels the PCI function above the disk.
fn speaks_for(places: &Places, chip: &Path, disk: &str) -> bool {
    let Some(of_disk) = device_of(places, disk) else { return false };
    let Ok(of_chip) = chip.join("device").canonicalize() else { return false };
    if of_chip == of_disk {
        return true;
    }
    let controllers = names(&of_disk).into_iter().filter(|name| {
        name.strip_prefix("nvme").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    });
    let mut controllers = controllers.filter_map(|name| of_disk.join(name).canonicalize().ok());
    if controllers.any(|controller| controller == of_chip) {
        return true;
    }
    read_trim(&chip.join("name")).is_some_and(|name| OF_DRIVES.contains(&name.as_str()))
        && of_disk.starts_with(&of_chip)
}

/// The sensors in a chip's folder, temperatures first, each kind in the order of its numbers.
fn sensors(folder: &Path) -> Vec<Sensor> {
    let files = names(folder);
    let numbers = |kind: &str, end: &str| {
        let number = |name: &String| name.strip_prefix(kind)?.strip_suffix(end)?.parse::<u32>().ok();
        let mut numbers: Vec<u32> = files.iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    };
    let degrees = |file: String| read_number(&folder.join(file)).ok().map(|milli| milli / 1e3);
    // A drive that has no limit reports 65,261 °C or 0 K there (NVMe Base Specification, WCTEMP and CCTEMP of 0).
    let sane = |limit: Option<f64>| limit.filter(|limit| (1.0..200.0).contains(limit));
    let mut sensors = Vec::new();
    for number in numbers("temp", "_input") {
        let label = read_trim(&folder.join(format!("temp{number}_label"))).unwrap_or_else(|| format!("temp{number}"));
        let series = SeriesDescription {
            warning: sane(degrees(format!("temp{number}_max"))),
            critical: sane(degrees(format!("temp{number}_crit"))),
            ..SeriesDescription::new(label, Quantity::Temperature)
        };
        sensors.push(Sensor { input: folder.join(format!("temp{number}_input")), per_unit: 1e3, series });
    }
    for end in ["_input", "_average"] {
        for number in numbers("power", end) {
            let label = read_trim(&folder.join(format!("power{number}_label")));
            let label = label.unwrap_or_else(|| format!("power{number}"));
            if sensors.iter().any(|sensor: &Sensor| sensor.series.name == label) {
                continue;
            }
            let series = SeriesDescription::new(label, Quantity::Power);
            sensors.push(Sensor { input: folder.join(format!("power{number}{end}")), per_unit: 1e6, series });
        }
    }
    sensors
}

impl TelemetrySource for Hwmon {
    fn describe(&self) -> SourceDescription {
        let instance = self.folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let (about, disturbs, name) = match &self.disk {
            Some(disk) => (About::Drive(disk.clone()), Disturbs::Drive, disk.clone()),
            None => (About::Host, Disturbs::Host, format!("{instance}:{}", self.chip)),
        };
        let accuracy = match self.chip.as_str() {
            "nvme" => {
                "whole °C as the drive reports them, at most one reading a second; sensors differ by maker in place \
                       and truth"
            }
            "drivetemp" => "whole °C as the drive reports them (SCT status or SMART attribute 190/194)",
            _ => "as the chip reports, commonly within some °C, or some per cent for power",
        };
        SourceDescription {
            id: SourceId::new(format!("hwmon:{name}")),
            kind: SourceKind::Hwmon,
            about,
            origin: format!("{} ({})", self.folder.display(), self.chip),
            accuracy: accuracy.to_owned(),
            disturbs,
            every: self.every,
            cost: None,
            series: self.sensors.iter().map(|sensor| sensor.series.clone()).collect(),
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || {
            let readings: Vec<Result<f64, String>> =
                self.sensors.iter().map(|sensor| read_number(&sensor.input).map(|raw| raw / sensor.per_unit)).collect();
            match readings.iter().find_map(|reading| reading.as_ref().err()) {
                Some(error) if readings.iter().all(Result::is_err) => Err(error.clone()),
                _ => Ok(readings.into_iter().map(Result::ok).collect()),
            }
        })
    }
}

#[cfg(test)]
mod tests;
