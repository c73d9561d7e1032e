//! From what the user named to a target that may be written, or to one clear refusal.

use std::path::{Path, PathBuf};

use drivelab_core::environment::{BlockDeviceFacts, Environment, TargetKind};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, Plan, Step, StepRole};
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;
use drivelab_device::guard;
use drivelab_device::{FolderFacts, LeftoverState, Named, Scratch};
use drivelab_method::{Diagnostics, Methodology, SpeedGuess, TargetShape};
use drivelab_report::format;

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

impl Site {
    /// What the user should know about how the target was chosen.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Named::NewFile(file) = &self.named {
            let device = self.facts.devices.first().map_or("a file system without a drive", |device| &device.name);
            remarks.push(format!(
                "there is no {}: a scratch file of that name is made, on {device} (mounted at {})",
                file.display(),
                self.facts.file_system.mount_point.display()
            ));
        }
        if self.length < self.wanted && self.kind_is_scratch() {
            remarks.push(format!(
                "the scratch file is {} instead of {}: it takes at most 10 % of the free space",
                format::bytes(self.length),
                format::bytes(self.wanted)
            ));
        }
        remarks
    }

    const fn kind_is_scratch(&self) -> bool {
        matches!(self.named, Named::Folder(_) | Named::NewFile(_))
    }

    /// What the user named: a folder or a file.
    #[must_use]
    pub fn place(&self) -> &Path {
        match &self.named {
            Named::Folder(path)
            | Named::ExistingFile(path)
            | Named::NewFile(path)
            | Named::NullDevice(path)
            | Named::ZeroDevice(path) => path,
            Named::BlockDevice(node) => &node.path,
        }
    }
}

/// Whether the target is only looked at or will be written.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// To make a plan: nothing is opened.
    Plan,
    /// To measure; an existing file needs the name that the user gave with `--destroy`.
    Measure {
        /// What `--destroy` named.
        destroy: Option<&'a Path>,
    },
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

/// Whether a scratch file is made for what the user named: a folder, a new name, or what a killed run left behind.
///
/// # Errors
/// A path that is no target at all.
pub fn is_new(path: &Path) -> Result<bool> {
    Ok(match drivelab_device::classify(path)? {
        Named::Folder(_) | Named::NewFile(_) => true,
        Named::ExistingFile(file) => is_leftover(&file)?,
        Named::BlockDevice(_) | Named::NullDevice(_) | Named::ZeroDevice(_) => false,
    })
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
    purpose: Purpose<'_>,
) -> Result<Site> {
    let named = drivelab_device::classify(path)?;
    let folder = match &named {
        Named::Folder(folder) => folder.clone(),
        Named::ExistingFile(file) | Named::NewFile(file) => file.parent().unwrap_or(Path::new("/")).to_owned(),
        Named::BlockDevice(node) => return Err(refuse_block_device(&node.path)),
        Named::NullDevice(path) | Named::ZeroDevice(path) => return Err(refuse_nothing(path)),
    };
    let facts = drivelab_device::folder_facts(&folder)?;
    if !facts.writable {
        return Err(not_writable(&folder, &facts));
    }
    let wanted = size.unwrap_or_else(|| methodology.file_size(form));
    let length = match &named {
        Named::ExistingFile(file) if !is_leftover(file)? => match purpose {
            Purpose::Plan => existing_length(file)?,
            // Asked here as well as when it is opened: a refusal comes before anything else is said about the file.
            Purpose::Measure { destroy } => guard::authorise_file(file, destroy)?.length(),
        },
        _ => {
            let minimum = methodology.minimum_size(form);
            if wanted < minimum {
                return Err(Failure::usage(format!(
                    "a scratch file of {} is too small for '{}', which needs at least {}; ask for more with --size",
                    format::bytes(wanted),
                    methodology.identity().name,
                    format::bytes(minimum)
                )));
            }
            let memory = drivelab_device::total_memory();
            drivelab_device::scratch_size(wanted, minimum, facts.file_system.free, memory)
                .map_err(|error| no_room(&folder, &facts, &error))?
        }
    };
    Ok(Site { named, folder, facts, length, wanted })
}

fn refuse_block_device(device: &Path) -> Failure {
    Failure::new(
        ExitCode::GuardRefused,
        format!(
            "{} is a block device: in this version methodologies run on files only, so that no drive can lose data; \
             mount a file system on it and name a folder there, or read the device with `drivelab io`",
            device.display()
        ),
    )
}

fn refuse_nothing(device: &Path) -> Failure {
    let device = device.display();
    Failure::new(
        ExitCode::GuardRefused,
        format!(
            "{device} is a character device that stores nothing, so no methodology can be run on it; name a folder, or \
             measure drivelab itself with `drivelab io {device}`"
        ),
    )
}

/// Refuses `--destroy` where the target is nothing that could be destroyed.
pub(super) fn destroys_nothing(destroy: &Path) -> Failure {
    Failure::usage(format!(
        "--destroy {} names something to overwrite, but the target is not there yet and will be made; leave --destroy \
         out",
        destroy.display()
    ))
}

