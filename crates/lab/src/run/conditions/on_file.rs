//! Conditions without a spare drive: a loop device on a file in the named folder, created before the first run and
//! removed after the last one, whatever their outcome.
//!
//! Owns the size of the file. Every run on the loop device records that it was measured on one.

use std::path::{Path, PathBuf};

use drivelab_conditions::{CleanUp, LoopFile, clean_loops, clean_up, left_loops};
use drivelab_core::clock::StopToken;
use drivelab_core::condition::{Condition, Share};
use drivelab_core::units::Bytes;
use drivelab_device::guard::Destroy;
use drivelab_device::identity_of;

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::order::measurement::Order;
use crate::plan::check::wish;
use crate::plan::{dry_run, endurance};
use crate::run::conditions::series::{self, Asked, Common, measure_all, say_cleaned};
use crate::set_up::around::Around;
use crate::target::naming::place_of;
use crate::target::refusals::{destroys_nothing, no_room};
use crate::target::unmounted;

/// Folder of the undo logs of loop devices in the data folder.
const FOLDER: &str = "loops";
/// Size of a partition table and a LUKS2 header, at most.
const AROUND_DATA: Bytes = Bytes::new(20 << 20);
/// Share of a file system that the test may fill, per cent: it needs room for its own data (inodes, journal), and its
/// last tenth stays free.
const OF_A_FILE_SYSTEM_PERCENT: u64 = 80;

/// The folder, if the methodology itself asks for conditions and the target is a folder.
///
/// # Errors
/// The target does not exist.
pub(super) fn folder(order: &Order<'_>) -> Result<Option<PathBuf>> {
    if order.methodology.conditions(order.form).is_none() {
        return Ok(None);
    }
    Ok(order.place()?.as_folder().map(Path::to_owned))
}

/// Creates the device, measures on it, and removes it.
///
/// # Errors
/// No room for the file, no loop device available, or the outcome of the runs.
pub(super) fn carry_out(lab: &Lab<'_>, order: &Order<'_>, asked: Asked<'_>, folder: &Path) -> Result {
    if let Some(destroy) = order.destroy {
        return Err(destroys_nothing(destroy));
    }
    unmounted::ask(lab, order, &*order.place()?)?;
    order.page.map(|(output, redact)| wish(output, redact)).transpose()?;
    let size = size(order, asked.around, folder)?;
    let turns = asked.around.turns(None, asked.flags, true)?;
    let conditions: Vec<Condition> = turns.iter().map(|turn| turn.condition).collect();
    if order.dry_run {
        let left_out = turns.first().map(|turn| turn.series.left_out.clone()).unwrap_or_default();
        return dry_run::on_file(lab, order, folder, size, (&conditions, left_out));
    }
    let devices = drivelab_device::folder_facts(folder)?.devices;
    endurance::ask((lab, order.facts), (&devices, false), dry_run::written_under(order, size, &conditions), order.yes)?;
    let voice = lab.voice;
    undo_what_was_left(lab)?;
    let stop = StopToken::default();
    lab.front.watch(vec![stop.clone()]);
    let made = LoopFile::make(folder, size, &lab.data()?.root().join(FOLDER))?;
    voice.warn(format!(
        "{} is a loop device on a file of {size} in {}: its results include a file system and the loop driver, so they are \
         not results of the drive alone",
        made.node().display(),
        folder.display()
    ));
    let measured = on(lab, order, asked, (&made, &stop));
    let (node, path) = (made.node().to_owned(), made.path().to_owned());
    let removed = made.remove();
    if removed.is_ok() {
        voice.detail(format!("Undone    detached {} and removed {}", node.display(), path.display()));
    }
    let code = measured?;
    removed?;
    Ok(code)
}

