//! Runs under conditions on the drive that the user named, or on a loop device of drivelab's own. Every refusal comes
//! before the drive is changed.

use drivelab_conditions::{CleanUp, Left, clean_up};
use drivelab_core::clock::StopToken;
use drivelab_core::condition::Condition;
use drivelab_core::units::Bytes;
use drivelab_device::{BlockNode, guard, identity_of};

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::order::measurement::Order;
use crate::plan::check::wish;
use crate::plan::{dry_run, endurance};
use crate::run::conditions::on_file;
use crate::run::conditions::series::{Asked, Common, folder, measure_all, say_cleaned};
use crate::run::conditions::undone::by_a_killed_run;
use crate::set_up::watching::Watching;
use crate::target::consent;

/// Measures under each condition in turn.
///
/// # Errors
/// Whatever prevents a condition from being set up, before anything is changed; then the first error that prevents a
/// run from being measured, after which no other run begins; and whatever could not be undone. If runs end with exit
/// codes other than 0, the last one counts.
pub fn carry_out(lab: &Lab<'_>, order: &Order<'_>, asked: Asked<'_>) -> Result {
    if let Some(folder) = on_file::folder(order)? {
        return on_file::carry_out(lab, order, asked, &folder);
    }
    let node = device(order)?;
    // Whether the device may be changed at all is checked before its size.
    guard::preview_device(&node).map_err(|error| by_a_killed_run(lab.data().ok().as_ref(), &node, error.into()))?;
    let turns = asked.around.turns(Some(&node), asked.flags, false)?;
    order.page.map(|(output, redact)| wish(output, redact)).transpose()?;
    let destroy = consent::for_device(lab.front, &node, order.destroy, order.yes || order.dry_run);
    let destroy = destroy.map_err(|failure| by_a_killed_run(lab.data().ok().as_ref(), &node, failure))?;
    // Each arm releases the drive again; it must be the drive that the user named.
    let destroy = if destroy.planned.is_none() { destroy.planned_for(identity_of(&node)) } else { destroy };
    let devices = drivelab_device::open_device_to_read(&node)?.facts.devices;
    Watching::look(lab, order.telemetry, &devices, None)?;
    let conditions: Vec<Condition> = turns.iter().map(|turn| turn.condition).collect();
    if order.dry_run {
        let left_out = turns.first().map(|turn| turn.series.left_out.clone()).unwrap_or_default();
        return dry_run::under_conditions(lab, order, (&node, &devices), (&conditions, left_out), &destroy);
    }
    // The wear of all arms adds up.
    let capacity = devices.first().map_or(Bytes::new(0), |device| device.capacity);
    endurance::ask(
        (lab, order.facts),
        (&devices, true),
        dry_run::written_under(order, capacity, &conditions),
        order.yes,
    )?;
    undo_what_was_left(lab, &node)?;
    let stop = StopToken::default();
    lab.front.watch(vec![stop.clone()]);
    let opal_admin_key = asked.flags.opal_admin_key.as_deref();
    let on = Common { node: &node, destroy: &destroy, opal_admin_key, backend: asked.backend, stop: &stop };
    measure_all(lab, order, &turns, &on)
}

/// The device that the user named: conditions are set up on block devices only.
fn device(order: &Order<'_>) -> Result<BlockNode> {
    let place = order.place()?;
    match place.device() {
        Some(node) => Ok(node.clone()),
        None => Err(Failure::usage(format!(
            "{} is not a block device, and conditions (--partition, --span, --file-system, --arm, --data-state, \
             --power-state) are set up on a whole drive or a partition of it; name that, with --destroy",
            place.path().display()
        ))),
    }
}

/// Undoes whatever killed runs left on the drive.
fn undo_what_was_left(lab: &Lab<'_>, node: &BlockNode) -> Result<()> {
    let voice = lab.voice;
    // Only leftovers on the drive that the user names now are in the way, and only that drive was released.
    let meant = |left: &Left| left.node == node.path && left.there;
    let CleanUp { cleaned, left, unusable } = clean_up(&folder(&lab.data()?), &meant)?;
    unusable.iter().for_each(|trouble| voice.warn(format!("{}: {trouble}", trouble.path.display())));
    say_cleaned(voice, cleaned)?;
    for Left { run, node, .. } in left {
        voice.warn(format!(
            "what was set up on {} for run {run}, which was killed, still exists; `drivelab resume {run}` undoes it",
            node.display()
        ));
    }
    Ok(())
}
