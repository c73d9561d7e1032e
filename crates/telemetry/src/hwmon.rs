//! The kernel's sensors as sources: temperatures and power of every chip in `/sys/class/hwmon`.
//!
//! The chips and the content of their files are described in `drivelab_device::hwmon`. The kernel asks an NVMe drive
//! at most once a second.

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;
use drivelab_device::Roots;
use drivelab_device::hwmon::{Chip, ChipSensor, Measured, chips};

use crate::reading::{read_number, stamped};

/// A chip that is read.
#[derive(Debug)]
pub(crate) struct Hwmon {
    chip: Chip,
    /// The disk that it belongs to.
    disk: Option<String>,
    sensors: Vec<ChipSensor>,
    every: Nanos,
}

impl Hwmon {
    /// Every chip with a sensor: those of the given disks, and those of the host. Of a drive's own chips the first is
    /// used: behind native multipath each controller has one for the same drive. Chips of other drives are left out,
    /// because reading would wake the drives unnecessarily.
    pub(crate) fn open_all(roots: &Roots, disks: &[String], of_drive: Nanos, of_host: Nanos) -> Vec<Hwmon> {
        let open = |chip: Chip| {
            let disk = disks.iter().find(|disk| chip.speaks_for(roots, disk)).cloned();
            if disk.is_none() && chip.is_of_a_drive() {
                return None;
            }
            let every = if disk.is_some() { of_drive } else { of_host };
            let sensors = chip.sensors();
            (!sensors.is_empty()).then_some(Hwmon { chip, disk, sensors, every })
        };
        let mut known: Vec<Hwmon> = Vec::new();
        for chip in chips(roots).into_iter().filter_map(open) {
            let is_second =
                chip.is_drives_own() && known.iter().any(|one| one.is_drives_own() && one.disk == chip.disk);
            if !is_second {
                known.push(chip);
            }
        }
        known
    }

    /// Whether the chip is the drive's own, and not one of the board that belongs to the drive's device.
    fn is_drives_own(&self) -> bool {
        self.disk.is_some() && self.chip.is_of_a_drive()
    }

    /// The disk that the chip belongs to.
    pub(crate) fn disk(&self) -> Option<&str> {
        self.disk.as_deref()
    }
}

fn series(sensor: &ChipSensor) -> SeriesDescription {
    let quantity = match sensor.measured {
        Measured::Temperature => Quantity::Temperature,
        Measured::Power => Quantity::Power,
    };
    SeriesDescription {
        warning: sensor.warning_c,
        critical: sensor.critical_c,
        ..SeriesDescription::new(sensor.name(), quantity)
    }
}

impl TelemetrySource for Hwmon {
    fn describe(&self) -> SourceDescription {
        let instance =
            self.chip.folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let of_board = format!("{instance}:{}", self.chip.name);
        let (about, disturbs, name) = match &self.disk {
            Some(disk) if self.is_drives_own() => (About::Drive(disk.clone()), Disturbs::Drive, disk.clone()),
            Some(disk) => (About::Drive(disk.clone()), Disturbs::Drive, format!("{disk}:{of_board}")),
            None => (About::Host, Disturbs::Host, of_board),
        };
        let accuracy = match self.chip.name.as_str() {
            "nvme" => {
                "whole °C as the drive reports them, at most one reading a second; sensors differ by maker in position \
                       and accuracy"
            }
            "drivetemp" => "whole °C as the drive reports them (SCT status or SMART attribute 190/194)",
            _ => "as the chip reports, commonly within a few °C, or a few per cent for power",
        };
        SourceDescription {
            id: SourceId::new(format!("hwmon:{name}")),
            kind: SourceKind::Hwmon,
            about,
            origin: format!("{} ({})", self.chip.folder.display(), self.chip.name),
            accuracy: accuracy.to_owned(),
            disturbs,
            every: self.every,
            cost: None,
            series: self.sensors.iter().map(series).collect(),
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || {
            let reading = |sensor: &ChipSensor| read_number(&sensor.input).map(|raw| raw / sensor.measured.per_unit());
            let readings: Vec<Result<f64, String>> = self.sensors.iter().map(reading).collect();
            match readings.iter().find_map(|reading| reading.as_ref().err()) {
                Some(error) if readings.iter().all(Result::is_err) => Err(error.clone()),
                _ => Ok(readings.into_iter().map(Result::ok).collect()),
            }
        })
    }
}

#[cfg(test)]
mod tests;
