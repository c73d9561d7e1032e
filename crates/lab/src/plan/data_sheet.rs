//! What is printed of the drive of a run: the drive facts that the user named, else those that its model string fits.

use std::path::Path;

use drivelab_core::data_sheet::DataSheet;
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::environment::BlockDeviceFacts;

use crate::failure::Result;
use crate::lab::Lab;
use crate::plan::drives;

/// The facts that `--facts` names.
///
/// # Errors
/// No known drive has the name, or the file is wrong or cannot be read.
pub fn named(lab: &Lab<'_>, name: Option<&Path>) -> Result<Option<DriveFacts>> {
    name.map(|name| drives::named(lab, name)).transpose()
}

/// What is printed of the drive below these devices. Nothing where no facts are named and its model is not known.
///
/// # Errors
/// A file of drive facts of the user's that is wrong.
pub fn of(lab: &Lab<'_>, devices: &[BlockDeviceFacts], facts: Option<&DriveFacts>) -> Result<Option<DataSheet>> {
    let drive = devices.iter().rev().find(|device| device.model.is_some());
    if let Some(facts) = facts {
        let capacity = drive.or(devices.last()).map(|device| device.capacity);
        return Ok(Some(DataSheet::of(facts, capacity, true)));
    }
    let Some((drive, model)) = drive.and_then(|drive| Some((drive, drive.model.as_deref()?))) else { return Ok(None) };
    let library = drives::library(lab.drives, lab.voice)?;
    let known = library.facts_for(model, Some(drive.capacity));
    Ok(known.map(|known| DataSheet::of(&known.facts, Some(drive.capacity), false)))
}
