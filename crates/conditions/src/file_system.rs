//! Creates and mounts a file system, and recognises drivelab's own by its UUID.
//!
//! mke2fs(8): `nodiscard`, so that the data state stays as it was set up; no lazy initialisation, because its writes
//! would continue during the tests. mkfs.xfs(8): `-K` for the same reason. Superblocks: the kernel's
//! Documentation/filesystems/ext4 (s_uuid at 0x68 of the superblock at byte 1024, magic EF53 at 0x38); XFS Algorithms
//! & Data Structures, 3rd edition, "Superblocks" (magic XFSB at 0, sb_uuid at 32).

use std::fs;
use std::path::Path;

use drivelab_core::condition::{FileSystem, FormatFacts};
use drivelab_core::units::Bytes;
use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use uuid::Uuid;

use crate::error::ConditionsError;
use crate::programs::{MKFS_EXT4, MKFS_XFS, Program};

/// Smallest size that mkfs.xfs(8) accepts.
const XFS_LEAST: Bytes = Bytes::new(300 << 20);

const fn program(kind: FileSystem) -> Program {
    match kind {
        FileSystem::Ext4 => MKFS_EXT4,
        FileSystem::Xfs => MKFS_XFS,
    }
}

/// Checks that the program exists and the size is sufficient.
pub(crate) fn check(kind: FileSystem, length: Bytes) -> Result<(), ConditionsError> {
    if kind == FileSystem::Xfs && length < XFS_LEAST {
        return Err(ConditionsError::Target(format!(
            "an XFS file system needs at least {}, and {} are available; use ext4, or more space",
            XFS_LEAST.about(),
            length.about()
        )));
    }
    program(kind).check()
}

/// Creates it on the node.
pub(crate) fn make(kind: FileSystem, node: &str, uuid: Uuid) -> Result<FormatFacts, ConditionsError> {
    let uuid = uuid.to_string();
    let with_name = format!("uuid={uuid}");
    let options = match kind {
        FileSystem::Ext4 => {
            vec!["-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", "-U", &uuid]
        }
        FileSystem::Xfs => vec!["-q", "-f", "-K", "-m", &with_name],
    };
    let program = program(kind);
    let said = program.says(&["-V"])?;
    let version = said.lines().next().unwrap_or_default().trim().to_owned();
    program.run(&[options.as_slice(), &[node]].concat(), &[])?;
    Ok(FormatFacts { kind, version, command: format!("{} {}", program.name, options.join(" ")) })
}

/// Mounts it, without execution of its files and without device nodes.
pub(crate) fn mount_at(kind: FileSystem, node: &Path, at: &Path) -> Result<(), ConditionsError> {
    let flags = MountFlags::NODEV | MountFlags::NOSUID | MountFlags::NOEXEC;
    mount(node, at, kind.name(), flags, None).map_err(|error| match error {
        Errno::NODEV => ConditionsError::Host(format!(
            "this kernel does not support {}: load its module, or use another file system",
            kind.name()
        )),
        error => ConditionsError::system("cannot mount at", at)(error),
    })
}

/// Unmounts what is mounted there.
pub(crate) fn unmount_from(at: &Path) -> Result<(), ConditionsError> {
    unmount(at, UnmountFlags::empty()).map_err(|error| match error {
        Errno::BUSY => ConditionsError::Target(format!(
            "{} cannot be unmounted: something is still open there (`fuser -m {}` lists it); end that, then run `drivelab \
             resume --last`",
            at.display(),
            at.display()
        )),
        error => ConditionsError::system("cannot unmount", at)(error),
    })
}

/// The UUID of a file system of a kind that drivelab creates, from its first bytes.
pub(crate) fn uuid_in(start: &[u8]) -> Option<Uuid> {
    let at = |from: usize, length: usize| start.get(from..from + length);
    let uuid = |from: usize| Uuid::from_slice(at(from, 16)?).ok();
    if at(0, 4) == Some(b"XFSB") {
        return uuid(32);
    }
    if at(1024 + 0x38, 2) == Some(&[0x53, 0xEF]) {
        return uuid(1024 + 0x68);
    }
    None
}

/// Creates the folder of a mount point, accessible only to its owner.
pub(crate) fn make_folder(at: &Path) -> Result<(), ConditionsError> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(at).map_err(ConditionsError::system("cannot make", at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_that_the_programs_make_are_known_by_their_uuid() {
        let folder = tempfile::tempdir().expect("a folder");
        for (kind, mebibytes) in [(FileSystem::Ext4, 32), (FileSystem::Xfs, 320)] {
            let image = folder.path().join(kind.name());
            fs::File::create(&image).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
            if program(kind).check().is_err() {
                println!("skipped: no mkfs for {}", kind.name());
                continue;
            }
            let uuid = Uuid::now_v7();
            let facts = make(kind, image.to_str().expect("a path"), uuid).expect("mkfs");
            assert!(facts.version.contains(|c: char| c.is_ascii_digit()), "{facts:?}");
            assert_eq!(uuid_in(&fs::read(&image).expect("an image")[..8192]), Some(uuid));
        }
        assert_eq!(uuid_in(&[0; 8192]), None);
        assert_eq!(uuid_in(b"XFSB"), None);
    }

    #[test]
    fn what_is_too_small_for_xfs_is_refused_before_anything_is_made() {
        let error = check(FileSystem::Xfs, Bytes::new(100 << 20)).expect_err("too small");
        assert!(error.to_string().contains("300 MiB"), "{error}");
    }
}
