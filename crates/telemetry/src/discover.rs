//! The sources that are available for a target, their rates, and what is not available.

use std::path::PathBuf;

use drivelab_core::telemetry::{About, Quantity, SourceDescription, SourceKind, TelemetrySource, TemperatureLimit};
use drivelab_core::units::Nanos;
use drivelab_device::{Roots, controller_node, device_folder};
use drivelab_nvme::{Controller, IoctlTransport};

use crate::adapter::{Adapter, AdapterError, AdapterValue};
use crate::cpu::{CpuFrequency, CpuTimes};
use crate::disk::{DiskStats, Interrupts};
use crate::host::{MemoryPressure, Suspends};
use crate::hwmon::Hwmon;
use crate::media::MediaWrites;
use crate::path::DrivePath;
use crate::pcie::{Link, PcieErrors};
use crate::power_log::PowerLog;
use crate::rapl::Rapl;
use crate::smart::{SmartSource, nvme};

/// How far below the drive's critical limit a run is ended, °C: at the limit the drive may shut down on its own.
const BELOW_CRITICAL: f64 = 2.0;

/// Times between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// For sources that send the drive a command: SMART, the drive's hwmon. A drive's temperature changes within
    /// seconds.
    pub drive: Nanos,
    /// For the host's counters.
    pub host: Nanos,
    /// For values that rarely change: link, PCIe errors.
    pub seldom: Nanos,
}

impl Default for Rates {
    fn default() -> Self {
        Rates { drive: Nanos::from_secs(2), host: Nanos::from_secs(1), seldom: Nanos::from_secs(5) }
    }
}

impl Rates {
    /// The same rate for everything.
    #[must_use]
    pub const fn all(every: Nanos) -> Self {
        Rates { drive: every, host: every, seldom: every }
    }
}

/// The telemetry that is requested.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Kernel names of the disks from the target downwards (`dm-0`, `nvme0n1`).
    pub disks: Vec<String>,
    /// Rates.
    pub rates: Rates,
    /// Lets NVMe drives measure their own power, if they can: sets one of their features, and restores it.
    pub power_log: bool,
    /// A command that prints `seconds watts` of the drive.
    pub power_command: Option<String>,
    /// A file with such lines.
    pub power_file: Option<PathBuf>,
    /// A file with lines of seconds and °C of the drive.
    pub temperature_file: Option<PathBuf>,
    /// Temperature in °C above which the run ends; otherwise the drive's critical limit applies, if it states one.
    pub abort_above_c: Option<f64>,
}

/// The telemetry that is available.
pub struct Found {
    /// Sources, ready to be read.
    pub sources: Vec<Box<dyn TelemetrySource>>,
    /// What is not available, and why; one sentence each.
    pub remarks: Vec<String>,
    /// Why no drive measures its own power, if this was requested; one sentence for each drive. Also among the
    /// remarks.
    pub no_power_log: Vec<String>,
    /// Temperature that ends the run.
    pub abort_above: Option<TemperatureLimit>,
}

/// Finds everything that can be watched for a target. Sources that the user named must work; any other missing source
/// is a remark.
///
/// # Errors
/// The user's own adapter cannot be used.
pub fn discover(roots: &Roots, wanted: &Wanted) -> Result<Found, AdapterError> {
    let mut found = Found { sources: Vec::new(), remarks: Vec::new(), no_power_log: Vec::new(), abort_above: None };
    let rates = wanted.rates;
    for disk in &wanted.disks {
        found.add(DiskStats::open(roots, disk, rates.host), disk);
    }
    let drives: Vec<String> =
        wanted.disks.iter().filter(|disk| device_folder(roots, disk).is_some()).cloned().collect();
    for drive in &drives {
        for path in DrivePath::all(roots, drive) {
            found.add(Interrupts::open(roots, &path, rates.host), drive);
            found.add(Link::open(&path, rates.seldom), drive);
            found.add(PcieErrors::open(&path, rates.seldom), drive);
        }
    }
    found.add(CpuTimes::open(roots, rates.host), "the host");
    found.add(CpuFrequency::open(roots, rates.host), "the host");
    found.add(MemoryPressure::open(roots, rates.host), "the host");
    found.add(Ok(Suspends { every: rates.host }), "the host");
    found.add(Rapl::open(roots, rates.host), "the host");
    let with_log = found.smart_logs(roots, &drives, rates.drive);
    found.media_writes(roots, &with_log, rates.seldom);
    if wanted.power_log {
        found.power_logs(roots, &drives, rates.drive);
    }
    let mut chips = Hwmon::open_all(roots, &drives, rates.drive, rates.host);
    // The log contains what the drive's chip shows; reading both would disturb twice.
    chips.retain(|chip| !chip.disk().is_some_and(|disk| with_log.iter().any(|known| known == disk)));
    let told = |drive: &String| with_log.contains(drive) || chips.iter().any(|chip| chip.disk() == Some(drive));
    for drive in drives.iter().filter(|drive| !told(drive)) {
        let how = match drive.as_str() {
            name if name.starts_with("sd") => " (for SATA drives: `modprobe drivetemp`)",
            name if name.starts_with("nvme") => " (the kernel needs CONFIG_NVME_HWMON)",
            _ => "",
        };
        found.remarks.push(format!("{drive}: no temperature sensor in /sys/class/hwmon{how}"));
    }
    found.sources.extend(chips.into_iter().map(|chip| Box::new(chip) as Box<dyn TelemetrySource>));
    let drive = metered(roots, &wanted.disks, &drives);
    if let Some(command) = &wanted.power_command {
        found.sources.push(Box::new(Adapter::command(AdapterValue::Power, &drive, command)?));
    } else if let Some(path) = &wanted.power_file {
        found.sources.push(Box::new(Adapter::file(AdapterValue::Power, &drive, path.clone())?));
    }
    if let Some(path) = &wanted.temperature_file {
        found.sources.push(Box::new(Adapter::file(AdapterValue::Temperature, &drive, path.clone())?));
    }
    found.abort_above = found.limit(wanted.abort_above_c);
    Ok(found)
}

