//! The question before measuring in a folder that lies below an /etc/fstab mount point whose file system is not
//! mounted: the measurement would use the disk of the file system that the folder lies on instead.

use std::path::Path;

use drivelab_core::exit::ExitCode;
use drivelab_device::{NotMounted, not_mounted};

use crate::failure::{Failure, Result};
use crate::front::yes;
use crate::lab::Lab;
use crate::order::measurement::Order;
use crate::target::place::Place;
use crate::voice::Voice;

/// Asks about the target of an order and the folder that its files are copied from. With `--yes` it only warns; a dry
/// run only prints what the command would ask.
///
/// # Errors
/// Exit 6 if the answer is no, or nobody can be asked.
pub fn ask(lab: &Lab<'_>, order: &Order<'_>, place: &dyn Place) -> Result<()> {
    if order.under.is_some() || order.part.is_some() {
        // The question was asked before the conditions were set up, or before the first run of the group.
        return Ok(());
    }
    if let Some(found) = lab.data_folder.exists().then(|| not_mounted(lab.data_folder)).flatten() {
        let found = found_text(&found, lab.data_folder).replace("this would measure", "results go to");
        lab.voice.warn(found);
    }
    of_place(lab, place, (order.yes, order.dry_run))?;
    order.source.map_or(Ok(()), |source| about(lab, source, (order.yes, order.dry_run)))
}

/// As [`ask`], for a place: only folders and new files are asked about, because something is created there.
///
/// # Errors
/// As for [`ask`].
pub fn of_place(lab: &Lab<'_>, place: &dyn Place, (yes, dry_run): (bool, bool)) -> Result<()> {
    let made_in = place.as_folder().or(place.as_new_file());
    made_in.map_or(Ok(()), |path| about(lab, path, (yes, dry_run)))
}

fn about(lab: &Lab<'_>, path: &Path, (unasked, dry_run): (bool, bool)) -> Result<()> {
    let Some(found) = not_mounted(path) else { return Ok(()) };
    let found = found_text(&found, path);
    if unasked {
        lab.voice.warn(found);
        return Ok(());
    }
    let refused = |why: &str| {
        let text = format!("{found}. {why} Nothing was touched; mount it, or add --yes to measure there anyway");
        Err(Failure::new(ExitCode::TargetUnusable, text))
    };
    if !lab.front.can_ask() {
        return refused("This needs a confirmation, and there is no terminal to ask on.");
    }
    if dry_run {
        lab.voice.warn(format!("{found}: the command itself asks first"));
        return Ok(());
    }
    if yes(lab.front, &format!("{found}. Measure there anyway?"))? { Ok(()) } else { refused("The answer was no.") }
}

/// Warns about a path that is only inspected: the answer is then about the disk of a file system other than the one
/// that fstab lists. A name that does not exist is explained elsewhere.
pub fn warn(path: &Path, voice: &Voice) {
    if let Some(found) = path.exists().then(|| not_mounted(path)).flatten() {
        voice.warn(found_text(&found, path).replace("this would measure", "this shows the disk of"));
    }
}

fn found_text(found: &NotMounted, path: &Path) -> String {
    let NotMounted { source, mount_point, instead } = found;
    let where_ = if path == mount_point { "there".to_owned() } else { format!("at {}", mount_point.display()) };
    format!(
        "{}: /etc/fstab mounts {source} {where_}, but it is not mounted: this would measure the file system at {}",
        path.display(),
        instead.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_what_is_missing_and_what_would_be_measured_instead() {
        let found = NotMounted { source: "UUID=1-2".to_owned(), mount_point: "/mnt/data".into(), instead: "/".into() };
        let at = found_text(&found, Path::new("/mnt/data"));
        assert!(at.starts_with("/mnt/data: /etc/fstab mounts UUID=1-2 there,"), "{at}");
        let below = found_text(&found, Path::new("/mnt/data/a"));
        assert!(below.contains("UUID=1-2 at /mnt/data,") && below.ends_with("the file system at /"), "{below}");
    }
}
