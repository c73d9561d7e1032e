//! What killed runs set up and left: named, and undone.

use drivelab_conditions::{CleanUp, ConditionsError, clean_up};
use drivelab_core::ids::RunId;
use drivelab_device::BlockNode;
use drivelab_store::DataDir;

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::run::conditions::on_file;
use crate::run::conditions::series::{folder, say_cleaned};

/// A refusal, with how the leftovers of a killed run are undone where there are any on the drive: they may be what is
/// in the way.
pub fn by_a_killed_run(data: Option<&DataDir>, node: &BlockNode, failure: Failure) -> Failure {
    let found = data.and_then(|data| clean_up(&folder(data), &|_| false).ok()).unwrap_or_default();
    let Some(left) = found.left.iter().find(|left| left.node == node.path) else { return failure };
    let message = format!(
        "{}; run {run}, which was killed, left what was set up for it on {}: `drivelab resume {run}` undoes that",
        failure.message,
        node.path.display(),
        run = left.run
    );
    Failure::new(failure.code, message)
}

/// The runs of which dead processes left something that was set up, and those whose ledgers cannot be used.
///
/// # Errors
/// Where the folder of the ledgers cannot be read.
pub fn left(lab: &Lab<'_>) -> Result<(Vec<RunId>, Vec<RunId>)> {
    let CleanUp { left, unusable, .. } = clean_up(&folder(&lab.data()?), &|_| false)?;
    let left = left.into_iter().map(|left| left.run).collect();
    Ok((left, unusable.into_iter().filter_map(|trouble| trouble.run).collect()))
}

/// Undoes what this run left behind when it was killed, for `resume`; whether there was anything.
///
/// # Errors
/// What could not be undone.
pub fn clean(lab: &Lab<'_>, run: RunId) -> Result<bool> {
    let voice = lab.voice;
    let CleanUp { cleaned, left: _, unusable } = clean_up(&folder(&lab.data()?), &|left| left.run == run)?;
    let any = !cleaned.is_empty();
    let done = say_cleaned(voice, cleaned);
    // What was set up on a loop device is undone by now, so that can go too.
    let any = on_file::clean(lab)? || any;
    done?;
    // Only the run's own ledger stands in the way of it.
    let (own, others): (Vec<_>, Vec<_>) = unusable.into_iter().partition(|trouble| trouble.run == Some(run));
    others.iter().for_each(|trouble| voice.warn(format!("{}: {trouble}", trouble.path.display())));
    own.into_iter().next().map_or(Ok(any), |trouble| Err(ConditionsError::from(trouble).into()))
}
