//! From the word on the command line to a place, or to one clear refusal.

use std::path::Path;

use drivelab_device::Named;

use super::missing::{self, NewFile};
use super::place::Place;
use super::sorts::memory::MemoryDevice;
use super::sorts::{by_word, device, file, folder, new_file};
use crate::failure::{Failure, Result};

/// Prefix of the word for a virtual drive.
const VIRTUAL: &str = "model:";

/// Inspects what a word or path names; opens and changes nothing.
///
/// # Errors
/// It does not exist, or it cannot be measured.
pub fn place_of(word: &Path) -> Result<Box<dyn Place>> {
    place_named(word, NewFile::Never)
}

/// As [`place_of`], for a target that a command may create.
///
/// # Errors
/// As for [`place_of`]; or a new file was requested and the name exists.
pub fn place_named(word: &Path, new: NewFile) -> Result<Box<dyn Place>> {
    let text = word.to_str().unwrap_or_default();
    if text.starts_with(VIRTUAL) {
        return Err(Failure::unusable(format!(
            "{text}: virtual drives are not supported yet; name a folder, a file or a block device"
        )));
    }
    let place: Box<dyn Place> = match by_word(text) {
        Some(place) => place?,
        None => match drivelab_device::classify(word).map_err(|error| missing::explained(word, error))? {
            Named::Folder(path) => Box::new(folder::Folder(path)),
            Named::ExistingFile(path) => Box::new(file::ExistingFile(path)),
            Named::NewFile(path) => Box::new(new_file::NewFile(path)),
            Named::BlockDevice(node) => Box::new(device::Device(node)),
            Named::NullDevice(path) => Box::new(MemoryDevice::null(path)),
            Named::ZeroDevice(path) => Box::new(MemoryDevice::zero(path)),
        },
    };
    if place.as_new_file().is_some() {
        missing::judge(word, new)?;
    } else if new == NewFile::Made {
        place.refuse_new_file()?;
    }
    Ok(place)
}
