//! The site of a run: the inspected target and how much of it is tested, before anything is created.

use drivelab_analysis::findings;
use drivelab_core::environment::{BlockDeviceFacts, FileSystemFacts, TargetFacts};
use drivelab_core::exit::ExitCode;
use drivelab_core::finding::Finding;
use drivelab_core::plan::Form;
use drivelab_core::target::{DirectIo, GuardedDevice, WritableTarget};
use drivelab_core::units::Bytes;
use drivelab_device::guard::Destroy;
use drivelab_device::{FolderFacts, NoSpace};
use drivelab_method::{MethodTarget, Methodology, SpeedGuess, TargetShape};
use drivelab_report::format;

use super::naming::place_of;
use super::opened::{Needs, OpenedIo, Wanted};
use super::place::{DEFAULT_SIZE, Looked, Place};
use super::refusals::{no_file_size, no_room, not_writable};
use super::released::released_device;
use crate::failure::{Failure, Result};
use crate::voice::Voice;

/// The site of a run, before anything is created or opened for the run.
pub struct Site {
    /// The target that the user named, resolved.
    pub place: Box<dyn Place>,
    /// Whether a scratch file will be created.
    pub makes_scratch: bool,
    /// The file system it lies on; `None` for devices and for targets that store nothing.
    pub(crate) file_system: Option<FileSystemFacts>,
    /// Block devices below it.
    pub devices: Vec<BlockDeviceFacts>,
    /// Requirements of direct I/O there, as far as they are known now.
    pub(crate) direct_io: DirectIo,
    /// Bytes that will be tested.
    pub length: Bytes,
    /// Size of the scratch file without the limit of free space; for a device, its full size.
    wanted: Bytes,
    /// Bytes that `--size` asks for.
    asked: Option<Bytes>,
    /// Bytes that the methodology states for an existing target, if it states any.
    stated: Option<Bytes>,
    /// The device that the guard released, held from here on.
    released: Option<WritableTarget>,
}

impl Site {
    /// Whether the target is a block device itself.
    #[must_use]
    pub fn is_block_device(&self) -> bool {
        self.place.device().is_some()
    }

    /// The devices below the target, and whether the target is one itself.
    #[must_use]
    pub fn below(&self) -> (&[BlockDeviceFacts], bool) {
        (&self.devices, self.is_block_device())
    }

    /// Free space of the file system, or size of the device.
    #[must_use]
    pub fn room(&self) -> Option<Bytes> {
        if self.is_block_device() { Some(self.wanted) } else { self.file_system.as_ref().map(|system| system.free) }
    }

    /// Checks what opening it would refuse, without creating anything.
    ///
    /// # Errors
    /// As for [`Place::check`].
    pub fn check(&self, wanted: &Wanted<'_>) -> Result<()> {
        if self.released.is_some() { Ok(()) } else { self.place.check(wanted) }
    }

    /// The guard's findings about a device that it released.
    #[must_use]
    pub fn guarded(&self) -> Option<&GuardedDevice> {
        self.released.as_ref().and_then(|target| target.decision().device.as_deref())
    }

    /// Opens the target; a released device is held without interruption.
    ///
    /// # Errors
    /// As for [`Place::open`].
    pub fn open(&mut self, wanted: &Wanted<'_>, voice: &Voice) -> Result<OpenedIo> {
        match (self.place.device(), self.released.take()) {
            (Some(node), Some(target)) => Ok(released_device(node, target)),
            _ => self.place.open(wanted, voice),
        }
    }

    /// The finding about a target that is smaller than requested or than the methodology states: the load then
    /// differs from the intended one, which every reader must know.
    #[must_use]
    pub fn smaller(&self) -> Option<Finding> {
        if self.makes_scratch {
            return (self.length < self.wanted).then(|| findings::scratch_file_smaller(self.wanted, self.length));
        }
        self.stated.filter(|stated| self.length < *stated).map(|stated| findings::target_smaller(stated, self.length))
    }

