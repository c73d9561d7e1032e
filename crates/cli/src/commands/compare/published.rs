//! Words such as `published:dillon-nvme`: figures that others published.

use std::path::Path;

use drivelab_core::published::Published;
use drivelab_lab::{Failure, Result};
use drivelab_report::PublishedSide;
use drivelab_store::read_published;

/// What such a word begins with.
const PREFIX: &str = "published:";

/// The published sides that words name, and the other words. `published:NAME` is every drive of a publication,
/// `published:NAME/DRIVE` those whose name contains DRIVE.
///
/// # Errors
/// No publication or none of its drives is called so, or its file cannot be read.
pub(super) fn split(data: &Path, words: &[String]) -> Result<(Vec<PublishedSide>, Vec<String>)> {
    let (mut sides, mut rest) = (Vec::new(), Vec::new());
    for word in words {
        let Some(name) = word.strip_prefix(PREFIX) else {
            rest.push(word.clone());
            continue;
        };
        let (name, drive) = name.split_once('/').unwrap_or((name, ""));
        let found = PublishedSide::of(&named(data, name)?, drive, sides.len() + 1);
        if found.is_empty() {
            return Err(Failure::nothing(format!("'{name}' has no drive whose name contains '{drive}'")));
        }
        sides.extend(found);
    }
    Ok((sides, rest))
}

/// A word for each publication that can be read.
pub(in crate::commands) fn words(data: &Path) -> Vec<String> {
    let all = read_published(data);
    all.iter().flatten().map(|known| format!("{PREFIX}{}", known.name)).collect()
}

/// The publication of this name.
fn named(data: &Path, name: &str) -> Result<Published> {
    let all = read_published(data);
    if let Some(found) = all.iter().flatten().find(|known| known.name == name) {
        return Ok(found.clone());
    }
    // The file that was meant may be one that cannot be read.
    if let Some(wrong) = all.iter().find_map(|read| read.as_ref().err()) {
        return Err(Failure::usage(wrong.clone()));
    }
    let names: Vec<&str> = all.iter().flatten().map(|known| known.name.as_str()).collect();
    Err(Failure::nothing(format!("there are no published figures '{name}'; known are {}", names.join(", "))))
}