fn on(lab: &Lab<'_>, order: &Order<'_>, asked: Asked<'_>, (made, stop): (&LoopFile, &StopToken)) -> Result {
    let place = place_of(made.node())?;
    let Some(node) = place.device() else {
        return Err(Failure::unexpected(format!("{} is not a block device", made.node().display())));
    };
    let turns = asked.around.turns(Some(node), asked.flags, true)?;
    // It holds only what drivelab created a moment ago, and no other device is meant.
    let destroy = Destroy::named(Some(made.node())).planned_for(identity_of(node));
    let opal_admin_key = asked.flags.opal_admin_key.as_deref();
    let on = Common { node, destroy: &destroy, opal_admin_key, backend: asked.backend, stop };
    let order = Order { destroy: Some(made.node()), ..order.like() };
    measure_all(lab, &order, &turns, &on)
}

/// Undoes whatever killed runs left on drivelab's own loop devices, and removes the devices.
fn undo_what_was_left(lab: &Lab<'_>) -> Result<()> {
    let data = lab.data()?;
    let loops = left_loops(&data.root().join(FOLDER))?;
    let CleanUp { cleaned, .. } = clean_up(&series::folder(&data), &|left| loops.contains(&left.node) && left.there)?;
    say_cleaned(lab.voice, cleaned)?;
    clean(lab).map(drop)
}

/// Removes the loop devices that killed processes left; returns whether there were any.
///
/// # Errors
/// Their undo logs cannot be read.
pub(super) fn clean(lab: &Lab<'_>) -> Result<bool> {
    let voice = lab.voice;
    let (done, trouble) = clean_loops(&lab.data()?.root().join(FOLDER))?;
    trouble.iter().for_each(|error| voice.warn(format!("a loop device that a killed run left: {error}")));
    done.iter().for_each(|done| voice.say(format!("A loop device that a killed run left: {done}")));
    Ok(!done.is_empty())
}

/// The size of the file: what is tested plus what lies around it; at most a tenth of the free space, as for every
/// scratch file.
fn size(order: &Order<'_>, around: &Around, folder: &Path) -> Result<Bytes> {
    let wanted = order.size.unwrap_or_else(|| order.methodology.nominal_size(order.form));
    let least = order.methodology.minimum_size(order.form);
    let facts = drivelab_device::folder_facts(folder)?;
    let [wanted, least] = [wanted, least].map(|tested| around_of(tested, around.partition()));
    drivelab_device::scratch_size(wanted, least, facts.file_system.free, Bytes::new(0))
        .map_err(|error| no_room(folder, &facts.file_system, &error))
}

/// Size of a device on which this many bytes can be tested, in whole MiB.
fn around_of(tested: Bytes, partition: Option<Share>) -> Bytes {
    let with = |bytes: u64, percent: u64| bytes.saturating_mul(100).div_ceil(percent.max(1));
    let inside = with(tested.get(), OF_A_FILE_SYSTEM_PERCENT).saturating_add(AROUND_DATA.get());
    let whole = match partition {
        Some(Share::Percent(percent)) => with(inside, u64::from(percent.get())),
        Some(Share::Bytes(bytes)) => inside.max(bytes.get()),
        None => inside,
    };
    let mib = Bytes::MIB.get();
    Bytes::new(whole.saturating_add(AROUND_DATA.get()).div_ceil(mib).saturating_mul(mib))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_room_for_all_that_lies_around_what_is_tested() {
        // 80 MiB are 80 % of 100 MiB; with 20 MiB around them 120 MiB, which are 60 % of 200 MiB; and 20 MiB more.
        let share = |text: &str| text.parse().ok();
        assert_eq!(around_of(Bytes::new(80 << 20), share("60%")), Bytes::new(220 << 20));
        assert_eq!(around_of(Bytes::new(80 << 20), None), Bytes::new(140 << 20));
        assert_eq!(around_of(Bytes::new(1), None), Bytes::new(41 << 20), "in whole MiB");
        assert_eq!(around_of(Bytes::new(80 << 20), share("1GiB")), Bytes::new(1044 << 20));
    }
}
