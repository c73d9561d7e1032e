//! From the word on the command line to a place, or to one clear refusal.

use std::path::Path;

use drivelab_device::Named;

use super::missing::{self, NewFile};
use super::place::{NOP, Place};
use super::sorts::memory::MemoryDevice;
use super::sorts::{device, file, folder, new_file, nop};
use crate::failure::{Failure, Result};

/// What the word for a virtual drive begins with.
const VIRTUAL: &str = "model:";

/// Looks at what a word or path names; opens and changes nothing.
///
/// # Errors
/// What is not there, or is nothing that can be measured.
pub fn place_of(word: &Path) -> Result<Box<dyn Place>> {
    place_named(word, NewFile::Never)
}

/// The same for a target, which a command may be asked to make.
///
/// # Errors
/// As for [`place_of`], and what is there already where a new file was asked for.
pub fn place_named(word: &Path, new: NewFile) -> Result<Box<dyn Place>> {
    let text = word.to_str().unwrap_or_default();
    if text.starts_with(VIRTUAL) {
        return Err(Failure::unusable(format!(
            "{text}: virtual drives are not supported yet; name a folder, a file or a block device"
        )));
    }
    let place: Box<dyn Place> = match text.strip_prefix(NOP) {
        Some("") => Box::new(nop::Nop),
        Some(_) => return Err(missing::behind_nop(text)),
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
