//! A target that does not exist: refused, with a suggestion of what was meant, unless a new file was requested.
//!
//! A mistyped name, or a folder whose file system is not mounted, must not become a scratch file on the system disk.

use std::path::{Component, Path, PathBuf};

use drivelab_core::exit::ExitCode;
use drivelab_device::{DeviceError, ErrorKind, not_mounted};

use crate::failure::{Failure, Result};
use crate::target::sorts::word_for;

/// Prefixes of disk names in /dev that a number follows.
const NUMBERED: [&str; 11] = ["nvme", "ng", "mmcblk", "loop", "zram", "md", "dm-", "nbd", "sr", "pmem", "nullb"];
/// Prefixes that letters follow.
const LETTERED: [&str; 4] = ["sd", "hd", "vd", "xvd"];

/// What happens to a name that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFile {
    /// A scratch file is created under it, as `--new-file` asks.
    Made,
    /// It is refused, and the message suggests the flag.
    Offered,
    /// It is refused: the command creates no files.
    Never,
}

impl NewFile {
    /// From the flag, for a command that takes files or does not.
    #[must_use]
    pub const fn by(flag: bool, takes_files: bool) -> NewFile {
        match (flag, takes_files) {
            (true, _) => NewFile::Made,
            (false, true) => NewFile::Offered,
            (false, false) => NewFile::Never,
        }
    }
}

/// Checks whether a name that does not exist, in a folder that exists, may become a new file.
///
/// # Errors
/// The bare name of a device, or any name if no new file was requested.
pub fn judge(word: &Path, new: NewFile) -> Result<()> {
    let name = bare(word);
    let shown = word.display();
    if let Some(meant) = name.as_deref().and_then(word_for) {
        return Err(Failure::usage(format!(
            "{shown}: did you mean {meant}, which is not a file? For a scratch file called {shown}, use `./{shown} \
             --new-file`"
        )));
    }
    if let Some(device) = name.as_deref().and_then(device_of_name) {
        let device = device.display();
        return Err(Failure::usage(format!(
            "{shown}: did you mean {device}? There is no file or folder {shown} here, and the device has that name. For a \
             scratch file called {shown}, use `./{shown} --new-file`"
        )));
    }
    let make = match new {
        NewFile::Made => return Ok(()),
        NewFile::Offered => ", or add --new-file to create a scratch file under that name",
        NewFile::Never => "",
    };
    let message = match name.filter(|name| is_like_a_device(name)) {
        Some(name) => format!(
            "there is no device /dev/{name}, and no file or folder {name} here: `drivelab targets` lists the disks of \
             this machine; name one of them, or a folder{make}"
        ),
        None => format!(
            "there is no {shown}: check the name, mount its file system or create the folder{make}{}",
            hint(word).unwrap_or_default()
        ),
    };
    Err(Failure::new(ExitCode::TargetUnusable, message))
}

/// An error about a path that does not exist, with what fstab lists for it.
#[must_use]
pub fn explained(word: &Path, error: DeviceError) -> Failure {
    let hint = if error.kind() == ErrorKind::Missing { hint(word) } else { None };
    let failure = Failure::from(error);
    Failure::new(failure.code, failure.message + &hint.unwrap_or_default())
}

/// The file system that fstab lists for the path and that is not mounted.
fn hint(word: &Path) -> Option<String> {
    let found = not_mounted(word)?;
    let point = found.mount_point.display();
    Some(format!(". /etc/fstab lists {} for {point}, and it is not mounted: `mount {point}`", found.source))
}

/// The word, if it is a name and not a path: `./loop0` has one part too, but only the bare name can mean a device.
fn bare(word: &Path) -> Option<String> {
    let mut parts = word.components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) if name == word.as_os_str() => name.to_str().map(str::to_owned),
        _ => None,
    }
}

/// The block device whose node in /dev has this name.
fn device_of_name(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::FileTypeExt;
    let node = Path::new("/dev").join(name);
    node.metadata().is_ok_and(|node| node.file_type().is_block_device()).then_some(node)
}

/// Whether a name looks like that of a disk: `sda1`, `nvme0n1`, `dm-0`.
fn is_like_a_device(name: &str) -> bool {
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    // sda to sdzzz, and a partition number.
    let letters = |rest: &str| {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_lowercase());
        (1..=3).contains(&(rest.len() - number.len())) && number.chars().all(|c| c.is_ascii_digit())
    };
    NUMBERED.iter().filter_map(|start| name.strip_prefix(start)).any(digit)
        || LETTERED.iter().filter_map(|start| name.strip_prefix(start)).any(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::naming::place_named;

    #[test]
    fn names_of_disks_are_told_from_other_names() {
        for name in
            ["sda", "sda1", "sdab12", "nvme99n1", "nvme0", "vdb", "xvda2", "mmcblk0p1", "dm-7", "loop12", "md127"]
        {
            assert!(is_like_a_device(name), "{name}");
        }
        for name in ["sd", "sda1.img", "data", "media", "nvme", "scratch.bin", "sdabcd", "loops", "vdi-file", "mdadm"] {
            assert!(!is_like_a_device(name), "{name}");
        }
    }

    #[test]
    fn only_a_bare_word_is_a_name() {
        assert_eq!(bare(Path::new("sda")).as_deref(), Some("sda"));
        for path in ["./sda", "/sda", "a/sda", "sda/", ".."] {
            assert_eq!(bare(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn a_name_that_leads_to_nothing_is_refused_with_the_flag_where_a_file_could_be_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let new = folder.path().join("new");
        let said = |new_file| place_named(&new, new_file).map(|_| ()).expect_err("refused");
        assert_eq!(said(NewFile::Offered).code, ExitCode::TargetUnusable);
        assert!(said(NewFile::Offered).message.contains("--new-file"));
        assert!(!said(NewFile::Never).message.contains("--new-file"));
        assert!(place_named(&new, NewFile::Made).is_ok());
        let below = folder.path().join("no/new");
        let Err(failure) = place_named(&below, NewFile::Made) else { panic!("no folder was created for it") };
        assert!(failure.code == ExitCode::TargetUnusable && failure.message.contains("there is no folder"));
    }
}
