//! How `--redact` replaces names and paths.
//!
//! Must not know which fields contain them: [`crate::environment`], [`crate::plan`] and [`crate::probe`] know their
//! own.

use std::path::{Path, PathBuf};

/// The placeholder for a name.
pub(crate) const LEFT_OUT: &str = "(left out)";

/// Keeps the last part of a path, or `otherwise` if it has none, and adds its folder to `folders`.
pub(crate) fn last_part(path: &mut PathBuf, otherwise: &str, folders: &mut Vec<PathBuf>) {
    folders.extend(path.parent().map(Path::to_owned));
    *path = path.file_name().map_or_else(|| PathBuf::from(otherwise), PathBuf::from);
}

/// Replaces a folder by the placeholder and adds it to `folders`.
pub(crate) fn whole(folder: &mut PathBuf, folders: &mut Vec<PathBuf>) {
    folders.push(std::mem::replace(folder, PathBuf::from(LEFT_OUT)));
}