/// The drive that the user's own meter belongs to: the drive below the named target. A named loop device stands for
/// itself, because its file may lie anywhere, and its user does not mean the disk that holds the file.
fn metered(roots: &Roots, disks: &[String], drives: &[String]) -> String {
    let is_loop = |disk: &&String| disk.starts_with("loop") && roots.sys.join("block").join(disk).exists();
    let named = disks.iter().find(|disk| drives.contains(disk) || is_loop(disk));
    named.or(disks.first()).cloned().unwrap_or_else(|| "the target".to_owned())
}

impl Found {
    /// Whether any source reports the drive's temperature.
    #[must_use]
    pub fn has_thermometer(&self) -> bool {
        self.sources.iter().any(|source| drive_temperature(&source.describe()).is_some())
    }

    /// Whether a drive measures its own power.
    #[must_use]
    pub fn has_power_log(&self) -> bool {
        self.sources.iter().any(|source| source.describe().kind == SourceKind::PowerLog)
    }

    /// The SMART logs of the NVMe drives; returns the drives whose log could be opened.
    fn smart_logs(&mut self, roots: &Roots, drives: &[String], every: Nanos) -> Vec<String> {
        let mut with_log = Vec::new();
        for drive in drives {
            let Some(node) = controller_node(roots, drive) else { continue };
            let opened = nvme::open(&node).and_then(|(log, limits)| {
                SmartSource::open(Box::new(log), drive, node.display().to_string(), limits, every)
            });
            if opened.is_ok() {
                with_log.push(drive.clone());
            }
            self.add(opened.map_err(|error| format!("{error} (reading the SMART log needs root)")), drive);
        }
        with_log
    }

    /// The media write counters of the drives whose logs can be read. Most drives have none, which is not a remark.
    fn media_writes(&mut self, roots: &Roots, drives: &[String], every: Nanos) {
        for drive in drives {
            let Some(node) = controller_node(roots, drive) else { continue };
            let Ok(transport) = IoctlTransport::open(&node) else { continue };
            let opened = MediaWrites::open(Controller::new(transport), drive, node.display().to_string(), every);
            self.sources.extend(opened.map(|source| Box::new(source) as Box<dyn TelemetrySource>));
        }
    }

    /// The power that NVMe drives measure themselves; each controller once.
    fn power_logs(&mut self, roots: &Roots, drives: &[String], every: Nanos) {
        let before = self.remarks.len();
        let mut known = Vec::new();
        for drive in drives {
            let Some(node) = controller_node(roots, drive) else { continue };
            if known.contains(&node) {
                continue;
            }
            let transport = IoctlTransport::open(&node).map_err(|error| format!("{error} (it needs root)"));
            let opened = transport.and_then(|transport| {
                PowerLog::open(Controller::new(transport), drive, node.display().to_string(), every)
            });
            self.add(opened, drive);
            known.push(node);
        }
        if known.is_empty() {
            self.remarks.push("only NVMe drives measure their own power, and the target is not on one".to_owned());
        }
        self.no_power_log = self.remarks[before..].to_vec();
    }

    fn add<S: TelemetrySource + 'static>(&mut self, source: Result<S, String>, of: &str) {
        match source {
            Ok(source) => self.sources.push(Box::new(source)),
            Err(error) => self.remarks.push(format!("{of}: {error}")),
        }
    }

    /// The drive's lowest critical limit minus 2 °C, unless the user gave a limit.
    fn limit(&mut self, asked: Option<f64>) -> Option<TemperatureLimit> {
        let described: Vec<SourceDescription> = self.sources.iter().map(|source| source.describe()).collect();
        if let Some(celsius) = asked {
            if !self.has_thermometer() {
                self.remarks.push(format!(
                    "nothing here reports the drive's temperature, so nothing ends the run above {celsius} °C"
                ));
            }
            return Some(TemperatureLimit { celsius, because: "--abort-above-c".to_owned() });
        }
        let critical = described.iter().filter_map(|source| {
            let series = source.series.get(drive_temperature(source)?)?;
            Some((series.critical?, source.id.clone()))
        });
        let (critical, source) = critical.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
        let because = format!("the drive's critical limit of {critical} °C ({source}) minus {BELOW_CRITICAL} °C");
        Some(TemperatureLimit { celsius: critical - BELOW_CRITICAL, because })
    }
}

/// The series of a source that is the drive's temperature as a whole: its first temperature (composite comes first in
/// SMART and in the kernel's sensors; the position of further sensors is not documented, and some report constants).
pub(crate) fn drive_temperature(source: &SourceDescription) -> Option<usize> {
    let of_drive = matches!(source.about, About::Drive(_));
    source.series.iter().position(|series| of_drive && series.quantity == Quantity::Temperature)
}

#[cfg(test)]
mod tests;
