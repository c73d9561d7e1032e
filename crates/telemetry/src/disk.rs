//! I/O of all programs on a disk (`/proc/diskstats`), and the interrupts of its vectors (`/proc/interrupts`).

use std::path::PathBuf;

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;
use drivelab_device::interrupts::{InterruptRow, interrupt_rows, msi_numbers};
use drivelab_device::roots::read;
use drivelab_device::{DiskCounters, Roots, disk_counters};

use crate::path::DrivePath;
use crate::reading::{stamped, value};

/// Names and quantities of the counters, in the order of [`values_of`].
const COUNTERS: [(&str, Quantity); 7] = [
    ("reads", Quantity::Operations),
    ("read_bytes", Quantity::Volume),
    ("writes", Quantity::Operations),
    ("write_bytes", Quantity::Volume),
    ("discards", Quantity::Operations),
    ("discard_bytes", Quantity::Volume),
    ("busy", Quantity::BusyTime),
];

/// The counters in their units: numbers, bytes, seconds.
fn values_of(counters: DiskCounters) -> [f64; 7] {
    let DiskCounters { reads, read_bytes, writes, write_bytes, discards, discard_bytes, busy_ms } = counters;
    let mut values = [reads, read_bytes, writes, write_bytes, discards, discard_bytes, busy_ms].map(value);
    values[6] /= 1e3;
    values
}

/// Counters of one disk.
#[derive(Debug)]
pub(crate) struct DiskStats {
    path: PathBuf,
    name: String,
    every: Nanos,
}

impl DiskStats {
    /// Checks that the kernel counts this disk.
    pub(crate) fn open(roots: &Roots, name: &str, every: Nanos) -> Result<Self, String> {
        let source = DiskStats { path: roots.proc.join("diskstats"), name: name.to_owned(), every };
        source.values()?;
        Ok(source)
    }

    fn values(&self) -> Result<Vec<Option<f64>>, String> {
        let text = read(&self.path)?;
        let counters = disk_counters(&text, &self.name);
        let counters = counters.ok_or_else(|| format!("{}: it does not name {}", self.path.display(), self.name))?;
        Ok(values_of(counters).map(Some).to_vec())
    }
}

impl TelemetrySource for DiskStats {
    fn describe(&self) -> SourceDescription {
        SourceDescription {
            id: SourceId::new(format!("diskstats:{}", self.name)),
            kind: SourceKind::DiskStats,
            about: About::Drive(self.name.clone()),
            origin: format!("{} in {}", self.name, self.path.display()),
            accuracy: "every request that completed; sectors of 512 bytes".to_owned(),
            disturbs: Disturbs::Host,
            every: self.every,
            cost: None,
            series: COUNTERS.map(|(name, quantity)| SeriesDescription::new(name, quantity)).to_vec(),
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || self.values())
    }
}

/// Interrupts of a disk's controller, by vector.
#[derive(Debug)]
pub(crate) struct Interrupts {
    table: PathBuf,
    path: DrivePath,
    /// Number and name of each vector.
    vectors: Vec<(String, String)>,
    every: Nanos,
}

impl Interrupts {
    /// Finds the vectors: those that the PCI function above the disk lists in `msi_irqs`, otherwise those whose name
    /// begins with the controller's name.
    pub(crate) fn open(roots: &Roots, path: &DrivePath, every: Nanos) -> Result<Self, String> {
        let table = roots.proc.join("interrupts");
        let text = read(&table)?;
        let rows = interrupt_rows(&text);
        let listed = msi_numbers(&path.folder);
        let controller = path.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_vector = |row: &&InterruptRow<'_>| {
            let named = controller.as_deref().is_some_and(|name| is_vector_of(row.action, name));
            if listed.is_empty() { named } else { listed.iter().any(|number| row.number.parse() == Ok(*number)) }
        };
        let vectors: Vec<(String, String)> =
            rows.iter().filter(is_vector).map(|row| (row.number.to_owned(), row.action.to_owned())).collect();
        if vectors.is_empty() {
            let (table, name) = (table.display(), path.name());
            return Err(format!("{table}: the interrupts of {name} cannot be identified"));
        }
        Ok(Interrupts { table, path: path.clone(), vectors, every })
    }

    fn values(&self) -> Result<Vec<Option<f64>>, String> {
        let text = read(&self.table)?;
        let rows = interrupt_rows(&text);
        let count = |number: &String| rows.iter().find(|row| row.number == number).map(|row| value(row.count));
        Ok(self.vectors.iter().map(|(number, _)| count(number)).collect())
    }
}

/// `nvme0q3` belongs to `nvme0`, `nvme01` does not.
fn is_vector_of(action: &str, controller: &str) -> bool {
    action.strip_prefix(controller).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
}

impl TelemetrySource for Interrupts {
    fn describe(&self) -> SourceDescription {
        let series = |(number, name): &(String, String)| {
            SeriesDescription::new(format!("{name} ({number})"), Quantity::Interrupts)
        };
        SourceDescription {
            id: self.path.id("interrupts"),
            kind: SourceKind::Interrupts,
            about: About::Drive(self.path.disk.clone()),
            origin: self.table.display().to_string(),
            accuracy: "every interrupt, summed over the CPUs".to_owned(),
            disturbs: Disturbs::Host,
            every: self.every,
            cost: None,
            series: self.vectors.iter().map(series).collect(),
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        stamped(clock, || self.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_numbers_bytes_and_seconds_in_the_order_of_their_names() {
        let text = " 254 0 vda 10 1 16 5 20 2 32 6 0 1500 11 3 0 8 1 0 0\n";
        let values = values_of(disk_counters(text, "vda").unwrap());
        assert_eq!(values, [10.0, 16.0 * 512.0, 20.0, 32.0 * 512.0, 3.0, 8.0 * 512.0, 1.5]);
    }

    #[test]
    fn a_vector_belongs_to_the_controller_that_begins_its_name() {
        assert!(is_vector_of("nvme0q3", "nvme0") && is_vector_of("virtio1-req.0", "virtio1"));
        assert!(!is_vector_of("nvme01q3", "nvme0") && !is_vector_of("virtio10-req.0", "virtio1"));
    }
}
