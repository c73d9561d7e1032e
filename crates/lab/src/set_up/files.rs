//! Sets of files: whether there is room for them, the run's own folders for them, and the folder that they are copied
//! from.
//!
//! Must not know: how the engine works on files.

use std::path::Path;

use drivelab_core::environment::FileSource;
use drivelab_core::exit::ExitCode;
use drivelab_core::files::{self, Room};
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, Plan};
use drivelab_core::units::Bytes;
use drivelab_device::FolderFacts;
use drivelab_device::guard::{self, RunFolder};
use drivelab_engine::Folders;
use drivelab_report::format;

use crate::failure::{Failure, Result};
use crate::order::measurement::Order;
use crate::plan::expand;
use crate::target::naming::place_of;
use crate::target::refusals;
use crate::target::site::Site;
use crate::voice::Voice;

/// Room that stays free next to the sets, for the file system's own data.
const SPARE: u64 = 32 << 20;

/// The folders created for a run, and their owners.
#[derive(Default)]
pub struct Made {
    /// For the engine.
    pub folders: Folders,
    /// The owners: dropping them removes the folders.
    pub owners: Vec<RunFolder>,
    /// For the record.
    pub source: Option<Box<FileSource>>,
}

/// Refuses a run on files that cannot work, before anything is created.
///
/// # Errors
/// The target is not a folder, the source is not a folder or is not used, or there is too little room.
pub(crate) fn check(order: &Order<'_>, plan: &Plan, site: &Site) -> Result<()> {
    let room = files::room(plan);
    if files::loads(plan).next().is_none() {
        return order.source.map_or(Ok(()), |source| {
            Err(Failure::usage(format!(
                "--source {} names the folder that files are copied from, and '{}' copies none; leave it out",
                source.display(),
                plan.methodology.name
            )))
        });
    }
    let Some(folder) = site.place.as_folder() else {
        return Err(refusals::no_folder(site.place.path(), order.methodology));
    };
    let of_drive = drivelab_device::folder_facts(folder)?;
    let scratch = if site.makes_scratch { site.length } else { Bytes::new(0) };
    let on_drive = FileSystem {
        named: folder.display().to_string(),
        free: of_drive.file_system.free,
        holds: Holds::Drive { scratch },
    };
    let Some(source) = order.source else { return enough(&on_drive, room, order, site) };
    let of_source = check_source(source, folder)?;
    if same(&of_source.file_system.mount_point, &of_drive.file_system.mount_point) {
        let named = format!("{} and {}, on one file system", folder.display(), source.display());
        return enough(&FileSystem { named, holds: Holds::Both { scratch }, ..on_drive }, room, order, site);
    }
    enough(&on_drive, room, order, site)?;
    let free = of_source.file_system.free;
    enough(&FileSystem { named: source.display().to_string(), free, holds: Holds::Source }, room, order, site)
}

/// The parts of a run that lie on a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// The sets on the drive, and the scratch file if one is created.
    Drive { scratch: Bytes },
    /// The sets that are copied.
    Source,
    /// All of these.
    Both { scratch: Bytes },
}

impl Holds {
    /// Bytes that the parts need at most.
    fn needs(self, room: Room) -> Bytes {
        Bytes::new(match self {
            Holds::Drive { scratch } => room.drive.get().saturating_add(scratch.get()),
            Holds::Source => room.source.get(),
            Holds::Both { scratch } => room.drive.get().saturating_add(room.source.get()).saturating_add(scratch.get()),
        })
    }

    /// Whether that many bytes are free.
    fn fits(self, room: Room, free: Bytes) -> bool {
        free.get() >= self.needs(room).get().saturating_add(SPARE)
    }
}

/// A file system that parts of the run lie on.
struct FileSystem {
    /// The folders on it, for messages.
    named: String,
    free: Bytes,
    holds: Holds,
}

/// Whether two paths lead to the same place.
fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok() == other.canonicalize().ok()
}

/// The folder that files are copied from, if it can be used.
fn check_source(source: &Path, folder: &Path) -> Result<FolderFacts> {
    let of_source = source_facts(source)?;
    if same(source, folder) {
        let text = "--source is the target itself: files are copied from it to the drive; name another folder, or leave it \
                    out (the files are then generated in memory)";
        return Err(Failure::usage(text));
    }
    if !of_source.writable {
        return Err(refusals::not_writable(source, &of_source.file_system));
    }
    Ok(of_source)
}

