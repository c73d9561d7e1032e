//! The drive's SMART / health log as a source (NVM Express Base Specification, log page 02h): temperatures of all its
//! sensors, throttle transitions and times, minutes above its limits, interval power if it has one, and its lifetime
//! counters.
//!
//! Callers fetch the log ([`SmartReader`]): this file owns the conversion to samples.

pub(crate) mod nvme;

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;

/// Kelvin at 0 °C, as the drive's whole numbers are commonly converted to °C (the kernel's hwmon does the same).
const ZERO_CELSIUS: f64 = 273.0;

/// The content of the log, in its own units.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SmartReading {
    /// Bits of the critical warning (byte 0).
    pub critical_warning: u8,
    /// Composite temperature in Kelvin (bytes 1 and 2); 0 if there is none.
    pub composite_kelvin: u16,
    /// Temperature sensors 1 to 8 in Kelvin (bytes 200 to 215); 0 if there is none.
    pub sensors_kelvin: [u16; 8],
    /// Minutes above the warning limit (bytes 192 to 195).
    pub warning_minutes: u32,
    /// Minutes above the critical limit (bytes 196 to 199).
    pub critical_minutes: u32,
    /// Transitions to the first and the second throttling state (bytes 216 to 223).
    pub throttle_transitions: [u32; 2],
    /// Seconds in the first and the second throttling state (bytes 224 to 231).
    pub throttle_seconds: [u32; 2],
    /// Mean power of the last interval in watts (bytes 240 to 243 of Base Specification 2.1 and later), if the drive
    /// reports it.
    pub interval_watts: Option<f64>,
    /// Lifetime counters (bytes 32 to 175): bytes read and written, read and write commands, power cycles, power-on
    /// hours, unsafe shutdowns, media errors.
    pub counters: [f64; 8],
    /// Share of the rated endurance that is used, per cent (byte 5).
    pub percentage_used: f64,
}

/// Names and quantities of [`SmartReading::counters`].
const COUNTERS: [(&str, Quantity); 8] = [
    ("data read", Quantity::Volume),
    ("data written", Quantity::Volume),
    ("read commands", Quantity::Operations),
    ("write commands", Quantity::Operations),
    ("power cycles", Quantity::PowerCycles),
    ("power-on time", Quantity::PowerOnTime),
    ("unsafe shutdowns", Quantity::PowerCycles),
    ("media errors", Quantity::Errors),
];

/// Fetches the log.
pub trait SmartReader: Send {
    /// Reads the log once (one Get Log Page).
    ///
    /// # Errors
    /// The error of the drive or the kernel, as a fragment with the path.
    fn read(&mut self) -> Result<SmartReading, String>;
}

/// The log as a source.
pub struct SmartSource {
    reader: Box<dyn SmartReader>,
    disk: String,
    origin: String,
    warning: Option<f64>,
    critical: Option<f64>,
    /// Which of the eight sensors the drive has.
    sensors: Vec<usize>,
    has_power: bool,
    every: Nanos,
}

impl SmartSource {
    /// Reads the log once to find out what it contains. `limits` are the drive's warning and critical composite
    /// temperature in °C (WCTEMP, CCTEMP), if it states them.
    ///
    /// # Errors
    /// The first reading failed.
    pub fn open(
        mut reader: Box<dyn SmartReader>,
        disk: &str,
        origin: String,
        limits: (Option<f64>, Option<f64>),
        every: Nanos,
    ) -> Result<Self, String> {
        let first = reader.read()?;
        let sensors =
            (0..8).filter(|index| first.sensors_kelvin.get(*index).is_some_and(|kelvin| *kelvin > 0)).collect();
        let has_power = first.interval_watts.is_some();
        let (warning, critical) = limits;
        Ok(SmartSource { reader, disk: disk.to_owned(), origin, warning, critical, sensors, has_power, every })
    }

    fn values(&self, reading: &SmartReading) -> Vec<Option<f64>> {
        let celsius = |kelvin: u16| (kelvin > 0).then(|| f64::from(kelvin) - ZERO_CELSIUS);
        let mut values = vec![celsius(reading.composite_kelvin)];
        values.extend(self.sensors.iter().map(|index| reading.sensors_kelvin.get(*index).copied().and_then(celsius)));
        values.push(Some(f64::from(reading.critical_warning)));
        values.extend([reading.warning_minutes, reading.critical_minutes].map(|minutes| Some(f64::from(minutes))));
        values.extend(reading.throttle_transitions.map(|count| Some(f64::from(count))));
        values.extend(reading.throttle_seconds.map(|seconds| Some(f64::from(seconds))));
        if self.has_power {
            values.push(reading.interval_watts);
        }
        values.extend(reading.counters.map(Some));
        values.push(Some(reading.percentage_used));
        values
    }
}