    /// Remarks for the user about how the target was chosen.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let (Some(file), Some(file_system)) = (self.place.as_new_file(), &self.file_system) {
            let device = self.devices.first().map_or("a file system that lies on no drive", |device| &device.name);
            remarks.push(format!(
                "{} is a new scratch file, on {device} (mounted at {}), and is removed at the end",
                file.display(),
                file_system.mount_point.display()
            ));
        }
        if let (Some(node), true) = (self.place.device(), self.length < self.wanted) {
            let why = match self.asked {
                Some(_) => "as --size asks",
                None => "as much as the methodology uses in this form; use more with --size",
            };
            remarks.push(format!(
                "the first {} of {} are used (of {}), {why}",
                format::bytes(self.length),
                node.path.display(),
                format::bytes(self.wanted)
            ));
        }
        if let (Some(node), Some(asked)) = (self.place.device(), self.asked.filter(|asked| *asked > self.wanted)) {
            let (asked, has) = (format::bytes(asked), format::bytes(self.wanted));
            remarks.push(format!("--size asks for {asked}; {} has {has}, and all of it is used", node.path.display()));
        }
        if let Some(stated) = self.stated.filter(|stated| !self.makes_scratch && self.length < *stated) {
            remarks.push(format!(
                "{} are tested, and the methodology uses {} in this form: its areas and volumes shrink with the target",
                format::bytes(self.length),
                format::bytes(stated)
            ));
        }
        if self.length < self.wanted && self.makes_scratch {
            remarks.push(format!(
                "the scratch file is {} instead of {}: it has whole MiB and takes at most 10 % of the free space (90 % of \
                 a file system that was created for the run)",
                format::bytes(self.length),
                format::bytes(self.wanted)
            ));
        }
        remarks
    }
}

/// Computes the size of a scratch file from the wanted size, the minimum, the free space and the memory.
type FitScratch = fn(Bytes, Bytes, Bytes, Bytes) -> std::result::Result<Bytes, NoSpace>;

/// Whether the target is only inspected or will be used.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// To make a plan: nothing is opened.
    Plan,
    /// To measure; an existing target that is written needs the user's consent.
    Measure {
        /// What the user said may be overwritten (`--destroy`).
        destroy: &'a Destroy,
    },
    /// To measure in a file system that was created for the run: nothing else needs room there.
    OnOwn,
}

/// Inspects the place and computes how large the target will be; creates and changes nothing.
///
/// # Errors
/// The target is missing, refused, read-only, too small or full.
pub fn survey(
    place: Box<dyn Place>,
    methodology: &Methodology,
    form: Form,
    size: Option<Bytes>,
    purpose: Purpose<'_>,
) -> Result<Site> {
    takes(&*place, methodology)?;
    let wanted = size.or_else(|| methodology.file_size(form));
    if place.makes_scratch()? {
        let wanted = wanted.ok_or_else(|| no_file_size(place.folder(), methodology))?;
        let fit = match purpose {
            Purpose::OnOwn => drivelab_device::own_scratch_size,
            Purpose::Plan | Purpose::Measure { .. } => drivelab_device::scratch_size,
        };
        return new_file(place, methodology, form, (wanted, fit));
    }
    let destroy = match purpose {
        Purpose::Measure { destroy } if changes(methodology, form) => Some(destroy),
        Purpose::Plan | Purpose::Measure { .. } | Purpose::OnOwn => None,
    };
    let Looked { facts, released } = place.look(wanted.unwrap_or(DEFAULT_SIZE), destroy)?;
    let TargetFacts { length: whole, file_system, devices, direct_io, .. } = facts;
    let length = part_of(&*place, methodology, form, whole, size)?;
    let stated = if place.device().is_some() {
        methodology.stated_size(form)
    } else {
        methodology.file_size(form).filter(|_| form != Form::Smoke && !methodology.takes_any_target())
    };
    let (makes_scratch, wanted, asked) = (false, whole, size);
    Ok(Site { place, makes_scratch, file_system, devices, direct_io, length, wanted, asked, stated, released })
}

