//! Names and prices of the drives of the sides: as the user set them; prices also from drive facts files.

use drivelab_core::drive_facts::{Price, Value};
use drivelab_lab::Result;
use drivelab_lab::plan::drives::library;
use drivelab_report::DriveWords;
use drivelab_store::KeptDrive;

use super::read::{Read, Run};
use crate::context::Context;

/// Name and price of the drive of each side; none for a target on several drives.
///
/// # Errors
/// A drive facts file is wrong.
pub(super) fn known(context: &Context, read: &Read) -> Result<Vec<DriveWords>> {
    let settings = &context.settings;
    let (kept, library) = (context.kept_drives(), library(settings.drives.as_deref(), &settings.voice)?);
    let of_run = |run: &Run| {
        let environment = &run.digest.run.environment;
        let (model, serial) = environment.model_and_serial()?;
        let KeptDrive { name, price, .. } = KeptDrive::of(&kept, &model, serial.as_deref());
        let of_facts = || {
            let capacity = environment.drive().map(|device| device.capacity);
            let facts = &library.facts_for(&model, capacity)?.facts;
            facts.figures_at(capacity).price.map(|price| price.get().clone())
        };
        Some(DriveWords { name, price: Price::read(&price).or_else(of_facts) })
    };
    Ok(read.sides.iter().map(|runs| runs.first().and_then(of_run).unwrap_or_default()).collect())
}
