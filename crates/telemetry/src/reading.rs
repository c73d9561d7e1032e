//! Readings as samples: numbers, their absence as an error, and the timestamp of a reading.

use std::path::Path;

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::Sample;
use drivelab_device::roots::read;

/// A file that holds one number.
pub(crate) fn read_number(path: &Path) -> Result<f64, String> {
    let text = read(path)?;
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{}: '{}' is not a number", path.display(), text.trim()))
}

/// Names in a folder of sysfs, sorted; empty if it cannot be read.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    drivelab_device::roots::names(folder).into_iter().filter_map(|name| name.into_string().ok()).collect()
}

/// A counter of the kernel as a value. Values are 64-bit floating point, exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "a counter of 9 petabytes is exact to a byte")]
pub(crate) const fn value(counter: u64) -> f64 {
    counter as f64
}

/// One reading as a sample: stamped with the time at which it begins, and with its duration.
pub(crate) fn stamped(
    clock: &dyn RunClock,
    reading: impl FnOnce() -> Result<Vec<Option<f64>>, String>,
) -> Result<Vec<Sample>, String> {
    let at_ns = clock.now_ns();
    let values = reading()?;
    Ok(vec![Sample { at_ns, read_ns: clock.now_ns().saturating_sub(at_ns), values }])
}
