//! What killed runs left in a folder: removed, with a word about each.

use std::path::Path;

use drivelab_device::LeftoverState;

use crate::failure::Result;
use crate::voice::Voice;

/// Removes what killed runs left in the folder, naming each; leaves what a live run uses.
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
                    "removed {path} ({freed}), left behind by run {run}, which was killed (`drivelab resume {run}` makes \
                     it again)"
                ));
            }
            LeftoverState::InUse => voice
                .warn(format!("{path} belongs to a drivelab run that is going on now: both will disturb each other")),
        }
    }
    Ok(())
}
