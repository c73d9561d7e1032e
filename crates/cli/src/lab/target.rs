//! From what the user named to a target that may be written, or to one clear refusal.

use std::path::{Path, PathBuf};

use drivelab_core::environment::{Environment, TargetFacts, TargetKind};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, Plan};
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Bytes;
use drivelab_device::guard;
use drivelab_device::{FolderFacts, LeftoverState, Named, Scratch};
use drivelab_method::{Methodology, SpeedGuess, TargetShape};

use crate::fail::{Failure, Result};
use crate::say::Voice;

/// Where a run will measure, before anything is made or opened.
pub struct Site {
    /// What the user named, resolved.
    pub named: Named,
    /// The folder the target lies in.
    pub folder: PathBuf,
    /// Facts about that folder's file system and what lies below.
    pub facts: FolderFacts,
    /// Bytes that will be tested.
    pub length: Bytes,
    /// What the scratch file would have been without the limit of free space.
    pub wanted: Bytes,
}

/// The target, open, with its keeper.
pub struct Opened {
    /// What the engine gets.
    pub target: WritableTarget,
    /// The scratch file, where one was made.
    pub scratch: Option<Scratch>,
    /// Made for the run or named by the user.
    pub kind: TargetKind,
}

/// Looks at the place and works out how large the target will be; makes and changes nothing.
///
/// # Errors
/// A target that is missing, refused, read-only, too small or full.
pub fn survey(
    path: &Path,
    methodology: &Methodology,
    form: Form,
    size: Option<Bytes>,
    destroy: Option<&Path>,
) -> Result<Site> {
    let named = drivelab_device::classify(path)?;
    let folder = match &named {
        Named::Folder(folder) => folder.clone(),
        Named::ExistingFile(file) | Named::NewFile(file) => file.parent().unwrap_or(Path::new("/")).to_owned(),
        Named::BlockDevice(device) => return Err(refuse_block_device(device)),
    };
    let facts = drivelab_device::folder_facts(&folder)?;
    if !facts.writable {
        return Err(not_writable(&folder, &facts));
    }
    let wanted = size.unwrap_or_else(|| methodology.file_size(form));
    let length = match &named {
        // Asked here as well as when it is opened: a refusal comes before anything else is said about the file.
        Named::ExistingFile(file) if !is_leftover(file)? => guard::authorise_file(file, destroy)?.length(),
        _ => {
            let minimum = methodology.minimum_size(form);
            let memory = drivelab_device::total_memory();
            drivelab_device::scratch_size(wanted, minimum, facts.file_system.free, memory)
                .map_err(|error| Failure::new(ExitCode::TargetUnusable, format!("{}: {error}", folder.display())))?
        }
    };
    Ok(Site { named, folder, facts, length, wanted })
}

fn refuse_block_device(device: &Path) -> Failure {
    Failure::new(
        ExitCode::GuardRefused,
        format!(
            "{} is a block device: this version measures files only, so that no drive can lose data; mount a file system \
             on it and name a folder there",
            device.display()
        ),
    )
}

fn not_writable(folder: &Path, facts: &FolderFacts) -> Failure {
    let mounted = &facts.file_system;
    let why = if mounted.options.split(',').any(|option| option == "ro") {
        format!("the file system at {} is mounted read-only", mounted.mount_point.display())
    } else {
        "this user may not write there".to_owned()
    };
    let message = format!("{} cannot be written: {why}; name another folder", folder.display());
    Failure::new(ExitCode::TargetUnusable, message)
}

/// Whether a file is what a killed run of drivelab left behind.
fn is_leftover(file: &Path) -> Result<bool> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let leftovers = drivelab_device::leftover_scratches(folder)?;
    Ok(leftovers.iter().any(|leftover| leftover.claim().path == file))
}

/// Expands a methodology for the place.
///
/// # Errors
/// What does not fit, pointed out in the methodology file; a method that needs direct I/O where there is none.
pub fn plan(methodology: &Methodology, form: Form, site: &Site) -> Result<Plan> {
    let offset_align = site.facts.direct_io_expected.offset_align;
    let shape = TargetShape { capacity: site.length, offset_align, guess: SpeedGuess::default() };
    let plan = drivelab_method::expand(methodology, form, &shape).map_err(|errors| super::method::wrong(&errors))?;
    if plan.needs_direct() && !site.facts.direct_io_expected.supported {
        let advice = drivelab_device::suggest_direct_folder().map_or_else(
            || "name a folder on a file system with a drive behind it".to_owned(),
            |folder| format!("a folder that would do: {}", folder.display()),
        );
        return Err(Failure::new(
            ExitCode::TargetUnusable,
            format!(
                "'{}' measures with direct I/O, and there is none on {} ({}): {}; figures from there would be those of \
                 memory, not of a drive. {advice}",
                plan.methodology.name,
                site.folder.display(),
                site.facts.file_system.kind,
                site.facts.direct_io_expected.reason,
            ),
        ));
    }
    Ok(plan)
}

/// Removes what killed runs left in the folder, naming each; leaves what a live run uses.
///
/// # Errors
/// A leftover that cannot be removed.
pub fn clear_leftovers(folder: &Path, voice: Voice) -> Result<()> {
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

/// Makes or opens the target.
///
/// # Errors
/// Whatever the guard refuses.
pub fn open(site: &Site, run: RunId, destroy: Option<&Path>) -> Result<Opened> {
    if let (Some(destroy), false) = (destroy, matches!(site.named, Named::ExistingFile(_))) {
        return Err(Failure::usage(format!(
            "--destroy {} names a file to overwrite, but the target is not an existing file; leave --destroy out",
            destroy.display()
        )));
    }
    let (target, scratch) = match &site.named {
        Named::Folder(folder) => guard::make_scratch(folder, None, run, site.length)?,
        Named::NewFile(file) => guard::make_scratch(&site.folder, file.file_name(), run, site.length)?,
        Named::ExistingFile(file) if !file.exists() => {
            guard::make_scratch(&site.folder, file.file_name(), run, site.length)?
        }
        Named::ExistingFile(file) => {
            let target = guard::authorise_file(file, destroy)?;
            return Ok(Opened { target, scratch: None, kind: TargetKind::NamedFile });
        }
        Named::BlockDevice(device) => return Err(refuse_block_device(device)),
    };
    Ok(Opened { target, scratch: Some(scratch), kind: TargetKind::ScratchFile })
}

/// Everything found, as it goes on record.
#[must_use]
pub fn environment(site: &Site, opened: &Opened, data: &Path) -> Environment {
    let device = site.facts.devices.first().map(|device| device.name.clone());
    let target = TargetFacts {
        path: opened.target.path().to_owned(),
        kind: opened.kind,
        length: opened.target.length(),
        file_system: site.facts.file_system.clone(),
        devices: site.facts.devices.clone(),
        direct_io: opened.target.direct_io().clone(),
    };
    Environment {
        target,
        testbed: drivelab_device::testbed_facts(device.as_deref()),
        guard: opened.target.decision().clone(),
        bundle_on_same_device: same_device(&site.facts, data),
    }
}

/// Whether a folder lies on one of the devices below the target.
fn same_device(facts: &FolderFacts, folder: &Path) -> bool {
    let Ok(other) = drivelab_device::folder_facts(folder) else { return false };
    other.devices.iter().any(|device| facts.devices.iter().any(|mine| mine.name == device.name))
}
