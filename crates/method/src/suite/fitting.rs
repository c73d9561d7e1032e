//! Why a whole methodology does not become part of a suite, and how much of the suite's target it gets if it does.
//!
//! Must not know: priorities and time, which decide about single tests.

use drivelab_core::files::{FileLoad, Room, room_of};
use drivelab_core::plan::{Form, TestPlan};
use drivelab_core::units::Bytes;

use crate::expand::alone::Expanded;
use crate::methodology::{Entry, Methodology};
use crate::scope::TargetShape;
use crate::target::requires::{Ground, Means, unmet};
use crate::target::wanted::MethodTarget;

/// Room that is kept free beside file sets, for the file system's metadata.
const SPARE: u64 = 32 << 20;

/// The form in which a suite runs a methodology: the one that its entry names, otherwise the suite's own; `None` if
/// the methodology does not have that form. The smoke form is always smoke.
pub(crate) fn form_of(entry: &Entry, form: Form) -> Option<Form> {
    let wanted = wanted(entry, form);
    entry.method.forms().contains(&wanted).then_some(wanted)
}

fn wanted(entry: &Entry, form: Form) -> Form {
    let stated = [Form::Faithful, Form::Quick].into_iter().find(|one| one.name() == entry.table.text("form"));
    stated.filter(|_| form != Form::Smoke).unwrap_or(form)
}

/// Why an entry that names a form does not run in the smoke form: another entry already runs the same methodology.
pub(crate) fn doubled(suite: &Methodology, entry: &Entry, form: Form) -> Option<String> {
    let name = |entry: &Entry| entry.method.identity().name.clone();
    let plain = suite.entries().iter().any(|other| !other.table.has("form") && name(other) == name(entry));
    (form == Form::Smoke && entry.table.has("form") && plain)
        .then(|| "the smoke form is the same for every form, and another entry runs it".to_owned())
}

/// Why a whole methodology of a suite does not run.
pub(crate) fn unfit(entry: &Entry, form: Form, shape: &TargetShape, means: &Means) -> Option<String> {
    let method = &entry.method;
    let Some(form) = form_of(entry, form) else {
        return Some(format!("it has no {} form", wanted(entry, form).name()));
    };
    let needs = unmet(entry.table.table("requires"), means).or_else(|| unmet(method.root().table("requires"), means));
    if let Some((reason, _)) = needs {
        return Some(reason);
    }
    by_itself(entry).or_else(|| other_ground(method.target(), means)).or_else(|| {
        let (least, part) = (method.minimum_size(form), share_of(entry, form, shape, means).capacity);
        (part < least).then(|| format!("it needs at least {}, and the target has {}", least.about(), part.about()))
    })
}

/// Why a suite cannot run a methodology: it contains something about more than one unchanged target, which a suite
/// would have to ignore.
fn by_itself(entry: &Entry) -> Option<String> {
    let (root, name) = (entry.method.root(), &entry.method.identity().name);
    let alone = |why: &str| Some(format!("{why}: `drivelab run {name}` does that"));
    if root.has("conditions") {
        return alone("it sets up conditions around its target, and a suite measures the target as it is");
    }
    if root.has("drives") {
        return alone("it asks about several drives or capacities, and a suite measures one");
    }
    None
}

/// The suite's target is of a kind that the methodology does not take.
fn other_ground(wanted: MethodTarget, means: &Means) -> Option<String> {
    let reason = match (means.ground?, wanted) {
        (Ground::File, MethodTarget::BlockDevice) => "it needs a block device, and the target is a file",
        (Ground::BlockDevice, MethodTarget::File) => "it runs on files, and the target is a block device",
        (Ground::BlockDevice, MethodTarget::Directory) => {
            "it works on many files in a folder, and the target is a block device"
        }
        (Ground::File, MethodTarget::Directory) if means.folder == Some(false) => {
            "it works on many files in a folder, and the target is a single file"
        }
        _ => return None,
    };
    Some(reason.to_owned())
}

/// The part of the target that the methodology wants.
pub(crate) fn share_of(entry: &Entry, form: Form, shape: &TargetShape, means: &Means) -> TargetShape {
    let (whole, method) = (shape.capacity, &entry.method);
    let of_file = || method.file_size(form).unwrap_or(whole).min(whole);
    // If nobody states what the target is, it is taken to be what the methodology is for.
    let on_device = means.ground.map_or(method.target() == MethodTarget::BlockDevice, |it| it == Ground::BlockDevice);
    let capacity = if on_device { method.device_part(form, whole).align_down(Bytes::MIB) } else { of_file() };
    TargetShape { capacity, ..*shape }
}

/// Why a methodology's file sets have no room beside the scratch file and the earlier file sets, which take `taken`
/// bytes. If there is room, adds its own bytes to `taken`.
pub(crate) fn no_room(
    (entry, expanded): (&Entry, &Expanded),
    shape: &TargetShape,
    means: &Means,
    taken: &mut u64,
) -> Option<String> {
    let tests = expanded.tests.iter().map(|(_, test)| test);
    let tests: Vec<&TestPlan> = tests.filter(|test| entry.takes(&test.name)).collect();
    let loads = || tests.iter().flat_map(|test| &test.steps).filter_map(|step| step.workload()?.files.as_deref());
    // Twice, because the files of one round still exist in the next.
    let Room { drive, .. } = room_of(loads().chain(loads()).collect::<Vec<&FileLoad>>().into_iter());
    if drive.get() == 0 {
        return None;
    }
    let needed = Bytes::new([shape.capacity.get(), *taken, SPARE].into_iter().fold(drive.get(), u64::saturating_add));
    if let Some(free) = means.free.filter(|free| *free < needed) {
        let (drive, needed, free) = (drive.about(), needed.about(), free.about());
        return Some(format!(
            "its files take up to {drive}, with the scratch file and other files {needed}, and {free} are free"
        ));
    }
    *taken = taken.saturating_add(drive.get());
    None
}
