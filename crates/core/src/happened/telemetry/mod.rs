//! What is watched beside the I/O: temperatures, power, CPU, link and others, as series of samples on the run clock.
//!
//! A **source** is one thing that can be read (a hwmon chip, `/proc/stat`, a meter's file) and gives one or more
//! **series**; a **sample** holds one value of each of them, stamped when the reading began, with the reading's own
//! duration. A time without samples is a **gap** with its cause and is never filled in. Plain types and the traits that
//! let rooms meet; the sources are in `drivelab-telemetry`, what the series mean in `drivelab-analysis`.

mod recorded;
mod source;

pub use recorded::{Recorded, RecordedSource};
pub use source::{
    About, Disturbs, Gap, GapCause, Observer, Phase, Quantity, ReadingCost, Sample, SeriesDescription,
    SourceDescription, SourceId, SourceKind, SourceSamples, TelemetryBatch, TelemetryDescribed, TelemetrySource,
    TemperatureLimit,
};
