//! The effect of watching on reads of a drive: `drivelab watch TARGET --cost` measures it, the data folder keeps it,
//! and every later run on that drive records it with its own figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::histogram::SparseHistogram;
use crate::tails;
use crate::target::DeviceIdentity;
use crate::units::Nanos;

/// Latencies of 4 KiB random reads at queue depth 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReadLatency {
    /// Reads that completed.
    pub reads: u64,
    /// Mean in microseconds.
    pub mean_us: f64,
    /// Median in microseconds; null, like the 99th percentile, with fewer than five reads beyond it.
    pub p50_us: Option<f64>,
    /// 99th percentile in microseconds.
    pub p99_us: Option<f64>,
    /// Longest in microseconds.
    pub max_us: f64,
}

impl ReadLatency {
    /// Of all reads in a histogram.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "latencies are short")]
    pub fn of(histogram: &SparseHistogram) -> Self {
        let us = |per_cent| tails::percentile(histogram, per_cent).map(|time: Nanos| time.get() as f64 / 1e3);
        ReadLatency {
            reads: histogram.count,
            mean_us: histogram.mean_ns().unwrap_or(0.0) / 1e3,
            p50_us: us(50.0),
            p99_us: us(99.0),
            max_us: us(100.0).unwrap_or(0.0),
        }
    }

    /// The median in microseconds; `None` if there are too few reads for it, also in older measurements that kept it
    /// anyway.
    #[must_use]
    pub fn median_us(&self) -> Option<f64> {
        self.p50_us.filter(|_| tails::tells(self.reads, 50.0))
    }
}

/// A source that was read during the measurement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct WatchedSource {
    /// Its name in a run: `smart:nvme0n1`.
    pub id: String,
    /// Time between two readings.
    pub every: Nanos,
}

/// The result of reads without and with watching, in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WatchingCost {
    /// Time of the measurement, by the host's clock (RFC 3339).
    pub measured: String,
    /// Release of drivelab that measured.
    pub version: String,
    /// Its build profile: `release` or `debug`.
    pub profile: String,
    /// Kernel release at that time.
    pub kernel: String,
    /// The device that was read.
    pub device: DeviceIdentity,
    /// What was watched.
    pub sources: Vec<WatchedSource>,
    /// Pairs of measurements, one without and one with watching.
    pub pairs: u32,
    /// Length of each measurement.
    pub stretch: Nanos,
    /// Reads without watching.
    pub without: ReadLatency,
    /// Reads while all sources were watched.
    pub with: ReadLatency,
}

impl WatchingCost {
    /// Whether it was measured on this device. A device with a serial number or a world-wide name is recognised by
    /// that, also in another slot and after a restart. Any other device must be the one that the kernel has had there
    /// since.
    #[must_use]
    pub fn is_of(&self, device: &DeviceIdentity) -> bool {
        let before = &self.device;
        if before.serial.is_some() || before.wwid.is_some() {
            let names = |identity: &DeviceIdentity| {
                (identity.model.clone(), identity.serial.clone(), identity.wwid.clone(), identity.capacity)
            };
            return names(before) == names(device);
        }
        before.name == device.name && device.changes_since(before).is_empty()
    }

    /// Increase of the median read latency with watching, in microseconds; negative if reads were faster. `None` if
    /// there are too few reads for either median.
    #[must_use]
    pub fn median_us(&self) -> Option<f64> {
        Some(self.with.median_us()? - self.without.median_us()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Histogram;
    use crate::units::Bytes;

    fn device(name: &str, serial: Option<&str>, diskseq: u64) -> DeviceIdentity {
        DeviceIdentity {
            name: name.to_owned(),
            whole: name.to_owned(),
            number: "7:0".to_owned(),
            model: serial.map(|_| "Sample".to_owned()),
            serial: serial.map(str::to_owned),
            wwid: None,
            by_id: Vec::new(),
            capacity: Bytes::new(1 << 30),
            diskseq: Some(diskseq),
            backing_file: None,
        }
    }

    fn cost(device: DeviceIdentity) -> WatchingCost {
        WatchingCost {
            measured: String::new(),
            version: String::new(),
            profile: String::new(),
            kernel: String::new(),
            device,
            sources: Vec::new(),
            pairs: 5,
            stretch: Nanos::from_secs(2),
            without: ReadLatency { reads: 1_000, p50_us: Some(80.0), ..ReadLatency::default() },
            with: ReadLatency { reads: 1_000, p50_us: Some(81.5), ..ReadLatency::default() },
        }
    }

    #[test]
    fn a_drive_is_known_by_its_serial_number_and_a_nameless_one_by_the_kernels_count() {
        let named = cost(device("nvme0n1", Some("A1"), 3));
        assert!(named.is_of(&device("nvme1n1", Some("A1"), 9)), "in another slot, after a restart");
        assert!(!named.is_of(&device("nvme0n1", Some("B2"), 3)) && !named.is_of(&device("nvme0n1", None, 3)));
        let larger = DeviceIdentity { capacity: Bytes::new(2 << 30), ..device("nvme0n1", Some("A1"), 3) };
        assert!(!named.is_of(&larger));
        let nameless = cost(device("loop0", None, 3));
        assert!(nameless.is_of(&device("loop0", None, 3)));
        assert!(!nameless.is_of(&device("loop0", None, 4)), "another file under the same name");
        assert!(!nameless.is_of(&device("loop1", None, 3)));
    }

    #[test]
    fn latencies_are_those_of_the_histogram_in_microseconds() {
        let mut histogram = Histogram::default();
        histogram.record_many(1_000, 980);
        histogram.record_many(3_000, 20);
        let all = ReadLatency::of(&histogram.sparse());
        let near = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 0.01;
        assert_eq!(all.reads, 1_000);
        assert!(near(all.mean_us, 1.04) && near(all.max_us, 3.0));
        assert!(all.p50_us.is_some_and(|p50| near(p50, 1.0)) && all.p99_us.is_some_and(|p99| near(p99, 3.0)));
        let mut few = Histogram::default();
        few.record_many(1_000, 9);
        assert_eq!((ReadLatency::of(&few.sparse()).p50_us, ReadLatency::of(&few.sparse()).p99_us), (None, None));
        assert_eq!(ReadLatency::of(&SparseHistogram::default()), ReadLatency::default());
        assert!(cost(device("loop0", None, 3)).median_us().is_some_and(|by| (by - 1.5).abs() < 1e-12));
    }
}