pub(super) fn not_writable(folder: &Path, facts: &FolderFacts) -> Failure {
    let mounted = &facts.file_system;
    let why = if mounted.options.split(',').any(|option| option == "ro") {
        format!("the file system at {} is mounted read-only", mounted.mount_point.display())
    } else {
        "this user may not write there".to_owned()
    };
    let message = format!("{} cannot be written: {why}; name another folder", folder.display());
    Failure::new(ExitCode::TargetUnusable, message)
}

pub(super) fn no_room(folder: &Path, facts: &FolderFacts, error: &drivelab_device::NoSpace) -> Failure {
    let message = if facts.file_system.total.get() == 0 {
        format!("{} is on {}, which stores nothing; name a folder on a drive", folder.display(), facts.file_system.kind)
    } else {
        format!("{}: {error}", folder.display())
    };
    Failure::new(ExitCode::TargetUnusable, message)
}

fn existing_length(file: &Path) -> Result<Bytes> {
    let metadata = std::fs::metadata(file).map_err(|error| {
        Failure::new(ExitCode::TargetUnusable, format!("cannot look at {}: {error}", file.display()))
    })?;
    Ok(Bytes::new(metadata.len()).align_down(Bytes::new(4096)))
}

/// Whether a file is what a killed run of drivelab left behind.
pub(super) fn is_leftover(file: &Path) -> Result<bool> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let leftovers = drivelab_device::leftover_scratches(folder)?;
    Ok(leftovers.iter().any(|leftover| leftover.claim().path == file))
}

/// How messages call what the user wrote: the lines of a file, or flags.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    /// Errors of the methodology language, as the user sees them.
    pub wrong: &'a dyn Fn(&Diagnostics) -> Failure,
    /// How I/O through the page cache is asked for.
    pub buffered: &'a str,
}

impl Words<'_> {
    /// For methodologies that are files.
    pub const OF_FILES: Words<'static> = Words { wrong: &super::method::wrong, buffered: "direct = false in the file" };
}

/// Expands a methodology for the place.
///
/// # Errors
/// What does not fit, pointed out in what the user wrote; a method that needs direct I/O where there is none, or that
/// reads what a target holds where there is only a new scratch file.
pub fn plan(methodology: &Methodology, form: Form, site: &Site, words: &Words<'_>) -> Result<Plan> {
    let offset_align = site.facts.direct_io_expected.offset_align;
    let shape = TargetShape { capacity: site.length, offset_align, guess: SpeedGuess::default() };
    let plan = drivelab_method::expand(methodology, form, &shape).map_err(|errors| (words.wrong)(&errors))?;
    let prepares = plan.steps().any(|step| step.role == StepRole::Prepare);
    let reads = || plan.steps().filter_map(Step::workload).any(Workload::reads);
    if methodology.reads_as_found() && site.kind_is_scratch() && !prepares && reads() {
        return Err(Failure::usage(format!(
            "'{}' reads what its target holds (content = \"as_found\"), and a new scratch file in {} holds nothing: name \
             a file or device that exists",
            plan.methodology.name,
            site.folder.display()
        )));
    }
    if plan.needs_direct() && !site.facts.direct_io_expected.supported {
        let advice = drivelab_device::suggest_direct_folder().map_or_else(
            || "name a folder on a file system with a drive behind it".to_owned(),
            |folder| format!("a folder that would do: {}", folder.display()),
        );
        return Err(Failure::new(
            ExitCode::TargetUnusable,
            format!(
                "'{}' measures with direct I/O, and there is none on {} ({}): {}; figures from there would be those of \
                 memory, not of a drive; {advice}; or go through the page cache ({})",
                plan.methodology.name,
                site.folder.display(),
                site.facts.file_system.kind,
                site.facts.direct_io_expected.reason,
                words.buffered,
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
        return Err(destroys_nothing(destroy));
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
        Named::BlockDevice(node) => return Err(refuse_block_device(&node.path)),
        Named::NullDevice(path) | Named::ZeroDevice(path) => return Err(refuse_nothing(path)),
    };
    Ok(Opened { target, scratch: Some(scratch), kind: TargetKind::ScratchFile })
}

/// Everything found, as it goes on record; `data` is the folder of results, where there is to be one.
///
/// # Errors
/// Where the target's file system cannot be looked at any more.
pub fn environment(site: &Site, opened: &Opened, data: Option<&Path>) -> Result<Environment> {
    let mut target = drivelab_device::target_facts(opened.target.path(), opened.kind, opened.target.length())?;
    target.direct_io = opened.target.direct_io().clone();
    let device = target.devices.first().map(|device| device.name.clone());
    Ok(Environment {
        target,
        testbed: drivelab_device::testbed_facts(device.as_deref()),
        guard: Some(opened.target.decision().clone()),
        bundle_on_same_device: data.is_some_and(|data| same_device(&site.facts.devices, data)),
    })
}

/// Whether a folder lies on one of the devices of the target.
pub(super) fn same_device(devices: &[BlockDeviceFacts], folder: &Path) -> bool {
    let Ok(other) = drivelab_device::folder_facts(folder) else { return false };
    other.devices.iter().any(|device| devices.iter().any(|mine| mine.name == device.name))
}
