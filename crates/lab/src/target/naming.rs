//! From the word on the command line to a place, or to one clear refusal.

use std::path::Path;

use drivelab_core::exit::ExitCode;
use drivelab_device::Named;

use super::missing::{self, NewFile};
use super::place::{NOP, Place};
use crate::failure::{Failure, Result};

/// What the word for a virtual drive begins with.
const VIRTUAL: &str = "virtual:";

impl Place {
    /// Looks at what a word or path names; opens and changes nothing.
    ///
    /// # Errors
    /// What is not there, or is nothing that can be measured.
    pub fn of(word: &Path) -> Result<Place> {
        Place::named(word, NewFile::Never)
    }

    /// The same for a target, which a command may be asked to make.
    ///
    /// # Errors
    /// As for [`Place::of`], and what is there already where a new file was asked for.
    pub fn named(word: &Path, new: NewFile) -> Result<Place> {
        let text = word.to_str().unwrap_or_default();
        if text.starts_with(VIRTUAL) {
            return Err(unusable(format!(
                "{text}: virtual drives are not supported yet; name a folder, a file or a block device"
            )));
        }
        let place = match text.strip_prefix(NOP) {
            Some("") => Place::Nop,
            Some(_) => return Err(missing::behind_nop(text)),
            None => Place::Named(drivelab_device::classify(word).map_err(|error| missing::explained(word, error))?),
        };
        match (&place, new) {
            (Place::Named(Named::NewFile(_)), _) => missing::judge(word, new)?,
            (_, NewFile::Made) => missing::refuse_what_is_there(&place)?,
            _ => {}
        }
        Ok(place)
    }
}

fn unusable(message: String) -> Failure {
    Failure::new(ExitCode::TargetUnusable, message)
}
