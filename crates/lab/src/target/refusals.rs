//! What is said where a target cannot be measured, or not by this methodology.

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
            "'{}' makes files and folders of its own (target kind = \"directory\"), and {} is no folder: name one on a \
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
            "{} is a block device, and the file of '{}' says that it runs on {} (target kind = \"{}\"); mount a \
             file system on the device and name a folder there, or take a methodology for block devices",
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
             --destroy; without a drive to spare, a loop device on a file serves to try it: `losetup --find --show \
             --direct-io=on FILE`",
            path.display(),
            methodology.identity().name,
            methodology.target().words(),
            methodology.target().name()
        ),
    )
}

/// The methodology wants a share of a device, and a file has no size before it is made.
pub(super) fn no_file_size(folder: &Path, methodology: &Methodology) -> Failure {
    Failure::usage(format!(
        "'{}' wants a share of a block device and states no size of a file (`file_size`), and a file would be made in {}; \
         say how large with --size, or name a block device",
        methodology.identity().name,
        folder.display()
    ))
}

pub(super) fn refuse_nothing(device: &Path) -> Failure {
    let device = device.display();
    Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "{device} is no device that stores anything, and this methodology runs on drives and files only; name a \
             folder, or measure drivelab itself with `drivelab io {device}`"
        ),
    )
}

/// Refuses `--destroy` where the target is nothing that could be destroyed.
pub(crate) fn destroys_nothing(destroy: &Path) -> Failure {
    Failure::usage(format!(
        "--destroy {} names something to overwrite, but the target is not there yet and will be made; leave --destroy \
         out",
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