/// As [`survey`], for a device that was set up for the run and is already held.
///
/// # Errors
/// The methodology does not fit the device, or the device is too small.
pub fn survey_set_up(
    target: WritableTarget,
    methodology: &Methodology,
    form: Form,
    size: Option<Bytes>,
) -> Result<Site> {
    let place = place_of(target.path())?;
    takes(&*place, methodology)?;
    let Some(node) = place.device() else {
        return Err(Failure::unexpected(format!("{} is no longer a block device", target.path().display())));
    };
    let TargetFacts { length: whole, file_system, devices, direct_io, .. } =
        drivelab_device::device_facts(node, target.length(), target.direct_io().clone());
    let length = part_of(&*place, methodology, form, whole, size)?;
    let stated = methodology.stated_size(form);
    let released = Some(target);
    let (makes_scratch, wanted, asked) = (false, whole, size);
    Ok(Site { place, makes_scratch, file_system, devices, direct_io, length, wanted, asked, stated, released })
}

/// Whether any step of a methodology can change the target's content, found by expanding it for the size that it
/// wants. If that expansion fails, the expansion for the real size reports the mistake, not the guard; nothing is
/// opened for writing before, and the real plan then decides.
pub(crate) fn changes(methodology: &Methodology, form: Form) -> bool {
    let capacity = methodology.nominal_size(form);
    let shape = TargetShape { capacity, offset_align: Bytes::new(1), guess: SpeedGuess::default() };
    let plan = drivelab_method::expand(methodology, form, &shape);
    plan.is_ok_and(|plan| Needs::of_plan(&plan).changes())
}

/// Checks that the methodology runs on this kind of target.
fn takes(place: &dyn Place, methodology: &Methodology) -> Result<()> {
    if methodology.target() == MethodTarget::Any { Ok(()) } else { place.takes(methodology) }
}

/// The site of a scratch file that will be created.
fn new_file(
    place: Box<dyn Place>,
    methodology: &Methodology,
    form: Form,
    (wanted, fit): (Bytes, FitScratch),
) -> Result<Site> {
    let folder = place.folder();
    let FolderFacts { file_system, devices, direct_io_expected, writable } = drivelab_device::folder_facts(folder)?;
    if !writable {
        return Err(not_writable(folder, &file_system));
    }
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
    let length =
        fit(wanted, minimum, file_system.free, memory).map_err(|error| no_room(folder, &file_system, &error))?;
    let file_system = Some(file_system);
    let direct_io = direct_io_expected;
    Ok(Site {
        place,
        makes_scratch: true,
        file_system,
        devices,
        direct_io,
        length,
        wanted,
        asked: None,
        stated: None,
        released: None,
    })
}

/// How much of the target is tested: of a block device the requested size or what the methodology wants, otherwise
/// all.
fn part_of(
    place: &dyn Place,
    methodology: &Methodology,
    form: Form,
    whole: Bytes,
    asked: Option<Bytes>,
) -> Result<Bytes> {
    let is_device = place.device().is_some();
    if !is_device || methodology.takes_any_target() {
        return Ok(whole);
    }
    let wanted = asked.unwrap_or_else(|| methodology.device_part(form, whole));
    let part = if wanted < whole { wanted.align_down(Bytes::MIB) } else { whole };
    let minimum = methodology.minimum_size(form);
    if part >= minimum && part.get() > 0 {
        return Ok(part);
    }
    let usable = asked.map_or(whole, |asked| asked.min(whole));
    let others = methodology.forms_that_fit(usable).into_iter().filter(|other| *other != form).map(Form::name);
    let others: Vec<String> = others.map(|name| format!("--form {name}")).collect();
    let others = if others.is_empty() { String::new() } else { format!(" (these forms fit: {})", others.join(", ")) };
    let more = if minimum.max(Bytes::MIB) <= whole { ", or ask for more with --size" } else { "" };
    let message = format!(
        "'{}' needs at least {} of a device, and {} of {} would be used; name a larger device{more}{others}",
        methodology.identity().name,
        format::bytes(minimum.max(Bytes::MIB)),
        format::bytes(part),
        place.path().display()
    );
    Err(Failure::new(ExitCode::TargetUnusable, message))
}
