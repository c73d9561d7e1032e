//! Telemetry recorded with the I/O: temperatures, power, CPU, link and others, as series of samples on the run clock.
//!
//! A **source** is one thing that can be read (a hwmon chip, `/proc/stat`, a meter's file) and has one or more
//! **series**. A **sample** has one value for each of them, the time at which the reading began, and the duration of
//! the reading. A time without samples is a **gap** with its cause and is never filled in. This module has plain
//! types and the traits between crates; the sources are in `drivelab-telemetry`, the meaning of the series is in
//! `drivelab-analysis`.

mod recorded;
mod source;

pub use recorded::{Recorded, RecordedSource};
pub use source::{
    About, Disturbs, Gap, GapCause, Observer, Phase, Quantity, ReadingCost, Sample, SeriesDescription,
    SourceDescription, SourceId, SourceKind, SourceSamples, TelemetryBatch, TelemetryDescribed, TelemetrySource,
    TemperatureLimit,
};
