//! The null device as a target of writes: every user may write to it, because it stores nothing.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use drivelab_core::environment::TargetKind;
use drivelab_core::target::{GuardDecision, GuardedParts, WritableTarget};
use drivelab_core::units::Bytes;
use rustix::fs::OFlags;

use super::error::{GuardError, system};
use crate::block::named::{Named, classify};
use crate::block::readable::no_direct_io;
use crate::error::DeviceError;
use crate::place::target::custom;

/// Opens the kernel's null device for writing; addresses run to `length`, though none of them has a meaning there. It
/// is identified by its number, which is checked again on the open handle.
///
/// # Errors
/// [`GuardError::Device`] if `path` is something else or cannot be opened.
pub fn authorise_null(path: &Path, length: Bytes) -> Result<WritableTarget, GuardError> {
    let real = null_device(path)?;
    let open = OpenOptions::new().read(true).write(true).custom_flags(custom(OFlags::NOFOLLOW)).open(&real);
    let file = open.map_err(system("cannot open", &real))?;
    let status = file.metadata().map_err(system("cannot inspect", &real))?;
    if !crate::block::named::is_null_device(&status) {
        return Err(GuardError::Busy { path: real, by: "it was just replaced by something else".into() });
    }
    let decision = GuardDecision {
        allowed_because: "it is the kernel's null device, which stores nothing of what is written to it".into(),
        destroy_named: None,
        device: None,
    };
    let direct_io = no_direct_io(TargetKind::NullDevice);
    let buffered = file.into();
    let held = Vec::new();
    Ok(WritableTarget::from_guard(GuardedParts {
        path: real,
        direct: None,
        buffered,
        length,
        direct_io,
        decision,
        held,
    }))
}

fn null_device(path: &Path) -> Result<PathBuf, GuardError> {
    match classify(path)? {
        Named::NullDevice(real) => Ok(real),
        _ => Err(DeviceError::Unfit { path: path.to_owned(), what: "not the null device" }.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn only_the_null_device_is_let_through_and_it_has_no_direct_handle() {
        let target = authorise_null(Path::new("/dev/null"), Bytes::GIB).expect("the null device");
        assert_eq!(target.length(), Bytes::GIB);
        assert!(target.handle(true).is_none() && target.handle(false).is_some());
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("null");
        std::fs::write(&file, b"a diary").expect("a file");
        for other in [Path::new("/dev/zero"), &file, folder.path()] {
            assert_eq!(authorise_null(other, Bytes::GIB).expect_err("refused").kind(), ErrorKind::Unfit);
        }
    }
}
