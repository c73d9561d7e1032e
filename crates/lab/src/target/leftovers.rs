//! Leftovers of killed runs in a folder: removed, with a message about each.

use std::path::Path;

use drivelab_device::LeftoverState;

use crate::failure::Result;
use crate::voice::Voice;

/// Removes whatever killed runs left in the folder, and names each; leaves alone what a running drivelab uses.
///
/// # Errors
/// A leftover that cannot be removed.
pub(crate) fn clear_leftovers(folder: &Path, voice: &Voice) -> Result<()> {
    for leftover in drivelab_device::leftover_scratches(folder)? {
        let path = leftover.claim().path.display().to_string();
        match leftover.state() {
            LeftoverState::Orphan => {
                let run = leftover.claim().run;
                let freed = drivelab_device::remove_leftover(leftover)?;
                voice.say(format!(
                    "removed {path} ({freed}), which the killed run {run} left behind (`drivelab resume {run}` creates it \
                     again)"
                ));
            }
            LeftoverState::InUse => voice.warn(format!(
                "{path} belongs to a drivelab run that is in progress: the two runs will disturb each other"
            )),
        }
    }
    Ok(())
}
