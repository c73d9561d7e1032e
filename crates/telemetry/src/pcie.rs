//! Link speed and width, and the errors of PCIe Advanced Error Reporting, of the PCI function above a disk.

use std::path::{Path, PathBuf};

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;
use drivelab_device::link::{above_with, link_now};
use drivelab_device::roots::{read, read_trim};

use crate::path::DrivePath;
use crate::reading::stamped;
use crate::text::aer_total;

/// The function at or above the drive's device that has this attribute.
fn function_with(path: &DrivePath, attribute: &str) -> Option<PathBuf> {
    above_with(&path.folder, attribute).map(Path::to_path_buf)
}

/// Negotiated speed and width.
#[derive(Debug)]
pub(crate) struct Link {
    function: PathBuf,
    path: DrivePath,
    every: Nanos,
}

impl Link {
    /// Finds the function.
    pub(crate) fn open(path: &DrivePath, every: Nanos) -> Result<Self, String> {
        let function = function_with(path, "current_link_speed")
            .ok_or_else(|| format!("no PCIe link above {} reports its speed in sysfs", path.name()))?;
        Ok(Link { function, path: path.clone(), every })
    }

    fn values(&self) -> Result<Vec<Option<f64>>, String> {
        let link = link_now(&self.function)?;
        Ok(vec![link.gigatransfers, link.lanes.map(f64::from)])
    }
}

impl TelemetrySource for Link {
    fn describe(&self) -> SourceDescription {
        SourceDescription {
            id: self.path.id("link"),
            kind: SourceKind::Link,
            about: About::Drive(self.path.disk.clone()),
            origin: self.function.display().to_string(),
            accuracy: "the function's link status register, exact at the moment of reading".to_owned(),
            disturbs: Disturbs::Host,
            every: self.every,
            cost: None,
            series: vec![
                SeriesDescription::new("speed", Quantity::LinkSpeed),
                SeriesDescription::new("width", Quantity::LinkWidth),
            ],
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || self.values())
    }
}

/// Files of the error counters and their names.
const ERRORS: [(&str, &str); 3] =
    [("aer_dev_correctable", "correctable"), ("aer_dev_nonfatal", "nonfatal"), ("aer_dev_fatal", "fatal")];

/// Counted errors.
#[derive(Debug)]
pub(crate) struct PcieErrors {
    function: PathBuf,
    path: DrivePath,
    every: Nanos,
}

impl PcieErrors {
    /// Finds the function.
    pub(crate) fn open(path: &DrivePath, every: Nanos) -> Result<Self, String> {
        let function = function_with(path, "aer_dev_correctable")
            .ok_or_else(|| format!("no PCIe function above {} counts errors (AER) in sysfs", path.name()))?;
        Ok(PcieErrors { function, path: path.clone(), every })
    }
}

impl TelemetrySource for PcieErrors {
    fn describe(&self) -> SourceDescription {
        SourceDescription {
            id: self.path.id("pcie_errors"),
            kind: SourceKind::PcieErrors,
            about: About::Drive(self.path.disk.clone()),
            origin: self.function.display().to_string(),
            accuracy: "every error that was reported to the root port, if the kernel handles AER".to_owned(),
            disturbs: Disturbs::Host,
            every: self.every,
            cost: None,
            series: ERRORS.map(|(_, name)| SeriesDescription::new(name, Quantity::Errors)).to_vec(),
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || {
            read(&self.function.join(ERRORS[0].0))?;
            let total = |(file, _): (&str, &str)| read_trim(&self.function.join(file)).and_then(|t| aer_total(&t));
            Ok(ERRORS.map(total).to_vec())
        })
    }
}
