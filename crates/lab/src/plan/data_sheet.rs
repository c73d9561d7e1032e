//! The published figures of a run's drive: from the drive facts that the user named, otherwise from those that match
//! its model string.

use std::path::Path;

use drivelab_core::data_sheet::DataSheet;
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::environment::BlockDeviceFacts;

use crate::failure::Result;
use crate::lab::Lab;
use crate::plan::drives;

/// The drive facts that `--facts` names.
///
/// # Errors
/// No known drive has this name, or the file is wrong or cannot be read.
pub fn named(lab: &Lab<'_>, name: Option<&Path>) -> Result<Option<DriveFacts>> {
    name.map(|name| drives::named(lab, name)).transpose()
}

/// The published figures of the drive below these devices; `None` if no facts are named and its model is not known.
///
/// # Errors
/// One of the user's drive facts files is wrong.
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
