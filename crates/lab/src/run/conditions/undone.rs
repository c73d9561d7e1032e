//! Leftovers of killed runs that were measured under conditions: named and undone.

use drivelab_conditions::{CleanUp, ConditionsError, clean_up};
use drivelab_core::ids::RunId;
use drivelab_device::BlockNode;
use drivelab_store::DataDir;

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::run::conditions::on_file;
use crate::run::conditions::series::{folder, say_cleaned};

/// A refusal. If a killed run left something on the drive, it also says how to undo that, because the leftover may be
/// the reason.
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

/// The runs whose dead processes left something set up, and the runs whose undo logs cannot be used.
/// # Errors
/// The folder of the undo logs cannot be read.
pub fn left(lab: &Lab<'_>) -> Result<(Vec<RunId>, Vec<RunId>)> {
    let CleanUp { left, unusable, .. } = clean_up(&folder(&lab.data()?), &|_| false)?;
    let left = left.into_iter().map(|left| left.run).collect();
    Ok((left, unusable.into_iter().filter_map(|trouble| trouble.run).collect()))
}

/// Undoes what a killed run left behind, for `resume`; returns whether there was anything.
///
/// # Errors
/// Something could not be undone.
pub fn clean(lab: &Lab<'_>, run: RunId) -> Result<bool> {
    let voice = lab.voice;
    let CleanUp { cleaned, left: _, unusable } = clean_up(&folder(&lab.data()?), &|left| left.run == run)?;
    let any = !cleaned.is_empty();
    let done = say_cleaned(voice, cleaned);
    // What was set up on a loop device is undone by now, so the loop device can be removed too.
    let any = on_file::clean(lab)? || any;
    done?;
    // Only the run's own undo log can block this run.
    let (own, others): (Vec<_>, Vec<_>) = unusable.into_iter().partition(|trouble| trouble.run == Some(run));
    others.iter().for_each(|trouble| voice.warn(format!("{}: {trouble}", trouble.path.display())));
    own.into_iter().next().map_or(Ok(any), |trouble| Err(ConditionsError::from(trouble).into()))
}
