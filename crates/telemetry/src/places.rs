//! Where sysfs and procfs are, and small lenient readers for them. Tests point them at trees of their own.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::Sample;

/// The pseudo file systems that samples come from.
#[derive(Debug, Clone)]
pub struct Places {
    /// Usually `/sys`.
    pub sys: PathBuf,
    /// Usually `/proc`.
    pub proc: PathBuf,
}

impl Default for Places {
    fn default() -> Self {
        Places { sys: PathBuf::from("/sys"), proc: PathBuf::from("/proc") }
    }
}

/// A file as text; bytes that are no UTF-8 are replaced.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// A file as text without white space around it; `None` where it cannot be read or is empty.
pub(crate) fn read_trim(path: &Path) -> Option<String> {
    let text = read(path).ok()?;
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// A file that holds one number.
pub(crate) fn read_number(path: &Path) -> Result<f64, String> {
    let text = read(path)?;
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{}: '{}' is not a number", path.display(), text.trim()))
}

/// Names in a folder, sorted; empty where it cannot be read.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// One reading as a sample: stamped when it begins, with its own duration.
pub(crate) fn stamped(
    clock: &dyn RunClock,
    reading: impl FnOnce() -> Result<Vec<Option<f64>>, String>,
) -> Result<Vec<Sample>, String> {
    let at_ns = clock.now_ns();
    let values = reading()?;
    Ok(vec![Sample { at_ns, read_ns: clock.now_ns().saturating_sub(at_ns), values }])
}
