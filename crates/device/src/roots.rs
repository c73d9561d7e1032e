//! The locations of sysfs and procfs, and small lenient readers for them. Tests use trees of their own.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The two pseudo file systems that facts and samples come from.
#[derive(Debug, Clone)]
pub struct Roots {
    /// Usually `/sys`.
    pub sys: PathBuf,
    /// Usually `/proc`.
    pub proc: PathBuf,
}

impl Default for Roots {
    fn default() -> Self {
        Roots { sys: PathBuf::from("/sys"), proc: PathBuf::from("/proc") }
    }
}

/// A file as text; bytes that are not UTF-8 are replaced, because device strings contain whatever a firmware wrote.
///
/// # Errors
/// The path, and why it cannot be read.
pub fn read(path: &Path) -> Result<String, String> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// The text of a small attribute file without surrounding white space and NUL bytes; `None` if it cannot be read or
/// is empty.
#[must_use]
pub fn read_trim(path: &Path) -> Option<String> {
    let text = read(path).ok()?;
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// An attribute that is a number.
pub(crate) fn read_number<T: std::str::FromStr>(path: &Path) -> Option<T> {
    read_trim(path)?.parse().ok()
}

/// Names in a folder, sorted; empty if it cannot be read.
#[must_use]
pub fn names(folder: &Path) -> Vec<OsString> {
    let mut names: Vec<OsString> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    names
}
