//! Refusals of targets that cannot be measured, or not by this methodology.

use std::path::Path;

use drivelab_core::environment::FileSystemFacts;
use drivelab_core::exit::ExitCode;
use drivelab_device::NoSpace;
use drivelab_method::Methodology;

use crate::failure::Failure;

pub(crate) fn no_folder(path: &Path, methodology: &Methodology) -> Failure {
    Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "'{}' creates its own files and folders (target kind = \"directory\"), and {} is not a folder: name one on a \
             mounted file system",
            methodology.identity().name,
            path.display()
        ),
    )
}

pub(super) fn refuse_block_device(device: &Path, methodology: &Methodology) -> Failure {
    Failure::new(
        ExitCode::GuardRefused,
        format!(
            "{} is a block device, and the file of '{}' states that it runs on {} (target kind = \"{}\"); mount a \
             file system on the device and name a folder there, or use a methodology for block devices",
            device.display(),
            methodology.identity().name,
            methodology.target().words(),
            methodology.target().name()
        ),
    )
}

pub(super) fn refuse_file(path: &Path, what: &str, methodology: &Methodology) -> Failure {
    Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "{} is {what}, and '{}' runs on {} (target kind = \"{}\"); name a device that may be overwritten, with \
             --destroy; without a spare drive, try it on a loop device on a file: \
             `losetup --find --show --direct-io=on FILE`",
            path.display(),
            methodology.identity().name,
            methodology.target().words(),
            methodology.target().name()
        ),
    )
}

/// The methodology asks for a share of a device, and a file has no size before it is created.
pub(super) fn no_file_size(folder: &Path, methodology: &Methodology) -> Failure {
    Failure::usage(format!(
        "'{}' asks for a share of a block device and states no file size (`file_size`), but a file would be created in {}; \
         give its size with --size, or name a block device",
        methodology.identity().name,
        folder.display()
    ))
}

pub(super) fn refuse_nothing(device: &Path) -> Failure {
    let device = device.display();
    Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "{device} stores nothing, and this methodology runs on drives and files only; name a folder, or measure \
             drivelab itself with `drivelab io {device}`"
        ),
    )
}

/// Text after the colon of a word.
pub(super) fn nothing_behind(word: &str, text: &str) -> Failure {
    Failure::usage(format!(
        "{text}: {word} takes nothing after its colon; --size sets the number of addresses that operations are spread over. A \
         file of that name is ./{text}"
    ))
}

/// Refuses `--destroy` if there is nothing to overwrite.
pub(crate) fn destroys_nothing(destroy: &Path) -> Failure {
    Failure::usage(format!(
        "--destroy {} names something to overwrite, but the target does not exist yet and will be created; leave \
         --destroy out",
        destroy.display()
    ))
}

pub(crate) fn not_writable(folder: &Path, mounted: &FileSystemFacts) -> Failure {
    let why = if mounted.options.split(',').any(|option| option == "ro") {
        format!("the file system at {} is mounted read-only", mounted.mount_point.display())
    } else {
        "this user may not write there".to_owned()
    };
    let message = format!("{} cannot be written: {why}; name another folder", folder.display());
    Failure::new(ExitCode::TargetUnusable, message)
}

pub(crate) fn no_room(folder: &Path, mounted: &FileSystemFacts, error: &NoSpace) -> Failure {
    let message = if mounted.total.get() == 0 {
        format!("{} is on {}, which stores nothing; name a folder on a drive", folder.display(), mounted.kind)
    } else {
        format!("{}: {error}", folder.display())
    };
    Failure::new(ExitCode::TargetUnusable, message)
}