fn source_facts(source: &Path) -> Result<FolderFacts> {
    match place_of(source)?.as_folder() {
        Some(folder) => Ok(drivelab_device::folder_facts(folder)?),
        None => Err(Failure::usage(format!(
            "--source {} is not a folder; files are copied from a folder",
            source.display()
        ))),
    }
}

/// Refuses if there is too little room, and suggests what would fit.
fn enough(system: &FileSystem, room: Room, order: &Order<'_>, site: &Site) -> Result<()> {
    let FileSystem { named, free, holds } = system;
    if holds.fits(room, *free) {
        return Ok(());
    }
    let least = |form: Form| {
        let how = (form, order.guess);
        let plan = expand::plan(order.methodology, how, site, Some(order.telemetry), &order.words).ok()?;
        Some((form, files::room(&plan)))
    };
    let others = order.methodology.forms().into_iter().filter(|form| *form != order.form && *form != Form::Smoke);
    let advice = match others.filter_map(least).find(|(_, room)| holds.fits(*room, *free)) {
        Some((form, room)) => {
            let (name, needs) = (form.name(), format::bytes(holds.needs(room)));
            format!("the {name} form needs {needs} and would fit (--form {name})")
        }
        None => "free some space, or name a folder on a larger file system".to_owned(),
    };
    let message = format!(
        "the files of '{}' in its {} form take up to {} in {named}, and {} are free; {advice}",
        order.methodology.identity().name,
        order.form.name(),
        format::bytes(holds.needs(room)),
        format::bytes(*free)
    );
    Err(Failure::new(ExitCode::TargetUnusable, message))
}

/// Creates the folders that a plan needs; none if it works on no files.
///
/// # Errors
/// A refusal of the guard.
pub(crate) fn make(plan: &Plan, folder: &Path, source: Option<&Path>, run: RunId, voice: &Voice) -> Result<Made> {
    if files::loads(plan).next().is_none() {
        return Ok(Made::default());
    }
    clear(folder, voice)?;
    let (target, owner) = guard::make_folder(folder, run)?;
    let mut made = Made { folders: Folders::default(), owners: vec![owner], source: None };
    let mut from = None;
    if let Some(source) = source {
        clear(source, voice)?;
        let (folder, owner) = guard::make_folder(source, run)?;
        made.owners.push(owner);
        let FolderFacts { file_system, devices, .. } = drivelab_device::folder_facts(source)?;
        let path = source.canonicalize().unwrap_or_else(|_| source.to_owned());
        made.source = Some(Box::new(FileSource { path, file_system, devices }));
        from = Some(folder);
    }
    made.folders = Folders::new(Some(target), from);
    Ok(made)
}

/// Removes folders of files that killed runs left, and names each.
///
/// # Errors
/// A folder that is provably drivelab's cannot be removed.
pub(crate) fn clear(folder: &Path, voice: &Voice) -> Result<()> {
    for (path, run) in guard::clear_folders(folder)? {
        voice.say(format!("removed {}, which the killed run {run} left behind", path.display()));
    }
    Ok(())
}

/// Removes the run's folders, and warns about each that has to stay.
pub(crate) fn remove(owners: Vec<RunFolder>, voice: &Voice) {
    for owner in owners {
        let path = owner.path().to_owned();
        if let Err(error) = owner.remove() {
            voice.warn(format!("the folder {} could not be removed: {error}", path.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_about_a_file_system_that_holds_source_and_drive_asks_for_both() {
        let gib = |count: u64| Bytes::new(count << 30);
        let room = Room { drive: gib(10), source: gib(8) };
        let scratch = Bytes::new(1 << 20);
        let both = Holds::Both { scratch };
        assert_eq!(both.needs(room), Bytes::new(gib(18).get() + scratch.get()));
        // Room for the larger of the two alone is not enough.
        assert!(!both.fits(room, gib(12)) && Holds::Drive { scratch }.fits(room, gib(12)));
        assert!(both.fits(room, gib(19)) && Holds::Source.fits(room, gib(9)) && !Holds::Source.fits(room, gib(8)));
    }
}