impl TelemetrySource for SmartSource {
    fn describe(&self) -> SourceDescription {
        let mut series = vec![SeriesDescription {
            warning: self.warning,
            critical: self.critical,
            ..SeriesDescription::new("composite", Quantity::Temperature)
        }];
        let sensor = |index: &usize| SeriesDescription::new(format!("sensor {}", index + 1), Quantity::Temperature);
        series.extend(self.sensors.iter().map(sensor));
        series.extend([
            SeriesDescription::new("critical warning", Quantity::WarningBits),
            SeriesDescription::new("warning time", Quantity::LimitMinutes),
            SeriesDescription::new("critical time", Quantity::LimitMinutes),
            SeriesDescription::new("throttle 1 transitions", Quantity::ThrottleTransitions),
            SeriesDescription::new("throttle 2 transitions", Quantity::ThrottleTransitions),
            SeriesDescription::new("throttle 1 time", Quantity::ThrottleTime),
            SeriesDescription::new("throttle 2 time", Quantity::ThrottleTime),
        ]);
        if self.has_power {
            series.push(SeriesDescription::new("interval power", Quantity::Power));
        }
        series.extend(COUNTERS.map(|(name, quantity)| SeriesDescription::new(name, quantity)));
        series.push(SeriesDescription::new("percentage used", Quantity::Wear));
        SourceDescription {
            id: SourceId::new(format!("smart:{}", self.disk)),
            kind: SourceKind::Smart,
            about: About::Drive(self.disk.clone()),
            origin: self.origin.clone(),
            accuracy: "whole kelvin, seconds, minutes and hours, and units of 512,000 bytes, as the drive counts them"
                .to_owned(),
            disturbs: Disturbs::Drive,
            every: self.every,
            cost: None,
            series,
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        let at_ns = clock.now_ns();
        let reading = self.reader.read()?;
        let read_ns = clock.now_ns().saturating_sub(at_ns);
        Ok(vec![Sample { at_ns, read_ns, values: self.values(&reading) }])
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::clock::MonotonicClock;

    use super::*;

    /// A log as a drive would send it.
    struct Page(SmartReading);

    impl SmartReader for Page {
        fn read(&mut self) -> Result<SmartReading, String> {
            Ok(self.0.clone())
        }
    }

    #[test]
    fn every_series_has_its_value_and_sensors_that_are_not_there_have_none() {
        let mut reading = SmartReading {
            critical_warning: 2,
            composite_kelvin: 318,
            warning_minutes: 3,
            throttle_transitions: [7, 1],
            throttle_seconds: [70, 5],
            interval_watts: Some(4.5),
            counters: [512e3, 0.0, 1.0, 0.0, 7.0, 340.0, 2.0, 1.0],
            percentage_used: 12.0,
            ..SmartReading::default()
        };
        reading.sensors_kelvin[1] = 330;
        let page = Box::new(Page(reading));
        let limits = (Some(81.0), Some(84.0));
        let mut source = SmartSource::open(page, "nvme0n1", "/dev/nvme0".into(), limits, Nanos::from_secs(2)).unwrap();
        let names: Vec<String> = source.describe().series.into_iter().map(|series| series.name).collect();
        let samples = source.read(&MonotonicClock::starting_at(0)).unwrap();
        let named: Vec<(&str, Option<f64>)> =
            names.iter().map(String::as_str).zip(samples[0].values.iter().copied()).collect();
        assert_eq!(named[0], ("composite", Some(45.0)));
        assert_eq!(named[1], ("sensor 2", Some(57.0)));
        assert_eq!(named[2], ("critical warning", Some(2.0)));
        assert_eq!(named[3], ("warning time", Some(3.0)));
        assert_eq!(named[5], ("throttle 1 transitions", Some(7.0)));
        assert_eq!(named[8], ("throttle 2 time", Some(5.0)));
        assert_eq!(named[9], ("interval power", Some(4.5)));
        assert_eq!(named[10], ("data read", Some(512e3)));
        assert_eq!(
            named[15..],
            [
                ("power-on time", Some(340.0)),
                ("unsafe shutdowns", Some(2.0)),
                ("media errors", Some(1.0)),
                ("percentage used", Some(12.0))
            ]
        );
    }
}
